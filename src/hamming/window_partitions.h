/* Window partitions: records of fingerprints, distributed by the number that each fingerprint has
 * in a window (bit_window.h). A partition has the records whose numbers share their highest bits,
 * in the order in which the records were given. One window after the other is done.
 *
 * A record is a fingerprint (one or two words, the low one first) and one more word. The records
 * lie in a spool. Each thread distributes a slice of them, block by block: it counts the records of
 * each partition in the block, then copies each record to its position. If a slice is one block it
 * stays in memory; else its blocks are written to a nameless file. */
#ifndef ND_HAMMING_WINDOW_PARTITIONS_H
#define ND_HAMMING_WINDOW_PARTITIONS_H

#include "io/spool.h"
#include "hamming/bit_window.h"

typedef struct nd_window_partitions nd_window_partitions;

/* words: of a record, 2 or 3. memory_limit: bytes for the blocks of all threads. */
nd_status nd_window_partitions_create(const nd_allocator *allocator, nd_temp_space *disk,
                                      unsigned words, uint32_t threads, size_t memory_limit,
                                      nd_window_partitions **out, nd_error *error);
/* NULL is accepted. */
void nd_window_partitions_free(nd_window_partitions *partitions);

/* Distributes all records of the spool to 2^partition_bits partitions, and forgets those of the
 * window before. partition_bits <= window->width. The spool must not change until the next fill. */
nd_status nd_window_partitions_fill(nd_window_partitions *partitions, const nd_spool *records,
                                    const nd_bit_window *window, unsigned partition_bits,
                                    nd_error *error);

/* A caller's buffer, zero-initialised. The caller releases `words`. */
typedef struct nd_window_partition {
    const uint64_t *records;
    size_t count;
    uint64_t *words;
    size_t capacity;
} nd_window_partition;
/* Points buffer->records to the records of a partition. Any number of threads. */
nd_status nd_window_partitions_load(const nd_window_partitions *partitions, size_t partition,
                                    nd_window_partition *buffer, nd_error *error);

#endif
