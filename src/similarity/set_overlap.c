/* The overlap of two shingle sets, and the similarities that follow from it. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/floats.h"
#include "text/analyzer.h"

#include <string.h>

nd_overlap nd_set_overlap(const uint64_t *a, size_t count_a, const uint64_t *b, size_t count_b) {
    nd_overlap overlap = {count_a, count_b, 0};
    for (size_t i = 0, j = 0; i < count_a && j < count_b;) {
        overlap.intersection += a[i] == b[j];
        uint64_t x = a[i], y = b[j];
        i += x <= y;
        j += y <= x;
    }
    return overlap;
}

static uint64_t smaller_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The share of an empty set is 1. */
static double share(uint64_t part, uint64_t whole) {
    ND_DEFAULT_FLOATS;
    ND_PIN(part);
    double quotient = whole == 0 ? 1.0 : (double)part / (double)whole;
    ND_PIN(quotient);
    return quotient;
}

double nd_jaccard(nd_overlap overlap) {
    uint64_t common = smaller_of(overlap.intersection, smaller_of(overlap.size_a, overlap.size_b));
    return share(common, overlap.size_a + overlap.size_b - common);
}

double nd_containment(nd_overlap overlap) {
    uint64_t smaller = smaller_of(overlap.size_a, overlap.size_b);
    return share(smaller_of(overlap.intersection, smaller), smaller);
}

nd_status nd_compare_texts(nd_analyzer *analyzer, const char *a, size_t length_a, const char *b,
                           size_t length_b, nd_overlap *out, nd_error *error) {
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need_array(a, length_a, "a", error));
    ND_TRY(nd_need_array(b, length_b, "b", error));
    ND_TRY(nd_need(out, "out", error));
    nd_allocator allocator = *nd_analyzer_allocator(analyzer);
    nd_shingles shingles;
    ND_TRY(nd_analyze(analyzer, a, length_a, &shingles, error));
    uint64_t *first = nd_allocate(&allocator, shingles.count, sizeof *first);
    if (!first) return nd_fail_memory(error, shingles.count * sizeof *first, "a shingle set");
    memcpy(first, shingles.hashes, shingles.count * sizeof *first);
    size_t first_count = nd_set_make(first, shingles.count);
    nd_status status = nd_analyze(analyzer, b, length_b, &shingles, error);
    if (status == ND_OK)
        *out = nd_set_overlap(first, first_count, shingles.hashes,
                              nd_set_make(shingles.hashes, shingles.count));
    nd_release(&allocator, first);
    return status;
}
