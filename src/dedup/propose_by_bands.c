#include "dedup/propose_by_bands.h"

#include "base/limits.h"
#include "base/workers.h"
#include "sketch/band_key.h"
#include "sketch/bucket_scan.h"
#include "store/band_lookup.h"

#include <pthread.h>
#include <stdlib.h>

/* Pairs that a worker collects before it takes the lock. */
enum { BATCH = 2048 };

/* Keys that are looked up in an index at once. */
enum { LOOKUPS = ND_LIMIT(512, 5) };

typedef struct proposer {
    const nd_bands_request *request;
    nd_candidates *out; /* guarded by `lock` */
    pthread_mutex_t lock;
    atomic_size_t next_part;
    atomic_bool failed;
    atomic_size_t done;
} proposer;

typedef struct batch {
    uint64_t words[BATCH];
    size_t count;
} batch;

typedef struct keyed_member {
    uint64_t key; /* text/differ_by.h */
    uint32_t rank;
} keyed_member;

typedef struct proposer_worker {
    proposer *shared;
    nd_part_buffer part;
    uint32_t *members;
    size_t member_capacity;
    batch pairs;
    nd_lookup_context lookup_context; /* for lookups in the index */
    uint32_t *indexed;
    size_t indexed_capacity;
    keyed_member *keyed; /* of a large bucket whose members may be kept apart */
    uint32_t *group;
    size_t keyed_capacity, group_capacity;
} proposer_worker;

static nd_status flush_pairs(proposer_worker *w, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&w->shared->lock);
    for (size_t i = 0; status == ND_OK && i < w->pairs.count; i++)
        status = nd_candidates_add_pair(w->shared->out, (uint32_t)(w->pairs.words[i] >> 32),
                                        (uint32_t)w->pairs.words[i], error);
    pthread_mutex_unlock(&w->shared->lock);
    w->pairs.count = 0;
    return status;
}

static nd_status add_pair(void *context, uint32_t later, uint32_t earlier, nd_error *error) {
    proposer_worker *w = context;
    w->pairs.words[w->pairs.count++] = (uint64_t)later << 32 | earlier;
    return w->pairs.count == BATCH ? flush_pairs(w, error) : ND_OK;
}

static nd_status add_large(proposer_worker *w, const uint32_t *members, size_t count,
                           nd_error *error) {
    proposer *shared = w->shared;
    pthread_mutex_lock(&shared->lock);
    nd_status status = nd_candidates_add_bucket(shared->out, members, count, error);
    pthread_mutex_unlock(&shared->lock);
    return status;
}

/* ---- members that are kept apart */

static int by_key(const void *a, const void *b) {
    const keyed_member *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Proposes members[0, count), which nothing keeps apart: as a bucket of their own. */
static nd_status add_group(proposer_worker *w, const uint32_t *members, size_t count,
                           nd_error *error) {
    if (count > ND_SMALL_BUCKET) return add_large(w, members, count, error);
    for (size_t later = 1; later < count; later++)
        for (size_t earlier = 0; earlier < later; earlier++)
            ND_TRY(add_pair(w, members[later], members[earlier], error));
    return ND_OK;
}

/* Cuts a large bucket into groups of members that nothing keeps apart. Texts of one template differ
 * in their numbers by the thousand: as one bucket they would use up max_compare, and duplicates
 * among them would be missed. */
static nd_status add_groups(proposer_worker *w, const uint32_t *members, size_t count,
                            nd_error *error) {
    const nd_bands_request *r = w->shared->request;
    if (!nd_reserve(&r->run->allocator, &w->keyed, &w->keyed_capacity, count) ||
        !nd_reserve(&r->run->allocator, &w->group, &w->group_capacity, count))
        return nd_fail_memory(error, count * sizeof *w->keyed, "a band's bucket");
    for (size_t i = 0; i < count; i++)
        w->keyed[i] = (keyed_member){r->differ_keys[nd_document_of(r->ranks, members[i])],
                                     members[i]};
    qsort(w->keyed, count, sizeof *w->keyed, by_key);
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t used = 0;
        for (end = begin; end < count && w->keyed[end].key == w->keyed[begin].key; end++)
            w->group[used++] = w->keyed[end].rank;
        ND_TRY(add_group(w, w->group, used, error));
    }
    return ND_OK;
}

/* The function of nd_bucket_sink. */
static nd_status add_bucket(void *context, const uint32_t *members, size_t count, nd_error *error) {
    proposer_worker *w = context;
    return w->shared->request->differ_keys ? add_groups(w, members, count, error)
                                           : add_large(w, members, count, error);
}

/* ---- documents of the index */

/* Collects the members of a bucket that are not copies, as ranks. */
static size_t members_of(const nd_bands_request *r, const uint64_t *words, size_t count,
                         uint32_t *members) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!nd_fates_is_copy(r->fates, (uint32_t)words[i]))
            members[used++] = nd_rank_of(r->ranks, (uint32_t)words[i]);
    return used;
}

/* Adds a large bucket: `used` members of the run, and `found` documents of the index; at most
 * `left_out` more documents of the index are in it. */
static nd_status add_indexed_bucket(proposer_worker *w, size_t used, size_t found,
                                    uint64_t left_out, nd_error *error) {
    nd_candidates *out = w->shared->out;
    pthread_mutex_lock(&w->shared->lock);
    uint32_t bucket = out->large_buckets;
    nd_status status = nd_candidates_add_bucket(out, w->members, used, error);
    if (status == ND_OK)
        status = nd_candidates_add_indexed(out, bucket, w->indexed, found, left_out, error);
    pthread_mutex_unlock(&w->shared->lock);
    return status;
}

/* Proposes a bucket that has documents of the run and of the index: as pairs if the documents of
 * the index are few, else as a large bucket. `words`: the documents of the run. Lookup number
 * `lookup` found the documents of the index. */
static nd_status propose_indexed_bucket(proposer_worker *w, size_t lookup, const uint64_t *words,
                                        size_t count, nd_error *error) {
    const nd_bands_request *r = w->shared->request;
    uint64_t total = w->lookup_context.totals[lookup];
    size_t used = members_of(r, words, count, w->members), found;
    if (total == 0 || used == 0) return ND_OK;
    size_t most = total <= ND_SMALL_BUCKET ? ND_SMALL_BUCKET : r->plan->max_compare;
    if (!nd_reserve(&r->run->allocator, &w->indexed, &w->indexed_capacity, most))
        return nd_fail_memory(error, most * sizeof *w->indexed, "a band's bucket");
    ND_TRY(nd_store_bucket_documents(r->store, &w->lookup_context, lookup, most, w->indexed, &found,
                                     error));
    if (found == 0) return ND_OK; /* all of them are removed or replaced */
    if (total > ND_SMALL_BUCKET)
        return add_indexed_bucket(w, used, found, found < most ? 0 : total - found, error);
    for (size_t i = 0; i < used; i++)
        for (size_t j = 0; j < found; j++) ND_TRY(add_pair(w, w->members[i], w->indexed[j], error));
    return ND_OK;
}

/* The keys of a part ascend, and so do their slots in the tables of the index. So looking up many
 * keys is one sweep over a table, and looking up few keys touches only their slots. */
static nd_status propose_indexed(proposer_worker *w, size_t part, nd_error *error) {
    const nd_store *store = w->shared->request->store;
    nd_band_lookup lookups[LOOKUPS];
    size_t begins[LOOKUPS + 1];
    for (size_t at = 0; at < w->part.count;) {
        size_t count = 0;
        for (; at < w->part.count && count < LOOKUPS; count++) {
            begins[count] = at;
            lookups[count] = (nd_band_lookup){(uint32_t)(part >> ND_BAND_PART_BITS),
                                              nd_band_number_of(part, w->part.words[at])};
            for (uint64_t key = w->part.words[at] >> 32;
                 at < w->part.count && w->part.words[at] >> 32 == key;)
                at++;
        }
        begins[count] = at;
        ND_TRY(nd_store_look_up(store, &w->lookup_context, lookups, count, error));
        for (size_t i = 0; i < count; i++)
            ND_TRY(propose_indexed_bucket(w, i, w->part.words + begins[i],
                                          begins[i + 1] - begins[i], error));
    }
    return ND_OK;
}

/* ---- the parts */

static nd_status propose_part(proposer_worker *w, size_t part, nd_error *error) {
    const nd_bands_request *r = w->shared->request;
    ND_TRY(nd_key_sort_load(r->band_keys, part, &w->part, error));
    if (!nd_reserve(&r->run->allocator, &w->members, &w->member_capacity, w->part.count))
        return nd_fail_memory(error, w->part.count * sizeof *w->members, "a band's bucket");
    if (r->store) ND_TRY(propose_indexed(w, part, error));
    nd_bucket_filter filter = {r->fates->copies, r->ranks->rank_of, r->ranks->base};
    nd_bucket_sink sink = {w, add_pair, add_bucket};
    return nd_bucket_scan(w->part.words, w->part.count, &filter, w->members, &sink, error);
}

static nd_status propose_parts(proposer_worker *w, uint32_t index, nd_error *error) {
    proposer *shared = w->shared;
    const nd_bands_request *r = shared->request;
    size_t parts = nd_key_sort_parts(r->band_keys);
    while (!atomic_load(&shared->failed)) {
        size_t part = atomic_fetch_add(&shared->next_part, 1);
        if (part >= parts) break;
        ND_TRY(propose_part(w, part, error));
        size_t done = atomic_fetch_add(&shared->done, 1) + 1;
        if (index == 0)
            ND_TRY(nd_progress_report(r->run->progress, ND_STAGE_MATCH, done, parts, error));
    }
    return flush_pairs(w, error);
}

static nd_status propose_run(void *context, uint32_t index, nd_error *error) {
    proposer *shared = context;
    const nd_allocator *a = &shared->request->run->allocator;
    proposer_worker *w = nd_allocate_zero(a, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "candidates");
    w->shared = shared;
    nd_lookup_context_init(&w->lookup_context, a);
    w->lookup_context.hidden = shared->request->replaced;
    nd_status status = propose_parts(w, index, error);
    if (status != ND_OK) atomic_store(&shared->failed, true);
    nd_part_buffer_free(a, &w->part);
    nd_lookup_context_free(&w->lookup_context);
    nd_release(a, w->indexed);
    nd_release(a, w->keyed);
    nd_release(a, w->group);
    nd_release(a, w->members);
    nd_release(a, w);
    return status;
}

nd_status nd_propose_by_bands(const nd_bands_request *r, nd_candidates *out, nd_error *error) {
    ND_TRY(nd_candidates_init(out, r->run, r->ranks, error));
    proposer shared = {.request = r, .out = out};
    pthread_mutex_init(&shared.lock, NULL);
    nd_status status = nd_run_workers(&r->run->allocator, r->run->threads, propose_run, &shared,
                                      error);
    pthread_mutex_destroy(&shared.lock);
    return status;
}
