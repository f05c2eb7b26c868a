/* Band keys of a document: for each band one hash of its `rows` MinHash values.
 *
 * ND_BAND_BITS bits of the hash are used. The top ND_BAND_PART_BITS bits choose a part of the band;
 * the other 32 are stored in a word with the document. Two documents with different values share a
 * key by chance with probability 2^-38; such a pair only costs one more comparison. */
#ifndef ND_SKETCH_BAND_KEY_H
#define ND_SKETCH_BAND_KEY_H

#include "base/hash.h"

enum { ND_BAND_PART_BITS = 6, ND_BAND_BITS = 32 + ND_BAND_PART_BITS };

/* The key of `rows` >= 1 values. */
static inline uint64_t nd_band_key(const uint32_t *values, uint32_t rows) {
    uint64_t key = ND_HASH_C0;
    uint32_t i = 0;
    for (; i + 2 <= rows; i += 2)
        key = nd_fold_multiply(key ^ values[i] ^ ((uint64_t)values[i + 1] << 32), ND_HASH_C1);
    if (i < rows) key = nd_fold_multiply(key ^ values[i], ND_HASH_C2);
    return nd_mix64(key);
}

/* A key of band `band` is stored in this part, of bands << ND_BAND_PART_BITS parts, as this word:
 * its low 32 bits above the document's number. */
static inline size_t nd_band_part(uint32_t band, uint64_t key) {
    return ((size_t)band << ND_BAND_PART_BITS) | (size_t)(key >> (64 - ND_BAND_PART_BITS));
}
static inline uint64_t nd_band_word(uint64_t key, uint32_t document) {
    return key << 32 | document;
}

/* The used bits of a key as one number below 2^ND_BAND_BITS, from the key, or from part and word.
 * It is in the order of the parts, and within a part of the words' upper halves. */
static inline uint64_t nd_band_number(uint64_t key) {
    return (key >> (64 - ND_BAND_PART_BITS)) << 32 | (uint32_t)key;
}
static inline uint64_t nd_band_number_of(size_t part, uint64_t word) {
    return (uint64_t)(part & (((size_t)1 << ND_BAND_PART_BITS) - 1)) << 32 | word >> 32;
}

#endif
