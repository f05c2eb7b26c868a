/* The anchors of a text: positions that its content alone chooses, so that equal stretches of two
 * texts have equal anchors (winnowing: Schleimer, Wilkerson, Aiken 2003; minimizers: Roberts et al.
 * 2004).
 *
 * A text is a row of *symbols*: its bytes, or the hashes of its tokens. A *window* is a stretch of
 * `least` symbols. Its anchor is the K-gram (K symbols) in it with the smallest hash, at a tie the
 * first one. So equal windows have equal anchors at the same distance from their beginning: whoever
 * knows all positions of each anchor knows all pairs of windows that may be equal. Neighbouring
 * windows mostly share their anchor; in random text there is one for (least - K + 2) / 2 symbols.
 */
#ifndef ND_REPEATS_MINIMIZERS_H
#define ND_REPEATS_MINIMIZERS_H

#include "base/alloc.h"
#include "base/bits.h"
#include "base/status.h"

/* Bytes of a symbol. A token is a hash of 64 bits. */
typedef enum nd_symbols { ND_SYMBOL_BYTES = 1, ND_SYMBOL_TOKENS = 8 } nd_symbols;

static inline uint64_t nd_symbol_at(nd_symbols kind, const unsigned char *symbols, size_t i) {
    return kind == ND_SYMBOL_BYTES ? symbols[i] : nd_load_le64(symbols + 8 * i);
}

/* K, for a length of windows: half of it, and at most 48. */
static inline uint32_t nd_anchor_size(uint32_t least) { return least < 96 ? least / 2 : 48; }

typedef struct nd_anchor {
    uint64_t hash;
    uint64_t offset;  /* of the K-gram, in symbols of the text */
    uint32_t back;    /* symbols from the first of its windows to it */
    uint32_t windows; /* their number, at least 1: they begin at neighbouring symbols */
} nd_anchor;

/* One thread's memory. Zero-initialised, except for allocator, symbols and least. */
typedef struct nd_anchor_finder {
    nd_allocator allocator;
    nd_symbols symbols;
    uint32_t least; /* 2 to ND_SUBSTRINGS_MOST */
    uint64_t *hashes;
    size_t hash_capacity;
    nd_anchor *anchors; /* ascending by offset; valid until the next text */
    size_t count, capacity;
} nd_anchor_finder;

/* Fills anchors[0, count) with the anchors of a text of `length` symbols. O(length). */
nd_status nd_anchors_find(nd_anchor_finder *finder, const void *text, size_t length,
                          nd_error *error);
void nd_anchor_finder_free(nd_anchor_finder *finder);

#endif
