/* The property Sentence_Break (UAX #29) of Unicode 15.0.0; the tables are generated
 * (scripts/make-unicode-tables) and committed, so that a system update never moves the end of a
 * sentence.
 *
 * Two stages: the first gives the number of a block of 128 code points in the second. The first
 * block is ASCII. Code points from ND_SENTENCE_END on have no property. */
#ifndef ND_UNICODE_SENTENCE_BREAK_DATA_H
#define ND_UNICODE_SENTENCE_BREAK_DATA_H

#include <stdint.h>

typedef enum nd_sentence_class {
    ND_SENTENCE_OTHER = 0,
    ND_SENTENCE_LOWER,
    ND_SENTENCE_UPPER,
    ND_SENTENCE_LETTER, /* OLetter: without case */
    ND_SENTENCE_NUMERIC,
    ND_SENTENCE_STOP, /* ATerm: ends a sentence, or an abbreviation */
    ND_SENTENCE_TERM, /* STerm: ends a sentence */
    ND_SENTENCE_CLOSE,
    ND_SENTENCE_CONTINUE,
    ND_SENTENCE_SPACE,
    ND_SENTENCE_SEPARATOR, /* Sep: of paragraphs and lines */
    ND_SENTENCE_CR,
    ND_SENTENCE_LF,
    ND_SENTENCE_EXTEND /* Extend and Format: belong to the character before them */
} nd_sentence_class;

#define ND_SENTENCE_END 0xe0200u

extern const uint8_t nd_sentence_stage1[ND_SENTENCE_END >> 7];
extern const uint8_t nd_sentence_stage2[];

static inline nd_sentence_class nd_sentence_class_of(uint32_t cp) {
    if (cp >= ND_SENTENCE_END) return ND_SENTENCE_OTHER;
    return (nd_sentence_class)
        nd_sentence_stage2[(uint32_t)nd_sentence_stage1[cp >> 7] << 7 | (cp & 127)];
}

#endif
