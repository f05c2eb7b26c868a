#include "dedup/dedup_plan.h"

#include "hamming/hamming_planner.h"
#include "job/job_options.h"
#include "sketch/minhash.h"
#include "sketch/sentence_signature.h"
#include "sketch/tlsh_sketch.h"
#include "text/differ_by.h"

/* ---- checks that several sketches share */

static nd_status reject_index(const nd_dedup_parts *o, nd_error *error) {
    return nd_has_index(o) ? nd_fail(error, ND_ERR_ARGUMENT,
                                     "an index is of MinHash sketches: with one, sketch must be "
                                     "ND_SKETCH_MINHASH")
                           : ND_OK;
}

static nd_status check_threshold(const nd_dedup_parts *o, nd_error *error) {
    double threshold = o->similarity.threshold;
    return threshold > 0 && threshold <= 1
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "threshold must be above 0 and at most 1, not %g",
                         threshold);
}

/* ---- fingerprints */

static bool weighs_words(const nd_dedup_parts *o) {
    return o->simhash.weighting == ND_WEIGHTING_COUNTED ||
           o->simhash.weighting == ND_WEIGHTING_TABLE;
}

static nd_status check_fingerprints(const nd_dedup_plan *plan, const nd_dedup_parts *o,
                                    nd_error *error) {
    ND_TRY(reject_index(o, error));
    ND_TRY(nd_hamming_check_width(plan->simhash.bits, o->similarity.k, error));
    if (plan->simhash.weighting == ND_WEIGHTING_LEVELS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "simhash.weighting must not be ND_WEIGHTING_LEVELS: documents are compared "
                       "as texts, not as lists");
    if (weighs_words(o) && o->analyzer.kind == ND_CHARS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "simhash.weighting weighs single words, and analyzer is ND_CHARS: "
                       "ND_WEIGHTING_TF or ND_WEIGHTING_NONE go with it");
    ND_TRY(nd_simhash_options_check(&plan->simhash, &plan->features, error));
    return o->similarity.verify == ND_VERIFY_NONE ? ND_OK : check_threshold(o, error);
}

static nd_status plan_fingerprints(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    plan->features = nd_analyzer_with_ngram(&o->analyzer, weighs_words(o) ? 1 : o->analyzer.ngram);
    plan->simhash = o->simhash;
    plan->counts_words = o->simhash.weighting == ND_WEIGHTING_COUNTED;
    /* The SimHash gets the counts apart from its options, so its own weighting is tf. */
    if (plan->counts_words) plan->simhash.weighting = ND_WEIGHTING_TF;
    ND_TRY(check_fingerprints(plan, o, error));
    plan->k = o->similarity.k;
    plan->sketch_size = nd_fingerprint_size(o->simhash.bits);
    plan->bands.threshold = o->similarity.verify == ND_VERIFY_NONE ? 0 : o->similarity.threshold;
    return ND_OK;
}

nd_status nd_plan_simhash(const nd_dedup_plan *plan, nd_analyzer_outputs outputs,
                          const nd_count_min *words, const nd_allocator *allocator,
                          nd_analyzer **analyzer, nd_text_simhash **simhash, nd_error *error) {
    ND_TRY(nd_analyzer_create_for(outputs, &plan->features, allocator, analyzer, error));
    if (plan->counts_words && !words) return ND_OK;
    return nd_text_simhash_create(*analyzer, &plan->simhash, words, simhash, error);
}

/* ---- TLSH digests */

static nd_status plan_digests(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    enum { MOST_DISTANCE = 300 };
    bool unused = o->similarity.verify == ND_VERIFY_NONE;
    ND_TRY(reject_index(o, error));
    if (o->similarity.distance > MOST_DISTANCE)
        return nd_fail(error, ND_ERR_ARGUMENT, "distance must be at most %d, not %u", MOST_DISTANCE,
                       o->similarity.distance);
    if (!unused) ND_TRY(check_threshold(o, error));
    plan->distance = o->similarity.distance;
    plan->sketch_size = ND_TLSH_SKETCH_SIZE;
    plan->bands.threshold = unused ? 0 : o->similarity.threshold;
    return ND_OK;
}

/* ---- sentences, MinHash */

/* The sentences of a document are keys of one band. */
static nd_status plan_sentences(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    ND_TRY(reject_index(o, error));
    if (o->similarity.sentences < 1 || o->similarity.sentences > ND_MAX_SENTENCES)
        return nd_fail(error, ND_ERR_ARGUMENT, "sentences must be 1 to %d, not %u",
                       ND_MAX_SENTENCES, o->similarity.sentences);
    ND_TRY(check_threshold(o, error));
    plan->sentences = o->similarity.sentences;
    plan->bands = (nd_plan){
        .perms = o->similarity.perms, .bands = 1, .threshold = o->similarity.threshold};
    return ND_OK;
}

static nd_status plan_bands(nd_dedup_plan *plan, const nd_dedup_parts *o,
                            const nd_index_settings *index, nd_error *error) {
    ND_TRY(nd_plan_choose(o->similarity.threshold, o->similarity.recall, o->similarity.perms,
                          &plan->bands, error));
    if (!index) return ND_OK;
    plan->bands.bands = index->bands;
    plan->bands.rows = index->rows;
    plan->has_sets = index->exact;
    if (!index->exact) plan->verify = ND_VERIFY_NONE;
    return ND_OK;
}

/* ---- anchors */

/* The anchors of a document are keys of one band. */
static nd_status plan_anchors(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    if (o->similarity.sketch != ND_SKETCH_MINHASH || o->similarity.verify != ND_VERIFY_EXACT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "with ND_MEASURE_CONTAINMENT, sketch must be ND_SKETCH_MINHASH and verify "
                       "ND_VERIFY_EXACT: texts are compared, and no sketches are made");
    if (nd_has_index(o))
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "an index finds pairs by their Jaccard similarity: with one, measure must be "
            "ND_MEASURE_JACCARD");
    ND_TRY(nd_anchor_plan_choose(o->similarity.threshold, o->similarity.recall, &plan->anchors,
                                 error));
    plan->bands = (nd_plan){
        .bands = 1, .threshold = o->similarity.threshold, .recall = o->similarity.recall};
    return ND_OK;
}

static nd_status choose_sketch(nd_dedup_plan *plan, const nd_dedup_parts *o,
                               const nd_index_settings *index, nd_error *error) {
    if (o->similarity.measure == ND_MEASURE_CONTAINMENT) return plan_anchors(plan, o, error);
    if (nd_plan_has_fingerprints(plan)) return plan_fingerprints(plan, o, error);
    if (o->similarity.verify == ND_VERIFY_COSINE)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "verify must be ND_VERIFY_COSINE with ND_SKETCH_SIMHASH alone: it is of the "
                       "vectors that fingerprints are made of");
    if (nd_plan_has_digests(plan)) return plan_digests(plan, o, error);
    plan->half_sketches = plan->verify == ND_VERIFY_EXACT && !index;
    plan->sketch_size = plan->half_sketches ? nd_half_sketch_size(o->similarity.perms)
                                            : o->similarity.perms;
    return nd_plan_has_sentences(plan) ? plan_sentences(plan, o, error)
                                       : plan_bands(plan, o, index, error);
}

/* ---- the plan */

static nd_decided_by measure_of(const nd_dedup_plan *plan) {
    if (nd_plan_has_anchors(plan)) return ND_BY_CONTAINMENT;
    if (!nd_plan_has_distances(plan) || plan->verify == ND_VERIFY_EXACT) return ND_BY_JACCARD;
    return plan->verify == ND_VERIFY_COSINE ? ND_BY_COSINE : ND_BY_DISTANCE;
}

static nd_status plan_survivors(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    bool by_field = o->survivors.keep == ND_KEEP_MAX || o->survivors.keep == ND_KEEP_MIN;
    if (by_field && !o->input.records && (!o->survivors.keep_field || !*o->survivors.keep_field))
        return nd_fail(error, ND_ERR_ARGUMENT, "keep by a field needs keep_field");
    plan->keep = o->survivors.keep;
    plan->losses_by = o->outputs.losses_by;
    plan->keep_field = by_field && !o->input.records ? o->survivors.keep_field : NULL;
    plan->by_component = o->survivors.group == ND_GROUP_COMPONENT;
    plan->compare = plan->by_component ? ND_COMPARE_ALL : ND_COMPARE_UNTIL_FIRST;
    return ND_OK;
}

/* Reads the lists, so that a wrong one is an error before any document is read. */
static nd_status plan_difference(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    nd_differ_by *lists;
    if (o->similarity.differ_by_count == 0) return ND_OK;
    if (nd_has_index(o))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "differ_by: not with an index, which keeps no numbers and words of its "
                       "documents");
    plan->differ_by = o->similarity.differ_by;
    plan->differ_by_count = o->similarity.differ_by_count;
    ND_TRY(nd_differ_by_create(plan->differ_by, plan->differ_by_count, &nd_allocator_default,
                               &lists, error));
    nd_differ_by_free(lists);
    return ND_OK;
}

/* There are no sizes of sets, and no sketches; for an index the hash of a document is its sketch,
 * and its key of one band. */
static nd_status plan_exact(nd_dedup_plan *plan, const nd_dedup_parts *o, nd_error *error) {
    plan->exact = true;
    plan->equal = o->equal;
    plan->verify = ND_VERIFY_NONE;
    plan->measure = ND_BY_JACCARD;
    if (!nd_has_index(o)) return ND_OK;
    plan->sketch_size = ND_STORED_HASH;
    plan->bands.bands = 1;
    return o->equal == ND_EQUAL_TOKENS ? nd_analyzer_options_check_stored(&plan->analyzer, error)
                                       : ND_OK;
}

nd_status nd_dedup_plan_make(nd_dedup_goal goal, const nd_dedup_parts *o,
                             const nd_index_settings *index, nd_dedup_plan *plan, nd_error *error) {
    *plan = (nd_dedup_plan){.goal = goal,
                            .compare = ND_COMPARE_ALL,
                            .keep = ND_KEEP_FIRST,
                            .max_compare = o->similarity.max_compare,
                            .analyzer = o->analyzer,
                            .sketch = o->similarity.sketch,
                            .verify = o->similarity.verify,
                            .threshold = o->similarity.threshold};
    if (goal == ND_GOAL_DEDUP) ND_TRY(plan_survivors(plan, o, error));
    if (o->exact) return plan_exact(plan, o, error);
    if (nd_has_index(o)) ND_TRY(nd_analyzer_options_check_stored(&plan->analyzer, error));
    ND_TRY(choose_sketch(plan, o, index, error));
    ND_TRY(plan_difference(plan, o, error));
    plan->measure = measure_of(plan);
    plan->estimated = plan->verify == ND_VERIFY_NONE && !nd_plan_has_distances(plan);
    return ND_OK;
}
