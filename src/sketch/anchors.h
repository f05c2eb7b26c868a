/* The anchors of a document: a uniform sample of its shingle set. A document with many of another
 * one's anchors among its shingles contains, most likely, much of it.
 *
 * A multiplication by an odd number puts the shingles into a random order, and the first ones are
 * the anchors (bottom-k sampling: Cohen and Kaplan, "Summarizing data using bottom-k sketches",
 * 2007). The bits of an anchor itself stay uniform. A set with fewer shingles than the plan has
 * anchors is its own sample. */
#ifndef ND_SKETCH_ANCHORS_H
#define ND_SKETCH_ANCHORS_H

#include "neardup.h"

enum { ND_FEWEST_ANCHORS = 32, ND_MOST_ANCHORS = 1024 };

/* Returns how many of a document's anchors a text must have to be a candidate. `anchors`: how many
 * it has. With fewer than the plan they are all of its shingles, and the number is exact: with
 * fewer in common no text reaches the threshold. */
uint32_t nd_anchors_needed(const nd_anchor_plan *plan, uint32_t anchors);

/* Memory to sample with, reused from document to document. Zero-initialised. */
typedef struct nd_anchor_sampler {
    uint64_t keys[4 * ND_MOST_ANCHORS];
} nd_anchor_sampler;

/* Finds the anchors of `count` shingles, which may repeat: at most `most`, distinct, in any order,
 * valid until the sampler is used again. Expected time O(count). */
const uint64_t *nd_anchors_sample(nd_anchor_sampler *sampler, const uint64_t *shingles,
                                  size_t count, uint32_t most, uint32_t *found);

#endif
