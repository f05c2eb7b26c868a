/* External sort by distribution. Records of 64-bit words are pushed in any order, each with the
 * number of its part; parts are loaded one by one, sorted. The records need not repeat what the
 * part's number says, which saves space.
 *
 * Records wait in memory in small chunks, one list per part. When they exceed the memory limit, all
 * of them are written to a nameless file, part after part, with the offset of each part: a *spill*.
 * Loading a part gathers its piece of each spill and its chunks, and sorts them by radix. So
 * nothing is merged, time is linear, and a part fits a cache if the caller chooses enough parts.
 *
 * Memory: the limit, 8 bytes per part and spill, and for each loading thread twice the size of a
 * part. */
#ifndef ND_IO_EXTERNAL_SORT_H
#define ND_IO_EXTERNAL_SORT_H

#include "base/alloc.h"
#include "base/status.h"
#include "io/temp_space.h"

typedef struct nd_part_sorter nd_part_sorter;

typedef struct nd_part_sorter_settings {
    nd_scratch_disk *disk; /* must outlive the sorter */
    size_t parts;          /* at least 1 */
    size_t memory_limit;   /* bytes */
    unsigned words;        /* 64-bit words of a record, 1 to 3 */
    unsigned keys;         /* first words by which records are sorted */
    const char *what;      /* for messages; static */
} nd_part_sorter_settings;

nd_status nd_part_sorter_create_records(const nd_allocator *allocator,
                                        const nd_part_sorter_settings *settings,
                                        nd_part_sorter **out, nd_error *error);
/* The same for records of one word. */
nd_status nd_part_sorter_create(const nd_allocator *allocator, nd_scratch_disk *disk, size_t parts,
                                size_t memory_limit, const char *what, nd_part_sorter **out,
                                nd_error *error);
void nd_part_sorter_free(nd_part_sorter *sorter);

/* Adds one record to a part. One thread at a time. */
nd_status nd_part_sorter_push_record(nd_part_sorter *sorter, size_t part, const uint64_t *record,
                                     nd_error *error);
nd_status nd_part_sorter_push(nd_part_sorter *sorter, size_t part, uint64_t word, nd_error *error);

/* Adds `count` records. The part of a record is given by the highest `part_bits` bits of its first
 * word. The memory that a record goes to is prefetched some records ahead. */
nd_status nd_part_sorter_push_all(nd_part_sorter *sorter, unsigned part_bits,
                                  const uint64_t *records, size_t count, nd_error *error);

/* Prefetches the memory that the part's next record goes to. */
void nd_part_sorter_prefetch(const nd_part_sorter *sorter, size_t part);

/* If there is a spill, writes all other records to disk as well, and frees their memory. Call it
 * after the last push. */
nd_status nd_part_sorter_settle(nd_part_sorter *sorter, nd_error *error);

size_t nd_part_sorter_parts(const nd_part_sorter *sorter);
/* Records of a part. */
size_t nd_part_sorter_count(const nd_part_sorter *sorter, size_t part);

/* A caller's buffer for loaded parts: zero-initialised, reused from part to part, freed with
 * nd_part_buffer_free. */
typedef struct nd_part_buffer {
    uint64_t *words, *scratch;
    size_t count, capacity, scratch_capacity;
} nd_part_buffer;
void nd_part_buffer_free(const nd_allocator *allocator, nd_part_buffer *buffer);

/* Fills buffer->words[0, count) with a part, sorted ascending by bits [from_bit, 64), stable.
 * REQUIRES: records of one word, and all pushes done. Any number of threads. */
nd_status nd_part_sorter_load(const nd_part_sorter *sorter, size_t part, unsigned from_bit,
                              nd_part_buffer *buffer, nd_error *error);
/* The same for records of any size, sorted by their keys, stable. */
nd_status nd_part_sorter_load_records(const nd_part_sorter *sorter, size_t part,
                                      nd_part_buffer *buffer, nd_error *error);
/* Frees the memory of a part that will not be loaded again. One thread at a time, and none may push
 * at the same time. */
void nd_part_sorter_drop(nd_part_sorter *sorter, size_t part);

#endif
