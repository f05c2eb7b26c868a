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
#include "base/limits.h"
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
    uint32_t offset;  /* of the K-gram, in symbols of the text, which has less than 2^32 */
    uint16_t back;    /* symbols from the first of its windows to it */
    uint16_t windows; /* their number, at least 1: they begin at neighbouring symbols */
} nd_anchor;

/* Called with anchors of a text, ascending by offset, each one whole. Valid during the call. Return
 * a failure to stop. */
typedef nd_status nd_anchors_fn(void *context, const nd_anchor *anchors, size_t count,
                                nd_error *error);

/* One thread's memory, less than 1 MiB whatever the text is. Zero-initialised, except for
 * allocator, symbols and least. */
typedef struct nd_anchor_finder {
    nd_allocator allocator;
    nd_symbols symbols;
    uint32_t least; /* 2 to ND_SUBSTRINGS_MOST */
    uint64_t *hashes;
    size_t hash_capacity;
    nd_anchor anchors[ND_LIMIT(256, 3)]; /* that the function has not had */
    size_t count;
} nd_anchor_finder;

/* Calls `fn` with all anchors of a text of `length` symbols, some at a time. O(length). */
nd_status nd_anchors_find(nd_anchor_finder *finder, const void *text, size_t length,
                          nd_anchors_fn *fn, void *context, nd_error *error);
/* The same for a text that comes in parts. A part is `length` symbols of the text, from number
 * `begin` on, and the next one begins with the first symbol whose window did not fit in: the last
 * `least` - 1 symbols come again, or all of them, if there were fewer. nd_anchors_end calls `fn`
 * with the anchors that are left. */
nd_status nd_anchors_find_part(nd_anchor_finder *finder, const void *part, size_t begin,
                               size_t length, nd_anchors_fn *fn, void *context, nd_error *error);
nd_status nd_anchors_end(nd_anchor_finder *finder, nd_anchors_fn *fn, void *context,
                         nd_error *error);
void nd_anchor_finder_free(nd_anchor_finder *finder);

#endif
