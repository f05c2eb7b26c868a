/* Least-significant-digit radix sort of 64-bit words: linear time, stable, no comparison. */
#ifndef ND_BASE_RADIX_SORT_H
#define ND_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending by bits [from_bit, 64), stable. `scratch` has room for `count` words; the result
 * is in `words`. A digit that is the same in all words costs no pass. */
void nd_radix_sort(uint64_t *words, uint64_t *scratch, size_t count, unsigned from_bit);

/* Sorts words below 2^bits, 16 <= bits <= 64, that are spread evenly, as hashes are. Up to 2,048
 * words are sorted by their upper 16 bits, and an insertion sort does the rest: O(count^2) if they
 * are not spread. */
void nd_radix_sort_spread(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits);
/* The same of the lowest `bits` bits of any words, 0 taken as 1, without repeats. Returns their
 * number. */
size_t nd_radix_sort_set(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits);

/* Words of scratch that sorting `count` records takes: room for the records, and behind them
 * counters, which are too many for the stack of a small thread. */
enum { ND_RADIX_SPREAD_BITS = 15 };
static inline size_t nd_radix_scratch_words(size_t count, unsigned words) {
    const size_t most = (size_t)1 << ND_RADIX_SPREAD_BITS;
    return count * words + (count < most ? count : most) / 2 + 1;
}

/* Sorts records of `words` 64-bit words (1 to 3) ascending by their first `keys` words, stable.
 * `scratch` has nd_radix_scratch_words; the result is in `records`. If the keys are spread evenly
 * between the least and the greatest, as fingerprints mostly are, that takes one pass and an
 * insertion sort; otherwise one pass per digit. */
void nd_radix_sort_records(uint64_t *records, uint64_t *scratch, size_t count, unsigned words,
                           unsigned keys);
/* The same without a last copy: returns the array that holds the result, `records` or `scratch`. */
uint64_t *nd_radix_sort_records_somewhere(uint64_t *records, uint64_t *scratch, size_t count,
                                          unsigned words, unsigned keys);

/* Sorts the indices order[0, count) ascending by keys[index], stable. `scratch` has room for
 * `count` indices. */
void nd_radix_sort_indices(uint32_t *order, uint32_t *scratch, size_t count, const uint64_t *keys);

#endif
