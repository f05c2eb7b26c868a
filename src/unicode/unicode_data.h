/* What the analyzers ask of a code point, from Unicode 15.0.0; the tables are generated
 * (scripts/make-unicode-tables) and committed, so that a system update never changes a token.
 *
 * A code point has a 16-bit entry: the low byte holds the bits below, the high byte the number of a
 * record (fold, combining class) that most callers need not load. Entries lie in a trie: below
 * U+10000 stage 1 gives the place of a block of 64 entries in stage 2, above that stage 0 gives the
 * place of a group of 64 such blocks in stage 1. The first two blocks of stage 2 are ASCII. From
 * ND_UNICODE_END on every entry is 0.
 *
 * The class and ND_CHAR_SPACE_OR_PUNCT are those of the folded character, the bits of normalisation
 * those of the character itself. */
#ifndef ND_UNICODE_UNICODE_DATA_H
#define ND_UNICODE_UNICODE_DATA_H

#include <stdint.h>

/* The class, the lowest two bits. Marks are gc=M* and Join_Control; words are Alphabetic, Nd and Pc
 * besides; the unspaced are the words among the characters with Script Han, Hiragana, Katakana,
 * Thai, Lao, Khmer or Myanmar. */
#define ND_CHAR_CLASS 0x03u
#define ND_CHAR_NONE 0u
#define ND_CHAR_WORD 1u
#define ND_CHAR_MARK 2u
#define ND_CHAR_UNSPACED 3u

#define ND_CHAR_SPACE_OR_PUNCT 0x04u /* White_Space or gc=P* */
#define ND_CHAR_FOLDS 0x08u          /* full case folding changes it */
#define ND_CHAR_NOT_BOUNDARY                                                                       \
    0x10u /* combining class not 0, or NFC_Quick_Check not Yes: what comes before may change with  \
             it under NFC */
#define ND_CHAR_MAYBE 0x20u /* NFC_Quick_Check Maybe: may compose with what comes before */
#define ND_CHAR_NO 0x40u    /* NFC_Quick_Check No: never in NFC */
#define ND_CHAR_FORWARD                                                                            \
    0x80u /* is the first of a composition, or has a decomposition: a Maybe after it can change it \
           */

#define ND_UNICODE_END 0xe1000u

typedef struct nd_unicode_record {
    int32_t fold; /* added to the code point; 0 with ND_CHAR_FOLDS: see nd_unicode_folds */
    uint8_t ccc;  /* canonical combining class */
} nd_unicode_record;

/* A folding to two or three code points, the third 0 if there are two. */
typedef struct nd_unicode_fold {
    uint32_t from, to[3];
} nd_unicode_fold;

/* A primary composite: first + second compose to it. Hangul is not here, it is computed. */
typedef struct nd_unicode_pair {
    uint32_t first, second, composite;
} nd_unicode_pair;

#define ND_UNICODE_FOLD_COUNT 104u
#define ND_UNICODE_DECOMPOSING_COUNT 2061u
#define ND_UNICODE_PAIR_SLOT_BITS 11
#define ND_UNICODE_PAIR_MULTIPLIER 0x6526b0d1u

extern const uint16_t nd_unicode_stage0[209];
extern const uint16_t nd_unicode_stage1[2560];
extern const uint16_t nd_unicode_stage2[];
extern const nd_unicode_record nd_unicode_records[];
extern const nd_unicode_fold nd_unicode_folds[ND_UNICODE_FOLD_COUNT]; /* ascending */

/* Code points with a canonical decomposition, ascending; the full decomposition of number i is
 * nd_unicode_decompositions[starts[i] .. starts[i + 1]).
 * */
extern const uint32_t nd_unicode_decomposing[ND_UNICODE_DECOMPOSING_COUNT];
extern const uint16_t nd_unicode_decomposition_starts[ND_UNICODE_DECOMPOSING_COUNT + 1];
extern const uint32_t nd_unicode_decompositions[];

/* Pairs, found by a hash table of 2^ND_UNICODE_PAIR_SLOT_BITS slots with linear probing: 0, or 1 +
 * the number of a pair. */
extern const nd_unicode_pair nd_unicode_pairs[];
extern const uint16_t nd_unicode_pair_slots[1u << ND_UNICODE_PAIR_SLOT_BITS];

/* The entry of a code point of two or three bytes in UTF-8 (or of one): below U+10000. */
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

/* Full case folding of a code point with its entry to at most three; returns their number. */
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
