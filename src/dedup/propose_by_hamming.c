#include "dedup/propose_by_hamming.h"

#include "hamming/hamming_join.h"
#include "sketch/bucket_scan.h"

#include <string.h>

/* Documents with the same fingerprint are a *group*. A group of up to ND_SMALL_BUCKET documents
 * gives their pairs; a larger group is a large bucket. A pair of near fingerprints stands for the
 * pairs of their two groups. If one of the groups is a large bucket, the documents of the other are
 * added to it, so that the work stays linear in the size of the group. If a document has very many
 * neighbours, only the first ones are candidates (first_neighbours.h). */

#define NO_BUCKET UINT32_MAX

typedef struct equal_group {
    uint32_t begin, count; /* members[begin, begin + count) */
    uint32_t bucket;       /* number of the large bucket; NO_BUCKET: the group is small */
} equal_group;

typedef struct near_proposer {
    const nd_hamming_request *request;
    nd_candidates *out;
    uint32_t *group_of; /* by the first rank of a group: the group's number + 1; NULL: there are no
                           groups */
    equal_group *groups;
    uint32_t *members; /* ranks, ascending within a group */
    size_t group_count, group_capacity, member_count, member_capacity;
    uint64_t since; /* pairs since the last progress report */
} near_proposer;

/* ---- groups of equal fingerprints */

static nd_status propose_equal(near_proposer *p, const uint32_t *ranks, size_t count,
                               uint32_t *bucket, nd_error *error) {
    *bucket = NO_BUCKET;
    if (count > ND_SMALL_BUCKET) {
        *bucket = p->out->large_buckets;
        return nd_candidates_add_bucket(p->out, ranks, count, error);
    }
    for (size_t later = 1; later < count; later++)
        for (size_t earlier = 0; earlier < later; earlier++)
            ND_TRY(nd_candidates_add_pair(p->out, ranks[later], ranks[earlier], error));
    return ND_OK;
}

static nd_status add_group(void *context, uint32_t set, const uint32_t *ranks, size_t count,
                           nd_error *error) {
    (void)set;
    near_proposer *p = context;
    const nd_allocator *a = &p->request->run->allocator;
    uint32_t bucket;
    ND_TRY(propose_equal(p, ranks, count, &bucket, error));
    if (!p->group_of)
        p->group_of = nd_allocate_zero(a, p->request->ranks->count, sizeof *p->group_of);
    if (!p->group_of || !nd_reserve(a, &p->groups, &p->group_capacity, p->group_count + 1) ||
        !nd_reserve(a, &p->members, &p->member_capacity, p->member_count + count))
        return nd_fail_memory(error, count * sizeof *ranks, "equal fingerprints");
    memcpy(p->members + p->member_count, ranks, count * sizeof *ranks);
    p->groups[p->group_count] = (equal_group){(uint32_t)p->member_count, (uint32_t)count, bucket};
    p->group_of[ranks[0]] = (uint32_t)++p->group_count;
    p->member_count += count;
    return ND_OK;
}

/* ---- pairs of near fingerprints */

/* The documents for which a rank of the join stands. */
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
    nd_candidates *out = p->out;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            uint32_t x = a->ranks[i], y = b->ranks[j], earlier = x < y ? x : y,
                     later = x < y ? y : x;
            bool taken;
            ND_TRY(nd_first_neighbours_take(&out->neighbours, later, earlier, 1, &taken, error));
            if (taken) ND_TRY(nd_candidates_add_pair(out, later, earlier, error));
        }
    return ND_OK;
}

static nd_status add_near(near_proposer *p, const nd_numbered_pair *pair, nd_error *error) {
    nd_candidates *out = p->out;
    near_group a = group_of(p, &pair->a), b = group_of(p, &pair->b);
    if (a.bucket == NO_BUCKET && b.bucket == NO_BUCKET) return pair_groups(p, &a, &b, error);
    bool taken;
    ND_TRY(nd_first_neighbours_take(&out->neighbours, pair->b, pair->a, (uint64_t)a.count * b.count,
                                    &taken, error));
    if (!taken) return ND_OK;
    return a.bucket != NO_BUCKET
               ? nd_candidates_join_bucket(out, a.bucket, b.ranks, b.count, error)
               : nd_candidates_join_bucket(out, b.bucket, a.ranks, a.count, error);
}

static nd_status add_pairs(void *context, const nd_numbered_pair *pairs, size_t count,
                           nd_error *error) {
    enum { PROGRESS_PAIRS = 1 << 20 };
    near_proposer *p = context;
    for (size_t i = 0; i < count; i++) ND_TRY(add_near(p, &pairs[i], error));
    p->since += count;
    if (p->since < PROGRESS_PAIRS) return ND_OK;
    p->since = 0;
    return nd_progress_report(p->request->run->progress, ND_STAGE_MATCH, 0, 0, error);
}

/* ---- the stage */

/* Adds the fingerprints to the join in the order of rank, so that ranks are the numbers of the
 * join. */
static nd_status add_fingerprints(const nd_hamming_request *r, nd_hamming_joiner *join,
                                  nd_error *error) {
    enum { PROGRESS_DOCUMENTS = 4096 };
    size_t size = r->columns->sketch_size;
    for (uint32_t rank = 0; rank < r->ranks->count; rank++) {
        uint32_t document = nd_document_of(r->ranks, rank);
        unsigned char scratch[16];
        const void *sketch;
        if (rank % PROGRESS_DOCUMENTS == 0) ND_TRY(nd_progress_poll(r->run->progress, error));
        if (nd_fates_is_copy(r->fates, document)) continue;
        ND_TRY(nd_columns_sketch(r->columns, document, scratch, &sketch, error));
        ND_TRY(nd_hamming_joiner_put(join, 0, nd_fingerprint_load(sketch, size), rank, error));
    }
    return ND_OK;
}

nd_status nd_propose_by_hamming(const nd_hamming_request *r, nd_candidates *out, nd_error *error) {
    const nd_run *run = r->run;
    nd_hamming_joiner *join = NULL;
    near_proposer p = {.request = r, .out = out};
    nd_hamming_joiner_sink sink = {&p, add_group, add_pairs};
    ND_TRY(nd_candidates_init(out, run, r->ranks, error));
    ND_TRY(nd_first_neighbours_init(&out->neighbours, &run->allocator, r->ranks->count,
                                    r->plan->max_compare, error));
    nd_hamming_joiner_settings settings = {
        .bits = r->plan->simhash.bits,
        .k = r->plan->k,
        .threads = run->threads,
        .expected = r->ranks->count,
        .memory_limit = nd_memory_share(&run->budget, ND_MEMORY_HAMMING_JOIN)};
    nd_status status = nd_hamming_joiner_create(&settings, run->space, &run->allocator, &join,
                                                error);
    if (status == ND_OK) status = add_fingerprints(r, join, error);
    if (status == ND_OK) status = nd_hamming_joiner_run(join, &sink, error);
    nd_hamming_joiner_free(join);
    nd_release(&run->allocator, p.group_of);
    nd_release(&run->allocator, p.groups);
    nd_release(&run->allocator, p.members);
    return status;
}
