/* Where those who find candidates put them, for the stage "decide": pairs of ranks, and wide
 * buckets with their members, both by the later document. */
#ifndef ND_DEDUP_CANDIDATES_H
#define ND_DEDUP_CANDIDATES_H

#include "job/job.h"

nd_status nd_job_open_candidates(nd_job *job, nd_error *error);

/* One thread at a time. earlier < later */
nd_status nd_job_add_pair(nd_job *job, uint32_t later, uint32_t earlier, nd_error *error);
/* A wide bucket gets the number job->wide_buckets. */
nd_status nd_job_add_wide(nd_job *job, const uint32_t *members, size_t count, nd_error *error);
/* More members of a bucket, which it does not have yet. */
nd_status nd_job_join_wide(nd_job *job, uint32_t bucket, const uint32_t *members, size_t count,
                           nd_error *error);

#endif
