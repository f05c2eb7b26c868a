/* Least-significant-digit radix sort of 64-bit words: linear time, stable, no comparison. */
#ifndef ND_BASE_RADIX_SORT_H
#define ND_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending by bits [from_bit, 64) and keeps the order of words that agree in them. `scratch`
 * has room for `count` words; the result is in `words`. Digits that are the same in all words cost
 * one look. */
void nd_radix_sort(uint64_t *words, uint64_t *scratch, size_t count, unsigned from_bit);

/* Sorts words below 2^bits, 16 <= bits <= 64, that are spread over all of them, as hashes are: by
 * their upper 16 bits, and an insertion sort of what that leaves. O(count^2) where they are not
 * spread, for at most 2,048 of them. */
void nd_radix_sort_spread(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits);

/* Words of scratch that the sort of so many records takes: theirs, and counters behind them, which
 * are too many for the stack of a small thread. */
enum { ND_RADIX_SPREAD_BITS = 15 };
static inline size_t nd_radix_scratch_words(size_t count, unsigned words) {
    const size_t most = (size_t)1 << ND_RADIX_SPREAD_BITS;
    return count * words + (count < most ? count : most) / 2 + 1;
}

/* Sorts records of `words` 64-bit words (1 to 3) ascending by their first `keys` words, stable.
 * `scratch` has nd_radix_scratch_words; the result is in `records`. One pass and an insertion sort
 * where the keys are spread evenly between the least and the greatest, as fingerprints mostly are;
 * by digits where they are not. */
void nd_radix_sort_records(uint64_t *records, uint64_t *scratch, size_t count, unsigned words,
                           unsigned keys);
/* The same, but the result is where it came to be: in `records` or in `scratch`, which is returned.
 */
uint64_t *nd_radix_sort_records_somewhere(uint64_t *records, uint64_t *scratch, size_t count,
                                          unsigned words, unsigned keys);

/* Sorts the indices order[0, count) ascending by keys[index], stable. `scratch` has room for
 * `count` indices. */
void nd_radix_sort_indices(uint32_t *order, uint32_t *scratch, size_t count, const uint64_t *keys);

#endif
