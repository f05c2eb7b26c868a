#include "io/key_sort.h"

#include "base/bits.h"
#include "base/limits.h"
#include "base/radix_sort.h"
#include "io/spill_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* An entry is a step to the next number, and the key. A step is one byte below STEP_2; STEP_2 and
 * the step in 2 bytes; or NUMBER and the number itself in 4. The first entry of a chunk has a
 * number, so chunks can be read one behind the other, whoever wrote them. */
enum { STEP_2 = 254, NUMBER = 255, ENTRY_MOST = 9 };

typedef struct chunk {
    struct chunk *next;
    uint32_t size; /* bytes */
    uint32_t used; /* of a list's last chunk it is set when the next one comes */
    uint8_t bytes[];
} chunk;

/* The chunks that a writer has filled with keys of one part. */
typedef struct list {
    uint8_t *at, *end; /* in the last chunk; both NULL: there is none */
    chunk *head, *tail;
    size_t count;  /* keys, with those in the file */
    uint32_t last; /* number */
} list;

struct nd_key_writer {
    nd_key_sort *sorter;
    nd_key_writer *next;
    list *lists;      /* by part */
    uint32_t *begins; /* by part: index in `words` of its first key */
    uint64_t *words;  /* the keys of a batch, by part */
    size_t capacity;
};

struct nd_key_sort {
    nd_allocator allocator;
    const char *what;
    size_t parts, limit;
    uint32_t chunk_size; /* of the largest chunks */
    nd_spill_file file;
    uint64_t **spill; /* spill[s][p]: byte offset of part p's piece; [parts]: the end */
    size_t spills, spill_capacity;
    nd_key_writer *writers;
    atomic_size_t memory; /* bytes of chunks */
    /* A writer holds it for reading while it adds a batch; for writing: a spill, a new writer. */
    pthread_rwlock_t lock;
};

/* Bytes of a list's first chunk. Each next one is twice as large, because memory that a small run
 * leaves unused is still taken in whole pages. */
enum { FIRST_CHUNK = ND_LIMIT(224, 20) };

/* The largest chunks are so small that one partly filled chunk per list takes at most a quarter of
 * the limit, and so large that writing them is efficient. */
static uint32_t choose_chunk_size(const nd_key_sort_settings *s) {
    const uint32_t most = ND_LIMIT(32736, 40);
    size_t size = s->memory_limit / 4 / s->parts / (s->writers > 0 ? s->writers : 1);
    return size < FIRST_CHUNK ? FIRST_CHUNK : size > most ? most : (uint32_t)size;
}

nd_status nd_key_sort_create(const nd_allocator *allocator, const nd_key_sort_settings *s,
                             nd_key_sort **out, nd_error *error) {
    nd_key_sort *sorter = nd_allocate_zero(allocator, 1, sizeof *sorter);
    if (!sorter) return nd_fail_memory(error, sizeof *sorter, s->what);
    *sorter = (nd_key_sort){.allocator = *allocator,
                            .what = s->what,
                            .parts = s->parts,
                            .limit = s->memory_limit,
                            .chunk_size = choose_chunk_size(s)};
    nd_spill_init(&sorter->file, allocator, s->disk, s->what);
    pthread_rwlock_init(&sorter->lock, NULL);
    *out = sorter;
    return ND_OK;
}

/* ---- writers */

static size_t memory_of(uint32_t size) { return sizeof(chunk) + size; }

static void release_chunks(nd_key_sort *s, list *q) {
    for (chunk *c = q->head, *next; c; c = next) {
        next = c->next;
        atomic_fetch_sub(&s->memory, memory_of(c->size));
        nd_release(&s->allocator, c);
    }
    *q = (list){.count = q->count};
}

static void free_writer(nd_key_writer *w) {
    nd_key_sort *s = w->sorter;
    for (size_t p = 0; w->lists && p < s->parts; p++) release_chunks(s, &w->lists[p]);
    nd_release(&s->allocator, w->lists);
    nd_release(&s->allocator, w->begins);
    nd_release(&s->allocator, w->words);
    nd_release(&s->allocator, w);
}

void nd_key_sort_free(nd_key_sort *sorter) {
    if (!sorter) return;
    nd_allocator allocator = sorter->allocator;
    for (nd_key_writer *w = sorter->writers, *next; w; w = next) {
        next = w->next;
        free_writer(w);
    }
    for (size_t s = 0; s < sorter->spills; s++) nd_release(&allocator, sorter->spill[s]);
    nd_release(&allocator, sorter->spill);
    nd_spill_free(&sorter->file);
    pthread_rwlock_destroy(&sorter->lock);
    nd_release(&allocator, sorter);
}

nd_status nd_key_writer_create(nd_key_sort *s, nd_key_writer **out, nd_error *error) {
    nd_key_writer *w = nd_allocate_zero(&s->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, s->what);
    w->sorter = s;
    w->lists = nd_allocate_zero(&s->allocator, s->parts, sizeof *w->lists);
    w->begins = nd_allocate(&s->allocator, s->parts + 1, sizeof *w->begins);
    if (!w->lists || !w->begins) {
        free_writer(w);
        return nd_fail_memory(error, s->parts * (sizeof *w->lists + sizeof *w->begins), s->what);
    }
    pthread_rwlock_wrlock(&s->lock);
    w->next = s->writers;
    s->writers = w;
    pthread_rwlock_unlock(&s->lock);
    *out = w;
    return ND_OK;
}

/* ---- spilling */

static size_t used_of(const list *q, const chunk *c) {
    return c == q->tail ? (size_t)(q->at - c->bytes) : c->used;
}

static nd_status write_lists(nd_key_sort *s, uint64_t *offsets, nd_error *error) {
    ND_TRY(nd_spill_begin(&s->file, error));
    for (size_t p = 0; p < s->parts; p++) {
        offsets[p] = nd_spill_position(&s->file);
        for (nd_key_writer *w = s->writers; w; w = w->next) {
            list *q = &w->lists[p];
            for (const chunk *c = q->head; c; c = c->next)
                ND_TRY(nd_spill_write(&s->file, c->bytes, used_of(q, c), error));
            release_chunks(s, q);
        }
    }
    offsets[s->parts] = nd_spill_position(&s->file);
    return nd_spill_end(&s->file, error);
}

static nd_status spill(nd_key_sort *s, nd_error *error) {
    const nd_allocator *a = &s->allocator;
    if (!nd_reserve(a, &s->spill, &s->spill_capacity, s->spills + 1))
        return nd_fail_memory(error, sizeof *s->spill, s->what);
    uint64_t *offsets = nd_allocate(a, s->parts + 1, sizeof *offsets);
    if (!offsets) return nd_fail_memory(error, s->parts * sizeof *offsets, s->what);
    nd_status status = write_lists(s, offsets, error);
    if (status == ND_OK) s->spill[s->spills++] = offsets;
    else nd_release(a, offsets);
    return status;
}

/* Whether a chunk would exceed the limit. One chunk is always allowed. */
static bool is_over(const nd_key_sort *s, uint32_t size) {
    size_t memory = atomic_load(&s->memory);
    return memory > 0 && memory + memory_of(size) > s->limit;
}

static uint32_t next_size(const nd_key_sort *s, const list *q) {
    uint32_t size = q->tail ? 2 * q->tail->size : FIRST_CHUNK;
    return size < s->chunk_size ? size : s->chunk_size;
}

/* Adds a chunk to a list. If that exceeds the limit, a spill first empties all lists; the lock is
 * released meanwhile. */
static nd_status add_chunk(nd_key_sort *s, list *q, nd_error *error) {
    if (is_over(s, next_size(s, q))) {
        nd_status status = ND_OK;
        pthread_rwlock_unlock(&s->lock);
        pthread_rwlock_wrlock(&s->lock);
        if (is_over(s, next_size(s, q))) status = spill(s, error);
        pthread_rwlock_unlock(&s->lock);
        pthread_rwlock_rdlock(&s->lock);
        ND_TRY(status);
    }
    uint32_t size = next_size(s, q);
    chunk *c = nd_allocate(&s->allocator, 1, memory_of(size));
    if (!c) return nd_fail_memory(error, memory_of(size), s->what);
    atomic_fetch_add(&s->memory, memory_of(size));
    if (q->tail) {
        q->tail->used = (uint32_t)used_of(q, q->tail);
        q->tail->next = c;
    } else {
        q->head = c;
    }
    *c = (chunk){.size = size};
    q->tail = c;
    q->at = c->bytes;
    q->end = c->bytes + size;
    return ND_OK;
}

/* ---- adding */

/* Writes a step, the first one of a chunk as a number, and returns where the key goes. */
static uint8_t *put_step(uint8_t *at, bool first, uint32_t last, uint32_t number) {
    uint32_t step = number - last; /* large if the number is less */
    if (!first && step < STEP_2) {
        *at = (uint8_t)step;
        return at + 1;
    }
    if (!first && step <= UINT16_MAX) {
        at[0] = STEP_2;
        at[1] = (uint8_t)step;
        at[2] = (uint8_t)(step >> 8);
        return at + 3;
    }
    *at = NUMBER;
    nd_store_le32(at + 1, number);
    return at + 5;
}

static nd_status add_to_list(nd_key_sort *s, list *q, const uint64_t *words, size_t count,
                             nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (q->end - q->at < ENTRY_MOST) ND_TRY(add_chunk(s, q, error));
        uint32_t number = (uint32_t)words[i];
        uint8_t *at = put_step(q->at, q->at == q->tail->bytes, q->last, number);
        nd_store_le32(at, (uint32_t)(words[i] >> 32));
        q->at = at + 4;
        q->last = number;
    }
    q->count += count;
    return ND_OK;
}

/* Sorts the keys by part, stable: those of part p become words[begins[p], begins[p + 1]). */
static void sort_by_part(nd_key_writer *w, const nd_numbered_key *keys, size_t count) {
    size_t parts = w->sorter->parts;
    uint32_t *begins = w->begins, sum = 0;
    memset(begins, 0, (parts + 1) * sizeof *begins);
    for (size_t i = 0; i < count; i++) begins[keys[i].part]++;
    for (size_t p = 0; p <= parts; p++) {
        sum += begins[p];
        begins[p] = sum; /* the end, which moves to the begin below */
    }
    for (size_t i = count; i-- > 0;)
        w->words[--begins[keys[i].part]] = (uint64_t)keys[i].key << 32 | keys[i].number;
}

static nd_status add_lists(nd_key_writer *w, nd_error *error) {
    enum { AHEAD = 8 };
    nd_key_sort *s = w->sorter;
    for (size_t p = 0; p < s->parts; p++) {
        size_t begin = w->begins[p], end = w->begins[p + 1];
        if (p + AHEAD < s->parts) __builtin_prefetch(w->lists[p + AHEAD].at, 1);
        if (begin < end) ND_TRY(add_to_list(s, &w->lists[p], w->words + begin, end - begin, error));
    }
    return ND_OK;
}

nd_status nd_key_writer_add(nd_key_writer *w, const nd_numbered_key *keys, size_t count,
                            nd_error *error) {
    nd_key_sort *s = w->sorter;
    if (!nd_reserve(&s->allocator, &w->words, &w->capacity, count))
        return nd_fail_memory(error, count * sizeof *w->words, s->what);
    sort_by_part(w, keys, count);
    pthread_rwlock_rdlock(&s->lock);
    nd_status status = add_lists(w, error);
    pthread_rwlock_unlock(&s->lock);
    return status;
}

/* ---- loading */

size_t nd_key_sort_parts(const nd_key_sort *sorter) { return sorter->parts; }

size_t nd_key_sort_count(const nd_key_sort *sorter, size_t part) {
    size_t count = 0;
    for (const nd_key_writer *w = sorter->writers; w; w = w->next) count += w->lists[part].count;
    return count;
}

static uint64_t *unpack(const uint8_t *at, const uint8_t *end, uint64_t *words) {
    uint32_t number = 0;
    while (at < end) {
        uint32_t step = *at++;
        if (step < STEP_2) {
            number += step;
        } else if (step == STEP_2) {
            number += at[0] | (uint32_t)at[1] << 8;
            at += 2;
        } else {
            number = nd_load_le32(at);
            at += 4;
        }
        *words++ = (uint64_t)nd_load_le32(at) << 32 | number;
        at += 4;
    }
    return words;
}

static size_t spilled_bytes(const nd_key_sort *s, size_t part) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->spills; i++) bytes += s->spill[i][part + 1] - s->spill[i][part];
    return (size_t)bytes;
}

/* Unpacks the keys of a part, in the order of writing of each writer. */
static nd_status gather(const nd_key_sort *s, size_t part, nd_part_buffer *buffer,
                        nd_error *error) {
    size_t count = nd_key_sort_count(s, part), bytes = spilled_bytes(s, part);
    size_t scratch = bytes / sizeof(uint64_t) + 1 > count ? bytes / sizeof(uint64_t) + 1 : count;
    ND_TRY(nd_progress_poll(s->file.disk->progress, error));
    if (!nd_reserve(&s->allocator, &buffer->words, &buffer->capacity, count) ||
        !nd_reserve(&s->allocator, &buffer->scratch, &buffer->scratch_capacity, scratch))
        return nd_fail_memory(error, count * sizeof(uint64_t), s->what);
    uint8_t *read = (uint8_t *)buffer->scratch;
    for (size_t i = 0; i < s->spills; i++) {
        uint64_t offset = s->spill[i][part];
        size_t size = (size_t)(s->spill[i][part + 1] - offset);
        ND_TRY(nd_spill_read(&s->file, read, size, offset, error));
        read += size;
    }
    uint64_t *words = unpack((uint8_t *)buffer->scratch, read, buffer->words);
    for (const nd_key_writer *w = s->writers; w; w = w->next)
        for (const chunk *c = w->lists[part].head; c; c = c->next)
            words = unpack(c->bytes, c->bytes + used_of(&w->lists[part], c), words);
    buffer->count = (size_t)(words - buffer->words);
    return ND_OK;
}

/* Sorts the numbers of each key, in words that are sorted by key. With one writer they are sorted
 * already. */
static void sort_numbers(uint64_t *words, uint64_t *scratch, size_t count) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        bool ascending = true;
        for (end = begin + 1; end < count && words[end] >> 32 == words[begin] >> 32; end++)
            ascending = ascending && words[end - 1] <= words[end];
        if (!ascending) nd_radix_sort(words + begin, scratch, end - begin, 0);
    }
}

nd_status nd_key_sort_load(const nd_key_sort *s, size_t part, nd_part_buffer *buffer,
                           nd_error *error) {
    buffer->count = 0;
    ND_TRY(gather(s, part, buffer, error));
    if (buffer->count == 0) return ND_OK;
    nd_radix_sort(buffer->words, buffer->scratch, buffer->count, 32);
    sort_numbers(buffer->words, buffer->scratch, buffer->count);
    return ND_OK;
}
