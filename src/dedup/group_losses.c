#include "dedup/group_losses.h"

#include <stdlib.h>

/* ---- the largest groups so far */

static bool is_larger(const nd_group_loss *a, const nd_group_loss *b) {
    return a->removed != b->removed ? a->removed > b->removed : a->kept < b->kept;
}

/* Counts a group, and inserts it into the list of the largest ones. */
static void offer(nd_group_losses *l, uint32_t kept, uint32_t removed) {
    nd_group_loss group = {.kept = kept, .removed = removed, .example = UINT32_MAX};
    if (removed == 0) return;
    l->by_removed[31 - (unsigned)__builtin_clz(removed)]++;
    for (size_t i = 0; i < l->count; i++) {
        if (!is_larger(&group, &l->largest[i])) continue;
        nd_group_loss smaller = l->largest[i];
        l->largest[i] = group;
        group = smaller;
    }
    if (l->count < ND_LARGEST_GROUPS) l->largest[l->count++] = group;
}

/* ---- counting */

/* The rank that counts for a document. A document that an earlier run of the job added may be
 * removed now, as a copy of another one: then the index has kept it. */
static uint32_t counted_rank(const nd_evidence_source *s, const nd_evidence *e) {
    bool kept = nd_rank_is_indexed(s->ranks, e->rank) ||
                nd_fate_of(s->fates, nd_document_of(s->ranks, e->rank)) == ND_FATE_KEPT;
    return kept ? e->rank : e->verdict.earlier;
}

/* Fills the slots. A kept document counts in its own slot, and a removed one has its evidence
 * there. */
static nd_status fill_slots(const nd_evidence_source *s, nd_group_losses *out, uint64_t *indexed,
                            nd_error *error) {
    for (uint32_t d = 0; d < s->fates->count; d++) {
        nd_evidence evidence;
        if (nd_fate_of(s->fates, d) == ND_FATE_KEPT) continue;
        ND_TRY(nd_find_evidence(s, d, &evidence, error));
        uint32_t rank = counted_rank(s, &evidence);
        out->slots[d] = rank;
        out->removed++;
        if (nd_rank_is_indexed(s->ranks, rank)) ++*indexed;
        else out->slots[nd_document_of(s->ranks, rank)]++;
    }
    return ND_OK;
}

static void offer_own(const nd_evidence_source *s, nd_group_losses *out) {
    for (uint32_t d = 0; d < s->fates->count; d++)
        if (nd_fate_of(s->fates, d) == ND_FATE_KEPT)
            offer(out, nd_rank_of(s->ranks, d), out->slots[d]);
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Documents of an index have no slots: the ranks of those that removed something are sorted. */
static nd_status offer_indexed(const nd_evidence_source *s, uint64_t indexed, nd_group_losses *out,
                               nd_error *error) {
    if (indexed == 0) return ND_OK;
    uint32_t *ranks = nd_allocate(&out->allocator, (size_t)indexed, sizeof *ranks);
    if (!ranks) return nd_fail_memory(error, indexed * sizeof *ranks, "groups of duplicates");
    size_t count = 0;
    for (uint32_t d = 0; d < s->fates->count; d++)
        if (nd_fate_of(s->fates, d) != ND_FATE_KEPT && nd_rank_is_indexed(s->ranks, out->slots[d]))
            ranks[count++] = out->slots[d];
    qsort(ranks, count, sizeof *ranks, by_value);
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && ranks[end] == ranks[begin]) end++;
        offer(out, ranks[begin], (uint32_t)(end - begin));
    }
    nd_release(&out->allocator, ranks);
    return ND_OK;
}

/* Finds the exact copies among the largest groups, and an example of each group. */
static void describe(const nd_evidence_source *s, nd_group_losses *out) {
    for (uint32_t d = 0; d < s->fates->count; d++) {
        nd_fate fate = nd_fate_of(s->fates, d);
        for (size_t i = 0; fate != ND_FATE_KEPT && i < out->count; i++) {
            nd_group_loss *group = &out->largest[i];
            if (out->slots[d] != group->kept) continue;
            if (group->example == UINT32_MAX) group->example = d;
            group->exact_copies += fate == ND_FATE_COPY;
        }
    }
}

nd_status nd_group_losses_count(const nd_evidence_source *s, const nd_allocator *allocator,
                                nd_group_losses *out, nd_error *error) {
    uint32_t count = s->fates->count;
    uint64_t indexed = 0;
    *out = (nd_group_losses){.allocator = *allocator};
    out->slots = nd_allocate_zero(allocator, (size_t)count + 1, sizeof *out->slots);
    if (!out->slots)
        return nd_fail_memory(error, count * sizeof *out->slots, "groups of duplicates");
    ND_TRY(fill_slots(s, out, &indexed, error));
    offer_own(s, out);
    ND_TRY(offer_indexed(s, indexed, out, error));
    describe(s, out);
    return ND_OK;
}

void nd_group_losses_free(nd_group_losses *l) { nd_release(&l->allocator, l->slots); }
