/* hamming_bench: measures an index of 64-bit fingerprints through the public interface, on files of
 * make_fingerprints. It uses one thread unless --threads says otherwise.
 *
 *   --fingerprints FILE --queries FILE --k 3,6,8 [--sample S]
 *       an index for each k, with the tables that the planner chooses, and queries to it
 *   --fingerprints FILE --join K
 *       all pairs within K
 *   [--dir DIR] [--threads N] [--json]
 *
 * For queries it prints one line per k:
 *   build_seconds     from the fingerprints in memory to a durable index
 *   bytes             bytes of the tables
 *   document_bytes    bytes of the lists that lead to the documents
 *   file_bytes        bytes of all files, with ids and hashes
 *   look_seconds      one pass over the whole index, so that every page is mapped and verified
 *   seconds           all queries one after the other, each returns the list of its ids
 *                     (nd_hamming_search); warm-up queries, the first stored fingerprints with all
 *                     bits flipped, run before
 *   quiet_seconds     the same without the machine's other work: every slice of 1,000 queries
 * counts with the time of the slice at the 10th percentile; quiet_any_seconds and
 *                     quiet_count_seconds are defined in the same way
 *   any_seconds       each query returns one fingerprint within k
 *   count_seconds     each query returns the number of fingerprints within k
 *   batch_seconds     all queries in one call (nd_hamming_query)
 *   hits, checksum    of a second pass: sum of mix64(query << 32 | id) over all hits
 *   sample_hits, sample_checksum    of the first S queries (default 1000)
 *
 * For a join it prints build_seconds 0, seconds, hits, and checksum: the sum of mix64(a << 32 | b)
 * over all pairs, a < b. */
#define PROGRAM_NAME "hamming_bench"
#include "fingerprint_words.h"

#include <dirent.h>
#include <endian.h>
#include <inttypes.h>
#include <limits.h>
#include <neardup.h>
#include <string.h>
#include <unistd.h>

enum { WARMING_QUERIES = 10000, SLICE = 1000 };

typedef struct settings {
    const char *fingerprints, *queries, *directory;
    radii radii;
    uint32_t join, threads;
    uint64_t sample;
    bool joins, json;
} settings;

typedef struct figures {
    uint64_t hits, checksum;
} figures;

static void check(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

/* The mix64 of neardup's own hashes (doc/internals/formats.md), so that the checksums of all
 * programs are comparable. */
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void add(figures *f, uint64_t a, uint64_t b) {
    f->hits++;
    f->checksum += mix(a << 32 | b);
}

/* ---- queries */

typedef struct built {
    char path[PATH_MAX];
    nd_hamming_index *index;
    nd_hamming_searcher *searcher;
    nd_hamming_info info;
    double build_seconds, look_seconds;
} built;

static built build(const settings *s, const words *all, uint32_t k) {
    built b = {.info.struct_size = sizeof b.info};
    nd_error error;
    nd_fingerprint_source source = {
        .struct_size = sizeof source, .words = all->values, .count = all->count};
    nd_hamming_options options;
    nd_resources resources;
    nd_hamming_options_init(&options, sizeof options);
    nd_resources_init(&resources, sizeof resources);
    options.k = k;
    options.numbered = true;
    resources.memory = UINT64_C(8) << 30;
    snprintf(b.path, sizeof b.path, "%s/hamming_bench-%ld", s->directory, (long)getpid());
    double start = now();
    check(nd_hamming_build(b.path, &options, &source, &resources, NULL, &error), &error);
    b.build_seconds = now() - start;
    check(nd_hamming_open(b.path, ND_INDEX_READ, NULL, &b.index, &error), &error);
    start = now();
    check(nd_hamming_check(b.index, &error), &error);
    b.look_seconds = now() - start;
    check(nd_hamming_describe(b.index, &b.info, &error), &error);
    check(nd_hamming_searcher_create(b.index, &b.searcher, &error), &error);
    return b;
}

static void end(built *b) {
    char path[PATH_MAX + 300];
    nd_hamming_searcher_free(b->searcher);
    nd_hamming_close(b->index);
    DIR *directory = opendir(b->path);
    if (!directory) stop("an index cannot be removed");
    for (struct dirent *entry; (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", b->path, entry->d_name);
        if (entry->d_name[0] != '.') unlink(path);
    }
    closedir(directory);
    rmdir(b->path);
}

/* Seconds, and the number of ids that the queries returned. */
typedef struct taken {
    double seconds, quiet;
    uint64_t found;
} taken;

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static taken time_queries(built *b, const words *queries, uint32_t k, nd_hamming_kind kind) {
    const nd_hamming_match *matches;
    const nd_hamming_search_options options = {
        .struct_size = sizeof options, .k = k, .kind = kind, .limit = 1};
    uint64_t count, slices = 0;
    nd_error error;
    double *seconds = sized(NULL, queries->count / SLICE + 1, sizeof *seconds), start = now(),
           last = start;
    taken t = {0};
    for (uint64_t i = 0; i < queries->count; i++) {
        check(nd_hamming_search(b->searcher, (nd_fingerprint){queries->values[i], 0}, &options,
                                &matches, &count, &error),
              &error);
        t.found += count;
        if ((i + 1) % SLICE) continue;
        double here = now();
        seconds[slices++] = here - last;
        last = here;
    }
    t.quiet = t.seconds = now() - start;
    qsort(seconds, slices, sizeof *seconds, compare_seconds);
    if (slices > 0) t.quiet = seconds[slices / 10] / SLICE * (double)queries->count;
    free(seconds);
    return t;
}

static figures count_hits(built *b, const words *queries, uint32_t k, uint64_t count) {
    const nd_hamming_match *matches;
    const nd_hamming_search_options options = {.struct_size = sizeof options, .k = k};
    uint64_t found;
    nd_error error;
    figures f = {0, 0};
    for (uint64_t i = 0; i < count; i++) {
        check(nd_hamming_search(b->searcher, (nd_fingerprint){queries->values[i], 0}, &options,
                                &matches, &found, &error),
              &error);
        for (uint64_t m = 0; m < found; m++) add(&f, i, matches[m].number);
    }
    return f;
}

/* nd_hamming_answer_fn */
static bool take_answer(void *context, const nd_hamming_answer *answer) {
    *(uint64_t *)context += answer->count;
    return true;
}

static double time_batch(const settings *s, built *b, const words *queries, uint32_t k,
                         uint64_t *found) {
    nd_error error;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .words = queries->values, .count = queries->count};
    const nd_hamming_search_options search = {.struct_size = sizeof search, .k = k};
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.threads = s->threads;
    const nd_hamming_query_options options = {.struct_size = sizeof options,
                                              .source = &source,
                                              .search = &search,
                                              .resources = &resources};
    *found = 0;
    double start = now();
    check(nd_hamming_query(b->index, &options, take_answer, found, NULL, &error), &error);
    return now() - start;
}

static void measure(const settings *s, const words *all, const words *queries, uint32_t k) {
    built b = build(s, all, k);
    words warming = {sized(NULL, WARMING_QUERIES, 8),
                     all->count < WARMING_QUERIES ? all->count : WARMING_QUERIES};
    for (uint64_t i = 0; i < warming.count; i++) warming.values[i] = ~all->values[i];
    uint64_t together, sample = s->sample < queries->count ? s->sample : queries->count,
                       n = all->count;
    time_queries(&b, &warming, k, ND_HAMMING_ALL);
    taken ids = time_queries(&b, queries, k, ND_HAMMING_ALL),
          any = time_queries(&b, queries, k, ND_HAMMING_ANY),
          count = time_queries(&b, queries, k, ND_HAMMING_COUNT);
    double batch = time_batch(s, &b, queries, k, &together);
    figures of_all = count_hits(&b, queries, k, queries->count),
            of_sample = count_hits(&b, queries, k, sample);
    if (ids.found != of_all.hits || count.found != ids.found || together != ids.found)
        stop("two ways of asking found different numbers");
    double each = 1e6 / (double)queries->count;
    if (s->json) {
        printf("{\"name\": \"neardup\", \"count\": %" PRIu64
               ", \"k\": %u, \"design\": \"%s\", \"queries\": %" PRIu64
               ", \"build_seconds\": %.6f, ",
               n, k, b.info.design, queries->count, b.build_seconds);
        printf("\"look_seconds\": %.6f, \"bytes\": %" PRIu64 ", \"document_bytes\": %" PRIu64
               ", \"file_bytes\": %" PRIu64 ", \"seconds\": %.6f, ",
               b.look_seconds, b.info.table_bytes, b.info.posting_bytes, b.info.bytes, ids.seconds);
        printf(
            "\"quiet_seconds\": %.6f, \"quiet_any_seconds\": %.6f, \"quiet_count_seconds\": %.6f, ",
            ids.quiet, any.quiet, count.quiet);
        printf("\"any_seconds\": %.6f, \"count_seconds\": %.6f, \"batch_seconds\": %.6f, \"hits\": "
               "%" PRIu64 ", \"checksum\": \"%016" PRIx64 "\", ",
               any.seconds, count.seconds, batch, of_all.hits, of_all.checksum);
        printf("\"sample\": %" PRIu64 ", \"sample_hits\": %" PRIu64
               ", \"sample_checksum\": \"%016" PRIx64 "\"}\n",
               sample, of_sample.hits, of_sample.checksum);
    } else {
        printf("%" PRIu64
               " k=%u %-12s build %6.2f s  %5.2f + %.2f of %.2f bytes  us a query %9.3f (quiet "
               "%.3f), any %9.3f, count %9.3f (quiet %.3f), together %9.3f  %.3f hits\n",
               n, k, b.info.design, b.build_seconds, (double)b.info.table_bytes / (double)n,
               (double)b.info.posting_bytes / (double)n, (double)b.info.bytes / (double)n,
               ids.seconds * each, ids.quiet * each, any.seconds * each, count.seconds * each,
               count.quiet * each, batch * each, (double)of_all.hits / (double)queries->count);
    }
    fflush(stdout);
    end(&b);
    free(warming.values);
}

/* ---- join */

/* nd_hamming_pair_fn */
static bool take_pair(void *context, const nd_hamming_pair *pair) {
    add(context, pair->number_a, pair->number_b);
    return true;
}

static void measure_join(const settings *s) {
    nd_error error;
    figures f = {0, 0};
    nd_job_summary summary = {.struct_size = sizeof summary};
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .path = s->fingerprints, .format = ND_FINGERPRINTS_U64};
    const nd_hamming_side side = {.source = &source};
    nd_resources resources;
    nd_hamming_join_options options;
    nd_resources_init(&resources, sizeof resources);
    nd_hamming_join_options_init(&options, sizeof options);
    options.k = s->join;
    options.resources = &resources;
    resources.threads = s->threads;
    resources.memory = UINT64_C(8) << 30;
    resources.work = s->directory;
    check(nd_hamming_join(&side, NULL, &options, take_pair, &f, &summary, &error), &error);
    if (s->json)
        printf("{\"name\": \"neardup\", \"count\": %" PRIu64
               ", \"join\": %u, \"threads\": %u, \"build_seconds\": 0, \"bytes\": %" PRIu64
               ", \"seconds\": %.6f, \"hits\": %" PRIu64 ", \"checksum\": \"%016" PRIx64 "\"}\n",
               summary.documents, s->join, s->threads, summary.peak_memory, summary.total_seconds,
               f.hits, f.checksum);
    else
        printf("%" PRIu64 " join k=%u, %u threads: %.3f s, %.1f bytes, %" PRIu64 " pairs\n",
               summary.documents, s->join, s->threads, summary.total_seconds,
               (double)summary.peak_memory / (double)summary.documents, f.hits);
}

/* ---- the command line */

static settings read_settings(int argc, char **argv) {
    const char *directory = getenv("TMPDIR");
    settings s = {.directory = directory ? directory : "/tmp", .sample = 1000, .threads = 1};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--json") == 0) {
            s.json = true;
            continue;
        }
        if (!value) stop("an option needs a value");
        i++;
        if (strcmp(name, "--fingerprints") == 0) s.fingerprints = value;
        else if (strcmp(name, "--queries") == 0) s.queries = value;
        else if (strcmp(name, "--dir") == 0) s.directory = value;
        else if (strcmp(name, "--k") == 0) s.radii = read_radii(value);
        else if (strcmp(name, "--sample") == 0) s.sample = strtoull(value, NULL, 10);
        else if (strcmp(name, "--threads") == 0) s.threads = (uint32_t)atoi(value);
        else if (strcmp(name, "--join") == 0) s.joins = true, s.join = (uint32_t)atoi(value);
        else
            stop("usage: hamming_bench --fingerprints FILE (--queries FILE --k K,... | --join K) "
                 "[--sample S] [--dir DIR] [--threads N] [--json]");
    }
    if (!s.fingerprints || (!s.joins && (!s.queries || s.radii.count == 0)))
        stop("--fingerprints, and --queries with --k or --join, are needed");
    return s;
}

int main(int argc, char **argv) {
    settings s = read_settings(argc, argv);
    if (s.joins) measure_join(&s);
    if (!s.queries) return 0;
    words all = read_words(s.fingerprints), queries = read_words(s.queries);
    for (size_t i = 0; i < s.radii.count; i++) measure(&s, &all, &queries, s.radii.values[i]);
    free(all.values);
    free(queries.values);
    return 0;
}
