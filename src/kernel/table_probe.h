/* The body of the find_buckets kernel: finds buckets in Elias-Fano tables of fingerprints
 * (hamming/elias_fano_table.h). The file of an instruction set includes this once, after it has
 * defined, with table_words.h or with vectors:
 *
 *   near_words, load_near, count_near, select_near
 *       NEAR_WORDS words of the directory, and their 1 bits. */
#include "base/bits.h"

/* Returns the position of the 1 bit number `rank`, counted from bit `from` on; UINT64_MAX: the
 * directory has fewer. */
static uint64_t select_far(const unsigned char *directory, uint64_t words, uint64_t from,
                           unsigned rank) {
    uint64_t at = from / 64;
    if (at >= words) return UINT64_MAX;
    uint64_t word = nd_load_le64(directory + at * 8) & ~UINT64_C(0) << from % 64;
    for (unsigned ones; ones = nd_popcount(word), ones <= rank;) {
        rank -= ones;
        if (++at == words) return UINT64_MAX;
        word = nd_load_le64(directory + at * 8);
    }
    return at * 64 + nd_select_bit(word, rank);
}

/* Looks up the buckets [first, first + count) behind one sample, which has `before` keys before it.
 * No branch depends on the keys, because it would be mispredicted. */
static inline void find_bucket(const unsigned char *directory, uint64_t words, uint32_t before,
                               uint32_t first, unsigned count, uint32_t *begin, uint32_t *end) {
    uint64_t from = (uint64_t)before + (first & ~UINT32_C(63)), at = from / 64, start = from, stop;
    unsigned rank = first % 64;
    near_words near;
    bool is_near = at + NEAR_WORDS <= words;
    if (__builtin_expect(is_near, 1)) {
        near = load_near(directory + at * 8, from % 64);
        is_near = rank + count <= count_near(&near);
    }
    if (__builtin_expect(is_near, 1)) {
        stop = at * 64 + select_near(&near, rank + count - 1);
        if (rank > 0) start = at * 64 + select_near(&near, rank - 1) + 1;
    } else {
        stop = select_far(directory, words, from, rank + count - 1);
        if (rank > 0 && stop != UINT64_MAX)
            start = select_far(directory, words, from, rank - 1) + 1;
    }
    *begin = stop == UINT64_MAX ? UINT32_MAX : (uint32_t)(start - first);
    *end = stop == UINT64_MAX ? 0 : (uint32_t)(stop - (first + count - 1));
}

static void find_buckets(const unsigned char *directory, uint64_t words, const uint32_t *befores,
                         const uint32_t *prefixes, unsigned shift, size_t count, uint32_t *begins,
                         uint32_t *ends) {
    for (size_t i = 0; i < count; i++)
        find_bucket(directory, words, befores[i], prefixes[i] << shift, 1u << shift, &begins[i],
                    &ends[i]);
}
