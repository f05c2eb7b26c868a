#include "stream/centre_index.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/status.h"
#include "kernel/kernel.h"

#include <string.h>

enum {
    MOST_WIDTH = 16,
    MOST_WINDOWS = 33,
    FIRST_ROOM = 4,
    BEHIND = 16 /* entries behind the hits that the kernel may write */
};

/* Fingerprints that agree in a window. `keys` has room for `room` keys of one word each, or of two
 * with the low one first; the numbers follow. */
typedef struct bucket {
    uint64_t *keys;
    uint32_t count, room;
} bucket;

typedef struct window {
    uint32_t from, width; /* bits [from, from + width), bit 0 the lowest */
    bucket *buckets;      /* 2^width */
} window;

struct nd_centre_index {
    nd_allocator allocator;
    const nd_kernel *kernel;
    uint32_t k, words, window_count;
    window windows[MOST_WINDOWS];
    uint32_t *hits;
    size_t hit_room;
    uint64_t memory; /* of the windows and their buckets */
};

static inline uint32_t *numbers_of(const nd_centre_index *t, const bucket *b) {
    return (uint32_t *)(b->keys + (size_t)b->room * t->words);
}

static inline bucket *bucket_of(const window *w, nd_fingerprint f) {
    uint64_t bits = w->from < 64 ? f.low >> w->from : f.high >> (w->from - 64);
    if (w->from > 0 && w->from < 64) bits |= f.high << (64 - w->from);
    return &w->buckets[bits & ((UINT64_C(1) << w->width) - 1)];
}

static inline nd_fingerprint key_at(const nd_centre_index *t, const bucket *b, size_t i) {
    return t->words == 1 ? (nd_fingerprint){b->keys[i], 0}
                         : (nd_fingerprint){b->keys[2 * i], b->keys[2 * i + 1]};
}

static inline void set_key(const nd_centre_index *t, bucket *b, size_t i, nd_fingerprint f) {
    b->keys[i * t->words] = f.low;
    if (t->words == 2) b->keys[2 * i + 1] = f.high;
}

nd_status nd_centre_index_create(uint32_t bits, uint32_t k, const nd_allocator *allocator,
                                 nd_centre_index **out, nd_error *error) {
    nd_centre_index *t = nd_allocate_zero(allocator, 1, sizeof *t);
    if (!t) return nd_fail_memory(error, sizeof *t, "cluster centres");
    t->allocator = *allocator;
    t->kernel = nd_kernel_get();
    t->k = k;
    t->words = bits > 64 ? 2 : 1;
    uint32_t parts = k + 1, narrowest = bits / parts;
    bool narrow = 2 * parts > UINT32_C(1) << (narrowest < MOST_WIDTH ? narrowest : MOST_WIDTH);
    if (narrow) parts = 1;
    for (uint32_t i = 0, from = 0; i < parts; i++) {
        window *w = &t->windows[i];
        uint32_t width = bits / parts + (i < bits % parts);
        *w = (window){from, narrow ? 0 : width < MOST_WIDTH ? width : MOST_WIDTH, NULL};
        from += width;
        w->buckets = nd_allocate_zero(allocator, (size_t)1 << w->width, sizeof *w->buckets);
        if (!w->buckets) {
            size_t size = sizeof *w->buckets << w->width;
            nd_centre_index_free(t);
            return nd_fail_memory(error, size, "cluster centres");
        }
        t->memory += sizeof *w->buckets << w->width;
        t->window_count++;
    }
    *out = t;
    return ND_OK;
}

void nd_centre_index_free(nd_centre_index *t) {
    if (!t) return;
    nd_allocator allocator = t->allocator;
    for (uint32_t i = 0; i < t->window_count; i++) {
        for (size_t b = 0; b < (size_t)1 << t->windows[i].width; b++)
            nd_release(&allocator, t->windows[i].buckets[b].keys);
        nd_release(&allocator, t->windows[i].buckets);
    }
    nd_release(&allocator, t->hits);
    nd_release(&allocator, t);
}

uint64_t nd_centre_index_memory(const nd_centre_index *t) { return t->memory; }

static nd_status make_room(nd_centre_index *t, bucket *b, nd_error *error) {
    if (b->count < b->room) return ND_OK;
    uint32_t room = b->room ? b->room + b->room / 2 : FIRST_ROOM;
    size_t each = t->words * sizeof(uint64_t) + sizeof(uint32_t);
    bucket larger = {nd_allocate(&t->allocator, room, each), b->count, room};
    if (!larger.keys) return nd_fail_memory(error, room * sizeof(uint64_t), "cluster centres");
    if (b->count > 0) {
        memcpy(larger.keys, b->keys, (size_t)b->count * t->words * sizeof(uint64_t));
        memcpy(numbers_of(t, &larger), numbers_of(t, b), b->count * sizeof(uint32_t));
    }
    nd_release(&t->allocator, b->keys);
    t->memory += (room - b->room) * each;
    *b = larger;
    if (nd_reserve(&t->allocator, &t->hits, &t->hit_room, (size_t)room + BEHIND)) return ND_OK;
    return nd_fail_memory(error, room * sizeof *t->hits, "cluster centres");
}

static nd_status add(nd_centre_index *t, bucket *b, uint32_t number, nd_fingerprint f,
                     nd_error *error) {
    ND_TRY(make_room(t, b, error));
    set_key(t, b, b->count, f);
    numbers_of(t, b)[b->count++] = number;
    return ND_OK;
}

static size_t slot_of(const nd_centre_index *t, const bucket *b, uint32_t number) {
    const uint32_t *numbers = numbers_of(t, b);
    size_t i = 0;
    while (numbers[i] != number) i++;
    return i;
}

static void drop(const nd_centre_index *t, bucket *b, uint32_t number) {
    size_t i = slot_of(t, b, number);
    b->count--;
    set_key(t, b, i, key_at(t, b, b->count));
    numbers_of(t, b)[i] = numbers_of(t, b)[b->count];
}

nd_status nd_centre_index_add(nd_centre_index *t, uint32_t number, nd_fingerprint f,
                              nd_error *error) {
    for (uint32_t i = 0; i < t->window_count; i++)
        ND_TRY(add(t, bucket_of(&t->windows[i], f), number, f, error));
    return ND_OK;
}

void nd_centre_index_remove(nd_centre_index *t, uint32_t number, nd_fingerprint f) {
    for (uint32_t i = 0; i < t->window_count; i++) drop(t, bucket_of(&t->windows[i], f), number);
}

nd_status nd_centre_index_move(nd_centre_index *t, uint32_t number, nd_fingerprint from,
                               nd_fingerprint to, nd_error *error) {
    for (uint32_t i = 0; i < t->window_count; i++) {
        bucket *left = bucket_of(&t->windows[i], from), *entered = bucket_of(&t->windows[i], to);
        if (left == entered) {
            set_key(t, left, slot_of(t, left, number), to);
            continue;
        }
        drop(t, left, number);
        ND_TRY(add(t, entered, number, to, error));
    }
    return ND_OK;
}

void nd_centre_index_nearest(nd_centre_index *t, nd_fingerprint query, uint32_t *number,
                             uint32_t *distance) {
    *number = UINT32_MAX;
    *distance = t->k;
    for (uint32_t i = 0; i < t->window_count; i++)
        __builtin_prefetch(bucket_of(&t->windows[i], query));
    for (uint32_t i = 0; i < t->window_count; i++)
        __builtin_prefetch(bucket_of(&t->windows[i], query)->keys);
    for (uint32_t i = 0; i < t->window_count; i++) {
        const bucket *b = bucket_of(&t->windows[i], query);
        if (b->count == 0) continue;
        size_t found = t->words == 1
                           ? t->kernel->near64(b->keys, b->count, query.low, *distance, t->hits)
                           : t->kernel->near128(b->keys, b->count, query.low, query.high, *distance,
                                                t->hits);
        for (size_t h = 0; h < found; h++) {
            nd_fingerprint f = key_at(t, b, t->hits[h]);
            uint32_t here = nd_popcount(f.low ^ query.low) + nd_popcount(f.high ^ query.high),
                     its = numbers_of(t, b)[t->hits[h]];
            if (here > *distance || (here == *distance && its >= *number)) continue;
            *distance = here;
            *number = its;
        }
    }
}
