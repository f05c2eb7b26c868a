/* MinHash inside the library: its number of functions, and sketches of 8 or 4 bits per value. The
 * rest is declared in neardup.h. */
#ifndef ND_SKETCH_MINHASH_H
#define ND_SKETCH_MINHASH_H

#include "neardup.h"

/* The number of functions of which each gives four values of a signature (neardup.h). */
static inline uint32_t nd_minhash_functions(uint32_t perms) { return (perms + 3) / 4; }

/* Copies the low 8 bits of each value of a signature to `sketch`, which has room for `perms` bytes:
 * a quarter of the memory, for the filter before exact comparison (minhash_filter.h). */
void nd_minhash_sketch(const uint32_t *signature, uint32_t perms, uint8_t *sketch);

/* The same with the low 4 bits, two values in a byte: an eighth of the memory (Li, König, "b-bit
 * minwise hashing", 2010). */
static inline size_t nd_half_sketch_size(uint32_t perms) { return ((size_t)perms + 1) / 2; }
void nd_minhash_half_sketch(const uint32_t *signature, uint32_t perms, uint8_t *sketch);
/* The number of equal values. */
size_t nd_half_sketch_matches(const uint8_t *a, const uint8_t *b, uint32_t perms);

#endif
