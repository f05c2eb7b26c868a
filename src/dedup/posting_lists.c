#include "dedup/posting_lists.h"

#include <string.h>

nd_status nd_postings_init(nd_postings *lists, const nd_allocator *allocator, const uint32_t *sizes,
                           size_t count, uint32_t bound, nd_error *error) {
    *lists = (nd_postings){.allocator = *allocator, .bound = bound};
    if (count == 0) return ND_OK;
    lists->lists = nd_allocate_zero(allocator, count, sizeof *lists->lists);
    if (!lists->lists) return nd_fail_memory(error, count * sizeof *lists->lists, "large buckets");
    lists->count = count;
    for (size_t b = 0; b < count; b++) lists->lists[b].undecided = sizes[b];
    return ND_OK;
}

void nd_postings_free(nd_postings *lists) {
    for (size_t b = 0; b < lists->count; b++)
        nd_release(&lists->allocator, lists->lists[b].members);
    nd_release(&lists->allocator, lists->lists);
    *lists = (nd_postings){.allocator = lists->allocator};
}

nd_status nd_postings_begin(nd_postings *lists, const nd_posting_start *start, nd_error *error) {
    nd_posting_list *list = &lists->lists[start->bucket];
    size_t bytes = start->count * sizeof *list->members;
    list->members = nd_allocate(&lists->allocator, start->count, sizeof *list->members);
    if (!list->members) return nd_fail_memory(error, bytes, "large buckets");
    memcpy(list->members, start->ranks, bytes);
    list->count = list->capacity = start->count;
    list->left_out = start->left_out;
    return ND_OK;
}

nd_status nd_postings_decide(nd_postings *lists, uint32_t bucket, uint32_t rank, bool kept,
                             nd_error *error) {
    nd_posting_list *list = &lists->lists[bucket];
    list->undecided--;
    if (kept && list->undecided > 0) {
        if (list->count == lists->bound) {
            list->left_out++;
            return ND_OK;
        }
        size_t capacity = list->capacity;
        if (!nd_reserve(&lists->allocator, &list->members, &capacity, (size_t)list->count + 1))
            return nd_fail_memory(error, capacity * sizeof *list->members, "large buckets");
        list->capacity = (uint32_t)capacity;
        list->members[list->count++] = rank;
    }
    if (list->undecided == 0) {
        nd_release(&lists->allocator, list->members);
        *list = (nd_posting_list){0};
    }
    return ND_OK;
}
