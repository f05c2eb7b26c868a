/* The find_buckets kernel: finds buckets in Elias-Fano tables of fingerprints
 * (hamming/elias_fano_table.h). */
#ifndef ND_KERNEL_TABLE_PROBE_H
#define ND_KERNEL_TABLE_PROBE_H

#include "base/bits.h"

/* Words of the directory in which nearly all buckets between two samples end. */
enum { NEAR_WORDS = 4 };

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

/* The same. No branch depends on the word that has the bit, because it would be mispredicted. */
static inline uint64_t select_near(const unsigned char *directory, uint64_t words, uint64_t from,
                                   unsigned rank) {
    const uint64_t at = from / 64, behind = ~UINT64_C(0) << from % 64;
    const unsigned char *p = directory + at * 8;
    if (__builtin_expect(at + NEAR_WORDS > words, 0))
        return select_far(directory, words, from, rank);
    const unsigned one = nd_popcount(nd_load_le64(p) & behind),
                   two = one + nd_popcount(nd_load_le64(p + 8)),
                   three = two + nd_popcount(nd_load_le64(p + 16)),
                   four = three + nd_popcount(nd_load_le64(p + 24));
    if (__builtin_expect(rank >= four, 0)) return select_far(directory, words, from, rank);
    const unsigned i = (unsigned)(rank >= one) + (unsigned)(rank >= two) +
                       (unsigned)(rank >= three);
    unsigned before = rank >= one ? one : 0;
    before = rank >= two ? two : before;
    before = rank >= three ? three : before;
    const uint64_t word = nd_load_le64(p + i * 8) & (i > 0 ? ~UINT64_C(0) : behind);
    return (at + i) * 64 + nd_select_bit(word, rank - before);
}

/* The end of `count` buckets that begin at bit `start`: mostly within a word from there on. */
static inline uint64_t end_of_buckets(const unsigned char *directory, uint64_t words,
                                      uint64_t start, unsigned count) {
    if (__builtin_expect(start / 8 + 8 <= words * 8, 1)) {
        const uint64_t word = nd_load_le64(directory + start / 8) >> start % 8;
        if (count <= nd_popcount(word)) return start + nd_select_bit(word, count - 1);
    }
    return select_near(directory, words, start, count - 1);
}

static void find_buckets(const unsigned char *directory, uint64_t words, const uint32_t *befores,
                         const uint32_t *prefixes, unsigned shift, size_t count, uint32_t *begins,
                         uint32_t *ends) {
    const unsigned buckets = 1u << shift;
    for (size_t i = 0; i < count; i++) {
        const uint32_t first = prefixes[i] << shift, rank = first % 64;
        uint64_t start = (uint64_t)befores[i] + (first - rank), stop = UINT64_MAX;
        if (rank > 0) start = select_near(directory, words, start, rank - 1) + 1;
        /* 0 behind a bucket: the directory has no such bucket. */
        if (rank == 0 || start > 0) stop = end_of_buckets(directory, words, start, buckets);
        begins[i] = stop == UINT64_MAX ? UINT32_MAX : (uint32_t)(start - first);
        ends[i] = stop == UINT64_MAX ? 0 : (uint32_t)(stop - (first + buckets - 1));
    }
}

#endif
