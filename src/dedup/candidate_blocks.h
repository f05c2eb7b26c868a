/* The candidates of a block of documents, which are decided together: loaded from the sorters of
 * nd_candidates, and given out as sorted lists, document by document. */
#ifndef ND_DEDUP_CANDIDATE_BLOCKS_H
#define ND_DEDUP_CANDIDATE_BLOCKS_H

#include "dedup/candidate_merge.h"
#include "dedup/candidates.h"
#include "dedup/posting_lists.h"

/* The members of a document's large bucket that stand before it in the block: bucket_members[begin,
 * end). */
typedef struct nd_member_range {
    uint32_t begin, end;
} nd_member_range;

/* Zeros at first; reused from block to block. Const between two loads. */
typedef struct nd_candidate_block {
    uint32_t begin, end; /* ranks */
    nd_part_buffer pairs, postings;
    nd_part_buffer by_bucket; /* bucket << 32 | index of the posting */
    uint32_t *earlier;        /* the earlier rank of each pair, each pair once */
    uint32_t *bucket_members; /* ranks, by bucket */
    nd_member_range *before;  /* of each posting */
    uint32_t *pair_begin;     /* by rank - begin, and one more: the first pair */
    uint32_t *posting_begin;  /* by rank - begin, and one more: the first posting */
    size_t earlier_capacity, member_capacity, before_capacity;
} nd_candidate_block;

nd_status nd_candidate_block_init(nd_candidate_block *block, const nd_allocator *allocator,
                                  nd_error *error);
void nd_candidate_block_free(nd_candidate_block *block, const nd_allocator *allocator);

/* The block of part `part` of the sorters; an empty one behind the last document. Any number of
 * threads, each with its block. */
nd_status nd_candidate_block_load(nd_candidate_block *block, const nd_candidates *candidates,
                                  uint32_t documents, size_t part, nd_error *error);

static inline bool nd_candidate_block_has(const nd_candidate_block *x, uint32_t rank) {
    uint32_t k = rank - x->begin;
    return x->pair_begin[k] < x->pair_begin[k + 1] || x->posting_begin[k] < x->posting_begin[k + 1];
}

/* The large buckets of a document: (*postings)[0, returned count). */
static inline size_t nd_candidate_block_buckets(const nd_candidate_block *x, uint32_t rank,
                                                const uint64_t **postings) {
    uint32_t k = rank - x->begin;
    size_t count = x->posting_begin[k + 1] - x->posting_begin[k];
    *postings = count > 0 ? x->postings.words + x->posting_begin[k] : NULL;
    return count;
}

/* Candidates before the block, as lists; `lists` has room for one more than the document's large
 * buckets. *left_out: kept members of large buckets that their lists no longer hold, and near
 * fingerprints that are too many. Returns the number of lists. */
size_t nd_candidates_before(const nd_candidate_block *block, const nd_candidates *candidates,
                            const nd_postings *kept, uint32_t rank, nd_candidate_list *lists,
                            uint64_t *left_out);
/* Candidates inside the block, kept or not. */
size_t nd_candidates_inside(const nd_candidate_block *block, const nd_candidates *candidates,
                            uint32_t rank, nd_candidate_list *lists);

#endif
