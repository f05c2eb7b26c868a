#include "job/job_options.h"

#include "base/argument.h"
#include "base/workers.h"
#include "job/memory_budget.h"
#include "text/analyzer.h"

void nd_job_options_init(nd_job_options *options) {
    *options = (nd_job_options){
        .text_field = "text",
        .id_field = "id",
        .max_record = UINT64_C(64) << 20,
        .analyzer = ND_WORDS,
        .ngram = 5,
        .threshold = 0.8,
        .recall = 0.999,
        .perms = 128,
        .seed = 1,
        .k = 6,
        .sentences = 3,
        .simhash = {.bits = 64, .weighting = ND_WEIGHTING_COUNTED},
        .max_compare = 1000,
        .memory = UINT64_C(1) << 30,
        .sync = ND_SYNC_BATCH,
    };
}

const char *nd_stage_name(nd_stage stage) {
    static const char *const names[ND_STAGE_COUNT] = {"read", "match", "decide", "write", "sync"};
    return (unsigned)stage < ND_STAGE_COUNT ? names[stage] : "";
}

nd_analyzer_options nd_job_analyzer(const nd_job_options *o, uint32_t ngram) {
    return (nd_analyzer_options){.kind = o->analyzer,
                                 .ngram = ngram,
                                 .seed = o->seed,
                                 .stem = o->stem,
                                 .dictionary = o->dictionary};
}

static nd_status check_input(const nd_job_options *o, nd_error *error) {
    if (!o->records == !o->input_count)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "a job takes its documents from inputs or from a callback: exactly one of them");
    ND_TRY(nd_need_array(o->inputs, o->input_count, "inputs", error));
    for (size_t i = 0; i < o->input_count; i++)
        if (!o->inputs[i])
            return nd_fail(error, ND_ERR_ARGUMENT, "inputs[%zu] must not be NULL", i);
    return ND_OK;
}

nd_status nd_job_options_check(const nd_job_options *o, nd_error *error) {
    ND_TRY(check_input(o, error));
    ND_CHECK_ENUM(o->invalid, "invalid", ND_INVALID_FAIL, ND_INVALID_SKIP, error);
    ND_CHECK_ENUM(o->sketch, "sketch", ND_SKETCH_MINHASH, ND_SKETCH_SENTENCES, error);
    ND_CHECK_ENUM(o->verify, "verify", ND_VERIFY_EXACT, ND_VERIFY_NONE, error);
    ND_CHECK_ENUM(o->keep, "keep", ND_KEEP_FIRST, ND_KEEP_MIN, error);
    ND_CHECK_ENUM(o->group, "group", ND_GROUP_GREEDY, ND_GROUP_COMPONENT, error);
    ND_CHECK_ENUM(o->sync, "sync", ND_SYNC_EACH, ND_SYNC_OFF, error);
    if (!o->text_field || !*o->text_field)
        return nd_fail(error, ND_ERR_ARGUMENT, "text_field must not be empty");
    if (o->max_record < 1 || o->max_record > ND_MAX_RECORD_LENGTH)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_record must be 1 to %u bytes, not %llu",
                       ND_MAX_RECORD_LENGTH, (unsigned long long)o->max_record);
    if (o->max_compare < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_compare must be at least 1");
    ND_TRY(nd_memory_check(o->memory, error));
    if (o->threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 0 (all cores) to %d, not %u",
                       ND_MAX_WORKERS, o->threads);
    nd_analyzer_options analyzer = nd_job_analyzer(o, o->ngram);
    return nd_analyzer_options_check_transient(&analyzer, error);
}

nd_status nd_job_options_reject_stem(const nd_job_options *o, nd_error *error) {
    if (!o->stem) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "stem is for nd_fingerprints, nd_idf and nd_keywords only: other jobs compare "
                   "words as they are");
}
