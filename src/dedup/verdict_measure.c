#include "dedup/verdict_measure.h"

#include "base/format.h"

double nd_verdict_jaccard(const nd_dedup_plan *plan, const nd_verdict *v) {
    if (plan->measure != ND_BY_JACCARD && plan->measure != ND_BY_CONTAINMENT) return 0;
    return v->counted ? (double)v->intersection / (double)v->set_union : v->score;
}

/* Copies are not counted if the sizes of their sets are not wanted. */
double nd_verdict_containment(const nd_dedup_plan *plan, const nd_verdict *v) {
    if (plan->measure != ND_BY_CONTAINMENT) return 0;
    return v->counted ? (double)v->intersection / (double)v->smaller : v->score;
}

double nd_verdict_cosine(const nd_dedup_plan *plan, const nd_verdict *v) {
    return plan->measure == ND_BY_COSINE ? v->score : 0;
}

uint32_t nd_verdict_distance(const nd_dedup_plan *plan, const nd_verdict *v) {
    return nd_plan_has_distances(plan) ? v->distance : 0;
}

/* At the largest distance that options allow, texts have nothing in common. */
static double digest_similarity(uint32_t distance) {
    enum { FARTHEST = 300 };
    return distance < FARTHEST ? (FARTHEST - distance) / (double)FARTHEST : 0;
}

double nd_verdict_similarity(const nd_dedup_plan *plan, const nd_verdict *v) {
    switch (plan->measure) {
    case ND_BY_JACCARD: return nd_verdict_jaccard(plan, v);
    case ND_BY_CONTAINMENT: return nd_verdict_containment(plan, v);
    case ND_BY_COSINE: return nd_verdict_cosine(plan, v);
    case ND_BY_DISTANCE: break;
    }
    return nd_plan_has_digests(plan) ? digest_similarity(v->distance)
                                     : 1 - (double)v->distance / plan->simhash.bits;
}

static uint32_t band_of(const nd_dedup_plan *plan, const nd_verdict *v, double similarity) {
    if (plan->measure == ND_BY_DISTANCE) return nd_distance_band(v->distance);
    uint32_t band = (uint32_t)(similarity * ND_SIMILARITY_BANDS);
    return band < ND_SIMILARITY_BANDS ? band : ND_SIMILARITY_BANDS - 1;
}

nd_sampled_pair nd_verdict_sampled(const nd_dedup_plan *plan, const nd_verdict *v,
                                   nd_sample_kind kind) {
    double similarity = nd_verdict_similarity(plan, v);
    return (nd_sampled_pair){.kind = kind,
                             .band = band_of(plan, v, similarity),
                             .similarity = similarity,
                             .verdict = *v};
}

void nd_verdict_format(const nd_dedup_plan *plan, const nd_verdict *v, char text[40]) {
    switch (plan->measure) {
    case ND_BY_JACCARD: nd_format(text, 40, "%.6f", nd_verdict_jaccard(plan, v)); break;
    case ND_BY_CONTAINMENT: nd_format(text, 40, "%.6f", nd_verdict_containment(plan, v)); break;
    case ND_BY_COSINE: nd_format(text, 40, "%.6f", nd_verdict_cosine(plan, v)); break;
    case ND_BY_DISTANCE: nd_format(text, 40, "%u", v->distance); break;
    }
}
