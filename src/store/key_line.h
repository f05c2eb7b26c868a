/* The directory of a key table: lines of 64 bytes, as the processor's cache has them. A line tells
 * for most keys that are not in the table that they are not there, without a look at the entries.
 * So a lookup mostly waits for one line of memory instead of two.
 *
 * The prefix of a key is its top D bits, its rest the other R, which stand in its entry. Each line
 * is for S prefixes (doc/internals/formats.md, "Files of an index"):
 *
 *   56  for each of at most 56 entries a byte, which ascends with the key: place.byte; then 255.
 *       If there are more: for each prefix where its entries end, 32 bits; then zeros
 *    4  where the entries of these prefixes begin
 *    4  where they end */
#ifndef ND_STORE_KEY_LINE_H
#define ND_STORE_KEY_LINE_H

#include "base/bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    ND_KEY_ENTRY = 5, /* bytes */
    ND_KEY_ENTRY_BITS = 8 * ND_KEY_ENTRY,
    ND_KEY_LINE = 64,
    ND_KEY_LINE_BYTES = 56,
    ND_KEY_LINE_PREFIXES = ND_KEY_LINE_BYTES / 4,
    ND_KEY_LINE_MEAN = 38 /* entries; of random keys one line in 400 has more than 56 */
};

/* Entries [begin, end). */
typedef struct nd_key_range {
    uint64_t begin, end;
} nd_key_range;

/* The sizes of a table, which follow from its numbers of documents and entries. */
typedef struct nd_key_shape {
    unsigned document_bits; /* B */
    unsigned rest_bits;     /* R */
    unsigned prefixes;      /* S: of a line */
    unsigned steps;         /* W: different bytes of the keys of a prefix */
    unsigned step_inverse;  /* 2^16 / W, rounded up: b * step_inverse >> 16 is b / W for a byte b */
    uint64_t inverse;       /* 2^34 / S, rounded up: x * inverse >> 34 is x / S for x < 2^30 */
    uint64_t lines;
    uint64_t directory; /* its offset, bytes */
    uint64_t size;
} nd_key_shape;

/* False: there are too many. */
static inline bool nd_key_shape_of(uint64_t documents, uint64_t entries, nd_key_shape *out) {
    if (documents > UINT64_C(1) << 32 || entries > UINT32_MAX) return false;
    unsigned bits = documents > 4 ? 64 - (unsigned)__builtin_clzll(documents - 1) : 2;
    uint64_t all = UINT64_C(1) << (bits - 2),
             wanted = entries ? ND_KEY_LINE_MEAN * all / entries : ND_KEY_LINE_PREFIXES,
             prefixes = wanted == 0                     ? 1
                        : wanted > ND_KEY_LINE_PREFIXES ? ND_KEY_LINE_PREFIXES
                                                        : wanted,
             lines = (all + prefixes - 1) / prefixes,
             directory = (entries * ND_KEY_ENTRY + ND_KEY_LINE - 1) / ND_KEY_LINE * ND_KEY_LINE;
    *out = (nd_key_shape){.document_bits = bits,
                          .rest_bits = ND_KEY_ENTRY_BITS - bits,
                          .prefixes = (unsigned)prefixes,
                          .steps = (unsigned)(255 / prefixes),
                          .step_inverse = (unsigned)((65535 + 255 / prefixes) / (255 / prefixes)),
                          .inverse = ((UINT64_C(1) << 34) + prefixes - 1) / prefixes,
                          .lines = lines,
                          .directory = directory,
                          .size = directory + lines * ND_KEY_LINE};
    return true;
}

/* The byte of a key whose prefix is number `prefix` of its line: at most 254. */
static inline unsigned nd_key_byte(const nd_key_shape *s, unsigned prefix, uint64_t rest) {
    return prefix * s->steps + (unsigned)(rest * s->steps >> s->rest_bits);
}

/* The prefix of its line that a key with this byte has. */
static inline unsigned nd_key_prefix_of(const nd_key_shape *s, unsigned byte) {
    return byte * s->step_inverse >> 16;
}

/* Where a key stands in the directory. */
typedef struct nd_key_place {
    uint64_t line;
    unsigned prefix; /* of those of the line */
    unsigned byte;
} nd_key_place;

static inline uint64_t nd_key_line_of(const nd_key_shape *s, uint64_t key) {
    return (key >> s->rest_bits) * s->inverse >> 34;
}

static inline nd_key_place nd_key_place_of(const nd_key_shape *s, uint64_t key) {
    uint64_t line = nd_key_line_of(s, key), rest = key & ((UINT64_C(1) << s->rest_bits) - 1);
    unsigned prefix = (unsigned)((key >> s->rest_bits) - line * s->prefixes);
    return (nd_key_place){line, prefix, nd_key_byte(s, prefix, rest)};
}

static inline nd_key_range nd_key_line_range(const unsigned char *line) {
    return (nd_key_range){nd_load_le32(line + ND_KEY_LINE_BYTES),
                          nd_load_le32(line + ND_KEY_LINE_BYTES + 4)};
}

static inline bool nd_key_line_has_bytes(nd_key_range range) {
    return range.end - range.begin <= ND_KEY_LINE_BYTES;
}

typedef unsigned char nd_key_bytes __attribute__((vector_size(16)));
typedef uint64_t nd_key_words __attribute__((vector_size(16)));
typedef nd_key_bytes nd_key_bytes_anywhere __attribute__((aligned(1), may_alias));

/* A line, with 255 in place of its last 8 bytes, which are numbers; and 16 times the byte that is
 * looked for. */
typedef struct nd_key_compared {
    nd_key_bytes a, b, c, d, wanted;
} nd_key_compared;

static inline nd_key_compared nd_key_load(const unsigned char *line, unsigned byte) {
    const nd_key_bytes_anywhere *p = (const nd_key_bytes_anywhere *)line;
    const nd_key_words numbers = {0, UINT64_MAX};
    return (nd_key_compared){p[0], p[1], p[2], p[3] | (nd_key_bytes)numbers,
                             (nd_key_bytes){0} + (unsigned char)byte};
}

/* Counts the bytes of a line that are the one that is looked for. The count is the sum of the
 * result's 16 bytes, each taken as a negative number: a comparison gives -1 for true. */
static inline nd_key_words nd_key_same(nd_key_compared x) {
    return (nd_key_words)((x.a == x.wanted) + (x.b == x.wanted) + (x.c == x.wanted) +
                          (x.d == x.wanted));
}

/* Counts the bytes of the 64 that are not below that one, in the same way. */
static inline nd_key_words nd_key_not_below(nd_key_compared x) {
    return (nd_key_words)((x.a >= x.wanted) + (x.b >= x.wanted) + (x.c >= x.wanted) +
                          (x.d >= x.wanted));
}

/* Returns the count that such a result stands for. */
static inline unsigned nd_key_sum(nd_key_words x) {
    nd_key_words words = (nd_key_words)(-(nd_key_bytes)x);
    return (unsigned)((words[0] + words[1]) * UINT64_C(0x0101010101010101) >> 56);
}

/* Whether the line may have the key of the place. True also for a line whose numbers are damaged.
 */
static inline bool nd_key_line_may_have(const unsigned char *line, nd_key_place place) {
    nd_key_words same = nd_key_same(nd_key_load(line, place.byte));
    return (same[0] | same[1]) != 0 || !nd_key_line_has_bytes(nd_key_line_range(line));
}

/* Finds the entries that may have the key of the place: all of these are among them. False: the
 * line is damaged. */
static inline bool nd_key_line_find(const unsigned char *line, nd_key_place place,
                                    nd_key_range *out) {
    nd_key_range all = nd_key_line_range(line);
    if (all.begin > all.end) return false;
    if (nd_key_line_has_bytes(all)) {
        nd_key_compared bytes = nd_key_load(line, place.byte);
        uint64_t begin = all.begin + ND_KEY_LINE - nd_key_sum(nd_key_not_below(bytes));
        *out = (nd_key_range){begin, begin + nd_key_sum(nd_key_same(bytes))};
    } else {
        const unsigned char *end = line + 4 * (size_t)place.prefix;
        *out = (nd_key_range){place.prefix ? nd_load_le32(end - 4) : all.begin, nd_load_le32(end)};
    }
    return all.begin <= out->begin && out->begin <= out->end && out->end <= all.end;
}

#endif
