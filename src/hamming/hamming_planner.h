/* What looking into tables costs, and which design is the best for it: the planner of Hamming
 * search.
 *
 * A query of a table at depth d (its highest d bits taken with every pattern of at most e errors)
 * costs one look a pattern and the comparison of the n / 2^d keys behind each. Patterns that have
 * fewer errors in the highest d - w bits, and are unlike in the w others, stand side by side: they
 * are one *wide* place with 2^w times the keys. Looks and keys cost more where the tables are
 * larger than a cache; that is measured (nd_hamming_calibrate) at four sizes. */
#ifndef ND_HAMMING_HAMMING_PLANNER_H
#define ND_HAMMING_HAMMING_PLANNER_H

#include "hamming/hamming_design.h"

/* How a table is looked at for some k. */
typedef struct nd_probe_plan {
    int errors;     /* -1: it is not */
    unsigned depth; /* of its highest bits every pattern of so many errors is a place */
    unsigned shift; /* D - depth: a place is 2^shift buckets */
    unsigned wide;  /* w: where the highest depth - w bits have fewer errors, these patterns are
                       places, 2^(shift + w) buckets each */
} nd_probe_plan;

/* The best depth for one of `tables` tables, which share the caches, of `keys` keys each, with a
 * window of `width` bits and e errors (-1: not looked at; all costs 0), and what a query then
 * costs. */
typedef struct nd_hamming_table_cost {
    unsigned depth, wide;
    double looks, keys; /* places; keys compared */
    double nanoseconds;
} nd_hamming_table_cost;
nd_hamming_table_cost nd_hamming_table_cost_of(const nd_hamming_costs *costs, uint32_t bits,
                                               double keys, uint32_t tables, unsigned bucket_bits,
                                               uint32_t width, int errors, bool with_wide);

/* D of a table on paper, where there may be more than 2^32 keys. */
unsigned nd_hamming_bucket_bits(uint32_t bits, double keys, bool scan);

/* Of a whole design. */
nd_hamming_estimate nd_hamming_estimate_of(const nd_hamming_costs *costs,
                                           const nd_hamming_design *design, double keys,
                                           uint32_t k);

/* The design that nd_hamming_plan chooses; costs NULL: the usual ones. */
nd_hamming_design nd_hamming_choose(double n, uint32_t bits, uint32_t k, double memory,
                                    const nd_hamming_costs *costs);

/* bits: 16, 32, 64 or 128; k: at most a quarter of them. */
nd_status nd_hamming_check_width(uint32_t bits, uint32_t k, nd_error *error);

#endif
