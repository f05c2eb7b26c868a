/* The pairs that were compared: how many there are of each similarity, and a sample of them to look
 * at.
 *
 * The sample has the pairs with the least hashes of their ranks, at most `most` of each class: the
 * duplicates of a band, its rejected pairs, and the exact copies. A band of similarities is 0.05
 * wide; each distance is a band of its own up to 32, and from there on a band is 10 wide. So the
 * sample does not depend on the order in which pairs were compared, nor on the threads that did it
 * (bottom-k sampling: Cohen and Kaplan, "Summarizing data using bottom-k sketches", 2007). */
#ifndef ND_DEDUP_COMPARED_PAIRS_H
#define ND_DEDUP_COMPARED_PAIRS_H

#include "dedup/fates.h"

/* Similarities have 20 bands. A distance of fingerprints is at most 32, a quarter of the bits of
 * the longest one; a distance of digests is at most 300. */
enum {
    ND_SIMILARITY_BANDS = 20,
    ND_SINGLE_DISTANCES = 33,
    ND_SAMPLE_BANDS = ND_SINGLE_DISTANCES + 27,
    ND_SAMPLE_CLASSES = 2 * ND_SAMPLE_BANDS + 1
};

static inline uint32_t nd_distance_band(uint32_t distance) {
    uint32_t band = distance < ND_SINGLE_DISTANCES
                        ? distance
                        : ND_SINGLE_DISTANCES + (distance - ND_SINGLE_DISTANCES) / 10;
    return band < ND_SAMPLE_BANDS ? band : ND_SAMPLE_BANDS - 1;
}

typedef struct nd_comparison_counts {
    uint64_t candidates, verified, rejected, kept_apart;
    /* Of the pairs that the measure decided, by similarity: step s has those from s / 100 to
     * (s + 1) / 100, the last one also those of 1. */
    uint64_t duplicates_by_similarity[ND_SIMILARITY_STEPS];
    uint64_t rejected_by_similarity[ND_SIMILARITY_STEPS];
} nd_comparison_counts;

void nd_comparison_counts_add(nd_comparison_counts *sum, const nd_comparison_counts *more);
/* Counts a pair that the measure decided. */
void nd_comparison_counts_take(nd_comparison_counts *counts, double similarity, bool duplicate);

typedef enum nd_sample_kind {
    ND_SAMPLE_REJECTED,
    ND_SAMPLE_DUPLICATE,
    ND_SAMPLE_COPY /* the documents have the same tokens, and were not compared */
} nd_sample_kind;

typedef struct nd_sampled_pair {
    uint64_t hash;
    nd_sample_kind kind;
    uint32_t band;
    double similarity;
    nd_verdict verdict;
} nd_sampled_pair;

/* The pairs of a class, and where the one with the largest hash is, once there are `most`. */
typedef struct nd_sample_class {
    nd_sampled_pair *pairs;
    uint32_t count, largest;
    uint64_t offered; /* pairs of the class, in the sample or not */
} nd_sample_class;

/* Zero-initialised except for `most` and the allocator. */
typedef struct nd_pair_sample {
    nd_allocator allocator;
    uint32_t most; /* pairs of a class; 0: no sample is wanted */
    nd_sample_class classes[ND_SAMPLE_CLASSES];
} nd_pair_sample;

/* Offers a pair; its hash is set here. REQUIRES: band < ND_SAMPLE_BANDS. */
nd_status nd_pair_sample_add(nd_pair_sample *sample, const nd_sampled_pair *pair, nd_error *error);
/* Adds the pairs of another sample. */
nd_status nd_pair_sample_merge(nd_pair_sample *sample, const nd_pair_sample *other,
                               nd_error *error);
void nd_pair_sample_free(nd_pair_sample *sample);

/* Returns how many pairs of the class of a pair were offered. */
uint64_t nd_pair_sample_offered(const nd_pair_sample *sample, const nd_sampled_pair *pair);

/* The pairs in the order in which they are looked at: duplicates by ascending similarity, then
 * rejected pairs by descending similarity, then copies; equal ones by rank. A new array of *count
 * pairs, which the caller releases. */
nd_status nd_pair_sample_sort(const nd_pair_sample *sample, nd_sampled_pair **out, size_t *count,
                              nd_error *error);

#endif
