#include "dedup/candidate_blocks.h"

#include "base/radix_sort.h"

nd_status nd_candidate_block_init(nd_candidate_block *x, const nd_allocator *allocator,
                                  nd_error *error) {
    *x = (nd_candidate_block){
        .pair_begin = nd_allocate(allocator, ND_DECIDE_BLOCK + 1, sizeof *x->pair_begin),
        .posting_begin = nd_allocate(allocator, ND_DECIDE_BLOCK + 1, sizeof *x->posting_begin)};
    if (x->pair_begin && x->posting_begin) return ND_OK;
    return nd_fail_memory(error, ND_DECIDE_BLOCK * sizeof *x->pair_begin, "a block");
}

void nd_candidate_block_free(nd_candidate_block *x, const nd_allocator *a) {
    nd_release(a, x->pair_begin);
    nd_release(a, x->posting_begin);
    nd_release(a, x->earlier);
    nd_release(a, x->bucket_members);
    nd_release(a, x->before);
    nd_part_buffer_free(a, &x->pairs);
    nd_part_buffer_free(a, &x->postings);
    nd_part_buffer_free(a, &x->by_bucket);
}

/* ---- loading */

/* Sets begin[] for sorted words that have the rank in their upper half: by rank - x->begin, the
 * index of the rank's first word. */
static void index_by_rank(const nd_candidate_block *x, const nd_part_buffer *sorted,
                          uint32_t *begin) {
    size_t i = 0;
    for (uint32_t rank = x->begin; rank < x->end; rank++) {
        begin[rank - x->begin] = (uint32_t)i;
        while (i < sorted->count && sorted->words[i] >> 32 == rank) i++;
    }
    begin[x->end - x->begin] = (uint32_t)i;
}

static nd_status load_pairs(nd_candidate_block *x, const nd_candidates *c, size_t part,
                            nd_error *error) {
    nd_part_buffer *pairs = &x->pairs;
    ND_TRY(nd_external_sort_load(c->pairs, part, 0, pairs, error));
    size_t unique = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (i == 0 || pairs->words[i] != pairs->words[i - 1])
            pairs->words[unique++] = pairs->words[i];
    pairs->count = unique;
    if (!nd_reserve(&c->allocator, &x->earlier, &x->earlier_capacity, unique))
        return nd_fail_memory(error, unique * 4, "candidate pairs");
    for (size_t i = 0; i < unique; i++) x->earlier[i] = (uint32_t)pairs->words[i];
    index_by_rank(x, pairs, x->pair_begin);
    return ND_OK;
}

/* Loads the postings, sorted by rank, and sorts them by bucket, too. So a document finds the
 * earlier members of its large buckets in the block. */
static nd_status load_postings(nd_candidate_block *x, const nd_candidates *c, size_t part,
                               nd_error *error) {
    const nd_allocator *a = &c->allocator;
    ND_TRY(nd_external_sort_load(c->postings, part, 0, &x->postings, error));
    size_t count = x->postings.count;
    nd_part_buffer *b = &x->by_bucket;
    if (!nd_reserve(a, &b->words, &b->capacity, count) ||
        !nd_reserve(a, &b->scratch, &b->scratch_capacity, count) ||
        !nd_reserve(a, &x->bucket_members, &x->member_capacity, count) ||
        !nd_reserve(a, &x->before, &x->before_capacity, count))
        return nd_fail_memory(error, count * 24, "large buckets");
    /* Postings ascend by rank, so the index of a posting keeps this order within a bucket. */
    for (size_t i = 0; i < count; i++) b->words[i] = x->postings.words[i] << 32 | i;
    nd_radix_sort(b->words, b->scratch, count, 32);
    uint32_t begin = 0;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t posting = (uint32_t)b->words[p];
        if (b->words[p] >> 32 != b->words[begin] >> 32) begin = p;
        x->before[posting] = (nd_member_range){begin, p};
        x->bucket_members[p] = (uint32_t)(x->postings.words[posting] >> 32);
    }
    b->count = count;
    index_by_rank(x, &x->postings, x->posting_begin);
    return ND_OK;
}

nd_status nd_candidate_block_load(nd_candidate_block *x, const nd_candidates *c, uint32_t documents,
                                  size_t part, nd_error *error) {
    uint64_t begin = (uint64_t)part * ND_DECIDE_BLOCK, end = begin + ND_DECIDE_BLOCK;
    x->begin = x->end = c->base + documents;
    if (begin >= documents) return ND_OK;
    x->begin = c->base + (uint32_t)begin;
    x->end = c->base + (uint32_t)(end < documents ? end : documents);
    ND_TRY(load_pairs(x, c, part, error));
    return load_postings(x, c, part, error);
}

/* ---- the candidates of a document */

/* Elements [begin, end) of an array of ranks; empty if begin >= end. */
typedef struct part {
    const uint32_t *ranks;
    size_t begin, end;
    bool large; /* this and the next members: as in nd_candidate_list */
    const uint32_t *own;
    uint32_t bucket;
} part;

static void add_list(nd_candidate_list *lists, size_t *count, part p) {
    if (p.begin >= p.end) return;
    nd_candidate_list *list = &lists[*count];
    *list = (nd_candidate_list){p.ranks + p.begin, p.ranks + p.end, p.large, p.own, p.bucket};
    nd_candidate_list_skip(list);
    *count += list->next < list->end;
}

/* The own buckets of a large bucket's members, if these matter for the document of a rank. */
static const uint32_t *own_of(const nd_candidates *c, uint32_t rank, uint32_t bucket) {
    return c->own && c->own[rank] != bucket ? c->own : NULL;
}

/* Returns the index of a document's first pair that has its earlier rank inside the block. */
static uint32_t first_inside(const nd_candidate_block *x, uint32_t rank) {
    uint32_t i = x->pair_begin[rank - x->begin], end = x->pair_begin[rank - x->begin + 1];
    while (i < end && x->earlier[i] < x->begin) i++;
    return i;
}

size_t nd_candidates_before(const nd_candidate_block *x, const nd_candidates *c,
                            const nd_postings *kept, uint32_t rank, nd_candidate_list *lists,
                            uint64_t *left_out) {
    size_t count = 0;
    uint32_t k = rank - x->begin;
    add_list(lists, &count,
             (part){x->earlier, x->pair_begin[k], first_inside(x, rank),
                    nd_has_many_neighbours(&c->neighbours, rank), NULL, 0});
    *left_out = nd_neighbours_left_out(&c->neighbours, rank);
    for (uint32_t p = x->posting_begin[k]; p < x->posting_begin[k + 1]; p++) {
        uint32_t bucket = (uint32_t)x->postings.words[p];
        const nd_posting_list *list = &kept->lists[bucket];
        add_list(lists, &count,
                 (part){list->members, 0, list->count, true, own_of(c, rank, bucket), bucket});
        *left_out += list->left_out;
    }
    return count;
}

size_t nd_candidates_inside(const nd_candidate_block *x, const nd_candidates *c, uint32_t rank,
                            nd_candidate_list *lists) {
    size_t count = 0;
    uint32_t k = rank - x->begin;
    add_list(lists, &count,
             (part){x->earlier, first_inside(x, rank), x->pair_begin[k + 1],
                    nd_has_many_neighbours(&c->neighbours, rank), NULL, 0});
    for (uint32_t p = x->posting_begin[k]; p < x->posting_begin[k + 1]; p++) {
        uint32_t bucket = (uint32_t)x->postings.words[p];
        add_list(lists, &count,
                 (part){x->bucket_members, x->before[p].begin, x->before[p].end, true,
                        own_of(c, rank, bucket), bucket});
    }
    return count;
}
