/* A shingle set in few bytes: the distinct values of the shingles' low ND_SET_BITS bits, sorted, in
 * Elias-Fano code (Elias 1974, Fano 1971; doc/index.md, doc/formats.md).
 *
 * m >= 1 values below 2^40: m as a varint (LEB128, in as few bytes as it takes), then the low L =
 * floor(log2(2^40 / m)) bits of each value, little-endian bit order, packed without gaps and padded
 * to a byte; then, in m + (2^40 >> L) bits, padded to a byte, bit (v >> L) + i set for value number
 * i. m = 0 is the one byte 0. All other bits are 0: a set has one form. */
#ifndef ND_SIMILARITY_PACKED_SET_H
#define ND_SIMILARITY_PACKED_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_SET_BITS = 40 };
#define ND_SET_MASK ((UINT64_C(1) << ND_SET_BITS) - 1)

/* Sets are of at most this many. */
#define ND_SET_MOST (UINT32_C(1) << 30)

/* Bytes that a set of `count` <= ND_SET_MOST values takes. */
size_t nd_packed_set_size(size_t count);

/* Shingles as sets have them: their low ND_SET_BITS bits, and 1 for 0, which hash sets cannot hold.
 */
void nd_packed_set_narrow(uint64_t *shingles, size_t count);

/* Sorts narrowed shingles and drops repeats. Returns how many are left. `scratch` has room for
 * `count`. */
size_t nd_packed_set_sort(uint64_t *values, uint64_t *scratch, size_t count);

/* Packs `count` distinct values below 2^40, ascending, into nd_packed_set_size(count) bytes.
 * O(count). */
void nd_packed_set_pack(const uint64_t *values, size_t count, unsigned char *to);

/* The number of values, from the first bytes of a set of `size` bytes. False: `size` is not that of
 * such a set. */
bool nd_packed_set_count(const unsigned char *packed, size_t size, size_t *count);

/* Unpacks into room for `count` values, as nd_packed_set_count told it, ascending. False: damaged
 * (another count, not so many upper parts, values that do not ascend or are not below 2^40, bits
 * set where there are none); what is in `values` then means nothing. Never reads outside of
 * [packed, packed + size) and the 8 bytes behind. O(count); fast: a set of 300 in well under a
 * microsecond. */
bool nd_packed_set_unpack(const unsigned char *packed, size_t size, size_t count, uint64_t *values);

#endif
