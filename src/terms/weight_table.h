/* Tables of words and weights, such as IDF tables, inside the library. The rest is declared in
 * neardup.h. */
#ifndef ND_TERMS_WEIGHT_TABLE_H
#define ND_TERMS_WEIGHT_TABLE_H

#include "neardup.h"

/* Weights are whole multiples of 1 / ND_WEIGHT_UNITS, so that they are the same numbers on every
 * machine. */
enum { ND_WEIGHT_UNITS = 4096 };
/* The largest weight, 2^18, in units. */
#define ND_WEIGHT_MOST_UNITS (UINT32_C(1) << 30)

/* ln((documents + 1) / (df + 1)) in units, rounded to the nearest; df <= documents < 2^64 - 1. */
uint32_t nd_idf_units(uint64_t documents, uint64_t df);

/* out[i] = nd_weights_of(weights, features[i]). */
void nd_weights_fill(const nd_weights *weights, const uint64_t *features, size_t count,
                     double *out);

/* A hash of the table's features, their weights, and the weight of other features; independent of
 * the order in which they were read; never 0. A stream stores it, to notice another table. */
uint64_t nd_weights_hash(const nd_weights *weights);

/* ND_ERR_ARGUMENT: this analyzer does not produce the words of the table, or other words than the
 * table was counted from. */
nd_status nd_weights_check(const nd_weights *weights, const nd_analyzer_options *analyzer,
                           nd_error *error);

#endif
