/* TLSH: digests of bytes whose distance is small for similar bytes. */
#ifndef NEARDUP_TLSH_H
#define NEARDUP_TLSH_H

#include "neardup/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TLSH (Oliver, Cheng, Chen 2013) counts the triples of bytes in each window of five bytes, in 128
 * or 256 buckets. The body of a digest says of each bucket, in 2 bits, in which quarter of all
 * counts its count is. The header has a checksum of 1 or 3 bytes, a class of the length, and two
 * ratios of the quartiles. Digests are those of the reference implementation, bit for bit
 * (doc/internals/formats.md, "TLSH"). Only digests of one variant can be compared. */
typedef enum nd_tlsh_variant {
    ND_TLSH_128_1 = 0, /* 128 buckets, 1 byte of checksum: the usual variant */
    ND_TLSH_128_3,
    ND_TLSH_256_1,
    ND_TLSH_256_3
} nd_tlsh_variant;

/* A digest. Unused bytes are 0. */
typedef struct nd_tlsh {
    uint8_t variant; /* nd_tlsh_variant */
    uint8_t checksum[3];
    uint8_t length_class;
    uint8_t ratio1, ratio2; /* 0 to 15: of the first, the second quartile and the third */
    uint8_t reserved;
    uint8_t body[64]; /* bucket 4 i + j has the bits 2 j and 2 j + 1 of byte i */
} nd_tlsh;

/* Bytes that have a digest: fewer than ND_TLSH_LEAST_BYTES have none. */
#define ND_TLSH_LEAST_BYTES 50
#define ND_TLSH_MOST_BYTES UINT32_C(4224281216)

/* Makes the digest of `length` bytes, any bytes. Returns false, and fills nothing, if there is no
 * digest: too few or too many bytes; half of the buckets or more are empty; or `variant` is no
 * constant of the enum. O(length). */
ND_API bool nd_tlsh_make(nd_tlsh_variant variant, const char *bytes, size_t length, nd_tlsh *out);

/* Room for the longest digest as text, and a NUL. */
#define ND_TLSH_TEXT_ROOM 141

/* Writes "T1" and the digest in upper-case hexadecimal digits, and a NUL. Returns the length: 72
 * for ND_TLSH_128_1, then 76, 136 and 140. REQUIRES: a digest of nd_tlsh_make or nd_tlsh_parse. */
ND_API size_t nd_tlsh_format(const nd_tlsh *digest, char text[ND_TLSH_TEXT_ROOM]);
/* Reads a digest, whose variant its length tells: digits in either case, with "T1" or without.
 * ND_ERR_INPUT: the length is of no variant; or a byte is no digit, and the message has its number.
 */
ND_API ND_MUST_CHECK nd_status nd_tlsh_parse(const char *text, size_t length, nd_tlsh *out,
                                             nd_error *error);

/* Returns the distance of two digests: 0 for equal digests, with 128 buckets at most 2473.
 * It is a sum:
 *
 *     body     per bucket the difference of the quarters, but 6 in place of 3
 *     ratios   each by the difference d on a circle of 16: d if d <= 1, else 12 (d - 1)
 *     length   by the difference d of the classes on a circle of 256: d if d <= 1, else 12 d
 *     checksum 1 if any byte differs
 *
 * `with_length` false: without the length. Returns UINT32_MAX for digests of different variants. */
ND_API uint32_t nd_tlsh_distance(const nd_tlsh *a, const nd_tlsh *b, bool with_length);

/* ---------------------------------------------------------------- search
 *
 * Finds all digests within a distance, exactly. Digests are sorted by length class and ratios. The
 * distance of two headers is a lower bound of the distance, so a search compares only bodies of
 * digests whose headers are near enough. */

/* Immutable: thread-safe. Takes 40 bytes per digest with 128 buckets, 72 with 256, and 256 KiB. */
typedef struct nd_tlsh_index nd_tlsh_index;

/* Copies `count` digests, at most 2^32 - 1, all of one variant. `allocator` NULL: malloc. The
 * caller frees *out. ND_ERR_ARGUMENT: too many; or a digest is of another variant than the first,
 * or of none, and the message has its number. O(count). */
ND_API ND_MUST_CHECK nd_status nd_tlsh_index_create(const nd_tlsh *digests, size_t count,
                                                    const nd_allocator *allocator,
                                                    nd_tlsh_index **out, nd_error *error);
ND_API void nd_tlsh_index_free(nd_tlsh_index *index);

/* Called with the number of each digest that is found, from 0, and its distance. Return false to
 * stop. */
typedef bool nd_tlsh_match_fn(void *context, uint32_t number, uint32_t distance);
/* The same with the numbers of two digests, a < b. */
typedef bool nd_tlsh_pair_fn(void *context, uint32_t a, uint32_t b, uint32_t distance);

/* Calls `fn` with every digest within `most` of the query, by nd_tlsh_distance, in an order that
 * depends on the digests alone. A query of another variant finds nothing. ND_ERR_CANCELLED: `fn`
 * stopped the search. */
ND_API ND_MUST_CHECK nd_status nd_tlsh_index_search(const nd_tlsh_index *index,
                                                    const nd_tlsh *query, uint32_t most,
                                                    bool with_length, nd_tlsh_match_fn *fn,
                                                    void *context, nd_error *error);
/* Calls `fn` once with every pair of digests of the index within `most` of each other. Otherwise as
 * nd_tlsh_index_search. */
ND_API ND_MUST_CHECK nd_status nd_tlsh_index_pairs(const nd_tlsh_index *index, uint32_t most,
                                                   bool with_length, nd_tlsh_pair_fn *fn,
                                                   void *context, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
