/* A shingle set in few bytes: the low ND_SET_BITS bits of its shingles, distinct and sorted, in
 * Elias-Fano code (Elias, 1974; Fano, 1971; doc/internals/index.md, doc/internals/formats.md).
 *
 * The form of m >= 1 values v_0 < v_1 < ... below 2^40, with L = floor(log2(2^40 / m)):
 *
 *     m        a varint (LEB128) of as few bytes as possible
 *     lows     the low L bits of each value, in little-endian bit order, without gaps
 *     uppers   m + (2^40 >> L) bits, of which bit (v_i >> L) + i is set for each i
 *
 * Lows and uppers are each padded to a byte. All other bits are 0. The set of no values is one byte
 * 0. So a set has exactly one form. */
#ifndef ND_SIMILARITY_PACKED_SET_H
#define ND_SIMILARITY_PACKED_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_SET_BITS = 40 };
#define ND_SET_MASK ((UINT64_C(1) << ND_SET_BITS) - 1)

/* A set has at most so many values. */
#define ND_SET_MOST (UINT32_C(1) << 30)

/* The bytes of a packed set of `count` <= ND_SET_MOST values. */
size_t nd_packed_set_size(size_t count);

/* Reduces shingles to their low ND_SET_BITS bits; 0 becomes 1, since a hash set cannot hold 0. */
void nd_packed_set_narrow(uint64_t *shingles, size_t count);

/* Narrows shingles, sorts them and removes repeats. Returns their number. `scratch` has room for
 * `count` values. */
size_t nd_packed_set_sort(uint64_t *shingles, uint64_t *scratch, size_t count);

/* Packs `count` distinct values below 2^40, ascending, into nd_packed_set_size(count) bytes.
 * O(count). */
void nd_packed_set_pack(const uint64_t *values, size_t count, unsigned char *to);

/* Reads the number of values of a packed set of `size` bytes. False: a packed set of so many values
 * has another size. */
bool nd_packed_set_count(const unsigned char *packed, size_t size, size_t *count);

/* Unpacks a set of `count` values (nd_packed_set_count), ascending. False: the set is damaged: it
 * has another count, or fewer or more upper parts, or values that do not ascend or are not below
 * 2^40, or padding bits that are set; `values` is then undefined. Reads only [packed, packed +
 * size) and the 8 bytes behind. O(count): a set of 300 values takes well under a microsecond. */
bool nd_packed_set_unpack(const unsigned char *packed, size_t size, size_t count, uint64_t *values);

#endif
