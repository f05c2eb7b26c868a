/* Searches an index of fingerprints: the tables of its segments, by probes or by a scan
 * (hamming_search.h, hamming_batch_search.h), and all fingerprints of the memtable. A search locks
 * the index's view for reading, so any number of searchers may search at once. */
#include "hamming_index/hamming_searcher.h"

#include "base/argument.h"
#include "base/floats.h"
#include "base/limits.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "hamming/hamming_batch_search.h"
#include "hamming/hamming_search.h"

#include <string.h>

enum {
    SCAN = ND_LIMIT(4096, 16), /* fingerprints of the memtable that are compared at a time */
    FEW = ND_LIMIT(1024, 4),   /* at most so many queries never scan the tables */
    MOST_FOUND = ND_LIMIT(1 << 21, 80) /* the most matches of a call with several queries */
};

/* A match. order: query << 38 | distance << 32 | number of the document. */
typedef struct found {
    uint64_t order;
    uint64_t low, high;
} found;
enum {
    FOUND_WORDS = sizeof(found) / sizeof(uint64_t),
    QUERY_SHIFT = 38,
    DISTANCE_SHIFT = 32,
    MOST_DISTANCE = 63
};

static uint32_t distance_of(const found *f) {
    return (uint32_t)(f->order >> DISTANCE_SHIFT) & MOST_DISTANCE;
}

struct nd_hamming_searcher {
    nd_allocator allocator;
    nd_hamming_index *index;
    nd_hamming_search_context *context;
    /* The request. */
    const nd_fingerprint *queries;
    size_t query_count;
    uint32_t k;
    nd_hamming_kind kind;
    uint64_t limit;
    uint64_t *counts;
    /* The state of the search. */
    uint64_t first;                  /* index of the first query that is searched now */
    uint32_t least;                  /* smaller distances have been searched before */
    const nd_hamming_tables *tables; /* tables of the segment */
    uint32_t begin;                  /* number of the segment's or the memtable's first document */
    bool any_removed;                /* some documents may have been removed */
    bool too_many;
    /* The matches. */
    found *found;
    uint64_t *scratch;
    nd_hamming_match *matches;
    char *ids;
    size_t found_count, capacity, scratch_capacity, match_capacity, id_size, id_capacity;
    uint32_t hits[SCAN + 16];
};

nd_status nd_hamming_searcher_create(nd_hamming_index *x, nd_hamming_searcher **out,
                                     nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(out, "out", error));
    nd_hamming_searcher *f = nd_allocate_zero(&x->shared.allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a searcher");
    f->allocator = x->shared.allocator;
    f->index = x;
    nd_status status = nd_hamming_search_context_create(&f->allocator, &f->context, error);
    if (status != ND_OK) {
        nd_hamming_searcher_free(f);
        return status;
    }
    *out = f;
    return ND_OK;
}

void nd_hamming_searcher_free(nd_hamming_searcher *f) {
    if (!f) return;
    nd_allocator a = f->allocator;
    nd_hamming_search_context_free(f->context);
    void *const parts[] = {f->found, f->scratch, f->matches, f->ids, f};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&a, parts[i]);
}

/* ---- finding */

static bool is_bounded(const nd_hamming_searcher *f) {
    return f->kind == ND_HAMMING_ANY || f->kind == ND_HAMMING_NEAREST;
}

/* Whether no more matches of this query are wanted. */
static bool is_enough(const nd_hamming_searcher *f, uint64_t query) {
    return f->kind == ND_HAMMING_ANY && f->counts[query] == f->limit;
}

static nd_status add_match(nd_hamming_searcher *f, uint64_t query, uint32_t number,
                           nd_fingerprint fingerprint, uint32_t distance, nd_error *error) {
    if (f->any_removed && nd_store_is_removed(f->index->shared.store, number)) return ND_OK;
    f->counts[query]++;
    if (f->kind == ND_HAMMING_COUNT) return ND_OK;
    f->too_many = f->found_count == MOST_FOUND && f->query_count > 1;
    if (f->too_many)
        return nd_fail(error, ND_ERR_MEMORY, "%d matches of some queries are too many", MOST_FOUND);
    if (!nd_reserve(&f->allocator, &f->found, &f->capacity, f->found_count + 1))
        return nd_fail_memory(error, f->found_count * sizeof *f->found, "matches");
    f->found[f->found_count++] = (found){.order = query << QUERY_SHIFT |
                                                  (uint64_t)distance << DISTANCE_SHIFT | number,
                                         .low = fingerprint.low,
                                         .high = fingerprint.high};
    return ND_OK;
}

/* Adds the documents in slots [slot, end), which all have the same fingerprint. Slots are in the
 * order in which documents were added. So if only some matches are wanted, the first ones are
 * added. */
static nd_status add_slots(nd_hamming_searcher *f, uint64_t query, uint64_t slot, uint64_t end,
                           nd_fingerprint fingerprint, uint32_t distance, nd_error *error) {
    uint64_t before = f->counts[query];
    if (f->kind == ND_HAMMING_COUNT && !f->any_removed) {
        f->counts[query] += end - slot;
        return ND_OK;
    }
    for (; slot < end && !is_enough(f, query) &&
           !(is_bounded(f) && f->counts[query] - before == f->limit);
         slot++) {
        uint32_t document;
        ND_TRY(nd_document_lists_at(&f->tables->lists, slot, &document, error));
        ND_TRY(add_match(f, query, f->begin + document, fingerprint, distance, error));
    }
    return ND_OK;
}

/* nd_hamming_hit_fn; `context` is the searcher. */
static nd_status add_hit(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    nd_hamming_searcher *f = context;
    uint64_t query = f->first + hit->query, slot, end;
    if (hit->distance >= f->least) {
        ND_TRY(nd_document_lists_slots(&f->tables->lists, hit->entry, &slot, &end, error));
        ND_TRY(add_slots(f, query, slot, end, hit->fingerprint, hit->distance, error));
    }
    *more = !is_enough(f, query);
    return ND_OK;
}

/* nd_hamming_hits_fn; `context` is the searcher. */
static nd_status add_hits(void *context, const nd_hamming_hit *hits, size_t count,
                          nd_error *error) {
    nd_hamming_searcher *f = context;
    bool more;
    for (size_t i = 0; i < count; i++) nd_document_lists_prefetch(&f->tables->lists, hits[i].entry);
    for (size_t i = 0; i < count; i++) ND_TRY(add_hit(f, &hits[i], &more, error));
    return ND_OK;
}

static nd_status search_segment(nd_hamming_searcher *f, size_t count, uint32_t k, nd_error *error) {
    const nd_fingerprint *queries = f->queries + f->first;
    bool scans = count > FEW && k <= f->tables->design.k &&
                 f->tables->design.kind != ND_HAMMING_SCAN &&
                 nd_hamming_batch_pays(f->tables, count, k);
    if (scans) {
        const nd_hamming_batch batch = {.tables = f->tables,
                                        .queries = queries,
                                        .count = count,
                                        .k = k,
                                        .fn = add_hits,
                                        .context = f};
        return nd_hamming_batch_search(&batch, &f->allocator, error);
    }
    const nd_hamming_request request = {.tables = f->tables,
                                        .queries = queries,
                                        .count = count,
                                        .k = k,
                                        .fn = add_hit,
                                        .context = f};
    return nd_hamming_search_tables(f->context, &request, error);
}

/* ---- the memtable: all its fingerprints are compared */

/* Compares a query with `count` fingerprints, the first of which has `number`. */
static nd_status compare(nd_hamming_searcher *f, uint64_t query, uint32_t k, const uint64_t *words,
                         uint32_t number, size_t count, nd_error *error) {
    const nd_kernel *kernel = nd_kernel_get();
    nd_fingerprint q = f->queries[query];
    size_t each = f->index->shared.settings.bits > 64 ? 2 : 1;
    size_t hits = each == 1 ? kernel->near64(words, count, q.low, k, f->hits)
                            : kernel->near128(words, count, q.low, q.high, k, f->hits);
    for (size_t i = 0; i < hits && !is_enough(f, query); i++) {
        const uint64_t *word = words + f->hits[i] * each;
        nd_fingerprint fingerprint = {word[0], each > 1 ? word[1] : 0};
        uint32_t distance = nd_distance(fingerprint, q);
        if (distance >= f->least)
            ND_TRY(add_match(f, query, number + f->hits[i], fingerprint, distance, error));
    }
    return ND_OK;
}

/* Compares SCAN fingerprints at a time with all queries, while they are in the cache. */
static nd_status search_memtable(nd_hamming_searcher *f, size_t queries, uint32_t k,
                                 nd_error *error) {
    const nd_memtable *recent = nd_store_memtable(f->index->shared.store, &f->begin);
    const uint64_t *words = nd_memtable_fingerprints(recent);
    size_t count = nd_memtable_count(recent), each = f->index->shared.settings.bits > 64 ? 2 : 1;
    f->any_removed = nd_memtable_live_count(recent) < count;
    for (size_t first = 0; first < count; first += SCAN) {
        size_t some = count - first < SCAN ? count - first : SCAN;
        for (size_t i = 0; i < queries; i++)
            ND_TRY(compare(f, f->first + i, k, words + first * each, f->begin + (uint32_t)first,
                           some, error));
    }
    return ND_OK;
}

/* ---- `count` queries, from f->first on */

static nd_status search(nd_hamming_searcher *f, size_t count, uint32_t k, nd_error *error) {
    const nd_store *store = f->index->shared.store;
    bool removals = nd_store_live_count(store) < nd_store_document_count(store);
    for (size_t i = 0; i < nd_store_segment_count(store); i++) {
        f->tables = &nd_store_segment(store, i, &f->begin)->hamming;
        f->any_removed = removals;
        if (count > 1 || !is_enough(f, f->first)) ND_TRY(search_segment(f, count, k, error));
    }
    return search_memtable(f, count, k, error);
}

static nd_status reserve_scratch(nd_hamming_searcher *f, size_t count, nd_error *error) {
    size_t room = nd_radix_scratch_words(count, FOUND_WORDS);
    return nd_reserve(&f->allocator, &f->scratch, &f->scratch_capacity, room)
               ? ND_OK
               : nd_fail_memory(error, room * sizeof *f->scratch, "matches");
}

/* Sorts the matches of one query, from f->found[begin] on. */
static nd_status sort_found(nd_hamming_searcher *f, size_t begin, nd_error *error) {
    size_t count = f->found_count - begin;
    if (count < 2) return ND_OK;
    ND_TRY(reserve_scratch(f, count, error));
    nd_radix_sort_records(&f->found[begin].order, f->scratch, count, FOUND_WORDS, 1);
    return ND_OK;
}

/* Sorts the matches of `count` queries. Each query's number of matches is known, so each match can
 * be put among them at once. */
static nd_status sort_all_found(nd_hamming_searcher *f, size_t count, nd_error *error) {
    uint64_t sum = 0, begin = 0;
    if (f->found_count < 2) return ND_OK;
    ND_TRY(reserve_scratch(f, f->found_count, error));
    found *sorted = (found *)f->scratch;
    /* counts[q] becomes where the matches of query q begin; copying moves it on to their end. */
    for (size_t q = 0; q < count; q++) {
        uint64_t here = f->counts[q];
        f->counts[q] = sum;
        sum += here;
    }
    for (size_t i = 0; i < f->found_count; i++)
        sorted[f->counts[f->found[i].order >> QUERY_SHIFT]++] = f->found[i];
    memcpy(f->found, sorted, f->found_count * sizeof *sorted);
    for (size_t q = 0; q < count; q++) {
        uint64_t end = f->counts[q];
        f->counts[q] = end - begin;
        if (end - begin > 1)
            nd_radix_sort_records(&f->found[begin].order, f->scratch, (size_t)(end - begin),
                                  FOUND_WORDS, 1);
        begin = end;
    }
    return ND_OK;
}

/* Finds the nearest documents of one query. It searches with k = 0, 1, ... until there are enough,
 * because a smaller k needs fewer probes. */
static nd_status search_nearest(nd_hamming_searcher *f, nd_error *error) {
    size_t begin = f->found_count;
    f->least = 0;
    for (uint32_t near = 0; near <= f->k && f->counts[f->first] < f->limit; near++) {
        ND_TRY(search(f, 1, near, error));
        f->least = near + 1;
    }
    ND_TRY(sort_found(f, begin, error));
    if (f->counts[f->first] > f->limit) f->counts[f->first] = f->limit;
    f->found_count = begin + (size_t)f->counts[f->first];
    return ND_OK;
}

/* ---- the answer */

/* Appends the id of a match to f->ids. The pointer to it is set when all ids are there, because
 * f->ids may move while it grows. */
static nd_status add_id(nd_hamming_searcher *f, uint32_t number, nd_hamming_match *m,
                        nd_error *error) {
    const nd_store *store = f->index->shared.store;
    nd_id_digits digits;
    nd_stored_document d = {.id = digits.bytes};
    if (f->index->shared.settings.numbered) {
        ND_TRY(nd_store_numeric_id(store, number, &m->number, error));
        d.id_length = nd_id_of_number(m->number, &digits);
    } else {
        ND_TRY(nd_store_id(store, number, &digits, &d, error));
    }
    if (!nd_reserve(&f->allocator, &f->ids, &f->id_capacity, f->id_size + d.id_length + 1))
        return nd_fail_memory(error, d.id_length, "ids");
    if (d.id_length > 0) memcpy(f->ids + f->id_size, d.id, d.id_length);
    f->id_size += d.id_length;
    m->id_length = d.id_length;
    return ND_OK;
}

/* Makes the matches from f->found. Ids are copied, because the store may change before the caller
 * reads them. */
static nd_status make_matches(nd_hamming_searcher *f, nd_error *error) {
    if (!nd_reserve(&f->allocator, &f->matches, &f->match_capacity, f->found_count))
        return nd_fail_memory(error, f->found_count * sizeof *f->matches, "matches");
    f->id_size = 0;
    for (size_t i = 0; i < f->found_count; i++) {
        const found *x = &f->found[i];
        f->matches[i] = (nd_hamming_match){.fingerprint = {x->low, x->high},
                                           .distance = distance_of(x)};
        ND_TRY(add_id(f, (uint32_t)x->order, &f->matches[i], error));
    }
    for (size_t i = 0, at = 0; i < f->found_count; at += f->matches[i++].id_length)
        f->matches[i].id = f->ids + at;
    return ND_OK;
}

/* Keeps the first matches of each query, up to the limit. REQUIRES: the matches are sorted. */
static void keep_nearest(nd_hamming_searcher *f, size_t count) {
    size_t from = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        size_t all = (size_t)f->counts[i];
        if (f->counts[i] > f->limit) f->counts[i] = f->limit;
        memmove(f->found + to, f->found + from, (size_t)f->counts[i] * sizeof *f->found);
        from += all;
        to += (size_t)f->counts[i];
    }
    f->found_count = to;
}

/* Searches all queries together, unless each of them may end early. With a k above the k of the
 * tables all fingerprints are compared. That pays only for many queries at once, so then they are
 * always searched together. */
static nd_status find(nd_hamming_searcher *f, size_t count, nd_error *error) {
    bool together = !is_bounded(f) || f->k > f->index->shared.settings.k;
    f->found_count = 0;
    f->first = f->least = 0;
    if (together) {
        ND_TRY(search(f, count, f->k, error));
        ND_TRY(sort_all_found(f, count, error));
        if (f->kind == ND_HAMMING_NEAREST && f->found_count > 0) keep_nearest(f, count);
    }
    for (; !together && f->first < count; f->first++) {
        size_t begin = f->found_count;
        ND_TRY(f->kind == ND_HAMMING_NEAREST ? search_nearest(f, error)
                                             : search(f, 1, f->k, error));
        if (f->kind == ND_HAMMING_ANY) ND_TRY(sort_found(f, begin, error));
    }
    return make_matches(f, error);
}

bool nd_hamming_searcher_had_too_many(const nd_hamming_searcher *f) { return f->too_many; }

nd_status nd_hamming_searcher_search(nd_hamming_searcher *f,
                                     const nd_hamming_searcher_request *request,
                                     const nd_hamming_match **matches, uint64_t *counts,
                                     nd_error *error) {
    const size_t count = request->count;
    f->queries = request->queries;
    f->query_count = count;
    f->too_many = false;
    f->k = request->how->k;
    f->kind = request->how->kind;
    f->limit = request->how->limit;
    f->counts = counts;
    memset(counts, 0, count * sizeof *counts);
    nd_index_store_begin_read(&f->index->shared);
    nd_status status = find(f, count, error);
    nd_index_store_end_read(&f->index->shared);
    *matches = f->found_count > 0 ? f->matches : NULL;
    return status;
}

nd_status nd_hamming_search(nd_hamming_searcher *f, nd_fingerprint query,
                            const nd_hamming_search_options *options,
                            const nd_hamming_match **matches, uint64_t *count, nd_error *error) {
    ND_DEFAULT_FLOATS;
    const nd_hamming_match *near;
    uint64_t near_count;
    nd_hamming_search_options o;
    ND_TRY(nd_need(f, "searcher", error));
    ND_TRY(nd_need(matches, "matches", error));
    ND_TRY(nd_need(count, "count", error));
    ND_TRY(nd_hamming_check_fits(f->index, query, error));
    ND_TRY(nd_hamming_search_options_read(f->index, options, &o, error));
    const nd_hamming_searcher_request request = {.queries = &query, .count = 1, .how = &o};
    ND_TRY(nd_hamming_searcher_search(f, &request, &near, &near_count, error));
    *matches = near;
    *count = near_count;
    return ND_OK;
}
