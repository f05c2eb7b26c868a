/* External sort by distribution. 64-bit words come in any order, each with the number of its part;
 * parts come out one by one, sorted. What a part's number says need not stand in the words, so it
 * saves their space.
 *
 * Words wait in small chunks, a list a part. When they exceed the memory limit all of them are
 * written to a nameless file, part after part, and the place of each part in this *spill* is noted.
 * Loading a part gathers its piece of each spill and what is in memory, and sorts it by radix: no
 * merging, linear time, and a part is small enough for the cache when the caller chooses enough
 * parts.
 *
 * Memory: the limit, 8 bytes a part and spill, and for each loader twice the part's size. */
#ifndef ND_IO_EXTERNAL_SORT_H
#define ND_IO_EXTERNAL_SORT_H

#include "base/alloc.h"
#include "base/status.h"
#include "io/temp_space.h"

typedef struct nd_part_sorter nd_part_sorter;

/* parts >= 1. `disk` must outlive the sorter. */
nd_status nd_part_sorter_create(const nd_allocator *allocator, nd_scratch_disk *disk, size_t parts,
                                size_t memory_limit, const char *what, nd_part_sorter **out,
                                nd_error *error);
void nd_part_sorter_free(nd_part_sorter *sorter);

/* From now on, before the first push: records of `words` 64-bit words (1 to 3) instead of single
 * ones, sorted by their first `keys` words. Counts are of records. */
void nd_part_sorter_set_records(nd_part_sorter *sorter, unsigned words, unsigned keys);

/* One thread at a time. */
nd_status nd_part_sorter_push_record(nd_part_sorter *sorter, size_t part, const uint64_t *record,
                                     nd_error *error);
nd_status nd_part_sorter_push(nd_part_sorter *sorter, size_t part, uint64_t word, nd_error *error);

/* `count` records, the part of each being the highest `part_bits` bits of its first word. Where a
 * record will stand is asked for some records before. */
nd_status nd_part_sorter_push_all(nd_part_sorter *sorter, unsigned part_bits,
                                  const uint64_t *records, size_t count, nd_error *error);

/* Brings the place of the part's next word near. */
void nd_part_sorter_prefetch(const nd_part_sorter *sorter, size_t part);

/* Where some has gone to the disk, all goes there and its memory is given back. After the last
 * push. */
nd_status nd_part_sorter_settle(nd_part_sorter *sorter, nd_error *error);

size_t nd_part_sorter_parts(const nd_part_sorter *sorter);
size_t nd_part_sorter_count(const nd_part_sorter *sorter, size_t part);

/* A caller's buffer for loaded parts; zero-initialised, reused from part to part, ended with
 * nd_part_buffer_free. */
typedef struct nd_part_buffer {
    uint64_t *words, *scratch;
    size_t count, capacity, scratch_capacity;
} nd_part_buffer;
void nd_part_buffer_free(const nd_allocator *allocator, nd_part_buffer *buffer);

/* Fills buffer->words[0, count), ascending by bits [from_bit, 64), words that agree there in the
 * order in which they were pushed. Any number of threads, when pushing is over. */
nd_status nd_part_sorter_load(const nd_part_sorter *sorter, size_t part, unsigned from_bit,
                              nd_part_buffer *buffer, nd_error *error);
/* The same of records, which are stable. */
nd_status nd_part_sorter_load_records(const nd_part_sorter *sorter, size_t part,
                                      nd_part_buffer *buffer, nd_error *error);
/* Gives the memory of a part back, after it has been loaded for the last time. One thread at a
 * time, and not beside a push. */
void nd_part_sorter_drop(nd_part_sorter *sorter, size_t part);

#endif
