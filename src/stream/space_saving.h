/* The most frequent terms of a cluster's documents, by Space-Saving (Metwally, Agrawal, El Abbadi,
 * "Efficient computation of frequent and top-k elements in data streams", 2005) with ten counters.
 *
 * The count of a term with a counter is never too small. It is too great by at most the count of
 * the term that it replaced, which is at most a tenth of everything added so far. That error is
 * kept, and subtracted when the topics are shown. */
#ifndef ND_STREAM_SPACE_SAVING_H
#define ND_STREAM_SPACE_SAVING_H

#include <stdint.h>

enum { ND_SPACE_SAVING_SLOTS = 10 };

/* Packed: a cluster has 4-byte members before these 140 bytes, so no padding is left between them.
 * There are millions of clusters. */
typedef struct __attribute__((packed, aligned(4))) nd_space_saving {
    uint64_t features[ND_SPACE_SAVING_SLOTS]; /* 0: free */
    uint32_t counts[ND_SPACE_SAVING_SLOTS];
    uint16_t errors[ND_SPACE_SAVING_SLOTS]; /* of the counts, at most 2^16 - 1 */
} nd_space_saving;

/* Adds `times` occurrences of a feature, which is not 0. Where all slots are taken the feature
 * replaces the one with the smallest count, the first of several. Counts stop at 2^32 - 1. */
static inline void nd_space_saving_add(nd_space_saving *counters, uint64_t feature,
                                       uint32_t times) {
    int least = 0, at = -1;
    for (int i = 0; i < ND_SPACE_SAVING_SLOTS && at < 0; i++) {
        if (counters->features[i] == feature) at = i;
        if (counters->counts[i] < counters->counts[least]) least = i;
    }
    if (at < 0) {
        at = least;
        counters->errors[at] = (uint16_t)(counters->counts[at] < UINT16_MAX ? counters->counts[at]
                                                                            : UINT16_MAX);
    }
    counters->features[at] = feature;
    counters->counts[at] = times > UINT32_MAX - counters->counts[at] ? UINT32_MAX
                                                                     : counters->counts[at] + times;
}

/* How often, at least, the feature of a slot has been added. */
static inline uint32_t nd_space_saving_least(const nd_space_saving *counters, int slot) {
    return counters->counts[slot] - counters->errors[slot];
}

#endif
