#include "base/radix_sort.h"

#include <stdbool.h>
#include <string.h>

/* Below this an insertion sort wins. */
enum { SMALL = 48 };

static void insertion_sort(uint64_t *words, size_t count, unsigned from_bit) {
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j > 0 && (words[j - 1] >> from_bit) > (word >> from_bit); j--) words[j] = words[j - 1];
        words[j] = word;
    }
}

void nd_radix_sort(uint64_t *words, uint64_t *scratch, size_t count, unsigned from_bit) {
    if (count < SMALL) {
        insertion_sort(words, count, from_bit);
        return;
    }
    uint64_t all_or = 0, all_and = ~UINT64_C(0);
    for (size_t i = 0; i < count; i++) {
        all_or |= words[i];
        all_and &= words[i];
    }
    uint64_t varying = all_or ^ all_and;
    uint64_t *from = words, *to = scratch;
    for (unsigned shift = from_bit; shift < 64; shift += 8) {
        if (((varying >> shift) & 255) == 0) continue;
        size_t place[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) place[(from[i] >> shift) & 255]++;
        for (unsigned d = 0; d < 256; d++) {
            size_t n = place[d];
            place[d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++) to[place[(from[i] >> shift) & 255]++] = from[i];
        uint64_t *t = from;
        from = to;
        to = t;
    }
    if (from != words) memcpy(words, from, count * sizeof *words);
}

void nd_radix_sort_spread(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits) {
    enum { DIGITS = 256, FEW = 2048 };
    if (count < SMALL || count > FEW) {
        nd_radix_sort(words, scratch, count, 0);
        return;
    }
    uint16_t low[DIGITS] = {0}, high[DIGITS] = {0}, low_sum = 0, high_sum = 0;
    for (size_t i = 0; i < count; i++) {
        low[(words[i] >> (bits - 16)) & 255]++;
        high[(words[i] >> (bits - 8)) & 255]++;
    }
    for (unsigned d = 0; d < DIGITS; d++) {
        uint16_t l = low[d], h = high[d];
        low[d] = low_sum;
        high[d] = high_sum;
        low_sum = (uint16_t)(low_sum + l);
        high_sum = (uint16_t)(high_sum + h);
    }
    for (size_t i = 0; i < count; i++) scratch[low[(words[i] >> (bits - 16)) & 255]++] = words[i];
    for (size_t i = 0; i < count; i++) words[high[(scratch[i] >> (bits - 8)) & 255]++] = scratch[i];
    insertion_sort(words, count, 0);
}

void nd_radix_sort_indices(uint32_t *order, uint32_t *scratch, size_t count, const uint64_t *keys) {
    uint32_t *from = order, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t place[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) place[(keys[from[i]] >> shift) & 255]++;
        bool constant = false;
        for (unsigned d = 0; d < 256; d++) {
            size_t n = place[d];
            constant = constant || n == count;
            place[d] = sum;
            sum += n;
        }
        if (constant) continue;
        for (size_t i = 0; i < count; i++) to[place[(keys[from[i]] >> shift) & 255]++] = from[i];
        uint32_t *t = from;
        from = to;
        to = t;
    }
    if (from != order) memcpy(order, from, count * sizeof *order);
}
