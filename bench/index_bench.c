/* index_bench INDEX-DIRECTORY: grows an index in batches, on one thread, and measures queries at a
 * tenth of the documents and at all of them.
 *
 * Documents are made of sentences of real text (of this machine, or --material FILE), 300 words
 * each on average. Every fifth document is an earlier one with three changed words, so that a fifth
 * of them are near-duplicates of documents anywhere before them. A seed decides everything:
 * document i is the same in every run. Half of the queries are such variants, half are new
 * documents. A batch is a file of JSON Lines beside the index; writing it is not timed. Prints one
 * JSON object. The directory must not exist. It is not removed, so that it can be examined (neardup
 * index info). */
#define PROGRAM_NAME "index_bench"
#include "neardup.h"
#include "program.h"
#include "spliced.h"

#include <stdlib.h>
#include <string.h>

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

/* Writes documents [begin, end) as JSON Lines. Returns the bytes of their texts. */
static uint64_t write_batch(const char *path, const material *m, uint64_t begin, uint64_t end) {
    static char text[SPLICED_ROOM], line[2 * SPLICED_ROOM];
    FILE *file = fopen(path, "w");
    if (!file) stop("cannot write the batch");
    uint64_t bytes = 0;
    for (uint64_t i = begin; i < end; i++) {
        size_t length = spliced_document(m, i, text),
               size = (size_t)sprintf(line, "{\"id\": \"doc-%llu\", \"text\": \"",
                                      (unsigned long long)i);
        for (size_t k = 0; k < length; k++) {
            unsigned char c = (unsigned char)text[k];
            if (c == '"' || c == '\\') line[size++] = '\\';
            line[size++] = (char)(c < ' ' ? ' ' : c);
        }
        memcpy(line + size, "\"}\n", 3);
        if (fwrite(line, 1, size + 3, file) != size + 3) stop("cannot write the batch");
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

/* Half of the queries are variants of added documents, half are new. All queries run twice, and the
 * second pass is timed, because memory is warm then. */
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
            /* A number behind all others: its variants are variants of earlier documents. */
            uint64_t number = (documents + i) * SPLICED_VARIANT_EVERY * 2;
            uint64_t state = i + 77;
            size_t length = i % 2 ? spliced_original(m, number, text)
                                  : spliced_original(m,
                                                     random_next(&state) % documents /
                                                         SPLICED_VARIANT_EVERY *
                                                         SPLICED_VARIANT_EVERY,
                                                     text);
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

typedef struct growth {
    double seconds, slowest;
    uint64_t bytes;
} growth;

static void add_batch(const char *path, const material *m, uint64_t begin, uint64_t end,
                      const char *memory, growth *g) {
    nd_error error;
    nd_input_options input;
    nd_resources resources;
    char batch[4096];
    const char *name = batch;
    snprintf(batch, sizeof batch, "%s.batch.jsonl", path);
    g->bytes += write_batch(batch, m, begin, end);
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    input.inputs = &name;
    input.input_count = 1;
    resources.threads = 1;
    resources.memory = strtoull(memory, NULL, 10) << 20;
    const nd_index_use index = {.struct_size = sizeof index, .path = path};
    const nd_dedup_options options = {
        .struct_size = sizeof options, .input = &input, .index = &index, .resources = &resources};
    double start = now();
    must(nd_dedup(&options, NULL, &error), &error);
    double took = now() - start;
    g->seconds += took;
    if (took > g->slowest) g->slowest = took;
    remove(batch);
}

int main(int count, char **arguments) {
    uint64_t documents = 10000000, batch = 1000000, queries = 20000;
    const char *path = NULL, *file = NULL, *memory = "2048";
    bool sketch_only = false;
    for (int i = 1; i < count; i++) {
        const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        if (strcmp(a, "--documents") == 0) documents = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--batch") == 0) batch = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--queries") == 0) queries = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--material") == 0) file = value, i++;
        else if (strcmp(a, "--memory") == 0) memory = value, i++;
        else if (strcmp(a, "--sketch-only") == 0) sketch_only = true;
        else path = a;
    }
    if (!path)
        stop("usage: index_bench [--documents N] [--batch N] [--queries N] [--material FILE] "
             "[--memory MIB] [--sketch-only] INDEX-DIRECTORY");
    material m = {.limit = 64 << 20};
    if (!(file ? material_add_file(&m, file) : material_add_machine(&m)) || m.count < 1000)
        stop("too little material");
    nd_error error;
    nd_index_options options;
    nd_index_options_init(&options, sizeof options);
    options.sketch_only = sketch_only;
    must(nd_index_create(path, &options, &error), &error);
    growth g = {0};
    bool tenth = false;
    printf("{");
    for (uint64_t begin = 0; begin < documents; begin += batch) {
        uint64_t end = begin + batch < documents ? begin + batch : documents;
        add_batch(path, &m, begin, end, memory, &g);
        if (tenth || end < documents / 10) continue;
        tenth = true;
        queried q = query(path, &m, end, queries);
        print_query("tenth", &q);
    }
    queried q = query(path, &m, documents, queries);
    print_query("all", &q);
    printf("\"documents\": %llu, \"batch\": %llu, \"text_mb\": %.1f, \"seconds\": %.2f, "
           "\"slowest_batch\": %.2f, \"documents_a_second\": %.0f",
           (unsigned long long)documents, (unsigned long long)batch, (double)g.bytes / 1e6,
           g.seconds, g.slowest, (double)documents / g.seconds);
    nd_index *x;
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    double start = now();
    must(nd_index_compact(x, &error), &error);
    printf(", \"seconds_of_compaction\": %.2f, ", now() - start);
    nd_index_close(x);
    q = query(path, &m, documents, queries);
    print_query("compacted", &q);
    printf("\"sketch_only\": %s}\n", sketch_only ? "true" : "false");
    material_free(&m);
    return 0;
}
