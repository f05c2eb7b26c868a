/* Compares documents of which only sketches and shingle sets are at hand. */
#include "base/argument.h"
#include "base/floats.h"
#include "kernel/kernel.h"
#include "neardup.h"
#include "similarity/shingle_set.h"
#include "sketch/minhash_filter.h"

#include <string.h>

struct nd_set_verifier {
    nd_allocator allocator;
    double threshold;
    uint32_t perms;
    size_t least_equal;   /* equal bytes that two sketches need */
    nd_sketched document; /* with which the next ones are compared */
    bool has_set;         /* `set` is of `document` */
    nd_shingle_set set;
    uint64_t *values; /* a copy of the set of `document` */
    size_t value_capacity;
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
    nd_shingle_set_init(&v->set, &v->allocator);
    *out = v;
    return ND_OK;
}

void nd_set_verifier_free(nd_set_verifier *v) {
    if (!v) return;
    const nd_allocator a = v->allocator;
    nd_shingle_set_free(&v->set);
    nd_release(&a, v->values);
    nd_release(&a, v);
}

bool nd_set_verifier_near(const nd_set_verifier *v, const uint8_t *a, const uint8_t *b) {
    return nd_kernel_get()->count_equal(a, b, v->perms) >= v->least_equal;
}

void nd_set_verifier_begin(nd_set_verifier *v, const nd_sketched *document) {
    v->document = *document;
    v->has_set = false;
}

static nd_status compare_sets(nd_set_verifier *v, const nd_sketched *document, nd_overlap *overlap,
                              nd_error *error) {
    size_t count = v->document.set_size;
    if (!v->has_set) {
        if (!nd_reserve(&v->allocator, &v->values, &v->value_capacity, count))
            return nd_fail_memory(error, count * sizeof *v->values, "a shingle set");
        if (count > 0) memcpy(v->values, v->document.set, count * sizeof *v->values);
        ND_TRY(nd_shingle_set_make(&v->set, v->values, count, error));
        v->has_set = true;
    }
    size_t other = document->set_size,
           least = nd_least_intersection(other, v->set.size, v->threshold);
    *overlap = (nd_overlap){other, v->set.size,
                            nd_shingle_set_overlap(&v->set, document->set, other, least)};
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
    if (near) ND_TRY(compare_sets(v, document, &found, error));
    *duplicate = near && nd_jaccard(found) >= v->threshold;
    if (*duplicate) *overlap = found;
    return ND_OK;
}
