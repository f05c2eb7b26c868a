/* calls_bench TEXTS.jsonl [--threads N] [--rounds N]: seconds of calls of the library, from texts
 * in memory, as bench/python_calls measures them in the Python package. Prints one JSON object with
 * the least of several rounds. Times of single calls are nanoseconds. */
#define PROGRAM_NAME "calls_bench"
#include "neardup.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

enum { SINGLE_CALLS = 20000, QUERIES = 20000 };

typedef struct text {
    char *bytes;
    size_t length;
} text;

static text *texts;
static size_t text_count, text_capacity;

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

/* nd_text_fn: keeps a copy. */
static bool keep_text(void *context, const nd_text *given) {
    (void)context;
    if (text_count == text_capacity) {
        text_capacity = 2 * text_capacity + 1024;
        texts = realloc(texts, text_capacity * sizeof *texts);
        if (!texts) stop("no memory");
    }
    char *copy = malloc(given->length + 1);
    if (!copy) stop("no memory");
    memcpy(copy, given->text, given->length);
    texts[text_count++] = (text){copy, given->length};
    return true;
}

typedef struct feed {
    size_t next, count;
} feed;

/* nd_record_fn */
static int give(void *context, nd_record *out) {
    feed *f = context;
    if (f->next == f->count) return 0;
    out->text = texts[f->next].bytes;
    out->length = texts[f->next++].length;
    return 1;
}

static bool take_signature(void *context, const nd_signed *document) {
    *(uint64_t *)context += document->signature[0];
    return true;
}

static bool take_fingerprint(void *context, const nd_fingerprinted *document) {
    *(uint64_t *)context += document->fingerprint.low;
    return true;
}

static bool take_answer(void *context, const nd_answer *answer) {
    *(uint64_t *)context += answer->count;
    return true;
}

static bool take_decision(void *context, const nd_decision *decision) {
    *(uint64_t *)context += decision->kept;
    return true;
}

typedef struct means {
    nd_input_options input;
    nd_resources resources;
    feed feed;
    uint64_t sum; /* of results, so that they are made */
    nd_index *index;
    nd_error error;
} means;

static void restart(means *m, size_t count) {
    m->feed = (feed){0, count};
    m->input.records = give;
    m->input.records_context = &m->feed;
}

static void dedup(means *m) {
    const nd_output_options outputs = {
        .struct_size = sizeof outputs, .on_decision = take_decision, .context = &m->sum};
    const nd_dedup_options options = {.struct_size = sizeof options,
                                      .input = &m->input,
                                      .outputs = &outputs,
                                      .resources = &m->resources};
    must(nd_dedup(&options, NULL, &m->error), &m->error);
}

static void sign(means *m) {
    nd_signatures_options options;
    nd_signatures_options_init(&options, sizeof options);
    options.input = &m->input;
    options.resources = &m->resources;
    must(nd_signatures(&options, take_signature, &m->sum, NULL, &m->error), &m->error);
}

static void fingerprint(means *m) {
    static const nd_analyzer_options words = {
        .struct_size = sizeof words, .kind = ND_WORDS, .ngram = 1, .seed = 1};
    const nd_fingerprints_options options = {.struct_size = sizeof options,
                                             .input = &m->input,
                                             .analyzer = &words,
                                             .resources = &m->resources};
    must(nd_fingerprints(&options, take_fingerprint, &m->sum, NULL, &m->error), &m->error);
}

static void query(means *m) {
    nd_index_query_options options;
    nd_index_query_options_init(&options, sizeof options);
    options.input = &m->input;
    options.resources = &m->resources;
    must(nd_index_query(m->index, &options, take_answer, &m->sum, NULL, &m->error), &m->error);
}

/* The least seconds of a job over the first `count` texts. */
static double least(means *m, void (*job)(means *), size_t count, unsigned rounds) {
    double best = 1e30;
    for (unsigned r = 0; r < rounds; r++) {
        restart(m, count);
        double begin = now();
        job(m);
        double seconds = now() - begin;
        if (seconds < best) best = seconds;
    }
    return best;
}

static void make_index(means *m) {
    const nd_index_use use = {.struct_size = sizeof use, .index = m->index};
    const nd_dedup_options options = {.struct_size = sizeof options,
                                      .input = &m->input,
                                      .index = &use,
                                      .resources = &m->resources};
    must(nd_dedup(&options, NULL, &m->error), &m->error);
}

/* Nanoseconds of the Jaccard similarity of two texts of the length of a tweet. */
static double jaccard_of_tweets(means *m) {
    static const char a[] = "Storm warning for the whole coast tonight: ferries stop at nine, "
                            "schools stay closed tomorrow, please do not drive unless you must!",
                      b[] = "Storm warning for the whole coast tonight: ferries stop at ten, "
                            "schools stay closed tomorrow, please do not drive unless you must";
    nd_analyzer *analyzer;
    nd_overlap overlap;
    double sum = 0, best = 1e30;
    must(nd_analyzer_create(NULL, NULL, &analyzer, &m->error), &m->error);
    for (int round = 0; round < 5; round++) {
        double begin = now();
        for (int i = 0; i < SINGLE_CALLS; i++) {
            must(nd_compare_texts(analyzer, a, sizeof a - 1, b, sizeof b - 1, &overlap, &m->error),
                 &m->error);
            sum += nd_jaccard(overlap);
        }
        double seconds = now() - begin;
        if (seconds < best) best = seconds;
    }
    m->sum += (uint64_t)sum;
    nd_analyzer_free(analyzer);
    return best / SINGLE_CALLS * 1e9;
}

/* Nanoseconds of a search of the index for one text of it. */
static double single_search(means *m) {
    nd_index_searcher *searcher;
    const nd_match *matches;
    size_t count, calls = text_count < SINGLE_CALLS ? text_count : SINGLE_CALLS;
    double best = 1e30;
    must(nd_index_searcher_create(m->index, &searcher, &m->error), &m->error);
    for (int round = 0; round < 5; round++) {
        double begin = now();
        for (size_t i = 0; i < calls; i++) {
            must(nd_index_search(searcher, texts[i].bytes, texts[i].length, ND_SEARCH_ALL, &matches,
                                 &count, &m->error),
                 &m->error);
            m->sum += count;
        }
        double seconds = now() - begin;
        if (seconds < best) best = seconds;
    }
    nd_index_searcher_free(searcher);
    return best / (double)calls * 1e9;
}

int main(int argc, char **argv) {
    means m = {0};
    unsigned rounds = 3;
    const char *path = NULL;
    nd_input_options file;
    nd_input_options_init(&m.input, sizeof m.input);
    nd_input_options_init(&file, sizeof file);
    nd_resources_init(&m.resources, sizeof m.resources);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            m.resources.threads = (uint32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = (unsigned)atoi(argv[++i]);
        else path = argv[i];
    }
    if (!path) stop("usage: calls_bench TEXTS.jsonl [--threads N] [--rounds N]");
    file.inputs = &path;
    file.input_count = 1;
    must(nd_texts(&file, keep_text, NULL, &m.resources, NULL, &m.error), &m.error);
    must(nd_index_create_in_memory(NULL, NULL, &m.index, &m.error), &m.error);
    restart(&m, text_count);
    make_index(&m);
    size_t queries = text_count < QUERIES ? text_count : QUERIES;
    printf("{\"texts\": %zu, \"queries\": %zu, \"dedup\": %.4f, \"signatures\": %.4f, "
           "\"fingerprints\": %.4f, \"query\": %.4f, \"jaccard_ns\": %.1f, \"search_ns\": %.1f, "
           "\"sum\": %llu}\n",
           text_count, queries, least(&m, dedup, text_count, rounds),
           least(&m, sign, text_count, rounds), least(&m, fingerprint, text_count, rounds),
           least(&m, query, queries, rounds), jaccard_of_tweets(&m), single_search(&m),
           (unsigned long long)m.sum);
    nd_index_close(m.index);
    for (size_t i = 0; i < text_count; i++) free(texts[i].bytes);
    free(texts);
}
