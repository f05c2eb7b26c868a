#include "terms/distinct_features.h"

#include "base/limits.h"

#include <string.h>

/* Up to so many features, repeats are found with a table of at least twice as many slots. It is
 * faster than sorting while it fits in the processor's cache. */
enum { MOST_IN_TABLE = ND_LIMIT(1 << 16, 40) };

void nd_distinct_features_init(nd_distinct_features *distinct, const nd_allocator *allocator) {
    *distinct = (nd_distinct_features){.allocator = *allocator};
}

void nd_distinct_features_free(nd_distinct_features *distinct) {
    nd_allocator allocator = distinct->allocator;
    nd_release(&allocator, distinct->seen);
    nd_distinct_features_init(distinct, &allocator);
}

nd_status nd_distinct_features_find(nd_distinct_features *d, uint64_t *features, size_t *count,
                                    nd_error *error) {
    if (*count > MOST_IN_TABLE) {
        *count = nd_set_make(features, *count);
        return ND_OK;
    }
    unsigned bits = 4;
    while (((size_t)1 << bits) < 2 * *count) bits++;
    size_t size = (size_t)1 << bits, kept = 0;
    bool has_zero = false;
    if (!nd_reserve(&d->allocator, &d->seen, &d->capacity, size))
        return nd_fail_memory(error, size * sizeof *d->seen, "distinct features");
    memset(d->seen, 0, size * sizeof *d->seen);
    for (size_t i = 0; i < *count; i++) {
        uint64_t feature = features[i];
        size_t at = (size_t)(feature >> (64 - bits));
        while (d->seen[at] != 0 && d->seen[at] != feature) at = (at + 1) & (size - 1);
        bool is_new = feature == 0 ? !has_zero : d->seen[at] == 0;
        has_zero |= feature == 0;
        d->seen[at] = feature;
        features[kept] = feature;
        kept += is_new;
    }
    *count = kept;
    return ND_OK;
}
