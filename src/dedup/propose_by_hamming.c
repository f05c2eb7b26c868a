#include "dedup/propose_by_hamming.h"

#include "hamming/hamming_join.h"
#include "sketch/bucket_scan.h"

#include <stdlib.h>
#include <string.h>

/* Documents with the same fingerprint are a *group*. A group of up to ND_SMALL_BUCKET documents
 * gives their pairs; a larger group is a large bucket. A pair of near fingerprints stands for the
 * pairs of their two groups. If one of the groups is a large bucket, the documents of the other are
 * added to it, so that the work stays linear in the size of the group. If a document has very many
 * neighbours, only the first ones are candidates (first_neighbours.h).
 *
 * If a large group has documents that are kept apart (text/differ_by.h), it is cut into groups of
 * equal keys. Otherwise the pages of a template that differ in their numbers would use up
 * max_compare, and duplicates among them would be missed. */

typedef struct equal_group {
    uint32_t begin, count; /* members[begin, begin + count) */
    uint32_t bucket;       /* number of the large bucket; ND_NO_BUCKET: the group is small */
    uint64_t key;          /* of all its documents, if the fingerprint has several groups */
    bool last;             /* of its fingerprint; the groups of one ascend by key */
} equal_group;

typedef struct keyed_rank {
    uint64_t key;
    uint32_t rank;
} keyed_rank;

typedef struct near_proposer {
    const nd_hamming_request *request;
    nd_candidates *out;
    uint32_t *group_of; /* by the first rank of a fingerprint: the number of its first group + 1;
                           NULL: there are no groups */
    equal_group *groups;
    uint32_t *members; /* ranks, ascending within a group */
    keyed_rank *keyed;
    size_t group_count, group_capacity, member_count, member_capacity, keyed_capacity;
    uint64_t since; /* pairs since the last progress report */
} near_proposer;

static uint64_t key_of(const near_proposer *p, uint32_t rank) {
    const uint64_t *keys = p->request->columns->differ_keys;
    return keys ? keys[nd_document_of(p->request->ranks, rank)] : 0;
}

/* ---- groups of equal fingerprints */

static nd_status propose_equal(near_proposer *p, const uint32_t *ranks, size_t count,
                               uint32_t *bucket, nd_error *error) {
    *bucket = ND_NO_BUCKET;
    if (count > ND_SMALL_BUCKET) {
        *bucket = p->out->large_buckets;
        return nd_candidates_add_bucket(p->out, ranks, count, error);
    }
    for (size_t later = 1; later < count; later++)
        for (size_t earlier = 0; earlier < later; earlier++)
            ND_TRY(nd_candidates_add_pair(p->out, ranks[later], ranks[earlier], error));
    return ND_OK;
}

/* Adds members[begin, end) as a group. */
static nd_status add_equal(near_proposer *p, size_t begin, size_t end, bool last, nd_error *error) {
    const nd_allocator *a = &p->request->run->allocator;
    equal_group group = {.begin = (uint32_t)begin,
                         .count = (uint32_t)(end - begin),
                         .key = key_of(p, p->members[begin]),
                         .last = last};
    ND_TRY(propose_equal(p, p->members + begin, end - begin, &group.bucket, error));
    if (!nd_reserve(a, &p->groups, &p->group_capacity, p->group_count + 1))
        return nd_fail_memory(error, sizeof group, "equal fingerprints");
    p->groups[p->group_count++] = group;
    return ND_OK;
}

static int by_key(const void *a, const void *b) {
    const keyed_rank *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Adds the groups of the last `count` members, one for each key. */
static nd_status add_by_key(near_proposer *p, size_t count, nd_error *error) {
    uint32_t *ranks = p->members + p->member_count - count;
    if (!nd_reserve(&p->request->run->allocator, &p->keyed, &p->keyed_capacity, count))
        return nd_fail_memory(error, count * sizeof *p->keyed, "equal fingerprints");
    for (size_t i = 0; i < count; i++) p->keyed[i] = (keyed_rank){key_of(p, ranks[i]), ranks[i]};
    qsort(p->keyed, count, sizeof *p->keyed, by_key);
    for (size_t i = 0; i < count; i++) ranks[i] = p->keyed[i].rank;
    size_t first = p->member_count - count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && p->keyed[end].key == p->keyed[begin].key;) end++;
        ND_TRY(add_equal(p, first + begin, first + end, end == count, error));
    }
    return ND_OK;
}

static nd_status add_group(void *context, uint32_t set, const uint32_t *ranks, size_t count,
                           nd_error *error) {
    (void)set;
    near_proposer *p = context;
    const nd_allocator *a = &p->request->run->allocator;
    if (!p->group_of)
        p->group_of = nd_allocate_zero(a, p->request->ranks->count, sizeof *p->group_of);
    if (!p->group_of || !nd_reserve(a, &p->members, &p->member_capacity, p->member_count + count))
        return nd_fail_memory(error, count * sizeof *ranks, "equal fingerprints");
    memcpy(p->members + p->member_count, ranks, count * sizeof *ranks);
    p->member_count += count;
    p->group_of[ranks[0]] = (uint32_t)p->group_count + 1;
    bool cut = p->request->columns->differ_keys && count > ND_SMALL_BUCKET;
    return cut ? add_by_key(p, count, error)
               : add_equal(p, p->member_count - count, p->member_count, true, error);
}

/* ---- pairs of near fingerprints */

/* The documents for which a rank of the join stands, of one key or, in a small group, of any. */
typedef struct near_group {
    const uint32_t *ranks;
    size_t count;
    uint32_t bucket;
    uint64_t key;
    const equal_group *next; /* of the same fingerprint; NULL: there is none */
} near_group;

static near_group group_at(const near_proposer *p, const equal_group *g) {
    return (near_group){p->members + g->begin, g->count, g->bucket, g->key, g->last ? NULL : g + 1};
}

static near_group first_group(const near_proposer *p, const uint32_t *rank) {
    uint32_t number = p->group_of ? p->group_of[*rank] : 0;
    return number > 0 ? group_at(p, &p->groups[number - 1])
                      : (near_group){rank, 1, ND_NO_BUCKET, key_of(p, *rank), NULL};
}

static nd_status pair_groups(near_proposer *p, const near_group *a, const near_group *b,
                             nd_error *error) {
    nd_candidates *out = p->out;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            uint32_t x = a->ranks[i], y = b->ranks[j], earlier = x < y ? x : y,
                     later = x < y ? y : x;
            bool taken;
            if (key_of(p, x) != key_of(p, y)) {
                out->kept_apart++;
                continue;
            }
            ND_TRY(nd_first_neighbours_take(&out->neighbours, later, earlier, 1, &taken, error));
            if (taken) ND_TRY(nd_candidates_add_pair(out, later, earlier, error));
        }
    return ND_OK;
}

/* Adds the members of a group to the large bucket of another one, if nothing keeps them apart. */
static nd_status join_groups(near_proposer *p, const near_group *large, const near_group *other,
                             nd_error *error) {
    nd_candidates *out = p->out;
    for (size_t begin = 0, end; begin < other->count; begin = end + 1) {
        for (end = begin; end < other->count && key_of(p, other->ranks[end]) == large->key;) end++;
        out->kept_apart += end < other->count ? large->count : 0;
        if (begin == end) continue;
        uint32_t x = large->ranks[0], y = other->ranks[begin];
        bool taken;
        ND_TRY(nd_first_neighbours_take(&out->neighbours, x < y ? y : x, x < y ? x : y,
                                        (uint64_t)large->count * (end - begin), &taken, error));
        if (taken)
            ND_TRY(nd_candidates_join_bucket(out, large->bucket, other->ranks + begin, end - begin,
                                             error));
    }
    return ND_OK;
}

static nd_status add_groups(near_proposer *p, const near_group *a, const near_group *b,
                            nd_error *error) {
    if (a->bucket != ND_NO_BUCKET) return join_groups(p, a, b, error);
    return b->bucket != ND_NO_BUCKET ? join_groups(p, b, a, error) : pair_groups(p, a, b, error);
}

/* Moves to the fingerprint's next group. False: there is none. */
static bool next_group(const near_proposer *p, near_group *g) {
    if (!g->next) return false;
    *g = group_at(p, g->next);
    return true;
}

static uint64_t members_of(const near_proposer *p, near_group g) {
    uint64_t count = g.count;
    while (next_group(p, &g)) count += g.count;
    return count;
}

/* Pairs the groups of two fingerprints that are cut by keys: those of equal keys. */
static nd_status add_by_keys(near_proposer *p, near_group a, near_group b, nd_error *error) {
    uint64_t apart = members_of(p, a) * members_of(p, b);
    for (bool more = true; more;) {
        if (a.key == b.key) {
            ND_TRY(add_groups(p, &a, &b, error));
            apart -= (uint64_t)a.count * b.count;
        }
        more = a.key <= b.key ? next_group(p, &a) : next_group(p, &b);
    }
    p->out->kept_apart += apart;
    return ND_OK;
}

static nd_status add_near(near_proposer *p, const nd_numbered_pair *pair, nd_error *error) {
    near_group a = first_group(p, &pair->a), b = first_group(p, &pair->b);
    if (a.next && b.next) return add_by_keys(p, a, b, error);
    near_group *cut = b.next ? &b : &a, *other = b.next ? &a : &b;
    do ND_TRY(add_groups(p, cut, other, error));
    while (next_group(p, cut));
    return ND_OK;
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
    nd_release(&run->allocator, p.keyed);
    return status;
}
