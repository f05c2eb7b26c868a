#include "dedup/components.h"

#include "base/union_find.h"

typedef struct components {
    nd_pair_verifier *verifier;
    const nd_ranks *ranks;
    nd_fates *fates;
    uint32_t *parent;   /* union-find over the ranks */
    uint32_t rank;      /* rank of the document that is resolved next */
    bool direct;        /* that document and the first of its component are a found pair, */
    nd_verdict verdict; /* with this verdict */
    uint64_t spared;
} components;

/* nd_found_pair_fn */
static nd_status join_pair(void *context, const nd_verdict *pair, nd_error *error) {
    (void)error;
    nd_union_find_join(((components *)context)->parent, pair->earlier, pair->later);
    return ND_OK;
}

/* Resolves the documents below `end`. REQUIRES: every pair that has one of them as its later
 * document has been passed to resolve_pair. If a document and the first of its component are not a
 * found pair, they are measured here. */
static nd_status resolve_until(components *c, uint32_t end, nd_error *error) {
    for (; c->rank < end; c->rank++, c->direct = false) {
        uint32_t root = nd_union_find_root(c->parent, c->rank);
        if (root == c->rank) continue;
        if (nd_is_protected(c->ranks, nd_document_of(c->ranks, c->rank))) {
            c->spared++;
            continue;
        }
        if (!c->direct) ND_TRY(nd_pair_measure(c->verifier, root, c->rank, &c->verdict, error));
        ND_TRY(nd_fates_remove(c->fates, nd_document_of(c->ranks, c->rank), &c->verdict, error));
    }
    return ND_OK;
}

/* nd_found_pair_fn. Pairs come in the order of the later document. */
static nd_status resolve_pair(void *context, const nd_verdict *pair, nd_error *error) {
    components *c = context;
    ND_TRY(resolve_until(c, pair->later, error));
    if (pair->earlier != nd_union_find_root(c->parent, pair->later)) return ND_OK;
    c->direct = true;
    c->verdict = *pair;
    return ND_OK;
}

nd_status nd_remove_by_component(const nd_verifier_plan *verifier, nd_fates *fates,
                                 uint64_t *spared, nd_error *error) {
    const nd_allocator *a = &fates->allocator;
    uint32_t count = fates->count;
    components c = {.ranks = verifier->documents.ranks,
                    .fates = fates,
                    .parent = nd_allocate(a, (size_t)count + 1, sizeof *c.parent)};
    if (!c.parent) return nd_fail_memory(error, count * sizeof *c.parent, "components");
    nd_union_find_init(c.parent, count);
    nd_status status = nd_pair_verifier_create(verifier, &c.verifier, error);
    if (status == ND_OK) status = nd_fates_each_pair(fates, join_pair, &c, error);
    if (status == ND_OK) status = nd_fates_each_pair(fates, resolve_pair, &c, error);
    if (status == ND_OK) status = resolve_until(&c, count, error);
    *spared = c.spared;
    nd_pair_verifier_free(c.verifier);
    nd_release(a, c.parent);
    return status;
}
