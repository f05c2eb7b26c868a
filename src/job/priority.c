/* The order in which documents are taken when it is not the order of input: greatest priority first, equal ones in the order of input. */
#include "job/job.h"

#include "base/radix_sort.h"

nd_status nd_job_order_by_priority(nd_job *job, nd_error *error) {
    if (job->options.keep == ND_KEEP_FIRST || job->documents.count == 0) return ND_OK;
    size_t count = (size_t)job->documents.count;
    const nd_allocator *a = &job->allocator;
    job->order = nd_allocate(a, count, sizeof *job->order);
    job->rank_of = nd_allocate(a, count, sizeof *job->rank_of);
    uint64_t *keys = nd_allocate(a, count, sizeof *keys);
    nd_status status = job->order && job->rank_of && keys ? nd_spool_read(&job->priorities, keys, count * sizeof *keys, 0, error)
                                                          : nd_fail_memory(error, count * 16, "the order of priority");
    if (status == ND_OK) {
        for (size_t d = 0; d < count; d++) {
            keys[d] = ~keys[d];
            job->order[d] = (uint32_t)d;
        }
        nd_radix_sort_indices(job->order, job->rank_of, count, keys); /* rank_of serves as scratch */
        for (size_t r = 0; r < count; r++) job->rank_of[job->order[r]] = (uint32_t)r;
    }
    nd_release(a, keys);
    nd_spool_free(&job->priorities);
    return status;
}
