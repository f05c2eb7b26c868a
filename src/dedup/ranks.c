#include "dedup/ranks.h"

#include "base/radix_sort.h"

#include <math.h>
#include <string.h>

/* ---- priorities */

/* Maps a number to an integer that ascends with it, and is at least 2^52. */
static uint64_t ordered_double(double value) {
    uint64_t bits;
    value += 0.0; /* -0 and 0 are one value */
    memcpy(&bits, &value, 8);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

uint64_t nd_priority_of(const nd_dedup_plan *plan, const nd_document *document) {
    if (plan->keep == ND_KEEP_LONGEST) return document->length;
    if (!document->has_priority || isnan(document->priority)) return 0;
    uint64_t ordered = ordered_double(document->priority);
    return plan->keep == ND_KEEP_MIN ? ~ordered : ordered;
}

/* ---- ranks */

/* Warns of documents without a priority, which come last. If no document has one, the name of the
 * field is most likely wrong, so that is an error. Records of callbacks have no field, so there is
 * no warning. */
static nd_status check_field(const nd_run *run, const nd_dedup_plan *plan, const uint64_t *keys,
                             nd_ranks *out, nd_error *error) {
    size_t missing = 0, count = out->count;
    for (size_t d = 0; d < count; d++) missing += keys[d] == 0;
    if (missing == 0 || !plan->keep_field) return ND_OK;
    out->without_value = missing;
    if (missing == count)
        return nd_fail(error, ND_ERR_INPUT,
                       "keep_field: no record has a number or an ISO 8601 date in the field %s",
                       plan->keep_field);
    nd_warn(&run->warnings,
            "%zu of %zu records have no number or ISO 8601 date in the field %s, and come behind "
            "all others",
            missing, count, plan->keep_field);
    return ND_OK;
}

static nd_status sort(const nd_run *run, const nd_dedup_plan *plan, const nd_spool *priorities,
                      nd_ranks *out, nd_error *error) {
    const nd_allocator *a = &run->allocator;
    size_t count = out->count;
    out->order = nd_allocate(a, count, sizeof *out->order);
    out->rank_of = nd_allocate(a, count, sizeof *out->rank_of);
    uint64_t *keys = nd_allocate(a, count, sizeof *keys);
    nd_status status = out->order && out->rank_of && keys
                           ? nd_spool_read(priorities, keys, count * sizeof *keys, 0, error)
                           : nd_fail_memory(error, count * 16, "the order of priority");
    if (status == ND_OK) status = check_field(run, plan, keys, out, error);
    if (status == ND_OK) {
        for (size_t d = 0; d < count; d++) {
            keys[d] = ~keys[d];
            out->order[d] = (uint32_t)d;
        }
        nd_radix_sort_indices(out->order, out->rank_of, count, keys); /* rank_of as scratch */
        for (size_t r = 0; r < count; r++) out->rank_of[out->order[r]] = (uint32_t)r;
    }
    nd_release(a, keys);
    return status;
}

nd_status nd_ranks_make(const nd_run *run, const nd_dedup_plan *plan, nd_spool *priorities,
                        uint32_t base, uint32_t count, nd_ranks *out, nd_error *error) {
    *out = (nd_ranks){.base = base, .count = count};
    if (plan->keep != ND_KEEP_FIRST && count > 0) ND_TRY(sort(run, plan, priorities, out, error));
    nd_spool_free(priorities);
    return ND_OK;
}

void nd_ranks_free(nd_ranks *ranks, const nd_allocator *allocator) {
    nd_release(allocator, ranks->order);
    nd_release(allocator, ranks->rank_of);
}
