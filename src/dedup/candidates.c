#include "dedup/candidates.h"

nd_status nd_job_open_candidates(nd_job *job, nd_error *error) {
    size_t parts = (size_t)(job->documents.count / ND_DECIDE_BLOCK) + 1,
           share = nd_job_share(job, SHARE_PAIRS / 2);
    ND_TRY(nd_part_sorter_create(&job->allocator, &job->disk, parts, share, "candidate pairs",
                                 &job->pairs, error));
    return nd_part_sorter_create(&job->allocator, &job->disk, parts, share, "wide buckets",
                                 &job->memberships, error);
}

static nd_status push(const nd_job *job, nd_part_sorter *sorter, uint32_t rank, uint32_t other,
                      nd_error *error) {
    return nd_part_sorter_push(sorter, (size_t)(rank - job->base) / ND_DECIDE_BLOCK,
                               (uint64_t)rank << 32 | other, error);
}

nd_status nd_job_add_pair(nd_job *job, uint32_t later, uint32_t earlier, nd_error *error) {
    return push(job, job->pairs, later, earlier, error);
}

nd_status nd_job_add_wide(nd_job *job, const uint32_t *members, size_t count, nd_error *error) {
    uint32_t bucket = job->wide_buckets;
    if (bucket == UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "more than %u wide buckets", UINT32_MAX);
    if (!nd_reserve(&job->allocator, &job->bucket_sizes, &job->bucket_capacity, (size_t)bucket + 1))
        return nd_fail_memory(error, sizeof *job->bucket_sizes, "wide buckets");
    job->bucket_sizes[bucket] = 0;
    job->wide_buckets++;
    return nd_job_join_wide(job, bucket, members, count, error);
}

nd_status nd_job_join_wide(nd_job *job, uint32_t bucket, const uint32_t *members, size_t count,
                           nd_error *error) {
    job->bucket_sizes[bucket] += (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        ND_TRY(push(job, job->memberships, members[i], bucket, error));
    return ND_OK;
}
