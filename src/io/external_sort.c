#include "io/external_sort.h"

#include "base/limits.h"
#include "base/radix_sort.h"
#include "io/spill_file.h"

#include <string.h>

typedef struct chunk {
    struct chunk *next;
    uint64_t words[];
} chunk;

/* The chunks of a part in the order of filling; all except the last are full. A push touches the
 * next word and the end. Both stand here and not in the chunk: there are many parts, pushes jump
 * among them, and each further cache line costs. */
typedef struct part {
    uint64_t *next, *end; /* in the last chunk; both NULL: there is none */
    chunk *head, *tail;
    size_t in_full; /* words in full chunks */
} part;

struct nd_external_sort {
    nd_allocator allocator;
    const char *what;
    size_t parts, limit, chunk_words;
    unsigned words, keys; /* of a record */
    part *part;
    chunk *spare; /* emptied chunks */
    size_t memory;
    uint64_t **spill; /* spill[s][p]: byte offset of part p's piece; [parts]: the end */
    size_t spills, spill_capacity;
    nd_spill_file file;
};

/* Chunks are so small that one partly filled chunk per part takes at most a quarter of the limit,
 * and so large that writing them is efficient. */
static size_t choose_chunk_words(size_t parts, size_t limit) {
    const size_t least = ND_LIMIT(30, 6), most = ND_LIMIT(4094, 6);
    size_t words = limit / 4 / parts / sizeof(uint64_t);
    return words < least ? least : words > most ? most : words;
}

nd_status nd_external_sort_create_records(const nd_allocator *allocator,
                                          const nd_external_sort_settings *s,
                                          nd_external_sort **out, nd_error *error) {
    nd_external_sort *sorter = nd_allocate_zero(allocator, 1, sizeof *sorter);
    if (!sorter) return nd_fail_memory(error, sizeof *sorter, s->what);
    size_t chunk_words = choose_chunk_words(s->parts, s->memory_limit);
    *sorter = (nd_external_sort){.allocator = *allocator,
                                 .what = s->what,
                                 .parts = s->parts,
                                 .limit = s->memory_limit,
                                 .chunk_words = chunk_words - chunk_words % s->words,
                                 .words = s->words,
                                 .keys = s->keys};
    nd_spill_init(&sorter->file, allocator, s->disk, s->what);
    sorter->part = nd_allocate_zero(allocator, s->parts, sizeof *sorter->part);
    if (!sorter->part) {
        nd_external_sort_free(sorter);
        return nd_fail_memory(error, s->parts * sizeof *sorter->part, s->what);
    }
    *out = sorter;
    return ND_OK;
}

nd_status nd_external_sort_create(const nd_allocator *allocator, nd_temp_space *disk, size_t parts,
                                  size_t memory_limit, const char *what, nd_external_sort **out,
                                  nd_error *error) {
    const nd_external_sort_settings settings = {.disk = disk,
                                                .parts = parts,
                                                .memory_limit = memory_limit,
                                                .words = 1,
                                                .keys = 1,
                                                .what = what};
    return nd_external_sort_create_records(allocator, &settings, out, error);
}

static void release_chunks(const nd_allocator *allocator, chunk *c) {
    while (c) {
        chunk *next = c->next;
        nd_release(allocator, c);
        c = next;
    }
}

void nd_external_sort_free(nd_external_sort *sorter) {
    if (!sorter) return;
    nd_allocator allocator = sorter->allocator;
    for (size_t p = 0; sorter->part && p < sorter->parts; p++)
        release_chunks(&allocator, sorter->part[p].head);
    release_chunks(&allocator, sorter->spare);
    for (size_t s = 0; s < sorter->spills; s++) nd_release(&allocator, sorter->spill[s]);
    nd_release(&allocator, sorter->spill);
    nd_release(&allocator, sorter->part);
    nd_spill_free(&sorter->file);
    nd_release(&allocator, sorter);
}

static size_t chunk_used(const nd_external_sort *sorter, const part *q, const chunk *c) {
    return c == q->tail ? (size_t)(q->next - c->words) : sorter->chunk_words;
}

static nd_status write_parts(nd_external_sort *sorter, uint64_t *offsets, nd_error *error) {
    nd_spill_file *file = &sorter->file;
    ND_TRY(nd_spill_begin(file, error));
    for (size_t p = 0; p < sorter->parts; p++) {
        part *q = &sorter->part[p];
        offsets[p] = nd_spill_position(file);
        for (chunk *c = q->head; c; c = c->next)
            ND_TRY(
                nd_spill_write(file, c->words, chunk_used(sorter, q, c) * sizeof(uint64_t), error));
        if (q->tail) {
            q->tail->next = sorter->spare;
            sorter->spare = q->head;
        }
        *q = (part){0};
    }
    offsets[sorter->parts] = nd_spill_position(file);
    return nd_spill_end(file, error);
}

static nd_status spill(nd_external_sort *sorter, nd_error *error) {
    nd_allocator *allocator = &sorter->allocator;
    if (!nd_reserve(allocator, &sorter->spill, &sorter->spill_capacity, sorter->spills + 1))
        return nd_fail_memory(error, sizeof *sorter->spill, sorter->what);
    uint64_t *offsets = nd_allocate(allocator, sorter->parts + 1, sizeof *offsets);
    if (!offsets) return nd_fail_memory(error, sorter->parts * sizeof *offsets, sorter->what);
    nd_status status = write_parts(sorter, offsets, error);
    if (status != ND_OK) {
        nd_release(allocator, offsets);
        return status;
    }
    sorter->spill[sorter->spills++] = offsets;
    return ND_OK;
}

/* Takes a spare chunk, or allocates one. If that would exceed the limit, a spill first empties all
 * chunks. */
static nd_status take_chunk(nd_external_sort *sorter, chunk **out, nd_error *error) {
    size_t size = sizeof(chunk) + sorter->chunk_words * sizeof(uint64_t);
    if (!sorter->spare && sorter->memory > 0 && sorter->memory + size > sorter->limit)
        ND_TRY(spill(sorter, error));
    chunk *c = sorter->spare;
    if (c) {
        sorter->spare = c->next;
    } else {
        c = nd_allocate(&sorter->allocator, 1, size);
        if (!c) return nd_fail_memory(error, size, sorter->what);
        sorter->memory += size;
    }
    c->next = NULL;
    *out = c;
    return ND_OK;
}

static nd_status add_chunk(nd_external_sort *sorter, part *q, nd_error *error) {
    chunk *c = NULL;
    ND_TRY(take_chunk(sorter, &c, error)); /* a spill may empty the list */
    if (q->tail) {
        q->tail->next = c;
        q->in_full += sorter->chunk_words;
    } else {
        q->head = c;
    }
    q->tail = c;
    q->next = c->words;
    q->end = c->words + sorter->chunk_words;
    return ND_OK;
}

nd_status nd_external_sort_push(nd_external_sort *sorter, size_t p, uint64_t word,
                                nd_error *error) {
    part *q = &sorter->part[p];
    if (q->next == q->end) ND_TRY(add_chunk(sorter, q, error));
    *q->next++ = word;
    return ND_OK;
}

nd_status nd_external_sort_push_record(nd_external_sort *sorter, size_t p, const uint64_t *record,
                                       nd_error *error) {
    part *q = &sorter->part[p];
    if (q->next == q->end) ND_TRY(add_chunk(sorter, q, error));
    for (unsigned w = 0; w < sorter->words; w++) q->next[w] = record[w];
    q->next += sorter->words;
    return ND_OK;
}

/* `words` is a constant in each inlined copy. */
__attribute__((always_inline)) static inline nd_status
push_all(nd_external_sort *sorter, unsigned part_bits, const uint64_t *records, size_t count,
         unsigned words, nd_error *error) {
    enum { AHEAD = 16 };
    part *parts = sorter->part;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * words;
        if (i + AHEAD < count)
            __builtin_prefetch(
                parts[part_bits ? record[AHEAD * words] >> (64 - part_bits) : 0].next, 1);
        part *q = &parts[part_bits ? record[0] >> (64 - part_bits) : 0];
        if (q->next == q->end) ND_TRY(add_chunk(sorter, q, error));
        for (unsigned w = 0; w < words; w++) q->next[w] = record[w];
        q->next += words;
    }
    return ND_OK;
}

nd_status nd_external_sort_push_all(nd_external_sort *sorter, unsigned part_bits,
                                    const uint64_t *records, size_t count, nd_error *error) {
    if (sorter->words == 1) return push_all(sorter, part_bits, records, count, 1, error);
    if (sorter->words == 2) return push_all(sorter, part_bits, records, count, 2, error);
    return push_all(sorter, part_bits, records, count, 3, error);
}

void nd_external_sort_prefetch(const nd_external_sort *sorter, size_t p) {
    __builtin_prefetch(sorter->part[p].next, 1);
}

nd_status nd_external_sort_flush(nd_external_sort *sorter, nd_error *error) {
    if (sorter->spills == 0) return ND_OK;
    ND_TRY(spill(sorter, error));
    release_chunks(&sorter->allocator, sorter->spare);
    sorter->spare = NULL;
    sorter->memory = 0;
    return ND_OK;
}

nd_external_sort_settings nd_external_sort_settings_of(const nd_external_sort *sorter) {
    return (nd_external_sort_settings){.disk = sorter->file.disk,
                                       .parts = sorter->parts,
                                       .memory_limit = sorter->limit,
                                       .words = sorter->words,
                                       .keys = sorter->keys,
                                       .what = sorter->what};
}

size_t nd_external_sort_parts(const nd_external_sort *sorter) { return sorter->parts; }

static size_t count_words(const nd_external_sort *sorter, size_t p) {
    const part *q = &sorter->part[p];
    size_t count = q->in_full + (q->tail ? (size_t)(q->next - q->tail->words) : 0);
    for (size_t s = 0; s < sorter->spills; s++)
        count += (size_t)(sorter->spill[s][p + 1] - sorter->spill[s][p]) / sizeof(uint64_t);
    return count;
}

size_t nd_external_sort_count(const nd_external_sort *sorter, size_t p) {
    return count_words(sorter, p) / sorter->words;
}

void nd_part_buffer_free(const nd_allocator *allocator, nd_part_buffer *buffer) {
    nd_release(allocator, buffer->words);
    nd_release(allocator, buffer->scratch);
    *buffer = (nd_part_buffer){0};
}

/* Copies words [first, first + count) of a part, in the order of pushing. */
static nd_status copy_words(const nd_external_sort *sorter, size_t p, size_t first, size_t count,
                            uint64_t *to, nd_error *error) {
    for (size_t s = 0; s < sorter->spills && count > 0; s++) {
        uint64_t offset = sorter->spill[s][p];
        size_t words = (size_t)(sorter->spill[s][p + 1] - offset) / sizeof *to,
               skipped = first < words ? first : words,
               n = words - skipped < count ? words - skipped : count;
        ND_TRY(
            nd_spill_read(&sorter->file, to, n * sizeof *to, offset + skipped * sizeof *to, error));
        first -= skipped;
        to += n;
        count -= n;
    }
    for (const chunk *c = sorter->part[p].head; c && count > 0; c = c->next) {
        size_t words = chunk_used(sorter, &sorter->part[p], c),
               skipped = first < words ? first : words,
               n = words - skipped < count ? words - skipped : count;
        memcpy(to, c->words + skipped, n * sizeof *to);
        first -= skipped;
        to += n;
        count -= n;
    }
    return ND_OK;
}

/* Copies records of a part into the buffer, in the order of pushing. */
static nd_status gather(const nd_external_sort *sorter, size_t p, size_t first, size_t count,
                        nd_part_buffer *buffer, nd_error *error) {
    size_t words = count * sorter->words, scratch = nd_radix_scratch_words(count, sorter->words);
    ND_TRY(nd_progress_poll(sorter->file.disk->progress, error));
    buffer->count = 0;
    if (!nd_reserve(&sorter->allocator, &buffer->words, &buffer->capacity, words) ||
        !nd_reserve(&sorter->allocator, &buffer->scratch, &buffer->scratch_capacity, scratch))
        return nd_fail_memory(error, words * sizeof(uint64_t), sorter->what);
    ND_TRY(copy_words(sorter, p, first * sorter->words, words, buffer->words, error));
    buffer->count = count;
    return ND_OK;
}

nd_status nd_external_sort_load(const nd_external_sort *sorter, size_t p, unsigned from_bit,
                                nd_part_buffer *buffer, nd_error *error) {
    ND_TRY(gather(sorter, p, 0, nd_external_sort_count(sorter, p), buffer, error));
    if (buffer->count > 0) nd_radix_sort(buffer->words, buffer->scratch, buffer->count, from_bit);
    return ND_OK;
}

nd_status nd_external_sort_load_piece(const nd_external_sort *sorter, size_t p, size_t first,
                                      size_t count, nd_part_buffer *buffer, nd_error *error) {
    ND_TRY(gather(sorter, p, first, count, buffer, error));
    if (buffer->count == 0) return ND_OK;
    const uint64_t *sorted = nd_radix_sort_records_somewhere(
        buffer->words, buffer->scratch, buffer->count, sorter->words, sorter->keys);
    if (sorted != buffer->words) {
        *buffer = (nd_part_buffer){.words = buffer->scratch,
                                   .scratch = buffer->words,
                                   .count = buffer->count,
                                   .capacity = buffer->scratch_capacity,
                                   .scratch_capacity = buffer->capacity};
    }
    return ND_OK;
}

nd_status nd_external_sort_load_records(const nd_external_sort *sorter, size_t p,
                                        nd_part_buffer *buffer, nd_error *error) {
    return nd_external_sort_load_piece(sorter, p, 0, nd_external_sort_count(sorter, p), buffer,
                                       error);
}

void nd_external_sort_drop(nd_external_sort *sorter, size_t p) {
    size_t size = sizeof(chunk) + sorter->chunk_words * sizeof(uint64_t);
    for (const chunk *c = sorter->part[p].head; c; c = c->next) sorter->memory -= size;
    release_chunks(&sorter->allocator, sorter->part[p].head);
    sorter->part[p] = (part){0};
}
