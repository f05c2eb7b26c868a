#include "contract.h"

#include <pthread.h>

#define CHANGE(name, what)                                                                         \
    static void name(void) { what; }
CHANGE(no_input, job.input.records = NULL)
CHANGE(null_inputs, (job.input.records = NULL, job.input.input_count = 2))
static const char *const holed[] = {"words", NULL};
CHANGE(null_input, (job.input.records = NULL, job.input.inputs = holed, job.input.input_count = 2))
CHANGE(both_inputs, (job.input.inputs = holed, job.input.input_count = 1))
static const char *const empty_field[] = {""};
CHANGE(no_field, job.input.text_fields = empty_field)
CHANGE(null_field, job.input.text_fields = NULL)
CHANGE(no_fields, job.input.text_field_count = 0)
CHANGE(many_fields, job.input.text_field_count = 65)
CHANGE(no_format, job.input.format = ND_FORMAT_PARQUET + 1)
CHANGE(no_record, job.input.max_record = 0)
CHANGE(bad_invalid, job.input.invalid = (nd_invalid)3)
CHANGE(little_memory, job.resources.memory = (UINT64_C(64) << 20) - 1)
CHANGE(many_threads, job.resources.threads = 100000)
CHANGE(bad_work, job.resources.work = "missing")
CHANGE(bad_kind, job.analyzer.kind = (nd_analyzer_kind)3)
CHANGE(bad_ngram, job.analyzer.ngram = 65)
CHANGE(bad_keep, job.survivors.keep = (nd_keep)4)
CHANGE(bad_group, job.survivors.group = (nd_group)2)
CHANGE(little_removed, job.survivors.max_removed = -0.5)
CHANGE(much_removed, job.survivors.max_removed = 1.5)
CHANGE(nan_removed, job.survivors.max_removed = NAN)
CHANGE(null_protect, job.survivors.protect_count = 1)
static const char *const half_protected[] = {"split=test", "split"};
CHANGE(half_protect, (job.survivors.protect = half_protected, job.survivors.protect_count = 2))
CHANGE(bad_sketch, job.similarity.sketch = (nd_sketch)4)
CHANGE(bad_verify, job.similarity.verify = (nd_verify)3)
CHANGE(nan_threshold, job.similarity.threshold = NAN)
CHANGE(large_threshold, job.similarity.threshold = INFINITY)
CHANGE(nan_recall, job.similarity.recall = NAN)
CHANGE(no_perms, job.similarity.perms = 0)
CHANGE(no_compare, job.similarity.max_compare = 0)
static const char *const no_word[] = {"numbers", "yes,,no"}, *const null_word[] = {NULL};
CHANGE(null_differ, job.similarity.differ_by_count = 1)
CHANGE(null_list, (job.similarity.differ_by = null_word, job.similarity.differ_by_count = 1))
CHANGE(bad_list, (job.similarity.differ_by = no_word, job.similarity.differ_by_count = 2))
CHANGE(stems, job.analyzer.stem = "english")
CHANGE(bad_measure, job.similarity.measure = (nd_measure)2)
CHANGE(estimated_containment,
       (job.similarity.measure = ND_MEASURE_CONTAINMENT, job.similarity.verify = ND_VERIFY_NONE))
CHANGE(sketched_containment,
       (job.similarity.measure = ND_MEASURE_CONTAINMENT, job.similarity.sketch = ND_SKETCH_SIMHASH))
CHANGE(nan_containment,
       (job.similarity.measure = ND_MEASURE_CONTAINMENT, job.similarity.threshold = NAN))
CHANGE(minhash_cosine, job.similarity.verify = ND_VERIFY_COSINE)
CHANGE(no_sentences, (job.similarity.sketch = ND_SKETCH_SENTENCES, job.similarity.sentences = 0))
CHANGE(many_sentences, (job.similarity.sketch = ND_SKETCH_SENTENCES, job.similarity.sentences = 65))
CHANGE(far_distance, (job.similarity.sketch = ND_SKETCH_TLSH, job.similarity.distance = 301))
CHANGE(nan_digests, (job.similarity.sketch = ND_SKETCH_TLSH, job.similarity.threshold = NAN))
CHANGE(nan_sentences, (job.similarity.sketch = ND_SKETCH_SENTENCES, job.similarity.threshold = NAN))

static void use_simhash(void) {
    job.similarity.sketch = ND_SKETCH_SIMHASH;
    job.analyzer.ngram = 1;
}
CHANGE(far_k, (use_simhash(), job.similarity.k = 17))
CHANGE(bad_bits, (use_simhash(), job.simhash.bits = 63))
CHANGE(bad_weighting, (use_simhash(), job.simhash.weighting = (nd_weighting)9))
CHANGE(no_table, (use_simhash(), job.simhash.weighting = ND_WEIGHTING_TABLE))
CHANGE(levels, (use_simhash(), job.simhash.weighting = ND_WEIGHTING_LEVELS))
CHANGE(nan_cosine,
       (use_simhash(), job.similarity.verify = ND_VERIFY_COSINE, job.similarity.threshold = NAN))

const bad_job bad_jobs[] = {
    {"inputs", no_input},
    {"inputs", null_inputs},
    {"inputs[1]", null_input},
    {"inputs", both_inputs},
    {"text_fields", no_field},
    {"text_fields", null_field},
    {"text_field_count", no_fields},
    {"text_field_count", many_fields},
    {"format", no_format},
    {"max_record", no_record},
    {"invalid", bad_invalid},
    {"memory", little_memory},
    {"threads", many_threads},
    {"missing", bad_work},
    {0},
};
static const bad_job bad_analyzers[] = {{"kind", bad_kind}, {"ngram", bad_ngram}, {0}};
/* Of jobs for which ngram does not matter. */
static const bad_job bad_kinds[] = {{"kind", bad_kind}, {0}};

static const bad_job bad_similarities[] = {
    {"sketch", bad_sketch},
    {"verify", bad_verify},
    {"verify", minhash_cosine},
    {"measure", bad_measure},
    {"verify", estimated_containment},
    {"sketch", sketched_containment},
    {"threshold", nan_containment},
    {"threshold", nan_threshold},
    {"threshold", large_threshold},
    {"recall", nan_recall},
    {"perms", no_perms},
    {"max_compare", no_compare},
    {"differ_by", null_differ},
    {"differ_by", null_list},
    {"differ_by", bad_list},
    {"stem", stems},
    {"k must", far_k},
    {"bits", bad_bits},
    {"weighting", bad_weighting},
    {"table", no_table},
    {"weighting", levels},
    {"threshold", nan_cosine},
    {"sentences", no_sentences},
    {"sentences", many_sentences},
    {"threshold", nan_sentences},
    {"distance", far_distance},
    {"threshold", nan_digests},
    {0},
};

static const bad_job bad_survivors[] = {{"keep", bad_keep},
                                        {"group", bad_group},
                                        {"max_removed", little_removed},
                                        {"max_removed", much_removed},
                                        {"max_removed", nan_removed},
                                        {"protect[0]", null_protect},
                                        {"protect[1]", half_protect},
                                        {0}};

/* ---- dedup, pairs */

static void begin_dedup(uint32_t threads, nd_sketch how, nd_group group, nd_keep keep) {
    begin_job(threads);
    job.similarity.sketch = how;
    job.survivors.group = group;
    job.survivors.keep = keep;
    job.outputs.on_decision = take_decision;
    if (how == ND_SKETCH_SIMHASH) {
        job.analyzer.ngram = 1;
        job.simhash.weighting = ND_WEIGHTING_TF;
    }
}

void test_dedup(void **state) {
    (void)state;
    assert_string_equal(CALLED(nd_stage_name(ND_STAGE_COUNT)), "");
    assert_string_equal(nd_stage_name((nd_stage)-1), "");
    assert_string_equal(CALLED(nd_input_format_name(ND_FORMAT_CSV)), "csv");
    assert_string_equal(nd_input_format_name((nd_input_format)99), "");
    CALLED(nd_input_options_init(&job.input, sizeof job.input));
    CALLED(nd_similarity_options_init(&job.similarity, sizeof job.similarity));
    CALLED(nd_resources_init(&job.resources, sizeof job.resources));
    const nd_dedup_options no_dedup = {.struct_size = sizeof no_dedup};
    const nd_pairs_options no_pairs = {.struct_size = sizeof no_pairs};
    REFUSED("options", nd_dedup(NULL, &out.summary, &failure));
    REFUSED("options", nd_pairs(NULL, &out.summary, &failure));
    REFUSED("input", nd_dedup(&no_dedup, &out.summary, &failure));
    REFUSED("input", nd_pairs(&no_pairs, &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_dedup(dedup_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_analyzers, nd_dedup(dedup_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_similarities, nd_dedup(dedup_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_survivors, nd_dedup(dedup_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_pairs(pairs_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_analyzers, nd_pairs(pairs_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_similarities, nd_pairs(pairs_of(&job), &out.summary, &failure));
    begin_bad_job();
    job.input.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_dedup(dedup_of(&job), &out.summary, &failure));
    begin_bad_job();
    job.input.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_pairs(pairs_of(&job), &out.summary, &failure));
    GRANTED(begin_bad_job(), nd_dedup(dedup_of(&job), &out.summary, &failure),
            assert_int_equal(out.summary.skipped, 1));
    GRANTED(begin_dedup(1, ND_SKETCH_MINHASH, ND_GROUP_GREEDY, ND_KEEP_FIRST),
            nd_dedup(dedup_of(&job), &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_MINHASH, ND_GROUP_COMPONENT, ND_KEEP_MAX),
            nd_dedup(dedup_of(&job), &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(1, ND_SKETCH_SIMHASH, ND_GROUP_GREEDY, ND_KEEP_LONGEST),
            nd_dedup(dedup_of(&job), &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_SENTENCES, ND_GROUP_GREEDY, ND_KEEP_MIN),
            nd_dedup(dedup_of(&job), &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_TLSH, ND_GROUP_GREEDY, ND_KEEP_MAX),
            nd_dedup(dedup_of(&job), &out.summary, &failure), NOTHING);
    GRANTED((begin_job(1), job.outputs.on_pair = take_pair),
            nd_pairs(pairs_of(&job), &out.summary, &failure), NOTHING);
}

void test_exact(void **state) {
    (void)state;
    const nd_exact_options no_exact = {.struct_size = sizeof no_exact};
    REFUSED("options", nd_exact(NULL, &out.summary, &failure));
    REFUSED("input", nd_exact(&no_exact, &out.summary, &failure));
    begin_job(1);
    REFUSED("by", nd_exact(exact_of(&job, (nd_equal)3), &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_exact(exact_of(&job, ND_EQUAL_BYTES), &out.summary, &failure));
    ALL_REFUSED(bad_analyzers, nd_exact(exact_of(&job, ND_EQUAL_TOKENS), &out.summary, &failure));
    ALL_REFUSED(bad_survivors, nd_exact(exact_of(&job, ND_EQUAL_TEXT), &out.summary, &failure));
    begin_bad_job();
    job.input.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_exact(exact_of(&job, ND_EQUAL_BYTES), &out.summary, &failure));
    for (nd_equal by = ND_EQUAL_BYTES; by <= ND_EQUAL_TOKENS; by++)
        GRANTED((begin_job(1 + (by == ND_EQUAL_TEXT)), job.outputs.on_decision = take_decision),
                nd_exact(exact_of(&job, by), &out.summary, &failure), NOTHING);
}

CHANGE(no_sample, job.audit.sample = 0)
CHANGE(large_sample, job.audit.sample = UINT64_C(1) << 31)
CHANGE(zero_threshold,
       (use_simhash(), job.similarity.verify = ND_VERIFY_NONE, job.similarity.threshold = 0))
static const bad_job bad_audits[] = {
    {"sample", no_sample}, {"sample", large_sample}, {"threshold", zero_threshold}, {0}};

static bool take_missed(void *context, const nd_missed_pair *pair) {
    (void)context;
    return pair->id_a != NULL;
}

void test_audit(void **state) {
    (void)state;
    nd_audit_result result = {.struct_size = sizeof result};
    const nd_audit_options no_audit = {.struct_size = sizeof no_audit, .sample = 1};
    CALLED(nd_audit_options_init(&job.audit, sizeof job.audit));
    REFUSED("options", nd_audit(NULL, &result, &out.summary, &failure));
    REFUSED("input", nd_audit(&no_audit, &result, &out.summary, &failure));
    begin_job(1);
    REFUSED("result", nd_audit(audit_of(&job), NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_audit(audit_of(&job), &result, &out.summary, &failure));
    ALL_REFUSED(bad_analyzers, nd_audit(audit_of(&job), &result, &out.summary, &failure));
    ALL_REFUSED(bad_similarities, nd_audit(audit_of(&job), &result, &out.summary, &failure));
    ALL_REFUSED(bad_survivors, nd_audit(audit_of(&job), &result, &out.summary, &failure));
    ALL_REFUSED(bad_audits, nd_audit(audit_of(&job), &result, &out.summary, &failure));
    begin_bad_job();
    job.input.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_audit(audit_of(&job), &result, &out.summary, &failure));
    for (uint32_t threads = 1; threads <= 2; threads++)
        GRANTED((begin_dedup(threads, threads == 1 ? ND_SKETCH_MINHASH : ND_SKETCH_SIMHASH,
                             ND_GROUP_GREEDY, ND_KEEP_LONGEST),
                 job.audit.on_missed = take_missed),
                nd_audit(audit_of(&job), &result, &out.summary, &failure),
                assert_int_equal(result.sampled, DOCUMENTS));
}

CHANGE(no_tuned, job.tune.sample = 0)
CHANGE(large_tuned, job.tune.sample = UINT32_C(1) << 31)
CHANGE(zero_lowest, job.tune.lowest = 0)
CHANGE(large_lowest, job.tune.lowest = 1.01)
CHANGE(nan_lowest, job.tune.lowest = NAN)
CHANGE(bad_tune_measure, job.tune.measure = (nd_measure)2)
static const bad_job bad_tunes[] = {{"sample", no_tuned},
                                    {"sample", large_tuned},
                                    {"lowest", zero_lowest},
                                    {"lowest", large_lowest},
                                    {"lowest", nan_lowest},
                                    {"measure", bad_tune_measure},
                                    {0}};

static bool take_tuned(void *context, const nd_tuned_document *document) {
    (void)context;
    return document->named.id != NULL;
}

void test_tune(void **state) {
    (void)state;
    nd_tune_result result = {.struct_size = sizeof result};
    const nd_tune_options no_tune = {.struct_size = sizeof no_tune, .sample = 1};
    CALLED(nd_tune_options_init(&job.tune, sizeof job.tune));
    REFUSED("options", nd_tune(NULL, &result, &out.summary, &failure));
    REFUSED("lowest", nd_tune(&no_tune, &result, &out.summary, &failure));
    begin_job(1);
    REFUSED("result", nd_tune(tune_of(&job), NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_tune(tune_of(&job), &result, &out.summary, &failure));
    ALL_REFUSED(bad_analyzers, nd_tune(tune_of(&job), &result, &out.summary, &failure));
    ALL_REFUSED(bad_tunes, nd_tune(tune_of(&job), &result, &out.summary, &failure));
    begin_bad_job();
    job.input.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_tune(tune_of(&job), &result, &out.summary, &failure));
    for (uint32_t threads = 1; threads <= 2; threads++)
        GRANTED((begin_job(threads), job.tune.on_document = take_tuned),
                nd_tune(tune_of(&job), &result, &out.summary, &failure),
                assert_int_equal(result.sampled, DOCUMENTS));
}

/* Every part that may be NULL has its defaults then: no failure, and the same survivors. */
static void check_null_parts(void) {
    begin_job(1);
    good(nd_dedup(dedup_of(&job), &out.summary, &failure));
    uint64_t kept = out.summary.kept;
    assert_true(kept > 0 && kept < DOCUMENTS);
    for (int null = 0; null < 6; null++) {
        begin_job(1);
        nd_dedup_options o = *dedup_of(&job);
        if (null == 1) o.similarity = NULL;
        if (null == 2) o.survivors = NULL;
        if (null == 3) o.outputs = NULL;
        if (null == 4) o.resources = NULL;
        if (null == 5) job.similarity.analyzer = NULL, job.similarity.simhash = NULL;
        begin_call();
        good(nd_dedup(&o, null ? &out.summary : NULL, &failure));
        if (null) assert_int_equal(out.summary.kept, kept);
    }
}

/* ---- an index of a job */

static nd_index *used;

/* A new one, on disk or in memory. */
static const nd_index_options *use_options; /* NULL: the defaults */

static void begin_use(bool in_memory, uint32_t threads) {
    nd_error reason;
    nd_index_close(used);
    remove_directory("used");
    nd_status status = in_memory
                           ? nd_index_create_in_memory(use_options, &allocator, &used, &reason)
                           : nd_index_create("used", use_options, &reason);
    if (status == ND_OK && !in_memory)
        status = nd_index_open("used", ND_INDEX_WRITE, &allocator, &used, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
    begin_job(threads);
    job.index.index = used;
}

CHANGE(bad_sync, (begin_use(true, 1), job.index.sync = (nd_sync)3))
CHANGE(two_indexes, (begin_use(true, 1), job.index.path = "used"))
CHANGE(components, (begin_use(true, 1), job.survivors.group = ND_GROUP_COMPONENT))
CHANGE(simhash_sketch, (begin_use(true, 1), use_simhash(), job.simhash.weighting = ND_WEIGHTING_TF))
CHANGE(sentence_sketch, (begin_use(true, 1), job.similarity.sketch = ND_SKETCH_SENTENCES))
CHANGE(other_ngram, (begin_use(true, 1), job.analyzer.ngram = 4))
CHANGE(other_seed, (begin_use(true, 1), job.analyzer.seed = 2))
CHANGE(other_threshold, (begin_use(true, 1), job.similarity.threshold = 0.9))
CHANGE(other_perms, (begin_use(true, 1), job.similarity.perms = 64))
CHANGE(segments,
       (begin_use(true, 1), job.analyzer.kind = ND_SEGMENT, job.analyzer.dictionary = dictionary))

static const bad_job bad_indexes[] = {
    {"sync", bad_sync},
    {"not both", two_indexes},
    {"component", components},
    {"sketch", simhash_sketch},
    {"sketch", sentence_sketch},
    {"ngram", other_ngram},
    {"seed", other_seed},
    {"threshold", other_threshold},
    {"perms", other_perms},
    {"kind", segments},
    {0},
};

static const bad_job bad_hashes[] = {
    {"sync", bad_sync}, {"not both", two_indexes}, {"seed", other_seed}, {"kind", segments}, {0}};

static void *change(void *status) {
    bool found;
    *(nd_status *)status = nd_index_remove(used, "d0", 2, &found, NULL);
    return NULL;
}

/* The index of nd_exact, and those of other jobs. */
void test_exact_index(void **state) {
    (void)state;
    nd_index_options hashes;
    nd_index_options_init(&hashes, sizeof hashes);
    hashes.content = ND_CONTENT_HASHES;
    hashes.by = ND_EQUAL_TOKENS;
    begin_use(true, 1);
    REFUSED("hashes", nd_exact(exact_of(&job, ND_EQUAL_TOKENS), &out.summary, &failure));
    use_options = &hashes;
    ALL_REFUSED(bad_hashes, nd_exact(exact_of(&job, ND_EQUAL_TOKENS), &out.summary, &failure));
    begin_use(true, 1);
    REFUSED("by tokens", nd_exact(exact_of(&job, ND_EQUAL_TEXT), &out.summary, &failure));
    REFUSED("hashes", nd_dedup(dedup_of(&job), &out.summary, &failure));
    REFUSED("hashes", nd_index_searcher_create(used, &out.searcher, &failure));
    for (int in_memory = 0; in_memory < 2; in_memory++)
        GRANTED(begin_use(in_memory, 1),
                nd_exact(exact_of(&job, ND_EQUAL_TOKENS), &out.summary, &failure),
                assert_true(out.summary.kept > 0));
    nd_index_close(used);
    used = NULL;
    use_options = NULL;
    remove_directory("used");
}

/* Neither a callback of the job nor another thread may change the index; both may search. */
static bool change_meanwhile(void *context, const nd_decision *decision) {
    nd_index_searcher *searcher;
    const nd_match *matches;
    size_t count;
    nd_status here, there;
    pthread_t thread;
    (void)decision;
    if (++*(int *)context % 10) return true;
    change(&here);
    assert_int_equal(pthread_create(&thread, NULL, change, &there), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(here == ND_ERR_BUSY && there == ND_ERR_BUSY);
    good(nd_index_searcher_create(used, &searcher, &failure));
    good(nd_index_search(searcher, ENGLISH, ND_SEARCH_ALL, &matches, &count, &failure));
    nd_index_searcher_free(searcher);
    return true;
}

void test_index_use(void **state) {
    (void)state;
    check_null_parts();
    ALL_REFUSED(bad_indexes, nd_dedup(dedup_of(&job), &out.summary, &failure));
    begin_job(1);
    nd_dedup_options none = *dedup_of(&job);
    const nd_index_use empty = {.struct_size = sizeof empty};
    none.index = &empty;
    REFUSED("nd_index_use", nd_dedup(&none, &out.summary, &failure));
    begin_job(1);
    job.index.path = "missing";
    FAILS(ND_ERR_IO, "missing", nd_dedup(dedup_of(&job), &out.summary, &failure));
    begin_use(false, 1);
    nd_index_close(used);
    good(nd_index_open("used", ND_INDEX_READ, &allocator, &used, &failure));
    job.index.index = used;
    REFUSED("reading", nd_dedup(dedup_of(&job), &out.summary, &failure));
    for (int in_memory = 0; in_memory < 2; in_memory++)
        GRANTED(begin_use(in_memory, 1), nd_dedup(dedup_of(&job), &out.summary, &failure),
                assert_true(out.summary.kept > 0 && out.summary.removed > 0));
    int calls = 0;
    begin_use(true, 2);
    job.outputs.on_decision = change_meanwhile;
    job.outputs.context = &calls;
    begin_call();
    good(nd_dedup(dedup_of(&job), &out.summary, &failure));
    assert_int_equal(calls, DOCUMENTS);
    nd_index_close(used);
    used = NULL;
    remove_directory("used");
}

/* ---- jobs that read once */

static void begin_fed(uint32_t threads, const char *output) {
    begin_job(threads);
    job.outputs.kept = output;
}

static void check_files(void) {
    REFUSED("path", nd_write_file(NULL, ENGLISH, &failure));
    REFUSED("path", nd_write_file("", ENGLISH, &failure));
    REFUSED("bytes", nd_write_file("output", NULL, 1, &failure));
    FAILS(ND_ERR_IO, "missing", nd_write_file("missing/output", ENGLISH, &failure));
    GRANTED(NOTHING, nd_write_file("output", ENGLISH, &failure), NOTHING);
}

static void check_texts(void) {
    const nd_resources *none = NULL;
    REFUSED("input", nd_texts(NULL, take_text, NULL, none, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_texts(&job.input, NULL, NULL, none, &out.summary, &failure));
    ALL_REFUSED(bad_jobs,
                nd_texts(&job.input, take_text, NULL, &job.resources, &out.summary, &failure));
    GRANTED(begin_job(2),
            nd_texts(&job.input, take_text, NULL, &job.resources, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
    begin_job(1);
    good(nd_texts(&job.input, take_text, NULL, none, NULL, &failure));
}

static bool take_input(void *context, const nd_input_info *info) {
    assert_string_equal(info->name, "record");
    assert_true(info->format == ND_FORMAT_AUTO && !info->directory && info->size == 0);
    ++*(int *)context;
    return true;
}

static void check_inputs(void) {
    const nd_resources *none = NULL;
    int inputs = 0, *count = &inputs;
    REFUSED("input", nd_inputs(NULL, take_input, count, none, &failure));
    begin_job(1);
    REFUSED("fn", nd_inputs(&job.input, NULL, count, none, &failure));
    ALL_REFUSED(bad_jobs, nd_inputs(&job.input, take_input, count, &job.resources, &failure));
    GRANTED((begin_job(2), inputs = 0),
            nd_inputs(&job.input, take_input, count, &job.resources, &failure),
            assert_int_equal(inputs, 1));
}

static bool take_field(void *context, const nd_input_field *field) {
    return (void)context, (void)field, true;
}

static void check_input_fields(void) {
    const nd_resources *none = NULL;
    REFUSED("input", nd_input_fields(NULL, take_field, NULL, none, &failure));
    begin_job(1);
    REFUSED("fn", nd_input_fields(&job.input, NULL, NULL, none, &failure));
    ALL_REFUSED(bad_jobs, nd_input_fields(&job.input, take_field, NULL, &job.resources, &failure));
    GRANTED(begin_job(2), nd_input_fields(&job.input, take_field, NULL, &job.resources, &failure),
            NOTHING);
}

static void check_fingerprints(void) {
    const nd_simhash_options s = simhash_options(64, 9);
    const nd_fingerprints_options none = {.struct_size = sizeof none};
    REFUSED("options", nd_fingerprints(NULL, take_print, NULL, &out.summary, &failure));
    REFUSED("input", nd_fingerprints(&none, take_print, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_fingerprints(fingerprints_of(&job, NULL), NULL, NULL, &out.summary, &failure));
    REFUSED("weighting",
            nd_fingerprints(fingerprints_of(&job, &s), take_print, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_fingerprints(fingerprints_of(&job, NULL), take_print, NULL,
                                          &out.summary, &failure));
    ALL_REFUSED(bad_analyzers, nd_fingerprints(fingerprints_of(&job, NULL), take_print, NULL,
                                               &out.summary, &failure));
    GRANTED(begin_fed(2, "output"),
            nd_fingerprints(fingerprints_of(&job, NULL), take_print, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
}

static void check_signatures(void) {
    const nd_signatures_options none = {.struct_size = sizeof none, .perms = 8};
    CALLED(nd_signatures_options_init(&job.signatures, sizeof job.signatures));
    REFUSED("options", nd_signatures(NULL, take_signed, NULL, &out.summary, &failure));
    REFUSED("input", nd_signatures(&none, take_signed, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_signatures(signatures_of(&job, 8), NULL, NULL, &out.summary, &failure));
    REFUSED("perms",
            nd_signatures(signatures_of(&job, 0), take_signed, NULL, &out.summary, &failure));
    REFUSED("perms",
            nd_signatures(signatures_of(&job, 1025), take_signed, NULL, &out.summary, &failure));
    nd_signatures_options wide = *signatures_of(&job, 8);
    wide.bands = 3, wide.rows = 3;
    REFUSED("3 bands of 3 rows", nd_signatures(&wide, take_signed, NULL, &out.summary, &failure));
    wide.rows = 0;
    REFUSED("3 bands of 0 rows", nd_signatures(&wide, take_signed, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs,
                nd_signatures(signatures_of(&job, 8), take_signed, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_analyzers,
                nd_signatures(signatures_of(&job, 8), take_signed, NULL, &out.summary, &failure));
    GRANTED(begin_job(2),
            nd_signatures(signatures_of(&job, 8), take_signed, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
}

static bool take_digest(void *context, const nd_digested *document) {
    (void)context;
    return document->id != NULL;
}

static void check_digests(void) {
    const nd_digests_options none = {.struct_size = sizeof none};
    REFUSED("options", nd_digests(NULL, take_digest, NULL, &out.summary, &failure));
    REFUSED("input", nd_digests(&none, take_digest, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_digests(digests_of(&job, ND_TLSH_128_1), NULL, NULL, &out.summary, &failure));
    REFUSED("variant", nd_digests(digests_of(&job, (nd_tlsh_variant)4), take_digest, NULL,
                                  &out.summary, &failure));
    ALL_REFUSED(bad_jobs, nd_digests(digests_of(&job, ND_TLSH_256_3), take_digest, NULL,
                                     &out.summary, &failure));
    GRANTED(begin_job(2),
            nd_digests(digests_of(&job, ND_TLSH_256_3), take_digest, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
}

static void begin_idf(double stop_share, uint64_t least) {
    begin_fed(2, "output");
    CALLED(nd_idf_options_init(&job.idf, sizeof job.idf));
    job.idf.stop_share = stop_share;
    job.idf.least = least;
    job.idf.stop_words = "stopped";
}

static void check_idf(void) {
    const nd_idf_options none = {
        .struct_size = sizeof none, .output = "output", .least = 1, .stop_share = 0.1};
    REFUSED("options", nd_idf(NULL, &out.summary, &failure));
    REFUSED("input", nd_idf(&none, &out.summary, &failure));
    begin_job(1);
    REFUSED("output", nd_idf(idf_of(&job), &out.summary, &failure));
    const double shares[] = {NAN, 0, 1, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        begin_idf(shares[i], 1);
        REFUSED("stop_share must be above 0 and below 1",
                nd_idf(idf_of(&job), &out.summary, &failure));
    }
    begin_idf(0.1, 0);
    REFUSED("least", nd_idf(idf_of(&job), &out.summary, &failure));
    ALL_REFUSED(bad_jobs,
                nd_idf((job.outputs.kept = "output", idf_of(&job)), &out.summary, &failure));
    ALL_REFUSED(bad_kinds,
                nd_idf((job.outputs.kept = "output", idf_of(&job)), &out.summary, &failure));
    GRANTED(begin_idf(0.1, 1), nd_idf(idf_of(&job), &out.summary, &failure),
            assert_true(out.summary.terms > 10));
}

static void check_keywords(void) {
    const nd_keywords_options none = {.struct_size = sizeof none};
    nd_keyword_options k = {.struct_size = sizeof k, .top = 3, .weighting = ND_WEIGHTING_TF};
    REFUSED("options", nd_keywords(NULL, take_keyworded, NULL, &out.summary, &failure));
    REFUSED("input", nd_keywords(&none, take_keyworded, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_keywords(keywords_of(&job, &k), NULL, NULL, &out.summary, &failure));
    REFUSED("twice",
            nd_keywords(keywords_of(&job, NULL), take_keyworded, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs,
                nd_keywords(keywords_of(&job, &k), take_keyworded, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_kinds,
                nd_keywords(keywords_of(&job, &k), take_keyworded, NULL, &out.summary, &failure));
    begin_job(1);
    k.top = 0;
    REFUSED("top",
            nd_keywords(keywords_of(&job, &k), take_keyworded, NULL, &out.summary, &failure));
    k.top = 3;
    GRANTED(begin_fed(2, "output"),
            nd_keywords(keywords_of(&job, &k), take_keyworded, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));
}

static nd_passages_options passages;

static bool take_query(void *context, const nd_query_share *query) {
    (void)context;
    assert_true(query->found <= query->tokens && query->text != NULL);
    return true;
}

static bool take_source(void *context, const nd_query_share *query, const nd_source_share *source) {
    (void)context;
    assert_true(source->passages > 0 && source->found <= query->found);
    return true;
}

/* For the job as it is; it is valid until the job changes. */
static const nd_passages_options *passages_options(void) {
    CALLED(nd_passages_options_init(&passages, sizeof passages));
    passages.input = &job.input;
    passages.source = "source";
    passages.analyzer = &job.analyzer;
    passages.least_run = 3;
    passages.texts = true;
    passages.on_query = take_query;
    passages.on_source = take_source;
    passages.resources = &job.resources;
    return &passages;
}

static void check_passages(void) {
    nd_passages_options p;
    REFUSED("options", nd_passages(NULL, take_passage, NULL, &out.summary, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        begin_job(1);                                                                              \
        p = *passages_options();                                                                   \
        p __VA_ARGS__;                                                                             \
        REFUSED(part, nd_passages(&p, take_passage, NULL, &out.summary, &failure));                \
    } while (0)
    BAD("input", .input = NULL);
    BAD("source", .source = NULL);
    BAD("least_run", .least_run = 0);
#undef BAD
    begin_job(1);
    REFUSED("fn", nd_passages(passages_options(), NULL, NULL, &out.summary, &failure));
    p = *passages_options();
    p.source = "missing";
    FAILS(ND_ERR_IO, "missing", nd_passages(&p, take_passage, NULL, &out.summary, &failure));
    job.analyzer.stem = "english";
    REFUSED("stem", nd_passages(passages_options(), take_passage, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_jobs,
                nd_passages(passages_options(), take_passage, NULL, &out.summary, &failure));
    ALL_REFUSED(bad_kinds,
                nd_passages(passages_options(), take_passage, NULL, &out.summary, &failure));
    GRANTED(begin_job(1),
            nd_passages(passages_options(), take_passage, NULL, &out.summary, &failure),
            assert_true(out.summary.pairs > 0 && out.summary.found_tokens > 0));
}

static bool take_stretch(void *context, const nd_repeated_stretch *stretch) {
    (void)context;
    assert_true(stretch->begin + 16 <= stretch->end && stretch->source <= stretch->document);
    return true;
}

static nd_substrings_options substrings;

/* For the job as it is; it is valid until the job changes. */
static const nd_substrings_options *substrings_options(void) {
    CALLED(nd_substrings_options_init(&substrings, sizeof substrings));
    substrings.input = &job.input;
    substrings.least = 16;
    substrings.resources = &job.resources;
    return &substrings;
}

static void check_substrings(void) {
    nd_substrings_options s;
    REFUSED("options", nd_substrings(NULL, take_stretch, NULL, &out.summary, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        begin_job(1);                                                                              \
        s = *substrings_options();                                                                 \
        s __VA_ARGS__;                                                                             \
        REFUSED(part, nd_substrings(&s, take_stretch, NULL, &out.summary, &failure));              \
    } while (0)
    BAD("input", .input = NULL);
    BAD("least", .least = 15);
    BAD("least", .least = 4001);
    BAD("least_tokens", .least_tokens = 3);
    BAD("least_tokens", .least_tokens = 4001);
    BAD("keep", .keep = (nd_repeats_kept)2);
    BAD("keep", .keep = ND_REPEATS_KEEP_NONE, s.source = &job.input);
    BAD("cut_at", .cut_at = (nd_cut_at)4);
    BAD("passes", .passes = 2, s.source = &job.input);
#undef BAD
    ALL_REFUSED(bad_jobs,
                nd_substrings(substrings_options(), take_stretch, NULL, &out.summary, &failure));
    GRANTED(begin_job(1),
            nd_substrings(substrings_options(), take_stretch, NULL, &out.summary, &failure),
            assert_true(out.summary.pairs > 0 && out.summary.repeated_bytes > 0));
}

static void check_lines(void) {
    nd_lines_options o;
    REFUSED("options", nd_lines(NULL, &out.summary, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        begin_job(1);                                                                              \
        CALLED(nd_lines_options_init(&o, sizeof o));                                               \
        o.input = &job.input;                                                                      \
        o __VA_ARGS__;                                                                             \
        REFUSED(part, nd_lines(&o, &out.summary, &failure));                                       \
    } while (0)
    BAD("input", .input = NULL);
    BAD("min_words", .min_words = 0);
    BAD("more_than", .more_than = 0);
    BAD("more_than", .more_than = 2);
    BAD("by_host", .by_host = true);
    BAD("index", .index = "no", o.keep = ND_REPEATS_KEEP_NONE);
#undef BAD
    begin_job(1);
    CALLED(nd_lines_options_init(&o, sizeof o));
    o.input = &job.input;
    GRANTED(begin_job(1), nd_lines(&o, &out.summary, &failure), assert_true(out.summary.units > 0));
}

void test_passes(void **state) {
    (void)state;
    check_lines();
    check_files();
    check_texts();
    check_inputs();
    check_input_fields();
    check_fingerprints();
    check_signatures();
    check_digests();
    check_idf();
    check_keywords();
    check_passages();
    check_substrings();
    const char *const made[] = {"output", "stopped"};
    for (size_t i = 0; i < 2; i++) unlink(made[i]);
}
