/* External sort of keys with the numbers of their documents, written by several threads at once.
 *
 * Like external_sort.h it distributes: a key comes with the number of its part, and parts are
 * loaded one by one, sorted. But keys are packed: a key takes 4 bytes, and its document mostly one,
 * because the documents of a part ascend and only the step from one to the next is stored. So a key
 * takes 5 to 6 bytes in place of 8.
 *
 * Each thread has a writer, with lists of its own. Keys come in batches; a batch is sorted by part
 * first, so that a list is touched once for all of its keys. The writers share the memory limit: if
 * they exceed it, the lists of all writers are written to a nameless file, part after part.
 *
 * Memory: the limit, 48 bytes per part and writer, 8 per part and spill, and for each loading
 * thread 16 bytes per key of a part. */
#ifndef ND_IO_KEY_SORT_H
#define ND_IO_KEY_SORT_H

#include "io/external_sort.h"

typedef struct nd_key_sort nd_key_sort;
typedef struct nd_key_writer nd_key_writer;

typedef struct nd_key_sort_settings {
    nd_temp_space *disk; /* must outlive the sorter */
    size_t parts;        /* at least 1 */
    size_t memory_limit; /* bytes */
    uint32_t writers;    /* at the most */
    const char *what;    /* for messages; static */
} nd_key_sort_settings;

typedef struct nd_numbered_key {
    uint32_t part, key, number;
} nd_numbered_key;

nd_status nd_key_sort_create(const nd_allocator *allocator, const nd_key_sort_settings *settings,
                             nd_key_sort **out, nd_error *error);
void nd_key_sort_free(nd_key_sort *sorter);

/* Makes a writer for one thread. It belongs to the sorter. Any number of threads. */
nd_status nd_key_writer_create(nd_key_sort *sorter, nd_key_writer **out, nd_error *error);
/* Adds keys, in any order. It is fast and packs well if the numbers of a part ascend. Beside other
 * writers. */
nd_status nd_key_writer_add(nd_key_writer *writer, const nd_numbered_key *keys, size_t count,
                            nd_error *error);

/* The functions below need all writers to be done. Any number of threads. */

size_t nd_key_sort_parts(const nd_key_sort *sorter);
/* Keys of a part. */
size_t nd_key_sort_count(const nd_key_sort *sorter, size_t part);
/* Fills buffer->words[0, count) with the words key << 32 | number of a part, ascending. */
nd_status nd_key_sort_load(const nd_key_sort *sorter, size_t part, nd_part_buffer *buffer,
                           nd_error *error);

#endif
