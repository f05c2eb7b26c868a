/* How many tokens of a text lie in at least one of several ranges. */
#ifndef ND_PASSAGES_TOKEN_UNION_H
#define ND_PASSAGES_TOKEN_UNION_H

#include <stddef.h>
#include <stdint.h>

/* Tokens [begin, end) as one word. */
static inline uint64_t nd_token_word(uint32_t begin, uint32_t end) {
    return (uint64_t)begin << 32 | end;
}

/* Sorts the words, and returns the size of the union of their ranges. */
uint32_t nd_token_union(uint64_t *words, size_t count);

/* Compares two words of 64 bits, for qsort. */
int nd_token_word_order(const void *a, const void *b);

#endif
