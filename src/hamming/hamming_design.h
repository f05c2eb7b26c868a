/* Designs of exact Hamming search: which tables a set of fingerprints is kept in, so that whatever
 * lies within k of a query is found in at least one of them.
 *
 * A table is ordered by a window of the fingerprint's bits (bit_order.h), and looked into at every
 * window that differs from the query's in at most e bits. A design is a list of tables; with the
 * number of errors e of each it is complete for k when no pattern of k errors has more than e of
 * them in every window. Three kinds:
 *
 *   windows m      m windows that share the bits among them. By the pigeonhole principle complete
 * when the e + 1 add up to more than k (Norouzi, Punjani, Fleet 2012 with equal e; Qin et al. 2018
 * in general). k + 1 windows without errors are the segments of a hash map; one window with e = k
 * flips bits of the whole. blocks b of c  every choice of c of b blocks is a window, without
 * errors: c = b - k of them are untouched (Manku, Jain, Das Sarma 2007). `nested` splits again what
 * a first choice of one of k + 1 blocks leaves. scan           one table without a window:
 * everything is looked at.
 *
 * A pair is given once: by the first table, in the order of the design, in whose window it has at
 * most e errors. */
#ifndef ND_HAMMING_HAMMING_DESIGN_H
#define ND_HAMMING_HAMMING_DESIGN_H

#include "hamming/bit_order.h"

enum { ND_HAMMING_MOST_TABLES = 64 };

typedef enum nd_hamming_kind {
    ND_HAMMING_SCAN = 0,
    ND_HAMMING_WINDOWS,
    ND_HAMMING_BLOCKS,
    ND_HAMMING_NESTED
} nd_hamming_kind;

/* What tells a design: a few numbers, of which the tables follow. */
typedef struct nd_hamming_design {
    nd_hamming_kind kind;
    uint32_t bits, k;
    uint32_t blocks; /* windows; blocks; blocks of each level; scan: 0 */
    uint32_t chosen; /* of the blocks; else 1 */
} nd_hamming_design;

typedef struct nd_hamming_windows {
    uint32_t count;
    nd_fingerprint masks[ND_HAMMING_MOST_TABLES];
    uint32_t widths[ND_HAMMING_MOST_TABLES];
} nd_hamming_windows;

/* ND_ERR_ARGUMENT: numbers that are no design: too many tables, a window without bits, or not
 * complete. */
nd_status nd_hamming_design_check(const nd_hamming_design *design, nd_error *error);
/* The windows of a checked design. */
void nd_hamming_windows_of(const nd_hamming_design *design, nd_hamming_windows *out);

/* Errors for each table with which all within k are found, k <= design->k; -1: the table is not
 * needed. */
void nd_hamming_errors(const nd_hamming_design *design, uint32_t k,
                       int errors[ND_HAMMING_MOST_TABLES]);

/* Whether the table is the one that gives a pair whose bits differ as in `unlike`. */
bool nd_hamming_is_first(const nd_hamming_windows *windows, const int *errors, uint32_t table,
                         nd_fingerprint unlike);

/* "2 windows, 1 error", "10 tables, 2 of 5 blocks", "scan"; cut at `size`. */
void nd_hamming_design_name(const nd_hamming_design *design, char *text, size_t size);

/* All designs that come into question, at most `room`; returns their number. */
enum { ND_HAMMING_MOST_DESIGNS = 40 };
size_t nd_hamming_designs(uint32_t bits, uint32_t k,
                          nd_hamming_design out[ND_HAMMING_MOST_DESIGNS]);

static inline nd_fingerprint nd_fingerprint_xor(nd_fingerprint a, nd_fingerprint b) {
    return (nd_fingerprint){a.low ^ b.low, a.high ^ b.high};
}
static inline nd_fingerprint nd_fingerprint_and(nd_fingerprint a, nd_fingerprint b) {
    return (nd_fingerprint){a.low & b.low, a.high & b.high};
}
static inline nd_fingerprint nd_fingerprint_or(nd_fingerprint a, nd_fingerprint b) {
    return (nd_fingerprint){a.low | b.low, a.high | b.high};
}
static inline uint32_t nd_fingerprint_weight(nd_fingerprint a) {
    return nd_ones(a.low) + nd_ones(a.high);
}

#endif
