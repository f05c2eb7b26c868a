#include "dedup/candidates.h"

#include <string.h>

nd_status nd_candidates_init(nd_candidates *c, const nd_run *run, const nd_ranks *ranks,
                             nd_error *error) {
    const nd_memory_budget *b = &run->budget;
    size_t parts = (size_t)(ranks->count / ND_DECIDE_BLOCK) + 1;
    *c = (nd_candidates){.allocator = run->allocator, .base = ranks->base};
    ND_TRY(nd_external_sort_create(&run->allocator, run->space, parts,
                                   nd_memory_share(b, ND_MEMORY_PAIRS), "candidate pairs",
                                   &c->pairs, error));
    return nd_external_sort_create(&run->allocator, run->space, parts,
                                   nd_memory_share(b, ND_MEMORY_POSTINGS), "large buckets",
                                   &c->postings, error);
}

void nd_candidates_free(nd_candidates *c) {
    nd_external_sort_free(c->pairs);
    nd_external_sort_free(c->postings);
    nd_first_neighbours_free(&c->neighbours);
    nd_release(&c->allocator, c->bucket_sizes);
    nd_release(&c->allocator, c->indexed);
    nd_release(&c->allocator, c->indexed_members);
    nd_release(&c->allocator, c->own);
    *c = (nd_candidates){.allocator = c->allocator};
}

nd_status nd_candidates_init_own(nd_candidates *c, uint32_t documents, nd_error *error) {
    size_t bytes = documents * sizeof *c->own;
    c->own = nd_allocate(&c->allocator, documents, sizeof *c->own);
    if (!c->own) return nd_fail_memory(error, bytes, "large buckets");
    memset(c->own, 0xff, bytes);
    return ND_OK;
}

static nd_status push(const nd_candidates *c, nd_external_sort *sorter, uint32_t rank,
                      uint32_t other, nd_error *error) {
    return nd_external_sort_push(sorter, (size_t)(rank - c->base) / ND_DECIDE_BLOCK,
                                 (uint64_t)rank << 32 | other, error);
}

nd_status nd_candidates_add_pair(nd_candidates *c, uint32_t later, uint32_t earlier,
                                 nd_error *error) {
    return push(c, c->pairs, later, earlier, error);
}

nd_status nd_candidates_add_bucket(nd_candidates *c, const uint32_t *members, size_t count,
                                   nd_error *error) {
    uint32_t bucket = c->large_buckets;
    if (bucket == UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "more than %u large buckets", UINT32_MAX);
    if (!nd_reserve(&c->allocator, &c->bucket_sizes, &c->bucket_capacity, (size_t)bucket + 1))
        return nd_fail_memory(error, sizeof *c->bucket_sizes, "large buckets");
    c->bucket_sizes[bucket] = 0;
    c->large_buckets++;
    return nd_candidates_join_bucket(c, bucket, members, count, error);
}

nd_status nd_candidates_join_bucket(nd_candidates *c, uint32_t bucket, const uint32_t *members,
                                    size_t count, nd_error *error) {
    c->bucket_sizes[bucket] += (uint32_t)count;
    for (size_t i = 0; i < count; i++) ND_TRY(push(c, c->postings, members[i], bucket, error));
    return ND_OK;
}

nd_status nd_candidates_add_indexed(nd_candidates *c, uint32_t bucket, const uint32_t *members,
                                    size_t count, uint64_t left_out, nd_error *error) {
    size_t begin = c->indexed_member_count;
    if (!nd_reserve(&c->allocator, &c->indexed, &c->indexed_capacity, c->indexed_count + 1) ||
        !nd_reserve(&c->allocator, &c->indexed_members, &c->indexed_member_capacity, begin + count))
        return nd_fail_memory(error, count * sizeof *members, "large buckets");
    memcpy(c->indexed_members + begin, members, count * sizeof *members);
    c->indexed_member_count += count;
    c->indexed[c->indexed_count++] = (nd_indexed_bucket){
        .bucket = bucket, .left_out = (uint32_t)left_out, .begin = begin, .count = (uint32_t)count};
    return ND_OK;
}
