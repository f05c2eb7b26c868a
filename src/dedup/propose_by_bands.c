/* Stage "match": band parts one by one, in parallel, to candidates sorted by the later document. */
#include "dedup/candidates.h"

#include "base/workers.h"
#include "sketch/band_key.h"
#include "sketch/bucket_scan.h"

#include <string.h>

/* Words that a worker collects before it takes the lock of the sorters. */
enum { BATCH = 2048 };

/* Keys that are looked up in an index together. */
enum { LOOKUPS = ND_CLOSE_LOOKUPS };

typedef struct proposer {
    nd_job *job;
    pthread_mutex_t lock;
    atomic_size_t next_part;
    atomic_bool failed;
    atomic_size_t done;
} proposer;

typedef struct batch {
    uint64_t words[BATCH];
    size_t count;
} batch;

typedef struct proposer_worker {
    proposer *shared;
    nd_part_buffer part;
    uint32_t *members;
    size_t member_capacity;
    batch pairs;
    nd_store_probe probe; /* of the index */
    uint32_t *indexed;
    size_t indexed_capacity;
} proposer_worker;

static nd_status flush_pairs(proposer_worker *w, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&w->shared->lock);
    for (size_t i = 0; status == ND_OK && i < w->pairs.count; i++)
        status = nd_job_add_pair(w->shared->job, (uint32_t)(w->pairs.words[i] >> 32),
                                 (uint32_t)w->pairs.words[i], error);
    pthread_mutex_unlock(&w->shared->lock);
    w->pairs.count = 0;
    return status;
}

static nd_status take_pair(void *context, uint32_t later, uint32_t earlier, nd_error *error) {
    proposer_worker *w = context;
    w->pairs.words[w->pairs.count++] = (uint64_t)later << 32 | earlier;
    return w->pairs.count == BATCH ? flush_pairs(w, error) : ND_OK;
}

static nd_status take_wide(void *context, const uint32_t *members, size_t count, nd_error *error) {
    proposer *shared = ((proposer_worker *)context)->shared;
    pthread_mutex_lock(&shared->lock);
    nd_status status = nd_job_add_wide(shared->job, members, count, error);
    pthread_mutex_unlock(&shared->lock);
    return status;
}

/* ---- documents of the index */

/* The members of a bucket that are no copies, as ranks. */
static size_t members_of(const nd_job *job, const uint64_t *words, size_t count,
                         uint32_t *members) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!nd_job_is_copy(job, (uint32_t)words[i]))
            members[used++] = nd_job_rank(job, (uint32_t)words[i]);
    return used;
}

/* Under the lock: a wide bucket whose list begins with documents of the index. */
static nd_status add_indexed_bucket(nd_job *job, const uint32_t *members, size_t count,
                                    const uint32_t *indexed, size_t indexed_count, uint64_t total,
                                    nd_error *error) {
    uint32_t head[3] = {job->wide_buckets, (uint32_t)(total - indexed_count),
                        (uint32_t)indexed_count};
    if (!nd_reserve(&job->allocator, &job->wide_indexed, &job->wide_indexed_capacity,
                    job->wide_indexed_count + 3 + indexed_count))
        return nd_fail_memory(error, indexed_count * sizeof *indexed, "wide buckets");
    memcpy(job->wide_indexed + job->wide_indexed_count, head, sizeof head);
    memcpy(job->wide_indexed + job->wide_indexed_count + 3, indexed,
           indexed_count * sizeof *indexed);
    job->wide_indexed_count += 3 + indexed_count;
    return nd_job_add_wide(job, members, count, error);
}

/* A bucket of the job with entries in the index: pairs where these are few, else a wide bucket. */
static nd_status take_indexed(proposer_worker *w, size_t lookup, const uint64_t *words,
                              size_t count, nd_error *error) {
    nd_job *job = w->shared->job;
    uint64_t total = w->probe.totals[lookup];
    size_t used = members_of(job, words, count, w->members), found;
    if (total == 0 || used == 0) return ND_OK;
    size_t most = total <= ND_SMALL_BUCKET ? ND_SMALL_BUCKET : job->options.max_compare;
    if (!nd_reserve(&job->allocator, &w->indexed, &w->indexed_capacity, most))
        return nd_fail_memory(error, most * sizeof *w->indexed, "a band's bucket");
    ND_TRY(nd_store_members(job->store, &w->probe, lookup, most, w->indexed, &found, error));
    if (total > ND_SMALL_BUCKET) {
        pthread_mutex_lock(&w->shared->lock);
        nd_status status = add_indexed_bucket(job, w->members, used, w->indexed, found, total,
                                              error);
        pthread_mutex_unlock(&w->shared->lock);
        return status;
    }
    for (size_t i = 0; i < used; i++)
        for (size_t j = 0; j < found; j++)
            ND_TRY(take_pair(w, w->members[i], w->indexed[j], error));
    return ND_OK;
}

/* The keys of a part ascend, and so do their places in the tables of the index: much is read in
 * order, little is read where it is needed. */
static nd_status propose_indexed(proposer_worker *w, size_t part, nd_error *error) {
    nd_job *job = w->shared->job;
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
        ND_TRY(nd_store_look_up(job->store, &w->probe, lookups, count, error));
        for (size_t i = 0; i < count; i++)
            ND_TRY(take_indexed(w, i, w->part.words + begins[i], begins[i + 1] - begins[i], error));
    }
    return ND_OK;
}

/* ---- the parts */

static nd_status propose_part(proposer_worker *w, size_t part, nd_error *error) {
    nd_job *job = w->shared->job;
    /* Words of a part came in the order of documents, so only the keys are left to sort. */
    ND_TRY(nd_part_sorter_load(job->bands, part, 32, &w->part, error));
    if (!nd_reserve(&job->allocator, &w->members, &w->member_capacity, w->part.count))
        return nd_fail_memory(error, w->part.count * sizeof *w->members, "a band's bucket");
    if (job->store) ND_TRY(propose_indexed(w, part, error));
    nd_bucket_filter filter = {job->copies, job->rank_of, job->base};
    nd_bucket_sink sink = {w, take_pair, take_wide};
    return nd_bucket_scan(w->part.words, w->part.count, &filter, w->members, &sink, error);
}

static nd_status propose_run(void *context, uint32_t index, nd_error *error) {
    proposer *shared = context;
    nd_job *job = shared->job;
    size_t parts = nd_part_sorter_parts(job->bands);
    proposer_worker *w = nd_allocate_zero(&job->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "candidates");
    w->shared = shared;
    nd_store_probe_init(&w->probe, &job->allocator);
    nd_status status = ND_OK;
    while (status == ND_OK && !atomic_load(&shared->failed)) {
        size_t part = atomic_fetch_add(&shared->next_part, 1);
        if (part >= parts) break;
        status = propose_part(w, part, error);
        size_t done = atomic_fetch_add(&shared->done, 1) + 1;
        if (status == ND_OK && index == 0)
            status = nd_progress_tell(&job->progress, ND_STAGE_MATCH, done, parts, error);
    }
    if (status == ND_OK) status = flush_pairs(w, error);
    if (status != ND_OK) atomic_store(&shared->failed, true);
    nd_part_buffer_free(&job->allocator, &w->part);
    nd_store_probe_free(&w->probe);
    nd_release(&job->allocator, w->indexed);
    nd_release(&job->allocator, w->members);
    nd_release(&job->allocator, w);
    return status;
}

nd_status nd_job_propose(nd_job *job, nd_error *error) {
    ND_TRY(nd_job_open_candidates(job, error));
    proposer shared = {.job = job};
    pthread_mutex_init(&shared.lock, NULL);
    nd_status status = nd_run_workers(&job->allocator, job->threads, propose_run, &shared, error);
    pthread_mutex_destroy(&shared.lock);
    if (!job->store) {
        nd_part_sorter_free(job->bands);
        job->bands = NULL;
    }
    job->summary.wide_buckets = job->wide_buckets;
    return status;
}
