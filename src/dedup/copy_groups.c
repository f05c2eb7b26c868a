#include "dedup/copy_groups.h"

#include "base/radix_sort.h"

nd_status nd_copy_groups_make(const nd_fates *fates, const nd_ranks *ranks, nd_copy_groups *out,
                              nd_error *error) {
    const nd_allocator *a = &fates->allocator;
    size_t count = 0;
    for (uint32_t d = 0; fates->copies && d < fates->count; d++)
        count += nd_fates_is_copy(fates, d);
    *out = (nd_copy_groups){.allocator = *a};
    if (count == 0) return ND_OK;
    out->words = nd_allocate(a, count, sizeof *out->words);
    out->documents = nd_allocate(a, count, sizeof *out->documents);
    uint64_t *scratch = nd_allocate(a, count, sizeof *scratch);
    if (!out->words || !out->documents || !scratch) {
        nd_release(a, scratch);
        return nd_fail_memory(error, count * 20, "groups of copies");
    }
    for (uint32_t d = 0; d < fates->count; d++)
        if (nd_fates_is_copy(fates, d))
            out->words[out->count++] = (uint64_t)nd_fates_original(fates, d) << 32 |
                                       nd_rank_of(ranks, d);
    nd_radix_sort(out->words, scratch, count, 0);
    for (size_t i = 0; i < count; i++)
        out->documents[i] = nd_document_of(ranks, (uint32_t)out->words[i]);
    nd_release(a, scratch);
    return ND_OK;
}

void nd_copy_groups_free(nd_copy_groups *groups) {
    if (groups->count == 0 && !groups->words) return;
    nd_release(&groups->allocator, groups->words);
    nd_release(&groups->allocator, groups->documents);
}

nd_copy_range nd_copies_at(const nd_copy_groups *groups, size_t i) {
    size_t end = i;
    while (end < groups->count && groups->words[end] >> 32 == groups->words[i] >> 32) end++;
    return (nd_copy_range){groups->documents + i, end - i};
}

/* The first copy whose original is `original` or behind it. */
static size_t first_from(const nd_copy_groups *groups, uint64_t original) {
    size_t low = 0, high = groups->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (groups->words[middle] >> 32 < original) low = middle + 1;
        else high = middle;
    }
    return low;
}

nd_copy_range nd_copies_of(const nd_copy_groups *groups, uint32_t original) {
    size_t begin = first_from(groups, original), end = first_from(groups, (uint64_t)original + 1);
    return begin == end ? (nd_copy_range){0}
                        : (nd_copy_range){groups->documents + begin, end - begin};
}
