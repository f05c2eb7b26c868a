#include "dedup/dedup_parts.h"

#include "base/argument.h"
#include "base/options.h"
#include "job/job_options.h"
#include "sketch/text_simhash.h"
#include "text/analyzer.h"

/* Of each verdict and band (compared_pairs.h). */
enum { REVIEW_PAIRS = 20, MOST_REVIEW_PAIRS = 1000 };

/* ---- similarity */

static const nd_similarity_options similarity_defaults = {.struct_size = sizeof similarity_defaults,
                                                          .threshold = 0.8,
                                                          .recall = 0.999,
                                                          .perms = 128,
                                                          .k = 6,
                                                          .sentences = 3,
                                                          .max_compare = ND_MAX_COMPARE,
                                                          .distance = 70};

void nd_similarity_options_init(nd_similarity_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &similarity_defaults, sizeof similarity_defaults);
}

static nd_status read_similarity(const nd_similarity_options *given, nd_dedup_parts *out,
                                 nd_error *error) {
    nd_similarity_options *o = &out->similarity;
    *o = similarity_defaults;
    ND_TRY(ND_READ_OPTIONS(given, o, "nd_similarity_options", error));
    ND_CHECK_ENUM(o->sketch, "sketch", ND_SKETCH_MINHASH, ND_SKETCH_TLSH, error);
    ND_CHECK_ENUM(o->verify, "verify", ND_VERIFY_EXACT, ND_VERIFY_NONE, error);
    ND_CHECK_ENUM(o->measure, "measure", ND_MEASURE_JACCARD, ND_MEASURE_CONTAINMENT, error);
    if (o->max_compare < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_compare must be at least 1");
    ND_TRY(nd_need_array(o->differ_by, o->differ_by_count, "differ_by", error));
    ND_TRY(nd_analyzer_options_read(o->analyzer, &out->analyzer, error));
    ND_TRY(nd_simhash_options_read(o->simhash, &out->simhash, error));
    if (!o->simhash) out->simhash.weighting = ND_WEIGHTING_COUNTED;
    ND_TRY(nd_reject_stem(&out->analyzer, error));
    return nd_analyzer_options_check_transient(&out->analyzer, error);
}

/* ---- survivors, index, outputs */

static nd_status read_survivors(const nd_survivor_options *given, nd_survivor_options *out,
                                nd_error *error) {
    ND_TRY(ND_READ_OPTIONS(given, out, "nd_survivor_options", error));
    ND_CHECK_ENUM(out->keep, "keep", ND_KEEP_FIRST, ND_KEEP_MIN, error);
    ND_CHECK_ENUM(out->group, "group", ND_GROUP_GREEDY, ND_GROUP_COMPONENT, error);
    return out->max_removed >= 0 && out->max_removed <= 1
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT,
                         "max_removed must be above 0 and at most 1, or 0 for no limit, not %g",
                         out->max_removed);
}

static nd_status read_index_use(const nd_index_use *given, nd_index_use *out, nd_error *error) {
    ND_TRY(ND_READ_OPTIONS(given, out, "nd_index_use", error));
    ND_CHECK_ENUM(out->sync, "sync", ND_SYNC_EACH, ND_SYNC_OFF, error);
    if (given && !out->path == !out->index)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "nd_index_use needs a path or an open index, and not both");
    return out->path ? nd_need_path(out->path, error) : ND_OK;
}

static nd_status read_outputs(const nd_output_options *given, nd_output_options *out,
                              nd_error *error) {
    ND_TRY(ND_READ_OPTIONS(given, out, "nd_output_options", error));
    if (out->review_pairs == 0) out->review_pairs = REVIEW_PAIRS;
    return out->review_pairs <= MOST_REVIEW_PAIRS
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "review_pairs must be at most %u",
                         MOST_REVIEW_PAIRS);
}

nd_status nd_dedup_parts_read(const nd_dedup_options *given, nd_dedup_parts *out, nd_error *error) {
    nd_dedup_options o = {0};
    *out = (nd_dedup_parts){0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &o, "nd_dedup_options", error));
    ND_TRY(nd_input_options_read(o.input, &out->input, error));
    ND_TRY(read_similarity(o.similarity, out, error));
    ND_TRY(read_survivors(o.survivors, &out->survivors, error));
    ND_TRY(read_index_use(o.index, &out->index, error));
    ND_TRY(read_outputs(o.outputs, &out->outputs, error));
    out->resources = o.resources;
    return ND_OK;
}

/* Nothing is compared by sketches, so of the similarity only the analyzer is read. */
static nd_status read_analyzer_alone(const nd_analyzer_options *analyzer, nd_dedup_parts *out,
                                     nd_error *error) {
    nd_similarity_options similarity = similarity_defaults;
    similarity.analyzer = analyzer;
    return read_similarity(&similarity, out, error);
}

nd_status nd_dedup_parts_read_exact(const nd_exact_options *given, nd_dedup_parts *out,
                                    nd_error *error) {
    nd_exact_options o = {0};
    *out = (nd_dedup_parts){.exact = true};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &o, "nd_exact_options", error));
    ND_CHECK_ENUM(o.by, "by", ND_EQUAL_BYTES, ND_EQUAL_TOKENS, error);
    out->equal = o.by;
    ND_TRY(nd_input_options_read(o.input, &out->input, error));
    ND_TRY(read_analyzer_alone(o.analyzer, out, error));
    ND_TRY(read_survivors(o.survivors, &out->survivors, error));
    out->survivors.group = ND_GROUP_GREEDY;
    ND_TRY(read_index_use(o.index, &out->index, error));
    ND_TRY(read_outputs(o.outputs, &out->outputs, error));
    out->resources = o.resources;
    return ND_OK;
}

nd_status nd_dedup_parts_read_pairs(const nd_pairs_options *given, nd_dedup_parts *out,
                                    nd_error *error) {
    nd_pairs_options o = {0};
    *out = (nd_dedup_parts){0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &o, "nd_pairs_options", error));
    ND_TRY(nd_input_options_read(o.input, &out->input, error));
    ND_TRY(read_similarity(o.similarity, out, error));
    out->outputs.edges = o.output;
    out->outputs.on_pair = o.on_pair;
    out->outputs.context = o.context;
    out->resources = o.resources;
    return ND_OK;
}

/* ---- audit */

static const nd_audit_options audit_defaults = {.struct_size = sizeof audit_defaults,
                                                .sample = 1000};

void nd_audit_options_init(nd_audit_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &audit_defaults, sizeof audit_defaults);
}

static nd_status check_sample(uint64_t sample, nd_error *error) {
    return sample >= 1 && sample <= INT32_MAX
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "sample must be 1 to %d, not %llu", INT32_MAX,
                         (unsigned long long)sample);
}

nd_status nd_dedup_parts_read_audit(const nd_audit_options *given, nd_audit_options *audit,
                                    nd_dedup_parts *out, nd_error *error) {
    *audit = audit_defaults;
    *out = (nd_dedup_parts){0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, audit, "nd_audit_options", error));
    ND_TRY(check_sample(audit->sample, error));
    ND_TRY(nd_input_options_read(audit->input, &out->input, error));
    ND_TRY(read_similarity(audit->similarity, out, error));
    ND_TRY(read_survivors(audit->survivors, &out->survivors, error));
    if (!(out->similarity.threshold > 0 && out->similarity.threshold <= 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "threshold must be above 0 and at most 1, not %g",
                       out->similarity.threshold);
    out->resources = audit->resources;
    return ND_OK;
}

/* ---- tune */

static const nd_tune_options tune_defaults = {
    .struct_size = sizeof tune_defaults, .lowest = .5, .sample = 1000};

void nd_tune_options_init(nd_tune_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &tune_defaults, sizeof tune_defaults);
}

nd_status nd_dedup_parts_read_tune(const nd_tune_options *given, nd_tune_options *tune,
                                   nd_dedup_parts *out, nd_error *error) {
    *tune = tune_defaults;
    *out = (nd_dedup_parts){0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, tune, "nd_tune_options", error));
    ND_TRY(check_sample(tune->sample, error));
    if (!(tune->lowest > 0 && tune->lowest <= 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "lowest must be above 0 and at most 1, not %g",
                       tune->lowest);
    ND_CHECK_ENUM(tune->measure, "measure", ND_MEASURE_JACCARD, ND_MEASURE_CONTAINMENT, error);
    ND_TRY(nd_input_options_read(tune->input, &out->input, error));
    ND_TRY(read_analyzer_alone(tune->analyzer, out, error));
    /* The sketches, which nothing uses, are as small as a plan allows. */
    out->similarity.perms = 1;
    out->similarity.recall = out->similarity.threshold;
    out->resources = tune->resources;
    return ND_OK;
}
