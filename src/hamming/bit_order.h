/* Fingerprints as keys of sorted tables. A key has the fingerprint's bits in an order of the
 * table's own, the first in the highest place: `head` has the first 64 of them, left-aligned with
 * zeros behind where a fingerprint has fewer, `tail` the other 64 of a fingerprint of 128 bits.
 *
 * A table's order is told by its window, a mask of fingerprint bits: these come first, then all
 * others, each lot from the highest bit down. Distances between keys are those between the
 * fingerprints, since the order of bits does not matter to them. */
#ifndef ND_HAMMING_BIT_ORDER_H
#define ND_HAMMING_BIT_ORDER_H

#include "base/bits.h"
#include "sketch/fingerprint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_key {
    uint64_t head, tail;
} nd_key;

static inline bool nd_key_below(nd_key a, nd_key b) {
    return a.head < b.head || (a.head == b.head && a.tail < b.tail);
}
static inline bool nd_key_equal(nd_key a, nd_key b) { return a.head == b.head && a.tail == b.tail; }

/* How bits move: those of each run are shifted alike. As many runs as a mask of 128 bits can have.
 */
enum { ND_BIT_ORDER_MOST_RUNS = 130 };
typedef struct nd_bit_order {
    uint32_t bits, width; /* of the fingerprint, of the window */
    uint32_t run_count;
    struct {
        uint8_t from, to, length; /* lowest bit in the fingerprint, lowest bit in the key (of bits),
                                     number of bits, at most 64 */
    } runs[ND_BIT_ORDER_MOST_RUNS];
} nd_bit_order;

/* bits: 2 to 64, or 128. The window's bits are among them. */
void nd_bit_order_init(nd_bit_order *order, uint32_t bits, nd_fingerprint window);
/* The same of an order in which the window, parts[0], is followed by further parts, which have no
 * bit in common, and by what is left. */
void nd_bit_order_init_parts(nd_bit_order *order, uint32_t bits, const nd_fingerprint *parts,
                             size_t count);
nd_key nd_key_of(const nd_bit_order *order, nd_fingerprint fingerprint);
nd_fingerprint nd_key_fingerprint(const nd_bit_order *order, nd_key key);

/* The same of many: a key is its head, or, of 128 bits, head and tail. */
void nd_keys_of(const nd_bit_order *order, const nd_fingerprint *fingerprints, size_t count,
                uint64_t *keys);
/* Keys of one order in another. `from` and `to` do not overlap. */
void nd_keys_reorder(const nd_bit_order *from_order, const nd_bit_order *to_order,
                     const uint64_t *from, size_t count, uint64_t *to);

#endif
