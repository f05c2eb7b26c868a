"""Looks for leaked objects: run with a debug build of CPython, leak_check.py.

Each call runs some times until caches are full, then many times more. The interpreter's blocks of
memory must not grow with the calls, also where they fail. Ends with 1 if they do. (The debug build
checks each object that is freed. Its count of references, sys.gettotalrefcount, tells nothing here:
NumPy and pyarrow, built for release, change it on one side only.)
"""

import gc
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

import neardup as nd
from neardup import distributed

TEXTS = [f"text number {i // 2}, of words that are its own {i // 2 * 7}" for i in range(40)]
TABLE = pa.table({"id": [str(i) for i in range(40)], "text": TEXTS})
NULLS = pa.table({"text": [None, *TEXTS]})
LINES = ["one line\nand one of its own\n"] * 20
WARM, CALLS, GROWTH = 20, 200, 100


def fails(call):
    def run():
        try:
            call()
        except (nd.Error, TypeError, ZeroDivisionError):
            return
        raise AssertionError("no failure")

    return run


def boom():
    yield from TEXTS
    raise ZeroDivisionError


def calls(folder):
    index = nd.Index()
    index.add(TABLE)
    disk = nd.Index.create(folder / "index")
    prints = nd.SimHash().fingerprints(TEXTS)
    hamming = nd.HammingIndex.build(prints, [str(i) for i in range(40)])
    stream = nd.Stream(folder / "stream", topics=3)
    path = folder / "texts.jsonl"
    path.write_text("".join(f'{{"id": {i}, "text": "{text}"}}\n' for i, text in enumerate(TEXTS)))

    digest = nd.tlsh(TEXTS[0] * 3)

    def one_of_each():
        result = nd.dedup(TABLE)
        return (result.kept, result.kept_id, result.cluster, result.removed, result.table,
                repr(result), result._repr_html_())

    def change():
        index.add_unless_duplicate("new", "a text that is new to the index")
        index.add_unless_duplicate("other", "a text that is new to the index")
        index.remove("new")
        disk.add_unless_duplicate("new", "a text that is new to the index", replace=True)

    def arrive():
        for i, text in enumerate(TEXTS):
            stream.add(str(i), text)
        stream.clusters(members=True)

    yield "dedup", one_of_each
    yield "dedup of a list", lambda: nd.dedup(TEXTS).table
    yield "dedup of a file", lambda: nd.dedup(path).kept_id
    yield "dedup, progress", lambda: nd.dedup(TEXTS, progress=lambda *_: None)
    yield "dedup, simhash", lambda: nd.dedup(TABLE, sketch="simhash").similarity
    yield "dedup, protect", lambda: nd.dedup(TEXTS, protect=[True] * 40).summary.losses
    yield "dedup, protect fails", fails(lambda: nd.dedup(TABLE, protect="none=5"))
    yield "dedup, losses by labels", lambda: nd.dedup(TEXTS, losses_by=["a"] * 40).summary.losses
    yield "exact", lambda: nd.exact(TABLE, by="tokens").table
    yield "exact fails", fails(lambda: nd.exact(TABLE, by="words"))
    yield "exact, index", lambda: nd.exact(TABLE, index=folder / "hashes", resume=True).kept_id
    yield "exact, index fails", fails(lambda: nd.exact(TABLE, index=disk))
    yield "tlsh", lambda: (nd.tlsh(TEXTS), nd.tlsh(TEXTS[0] * 3))
    yield "tlsh fails", fails(lambda: nd.tlsh(TEXTS[0], buckets=5))
    yield "distance of digests", lambda: nd.tlsh_distance(digest, digest)
    yield "index of digests", lambda: digests_index(digest)
    yield "index of digests fails", fails(lambda: nd.TlshIndex([digest, "x"]))
    yield "lines", lambda: nd.lines(LINES, min_words=1).table
    yield "lines of a file", lambda: nd.lines(path, min_words=1).cuts
    yield "lines, index", lambda: nd.lines(TABLE, index=folder / "lines").cuts
    yield "lines fail", fails(lambda: nd.lines(boom(), unit="line"))
    yield "substrings", lambda: nd.substrings(TABLE, min_bytes=16).table
    yield "substrings of others", lambda: nd.substrings(TEXTS, source=TABLE, min_bytes=16).table
    yield "substrings fail", fails(lambda: nd.substrings(TEXTS, source=NULLS))
    yield "differences", lambda: nd.compare(TEXTS[0], TEXTS[5]).differences
    yield "review", lambda: repr(nd.dedup(TABLE).review())
    yield "review of a file", lambda: repr(nd.dedup(path).review())
    yield "audit", lambda: repr(nd.audit(TABLE, recall=0.01, perms=1))
    yield "audit fails", fails(lambda: nd.audit(TABLE, sample=0))
    yield "tune", lambda: nd.tune(TABLE, beside=[{"ngram": 3}])._repr_html_()
    yield "tune of a file", lambda: repr(nd.tune(path, ngram=2).examples())
    yield "tune fails", fails(lambda: nd.tune(TABLE, sample=0))
    yield "pairs", lambda: nd.pairs(TABLE)
    yield "generator fails", fails(lambda: nd.dedup(boom()))
    yield "null", fails(lambda: nd.dedup(NULLS))
    yield "bad option", fails(lambda: nd.dedup(TEXTS, keep="best"))
    yield "bad column", fails(lambda: nd.dedup(pa.table({"text": [1]})))
    yield "jaccard", lambda: nd.jaccard(TEXTS[0], TEXTS[5])
    yield "jaccard fails", fails(lambda: nd.jaccard("a", 5))
    yield "surrogate", fails(lambda: nd.jaccard("a", "\ud800"))
    yield "compare", lambda: nd.compare(TEXTS[0], TEXTS[5])._repr_html_()
    yield "tokens", lambda: nd.tokens(TEXTS[0], spans=True)
    yield "options", lambda: nd._core.Analyzer(ngram=3, stem="english")
    yield "bad options", fails(lambda: nd._core.Analyzer(ngram=300))
    yield "signatures", lambda: nd.MinHash(16).signatures(TABLE)
    yield "fingerprints", lambda: nd.SimHash().fingerprints(NULLS, nulls="skip")
    yield "keywords", lambda: nd.keywords(TEXTS)
    yield "passages", lambda: nd.passages(TEXTS[:5], TEXTS, least_run=3)
    yield "query", lambda: (index.query(TEXTS[3]), index.query(TABLE), index.info)
    yield "query fails", fails(lambda: index.query(["a", None]))
    yield "changes", change
    yield "an index", lambda: nd.Index().add(TABLE)
    yield "an index fails", fails(lambda: nd.Index(threshold=2))
    yield "no index", fails(lambda: nd.Index.open(folder / "nothing"))
    yield "open", lambda: nd.Index.open(folder / "index", read_only=True).close()
    yield "hamming", lambda: (hamming.query(int(prints[0])), hamming.query(prints), hamming.join(),
                              hamming.groups(), hamming.count(prints), hamming.info)
    yield "hamming fails", fails(lambda: hamming.query(-1))
    yield "hamming, built", lambda: nd.HammingIndex.build(prints)
    yield "hamming, bad ids", fails(lambda: nd.HammingIndex.build(prints, ["a"]))
    yield "stream", arrive
    yield "steps for many machines", distributed_steps
    yield "steps fail", fails(lambda: nd._core.verify(0.5, 128, *[b""] * 6))
    yield "plan", lambda: nd.plan().probability(np.array([0.1, 0.9]))
    yield "plan of anchors", lambda: nd.plan(measure="containment").probability(0.5)


def digests_index(digest):
    index = nd.TlshIndex([digest, None, digest], ["a", "b", "c"])
    return index.query(digest, 5), index.query([digest], 5), index.join(5)


def distributed_steps():
    """Sketches of texts, each compared with the next one, as pairs and as members of a bucket."""
    s = distributed.Settings()
    batch = pa.record_batch({"id": [str(n) for n in range(len(TEXTS))], "text": TEXTS})
    sketches, = distributed.sketch(s, [batch])
    count = len(sketches)
    columns = {"a": pa.array(range(count)), "b": pa.array(range(count))}
    for side in "ab":
        columns |= {f"{name}_{side}": sketches.column(name) for name in ("sketch", "set")}
    pairs = pa.record_batch(columns)
    members = pa.record_batch({
        "hub": pa.array([0] * count), "rank": pa.array(range(count)),
        "buckets": pa.array([[1]] * count, pa.list_(pa.int64())),
        "assumed": pa.array([0] * count, pa.int8()), "sketch": sketches.column("sketch"),
        "set": sketches.column("set")})
    for step in (distributed.near, distributed.verify):
        list(step(s, [pairs]))
    for step in (distributed.search_large, distributed.pair_large):
        list(step(s, [members]))
    edges = pa.record_batch([pa.array([n]) for n in (1, 0, 1, 1)], schema=distributed.DECIDED)
    list(distributed.decide(2, [edges]))


def growth(call):
    """Blocks of memory that CALLS calls leave behind."""
    for _ in range(WARM):
        call()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(CALLS):
        call()
    gc.collect()
    return sys.getallocatedblocks() - before


def main():
    if not hasattr(sys, "gettotalrefcount"):
        sys.exit("leak_check.py needs a debug build of CPython")
    leaks = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)):
            for _ in range(5):  # a leak shows each time; caches that are filled do so less and less
                blocks = growth(call)
                if blocks <= GROWTH:
                    break
            leaks += blocks > GROWTH
            print(f"{name}: {blocks} blocks{' LEAK' if blocks > GROWTH else ''}")
    sys.exit(leaks > 0)


if __name__ == "__main__":
    main()
