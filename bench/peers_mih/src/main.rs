//! mih-rs on files of fingerprints (bench/make_fingerprints), one thread: one JSON object for each
//! k.
//!
//! peers_mih --fingerprints FILE --queries FILE --k 3,6,8 [--blocks B] [--sample S]
//! peers_mih --fingerprints FILE --join K [--blocks B]
//!
//! Queries are timed in a separate pass that adds up the lengths of the answers. Ten thousand
//! warm-up queries run before it, the first stored fingerprints with all bits flipped, because
//! right after a build of 64 million the first queries take several times as long. Hits and their
//! checksum come from a second pass. The checksum is the sum of mix64(query << 32 | id) over all
//! hits, modulo 2^64; for a join the sum of mix64(a << 32 | b), a < b. sample_hits and
//! sample_checksum belong to the first S queries (1000).
//!
//! bytes: resident memory of the process when the index is built, less the memory before the
//! fingerprints were read. The index takes over the fingerprints, so no other copy is left, and the
//! allocator has given back free memory. bytes_peak: the peak until then, less the same memory.

use mih_rs::Index;
use std::time::Instant;

const WARMING_QUERIES: usize = 10000;

struct Options {
    fingerprints: String,
    queries: Option<String>,
    radii: Vec<usize>,
    join: Option<usize>,
    blocks: Option<usize>,
    sample: usize,
}

struct Memory {
    resident: u64,
    peak: u64,
}

/// The fields of every line of output.
struct Built {
    index: Index<u64>,
    seconds: f64,
    bytes: u64,
    bytes_peak: u64,
}

#[derive(Clone, Copy, Default)]
struct Hits {
    count: u64,
    checksum: u64,
}

extern "C" {
    fn malloc_trim(pad: usize) -> i32;
}

fn stop(message: &str) -> ! {
    eprintln!("peers_mih: {message}");
    std::process::exit(1)
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| stop(&format!("'{text}' is not a number")))
}

fn options() -> Options {
    let mut o = Options { fingerprints: String::new(), queries: None, radii: vec![], join: None, blocks: None, sample: 1000 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| stop(&format!("{name} needs a value")));
        match name.as_str() {
            "--fingerprints" => o.fingerprints = value,
            "--queries" => o.queries = Some(value),
            "--k" => o.radii = value.split(',').map(number).collect(),
            "--join" => o.join = Some(number(&value)),
            "--blocks" => o.blocks = Some(number(&value)),
            "--sample" => o.sample = number(&value),
            _ => stop(&format!("{name} is not an option")),
        }
    }
    if o.fingerprints.is_empty() || (o.queries.is_some() == o.radii.is_empty()) || (o.join.is_some() == o.queries.is_some()) {
        stop("usage: peers_mih --fingerprints FILE (--queries FILE --k K,... | --join K) [--blocks B] [--sample S]");
    }
    o
}

fn read(path: &str) -> Vec<u64> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| stop(&format!("{path}: {e}")));
    if bytes.is_empty() || bytes.len() % 8 != 0 {
        stop(&format!("{path}: not a whole number of fingerprints, or none"));
    }
    bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect()
}

fn memory() -> Memory {
    unsafe { malloc_trim(0) };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_else(|e| stop(&e.to_string()));
    let kilobytes = |name| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| stop("no memory figures in /proc/self/status"));
        number(line.split_whitespace().nth(1).unwrap()) as u64
    };
    Memory { resident: kilobytes("VmRSS:") * 1024, peak: kilobytes("VmHWM:") * 1024 }
}

/// David Stafford's variant 13 of the murmur3 finaliser, as in src/base/hash.h.
fn mix64(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d049bb133111eb);
    x ^ x >> 31
}

impl Hits {
    fn add(&mut self, a: usize, b: u32) {
        self.count += 1;
        self.checksum = self.checksum.wrapping_add(mix64((a as u64) << 32 | u64::from(b)));
    }
}

fn build(o: &Options) -> Built {
    let before = memory();
    let fingerprints = read(&o.fingerprints);
    let start = Instant::now();
    let index = match o.blocks {
        None => Index::new(fingerprints),
        Some(blocks) => Index::with_blocks(fingerprints, blocks),
    };
    let index = index.unwrap_or_else(|e| stop(&e.to_string()));
    let seconds = start.elapsed().as_secs_f64();
    let after = memory();
    Built { index, seconds, bytes: after.resident.saturating_sub(before.resident), bytes_peak: after.peak.saturating_sub(before.resident) }
}

fn print(built: &Built, figures: &str, seconds: f64, hits: Hits) {
    println!(
        "{{\"name\": \"mih-rs\", \"count\": {}, \"blocks\": {}, \"build_seconds\": {:.6}, \"bytes\": {}, \"bytes_peak\": {}, {figures}, \
         \"seconds\": {seconds:.6}, \"hits\": {}, \"checksum\": \"{:016x}\"}}",
        built.index.codes().len(), built.index.num_blocks(), built.seconds, built.bytes, built.bytes_peak, hits.count, hits.checksum
    );
}

fn query(built: &Built, queries: &[u64], k: usize, sample: usize) {
    let mut searcher = built.index.range_searcher();
    let warming: usize = built.index.codes().iter().take(WARMING_QUERIES).map(|&f| searcher.run(!f, k).len()).sum();
    let start = Instant::now();
    let found: usize = queries.iter().map(|&q| searcher.run(q, k).len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    let (mut hits, mut sampled) = (Hits::default(), Hits::default());
    for (i, &q) in queries.iter().enumerate() {
        searcher.run(q, k).iter().for_each(|&id| hits.add(i, id));
        if i < sample {
            sampled = hits;
        }
    }
    if found as u64 != hits.count || warming > WARMING_QUERIES * built.index.codes().len() {
        stop("the two passes found different numbers");
    }
    let figures = format!(
        "\"k\": {k}, \"queries\": {}, \"sample\": {}, \"sample_hits\": {}, \"sample_checksum\": \"{:016x}\"",
        queries.len(), sample.min(queries.len()), sampled.count, sampled.checksum
    );
    print(built, &figures, seconds, hits);
}

/// Queries every stored fingerprint; the checksum is computed in the same pass.
fn join(built: &Built, k: usize) {
    let mut searcher = built.index.range_searcher();
    let mut hits = Hits::default();
    let start = Instant::now();
    for (a, &f) in built.index.codes().iter().enumerate() {
        searcher.run(f, k).iter().filter(|&&b| a < b as usize).for_each(|&b| hits.add(a, b));
    }
    print(built, &format!("\"join\": {k}"), start.elapsed().as_secs_f64(), hits);
}

fn main() {
    let o = options();
    let built = build(&o);
    if let Some(k) = o.join {
        join(&built, k);
    }
    if let Some(path) = &o.queries {
        let queries = read(path);
        o.radii.iter().for_each(|&k| query(&built, &queries, k, o.sample));
    }
}
