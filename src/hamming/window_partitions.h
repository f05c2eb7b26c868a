/* Records of fingerprints, distributed by the number that each has in a window (bit_window.h): a
 * part has those whose numbers have the same highest bits, in the order in which the records were
 * given. For one window after the other.
 *
 * Records lie in a spool: a fingerprint (one or two words, the low one first) and a further word.
 * Each thread takes a slice of them, block by block: counts a block's records by part, and puts
 * each in its place. A slice of one block stays in memory; else its blocks go to the disk. */
#ifndef ND_HAMMING_WINDOW_PARTITIONS_H
#define ND_HAMMING_WINDOW_PARTITIONS_H

#include "io/spool.h"
#include "hamming/bit_window.h"

typedef struct nd_window_partitions nd_window_partitions;

/* words: 2 or 3, of a record. The blocks have `memory_limit` bytes together. */
nd_status nd_window_partitions_create(const nd_allocator *allocator, nd_scratch_disk *disk,
                                      unsigned words, uint32_t threads, size_t memory_limit,
                                      nd_window_partitions **out, nd_error *error);
/* NULL is accepted. */
void nd_window_partitions_free(nd_window_partitions *parts);

/* Distributes all records of the spool anew, to 2^part_bits parts; part_bits <= window->width. */
nd_status nd_window_partitions_fill(nd_window_partitions *parts, const nd_spool *records,
                                    const nd_bit_window *window, unsigned part_bits,
                                    nd_error *error);

/* A caller's buffer; zero-initialised, its words are the caller's to release. */
typedef struct nd_window_partition {
    const uint64_t *records;
    size_t count;
    uint64_t *words;
    size_t capacity;
} nd_window_partition;
/* Points buffer->records to the part's. Any number of threads. */
nd_status nd_window_partitions_load(const nd_window_partitions *parts, size_t part,
                                    nd_window_partition *buffer, nd_error *error);

#endif
