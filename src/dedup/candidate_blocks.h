/* The candidates of a block of documents, which are decided together. They are loaded from the
 * sorters of nd_candidates, and returned as sorted lists, document by document. */
#ifndef ND_DEDUP_CANDIDATE_BLOCKS_H
#define ND_DEDUP_CANDIDATE_BLOCKS_H

#include "dedup/candidate_merge.h"
#include "dedup/candidates.h"
#include "dedup/posting_lists.h"

/* The members of a large bucket of a document that are before it in the block:
 * bucket_members[begin, end). */
typedef struct nd_member_range {
    uint32_t begin, end;
} nd_member_range;

/* Zero-initialised, and reused from block to block. Const between two loads. */
typedef struct nd_candidate_block {
    uint32_t begin, end; /* ranks of the block */
    nd_part_buffer pairs, postings;
    nd_part_buffer by_bucket; /* bucket << 32 | index of the posting */
    uint32_t *earlier;        /* the earlier rank of each pair; each pair once */
    uint32_t *bucket_members; /* ranks, sorted by bucket, then by rank */
    nd_member_range *before;  /* by posting: the members of its bucket before it */
    uint32_t *pair_begin;     /* by rank - begin: its first pair; one entry more: the end */
    uint32_t *posting_begin;  /* by rank - begin: its first posting; one entry more: the end */
    size_t earlier_capacity, member_capacity, before_capacity;
} nd_candidate_block;

nd_status nd_candidate_block_init(nd_candidate_block *block, const nd_allocator *allocator,
                                  nd_error *error);
void nd_candidate_block_free(nd_candidate_block *block, const nd_allocator *allocator);

/* Loads part number `part` of the sorters. Behind the last document the block is empty. Any number
 * of threads may call it, each with its own block. */
nd_status nd_candidate_block_load(nd_candidate_block *block, const nd_candidates *candidates,
                                  uint32_t documents, size_t part, nd_error *error);

static inline bool nd_candidate_block_has(const nd_candidate_block *x, uint32_t rank) {
    uint32_t k = rank - x->begin;
    return x->pair_begin[k] < x->pair_begin[k + 1] || x->posting_begin[k] < x->posting_begin[k + 1];
}

/* Finds the large buckets of a document: the lower halves of (*postings)[0, returned count). */
static inline size_t nd_candidate_block_buckets(const nd_candidate_block *x, uint32_t rank,
                                                const uint64_t **postings) {
    uint32_t k = rank - x->begin;
    size_t count = x->posting_begin[k + 1] - x->posting_begin[k];
    *postings = count > 0 ? x->postings.words + x->posting_begin[k] : NULL;
    return count;
}

/* Finds the candidates of a document before the block, and returns the number of their lists.
 * `lists` has room for one more than the document has large buckets. *left_out: kept members of
 * large buckets that are not in the posting lists, and near fingerprints beyond the bound. */
size_t nd_candidates_before(const nd_candidate_block *block, const nd_candidates *candidates,
                            const nd_postings *kept, uint32_t rank, nd_candidate_list *lists,
                            uint64_t *left_out);
/* The same for candidates inside the block, whether they are kept or not. */
size_t nd_candidates_inside(const nd_candidate_block *block, const nd_candidates *candidates,
                            uint32_t rank, nd_candidate_list *lists);

#endif
