/* Looking into packed tables of fingerprints (match/fingerprint_table.h): one body for the files of all instruction sets. Before it they define
 *     static inline unsigned select_bit(uint64_t word, unsigned rank)      place of the set bit number `rank` (from 0) of a word that has more */
#include "base/bits.h"

/* From the sample before a bucket on: the place of its 1, and where its run of 0 begins. */
static inline void find_bucket(const unsigned char *directory, uint64_t words, const unsigned char *samples, uint32_t bucket, uint32_t *begin,
                               uint32_t *end) {
    uint64_t from = (uint64_t)nd_load_le32(samples + (size_t)(bucket / 64) * 4) + (bucket & ~UINT32_C(63)), at = from / 64, after = from;
    unsigned rank = bucket % 64;
    *begin = UINT32_MAX;
    *end = 0;
    if (at >= words) return;
    uint64_t word = nd_load_le64(directory + at * 8) & ~UINT64_C(0) << from % 64;
    for (unsigned ones; ones = (unsigned)__builtin_popcountll(word), ones <= rank;) {
        rank -= ones;
        if (ones > 0) after = at * 64 + 64 - (unsigned)__builtin_clzll(word);
        if (++at == words) return;
        word = nd_load_le64(directory + at * 8);
    }
    unsigned place = select_bit(word, rank);
    uint64_t before = word & ((UINT64_C(1) << place) - 1);
    if (before) after = at * 64 + 64 - (unsigned)__builtin_clzll(before);
    *begin = (uint32_t)(after - bucket);
    *end = (uint32_t)(at * 64 + place - bucket);
}

static void find_buckets(const unsigned char *directory, uint64_t words, const unsigned char *samples, const uint32_t *buckets, size_t count,
                         uint32_t *begins, uint32_t *ends) {
    for (size_t i = 0; i < count; i++) find_bucket(directory, words, samples, buckets[i], &begins[i], &ends[i]);
}
