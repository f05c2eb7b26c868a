/* Fingerprints that come, move and go, in memory, each with a number: the nearest one within k of
 * another, exactly.
 *
 * The bits are cut into k + 1 windows, of which a fingerprint within k agrees in at least one (the
 * pigeonhole principle of Manku, Jain, Das Sarma 2007). Each window has an array of fingerprints
 * for each of its values (of its lowest 16 bits, where it has more), and a search compares those of
 * the query's: k = 3 of a million 64-bit fingerprints, four times fifteen. Where windows are so
 * narrow that this would be more than half of all, there is one array of all. About 16 bytes a
 * window and fingerprint, 28 of 128 bits. */
#ifndef ND_STREAM_CENTRE_INDEX_H
#define ND_STREAM_CENTRE_INDEX_H

#include "neardup.h"

typedef struct nd_centre_table nd_centre_table;

/* bits: 16, 32, 64 or 128; k: 0 to bits / 4. */
nd_status nd_centre_table_create(uint32_t bits, uint32_t k, const nd_allocator *allocator,
                                 nd_centre_table **out, nd_error *error);
/* NULL is accepted. */
void nd_centre_table_free(nd_centre_table *table);

/* Bytes of memory. */
uint64_t nd_centre_table_memory(const nd_centre_table *table);

/* A number that the table does not have. After ND_ERR_MEMORY the table is to be freed; so with
 * nd_centre_table_move. */
nd_status nd_centre_table_add(nd_centre_table *table, uint32_t number, nd_fingerprint fingerprint,
                              nd_error *error);
/* One that it has, with the fingerprint that it has. */
void nd_centre_table_remove(nd_centre_table *table, uint32_t number, nd_fingerprint fingerprint);
nd_status nd_centre_table_move(nd_centre_table *table, uint32_t number, nd_fingerprint from,
                               nd_fingerprint to, nd_error *error);

/* The number with the nearest fingerprint within k, of equally near ones the lowest. *number:
 * UINT32_MAX where there is none. */
void nd_centre_table_nearest(nd_centre_table *table, nd_fingerprint query, uint32_t *number,
                             uint32_t *distance);

#endif
