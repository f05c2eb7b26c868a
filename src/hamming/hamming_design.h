/* Designs of exact Hamming search: a design is a list of tables that hold a set of fingerprints so
 * that each fingerprint within distance k of a query is found in at least one of them.
 *
 * A table is ordered by a window of the fingerprint's bits (bit_order.h). A query probes it at
 * every window value that differs from its own in at most e bits; e is the table's number of
 * errors. A design is complete for k if no pattern of k wrong bits has more than e of them in every
 * window. There are three kinds:
 *
 *   windows m      m windows that share all bits among them. By the pigeonhole principle it is
 *                  complete if the e + 1 of all windows add up to more than k (Norouzi, Punjani,
 *                  Fleet 2012 with equal e; Qin et al. 2018 in general). k + 1 windows without
 *                  errors are the segments of a hash map; one window with e = k flips bits of the
 *                  whole fingerprint.
 *   blocks b of c  every choice of c of b blocks is a window, without errors: of b blocks,
 *                  c = b - k have no wrong bit (Manku, Jain, Das Sarma 2007). `nested` chooses one
 *                  of k + 1 blocks, and splits the rest again in the same way.
 *   scan           one table without a window: a query is compared with all keys.
 *
 * Several tables may find one pair. It is reported by the first one, in the order of the design, in
 * whose window the pair has at most e wrong bits. */
#ifndef ND_HAMMING_HAMMING_DESIGN_H
#define ND_HAMMING_HAMMING_DESIGN_H

#include "hamming/bit_order.h"

enum { ND_HAMMING_MOST_TABLES = 64 };

typedef enum nd_hamming_design_kind {
    ND_HAMMING_SCAN = 0,
    ND_HAMMING_WINDOWS,
    ND_HAMMING_BLOCKS,
    ND_HAMMING_NESTED
} nd_hamming_design_kind;

/* A design by the numbers from which its tables follow. */
typedef struct nd_hamming_design {
    nd_hamming_design_kind kind;
    uint32_t bits, k;
    uint32_t blocks; /* windows: m; blocks: b; nested: blocks of each level; scan: 0 */
    uint32_t chosen; /* blocks: c; else 1 */
} nd_hamming_design;

/* The windows of a design's tables. */
typedef struct nd_hamming_windows {
    uint32_t count;
    nd_fingerprint masks[ND_HAMMING_MOST_TABLES];
    uint32_t widths[ND_HAMMING_MOST_TABLES]; /* bits of each mask */
} nd_hamming_windows;

/* ND_ERR_ARGUMENT: the numbers are no design. It has too many tables, a window without bits, or is
 * not complete. */
nd_status nd_hamming_design_check(const nd_hamming_design *design, nd_error *error);
/* The windows of a checked design. */
void nd_hamming_windows_of(const nd_hamming_design *design, nd_hamming_windows *out);

/* The errors e of each table that make the design complete for k, at most design->k. -1: the table
 * is not needed. */
void nd_hamming_errors(const nd_hamming_design *design, uint32_t k,
                       int errors[ND_HAMMING_MOST_TABLES]);

/* Whether `table` is the one that reports a pair. unlike: the bits in which the pair differs. */
bool nd_hamming_is_first(const nd_hamming_windows *windows, const int *errors, uint32_t table,
                         nd_fingerprint unlike);

/* Writes "2 windows", "2 of 5 blocks", "1 of 4 blocks twice" or "scan", cut at `size` bytes. */
void nd_hamming_design_name(const nd_hamming_design *design, char *text, size_t size);

/* Lists all designs that are worth estimating; returns their number. */
enum { ND_HAMMING_MOST_DESIGNS = 38 };
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
    return nd_popcount(a.low) + nd_popcount(a.high);
}

#endif
