/* Cuts a text into lines, paragraphs or sentences, counts their words, and makes a hash of each
 * that is the same for equal ones. */
#ifndef ND_REPEATS_TEXT_UNITS_H
#define ND_REPEATS_TEXT_UNITS_H

#include "base/alloc.h"
#include "base/status.h"
#include "corpus/record_cuts.h"

/* A unit [begin, end) of a text. What is cut with it ends at `next`: its line break, empty lines or
 * white space. It has at least `words` words; exact: and no more. */
typedef struct nd_text_unit {
    size_t begin, end, next;
    uint32_t words;
    bool exact;
} nd_text_unit;

/* One thread's memory. Zero-initialised, except for allocator and kind. */
typedef struct nd_text_units {
    nd_allocator allocator;
    nd_text_unit_kind kind;
    nd_text_unit *units; /* in order; valid until the next text */
    size_t count, capacity;
} nd_text_units;

/* Fills units[0, count) with the units of a text. O(length). */
nd_status nd_text_units_find(nd_text_units *units, const char *text, size_t length,
                             nd_error *error);
void nd_text_units_free(nd_text_units *units);

/* Whether a unit of a text has so many words. */
bool nd_text_unit_has_words(const char *text, const nd_text_unit *unit, uint32_t least);

/* Counts the words of a text, but stops at `most`. */
uint32_t nd_count_words(const char *text, size_t length, uint32_t most);

/* Whether a text has `least` words or more without the spans, which ascend. */
bool nd_has_words_left(const char *text, size_t length, const nd_text_span *spans, size_t count,
                       uint32_t least);

/* Hashes bytes to two words that do not depend on each other. It is a part of the format of an
 * index of lines (doc/internals/formats.md). */
void nd_hash_unit(const char *text, size_t length, uint64_t out[2]);

#endif
