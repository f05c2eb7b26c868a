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

/* Sorts the order by priority; rank_of is scratch. */
static nd_status sort(const nd_ranks_request *r, nd_ranks *out, nd_error *error) {
    const nd_allocator *a = &r->run->allocator;
    size_t count = out->count;
    uint64_t *keys = nd_allocate(a, count, sizeof *keys);
    if (!keys) return nd_fail_memory(error, count * sizeof *keys, "the order of priority");
    nd_status status = nd_spool_read(r->priorities, keys, count * sizeof *keys, 0, error);
    if (status == ND_OK) status = check_field(r->run, r->plan, keys, out, error);
    if (status == ND_OK) {
        for (size_t d = 0; d < count; d++) keys[d] = ~keys[d];
        nd_radix_sort_indices(out->order, out->rank_of, count, keys);
    }
    nd_release(a, keys);
    return status;
}

/* Moves the protected documents to the front, and changes no other order; rank_of is scratch. */
static void put_protected_first(nd_ranks *out) {
    size_t first = 0, others = 0;
    for (size_t r = 0; r < out->count; r++)
        if (nd_is_protected(out, out->order[r])) out->order[first++] = out->order[r];
        else out->rank_of[others++] = out->order[r];
    memcpy(out->order + first, out->rank_of, others * sizeof *out->order);
}

static nd_status make_order(const nd_ranks_request *r, nd_ranks *out, nd_error *error) {
    const nd_allocator *a = &r->run->allocator;
    size_t count = out->count;
    out->order = nd_allocate(a, count, sizeof *out->order);
    out->rank_of = nd_allocate(a, count, sizeof *out->rank_of);
    if (!out->order || !out->rank_of)
        return nd_fail_memory(error, count * 8, "the order of priority");
    for (size_t d = 0; d < count; d++) out->order[d] = (uint32_t)d;
    if (r->plan->keep != ND_KEEP_FIRST) ND_TRY(sort(r, out, error));
    if (out->protected_bits) put_protected_first(out);
    for (size_t rank = 0; rank < count; rank++) out->rank_of[out->order[rank]] = (uint32_t)rank;
    return ND_OK;
}

nd_status nd_ranks_make(const nd_ranks_request *r, nd_ranks *out, nd_error *error) {
    bool ordered = r->plan->keep != ND_KEEP_FIRST || r->protected_bits;
    *out = (nd_ranks){.base = r->base, .count = r->count, .protected_bits = r->protected_bits};
    if (ordered && r->count > 0) ND_TRY(make_order(r, out, error));
    nd_spool_free(r->priorities);
    return ND_OK;
}

void nd_ranks_free(nd_ranks *ranks, const nd_allocator *allocator) {
    nd_release(allocator, ranks->order);
    nd_release(allocator, ranks->rank_of);
    nd_release(allocator, ranks->protected_bits);
}
