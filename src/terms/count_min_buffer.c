#include "terms/count_min_buffer.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "terms/distinct_features.h"

/* A feature that came lately; its place is that of its upper bits. */
typedef struct held {
    uint64_t feature;
    uint32_t times;    /* documents that are not added yet */
    uint32_t document; /* the last one that had it */
} held;

enum { PLACE_BITS = ND_LIMIT(14, 3) };

enum { PLACES = 1 << PLACE_BITS, BLOCK = 256 };

struct nd_feature_counter {
    nd_allocator allocator;
    nd_feature_counts *counts;
    nd_distinct distinct;
    uint32_t document; /* from 1 */
    held places[PLACES];
};

static inline held *place_of(nd_feature_counter *c, uint64_t feature) {
    return &c->places[feature >> (64 - PLACE_BITS)];
}

nd_status nd_feature_counter_create(nd_feature_counts *counts, const nd_allocator *allocator,
                                    nd_feature_counter **out, nd_error *error) {
    nd_feature_counter *c = nd_allocate_zero(allocator, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "document counts");
    c->allocator = *allocator;
    c->counts = counts;
    nd_distinct_init(&c->distinct, allocator);
    c->places[0].feature = ~UINT64_C(0); /* as in the other places, what belongs elsewhere */
    *out = c;
    return ND_OK;
}

void nd_feature_counter_free(nd_feature_counter *c) {
    if (!c) return;
    for (size_t i = 0; i < PLACES; i++)
        nd_feature_counts_add_times(c->counts, &c->places[i].feature, &c->places[i].times, 1);
    nd_distinct_free(&c->distinct);
    nd_allocator allocator = c->allocator;
    nd_release(&allocator, c);
}

/* Notes the features that have a place, and moves the others to the front. No place changes hands
 * meanwhile, so that all occurrences of a feature fare alike. */
static size_t note_held(nd_feature_counter *c, uint64_t *features, size_t count) {
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t feature = features[i];
        held *h = place_of(c, feature);
        bool same = h->feature == feature;
        h->times += same & (h->document != c->document);
        h->document = same ? c->document : h->document;
        features[others] = feature;
        others += !same;
    }
    return others;
}

/* Distinct features take their places, and what they find there is added. */
static void take_places(nd_feature_counter *c, uint64_t *features, size_t count) {
    uint32_t times[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        for (size_t i = 0; i < block; i++) {
            held *h = place_of(c, features[done + i]), was = *h;
            *h = (held){features[done + i], 1, c->document};
            features[done + i] = was.feature;
            times[i] = was.times;
        }
        nd_feature_counts_add_times(c->counts, features + done, times, block);
    }
}

nd_status nd_feature_counter_add(nd_feature_counter *c, uint64_t *features, size_t count,
                                 nd_error *error) {
    c->document++;
    nd_feature_counts_add(c->counts, NULL, 0);
    size_t others = note_held(c, features, count);
    ND_TRY(nd_distinct_make(&c->distinct, features, &others, error));
    take_places(c, features, others);
    return ND_OK;
}
