/* The ids of a segment where ids are numbers: a packed table of ascending numbers, one per
 * document (an Elias-Fano table, hamming/elias_fano_table.h), which replaces rows and the key table
 * of ids.
 *
 * As keys of that table, numbers are shifted up so that the highest bit of the greatest number is
 * the top bit of a key. */
#ifndef ND_STORE_NUMERIC_IDS_H
#define ND_STORE_NUMERIC_IDS_H

#include "hamming/elias_fano_table.h"
#include "store/id_runs.h"

/* Writes the sections. `documents` >= 1: how many numbers the runs have; `last`: the greatest. */
nd_status nd_numeric_ids_write(nd_sealed_writer *file, const nd_id_runs *runs, uint32_t documents,
                               uint32_t last, const nd_allocator *allocator, nd_error *error);

typedef struct nd_numeric_ids {
    nd_ef_table table; /* entry d: the id of document d, in the top `bits` bits */
    uint32_t bits, first;
    bool dense; /* the id of document d is first + d */
} nd_numeric_ids;

nd_status nd_numeric_ids_open(const nd_sealed_file *file, uint32_t documents, nd_numeric_ids *out,
                              nd_error *error);

/* Any number of threads. */
nd_status nd_numeric_ids_get(const nd_numeric_ids *ids, uint32_t document, uint32_t *number,
                             nd_error *error);
/* *document: UINT64_MAX if no document has the id. */
nd_status nd_numeric_ids_find(const nd_numeric_ids *ids, uint32_t number, uint64_t *document,
                              nd_error *error);

#endif
