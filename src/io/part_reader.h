/* Reads a part of an external sorter record by record, sorted by the keys, stable, in bounded
 * memory.
 *
 * A part that fits the memory is loaded as a whole. A larger one is loaded in pieces, which are
 * sorted and merged (sorted_pieces.h). So parts may be as different in size as the data want it,
 * and one key may be that of most records. */
#ifndef ND_IO_PART_READER_H
#define ND_IO_PART_READER_H

#include "io/external_sort.h"
#include "io/sorted_pieces.h"

/* One thread's memory. Starts zero-initialised; reused from part to part. */
typedef struct nd_part_reader {
    nd_part_buffer loaded; /* the part; empty if it is read in pieces */
    nd_sorted_pieces pieces;
    const uint64_t *next, *end; /* in `loaded` */
    unsigned words;             /* of a record */
} nd_part_reader;

void nd_part_reader_free(const nd_allocator *allocator, nd_part_reader *reader);

/* Goes to the first record of a part. `memory`: bytes, beside the chunks of sorted_pieces.h. */
nd_status nd_part_reader_open(nd_part_reader *reader, const nd_allocator *allocator,
                              const nd_external_sort *sorter, size_t part, size_t memory,
                              nd_error *error);

/* Returns the next record, valid until the next call. NULL: there is none. */
static inline nd_status nd_part_reader_next(nd_part_reader *reader, const uint64_t **record,
                                            nd_error *error) {
    if (reader->pieces.count > 0) return nd_sorted_pieces_next(&reader->pieces, record, error);
    *record = NULL;
    if (reader->next == reader->end) return ND_OK;
    *record = reader->next;
    reader->next += reader->words;
    return ND_OK;
}

#endif
