#include "contract.h"

#define CHANGE(name, what)                                                                         \
    static void name(void) { what; }
CHANGE(no_input, job.records = NULL)
CHANGE(null_inputs, (job.records = NULL, job.input_count = 2))
static const char *const holed[] = {"words", NULL};
CHANGE(null_input, (job.records = NULL, job.inputs = holed, job.input_count = 2))
CHANGE(both_inputs, (job.inputs = holed, job.input_count = 1))
CHANGE(no_field, job.text_field = "")
CHANGE(null_field, job.text_field = NULL)
CHANGE(no_record, job.max_record = 0)
CHANGE(bad_invalid, job.invalid = (nd_invalid)3)
CHANGE(bad_analyzer, job.analyzer = (nd_analyzer_kind)3)
CHANGE(bad_ngram, job.ngram = 65)
CHANGE(little_memory, job.memory = (UINT64_C(64) << 20) - 1)
CHANGE(many_threads, job.threads = 100000)
CHANGE(bad_work, job.work = "missing")
CHANGE(bad_keep, job.keep = (nd_keep)4)
CHANGE(bad_group, job.group = (nd_group)2)
CHANGE(bad_sync, job.sync = (nd_sync)3)
CHANGE(bad_sketch, job.sketch = (nd_sketch)3)
CHANGE(bad_verify, job.verify = (nd_verify)3)
CHANGE(nan_threshold, job.threshold = NAN)
CHANGE(large_threshold, job.threshold = INFINITY)
CHANGE(nan_recall, job.recall = NAN)
CHANGE(no_perms, job.perms = 0)
CHANGE(no_compare, job.max_compare = 0)
CHANGE(far_k, (job.sketch = ND_SKETCH_SIMHASH, job.ngram = 1, job.k = 17))
CHANGE(bad_bits, (job.sketch = ND_SKETCH_SIMHASH, job.ngram = 1, job.simhash.bits = 63))
CHANGE(bad_weighting,
       (job.sketch = ND_SKETCH_SIMHASH, job.ngram = 1, job.simhash.weighting = (nd_weighting)9))
CHANGE(nan_cosine, (job.sketch = ND_SKETCH_SIMHASH, job.verify = ND_VERIFY_COSINE, job.ngram = 1,
                    job.threshold = NAN))
CHANGE(no_sentences, (job.sketch = ND_SKETCH_SENTENCES, job.sentences = 0))
CHANGE(many_sentences, (job.sketch = ND_SKETCH_SENTENCES, job.sentences = 65))
CHANGE(nan_sentences, (job.sketch = ND_SKETCH_SENTENCES, job.threshold = NAN))

const bad_job bad_jobs[] = {
    {"inputs", no_input},      {"inputs", null_inputs},   {"inputs[1]", null_input},
    {"inputs", both_inputs},   {"text_field", no_field},  {"text_field", null_field},
    {"max_record", no_record}, {"invalid", bad_invalid},  {"kind", bad_analyzer},
    {"ngram", bad_ngram},      {"memory", little_memory}, {"threads", many_threads},
    {"missing", bad_work},
};
const size_t bad_job_count = sizeof bad_jobs / sizeof *bad_jobs;

static const bad_job bad_dedups[] = {
    {"keep", bad_keep},
    {"group", bad_group},
    {"sync", bad_sync},
    {"sketch", bad_sketch},
    {"verify", bad_verify},
    {"threshold", nan_threshold},
    {"threshold", large_threshold},
    {"recall", nan_recall},
    {"perms", no_perms},
    {"max_compare", no_compare},
    {"k must", far_k},
    {"bits", bad_bits},
    {"weighting", bad_weighting},
    {"threshold", nan_cosine},
    {"sentences", no_sentences},
    {"sentences", many_sentences},
    {"threshold", nan_sentences},
};

#define DEDUP_REFUSED(call)                                                                        \
    for (size_t i = 0; i < sizeof bad_dedups / sizeof *bad_dedups; i++) {                          \
        begin_job(1);                                                                              \
        bad_dedups[i].change();                                                                    \
        REFUSED(bad_dedups[i].part, call);                                                         \
    }

static void begin_dedup(uint32_t threads, nd_sketch how, nd_group group, nd_keep keep) {
    begin_job(threads);
    job.sketch = how;
    job.group = group;
    job.keep = keep;
    job.on_decision = take_decision;
    if (how == ND_SKETCH_SIMHASH) {
        job.ngram = 1;
        job.simhash.weighting = ND_WEIGHTING_TF;
    }
}

static void begin_fed(uint32_t threads, const char *output) {
    begin_job(threads);
    job.output = output;
}

void test_dedup(void **state) {
    (void)state;
    assert_string_equal(CALLED(nd_stage_name(ND_STAGE_COUNT)), "");
    assert_string_equal(nd_stage_name((nd_stage)-1), "");
    CALLED(nd_job_options_init(&job));
    REFUSED("options", nd_dedup(NULL, &out.summary, &failure));
    REFUSED("options", nd_pairs(NULL, &out.summary, &failure));
    ALL_REFUSED(nd_dedup(&job, &out.summary, &failure));
    ALL_REFUSED(nd_pairs(&job, &out.summary, &failure));
    DEDUP_REFUSED(nd_dedup(&job, &out.summary, &failure));
    begin_job(1);
    job.threshold = NAN;
    REFUSED("threshold", nd_pairs(&job, &out.summary, &failure));
    begin_bad_job();
    job.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_dedup(&job, &out.summary, &failure));
    GRANTED(begin_bad_job(), nd_dedup(&job, &out.summary, &failure),
            assert_int_equal(out.summary.skipped, 1));
    GRANTED(begin_dedup(1, ND_SKETCH_MINHASH, ND_GROUP_GREEDY, ND_KEEP_FIRST),
            nd_dedup(&job, &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_MINHASH, ND_GROUP_COMPONENT, ND_KEEP_MAX),
            nd_dedup(&job, &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(1, ND_SKETCH_SIMHASH, ND_GROUP_GREEDY, ND_KEEP_LONGEST),
            nd_dedup(&job, &out.summary, &failure), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_SENTENCES, ND_GROUP_GREEDY, ND_KEEP_MIN),
            nd_dedup(&job, &out.summary, &failure), NOTHING);
    GRANTED((begin_job(1), job.on_pair = take_pair), nd_pairs(&job, &out.summary, &failure),
            NOTHING);
}

static void begin_passages(nd_passages_options *passages) {
    begin_job(1);
    *passages = (nd_passages_options){.source = "source", .least_run = 3, .texts = true};
}

void test_passes(void **state) {
    (void)state;
    REFUSED("path", nd_write_file(NULL, ENGLISH, &failure));
    REFUSED("path", nd_write_file("", ENGLISH, &failure));
    REFUSED("bytes", nd_write_file("output", NULL, 1, &failure));
    FAILS(ND_ERR_IO, "missing", nd_write_file("missing/output", ENGLISH, &failure));
    GRANTED(NOTHING, nd_write_file("output", ENGLISH, &failure), NOTHING);
    REFUSED("options", nd_texts(NULL, take_text, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_texts(&job, NULL, NULL, &out.summary, &failure));
    ALL_REFUSED(nd_texts(&job, take_text, NULL, &out.summary, &failure));
    GRANTED(begin_job(2), nd_texts(&job, take_text, NULL, &out.summary, &failure),
            assert_int_equal(out.summary.documents, DOCUMENTS));

    nd_simhash_options s = simhash_options(64, 9);
    REFUSED("options", nd_fingerprints(NULL, NULL, take_print, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_fingerprints(&job, NULL, NULL, NULL, &out.summary, &failure));
    REFUSED("weighting", nd_fingerprints(&job, &s, take_print, NULL, &out.summary, &failure));
    ALL_REFUSED(nd_fingerprints(&job, NULL, take_print, NULL, &out.summary, &failure));
    GRANTED(begin_fed(2, "output"),
            nd_fingerprints(&job, NULL, take_print, NULL, &out.summary, &failure), NOTHING);

    nd_idf_options f;
    REFUSED("options", nd_idf(NULL, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("output", nd_idf(&job, NULL, &out.summary, &failure));
    job.output = "output";
    const double shares[] = {NAN, 0, 1, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        CALLED(nd_idf_options_init(&f));
        f.stop_share = shares[i];
        REFUSED("stop_share must be above 0 and below 1", nd_idf(&job, &f, &out.summary, &failure));
    }
    nd_idf_options_init(&f);
    f.least = 0;
    REFUSED("least", nd_idf(&job, &f, &out.summary, &failure));
    f.least = 1;
    f.stop_words = "stopped";
    for (size_t i = 0; i < bad_job_count; i++) {
        begin_fed(1, "output");
        bad_jobs[i].change();
        REFUSED(bad_jobs[i].part, nd_idf(&job, NULL, &out.summary, &failure));
    }
    GRANTED(begin_fed(2, "output"), nd_idf(&job, &f, &out.summary, &failure),
            assert_true(out.summary.terms > 10));

    nd_keywords_options k = {.top = 3, .weighting = ND_WEIGHTING_TF};
    REFUSED("options", nd_keywords(NULL, &k, take_keyworded, NULL, &out.summary, &failure));
    begin_job(1);
    REFUSED("fn", nd_keywords(&job, &k, NULL, NULL, &out.summary, &failure));
    REFUSED("twice", nd_keywords(&job, NULL, take_keyworded, NULL, &out.summary, &failure));
    ALL_REFUSED(nd_keywords(&job, &k, take_keyworded, NULL, &out.summary, &failure));
    GRANTED(begin_fed(2, "output"),
            nd_keywords(&job, &k, take_keyworded, NULL, &out.summary, &failure), NOTHING);

    nd_passages_options p;
    CALLED(nd_passages_options_init(&p));
    begin_job(1);
    REFUSED("options", nd_passages(NULL, &p, take_passage, NULL, &out.summary, &failure));
    REFUSED("passages", nd_passages(&job, NULL, take_passage, NULL, &out.summary, &failure));
    REFUSED("source", nd_passages(&job, &p, take_passage, NULL, &out.summary, &failure));
    p.source = "missing";
    REFUSED("fn", nd_passages(&job, &p, NULL, NULL, &out.summary, &failure));
    FAILS(ND_ERR_IO, "missing", nd_passages(&job, &p, take_passage, NULL, &out.summary, &failure));
    p.least_run = 0;
    REFUSED("least_run", nd_passages(&job, &p, take_passage, NULL, &out.summary, &failure));
    begin_passages(&p);
    ALL_REFUSED(nd_passages(&job, &p, take_passage, NULL, &out.summary, &failure));
    GRANTED(begin_passages(&p), nd_passages(&job, &p, take_passage, NULL, &out.summary, &failure),
            assert_true(out.summary.pairs > 0));
    const char *const made[] = {"output", "stopped"};
    for (size_t i = 0; i < 2; i++) unlink(made[i]);
}
