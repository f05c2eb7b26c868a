/* The properties of code points that analyzers need, from Unicode 15.0.0. The tables are generated
 * (scripts/make-unicode-tables) and committed, so that a system update never changes a token.
 *
 * A code point has a 16-bit entry. Its low byte holds the bits below; its high byte is the number
 * of a record (fold, combining class), which most callers need not load. The entries form a trie:
 * below U+10000 stage 1 gives the index of a block of 64 entries in stage 2; from U+10000 on stage
 * 0 gives the index of a group of 64 such blocks in stage 1. The first two blocks of stage 2 are
 * ASCII. From ND_UNICODE_END on every entry is 0.
 *
 * The class and ND_CHAR_SPACE_OR_PUNCT describe the folded character; the bits for normalisation
 * describe the character itself. */
#ifndef ND_UNICODE_UNICODE_DATA_H
#define ND_UNICODE_UNICODE_DATA_H

#include <stdint.h>

/* The class, in the lowest two bits. MARK: gc=M* and Join_Control. WORD: otherwise Alphabetic, Nd
 * or Pc. UNSPACED: such a character with Script Han, Hiragana, Katakana, Thai, Lao, Khmer or
 * Myanmar.
 */
#define ND_CHAR_CLASS 0x03u
#define ND_CHAR_NONE 0u
#define ND_CHAR_WORD 1u
#define ND_CHAR_MARK 2u
#define ND_CHAR_UNSPACED 3u

#define ND_CHAR_SPACE_OR_PUNCT 0x04u /* White_Space or gc=P* */
#define ND_CHAR_FOLDS 0x08u          /* full case folding changes it */
/* Combining class not 0, or NFC_Quick_Check not Yes: may change characters before it under NFC. */
#define ND_CHAR_NOT_BOUNDARY 0x10u
#define ND_CHAR_MAYBE 0x20u /* NFC_Quick_Check Maybe: may compose with a character before it */
#define ND_CHAR_NO 0x40u    /* NFC_Quick_Check No: never in NFC */
/* Is the first character of a composition, or decomposes: a Maybe after it can change it. */
#define ND_CHAR_FORWARD 0x80u

#define ND_UNICODE_END 0xe1000u

typedef struct nd_unicode_record {
    int32_t fold; /* added to the code point; 0 with ND_CHAR_FOLDS: see nd_unicode_folds */
    uint8_t ccc;  /* canonical combining class */
} nd_unicode_record;

/* A folding to two or three code points, the third 0 if there are two. */
typedef struct nd_unicode_fold {
    uint32_t from, to[3];
} nd_unicode_fold;

/* A primary composite: first + second compose to it. Those of Hangul are computed instead. */
typedef struct nd_unicode_pair {
    uint32_t first, second, composite;
} nd_unicode_pair;

#define ND_UNICODE_FOLD_COUNT 104u
#define ND_UNICODE_DECOMPOSING_COUNT 2061u
#define ND_UNICODE_PAIR_SLOT_BITS 11
#define ND_UNICODE_PAIR_MULTIPLIER 0x6526b0d1u
#define ND_UNICODE_ZERO_COUNT 68u

extern const uint16_t nd_unicode_stage0[209];
extern const uint16_t nd_unicode_stage1[2560];
extern const uint16_t nd_unicode_stage2[];
extern const nd_unicode_record nd_unicode_records[];
extern const nd_unicode_fold nd_unicode_folds[ND_UNICODE_FOLD_COUNT]; /* ascending */

/* Code points with a canonical decomposition, ascending. The full decomposition of the code point
 * number i is nd_unicode_decompositions[starts[i] .. starts[i + 1]). */
extern const uint32_t nd_unicode_decomposing[ND_UNICODE_DECOMPOSING_COUNT];
extern const uint16_t nd_unicode_decomposition_starts[ND_UNICODE_DECOMPOSING_COUNT + 1];
extern const uint32_t nd_unicode_decompositions[];

/* Pairs, and a hash table of them with 2^ND_UNICODE_PAIR_SLOT_BITS slots and linear probing. A slot
 * is 0, or 1 + the number of a pair. */
extern const nd_unicode_pair nd_unicode_pairs[];
extern const uint16_t nd_unicode_pair_slots[1u << ND_UNICODE_PAIR_SLOT_BITS];

/* The digits 0 (gc=Nd) of all scripts, ascending; each is followed by its digits 1 to 9. */
extern const uint32_t nd_unicode_digit_zeros[ND_UNICODE_ZERO_COUNT];

/* The entry of a code point below U+10000. */
static inline unsigned nd_unicode_entry_bmp(uint32_t cp) {
    return nd_unicode_stage2[nd_unicode_stage1[cp >> 6] + (cp & 63)];
}

/* The entry of any code point up to U+10FFFF. */
static inline unsigned nd_unicode_entry(uint32_t cp) {
    if (cp < 0x80) return nd_unicode_stage2[cp];
    if (cp < 0x10000) return nd_unicode_entry_bmp(cp);
    if (cp >= ND_UNICODE_END) return 0;
    unsigned group = nd_unicode_stage0[(cp - 0x10000) >> 12];
    return nd_unicode_stage2[nd_unicode_stage1[group + (cp >> 6 & 63)] + (cp & 63)];
}

static inline const nd_unicode_record *nd_unicode_record_of(unsigned entry) {
    return &nd_unicode_records[entry >> 8];
}

/* Full case folding of a code point with this entry, to at most three; returns their number. */
static inline unsigned nd_unicode_fold_to(uint32_t cp, unsigned entry, uint32_t to[3]) {
    int32_t delta = (entry & ND_CHAR_FOLDS) ? nd_unicode_record_of(entry)->fold : 0;
    to[0] = (uint32_t)((int32_t)cp + delta);
    if (delta != 0 || !(entry & ND_CHAR_FOLDS)) return 1;
    unsigned low = 0, high = ND_UNICODE_FOLD_COUNT - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (nd_unicode_folds[middle].from < cp) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (unsigned i = 0; i < 3; i++) to[i] = nd_unicode_folds[low].to[i];
    return to[2] ? 3 : 2;
}

#endif
