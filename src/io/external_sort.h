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
 * part. Where a part may be far larger than others, because many records are equal, part_reader.h
 * reads it in bounded memory. */
#ifndef ND_IO_EXTERNAL_SORT_H
#define ND_IO_EXTERNAL_SORT_H

#include "base/alloc.h"
#include "base/status.h"
#include "io/temp_space.h"

typedef struct nd_external_sort nd_external_sort;

typedef struct nd_external_sort_settings {
    nd_temp_space *disk; /* must outlive the sorter */
    size_t parts;        /* at least 1 */
    size_t memory_limit; /* bytes */
    unsigned words;      /* 64-bit words of a record, 1 to 3 */
    unsigned keys;       /* first words by which records are sorted */
    const char *what;    /* for messages; static */
} nd_external_sort_settings;

nd_status nd_external_sort_create_records(const nd_allocator *allocator,
                                          const nd_external_sort_settings *settings,
                                          nd_external_sort **out, nd_error *error);
/* The same for records of one word. */
nd_status nd_external_sort_create(const nd_allocator *allocator, nd_temp_space *disk, size_t parts,
                                  size_t memory_limit, const char *what, nd_external_sort **out,
                                  nd_error *error);
void nd_external_sort_free(nd_external_sort *sorter);

/* Adds one record to a part. One thread at a time. */
nd_status nd_external_sort_push_record(nd_external_sort *sorter, size_t part,
                                       const uint64_t *record, nd_error *error);
nd_status nd_external_sort_push(nd_external_sort *sorter, size_t part, uint64_t word,
                                nd_error *error);

/* Adds `count` records. The part of a record is given by the highest `part_bits` bits of its first
 * word. The memory that a record goes to is prefetched some records ahead. */
nd_status nd_external_sort_push_all(nd_external_sort *sorter, unsigned part_bits,
                                    const uint64_t *records, size_t count, nd_error *error);

/* Prefetches the memory that the part's next record goes to. */
void nd_external_sort_prefetch(const nd_external_sort *sorter, size_t part);

/* If there is a spill, writes all other records to disk as well, and frees their memory. Call it
 * after the last push. */
nd_status nd_external_sort_flush(nd_external_sort *sorter, nd_error *error);

/* The settings that the sorter was created with. */
nd_external_sort_settings nd_external_sort_settings_of(const nd_external_sort *sorter);
size_t nd_external_sort_parts(const nd_external_sort *sorter);
/* Records of a part. */
size_t nd_external_sort_count(const nd_external_sort *sorter, size_t part);

/* A caller's buffer for loaded parts: zero-initialised, reused from part to part, freed with
 * nd_part_buffer_free. */
typedef struct nd_part_buffer {
    uint64_t *words, *scratch;
    size_t count, capacity, scratch_capacity;
} nd_part_buffer;
void nd_part_buffer_free(const nd_allocator *allocator, nd_part_buffer *buffer);

/* Fills buffer->words[0, count) with a part, sorted ascending by bits [from_bit, 64), stable.
 * REQUIRES: records of one word, and all pushes done. Any number of threads. */
nd_status nd_external_sort_load(const nd_external_sort *sorter, size_t part, unsigned from_bit,
                                nd_part_buffer *buffer, nd_error *error);
/* The same for records of any size, sorted by their keys, stable. */
nd_status nd_external_sort_load_records(const nd_external_sort *sorter, size_t part,
                                        nd_part_buffer *buffer, nd_error *error);
/* The same for records [first, first + count) of a part, in the order of pushing. */
nd_status nd_external_sort_load_piece(const nd_external_sort *sorter, size_t part, size_t first,
                                      size_t count, nd_part_buffer *buffer, nd_error *error);
/* Frees the memory of a part that will not be loaded again. One thread at a time, and none may push
 * at the same time. */
void nd_external_sort_drop(nd_external_sort *sorter, size_t part);

#endif
