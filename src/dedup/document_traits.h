/* The script and the length of a document, in one byte: five bits and three. */
#ifndef ND_DEDUP_DOCUMENT_TRAITS_H
#define ND_DEDUP_DOCUMENT_TRAITS_H

#include "unicode/dominant_script.h"

#include <stdint.h>

enum { ND_TRAIT_SCRIPT_BITS = 5, ND_LENGTH_CLASSES = 6 };
_Static_assert(ND_SCRIPTS <= 1 << ND_TRAIT_SCRIPT_BITS, "every script has a number of five bits");
_Static_assert(ND_LENGTH_CLASSES <= 8, "every class of length has a number of three bits");

static inline uint8_t nd_traits_of(const char *text, size_t length) {
    unsigned length_class = 0;
    for (size_t end = 100; length >= end && length_class + 1 < ND_LENGTH_CLASSES; end *= 10)
        length_class++;
    return (uint8_t)(length_class << ND_TRAIT_SCRIPT_BITS |
                     (unsigned)nd_dominant_script(text, length));
}

static inline nd_script nd_traits_script(uint8_t traits) {
    return (nd_script)(traits & ((1u << ND_TRAIT_SCRIPT_BITS) - 1));
}
static inline unsigned nd_traits_length(uint8_t traits) { return traits >> ND_TRAIT_SCRIPT_BITS; }

#endif
