#include "dedup/copy_groups.h"

#include "base/radix_sort.h"

nd_status nd_copy_groups_make(const nd_job *job, nd_copy_groups *out, nd_error *error) {
    size_t count = 0;
    for (uint32_t d = 0; job->copies && d < job->documents.count; d++)
        count += nd_job_is_copy(job, d);
    *out = (nd_copy_groups){0};
    if (count == 0) return ND_OK;
    out->words = nd_allocate(&job->allocator, count, sizeof *out->words);
    out->documents = nd_allocate(&job->allocator, count, sizeof *out->documents);
    uint64_t *scratch = nd_allocate(&job->allocator, count, sizeof *scratch);
    if (!out->words || !out->documents || !scratch) {
        nd_release(&job->allocator, scratch);
        nd_copy_groups_free(job, out);
        return nd_fail_memory(error, count * 20, "groups of copies");
    }
    for (uint32_t d = 0; d < job->documents.count; d++)
        if (nd_job_is_copy(job, d))
            out->words[out->count++] = (uint64_t)nd_document_at(&job->documents, d)->link << 32 |
                                       nd_job_rank(job, d);
    nd_radix_sort(out->words, scratch, count, 0);
    for (size_t i = 0; i < count; i++)
        out->documents[i] = nd_job_document(job, (uint32_t)out->words[i]);
    nd_release(&job->allocator, scratch);
    return ND_OK;
}

void nd_copy_groups_free(const nd_job *job, nd_copy_groups *groups) {
    nd_release(&job->allocator, groups->words);
    nd_release(&job->allocator, groups->documents);
    *groups = (nd_copy_groups){0};
}

nd_copy_range nd_copies_at(const nd_copy_groups *groups, size_t i) {
    size_t end = i;
    while (end < groups->count && groups->words[end] >> 32 == groups->words[i] >> 32) end++;
    return (nd_copy_range){groups->documents + i, end - i};
}

nd_copy_range nd_copies_of(const nd_copy_groups *groups, uint32_t original) {
    size_t low = 0, high = groups->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (groups->words[middle] >> 32 < original) low = middle + 1;
        else high = middle;
    }
    if (low == groups->count || groups->words[low] >> 32 != original) return (nd_copy_range){0};
    return nd_copies_at(groups, low);
}
