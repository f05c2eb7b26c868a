#include "contract/sized_uses.h"

#include "contract/told_results.h"

/* Options with values of which results depend, so that a structure that is not read changes them.
 */
static struct {
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
    nd_compare_options compare;
    nd_hamming_plan_options plan;
    nd_input_options input;
    nd_resources resources;
    nd_fingerprints_options fingerprints;
    nd_signatures_options signatures;
    nd_digests_options digests;
    nd_idf_options idf;
    nd_keyword_options keyword;
    nd_keywords_options keywords;
    nd_passages_options passages;
    nd_substrings_options substrings;
    nd_lines_options lines;
    nd_similarity_options similarity;
    nd_survivor_options survivors;
    nd_index_use index_use;
    nd_output_options outputs;
    nd_dedup_options dedup;
    nd_exact_options exact;
    nd_pairs_options pairs;
    nd_audit_options audit;
    nd_tune_options tune;
    nd_index_options index;
    nd_index_query_options index_query;
    nd_record record;
    nd_hamming_options hamming;
    nd_fingerprint_source source;
    nd_hamming_load_options load;
    nd_hamming_search_options search;
    nd_hamming_query_options hamming_query;
    nd_hamming_join_options join;
    nd_stream_options stream;
    nd_stream_run_options run;
} with;

static nd_index *documents;
static nd_index_searcher *document_searcher;
static nd_hamming_index *prints;
static nd_hamming_searcher *print_searcher;
static nd_stream *stream;
static unsigned next_print;
/* Of jobs alone, to see whether they use it. */
static failing_allocator job_memory;
static nd_allocator job_allocator;

/* ---- results of two calls that must be the same */

enum { MANY_REQUESTS = 1 << 30 };

/* Its padding has any bytes. */
static void level_plan(nd_plan *plan) {
    const nd_plan copy = *plan;
    memset(plan, 0, sizeof *plan);
    plan->perms = copy.perms;
    plan->bands = copy.bands;
    plan->rows = copy.rows;
    plan->threshold = copy.threshold;
    plan->recall = copy.recall;
}

static void level_summary(void *results) {
    nd_job_summary *s = results;
    level_plan(&s->plan);
    memset(s->seconds, 0, sizeof s->seconds);
    s->total_seconds = 0;
    s->peak_memory = s->work_bytes = 0;
}
static void level_index(void *results) {
    nd_index_info *info = results;
    info->options = NULL;
    level_plan(&info->plan);
}
static void level_audit(void *results) { (void)results; }
static void level_tune(void *results) { (void)results; }
static void level_hamming(void *results) { ((nd_hamming_info *)results)->options = NULL; }
static void level_stream(void *results) { ((nd_stream_info *)results)->options = NULL; }
static void level_weights(void *results) { (void)results; }

uint64_t told_by_use(void) {
    nd_job_summary summary = out.summary;
    tell(job_memory.left < MANY_REQUESTS);
    level_summary(&summary);
    tell_bytes(&summary, sizeof summary);
    return told;
}

/* ---- calls that tell what they made */

static nd_status analyze(const nd_analyzer_options *options) {
    nd_analyzer *analyzer;
    nd_shingles shingles;
    nd_status status = nd_analyzer_create(options, &allocator, &analyzer, &failure);
    if (status != ND_OK) return status;
    status = nd_analyze(analyzer, ENGLISH, &shingles, &failure);
    tell_bytes(shingles.hashes, shingles.count * sizeof *shingles.hashes);
    nd_analyzer_free(analyzer);
    return status;
}

static nd_status print_text(const nd_simhash_options *options) {
    nd_fingerprint fingerprint;
    nd_status status = nd_simhash_text(worder, options, ENGLISH, &fingerprint, &failure);
    if (status == ND_OK) tell(fingerprint.low);
    return status;
}

/* What a preset sets is told, and gets its old values back: other options stay as they are given.
 */
static nd_status preset_of_analyzer(nd_analyzer_options *options) {
    nd_status status = nd_preset("noisy", options, &with.similarity, &failure);
    if (status != ND_OK) return status;
    tell(options->kind);
    tell(options->ngram);
    options->kind = with.analyzer.kind;
    options->ngram = with.analyzer.ngram;
    return ND_OK;
}

static nd_status preset_of_similarity(nd_similarity_options *options) {
    nd_analyzer_options analyzer = with.analyzer;
    nd_status status = nd_preset("noisy", &analyzer, options, &failure);
    if (status != ND_OK) return status;
    tell_double(options->threshold);
    tell_double(options->recall);
    tell(options->perms);
    options->threshold = with.similarity.threshold;
    options->recall = with.similarity.recall;
    options->perms = with.similarity.perms;
    return ND_OK;
}

static nd_status compare(const nd_compare_options *options) {
    nd_comparison *c;
    nd_status status = nd_compare(options, ENGLISH, GERMAN, &c, &failure);
    if (status != ND_OK) return status;
    tell(c->bits);
    tell(c->plan.perms);
    tell(c->a.shingles);
    nd_comparison_free(c);
    return ND_OK;
}

static nd_status plan(const nd_hamming_plan_options *options) {
    static nd_hamming_estimate designs[ND_HAMMING_ESTIMATES];
    size_t count;
    nd_status status = nd_hamming_plan(options, designs, &count, &failure);
    for (size_t i = 0; status == ND_OK && i < count; i++) tell_double(designs[i].bytes);
    return status;
}

static nd_status describe_documents(nd_index *index) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_status status = nd_index_describe(index, &info, &failure);
    if (status != ND_OK) return status;
    tell(info.options->perms);
    tell(info.options->analyzer->ngram);
    tell(info.documents);
    return ND_OK;
}

static nd_status describe_prints(nd_hamming_index *index) {
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_status status = nd_hamming_describe(index, &info, &failure);
    if (status != ND_OK) return status;
    tell(info.options->bits);
    tell(info.options->k);
    tell(info.fingerprints);
    return ND_OK;
}

static nd_status create_index(const nd_index_options *options) {
    nd_index *index;
    nd_status status = nd_index_create("sized", options, &failure);
    if (status == ND_OK)
        status = nd_index_open("sized", ND_INDEX_READ, &allocator, &index, &failure);
    if (status != ND_OK) return status;
    status = describe_documents(index);
    nd_index_close(index);
    return status;
}

static nd_status create_index_in_memory(const nd_index_options *options) {
    nd_index *index;
    nd_status status = nd_index_create_in_memory(options, &allocator, &index, &failure);
    if (status != ND_OK) return status;
    status = describe_documents(index);
    nd_index_close(index);
    return status;
}

static nd_status open_prints(nd_status made) {
    nd_hamming_index *index;
    if (made != ND_OK) return made;
    nd_status status = nd_hamming_open("sized", ND_INDEX_READ, &allocator, &index, &failure);
    if (status != ND_OK) return status;
    status = describe_prints(index);
    nd_hamming_close(index);
    return status;
}

static nd_status create_prints_in_memory(const nd_hamming_options *options) {
    nd_hamming_index *index;
    nd_status status = nd_hamming_create_in_memory(options, &allocator, &index, &failure);
    if (status != ND_OK) return status;
    status = describe_prints(index);
    nd_hamming_close(index);
    return status;
}

static nd_status search(const nd_hamming_search_options *options) {
    const nd_hamming_match *matches;
    uint64_t count;
    nd_status status = nd_hamming_search(print_searcher, (nd_fingerprint){2, 0}, options, &matches,
                                         &count, &failure);
    if (status == ND_OK) tell(count);
    return status;
}

static nd_status add_document(const nd_record *document, bool replace) {
    bool added;
    nd_status status = replace ? nd_index_replace(documents, document_searcher, document, &added,
                                                  NULL, &failure)
                               : nd_index_add(documents, document_searcher, document, &added, NULL,
                                              &failure);
    if (status != ND_OK) return status;
    tell(added);
    bool found;
    status = nd_index_remove(documents, with.record.id, with.record.id_length, &found, &failure);
    tell(found);
    return status;
}

static nd_status open_stream(const nd_stream_options *options) {
    nd_stream *s;
    nd_stream_info info = {.struct_size = sizeof info};
    nd_status status = nd_stream_open("sized", ND_INDEX_WRITE, options, &allocator, &s, &failure);
    if (status != ND_OK) return status;
    status = nd_stream_describe(s, &info, &failure);
    tell(info.options->sketch);
    tell(info.options->k);
    tell(info.options->analyzer->ngram);
    tell(info.options->simhash->bits);
    nd_stream_close(s);
    return status;
}

/* Made when it is needed: its counts of words take 32 MiB. */
static nd_stream *the_stream(void) {
    nd_error reason;
    if (!stream && nd_stream_open("arrivals", ND_INDEX_WRITE, &with.stream, &allocator, &stream,
                                  &reason) != ND_OK)
        fail_msg("%s", reason.message);
    return stream;
}

static nd_status add_arrival(const nd_record *document) {
    const nd_stream_answer *answer;
    nd_status status = nd_stream_add(the_stream(), document, &answer, &failure);
    if (status == ND_OK) tell_arrival(NULL, answer);
    return status;
}

/* Once the structure that is tried stands in `with`. */
static nd_status dedup(void) { return nd_dedup(&with.dedup, &out.summary, &failure); }
static nd_status exact(void) { return nd_exact(&with.exact, &out.summary, &failure); }
static nd_status pairs(void) { return nd_pairs(&with.pairs, &out.summary, &failure); }
static nd_status audit_for(const nd_audit_options *options, nd_job_summary *summary) {
    nd_audit_result result = {.struct_size = sizeof result};
    nd_status status = nd_audit(options, &result, summary, &failure);
    if (status == ND_OK) tell(result.removed);
    return status;
}
static nd_status audit(void) { return audit_for(&with.audit, &out.summary); }
static nd_status tune_for(const nd_tune_options *options, nd_job_summary *summary) {
    nd_tune_result result = {.struct_size = sizeof result};
    nd_status status = nd_tune(options, &result, summary, &failure);
    if (status == ND_OK) tell(result.steps[ND_TUNE_STEPS - 1].nearest);
    return status;
}
static nd_status tune(void) { return tune_for(&with.tune, &out.summary); }
static nd_status extract_prints(void) {
    return nd_fingerprints(&with.fingerprints, tell_print, NULL, &out.summary, &failure);
}
static nd_status sign(void) {
    return nd_signatures(&with.signatures, tell_signature, &with.signatures.perms, &out.summary,
                         &failure);
}
static nd_status digest(void) {
    return nd_digests(&with.digests, tell_digest, NULL, &out.summary, &failure);
}
static nd_status count_words(void) { return nd_idf(&with.idf, &out.summary, &failure); }
static nd_status find_keywords(void) {
    return nd_keywords(&with.keywords, tell_keywords, NULL, &out.summary, &failure);
}
/* Queries of a file, and sources of the callback, which gives its documents once. */
static nd_status find_passages_in(const nd_input_options *sources) {
    static const char *const paths[] = {"source"};
    nd_input_options queries;
    nd_input_options_init(&queries, sizeof queries);
    queries.inputs = paths;
    queries.input_count = 1;
    with.passages.input = &queries;
    with.passages.source = NULL;
    with.passages.source_input = sources;
    return nd_passages(&with.passages, tell_passage, NULL, &out.summary, &failure);
}

static nd_status find_passages(void) {
    return nd_passages(&with.passages, tell_passage, NULL, &out.summary, &failure);
}
/* The same way: the callback gives the source. */
static nd_status find_substrings_in(const nd_input_options *source) {
    static const char *const paths[] = {"source"};
    nd_input_options targets;
    nd_input_options_init(&targets, sizeof targets);
    targets.inputs = paths;
    targets.input_count = 1;
    with.substrings.input = &targets;
    with.substrings.source = source;
    return nd_substrings(&with.substrings, tell_stretch, NULL, &out.summary, &failure);
}
static nd_status find_substrings(void) {
    return nd_substrings(&with.substrings, tell_stretch, NULL, &out.summary, &failure);
}
static nd_status query_documents(void) {
    return nd_index_query(documents, &with.index_query, tell_answer, NULL, &out.summary, &failure);
}
static nd_status query_prints(void) {
    return nd_hamming_query(prints, &with.hamming_query, tell_near, NULL, &out.summary, &failure);
}
static nd_status load(void) {
    return nd_hamming_load(prints, &with.source, &with.load, &out.summary, &failure);
}
static nd_status join(const nd_fingerprint_source *source, const nd_hamming_join_options *options) {
    const nd_hamming_side side = {.source = source};
    return nd_hamming_join(&side, NULL, options, tell_join, NULL, &out.summary, &failure);
}
static nd_status run(void) {
    return nd_stream_run(the_stream(), &with.run, tell_arrival, NULL, &out.summary, &failure);
}

/* Runs a job with an index, which has the documents of the input before. */
static nd_status run_with_index(nd_status (*run_job)(void), const nd_index_options *options,
                                const nd_index_use **use, const nd_index_use *given) {
    const nd_index_use first = {.struct_size = sizeof first, .path = "sized"};
    *use = &first;
    if (nd_index_create("sized", options, NULL) == ND_OK) {
        nd_status status = run_job();
        if (status != ND_OK) return status;
        begin_call();
        input.next = 0;
    }
    *use = given;
    return run_job();
}
/* nd_index_use is of MinHash, or of hashes. */
static nd_status dedup_with_index(const nd_index_use *use) {
    with.similarity.sketch = ND_SKETCH_MINHASH;
    return run_with_index(dedup, &with.index, &with.dedup.index, use);
}
static nd_status exact_with_index(const nd_index_use *use) {
    with.index.content = ND_CONTENT_HASHES;
    with.index.by = ND_EQUAL_TOKENS;
    return run_with_index(exact, &with.index, &with.exact.index, use);
}

/* ---- what the uses are given */

/* nd_fingerprint_source_fn; of the ids one is in the index. */
static int give_print(void *context, nd_fingerprinted *given) {
    static const char *const ids[] = {"0", "1", "2", "3", "4", "5"};
    (void)context;
    if (next_print == sizeof ids / sizeof *ids) return 0;
    *given = (nd_fingerprinted){
        .id = ids[next_print], .id_length = 1, .fingerprint = {.low = 1u << next_print / 2}};
    next_print++;
    return 1;
}

static void set_options(void) {
    nd_analyzer_options_init(&with.analyzer, sizeof with.analyzer);
    with.analyzer.ngram = 2;
    nd_simhash_options_init(&with.simhash, sizeof with.simhash);
    with.simhash.bits = 32;
    with.simhash.weighting = ND_WEIGHTING_NONE;
    nd_compare_options_init(&with.compare, sizeof with.compare);
    with.compare.analyzer = &with.analyzer;
    with.compare.perms = 64;
    nd_hamming_plan_options_init(&with.plan, sizeof with.plan);
    with.plan.fingerprints = 1e6;
    with.plan.bits = 32;
    nd_hamming_options_init(&with.hamming, sizeof with.hamming);
    with.hamming.bits = 32;
    with.hamming.k = 2;
    nd_hamming_search_options_init(&with.search, sizeof with.search);
    with.search.k = 1;
    with.search.kind = ND_HAMMING_COUNT;
    nd_index_options_init(&with.index, sizeof with.index);
    with.index.analyzer = &with.analyzer;
    nd_stream_options_init(&with.stream, sizeof with.stream);
    with.stream.sketch = ND_SKETCH_SIMHASH;
    with.stream.analyzer = &with.analyzer;
    with.stream.simhash = &with.simhash;
    with.stream.k = 2;
    with.record = (nd_record){.struct_size = sizeof with.record,
                              .text = german,
                              .length = sizeof german - 1,
                              .id = "b",
                              .id_length = 1,
                              .value = 7};
}

/* The parts of jobs, which the options of jobs point to. */
static void set_parts(void) {
    nd_input_options_init(&with.input, sizeof with.input);
    with.input.records = give_record;
    with.input.records_context = &input;
    nd_resources_init(&with.resources, sizeof with.resources);
    with.resources.threads = 3;
    with.resources.work = ".";
    with.resources.allocator = &job_allocator;
    nd_keyword_options_init(&with.keyword, sizeof with.keyword);
    with.keyword.top = 2;
    with.keyword.weighting = ND_WEIGHTING_TF;
    nd_similarity_options_init(&with.similarity, sizeof with.similarity);
    with.similarity.sketch = ND_SKETCH_SIMHASH;
    with.similarity.analyzer = &with.analyzer;
    with.similarity.simhash = &with.simhash;
    with.similarity.k = 4;
    with.survivors = (nd_survivor_options){.struct_size = sizeof with.survivors,
                                           .keep = ND_KEEP_LONGEST};
    with.index_use = (nd_index_use){
        .struct_size = sizeof with.index_use, .path = "sized", .replace = true};
    with.outputs = (nd_output_options){.struct_size = sizeof with.outputs,
                                       .on_decision = tell_decision};
    with.source = (nd_fingerprint_source){.struct_size = sizeof with.source, .next = give_print};
}

static void set_jobs(void) {
    with.fingerprints = (nd_fingerprints_options){.struct_size = sizeof with.fingerprints,
                                                  .input = &with.input,
                                                  .analyzer = &with.analyzer,
                                                  .simhash = &with.simhash,
                                                  .resources = &with.resources};
    nd_signatures_options_init(&with.signatures, sizeof with.signatures);
    with.signatures.input = &with.input;
    with.signatures.analyzer = &with.analyzer;
    with.signatures.resources = &with.resources;
    with.signatures.perms = 8;
    with.digests = (nd_digests_options){.struct_size = sizeof with.digests,
                                        .input = &with.input,
                                        .resources = &with.resources,
                                        .variant = ND_TLSH_256_3};
    nd_idf_options_init(&with.idf, sizeof with.idf);
    with.idf.input = &with.input;
    with.idf.analyzer = &with.analyzer;
    with.idf.output = "output";
    with.idf.least = 6;
    with.idf.resources = &with.resources;
    with.keywords = (nd_keywords_options){.struct_size = sizeof with.keywords,
                                          .input = &with.input,
                                          .analyzer = &with.analyzer,
                                          .keywords = &with.keyword,
                                          .resources = &with.resources};
    nd_passages_options_init(&with.passages, sizeof with.passages);
    with.passages.input = &with.input;
    with.passages.source = "source";
    with.passages.analyzer = &with.analyzer;
    with.passages.least_run = 3;
    with.passages.resources = &with.resources;
    with.passages.texts = true;
    nd_substrings_options_init(&with.substrings, sizeof with.substrings);
    with.substrings.input = &with.input;
    with.substrings.least = 16;
    with.substrings.resources = &with.resources;
    nd_lines_options_init(&with.lines, sizeof with.lines);
    with.lines.input = &with.input;
    with.lines.output = "output";
    with.lines.drop_below = 2;
    with.lines.resources = &with.resources;
    with.dedup = (nd_dedup_options){.struct_size = sizeof with.dedup,
                                    .input = &with.input,
                                    .similarity = &with.similarity,
                                    .survivors = &with.survivors,
                                    .outputs = &with.outputs,
                                    .resources = &with.resources};
    with.exact = (nd_exact_options){.struct_size = sizeof with.exact,
                                    .input = &with.input,
                                    .by = ND_EQUAL_TOKENS,
                                    .analyzer = &with.analyzer,
                                    .survivors = &with.survivors,
                                    .outputs = &with.outputs,
                                    .resources = &with.resources};
    with.pairs = (nd_pairs_options){.struct_size = sizeof with.pairs,
                                    .input = &with.input,
                                    .similarity = &with.similarity,
                                    .on_pair = tell_pair,
                                    .resources = &with.resources};
    nd_audit_options_init(&with.audit, sizeof with.audit);
    with.audit.input = &with.input;
    with.audit.similarity = &with.similarity;
    with.audit.survivors = &with.survivors;
    with.audit.resources = &with.resources;
    with.audit.on_missed = tell_missed;
    nd_tune_options_init(&with.tune, sizeof with.tune);
    with.tune.input = &with.input;
    with.tune.analyzer = &with.analyzer;
    with.tune.resources = &with.resources;
    with.tune.on_document = tell_tuned;
    nd_index_query_options_init(&with.index_query, sizeof with.index_query);
    with.index_query.input = &with.input;
    with.index_query.resources = &with.resources;
    with.load = (nd_hamming_load_options){
        .struct_size = sizeof with.load, .resources = &with.resources, .replace = true};
    with.hamming_query = (nd_hamming_query_options){.struct_size = sizeof with.hamming_query,
                                                    .source = &with.source,
                                                    .search = &with.search,
                                                    .resources = &with.resources};
    nd_hamming_join_options_init(&with.join, sizeof with.join);
    with.join.bits = 32;
    with.join.k = 1;
    with.join.resources = &with.resources;
    with.run = (nd_stream_run_options){
        .struct_size = sizeof with.run, .input = &with.input, .resources = &with.resources};
}

/* Indexes of one document and of one fingerprint. */
static void make_indexes(void) {
    bool added;
    const nd_record a = {.text = english, .length = sizeof english - 1, .id = "a", .id_length = 1};
    nd_error reason;
    nd_status status = nd_index_create_in_memory(&with.index, &allocator, &documents, &reason);
    if (status == ND_OK) status = nd_index_searcher_create(documents, &document_searcher, &reason);
    if (status == ND_OK)
        status = nd_index_add(documents, document_searcher, &a, &added, NULL, &reason);
    if (status == ND_OK)
        status = nd_hamming_create_in_memory(&with.hamming, &allocator, &prints, &reason);
    if (status == ND_OK) status = nd_hamming_searcher_create(prints, &print_searcher, &reason);
    if (status == ND_OK) status = nd_hamming_add(prints, "0", 1, (nd_fingerprint){1, 0}, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

void end_uses_of_sizes(void) {
    nd_index_searcher_free(document_searcher);
    nd_index_close(documents);
    nd_hamming_searcher_free(print_searcher);
    nd_hamming_close(prints);
    nd_stream_close(stream);
    document_searcher = NULL;
    documents = NULL;
    print_searcher = NULL;
    prints = NULL;
    stream = NULL;
    remove_directory("sized");
    remove_directory("arrivals");
    unlink("output");
}

void begin_use_of_size(void) {
    end_uses_of_sizes();
    told = 0;
    assert_int_equal(job_memory.live, 0);
    job_memory.left = MANY_REQUESTS;
    job_allocator = failing_allocator_make(&job_memory);
    input.next = next_print = 0;
    memset(&with, 0, sizeof with);
    set_options();
    make_indexes();
    set_parts();
    set_jobs();
}

/* ---- every structure */

#define WITH_INIT(STRUCTURE)                                                                       \
    STRUCTURE(nd_analyzer_options, analyzer)                                                       \
    STRUCTURE(nd_simhash_options, simhash)                                                         \
    STRUCTURE(nd_compare_options, compare)                                                         \
    STRUCTURE(nd_hamming_plan_options, plan)                                                       \
    STRUCTURE(nd_input_options, input)                                                             \
    STRUCTURE(nd_resources, resources)                                                             \
    STRUCTURE(nd_signatures_options, signatures)                                                   \
    STRUCTURE(nd_idf_options, idf)                                                                 \
    STRUCTURE(nd_keyword_options, keyword)                                                         \
    STRUCTURE(nd_passages_options, passages)                                                       \
    STRUCTURE(nd_substrings_options, substrings)                                                   \
    STRUCTURE(nd_lines_options, lines)                                                             \
    STRUCTURE(nd_similarity_options, similarity)                                                   \
    STRUCTURE(nd_audit_options, audit)                                                             \
    STRUCTURE(nd_tune_options, tune)                                                               \
    STRUCTURE(nd_index_options, index)                                                             \
    STRUCTURE(nd_index_query_options, index_query)                                                 \
    STRUCTURE(nd_hamming_options, hamming)                                                         \
    STRUCTURE(nd_hamming_search_options, search)                                                   \
    STRUCTURE(nd_hamming_join_options, join)                                                       \
    STRUCTURE(nd_stream_options, stream)

#define WITHOUT_INIT(STRUCTURE)                                                                    \
    STRUCTURE(nd_fingerprints_options, fingerprints)                                               \
    STRUCTURE(nd_digests_options, digests)                                                         \
    STRUCTURE(nd_keywords_options, keywords)                                                       \
    STRUCTURE(nd_survivor_options, survivors)                                                      \
    STRUCTURE(nd_index_use, index_use)                                                             \
    STRUCTURE(nd_output_options, outputs)                                                          \
    STRUCTURE(nd_dedup_options, dedup)                                                             \
    STRUCTURE(nd_exact_options, exact)                                                             \
    STRUCTURE(nd_pairs_options, pairs)                                                             \
    STRUCTURE(nd_record, record)                                                                   \
    STRUCTURE(nd_fingerprint_source, source)                                                       \
    STRUCTURE(nd_hamming_load_options, load)                                                       \
    STRUCTURE(nd_hamming_query_options, hamming_query)                                             \
    STRUCTURE(nd_stream_run_options, run)

#define DEFINE_INIT(name, member)                                                                  \
    static void init_##name(void *options, size_t size) { name##_init(options, size); }
WITH_INIT(DEFINE_INIT)

#define INITIALISED(name, member) {#name, sizeof(name), &with.member, init_##name, NULL},
#define PLAIN(name, member) {#name, sizeof(name), &with.member, NULL, NULL},
const sized_structure sized_structures[] = {
    WITH_INIT(INITIALISED)
        WITHOUT_INIT(PLAIN){"nd_job_summary", sizeof(nd_job_summary), NULL, NULL, level_summary},
    {"nd_audit_result", sizeof(nd_audit_result), NULL, NULL, level_audit},
    {"nd_tune_result", sizeof(nd_tune_result), NULL, NULL, level_tune},
    {"nd_index_info", sizeof(nd_index_info), NULL, NULL, level_index},
    {"nd_hamming_info", sizeof(nd_hamming_info), NULL, NULL, level_hamming},
    {"nd_stream_info", sizeof(nd_stream_info), NULL, NULL, level_stream},
    {"nd_weights_info", sizeof(nd_weights_info), NULL, NULL, level_weights},
    {0}};

/* ---- every use */

#define USES(USE)                                                                                  \
    USE(nd_analyzer_create, nd_analyzer_options, analyze(given))                                   \
    USE(nd_simhash_text, nd_simhash_options, print_text(given))                                    \
    USE(nd_weights_describe, nd_weights_info, nd_weights_describe(weights, given, &failure))       \
    USE(nd_compare, nd_compare_options, compare(given))                                            \
    USE(nd_compare_options, nd_analyzer_options,                                                   \
        (with.compare.analyzer = given, compare(&with.compare)))                                   \
    USE(nd_hamming_plan, nd_hamming_plan_options, plan(given))                                     \
    USE(nd_texts, nd_input_options,                                                                \
        nd_texts(given, tell_text, NULL, &with.resources, &out.summary, &failure))                 \
    USE(nd_texts, nd_resources,                                                                    \
        nd_texts(&with.input, tell_text, NULL, given, &out.summary, &failure))                     \
    USE(nd_texts, nd_job_summary,                                                                  \
        nd_texts(&with.input, tell_text, NULL, &with.resources, given, &failure))                  \
    USE(nd_inputs, nd_input_options,                                                               \
        nd_inputs(given, tell_input, NULL, &with.resources, &failure))                             \
    USE(nd_inputs, nd_resources, nd_inputs(&with.input, tell_input, NULL, given, &failure))        \
    USE(nd_input_fields, nd_input_options,                                                         \
        nd_input_fields(given, tell_field, NULL, &with.resources, &failure))                       \
    USE(nd_input_fields, nd_resources,                                                             \
        nd_input_fields(&with.input, tell_field, NULL, given, &failure))                           \
    USE(nd_fingerprints, nd_fingerprints_options,                                                  \
        nd_fingerprints(given, tell_print, NULL, &out.summary, &failure))                          \
    USE(nd_fingerprints, nd_job_summary,                                                           \
        nd_fingerprints(&with.fingerprints, tell_print, NULL, given, &failure))                    \
    USE(nd_fingerprints_options, nd_input_options,                                                 \
        (with.fingerprints.input = given, extract_prints()))                                       \
    USE(nd_fingerprints_options, nd_analyzer_options,                                              \
        (with.fingerprints.analyzer = given, extract_prints()))                                    \
    USE(nd_fingerprints_options, nd_simhash_options,                                               \
        (with.fingerprints.simhash = given, extract_prints()))                                     \
    USE(nd_fingerprints_options, nd_resources,                                                     \
        (with.fingerprints.resources = given, extract_prints()))                                   \
    USE(nd_signatures, nd_signatures_options,                                                      \
        nd_signatures(given, tell_signature, &with.signatures.perms, &out.summary, &failure))      \
    USE(nd_signatures, nd_job_summary,                                                             \
        nd_signatures(&with.signatures, tell_signature, &with.signatures.perms, given, &failure))  \
    USE(nd_signatures_options, nd_input_options, (with.signatures.input = given, sign()))          \
    USE(nd_signatures_options, nd_analyzer_options, (with.signatures.analyzer = given, sign()))    \
    USE(nd_signatures_options, nd_resources, (with.signatures.resources = given, sign()))          \
    USE(nd_digests, nd_digests_options,                                                            \
        nd_digests(given, tell_digest, NULL, &out.summary, &failure))                              \
    USE(nd_digests, nd_job_summary, nd_digests(&with.digests, tell_digest, NULL, given, &failure)) \
    USE(nd_digests_options, nd_input_options, (with.digests.input = given, digest()))              \
    USE(nd_digests_options, nd_resources, (with.digests.resources = given, digest()))              \
    USE(nd_idf, nd_idf_options, nd_idf(given, &out.summary, &failure))                             \
    USE(nd_idf, nd_job_summary, nd_idf(&with.idf, given, &failure))                                \
    USE(nd_idf_options, nd_input_options, (with.idf.input = given, count_words()))                 \
    USE(nd_idf_options, nd_analyzer_options, (with.idf.analyzer = given, count_words()))           \
    USE(nd_idf_options, nd_resources, (with.idf.resources = given, count_words()))                 \
    USE(nd_keywords_text, nd_keyword_options,                                                      \
        nd_keywords_text(worder, given, ENGLISH, tell_keyword, NULL, &failure))                    \
    USE(nd_keywords, nd_keywords_options,                                                          \
        nd_keywords(given, tell_keywords, NULL, &out.summary, &failure))                           \
    USE(nd_keywords, nd_job_summary,                                                               \
        nd_keywords(&with.keywords, tell_keywords, NULL, given, &failure))                         \
    USE(nd_keywords_options, nd_input_options, (with.keywords.input = given, find_keywords()))     \
    USE(nd_keywords_options, nd_analyzer_options,                                                  \
        (with.keywords.analyzer = given, find_keywords()))                                         \
    USE(nd_keywords_options, nd_keyword_options,                                                   \
        (with.keywords.keywords = given, find_keywords()))                                         \
    USE(nd_keywords_options, nd_resources, (with.keywords.resources = given, find_keywords()))     \
    USE(nd_passages, nd_passages_options,                                                          \
        nd_passages(given, tell_passage, NULL, &out.summary, &failure))                            \
    USE(nd_passages, nd_job_summary,                                                               \
        nd_passages(&with.passages, tell_passage, NULL, given, &failure))                          \
    USE(nd_passages_options, nd_input_options, (with.passages.input = given, find_passages()))     \
    USE(nd_passages_sources, nd_input_options, find_passages_in(given))                            \
    USE(nd_passages_options, nd_analyzer_options,                                                  \
        (with.passages.analyzer = given, find_passages()))                                         \
    USE(nd_passages_options, nd_resources, (with.passages.resources = given, find_passages()))     \
    USE(nd_substrings, nd_substrings_options,                                                      \
        nd_substrings(given, tell_stretch, NULL, &out.summary, &failure))                          \
    USE(nd_substrings, nd_job_summary,                                                             \
        nd_substrings(&with.substrings, tell_stretch, NULL, given, &failure))                      \
    USE(nd_substrings_options, nd_input_options,                                                   \
        (with.substrings.input = given, find_substrings()))                                        \
    USE(nd_substrings_source, nd_input_options, find_substrings_in(given))                         \
    USE(nd_substrings_options, nd_resources,                                                       \
        (with.substrings.resources = given, find_substrings()))                                    \
    USE(nd_lines, nd_lines_options, nd_lines(given, &out.summary, &failure))                       \
    USE(nd_lines, nd_job_summary, nd_lines(&with.lines, given, &failure))                          \
    USE(nd_lines_options, nd_input_options,                                                        \
        (with.lines.input = given, nd_lines(&with.lines, &out.summary, &failure)))                 \
    USE(nd_lines_options, nd_resources,                                                            \
        (with.lines.resources = given, nd_lines(&with.lines, &out.summary, &failure)))             \
    USE(nd_similarity_options, nd_analyzer_options, (with.similarity.analyzer = given, dedup()))   \
    USE(nd_similarity_options, nd_simhash_options, (with.similarity.simhash = given, dedup()))     \
    USE(nd_dedup, nd_dedup_options, nd_dedup(given, &out.summary, &failure))                       \
    USE(nd_dedup, nd_job_summary, nd_dedup(&with.dedup, given, &failure))                          \
    USE(nd_dedup_options, nd_input_options, (with.dedup.input = given, dedup()))                   \
    USE(nd_dedup_options, nd_similarity_options, (with.dedup.similarity = given, dedup()))         \
    USE(nd_dedup_options, nd_survivor_options, (with.dedup.survivors = given, dedup()))            \
    USE(nd_dedup_options, nd_index_use, dedup_with_index(given))                                   \
    USE(nd_dedup_options, nd_output_options, (with.dedup.outputs = given, dedup()))                \
    USE(nd_dedup_options, nd_resources, (with.dedup.resources = given, dedup()))                   \
    USE(nd_exact, nd_exact_options, nd_exact(given, &out.summary, &failure))                       \
    USE(nd_exact, nd_job_summary, nd_exact(&with.exact, given, &failure))                          \
    USE(nd_exact_options, nd_input_options, (with.exact.input = given, exact()))                   \
    USE(nd_exact_options, nd_analyzer_options, (with.exact.analyzer = given, exact()))             \
    USE(nd_exact_options, nd_survivor_options, (with.exact.survivors = given, exact()))            \
    USE(nd_exact_options, nd_output_options, (with.exact.outputs = given, exact()))                \
    USE(nd_exact_options, nd_index_use, exact_with_index(given))                                   \
    USE(nd_exact_options, nd_resources, (with.exact.resources = given, exact()))                   \
    USE(nd_preset, nd_analyzer_options, preset_of_analyzer(given))                                 \
    USE(nd_preset, nd_similarity_options, preset_of_similarity(given))                             \
    USE(nd_pairs, nd_pairs_options, nd_pairs(given, &out.summary, &failure))                       \
    USE(nd_pairs, nd_job_summary, nd_pairs(&with.pairs, given, &failure))                          \
    USE(nd_pairs_options, nd_input_options, (with.pairs.input = given, pairs()))                   \
    USE(nd_pairs_options, nd_similarity_options, (with.pairs.similarity = given, pairs()))         \
    USE(nd_pairs_options, nd_resources, (with.pairs.resources = given, pairs()))                   \
    USE(nd_audit, nd_audit_options, audit_for(given, &out.summary))                                \
    USE(nd_audit, nd_audit_result, nd_audit(&with.audit, given, &out.summary, &failure))           \
    USE(nd_audit, nd_job_summary, audit_for(&with.audit, given))                                   \
    USE(nd_audit_options, nd_input_options, (with.audit.input = given, audit()))                   \
    USE(nd_audit_options, nd_similarity_options, (with.audit.similarity = given, audit()))         \
    USE(nd_audit_options, nd_survivor_options, (with.audit.survivors = given, audit()))            \
    USE(nd_audit_options, nd_resources, (with.audit.resources = given, audit()))                   \
    USE(nd_tune, nd_tune_options, tune_for(given, &out.summary))                                   \
    USE(nd_tune, nd_tune_result, nd_tune(&with.tune, given, &out.summary, &failure))               \
    USE(nd_tune, nd_job_summary, tune_for(&with.tune, given))                                      \
    USE(nd_tune_options, nd_input_options, (with.tune.input = given, tune()))                      \
    USE(nd_tune_options, nd_analyzer_options, (with.tune.analyzer = given, tune()))                \
    USE(nd_tune_options, nd_resources, (with.tune.resources = given, tune()))                      \
    USE(nd_index_create, nd_index_options, create_index(given))                                    \
    USE(nd_index_create_in_memory, nd_index_options, create_index_in_memory(given))                \
    USE(nd_index_options, nd_analyzer_options,                                                     \
        (with.index.analyzer = given, create_index(&with.index)))                                  \
    USE(nd_index_describe, nd_index_info, nd_index_describe(documents, given, &failure))           \
    USE(nd_index_add, nd_record, add_document(given, false))                                       \
    USE(nd_index_replace, nd_record, add_document(given, true))                                    \
    USE(nd_index_query, nd_index_query_options,                                                    \
        nd_index_query(documents, given, tell_answer, NULL, &out.summary, &failure))               \
    USE(nd_index_query, nd_job_summary,                                                            \
        nd_index_query(documents, &with.index_query, tell_answer, NULL, given, &failure))          \
    USE(nd_index_query_options, nd_input_options,                                                  \
        (with.index_query.input = given, query_documents()))                                       \
    USE(nd_index_query_options, nd_resources,                                                      \
        (with.index_query.resources = given, query_documents()))                                   \
    USE(nd_hamming_create, nd_hamming_options,                                                     \
        open_prints(nd_hamming_create("sized", given, &failure)))                                  \
    USE(nd_hamming_create_in_memory, nd_hamming_options, create_prints_in_memory(given))           \
    USE(nd_hamming_describe, nd_hamming_info, nd_hamming_describe(prints, given, &failure))        \
    USE(nd_hamming_load, nd_fingerprint_source,                                                    \
        nd_hamming_load(prints, given, &with.load, &out.summary, &failure))                        \
    USE(nd_hamming_load, nd_hamming_load_options,                                                  \
        nd_hamming_load(prints, &with.source, given, &out.summary, &failure))                      \
    USE(nd_hamming_load, nd_job_summary,                                                           \
        nd_hamming_load(prints, &with.source, &with.load, given, &failure))                        \
    USE(nd_hamming_load_options, nd_resources, (with.load.resources = given, load()))              \
    USE(nd_hamming_build, nd_hamming_options,                                                      \
        open_prints(nd_hamming_build("sized", given, &with.source, &with.resources, &out.summary,  \
                                     &failure)))                                                   \
    USE(nd_hamming_build, nd_fingerprint_source,                                                   \
        open_prints(nd_hamming_build("sized", &with.hamming, given, &with.resources, &out.summary, \
                                     &failure)))                                                   \
    USE(nd_hamming_build, nd_resources,                                                            \
        open_prints(nd_hamming_build("sized", &with.hamming, &with.source, given, &out.summary,    \
                                     &failure)))                                                   \
    USE(nd_hamming_build, nd_job_summary,                                                          \
        nd_hamming_build("sized", &with.hamming, &with.source, &with.resources, given, &failure))  \
    USE(nd_hamming_search, nd_hamming_search_options, search(given))                               \
    USE(nd_hamming_query, nd_hamming_query_options,                                                \
        nd_hamming_query(prints, given, tell_near, NULL, &out.summary, &failure))                  \
    USE(nd_hamming_query, nd_job_summary,                                                          \
        nd_hamming_query(prints, &with.hamming_query, tell_near, NULL, given, &failure))           \
    USE(nd_hamming_query_options, nd_fingerprint_source,                                           \
        (with.hamming_query.source = given, query_prints()))                                       \
    USE(nd_hamming_query_options, nd_hamming_search_options,                                       \
        (with.hamming_query.search = given, query_prints()))                                       \
    USE(nd_hamming_query_options, nd_resources,                                                    \
        (with.hamming_query.resources = given, query_prints()))                                    \
    USE(nd_hamming_side, nd_fingerprint_source, join(given, &with.join))                           \
    USE(nd_hamming_join, nd_hamming_join_options, join(&with.source, given))                       \
    USE(nd_hamming_join, nd_job_summary,                                                           \
        nd_hamming_join(&(nd_hamming_side){.index = prints}, NULL, &with.join, tell_join, NULL,    \
                        given, &failure))                                                          \
    USE(nd_hamming_join_options, nd_resources,                                                     \
        (with.join.resources = given, join(&with.source, &with.join)))                             \
    USE(nd_stream_open, nd_stream_options, open_stream(given))                                     \
    USE(nd_stream_options, nd_analyzer_options,                                                    \
        (with.stream.analyzer = given, open_stream(&with.stream)))                                 \
    USE(nd_stream_options, nd_simhash_options,                                                     \
        (with.stream.simhash = given, open_stream(&with.stream)))                                  \
    USE(nd_stream_add, nd_record, add_arrival(given))                                              \
    USE(nd_stream_run, nd_stream_run_options,                                                      \
        nd_stream_run(the_stream(), given, tell_arrival, NULL, &out.summary, &failure))            \
    USE(nd_stream_run, nd_job_summary,                                                             \
        nd_stream_run(the_stream(), &with.run, tell_arrival, NULL, given, &failure))               \
    USE(nd_stream_run_options, nd_input_options, (with.run.input = given, run()))                  \
    USE(nd_stream_run_options, nd_resources, (with.run.resources = given, run()))                  \
    USE(nd_stream_describe, nd_stream_info, nd_stream_describe(the_stream(), given, &failure))

#define DEFINE(through, structure, ...)                                                            \
    static nd_status through##_with_##structure(void *given) { return __VA_ARGS__; }
USES(DEFINE)

#define ENTRY(through, structure, ...) {#through, #structure, through##_with_##structure},
const sized_use sized_uses[] = {USES(ENTRY){0}};
