/* The order in which documents are taken when it is not the order of input: greatest priority
 * first, equal ones in the order of input. */
#include "job/job.h"

#include "base/radix_sort.h"

/* Documents without a priority come last (ingest.c gives them 0). That none has one is an error of
 * the field's name more likely than an order that is wanted. */
static nd_status check_field(nd_job *job, const uint64_t *keys, size_t count, nd_error *error) {
    const nd_job_options *o = &job->options;
    size_t missing = 0;
    for (size_t d = 0; d < count; d++) missing += keys[d] == 0;
    if (missing == 0 || o->records || o->keep == ND_KEEP_LONGEST) return ND_OK;
    if (missing == count)
        return nd_fail(error, ND_ERR_INPUT,
                       "keep_field: no record has a number or an ISO 8601 date in the field %s",
                       o->keep_field);
    nd_job_warn(job,
                "%zu of %zu records have no number or ISO 8601 date in the field %s, and come "
                "behind all others",
                missing, count, o->keep_field);
    return ND_OK;
}

nd_status nd_job_order_by_priority(nd_job *job, nd_error *error) {
    if (job->options.keep == ND_KEEP_FIRST || job->documents.count == 0) return ND_OK;
    size_t count = (size_t)job->documents.count;
    const nd_allocator *a = &job->allocator;
    job->order = nd_allocate(a, count, sizeof *job->order);
    job->rank_of = nd_allocate(a, count, sizeof *job->rank_of);
    uint64_t *keys = nd_allocate(a, count, sizeof *keys);
    nd_status status = job->order && job->rank_of && keys
                           ? nd_spool_read(&job->priorities, keys, count * sizeof *keys, 0, error)
                           : nd_fail_memory(error, count * 16, "the order of priority");
    if (status == ND_OK) status = check_field(job, keys, count, error);
    if (status == ND_OK) {
        for (size_t d = 0; d < count; d++) {
            keys[d] = ~keys[d];
            job->order[d] = (uint32_t)d;
        }
        nd_radix_sort_indices(job->order, job->rank_of, count,
                              keys); /* rank_of serves as scratch */
        for (size_t r = 0; r < count; r++) job->rank_of[job->order[r]] = (uint32_t)r;
    }
    nd_release(a, keys);
    nd_spool_free(&job->priorities);
    return status;
}
