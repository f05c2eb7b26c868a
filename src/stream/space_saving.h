/* The terms that a cluster's documents have most of: Space-Saving (Metwally, Agrawal, El Abbadi,
 * "Efficient computation of frequent and top-k elements in data streams", 2005) in a few slots. A
 * count is never too small for a term that is there, and too great by at most the count of the one
 * that it replaced, which is at most a slots-th of all that had been added: that is kept, and taken
 * off. */
#ifndef ND_STREAM_SPACE_SAVING_H
#define ND_STREAM_SPACE_SAVING_H

#include <stdint.h>

enum { ND_TOPIC_SLOTS = 10 };

/* Packed: with what stands beside it in a cluster its 140 bytes leave no gap, and there are
 * millions of clusters. */
typedef struct __attribute__((packed, aligned(4))) nd_topics {
    uint64_t features[ND_TOPIC_SLOTS]; /* 0: free */
    uint32_t counts[ND_TOPIC_SLOTS];
    uint16_t errors[ND_TOPIC_SLOTS]; /* by how much a count may be too great; stops at 2^16 - 1 */
} nd_topics;

/* A feature that is not 0, so many times. Takes the place of the least one where all slots are
 * taken, of several the first. Counts stop at 2^32 - 1. */
static inline void nd_topics_add(nd_topics *topics, uint64_t feature, uint32_t times) {
    int least = 0, at = -1;
    for (int i = 0; i < ND_TOPIC_SLOTS && at < 0; i++) {
        if (topics->features[i] == feature) at = i;
        if (topics->counts[i] < topics->counts[least]) least = i;
    }
    if (at < 0) {
        at = least;
        topics->errors[at] = (uint16_t)(topics->counts[at] < UINT16_MAX ? topics->counts[at]
                                                                        : UINT16_MAX);
    }
    topics->features[at] = feature;
    topics->counts[at] = times > UINT32_MAX - topics->counts[at] ? UINT32_MAX
                                                                 : topics->counts[at] + times;
}

/* How often the feature of a slot has been added at least. */
static inline uint32_t nd_topics_certain(const nd_topics *topics, int slot) {
    return topics->counts[slot] - topics->errors[slot];
}

#endif
