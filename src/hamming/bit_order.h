/* Fingerprints as keys of sorted tables.
 *
 * Each table orders the bits of a fingerprint in its own way: first the bits of its window (a mask
 * of fingerprint bits), then all others, both from the highest bit down. A key is the fingerprint
 * with its bits in this order, the first bit in the highest position. Distances between keys are
 * the distances between their fingerprints, because a permutation of bits does not change them.
 *
 * Orders are constant after initialisation: any number of threads may use one. */
#ifndef ND_HAMMING_BIT_ORDER_H
#define ND_HAMMING_BIT_ORDER_H

#include "base/bits.h"
#include "sketch/fingerprint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* head: the first 64 bits of the key, left-aligned; a shorter fingerprint has zeros behind.
 * tail: the other 64 bits of a key of 128 bits, else 0. */
typedef struct nd_key {
    uint64_t head, tail;
} nd_key;

static inline bool nd_key_below(nd_key a, nd_key b) {
    return a.head < b.head || (a.head == b.head && a.tail < b.tail);
}
static inline bool nd_key_equal(nd_key a, nd_key b) { return a.head == b.head && a.tail == b.tail; }

/* A permutation of bits as runs: the bits of a run are shifted by the same distance. No run crosses
 * bit 64, neither in the fingerprint nor in the key. */
enum { ND_BIT_ORDER_MOST_RUNS = 130 }; /* as many as a mask of 128 bits can have */
typedef struct nd_bit_order {
    uint32_t bits;  /* of the fingerprint */
    uint32_t width; /* bits of the window */
    uint32_t run_count;
    struct {
        uint8_t from;   /* lowest bit in the fingerprint */
        uint8_t to;     /* lowest bit in the key, counted from the lowest of its `bits` bits */
        uint8_t length; /* number of bits, at most 64 */
    } runs[ND_BIT_ORDER_MOST_RUNS];
} nd_bit_order;

/* bits: 2 to 64, or 128. The window has no bits above them. */
void nd_bit_order_init(nd_bit_order *order, uint32_t bits, nd_fingerprint window);
/* An order of several parts: the window parts[0], then the other parts, then all bits of no part.
 * Parts share no bits. */
void nd_bit_order_init_parts(nd_bit_order *order, uint32_t bits, const nd_fingerprint *parts,
                             size_t count);
nd_key nd_key_of(const nd_bit_order *order, nd_fingerprint fingerprint);
nd_fingerprint nd_key_fingerprint(const nd_bit_order *order, nd_key key);

/* The keys of many fingerprints. Up to 64 bits a key is one word, its head; with 128 bits it is two
 * words, head and tail. */
void nd_keys_of(const nd_bit_order *order, const nd_fingerprint *fingerprints, size_t count,
                uint64_t *keys);
/* Converts keys of one order to another. `from` and `to` do not overlap. */
void nd_keys_reorder(const nd_bit_order *from_order, const nd_bit_order *to_order,
                     const uint64_t *from, size_t count, uint64_t *to);

#endif
