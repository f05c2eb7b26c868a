/* A multi-index over the centres of clusters: finds the nearest fingerprint within k, exactly,
 * while fingerprints are added, move and are removed. In memory; each fingerprint has a number.
 *
 * The bits are cut into k + 1 windows. A fingerprint within k of the query agrees with it in at
 * least one window (pigeonhole principle; Manku, Jain, Das Sarma 2007). Each window has one bucket
 * of fingerprints for each of its values; only the lowest 16 bits of a wider window count. A search
 * compares the query with its bucket in each window: with k = 3 and a million fingerprints of 64
 * bits, four times about fifteen. Where windows are so narrow that a search would compare more than
 * half of all fingerprints, there is a single bucket.
 *
 * Memory: about 16 bytes per window and fingerprint, with 128 bits 28. Not thread-safe. */
#ifndef ND_STREAM_CENTRE_INDEX_H
#define ND_STREAM_CENTRE_INDEX_H

#include "neardup.h"

typedef struct nd_centre_index nd_centre_index;

/* bits: 16, 32, 64 or 128; k: 0 to bits / 4. */
nd_status nd_centre_index_create(uint32_t bits, uint32_t k, const nd_allocator *allocator,
                                 nd_centre_index **out, nd_error *error);
/* NULL is accepted. */
void nd_centre_index_free(nd_centre_index *index);

/* Bytes of memory. */
uint64_t nd_centre_index_memory(const nd_centre_index *index);

/* REQUIRES: the index does not have the number. After a failure, of this and of
 * nd_centre_index_move, the index is only to be freed. */
nd_status nd_centre_index_add(nd_centre_index *index, uint32_t number, nd_fingerprint fingerprint,
                              nd_error *error);
/* REQUIRES: the index has the number, with this fingerprint; so nd_centre_index_move with `from`.
 */
void nd_centre_index_remove(nd_centre_index *index, uint32_t number, nd_fingerprint fingerprint);
nd_status nd_centre_index_move(nd_centre_index *index, uint32_t number, nd_fingerprint from,
                               nd_fingerprint to, nd_error *error);

/* The number of the nearest fingerprint within k, the lowest of equally near ones. *number
 * UINT32_MAX: there is none. */
void nd_centre_index_nearest(nd_centre_index *index, nd_fingerprint query, uint32_t *number,
                             uint32_t *distance);

#endif
