/* index_bench INDEX-DIRECTORY: grows an index in batches, on one thread (--threads), and measures
 * queries at a tenth of the documents and at all of them.
 *
 * Documents are made of sentences of real text (of this machine, or --material FILE), 300 words
 * each on average. Every fifth document is an earlier one with three changed words, so that a fifth
 * of them are near-duplicates of documents anywhere before them. A seed decides everything:
 * document i is the same in every run. Half of the queries are such variants, half are new
 * documents. A batch is a file of JSON Lines beside the index; writing it is not timed. Prints one
 * JSON object. The directory must not exist. It is not removed, so that it can be examined (neardup
 * index info), or queried again: --existing takes an index of an earlier run with the same
 * --documents, adds nothing and measures queries alone.
 *
 * Queries come one by one (nd_index_search), and as a batch of 10 times as many (nd_index_query, on
 * one thread), which includes reading of JSON Lines. */
#define PROGRAM_NAME "index_bench"
#include "neardup.h"
#include "program.h"
#include "spliced.h"

#include <stdlib.h>
#include <string.h>

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

static void write_line(FILE *file, uint64_t number, const char *text, size_t length) {
    static char line[2 * SPLICED_ROOM];
    size_t size = (size_t)sprintf(line, "{\"id\": \"doc-%llu\", \"text\": \"",
                                  (unsigned long long)number);
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)text[k];
        if (c == '"' || c == '\\') line[size++] = '\\';
        line[size++] = (char)(c < ' ' ? ' ' : c);
    }
    memcpy(line + size, "\"}\n", 3);
    if (fwrite(line, 1, size + 3, file) != size + 3) stop("cannot write the batch");
}

/* Writes documents [begin, end) as JSON Lines. Returns the bytes of their texts. */
static uint64_t write_batch(const char *path, const material *m, uint64_t begin, uint64_t end) {
    static char text[SPLICED_ROOM];
    FILE *file = fopen(path, "w");
    if (!file) stop("cannot write the batch");
    uint64_t bytes = 0;
    for (uint64_t i = begin; i < end; i++) {
        size_t length = spliced_document(m, i, text);
        write_line(file, i, text, length);
        bytes += length;
    }
    if (fclose(file) != 0) stop("cannot write the batch");
    return bytes;
}

typedef struct queried {
    double microseconds, slowest_percent;
    double matched;
    uint64_t segments, bytes, documents, generation;
} queried;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Writes the text of query i: for odd numbers a new document, for even ones an added one. */
static size_t query_text(const material *m, uint64_t documents, uint64_t i, char *text) {
    /* A number behind all others. */
    uint64_t number = (documents + i) * SPLICED_VARIANT_EVERY * 2, state = i + 77;
    if (i % 2 == 0)
        number = random_next(&state) % documents / SPLICED_VARIANT_EVERY * SPLICED_VARIANT_EVERY;
    return spliced_original(m, number, text);
}

/* All queries run twice, and the second pass is timed, because memory is warm then. */
static queried query(const char *path, const material *m, uint64_t documents, uint64_t count) {
    static char text[SPLICED_ROOM];
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    nd_index_info info = {.struct_size = sizeof info};
    queried q = {0};
    double *took = sized(NULL, count, sizeof *took), all = 0;
    must(nd_index_open(path, ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    for (int pass = 0; pass < 2; pass++) {
        uint64_t matched = 0;
        all = 0;
        for (uint64_t i = 0; i < count; i++) {
            size_t length = query_text(m, documents, i, text);
            const nd_match *matches;
            size_t found;
            double start = now();
            must(nd_index_search(searcher, text, length, ND_SEARCH_ALL, &matches, &found, &error),
                 &error);
            took[i] = now() - start;
            all += took[i];
            matched += found > 0;
        }
        q.matched = (double)matched / (double)count;
    }
    qsort(took, count, sizeof *took, ascending);
    must(nd_index_describe(x, &info, &error), &error);
    q.microseconds = all / (double)count * 1e6;
    q.slowest_percent = took[count - 1 - count / 100] * 1e6;
    q.segments = info.segments;
    q.bytes = info.bytes;
    q.documents = info.documents;
    nd_index_searcher_free(searcher);
    nd_index_close(x);
    free(took);
    return q;
}

static void print_query(const char *name, const queried *q) {
    printf("\"%s\": {\"documents\": %llu, \"segments\": %llu, \"bytes_a_document\": %.1f, "
           "\"microseconds\": %.2f, \"slowest_percent\": %.2f, \"matched\": %.3f}, ",
           name, (unsigned long long)q->documents, (unsigned long long)q->segments,
           (double)q->bytes / (double)q->documents, q->microseconds, q->slowest_percent,
           q->matched);
    fflush(stdout);
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool count_matched(void *context, const nd_answer *answer) {
    *(uint64_t *)context += answer->count > 0;
    return true;
}

/* Prints the microseconds of a query of a batch, and the processor's, of each of some passes. The
 * first pass reads from a disk. */
static void query_batch(const char *path, const material *m, uint64_t documents, uint64_t count) {
    enum { PASSES = 6 };
    static char text[SPLICED_ROOM];
    nd_error error;
    nd_index *x;
    nd_input_options input;
    nd_index_query_options options;
    nd_resources resources;
    double took[PASSES], used[PASSES];
    uint64_t matched = 0;
    char batch[4096];
    const char *name = batch;
    snprintf(batch, sizeof batch, "%s.queries.jsonl", path);
    FILE *file = fopen(batch, "w");
    if (!file) stop("cannot write the queries");
    for (uint64_t i = 0; i < count; i++)
        write_line(file, i, text, query_text(m, documents, i, text));
    if (fclose(file) != 0) stop("cannot write the queries");
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    nd_index_query_options_init(&options, sizeof options);
    input.inputs = &name;
    input.input_count = 1;
    resources.threads = 1;
    options.input = &input;
    options.resources = &resources;
    must(nd_index_open(path, ND_INDEX_READ, NULL, &x, &error), &error);
    for (int pass = 0; pass < PASSES; pass++) {
        double start = now(), before = processor_seconds();
        matched = 0;
        must(nd_index_query(x, &options, count_matched, &matched, NULL, &error), &error);
        used[pass] = (processor_seconds() - before) / (double)count * 1e6;
        took[pass] = (now() - start) / (double)count * 1e6;
    }
    nd_index_close(x);
    remove(batch);
    printf("\"query_of_a_batch\": {\"queries\": %llu, \"matched\": %.3f, \"microseconds\": [",
           (unsigned long long)count, (double)matched / (double)count);
    for (int pass = 0; pass < PASSES; pass++) printf("%s%.2f", pass ? ", " : "", took[pass]);
    printf("], \"processor_microseconds\": [");
    for (int pass = 0; pass < PASSES; pass++) printf("%s%.2f", pass ? ", " : "", used[pass]);
    printf("]}, ");
    fflush(stdout);
}

static void measure_all(const char *path, const material *m, uint64_t documents, uint64_t queries) {
    queried q = query(path, m, documents, queries);
    print_query("all", &q);
    query_batch(path, m, documents, 10 * queries);
}

typedef struct growth {
    double seconds, slowest, processor_seconds;
    uint64_t bytes;
} growth;

static void add_batch(const char *path, const material *m, uint64_t begin, uint64_t end,
                      const nd_resources *resources, growth *g) {
    nd_error error;
    nd_input_options input;
    char batch[4096];
    const char *name = batch;
    snprintf(batch, sizeof batch, "%s.batch.jsonl", path);
    g->bytes += write_batch(batch, m, begin, end);
    nd_input_options_init(&input, sizeof input);
    input.inputs = &name;
    input.input_count = 1;
    const nd_index_use index = {.struct_size = sizeof index, .path = path};
    const nd_dedup_options options = {
        .struct_size = sizeof options, .input = &input, .index = &index, .resources = resources};
    double start = now(), before = processor_seconds();
    must(nd_dedup(&options, NULL, &error), &error);
    double took = now() - start;
    g->processor_seconds += processor_seconds() - before;
    g->seconds += took;
    if (took > g->slowest) g->slowest = took;
    fprintf(stderr, "%llu documents: %.0f a second\n", (unsigned long long)end,
            (double)(end - begin) / took);
    remove(batch);
}

/* Grows the index, and prints queries at a tenth of the documents. */
static growth grow(const char *path, const material *m, uint64_t documents, uint64_t batch,
                   uint64_t queries, const nd_resources *resources) {
    growth g = {0};
    bool tenth = false;
    for (uint64_t begin = 0; begin < documents; begin += batch) {
        uint64_t end = begin + batch < documents ? begin + batch : documents;
        add_batch(path, m, begin, end, resources, &g);
        if (tenth || end < documents / 10) continue;
        tenth = true;
        queried q = query(path, m, end, queries);
        print_query("tenth", &q);
    }
    return g;
}

static const char usage[] =
    "usage: index_bench [--documents N] [--batch N] [--queries N] [--material FILE] "
    "[--memory MIB] [--threads N] [--sketch-only] [--existing] INDEX-DIRECTORY";

int main(int count, char **arguments) {
    uint64_t documents = 10000000, batch = 1000000, queries = 20000;
    const char *path = NULL, *file = NULL;
    bool sketch_only = false, existing = false;
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.threads = 1;
    resources.memory = UINT64_C(2048) << 20;
    for (int i = 1; i < count; i++) {
        const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        if (strcmp(a, "--documents") == 0) documents = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--batch") == 0) batch = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--queries") == 0) queries = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--material") == 0) file = value, i++;
        else if (strcmp(a, "--memory") == 0)
            resources.memory = strtoull(value, NULL, 10) << 20, i++;
        else if (strcmp(a, "--threads") == 0)
            resources.threads = (uint32_t)strtoul(value, NULL, 10), i++;
        else if (strcmp(a, "--sketch-only") == 0) sketch_only = true;
        else if (strcmp(a, "--existing") == 0) existing = true;
        else if (a[0] != '-') path = a;
        else stop(usage);
    }
    if (!path) stop(usage);
    /* To collect 64 MB of material takes seconds, and few documents need less. */
    material m = {.limit = documents > 20000 ? 64 << 20 : 8 << 20};
    if (!(file ? material_add_file(&m, file) : material_add_machine(&m)) || m.count < 1000)
        stop("too little material");
    printf("{");
    if (existing) {
        measure_all(path, &m, documents, queries);
        printf("\"documents\": %llu}\n", (unsigned long long)documents);
        material_free(&m);
        return 0;
    }
    nd_error error;
    nd_index_options options;
    nd_index_options_init(&options, sizeof options);
    options.sketch_only = sketch_only;
    must(nd_index_create(path, &options, &error), &error);
    growth g = grow(path, &m, documents, batch, queries, &resources);
    measure_all(path, &m, documents, queries);
    printf("\"documents\": %llu, \"batch\": %llu, \"text_mb\": %.1f, \"seconds\": %.2f, "
           "\"processor_seconds\": %.2f, \"slowest_batch\": %.2f, \"documents_a_second\": %.0f",
           (unsigned long long)documents, (unsigned long long)batch, (double)g.bytes / 1e6,
           g.seconds, g.processor_seconds, g.slowest, (double)documents / g.seconds);
    nd_index *x;
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    double start = now();
    must(nd_index_compact(x, &error), &error);
    printf(", \"seconds_of_compaction\": %.2f, ", now() - start);
    nd_index_close(x);
    queried q = query(path, &m, documents, queries);
    print_query("compacted", &q);
    printf("\"sketch_only\": %s}\n", sketch_only ? "true" : "false");
    material_free(&m);
    return 0;
}
