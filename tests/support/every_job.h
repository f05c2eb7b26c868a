/* Every job of the library and every call of an index, each on an input of a few documents, with
 * the memory, threads and allocator that a test gives. Run in a directory of its own
 * (own_directory.h). */
#ifndef ND_TESTS_EVERY_JOB_H
#define ND_TESTS_EVERY_JOB_H

#include "own_directory.h"
#include "small_corpus.h"

#include "base/status.h"
#include "neardup.h"

#include <sys/stat.h>

enum { EVERY_JOB_DOCUMENTS = 200, EVERY_JOB_PRINTS = 300 };

/* What is given to all of them. */
typedef struct job_means {
    uint64_t memory;
    uint32_t threads;
    const nd_allocator *allocator;
    corpus *texts;
    nd_job_options job;
    nd_error error;
} job_means;

static inline nd_job_options *fresh_job(job_means *m) {
    nd_job_options_init(&m->job);
    m->texts->next = 0;
    m->job.records = give;
    m->job.records_context = m->texts;
    m->job.memory = m->memory;
    m->job.threads = m->threads;
    m->job.allocator = m->allocator;
    return &m->job;
}

/* ---- what is told is passed over */

static inline bool pass_decision(void *context, const nd_decision *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_pair(void *context, const nd_pair *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_text(void *context, const nd_text *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_print(void *context, const nd_fingerprinted *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_keywords(void *context, const nd_keyworded *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_passage(void *context, const nd_found_passage *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_answer(void *context, const nd_answer *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_near(void *context, const nd_hamming_answer *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_join(void *context, const nd_join_pair *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_arrival(void *context, const nd_stream_answer *told) {
    return (void)context, (void)told, true;
}
static inline bool pass_cluster(void *context, const nd_stream_cluster *told) {
    return (void)context, (void)told, true;
}

/* ---- deduplication */

static inline nd_status dedup_greedy(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->keep = ND_KEEP_MAX;
    o->on_decision = pass_decision;
    o->on_pair = pass_pair;
    return nd_dedup(o, NULL, &m->error);
}

static inline nd_status dedup_component(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->group = ND_GROUP_COMPONENT;
    o->keep = ND_KEEP_LONGEST;
    o->removed = "removed";
    o->clusters = "clusters";
    o->edges = "edges";
    return nd_dedup(o, NULL, &m->error);
}

static inline nd_status dedup_near(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->sketch = ND_SKETCH_SIMHASH;
    o->ngram = 1;
    o->verify = ND_VERIFY_COSINE;
    o->records = NULL;
    o->inputs = (const char *const[]){"texts.jsonl"};
    o->input_count = 1;
    o->output = "output.gz";
    return nd_dedup(o, NULL, &m->error);
}

/* What the one before it has written. */
static inline nd_status recompress(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->records = NULL;
    o->inputs = (const char *const[]){"output.gz"};
    o->input_count = 1;
    o->output = "output.zst";
    ND_TRY(nd_dedup(o, NULL, &m->error));
    o->inputs = (const char *const[]){"output.zst"};
    o->output = NULL;
    return nd_texts(o, pass_text, NULL, NULL, &m->error);
}

static inline nd_status dedup_sentences(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->sketch = ND_SKETCH_SENTENCES;
    o->verify = ND_VERIFY_NONE;
    o->inputs = (const char *const[]){"tree"};
    o->input_count = 1;
    o->records = NULL;
    o->output = "kept";
    remove_directory("kept");
    return nd_dedup(o, NULL, &m->error);
}

static inline nd_status dedup_index(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->index = "index";
    o->replace = true;
    o->output = NULL;
    return nd_dedup(o, NULL, &m->error);
}

static inline nd_status find_pairs(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->edges = "edges";
    return nd_pairs(o, NULL, &m->error);
}

/* ---- passes */

static inline nd_status tell_texts(job_means *m) {
    return nd_texts(fresh_job(m), pass_text, NULL, NULL, &m->error);
}
static inline nd_status make_prints(job_means *m) {
    return nd_fingerprints(fresh_job(m), NULL, pass_print, NULL, NULL, &m->error);
}

/* nd_record_fn; `context` says how many are left. */
static inline int give_chinese(void *context, nd_record *out) {
    static const char text[] = "\xe6\xb7\xb1\xe5\x9c\xb3\xe5\xb8\x82\xe7\x9a\x84\xe5\xa4\xa9\xe6"
                               "\xb0\x94 \xe6\xb7\xb1\xe5\x9c\xb3 and some words";
    unsigned *left = context;
    *out = (nd_record){.text = text, .length = sizeof text - 1};
    return *left > 0 && (*left)--;
}

static inline nd_status segment_words(job_means *m) {
    unsigned left = 10;
    nd_dictionary *dictionary = NULL;
    nd_job_options *o = fresh_job(m);
    o->analyzer = ND_SEGMENT;
    o->records = give_chinese;
    o->records_context = &left;
    if (strstr(nd_features(), "icu"))
        ND_TRY(nd_fingerprints(o, NULL, pass_print, NULL, NULL, &m->error));
    left = 10;
    ND_TRY(nd_dictionary_read("dictionary", m->allocator, &dictionary, &m->error));
    o->dictionary = dictionary;
    nd_status status = nd_fingerprints(o, NULL, pass_print, NULL, NULL, &m->error);
    nd_dictionary_free(dictionary);
    return status;
}

static inline nd_status stem_words(job_means *m) {
    const nd_keywords_options keywords = {.top = 10, .weighting = ND_WEIGHTING_TF};
    nd_job_options *o = fresh_job(m);
    o->stem = "english";
    return nd_keywords(o, &keywords, pass_keywords, NULL, NULL, &m->error);
}

static inline nd_status count_words(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->output = "output.idf";
    return nd_idf(o, NULL, NULL, &m->error);
}

static inline nd_status find_keywords(job_means *m) {
    nd_job_options *o = fresh_job(m);
    o->records = NULL;
    o->inputs = (const char *const[]){"texts.jsonl"};
    o->input_count = 1;
    return nd_keywords(o, NULL, pass_keywords, NULL, NULL, &m->error);
}

static inline nd_status find_passages(job_means *m, const char *source) {
    const nd_passages_options passages = {
        .source = source, .least_run = 6, .gap = 2, .texts = true};
    return nd_passages(fresh_job(m), &passages, pass_passage, NULL, NULL, &m->error);
}

static inline nd_status find_passages_of_texts(job_means *m) {
    return find_passages(m, "texts.jsonl");
}
static inline nd_status find_passages_of_index(job_means *m) { return find_passages(m, "index"); }

/* ---- indexes */

static inline nd_status use_index(job_means *m) {
    nd_index *index = NULL;
    nd_searcher *searcher = NULL;
    const nd_match *matches;
    size_t count;
    bool added, found;
    nd_status status = nd_index_open("index", ND_INDEX_WRITE, m->allocator, &index, &m->error);
    if (status == ND_OK) status = nd_searcher_create(index, &searcher, &m->error);
    for (size_t i = 0; status == ND_OK && i < m->texts->count; i++) {
        const char *text = m->texts->text[i], *id = m->texts->id[i];
        if (status == ND_OK)
            status = nd_search(searcher, text, strlen(text), ND_SEARCH_ALL, &matches, &count,
                               &m->error);
        nd_index_set_sync(index, i % 32 ? ND_SYNC_OFF : ND_SYNC_EACH);
        if (status == ND_OK)
            status = nd_index_add(index, searcher, id, strlen(id), text, strlen(text), true, &added,
                                  NULL, &m->error);
    }
    if (status == ND_OK) status = nd_index_remove(index, "d1", 2, &found, &m->error);
    if (status == ND_OK)
        status = nd_query(index, fresh_job(m), ND_SEARCH_BEST, pass_answer, NULL, NULL, &m->error);
    if (status == ND_OK) status = nd_index_compact(index, &m->error);
    if (status == ND_OK) status = nd_index_check(index, &m->error);
    nd_searcher_free(searcher);
    nd_index_close(index);
    return status;
}

/* nd_fingerprint_source_fn; `context` counts. */
static inline int give_print(void *context, nd_fingerprinted *out) {
    unsigned *next = context;
    static char id[24];
    if (*next == EVERY_JOB_PRINTS) return 0;
    uint64_t seed = *next % 3;
    *out = (nd_fingerprinted){.id = id,
                              .id_length = (size_t)snprintf(id, sizeof id, "p%u", *next),
                              .fingerprint = {random_next(&seed) ^ UINT64_C(1) << *next % 64, 0}};
    ++*next;
    return 1;
}

static inline nd_status use_prints(job_means *m) {
    unsigned next = 0;
    nd_fingerprint_source source = {.next = give_print, .context = &next};
    nd_hamming_options options = {.bits = 64, .k = 3, .memory = m->memory};
    nd_index *index = NULL;
    nd_finder *finder = NULL;
    const nd_hamming_match *matches;
    uint64_t count;
    remove_directory("prints");
    nd_status status = nd_hamming_build("prints", &options, &source, fresh_job(m), NULL, &m->error);
    if (status == ND_OK)
        status = nd_index_open("prints", ND_INDEX_WRITE, m->allocator, &index, &m->error);
    next = 0;
    fresh_job(m)->replace = true;
    if (status == ND_OK) status = nd_hamming_load(index, &source, &m->job, NULL, &m->error);
    if (status == ND_OK)
        status = nd_hamming_add(index, "x", 1, (nd_fingerprint){1, 0}, false, &m->error);
    if (status == ND_OK) status = nd_finder_create(index, &finder, &m->error);
    if (status == ND_OK)
        status = nd_find(finder, (nd_fingerprint){1, 0}, 3, ND_FIND_NEAREST, 5, &matches, &count,
                         &m->error);
    next = 0;
    if (status == ND_OK)
        status = nd_hamming_query(index, &source, 3, ND_FIND_ALL, 0, fresh_job(m), pass_near, NULL,
                                  NULL, &m->error);
    if (status == ND_OK) status = nd_index_compact(index, &m->error);
    nd_finder_free(finder);
    nd_index_close(index);
    return status;
}

static inline nd_status join(job_means *m, bool groups) {
    unsigned next = 0;
    nd_fingerprint_source source = {.next = give_print, .context = &next};
    nd_hamming_side side = {.source = &source};
    nd_join_options options;
    nd_join_options_init(&options);
    options.groups = groups;
    options.memory = m->memory;
    options.threads = m->threads;
    options.allocator = m->allocator;
    return nd_join(&side, NULL, &options, pass_join, NULL, NULL, &m->error);
}

static inline nd_status join_pairs(job_means *m) { return join(m, false); }
static inline nd_status join_groups(job_means *m) { return join(m, true); }
static inline nd_status calibrate(job_means *m) {
    nd_hamming_costs costs;
    return nd_hamming_calibrate(".", 1, m->allocator, &costs, &m->error);
}

static inline nd_status plan_hamming(job_means *m) {
    nd_hamming_estimate designs[ND_HAMMING_ESTIMATES];
    size_t count;
    return nd_hamming_plan(1e9, 128, 12, (double)m->memory, NULL, designs, &count, &m->error);
}

/* ---- streams */

static inline void remove_stream(void) {
    remove_directory("stream/index");
    remove_directory("stream");
}

static inline nd_status use_stream(job_means *m, nd_sketch sketch) {
    nd_stream *stream = NULL;
    nd_stream_options options;
    nd_stream_options_init(&options);
    options.sketch = sketch;
    if (sketch == ND_SKETCH_SIMHASH) options.mode = ND_STREAM_FOLLOW;
    remove_stream();
    nd_status status = nd_stream_open("stream", ND_INDEX_WRITE, &options, m->allocator, &stream,
                                      &m->error);
    if (status == ND_OK) nd_stream_set_topics(stream, ND_STREAM_TOPICS);
    if (status == ND_OK)
        status = nd_stream_run(stream, fresh_job(m), pass_arrival, NULL, NULL, &m->error);
    if (status == ND_OK)
        status = nd_stream_add(stream, "x", 1, "a text that is new", 18, NAN, NULL, &m->error);
    if (status == ND_OK)
        status = nd_stream_clusters(stream, 1, ND_STREAM_TOPICS, true, pass_cluster, NULL,
                                    &m->error);
    nd_stream_close(stream);
    stream = NULL;
    if (status == ND_OK)
        status = nd_stream_open("stream", ND_INDEX_WRITE, NULL, m->allocator, &stream, &m->error);
    nd_stream_close(stream);
    return status;
}

static inline nd_status stream_leaders(job_means *m) { return use_stream(m, ND_SKETCH_MINHASH); }
static inline nd_status stream_centres(job_means *m) { return use_stream(m, ND_SKETCH_SIMHASH); }

/* ---- two texts */

static inline nd_status compare_two(job_means *m) {
    nd_comparison *comparison = NULL;
    const char *a = m->texts->text[0], *b = m->texts->text[1];
    nd_status status = nd_compare(NULL, a, strlen(a), b, strlen(b), m->allocator, &comparison,
                                  &m->error);
    nd_comparison_free(comparison);
    return status;
}

static inline nd_status sign_matrix(job_means *m) {
    static uint32_t places[65536], signature;
    static uint8_t matrix[65536];
    nd_permutations_draw(65536, 1, 1, places);
    return nd_permutations_sign(matrix, 65536, 1, places, 1, &signature, &m->error);
}

/* ---- all of them */

typedef struct every_job {
    const char *name;
    nd_status (*run)(job_means *m);
    const char *feature; /* that the build must have */
} every_job;

static const every_job every_jobs[] = {
    {"greedy", dedup_greedy, ""},
    {"component", dedup_component, ""},
    {"simhash", dedup_near, "simdjson"},
    {"compression", recompress, "zstd"},
    {"sentences", dedup_sentences, ""},
    {"index add", dedup_index, ""},
    {"pairs", find_pairs, ""},
    {"texts", tell_texts, ""},
    {"fingerprints", make_prints, ""},
    {"idf", count_words, ""},
    {"keywords", find_keywords, "simdjson"},
    {"segments", segment_words, ""},
    {"stems", stem_words, "libstemmer"},
    {"passages of texts", find_passages_of_texts, "simdjson"},
    {"passages of an index", find_passages_of_index, ""},
    {"index", use_index, ""},
    {"hamming", use_prints, ""},
    {"join", join_pairs, ""},
    {"groups", join_groups, ""},
    {"calibrate", calibrate, ""},
    {"plan", plan_hamming, ""},
    {"stream of leaders", stream_leaders, ""},
    {"stream of centres", stream_centres, ""},
    {"compare", compare_two, ""},
    {"permutations", sign_matrix, ""},
};
enum { EVERY_JOBS = sizeof every_jobs / sizeof *every_jobs };

static inline bool can_run(const every_job *job) {
    return strstr(nd_features(), job->feature) != NULL;
}

/* The files that they read. */
static inline void make_job_files(corpus *c) {
    make_corpus(c, 7, EVERY_JOB_DOCUMENTS);
    assert_int_equal(mkdir("tree", 0777), 0);
    FILE *lines = fopen("texts.jsonl", "w");
    assert_non_null(lines);
    for (size_t d = 0; d < c->count; d++) {
        char name[40];
        fprintf(lines, "{\"id\": \"%s\", \"text\": \"%s\"}\n", c->id[d], c->text[d]);
        snprintf(name, sizeof name, "tree/%zu", d);
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        fputs(c->text[d], file);
        assert_int_equal(fclose(file), 0);
    }
    assert_int_equal(fclose(lines), 0);
    FILE *dictionary = fopen("dictionary", "w");
    assert_non_null(dictionary);
    fputs("\xe6\xb7\xb1\xe5\x9c\xb3 10\n", dictionary);
    assert_int_equal(fclose(dictionary), 0);
    assert_int_equal(nd_index_create("index", NULL, NULL), ND_OK);
}

static inline void remove_job_files(corpus *c) {
    const char *const files[] = {"texts.jsonl", "dictionary", "output.gz", "output.zst",
                                 "output.idf",  "removed",    "clusters",  "edges"},
                      *const directories[] = {"tree", "kept", "index", "prints"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(files[i]);
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        remove_directory(directories[i]);
    remove_stream();
    free_corpus(c);
}

#endif
