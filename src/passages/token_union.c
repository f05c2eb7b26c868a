#include "passages/token_union.h"

#include <stdlib.h>

int nd_token_word_order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint32_t nd_token_union(uint64_t *words, size_t count) {
    uint32_t size = 0, behind = 0; /* behind the last token that has been counted */
    if (count > 1) qsort(words, count, sizeof *words, nd_token_word_order);
    for (size_t i = 0; i < count; i++) {
        uint32_t begin = (uint32_t)(words[i] >> 32), end = (uint32_t)words[i];
        if (begin < behind) begin = behind;
        if (end <= begin) continue;
        size += end - begin;
        behind = end;
    }
    return size;
}
