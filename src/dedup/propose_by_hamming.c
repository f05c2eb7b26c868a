/* Stage "match" with fingerprints: all pairs within k, by a join, to candidates sorted by the later
 * document.
 *
 * Documents with one fingerprint are a *group*. Up to ND_SMALL_BUCKET of them give their pairs;
 * more are a wide bucket. A pair of near fingerprints stands for the pairs of their groups; where
 * one of these is a bucket the other's documents join it, so that the work stays linear, however
 * wide it is. Of a document with very many neighbours the first ones are taken
 * (first_neighbours.h). */
#include "job/simhash_pass.h"

#include "dedup/candidates.h"
#include "sketch/bucket_scan.h"
#include "hamming/hamming_join.h"

#define NO_BUCKET UINT32_MAX

typedef struct equal_group {
    uint32_t begin, count; /* of its members */
    uint32_t bucket;       /* NO_BUCKET: it is small */
} equal_group;

typedef struct near_proposer {
    nd_job *job;
    uint32_t *group_of; /* by the first rank of a group: its number + 1; NULL: there is none */
    equal_group *groups;
    uint32_t *members; /* ranks, ascending within a group */
    size_t group_count, group_capacity, member_count, member_capacity;
    uint64_t told; /* pairs since the last progress */
} near_proposer;

/* ---- groups of equal fingerprints */

static nd_status propose_equal(near_proposer *p, const uint32_t *ranks, size_t count,
                               uint32_t *bucket, nd_error *error) {
    *bucket = NO_BUCKET;
    if (count > ND_SMALL_BUCKET) {
        *bucket = p->job->wide_buckets;
        return nd_job_add_wide(p->job, ranks, count, error);
    }
    for (size_t later = 1; later < count; later++)
        for (size_t earlier = 0; earlier < later; earlier++)
            ND_TRY(nd_job_add_pair(p->job, ranks[later], ranks[earlier], error));
    return ND_OK;
}

static nd_status take_equal(void *context, uint32_t set, const uint32_t *ranks, size_t count,
                            nd_error *error) {
    (void)set;
    near_proposer *p = context;
    nd_job *job = p->job;
    uint32_t bucket;
    ND_TRY(propose_equal(p, ranks, count, &bucket, error));
    if (!p->group_of)
        p->group_of = nd_allocate_zero(&job->allocator, (size_t)job->documents.count,
                                       sizeof *p->group_of);
    if (!p->group_of ||
        !nd_reserve(&job->allocator, &p->groups, &p->group_capacity, p->group_count + 1) ||
        !nd_reserve(&job->allocator, &p->members, &p->member_capacity, p->member_count + count))
        return nd_fail_memory(error, count * sizeof *ranks, "equal fingerprints");
    memcpy(p->members + p->member_count, ranks, count * sizeof *ranks);
    p->groups[p->group_count] = (equal_group){(uint32_t)p->member_count, (uint32_t)count, bucket};
    p->group_of[ranks[0]] = (uint32_t)++p->group_count;
    p->member_count += count;
    return ND_OK;
}

/* ---- pairs of near ones */

/* The documents that a rank stands for. */
typedef struct near_group {
    const uint32_t *ranks;
    size_t count;
    uint32_t bucket;
} near_group;

static near_group group_of(const near_proposer *p, const uint32_t *rank) {
    uint32_t number = p->group_of ? p->group_of[*rank] : 0;
    if (number == 0) return (near_group){rank, 1, NO_BUCKET};
    const equal_group *g = &p->groups[number - 1];
    return (near_group){p->members + g->begin, g->count, g->bucket};
}

static nd_status pair_groups(near_proposer *p, const near_group *a, const near_group *b,
                             nd_error *error) {
    nd_job *job = p->job;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            uint32_t x = a->ranks[i], y = b->ranks[j], earlier = x < y ? x : y,
                     later = x < y ? y : x;
            bool taken;
            ND_TRY(nd_first_neighbours_take(&job->neighbours, later, earlier, 1, &taken, error));
            if (taken) ND_TRY(nd_job_add_pair(job, later, earlier, error));
        }
    return ND_OK;
}

static nd_status take_near(near_proposer *p, const nd_hamming_pair *pair, nd_error *error) {
    nd_job *job = p->job;
    near_group a = group_of(p, &pair->a), b = group_of(p, &pair->b);
    if (a.bucket == NO_BUCKET && b.bucket == NO_BUCKET) return pair_groups(p, &a, &b, error);
    bool taken;
    ND_TRY(nd_first_neighbours_take(&job->neighbours, pair->b, pair->a, (uint64_t)a.count * b.count,
                                    &taken, error));
    if (!taken) return ND_OK;
    return a.bucket != NO_BUCKET ? nd_job_join_wide(job, a.bucket, b.ranks, b.count, error)
                                 : nd_job_join_wide(job, b.bucket, a.ranks, a.count, error);
}

static nd_status take_pairs(void *context, const nd_hamming_pair *pairs, size_t count,
                            nd_error *error) {
    enum { PROGRESS_PAIRS = 1 << 20 };
    near_proposer *p = context;
    for (size_t i = 0; i < count; i++) ND_TRY(take_near(p, &pairs[i], error));
    p->told += count;
    if (p->told < PROGRESS_PAIRS) return ND_OK;
    p->told = 0;
    return nd_progress_tell(&p->job->progress, ND_STAGE_MATCH, 0, 0, error);
}

/* ---- the stage */

/* In the order of rank; copies take no part. */
static nd_status put_fingerprints(nd_job *job, nd_hamming_join *join, nd_error *error) {
    enum { ASKED = 4096 };
    for (uint64_t rank = 0; rank < job->documents.count; rank++) {
        uint32_t document = nd_job_document(job, (uint32_t)rank);
        unsigned char scratch[16];
        const void *sketch;
        if (rank % ASKED == 0) ND_TRY(nd_progress_ask(&job->progress, error));
        if (nd_job_is_copy(job, document)) continue;
        ND_TRY(nd_spool_view(&job->sketches, job->sketch_size,
                             (uint64_t)document * job->sketch_size, scratch, &sketch, error));
        ND_TRY(nd_hamming_join_put(join, 0, nd_fingerprint_of_sketch(sketch, job->sketch_size),
                                   (uint32_t)rank, error));
    }
    return ND_OK;
}

nd_status nd_job_propose_near(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    size_t documents = (size_t)job->documents.count;
    nd_hamming_join *join = NULL;
    near_proposer p = {.job = job};
    nd_hamming_join_sink sink = {&p, take_equal, take_pairs};
    ND_TRY(nd_job_open_candidates(job, error));
    ND_TRY(nd_first_neighbours_init(&job->neighbours, &job->allocator, documents, o->max_compare,
                                    error));
    nd_hamming_join_settings settings = {.bits = o->simhash.bits,
                                         .k = o->k,
                                         .threads = job->threads,
                                         .expected = documents,
                                         .memory_limit = nd_job_share(job, SHARE_BANDS)};
    nd_status status = nd_hamming_join_create(&settings, &job->disk, &job->allocator, &join, error);
    if (status == ND_OK) status = put_fingerprints(job, join, error);
    if (status == ND_OK) status = nd_hamming_join_run(join, &sink, error);
    nd_hamming_join_free(join);
    nd_release(&job->allocator, p.group_of);
    nd_release(&job->allocator, p.groups);
    nd_release(&job->allocator, p.members);
    job->summary.wide_buckets = job->wide_buckets;
    return status;
}
