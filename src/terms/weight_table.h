/* Weights of words inside the library: looked up many at a time. The rest is declared in neardup.h.
 */
#ifndef ND_TERMS_WEIGHT_TABLE_H
#define ND_TERMS_WEIGHT_TABLE_H

#include "neardup.h"

/* Weights are counted in these units, so that they are the same numbers everywhere. */
enum { ND_WEIGHT_UNITS = 4096 };
/* 2^18. */
#define ND_WEIGHT_MOST_UNITS (UINT32_C(1) << 30)

/* ln((documents + 1) / (df + 1)) in units, rounded to the nearest; df <= documents < 2^64 - 1. */
uint32_t nd_idf_units(uint64_t documents, uint64_t df);

/* weights[i] = nd_weights_of(features[i]). */
void nd_weights_fill(const nd_weights *weights, const uint64_t *features, size_t count,
                     double *out);

/* Of its features and what they and others weigh, in whatever order they were read; never 0. By it
 * another table is found out. */
uint64_t nd_weights_hash(const nd_weights *weights);

/* ND_ERR_ARGUMENT: with such an analyzer its words are not met, or are others. */
nd_status nd_weights_check(const nd_weights *weights, const nd_analyzer_options *analyzer,
                           nd_error *error);

#endif
