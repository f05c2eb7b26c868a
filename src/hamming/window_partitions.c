#include "hamming/window_partitions.h"

#include "base/limits.h"
#include "base/workers.h"
#include "io/file.h"

#include <string.h>
#include <unistd.h>

enum { LEAST_BLOCK = ND_LIMIT(1 << 12, 8), READ = ND_LIMIT(1 << 10, 5) }; /* records */

/* The records of a block, distributed: partition p is from starts[p] to starts[p + 1]. */
typedef struct block {
    uint32_t *starts;
    size_t capacity;
    uint64_t offset; /* bytes, in the slice's file */
} block;

typedef struct slice {
    block *blocks;
    size_t block_count, block_capacity; /* in use; allocated */
    uint32_t *next; /* position of each partition, while a block is distributed */
    size_t next_capacity;
    uint64_t *words; /* the records of the last block */
    size_t capacity;
    uint64_t *read; /* READ records */
    bool in_memory; /* the slice is one block */
    int fd;
    uint64_t file_size, file_room; /* bytes in use; bytes counted on `disk` */
} slice;

struct nd_window_partitions {
    nd_allocator allocator;
    nd_temp_space *disk;
    unsigned words;
    uint32_t threads;
    size_t block_records; /* at most */
    slice *slices;
    /* The window that was filled. */
    const nd_spool *records;
    const nd_bit_window *window;
    unsigned partition_bits;
};

static const char what[] = "fingerprints by a window";

nd_status nd_window_partitions_create(const nd_allocator *allocator, nd_temp_space *disk,
                                      unsigned words, uint32_t threads, size_t memory_limit,
                                      nd_window_partitions **out, nd_error *error) {
    nd_window_partitions *p = nd_allocate_zero(allocator, 1, sizeof *p);
    if (!p) return nd_fail_memory(error, sizeof *p, what);
    *p = (nd_window_partitions){
        .allocator = *allocator, .disk = disk, .words = words, .threads = threads};
    p->block_records = memory_limit / threads / (words * sizeof(uint64_t));
    if (p->block_records < LEAST_BLOCK) p->block_records = LEAST_BLOCK;
    p->slices = nd_allocate_zero(allocator, threads, sizeof *p->slices);
    if (!p->slices) {
        nd_window_partitions_free(p);
        return nd_fail_memory(error, threads * sizeof *p->slices, what);
    }
    for (uint32_t i = 0; i < threads; i++) p->slices[i].fd = -1;
    *out = p;
    return ND_OK;
}

static void free_slice(const nd_window_partitions *p, slice *s) {
    for (size_t b = 0; b < s->block_capacity; b++) nd_release(&p->allocator, s->blocks[b].starts);
    nd_release(&p->allocator, s->blocks);
    nd_release(&p->allocator, s->next);
    nd_release(&p->allocator, s->words);
    nd_release(&p->allocator, s->read);
    if (s->fd >= 0) close(s->fd);
    nd_temp_space_subtract(p->disk, s->file_room);
}

void nd_window_partitions_free(nd_window_partitions *p) {
    if (!p) return;
    for (uint32_t i = 0; p->slices && i < p->threads; i++) free_slice(p, &p->slices[i]);
    nd_allocator allocator = p->allocator;
    nd_release(&allocator, p->slices);
    nd_release(&allocator, p);
}

/* ---- distributing */

/* Adds a block to the slice, with room for the starts of its partitions. */
static nd_status add_block(const nd_window_partitions *p, slice *s, block **out, nd_error *error) {
    size_t partitions = (size_t)1 << p->partition_bits, before = s->block_capacity;
    if (!nd_reserve(&p->allocator, &s->blocks, &s->block_capacity, s->block_count + 1))
        return nd_fail_memory(error, sizeof *s->blocks, what);
    memset(s->blocks + before, 0, (s->block_capacity - before) * sizeof *s->blocks);
    block *b = &s->blocks[s->block_count];
    if (!nd_reserve(&p->allocator, &b->starts, &b->capacity, partitions + 1) ||
        !nd_reserve(&p->allocator, &s->next, &s->next_capacity, partitions))
        return nd_fail_memory(error, (partitions + 1) * sizeof *b->starts, what);
    s->block_count++;
    *out = b;
    return ND_OK;
}

static nd_status view(const nd_window_partitions *p, const slice *s, uint64_t first, size_t count,
                      const uint64_t **out, nd_error *error) {
    size_t size = p->words * sizeof(uint64_t);
    const void *bytes;
    ND_TRY(nd_spool_view(p->records, count * size, first * size, s->read, &bytes, error));
    *out = bytes;
    return ND_OK;
}

__attribute__((always_inline)) static inline void
count_partitions(const nd_bit_window *window, unsigned shift, const uint64_t *records, size_t count,
                 unsigned words, uint32_t *counts) {
    for (size_t i = 0; i < count; i++)
        counts[nd_bit_window_value(window, records + i * words) >> shift]++;
}

__attribute__((always_inline)) static inline void
copy_to_partitions(const nd_bit_window *window, unsigned shift, const uint64_t *records,
                   size_t count, unsigned words, uint32_t *next, uint64_t *to) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * words;
        uint64_t *copy = to + (size_t)next[nd_bit_window_value(window, record) >> shift]++ * words;
        for (unsigned w = 0; w < words; w++) copy[w] = record[w];
    }
}

static nd_status distribute(const nd_window_partitions *p, slice *s, uint64_t first, size_t count,
                            nd_error *error) {
    block *b = NULL;
    const uint64_t *records;
    const nd_bit_window window = *p->window;
    unsigned shift = window.width - p->partition_bits;
    size_t partitions = (size_t)1 << p->partition_bits;
    ND_TRY(add_block(p, s, &b, error));
    ND_TRY(nd_progress_poll(p->disk->progress, error));
    memset(s->next, 0, partitions * sizeof *s->next);
    for (size_t at = 0, n; at < count; at += n) {
        n = count - at < READ ? count - at : READ;
        ND_TRY(view(p, s, first + at, n, &records, error));
        if (p->words == 2) count_partitions(&window, shift, records, n, 2, s->next);
        else count_partitions(&window, shift, records, n, 3, s->next);
    }
    ND_TRY(nd_progress_poll(p->disk->progress, error));
    uint32_t sum = 0;
    for (size_t i = 0; i < partitions; i++) {
        uint32_t here = s->next[i];
        s->next[i] = b->starts[i] = sum;
        sum += here;
    }
    b->starts[partitions] = sum;
    for (size_t at = 0, n; at < count; at += n) {
        n = count - at < READ ? count - at : READ;
        ND_TRY(view(p, s, first + at, n, &records, error));
        if (p->words == 2) copy_to_partitions(&window, shift, records, n, 2, s->next, s->words);
        else copy_to_partitions(&window, shift, records, n, 3, s->next, s->words);
    }
    return ND_OK;
}

static nd_status write_block(const nd_window_partitions *p, slice *s, size_t count,
                             nd_error *error) {
    uint64_t size = (uint64_t)count * p->words * sizeof(uint64_t);
    if (s->fd < 0) ND_TRY(nd_file_nameless(p->disk->directory, &s->fd, error));
    s->blocks[s->block_count - 1].offset = s->file_size;
    ND_TRY(nd_file_write_at(s->fd, s->words, size, s->file_size, p->disk->directory, error));
    s->file_size += size;
    if (s->file_size > s->file_room) {
        nd_temp_space_add(p->disk, s->file_size - s->file_room);
        s->file_room = s->file_size;
    }
    return ND_OK;
}

static nd_status fill_slice(void *context, uint32_t index, nd_error *error) {
    const nd_window_partitions *p = context;
    slice *s = &p->slices[index];
    uint64_t all = p->records->size / (p->words * sizeof(uint64_t)),
             first = all * index / p->threads, end = all * (index + 1) / p->threads;
    s->block_count = 0;
    s->file_size = 0;
    s->in_memory = end - first <= p->block_records;
    size_t most = s->in_memory ? (size_t)(end - first) : p->block_records;
    if (!s->read) s->read = nd_allocate(&p->allocator, READ * p->words, sizeof *s->read);
    if (!s->read || !nd_reserve(&p->allocator, &s->words, &s->capacity, most * p->words))
        return nd_fail_memory(error, most * p->words * sizeof(uint64_t), what);
    for (size_t count; first < end; first += count) {
        count = end - first < most ? (size_t)(end - first) : most;
        ND_TRY(distribute(p, s, first, count, error));
        if (!s->in_memory) ND_TRY(write_block(p, s, count, error));
    }
    return ND_OK;
}

nd_status nd_window_partitions_fill(nd_window_partitions *p, const nd_spool *records,
                                    const nd_bit_window *window, unsigned partition_bits,
                                    nd_error *error) {
    p->records = records;
    p->window = window;
    p->partition_bits = partition_bits;
    return nd_run_workers(&p->allocator, p->threads, fill_slice, p, error);
}

/* ---- loading */

/* Appends the records of a partition in a slice to the `done` words of the buffer. */
static nd_status append_slice(const nd_window_partitions *p, const slice *s, size_t partition,
                              uint64_t *to, size_t *done, nd_error *error) {
    for (size_t i = 0; i < s->block_count; i++) {
        const block *b = &s->blocks[i];
        size_t words = (size_t)(b->starts[partition + 1] - b->starts[partition]) * p->words;
        uint64_t from = (uint64_t)b->starts[partition] * p->words;
        if (words == 0) continue;
        if (s->in_memory) memcpy(to + *done, s->words + from, words * sizeof *to);
        else
            ND_TRY(nd_file_read_at(s->fd, to + *done, words * sizeof *to,
                                   b->offset + from * sizeof *to, p->disk->directory, error));
        *done += words;
    }
    return ND_OK;
}

nd_status nd_window_partitions_load(const nd_window_partitions *p, size_t partition,
                                    nd_window_partition *buffer, nd_error *error) {
    if (p->threads == 1 && p->slices[0].in_memory) {
        const block *b = p->slices[0].blocks;
        buffer->count = p->slices[0].block_count ? b->starts[partition + 1] - b->starts[partition]
                                                 : 0;
        buffer->records = buffer->count
                              ? p->slices[0].words + (uint64_t)b->starts[partition] * p->words
                              : buffer->words;
        return ND_OK;
    }
    size_t count = 0, done = 0;
    for (uint32_t i = 0; i < p->threads; i++)
        for (size_t b = 0; b < p->slices[i].block_count; b++) {
            const uint32_t *starts = p->slices[i].blocks[b].starts;
            count += starts[partition + 1] - starts[partition];
        }
    if (!nd_reserve(&p->allocator, &buffer->words, &buffer->capacity, count * p->words))
        return nd_fail_memory(error, count * p->words * sizeof(uint64_t), what);
    for (uint32_t i = 0; i < p->threads; i++)
        ND_TRY(append_slice(p, &p->slices[i], partition, buffer->words, &done, error));
    buffer->records = buffer->words;
    buffer->count = count;
    return ND_OK;
}
