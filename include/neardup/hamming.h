/* The planner of the tables of an exact Hamming search: the possible designs, and their costs. */
#ifndef NEARDUP_HAMMING_H
#define NEARDUP_HAMMING_H

#include "neardup/sketch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A Hamming search finds all stored fingerprints within k bits of a query, exactly. Each table is
 * sorted by some of the bits. A search probes it at every pattern of a few errors in these bits
 * (Manku, Jain, Das Sarma 2007; Norouzi, Punjani, Fleet 2012; Qin et al. 2018). The planner chooses
 * the tables, and the errors of each, by the number of fingerprints, k, the memory and measured
 * costs. */

/* Costs of one thread on a machine, in nanoseconds, for tables of 256 KiB, 4 MiB, 64 MiB and 1 GiB.
 * nd_hamming_costs_init sets the costs of a server of 2025. */
typedef struct nd_hamming_costs {
    double look[4]; /* one probe of a table, among many probes of a query */
    double key[4];  /* one key that a probe compares */
    double query;   /* each query, in addition */
} nd_hamming_costs;
ND_API void nd_hamming_costs_init(nd_hamming_costs *costs);

/* Measures the costs of this machine, by searches in tables of evenly spread keys. The tables are
 * files in `directory` (NULL: $TMPDIR, or /tmp), removed at the end. A table takes at most `memory`
 * bytes (0: 64 MiB), but the smallest is always measured. The costs of larger tables grow as
 * nd_hamming_costs_init has them. `allocator` NULL: malloc. ND_ERR_IO: the directory cannot be
 * written. Takes less than a second, some five seconds with 1 GiB. If other work interrupts every
 * measurement, the costs are no more than plausible: a key costs less than a look. */
ND_API ND_MUST_CHECK nd_status nd_hamming_calibrate(const char *directory, uint64_t memory,
                                                    const nd_allocator *allocator,
                                                    nd_hamming_costs *out, nd_error *error);

/* A possible design, and its estimated costs. */
typedef struct nd_hamming_estimate {
    char name[40]; /* "2 windows", "2 of 5 blocks", "1 of 4 blocks twice", "scan"; of an extreme
                      "neighbours probed" or "neighbours stored" */
    uint32_t tables;
    uint32_t least_errors, most_errors; /* errors with which tables are probed */
    double bytes;                       /* of all packed tables, without ids */
    double looks;                       /* probes of a query */
    double candidates;                  /* keys that a query compares */
    double microseconds;                /* time of a query on one thread */
    bool fits;                          /* `bytes` are within the memory of the options */
    bool few;                           /* it has few enough tables to be chosen */
    bool chosen;
    bool extreme; /* a row to compare with; no index is made so, and it is never chosen */
} nd_hamming_estimate;

typedef struct nd_hamming_plan_options {
    size_t struct_size;
    /* How many distinct, evenly spread fingerprints: 1 to 10^15. The caller must set it: the
     * default, 0, is ND_ERR_ARGUMENT. */
    double fingerprints;
    uint32_t bits;                 /* 16, 32, 64 or 128, default 64 */
    uint32_t k;                    /* 0 to bits / 4, default 3 */
    double memory;                 /* bytes of all tables, at least 0; 0, the default: no bound */
    const nd_hamming_costs *costs; /* finite, at least 0; NULL: as of nd_hamming_costs_init */
} nd_hamming_plan_options;

ND_API void nd_hamming_plan_options_init(nd_hamming_plan_options *options, size_t struct_size);

/* Fills `out`, which has room for ND_HAMMING_ESTIMATES, with *count designs for a set of
 * fingerprints, fastest first. One is chosen: the fastest design that fits in the memory and has
 * few tables; if none does, the smallest. Few tables are at most max(2, min(4, floor(k / 2) + 1));
 * or up to four, if all take at most 32 MiB and no window has fewer bits than a table's directory.
 * For 10 million fingerprints of 64 bits a table takes 5.4 bytes per fingerprint.
 *
 * Two rows are the extremes to compare the designs with (Manku, Jain, Das Sarma 2007, section 3).
 * "neighbours probed": one table, in which a query looks for itself and all its neighbours, the sum
 * of C(bits, i) for i = 0 to k; with 64 bits and k = 3 these are 1 + 64 + 2,016 + 41,664 = 43,745
 * looks. (The article counts the last term.) "neighbours stored": one look, in a table of so many
 * times the fingerprints.
 *
 * ND_ERR_ARGUMENT: `options` is NULL, or an option is out of range. O(1). */
#define ND_HAMMING_ESTIMATES 40
ND_API ND_MUST_CHECK nd_status nd_hamming_plan(const nd_hamming_plan_options *options,
                                               nd_hamming_estimate *out, size_t *count,
                                               nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
