/* Every job of the library and every call of an index, each on an input of a few documents, with
 * the memory, threads and allocator that a test gives. Run in a directory of its own
 * (own_directory.h). */
#ifndef ND_TESTS_EVERY_JOB_H
#define ND_TESTS_EVERY_JOB_H

#include "job_parts.h"
#include "own_directory.h"
#include "small_corpus.h"

#include "base/status.h"
#include "neardup.h"

#include <sys/stat.h>

enum { EVERY_JOB_DOCUMENTS = 200, EVERY_JOB_PRINTS = 300 };

/* The resources that all jobs get. */
typedef struct job_means {
    uint64_t memory;
    uint32_t threads;
    const nd_allocator *allocator;
    corpus *texts;
    job_parts job;
    nd_error error;
} job_means;

static inline job_parts *fresh_job(job_means *m) {
    job_parts_init(&m->job);
    m->texts->next = 0;
    m->job.input.records = give;
    m->job.input.records_context = m->texts;
    m->job.resources.memory = m->memory;
    m->job.resources.threads = m->threads;
    m->job.resources.allocator = m->allocator;
    return &m->job;
}

/* Reads files instead of the callback. */
static inline void read_input(job_parts *o, const char *const *input) {
    o->input.records = NULL;
    o->input.inputs = input;
    o->input.input_count = 1;
}

/* ---- callbacks that ignore everything */

static inline bool pass_decision(void *context, const nd_decision *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_losses(void *context, const nd_losses *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_example(void *context, const nd_example *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_pair(void *context, const nd_pair *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_missed(void *context, const nd_missed_pair *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_text(void *context, const nd_text *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_print(void *context, const nd_fingerprinted *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_signed(void *context, const nd_signed *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_digest(void *context, const nd_digested *document) {
    return (void)context, (void)document, true;
}
static inline bool pass_keywords(void *context, const nd_keyworded *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_passage(void *context, const nd_found_passage *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_answer(void *context, const nd_answer *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_near(void *context, const nd_hamming_answer *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_join(void *context, const nd_hamming_pair *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_arrival(void *context, const nd_stream_answer *ignored) {
    return (void)context, (void)ignored, true;
}
static inline bool pass_cluster(void *context, const nd_stream_cluster *ignored) {
    return (void)context, (void)ignored, true;
}

/* ---- deduplication */

static inline nd_status dedup_greedy(job_means *m) {
    job_parts *o = fresh_job(m);
    o->survivors.keep = ND_KEEP_MAX;
    o->outputs.on_decision = pass_decision;
    o->outputs.on_pair = pass_pair;
    o->outputs.on_losses = pass_losses;
    o->outputs.on_example = pass_example;
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

static inline nd_status dedup_component(job_means *m) {
    job_parts *o = fresh_job(m);
    o->survivors.group = ND_GROUP_COMPONENT;
    o->survivors.keep = ND_KEEP_LONGEST;
    o->outputs.removed = "removed";
    o->outputs.clusters = "clusters";
    o->outputs.edges = "edges";
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

static inline nd_status dedup_near(job_means *m) {
    job_parts *o = fresh_job(m);
    o->similarity.sketch = ND_SKETCH_SIMHASH;
    o->analyzer.ngram = 1;
    o->similarity.verify = ND_VERIFY_COSINE;
    read_input(o, (const char *const[]){"texts.jsonl"});
    o->outputs.kept = "output.gz";
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

/* Reads the output of the job before it. */
static inline nd_status recompress(job_means *m) {
    job_parts *o = fresh_job(m);
    read_input(o, (const char *const[]){"output.gz"});
    o->outputs.kept = "output.zst";
    ND_TRY(nd_dedup(dedup_of(o), NULL, &m->error));
    read_input(o, (const char *const[]){"output.zst"});
    return nd_texts(&o->input, pass_text, NULL, &o->resources, NULL, &m->error);
}

/* Writes all records with marks, to several files. */
static inline nd_status dedup_marked(job_means *m) {
    job_parts *o = fresh_job(m);
    read_input(o, (const char *const[]){"texts.jsonl"});
    o->outputs.kept = "kept/";
    o->outputs.mark = true;
    o->outputs.shard_size = 4000;
    o->outputs.removed_records = "removed";
    remove_directory("kept");
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

static inline nd_status dedup_sentences(job_means *m) {
    job_parts *o = fresh_job(m);
    o->similarity.sketch = ND_SKETCH_SENTENCES;
    o->similarity.verify = ND_VERIFY_NONE;
    read_input(o, (const char *const[]){"tree"});
    o->outputs.kept = "kept";
    remove_directory("kept");
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

static inline nd_status dedup_tlsh(job_means *m) {
    job_parts *o = fresh_job(m);
    o->similarity.sketch = ND_SKETCH_TLSH;
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

static inline nd_status dedup_index(job_means *m) {
    job_parts *o = fresh_job(m);
    o->index.path = "index";
    o->index.replace = true;
    return nd_dedup(dedup_of(o), NULL, &m->error);
}

static inline nd_status dedup_open_index(job_means *m) {
    job_parts *o = fresh_job(m);
    o->index.replace = true;
    nd_status status = nd_index_open("index", ND_INDEX_WRITE, m->allocator, &o->index.index,
                                     &m->error);
    if (status == ND_OK) status = nd_dedup(dedup_of(o), NULL, &m->error);
    nd_index_close(o->index.index);
    return status;
}

/* Adds twice, so that each document replaces one. */
static inline nd_status dedup_memory_index(job_means *m) {
    nd_index *index = NULL;
    nd_status status = nd_index_create_in_memory(NULL, m->allocator, &index, &m->error);
    for (int i = 0; status == ND_OK && i < 2; i++) {
        job_parts *o = fresh_job(m);
        o->index.index = index;
        o->index.replace = true;
        status = nd_dedup(dedup_of(o), NULL, &m->error);
    }
    nd_index_close(index);
    return status;
}

static inline nd_status find_pairs(job_means *m) {
    job_parts *o = fresh_job(m);
    o->outputs.edges = "edges";
    return nd_pairs(pairs_of(o), NULL, &m->error);
}

static inline nd_status audit_sample(job_means *m) {
    job_parts *o = fresh_job(m);
    nd_audit_result result = {.struct_size = sizeof result};
    o->similarity.recall = .5;
    o->similarity.perms = 2;
    o->audit.sample = 100;
    o->audit.on_missed = pass_missed;
    return nd_audit(audit_of(o), &result, NULL, &m->error);
}

/* ---- passes */

static inline nd_status write_texts(job_means *m) {
    job_parts *o = fresh_job(m);
    return nd_texts(&o->input, pass_text, NULL, &o->resources, NULL, &m->error);
}
static inline nd_status make_prints(job_means *m) {
    return nd_fingerprints(fingerprints_of(fresh_job(m), NULL), pass_print, NULL, NULL, &m->error);
}
static inline nd_status make_signatures(job_means *m) {
    return nd_signatures(signatures_of(fresh_job(m), 1024), pass_signed, NULL, NULL, &m->error);
}

static inline nd_status make_digests(job_means *m) {
    return nd_digests(digests_of(fresh_job(m), ND_TLSH_128_1), pass_digest, NULL, NULL, &m->error);
}

/* nd_record_fn; `context`: the number of records that are left. */
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
    job_parts *o = fresh_job(m);
    o->analyzer.kind = ND_SEGMENT;
    o->input.records = give_chinese;
    o->input.records_context = &left;
    if (strstr(nd_features(), "icu"))
        ND_TRY(nd_fingerprints(fingerprints_of(o, NULL), pass_print, NULL, NULL, &m->error));
    left = 10;
    ND_TRY(nd_dictionary_read("dictionary", m->allocator, &dictionary, &m->error));
    o->analyzer.dictionary = dictionary;
    nd_status status = nd_fingerprints(fingerprints_of(o, NULL), pass_print, NULL, NULL, &m->error);
    nd_dictionary_free(dictionary);
    return status;
}

static inline nd_status stem_words(job_means *m) {
    const nd_keyword_options keywords = {
        .struct_size = sizeof keywords, .top = 10, .weighting = ND_WEIGHTING_TF};
    job_parts *o = fresh_job(m);
    o->analyzer.stem = "english";
    return nd_keywords(keywords_of(o, &keywords), pass_keywords, NULL, NULL, &m->error);
}

static inline nd_status count_words(job_means *m) {
    job_parts *o = fresh_job(m);
    o->outputs.kept = "output.idf";
    return nd_idf(idf_of(o), NULL, &m->error);
}

static inline nd_status find_keywords(job_means *m) {
    job_parts *o = fresh_job(m);
    read_input(o, (const char *const[]){"texts.jsonl"});
    return nd_keywords(keywords_of(o, NULL), pass_keywords, NULL, NULL, &m->error);
}

static inline nd_status find_passages(job_means *m, const char *source) {
    job_parts *o = fresh_job(m);
    o->passages.source = source;
    o->passages.least_run = 6;
    o->passages.gap = 2;
    o->passages.texts = true;
    return nd_passages(passages_of(o), pass_passage, NULL, NULL, &m->error);
}

static inline nd_status find_passages_of_texts(job_means *m) {
    return find_passages(m, "texts.jsonl");
}
static inline nd_status find_passages_of_index(job_means *m) { return find_passages(m, "index"); }

/* ---- indexes */

static inline nd_status query_index(job_means *m, nd_index *index) {
    job_parts *o = fresh_job(m);
    nd_index_query_options query;
    nd_index_query_options_init(&query, sizeof query);
    query.input = &o->input;
    query.kind = ND_SEARCH_BEST;
    query.resources = &o->resources;
    return nd_index_query(index, &query, pass_answer, NULL, NULL, &m->error);
}

static inline nd_status use_index(job_means *m) {
    nd_index *index = NULL;
    nd_index_searcher *searcher = NULL;
    const nd_match *matches;
    size_t count;
    bool added, found;
    nd_status status = nd_index_open("index", ND_INDEX_WRITE, m->allocator, &index, &m->error);
    if (status == ND_OK) status = nd_index_searcher_create(index, &searcher, &m->error);
    for (size_t i = 0; status == ND_OK && i < m->texts->count; i++) {
        const char *text = m->texts->text[i], *id = m->texts->id[i];
        const nd_record document = {
            .text = text, .length = strlen(text), .id = id, .id_length = strlen(id)};
        status = nd_index_search(searcher, text, strlen(text), ND_SEARCH_ALL, &matches, &count,
                                 &m->error);
        nd_index_set_sync(index, i % 32 ? ND_SYNC_OFF : ND_SYNC_EACH);
        if (status == ND_OK)
            status = nd_index_replace(index, searcher, &document, &added, NULL, &m->error);
    }
    if (status == ND_OK) status = nd_index_remove(index, "d1", 2, &found, &m->error);
    if (status == ND_OK) status = query_index(m, index);
    if (status == ND_OK) status = nd_index_compact(index, &m->error);
    if (status == ND_OK) status = nd_index_check(index, &m->error);
    nd_index_searcher_free(searcher);
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

static inline nd_status load_prints(job_means *m, nd_hamming_index *index) {
    unsigned next = 0;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = give_print, .context = &next};
    const nd_hamming_load_options load = {
        .struct_size = sizeof load, .resources = &fresh_job(m)->resources, .replace = true};
    return nd_hamming_load(index, &source, &load, NULL, &m->error);
}

static inline nd_status search_prints(job_means *m, nd_hamming_index *index) {
    unsigned next = 0;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = give_print, .context = &next};
    const nd_hamming_search_options nearest = {
        .struct_size = sizeof nearest, .k = 3, .kind = ND_HAMMING_NEAREST, .limit = 5};
    const nd_hamming_query_options query = {
        .struct_size = sizeof query, .source = &source, .resources = &fresh_job(m)->resources};
    nd_hamming_searcher *searcher = NULL;
    const nd_hamming_match *matches;
    uint64_t count;
    nd_status status = nd_hamming_searcher_create(index, &searcher, &m->error);
    if (status == ND_OK)
        status = nd_hamming_search(searcher, (nd_fingerprint){1, 0}, &nearest, &matches, &count,
                                   &m->error);
    if (status == ND_OK) status = nd_hamming_query(index, &query, pass_near, NULL, NULL, &m->error);
    nd_hamming_searcher_free(searcher);
    return status;
}

static inline nd_status change_and_search_prints(job_means *m, nd_hamming_index *index) {
    bool found;
    ND_TRY(load_prints(m, index));
    ND_TRY(nd_hamming_add(index, "x", 1, (nd_fingerprint){1, 0}, &m->error));
    ND_TRY(nd_hamming_replace(index, "x", 1, (nd_fingerprint){2, 0}, &m->error));
    ND_TRY(search_prints(m, index));
    ND_TRY(nd_hamming_remove(index, "x", 1, &found, &m->error));
    ND_TRY(nd_hamming_compact(index, &m->error));
    return nd_hamming_check(index, &m->error);
}

static inline nd_status use_prints(job_means *m) {
    unsigned next = 0;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = give_print, .context = &next};
    const nd_hamming_options options = {
        .struct_size = sizeof options, .bits = 64, .k = 3, .memory = m->memory};
    nd_hamming_index *index = NULL;
    remove_directory("prints");
    nd_status status = nd_hamming_build("prints", &options, &source, &fresh_job(m)->resources, NULL,
                                        &m->error);
    if (status == ND_OK)
        status = nd_hamming_open("prints", ND_INDEX_WRITE, m->allocator, &index, &m->error);
    if (status == ND_OK) status = change_and_search_prints(m, index);
    nd_hamming_close(index);
    return status;
}

static inline nd_status use_prints_in_memory(job_means *m) {
    nd_hamming_index *index = NULL;
    nd_status status = nd_hamming_create_in_memory(NULL, m->allocator, &index, &m->error);
    if (status == ND_OK) status = change_and_search_prints(m, index);
    nd_hamming_close(index);
    return status;
}

static inline nd_status join(job_means *m, nd_join_kind kind) {
    unsigned next = 0;
    const nd_fingerprint_source source = {
        .struct_size = sizeof source, .next = give_print, .context = &next};
    const nd_hamming_side side = {.source = &source};
    nd_hamming_join_options options;
    nd_hamming_join_options_init(&options, sizeof options);
    options.kind = kind;
    options.resources = &fresh_job(m)->resources;
    return nd_hamming_join(&side, NULL, &options, pass_join, NULL, NULL, &m->error);
}

static inline nd_status join_pairs(job_means *m) { return join(m, ND_JOIN_PAIRS); }
static inline nd_status join_groups(job_means *m) { return join(m, ND_JOIN_GROUPS); }
static inline nd_status calibrate(job_means *m) {
    nd_hamming_costs costs;
    return nd_hamming_calibrate(".", 1, m->allocator, &costs, &m->error);
}

static inline nd_status plan_hamming(job_means *m) {
    nd_hamming_estimate designs[ND_HAMMING_ESTIMATES];
    size_t count;
    const nd_hamming_plan_options options = {.struct_size = sizeof options,
                                             .fingerprints = 1e9,
                                             .bits = 128,
                                             .k = 12,
                                             .memory = (double)m->memory};
    return nd_hamming_plan(&options, designs, &count, &m->error);
}

/* ---- streams */

static inline void remove_stream(void) {
    remove_directory("stream/index");
    remove_directory("stream");
}

static inline nd_status fill_stream(job_means *m, nd_stream *stream) {
    job_parts *o = fresh_job(m);
    const nd_stream_run_options run = {
        .struct_size = sizeof run, .input = &o->input, .resources = &o->resources};
    const nd_record document = {
        .text = "a text that is new", .length = 18, .id = "x", .id_length = 1, .value = NAN};
    nd_stream_set_topics(stream, ND_STREAM_TOPICS);
    ND_TRY(nd_stream_run(stream, &run, pass_arrival, NULL, NULL, &m->error));
    ND_TRY(nd_stream_add(stream, &document, NULL, &m->error));
    return nd_stream_clusters(stream, 1, ND_STREAM_TOPICS, true, pass_cluster, NULL, &m->error);
}

/* Opens the stream with the options that it was made with. */
static inline nd_status reopen_stream(job_means *m) {
    nd_stream_options *options = NULL;
    nd_stream *stream = NULL;
    nd_status status = nd_stream_read_options("stream", m->allocator, &options, &m->error);
    if (status == ND_OK)
        status = nd_stream_open("stream", ND_INDEX_WRITE, options, m->allocator, &stream,
                                &m->error);
    nd_stream_close(stream);
    nd_stream_options_free(options);
    return status;
}

static inline nd_status use_stream(job_means *m, nd_sketch sketch) {
    nd_stream *stream = NULL;
    nd_stream_options options;
    nd_stream_options_init(&options, sizeof options);
    options.sketch = sketch;
    if (sketch == ND_SKETCH_SIMHASH) options.mode = ND_STREAM_FOLLOW;
    remove_stream();
    nd_status status = nd_stream_open("stream", ND_INDEX_WRITE, &options, m->allocator, &stream,
                                      &m->error);
    if (status == ND_OK) status = fill_stream(m, stream);
    nd_stream_close(stream);
    return status == ND_OK ? reopen_stream(m) : status;
}

static inline nd_status stream_leaders(job_means *m) { return use_stream(m, ND_SKETCH_MINHASH); }
static inline nd_status stream_centres(job_means *m) { return use_stream(m, ND_SKETCH_SIMHASH); }

/* ---- two texts */

static inline nd_status compare_two(job_means *m) {
    nd_comparison *comparison = NULL;
    const char *a = m->texts->text[0], *b = m->texts->text[1];
    nd_compare_options options;
    nd_compare_options_init(&options, sizeof options);
    options.allocator = m->allocator;
    nd_status status = nd_compare(&options, a, strlen(a), b, strlen(b), &comparison, &m->error);
    nd_comparison_free(comparison);
    return status;
}

static inline nd_status sign_matrix(job_means *m) {
    static uint32_t permutation[65536], signature;
    static uint8_t matrix[65536];
    nd_permutations_draw(65536, 1, 1, permutation);
    return nd_permutations_sign(matrix, 65536, 1, permutation, 1, &signature, &m->error);
}

/* ---- all of them */

typedef struct every_job {
    const char *name;
    nd_status (*run)(job_means *m);
    const char *feature; /* the build must have this feature */
} every_job;

static const every_job every_jobs[] = {
    {"greedy", dedup_greedy, ""},
    {"component", dedup_component, ""},
    {"simhash", dedup_near, "simdjson"},
    {"compression", recompress, "zstd"},
    {"marked", dedup_marked, "simdjson"},
    {"sentences", dedup_sentences, ""},
    {"tlsh", dedup_tlsh, ""},
    {"index add", dedup_index, ""},
    {"open index", dedup_open_index, ""},
    {"index in memory", dedup_memory_index, ""},
    {"pairs", find_pairs, ""},
    {"audit", audit_sample, ""},
    {"texts", write_texts, ""},
    {"fingerprints", make_prints, ""},
    {"signatures", make_signatures, ""},
    {"digests", make_digests, ""},
    {"idf", count_words, ""},
    {"keywords", find_keywords, "simdjson"},
    {"segments", segment_words, ""},
    {"stems", stem_words, "libstemmer"},
    {"passages of texts", find_passages_of_texts, "simdjson"},
    {"passages of an index", find_passages_of_index, ""},
    {"index", use_index, ""},
    {"hamming", use_prints, ""},
    {"hamming in memory", use_prints_in_memory, ""},
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

/* Writes the files that the jobs read. */
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
