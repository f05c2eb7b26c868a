/* Searching an index of fingerprints for one query: the tables of its segments, and the fingerprints of the log, which are all looked at. */
#include "job/hamming.h"

#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "match/hamming_search.h"

#include <inttypes.h>
#include <string.h>

enum { SCAN = 4096 }; /* fingerprints of the log that are scanned at a time */

/* What was found, in the words in which it is sorted. */
typedef struct found {
    uint64_t order; /* distance << 32 | number */
    uint64_t low, high;
} found;
enum { FOUND_WORDS = sizeof(found) / sizeof(uint64_t) };

struct nd_finder {
    nd_allocator allocator;
    nd_index *index;
    nd_hamming_prober *prober;
    /* Of the search. */
    nd_find_kind kind;
    uint64_t limit;
    uint32_t least; /* distances below it have been looked for */
    uint32_t begin; /* number of the segment's first document */
    bool any_removed;
    uint64_t count;
    found *found, *scratch;
    nd_hamming_match *matches;
    char *ids;
    size_t capacity, scratch_capacity, match_capacity, id_size, id_capacity;
    uint32_t hits[SCAN + 16];
};

nd_status nd_finder_create(nd_index *x, nd_finder **out, nd_error *error) {
    ND_TRY(nd_hamming_check_index(x, error));
    nd_finder *f = nd_allocate_zero(&x->allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a finder");
    f->allocator = x->allocator;
    f->index = x;
    nd_status status = nd_hamming_prober_create(&f->allocator, &f->prober, error);
    if (status != ND_OK) {
        nd_finder_free(f);
        return status;
    }
    *out = f;
    return ND_OK;
}

void nd_finder_free(nd_finder *f) {
    if (!f) return;
    nd_allocator a = f->allocator;
    nd_hamming_prober_free(f->prober);
    void *const parts[] = {f->found, f->scratch, f->matches, f->ids, f};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&a, parts[i]);
}

/* ---- finding */

static bool is_limited(const nd_finder *f) { return f->kind == ND_FIND_ANY && f->count == f->limit; }

static nd_status note(nd_finder *f, uint32_t number, nd_fingerprint fingerprint, uint32_t distance, nd_error *error) {
    if (f->any_removed && nd_store_is_removed(f->index->store, number)) return ND_OK;
    f->count++;
    if (f->kind == ND_FIND_COUNT) return ND_OK;
    if (!nd_reserve(&f->allocator, &f->found, &f->capacity, (size_t)f->count)) return nd_fail_memory(error, f->count * sizeof *f->found, "matches");
    f->found[f->count - 1] = (found){(uint64_t)distance << 32 | number, fingerprint.low, fingerprint.high};
    return ND_OK;
}

/* nd_hamming_hit_fn; `context` is the finder. Of a fingerprint that many have no more are taken than are wanted: they stand in the order of adding. */
static nd_status take(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    nd_finder *f = context;
    uint64_t place, end, before = f->count;
    if (hit->distance < f->least) return ND_OK;
    ND_TRY(nd_hamming_places(hit->tables, hit->entry, &place, &end, error));
    if (f->kind == ND_FIND_COUNT && !f->any_removed) {
        f->count += end - place;
        return ND_OK;
    }
    bool bounded = f->kind == ND_FIND_ANY || f->kind == ND_FIND_NEAREST;
    for (; place < end && !is_limited(f) && !(bounded && f->count - before == f->limit); place++) {
        uint32_t document;
        ND_TRY(nd_hamming_document(hit->tables, place, &document, error));
        ND_TRY(note(f, f->begin + document, hit->fingerprint, hit->distance, error));
    }
    *more = !is_limited(f);
    return ND_OK;
}

static nd_status search_log(nd_finder *f, nd_fingerprint query, uint32_t k, nd_error *error) {
    const nd_kernel *kernel = nd_kernel_get();
    const nd_memory_table *recent = nd_store_recent(f->index->store, &f->begin);
    const uint64_t *words = nd_memory_table_fingerprints(recent);
    size_t count = nd_memory_table_count(recent), each = f->index->settings.bits > 64 ? 2 : 1;
    f->any_removed = nd_memory_table_live(recent) < count;
    for (size_t first = 0; first < count; first += SCAN) {
        size_t some = count - first < SCAN ? count - first : SCAN;
        const uint64_t *from = words + first * each;
        size_t hits = each == 1 ? kernel->near64(from, some, query.low, k, f->hits) : kernel->near128(from, some, query.low, query.high, k, f->hits);
        for (size_t i = 0; i < hits && !is_limited(f); i++) {
            const uint64_t *word = from + f->hits[i] * each;
            nd_fingerprint fingerprint = {word[0], each > 1 ? word[1] : 0};
            uint32_t distance = nd_distance(fingerprint, query);
            if (distance >= f->least) ND_TRY(note(f, f->begin + (uint32_t)first + f->hits[i], fingerprint, distance, error));
        }
    }
    return ND_OK;
}

static nd_status search(nd_finder *f, nd_fingerprint query, uint32_t k, nd_error *error) {
    const nd_store *store = f->index->store;
    bool more = true, removals = nd_store_live(store) < nd_store_numbers(store);
    for (size_t i = 0; i < nd_store_segments(store) && more; i++) {
        const nd_segment *segment = nd_store_segment(store, i, &f->begin);
        f->any_removed = removals;
        ND_TRY(nd_hamming_search(&segment->hamming, f->prober, query, k, take, f, &more, error));
    }
    return more ? search_log(f, query, k, error) : ND_OK;
}

/* The nearest, by distances that grow: near ones are looked for in fewer places. */
static nd_status search_nearest(nd_finder *f, nd_fingerprint query, uint32_t k, nd_error *error) {
    for (uint32_t near = 0; near <= k && f->count < f->limit; near++) {
        ND_TRY(search(f, query, near, error));
        f->least = near + 1;
    }
    return ND_OK;
}

/* ---- the answer */

static nd_status sort_found(nd_finder *f, nd_error *error) {
    if (f->count < 2) return ND_OK;
    if (!nd_reserve(&f->allocator, &f->scratch, &f->scratch_capacity, (size_t)f->count))
        return nd_fail_memory(error, f->count * sizeof *f->scratch, "matches");
    nd_radix_sort_records(&f->found->order, &f->scratch->order, (size_t)f->count, FOUND_WORDS, 1);
    return ND_OK;
}

/* Ids are copied, for the store may change before they are looked at; until all of them are there their places stand for them. */
static nd_status name_found(nd_finder *f, nd_error *error) {
    nd_id_digits digits;
    nd_stored_document d;
    if (!nd_reserve(&f->allocator, &f->matches, &f->match_capacity, (size_t)f->count))
        return nd_fail_memory(error, f->count * sizeof *f->matches, "matches");
    f->id_size = 0;
    for (size_t i = 0; i < f->count; i++) {
        ND_TRY(nd_store_id(f->index->store, (uint32_t)f->found[i].order, &digits, &d, error));
        if (!nd_reserve(&f->allocator, &f->ids, &f->id_capacity, f->id_size + d.id_length + 1)) return nd_fail_memory(error, d.id_length, "ids");
        if (d.id_length > 0) memcpy(f->ids + f->id_size, d.id, d.id_length);
        f->id_size += d.id_length;
        nd_hamming_match *m = &f->matches[i];
        *m = (nd_hamming_match){NULL, d.id_length, 0, {f->found[i].low, f->found[i].high}, (uint32_t)(f->found[i].order >> 32)};
        if (f->index->settings.numbered && !nd_id_to_number(d.id, d.id_length, &m->number))
            return nd_fail(error, ND_ERR_CORRUPT, "%s: an id is no number", f->index->path);
    }
    for (size_t i = 0, at = 0; i < f->count; at += f->matches[i++].id_length) f->matches[i].id = f->ids + at;
    return ND_OK;
}

static nd_status find(nd_finder *f, nd_fingerprint query, uint32_t k, nd_error *error) {
    ND_TRY(f->kind == ND_FIND_NEAREST ? search_nearest(f, query, k, error) : search(f, query, k, error));
    if (f->kind == ND_FIND_COUNT) return ND_OK;
    ND_TRY(sort_found(f, error));
    if (f->kind == ND_FIND_NEAREST && f->count > f->limit) f->count = f->limit;
    return name_found(f, error);
}

nd_status nd_find(nd_finder *f, nd_fingerprint query, uint32_t k, nd_find_kind kind, uint64_t limit, const nd_hamming_match **matches,
                  uint64_t *count, nd_error *error) {
    ND_TRY(nd_hamming_check_fits(f->index, query, error));
    ND_TRY(nd_hamming_check_search(f->index, k, kind, limit, error));
    f->kind = kind;
    f->limit = limit;
    f->count = f->least = 0;
    pthread_rwlock_rdlock(&f->index->view);
    nd_status status = find(f, query, k, error);
    pthread_rwlock_unlock(&f->index->view);
    *count = status == ND_OK ? f->count : 0;
    *matches = kind == ND_FIND_COUNT || *count == 0 ? NULL : f->matches;
    return status;
}
