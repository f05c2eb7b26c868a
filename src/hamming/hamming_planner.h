/* The planner of Hamming search: estimates what probing tables costs, and chooses the best design.
 *
 * A query probes a table of n keys at depth d: it takes the table's highest d bits with every
 * pattern of at most e errors. Each pattern is a *probe*. A probe costs one lookup and the
 * comparison of n / 2^d keys.
 *
 * Patterns with fewer than e errors in their highest d - w bits may have any value in their lowest
 * w bits. These 2^w patterns are neighbours in the table, so they are one *wide* probe, which costs
 * one lookup and 2^w times the keys.
 *
 * Lookups and keys cost more if the tables are larger than a cache. nd_hamming_calibrate measures
 * both costs at four sizes of tables. */
#ifndef ND_HAMMING_HAMMING_PLANNER_H
#define ND_HAMMING_HAMMING_PLANNER_H

#include "hamming/elias_fano_table.h"
#include "hamming/hamming_design.h"

/* How queries with some k probe a table. */
typedef struct nd_probe_plan {
    int errors;     /* e; -1: the table is not probed */
    unsigned depth; /* d */
    unsigned shift; /* D - d: a probe covers 2^shift buckets of the table */
    unsigned wide;  /* w: a wide probe covers 2^(shift + w) buckets */
} nd_probe_plan;

/* What the cost of probing a table depends on. */
typedef struct nd_probed_table {
    uint32_t bits;        /* of a fingerprint */
    double keys;          /* of the table */
    uint32_t tables;      /* of this size, which share the caches */
    unsigned bucket_bits; /* D */
    uint32_t width;       /* bits of the window */
    bool only_narrow;     /* no wide probes */
} nd_probed_table;

typedef struct nd_hamming_table_cost {
    unsigned depth, wide;
    double probes, keys; /* of a query: probes; keys compared */
    double nanoseconds;  /* of a query */
} nd_hamming_table_cost;
/* The best depth for queries with e errors, and what a query then costs. errors -1: the table is
 * not probed, all costs are 0. */
nd_hamming_table_cost nd_hamming_table_cost_of(const nd_hamming_costs *costs,
                                               const nd_probed_table *table, int errors);

/* D of a table on paper, which may have more than 2^32 keys. */
unsigned nd_hamming_bucket_bits(uint32_t bits, double keys, nd_ef_table_use use);

/* What a design costs. */
nd_hamming_estimate nd_hamming_estimate_of(const nd_hamming_costs *costs,
                                           const nd_hamming_design *design, double keys,
                                           uint32_t k);

/* The design that nd_hamming_plan chooses. costs NULL: those of nd_hamming_costs_init. */
nd_hamming_design nd_hamming_choose(double n, uint32_t bits, uint32_t k, double memory,
                                    const nd_hamming_costs *costs);

/* ND_ERR_ARGUMENT: bits is not 16, 32, 64 or 128, or k is more than a quarter of them. */
nd_status nd_hamming_check_width(uint32_t bits, uint32_t k, nd_error *error);

#endif
