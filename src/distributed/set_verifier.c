/* Compares documents of which only sketches and shingle sets are at hand. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/floats.h"
#include "kernel/kernel.h"
#include "neardup.h"
#include "sketch/minhash_filter.h"

struct nd_set_verifier {
    nd_allocator allocator;
    double threshold;
    uint32_t perms;
    size_t least_equal;   /* equal bytes that two sketches need */
    nd_sketched document; /* with which the next ones are compared */
};

nd_status nd_set_verifier_create(double threshold, uint32_t perms, const nd_allocator *allocator,
                                 nd_set_verifier **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(out, "out", error));
    ND_PIN(threshold);
    if (!(threshold >= 0 && threshold <= 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "threshold must be 0 to 1, not %g", threshold);
    if (perms < 1 || perms > 1024)
        return nd_fail(error, ND_ERR_ARGUMENT, "perms must be 1 to 1024, not %u", perms);
    const nd_allocator own = nd_allocator_or_default(allocator);
    nd_set_verifier *v = nd_allocate_zero(&own, 1, sizeof *v);
    if (!v) return nd_fail_memory(error, sizeof *v, "a verifier");
    v->allocator = own;
    v->threshold = threshold;
    v->perms = perms;
    v->least_equal = nd_sketch_required_matches(threshold, perms, ND_SKETCH_FILTERS);
    *out = v;
    return ND_OK;
}

void nd_set_verifier_free(nd_set_verifier *v) {
    if (!v) return;
    const nd_allocator a = v->allocator;
    nd_release(&a, v);
}

bool nd_set_verifier_near(const nd_set_verifier *v, const uint8_t *a, const uint8_t *b) {
    return nd_kernel_get()->count_equal(a, b, v->perms) >= v->least_equal;
}

void nd_set_verifier_begin(nd_set_verifier *v, const nd_sketched *document) {
    v->document = *document;
}

/* A set that has come from elsewhere, in another order, would give a wrong overlap. */
static nd_status check_set(const nd_sketched *document, nd_error *error) {
    bool ascending = true;
    for (size_t i = 1; i < document->set_size; i++)
        ascending &= document->set[i - 1] < document->set[i];
    return ascending ? ND_OK
                     : nd_fail(error, ND_ERR_ARGUMENT,
                               "the shingles of a document are not distinct and ascending");
}

static nd_status compare_sets(const nd_sketched *a, const nd_sketched *b, nd_overlap *overlap,
                              nd_error *error) {
    ND_TRY(check_set(a, error));
    ND_TRY(check_set(b, error));
    *overlap = nd_set_overlap(a->set, a->set_size, b->set, b->set_size);
    return ND_OK;
}

nd_status nd_set_verifier_compare(nd_set_verifier *v, const nd_sketched *document, bool *duplicate,
                                  nd_overlap *overlap, nd_error *error) {
    nd_overlap found = {0};
    ND_TRY(nd_need(v, "verifier", error));
    ND_TRY(nd_need(document, "document", error));
    ND_TRY(nd_need(duplicate, "duplicate", error));
    ND_TRY(nd_need(overlap, "overlap", error));
    ND_TRY(nd_need(v->document.sketch, "the document of nd_set_verifier_begin", error));
    bool near = nd_set_verifier_near(v, v->document.sketch, document->sketch);
    if (near) ND_TRY(compare_sets(document, &v->document, &found, error));
    *duplicate = near && nd_jaccard(found) >= v->threshold;
    if (*duplicate) *overlap = found;
    return ND_OK;
}
