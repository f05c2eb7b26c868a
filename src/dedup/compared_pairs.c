#include "dedup/compared_pairs.h"

#include "base/hash.h"

#include <stdlib.h>

/* ---- counts */

void nd_comparison_counts_add(nd_comparison_counts *sum, const nd_comparison_counts *more) {
    sum->candidates += more->candidates;
    sum->verified += more->verified;
    sum->rejected += more->rejected;
    sum->kept_apart += more->kept_apart;
    for (size_t s = 0; s < ND_SIMILARITY_STEPS; s++) {
        sum->duplicates_by_similarity[s] += more->duplicates_by_similarity[s];
        sum->rejected_by_similarity[s] += more->rejected_by_similarity[s];
    }
}

void nd_comparison_counts_take(nd_comparison_counts *counts, double similarity, bool duplicate) {
    size_t step = (size_t)(similarity * ND_SIMILARITY_STEPS);
    if (step >= ND_SIMILARITY_STEPS) step = ND_SIMILARITY_STEPS - 1;
    if (duplicate) counts->duplicates_by_similarity[step]++;
    else counts->rejected_by_similarity[step]++;
}

/* ---- the sample */

static size_t class_of(const nd_sampled_pair *pair) {
    switch (pair->kind) {
    case ND_SAMPLE_REJECTED: return pair->band;
    case ND_SAMPLE_DUPLICATE: return ND_SAMPLE_BANDS + pair->band;
    case ND_SAMPLE_COPY: break;
    }
    return ND_SAMPLE_CLASSES - 1;
}

static void find_largest(nd_sample_class *c) {
    c->largest = 0;
    for (uint32_t i = 1; i < c->count; i++)
        if (c->pairs[i].hash > c->pairs[c->largest].hash) c->largest = i;
}

static nd_status add_pair(nd_pair_sample *s, size_t class, const nd_sampled_pair *pair,
                          nd_error *error) {
    nd_sample_class *c = &s->classes[class];
    if (!c->pairs) c->pairs = nd_allocate(&s->allocator, s->most, sizeof *c->pairs);
    if (!c->pairs) return nd_fail_memory(error, s->most * sizeof *c->pairs, "a sample of pairs");
    if (c->count < s->most) c->pairs[c->count++] = *pair;
    else if (pair->hash < c->pairs[c->largest].hash) c->pairs[c->largest] = *pair;
    else return ND_OK;
    if (c->count == s->most) find_largest(c);
    return ND_OK;
}

nd_status nd_pair_sample_add(nd_pair_sample *s, const nd_sampled_pair *given, nd_error *error) {
    nd_sampled_pair pair = *given;
    size_t class = class_of(given);
    pair.hash = nd_mix64((uint64_t)pair.verdict.later << 32 | pair.verdict.earlier);
    s->classes[class].offered++;
    return s->most > 0 ? add_pair(s, class, &pair, error) : ND_OK;
}

nd_status nd_pair_sample_merge(nd_pair_sample *s, const nd_pair_sample *other, nd_error *error) {
    for (size_t k = 0; k < ND_SAMPLE_CLASSES; k++) {
        s->classes[k].offered += other->classes[k].offered;
        for (uint32_t i = 0; i < other->classes[k].count; i++)
            ND_TRY(add_pair(s, k, &other->classes[k].pairs[i], error));
    }
    return ND_OK;
}

uint64_t nd_pair_sample_offered(const nd_pair_sample *s, const nd_sampled_pair *pair) {
    return s->classes[class_of(pair)].offered;
}

void nd_pair_sample_free(nd_pair_sample *s) {
    for (size_t k = 0; k < ND_SAMPLE_CLASSES; k++) nd_release(&s->allocator, s->classes[k].pairs);
}

/* ---- in order */

/* Duplicates come first, then rejected pairs. */
static int place_of(nd_sample_kind kind) {
    return kind == ND_SAMPLE_DUPLICATE ? 0 : kind == ND_SAMPLE_REJECTED ? 1 : 2;
}

static int by_interest(const void *a, const void *b) {
    const nd_sampled_pair *x = a, *y = b;
    if (x->kind != y->kind) return place_of(x->kind) - place_of(y->kind);
    if (x->similarity != y->similarity)
        return (x->similarity < y->similarity) == (x->kind == ND_SAMPLE_DUPLICATE) ? -1 : 1;
    if (x->verdict.later != y->verdict.later) return x->verdict.later < y->verdict.later ? -1 : 1;
    return x->verdict.earlier < y->verdict.earlier ? -1 : x->verdict.earlier > y->verdict.earlier;
}

nd_status nd_pair_sample_sort(const nd_pair_sample *s, nd_sampled_pair **out, size_t *count,
                              nd_error *error) {
    *count = 0;
    for (size_t k = 0; k < ND_SAMPLE_CLASSES; k++) *count += s->classes[k].count;
    nd_sampled_pair *all = *out = nd_allocate(&s->allocator, *count, sizeof *all);
    if (!all) return nd_fail_memory(error, *count * sizeof *all, "a sample of pairs");
    for (size_t k = 0; k < ND_SAMPLE_CLASSES; k++)
        for (uint32_t i = 0; i < s->classes[k].count; i++) *all++ = s->classes[k].pairs[i];
    if (*count > 0) qsort(*out, *count, sizeof **out, by_interest);
    return ND_OK;
}
