/* Decides documents by their edges, in order: one bit of memory a document. */
#include "base/argument.h"
#include "neardup.h"

#include "base/alloc.h"
#include "base/status.h"

struct nd_edge_decider {
    nd_allocator allocator;
    uint64_t document_count;
    uint64_t *removed; /* a bit per document */
    bool any;          /* `last` is an edge */
    nd_edge last;
};

nd_status nd_edge_decider_create(uint64_t document_count, const nd_allocator *allocator,
                                 nd_edge_decider **out, nd_error *error) {
    ND_TRY(nd_need(out, "out", error));
    const nd_allocator own = nd_allocator_or_default(allocator);
    size_t words = (size_t)(document_count / 64 + 1);
    nd_edge_decider *d = nd_allocate_zero(&own, 1, sizeof *d);
    if (d) d->removed = nd_allocate_zero(&own, words, sizeof *d->removed);
    if (!d || !d->removed) {
        nd_release(&own, d);
        return nd_fail_memory(error, words * sizeof *d->removed, "decisions");
    }
    d->allocator = own;
    d->document_count = document_count;
    *out = d;
    return ND_OK;
}

void nd_edge_decider_free(nd_edge_decider *d) {
    if (!d) return;
    const nd_allocator a = d->allocator;
    nd_release(&a, d->removed);
    nd_release(&a, d);
}

static nd_status check(const nd_edge_decider *d, const nd_edge *edges, size_t count,
                       nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        const nd_edge *e = &edges[i], *before = i > 0 ? e - 1 : &d->last;
        if (e->earlier >= e->later || e->later >= d->document_count)
            return nd_fail(error, ND_ERR_ARGUMENT, "an edge of documents %llu and %llu, of %llu",
                           (unsigned long long)e->later, (unsigned long long)e->earlier,
                           (unsigned long long)d->document_count);
        if ((i > 0 || d->any) && (e->later < before->later ||
                                  (e->later == before->later && e->earlier < before->earlier)))
            return nd_fail(error, ND_ERR_ARGUMENT, "the edges of document %llu are not in order",
                           (unsigned long long)e->later);
    }
    return ND_OK;
}

static bool is_removed(const nd_edge_decider *d, uint64_t document) {
    return d->removed[document >> 6] >> (document & 63) & 1;
}

nd_status nd_edge_decider_take(nd_edge_decider *d, const nd_edge *edges, size_t count,
                               bool *decides, nd_error *error) {
    ND_TRY(nd_need(d, "decider", error));
    ND_TRY(nd_need_array(edges, count, "edges", error));
    ND_TRY(nd_need_array(decides, count, "decides", error));
    ND_TRY(check(d, edges, count, error));
    for (size_t i = 0; i < count; i++) {
        const nd_edge *e = &edges[i];
        decides[i] = !is_removed(d, e->later) && !is_removed(d, e->earlier);
        if (decides[i]) d->removed[e->later >> 6] |= UINT64_C(1) << (e->later & 63);
        d->last = *e;
        d->any = true;
    }
    return ND_OK;
}
