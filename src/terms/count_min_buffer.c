#include "terms/count_min_buffer.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "terms/distinct_features.h"

/* A recent feature, in the slot of its upper bits. */
typedef struct slot {
    uint64_t feature;
    uint32_t times;    /* documents with it that are not in the sketch yet */
    uint32_t document; /* the latest document with it */
} slot;

enum { SLOT_BITS = ND_LIMIT(14, 3) };

enum { SLOTS = 1 << SLOT_BITS, BLOCK = 256 };

struct nd_count_min_buffer {
    nd_allocator allocator;
    nd_count_min *counts;
    nd_distinct_features distinct;
    uint32_t document; /* number of the latest document, from 1 */
    slot slots[SLOTS];
};

static inline slot *slot_of(nd_count_min_buffer *c, uint64_t feature) {
    return &c->slots[feature >> (64 - SLOT_BITS)];
}

nd_status nd_count_min_buffer_create(nd_count_min *counts, const nd_allocator *allocator,
                                     nd_count_min_buffer **out, nd_error *error) {
    nd_count_min_buffer *c = nd_allocate_zero(allocator, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "document counts");
    c->allocator = *allocator;
    c->counts = counts;
    nd_distinct_features_init(&c->distinct, allocator);
    /* A free slot holds a feature that belongs to another slot. 0 is one in all but the first. */
    c->slots[0].feature = ~UINT64_C(0);
    *out = c;
    return ND_OK;
}

void nd_count_min_buffer_free(nd_count_min_buffer *c) {
    if (!c) return;
    for (size_t i = 0; i < SLOTS; i++)
        nd_count_min_add_counts(c->counts, &c->slots[i].feature, &c->slots[i].times, 1);
    nd_distinct_features_free(&c->distinct);
    nd_allocator allocator = c->allocator;
    nd_release(&allocator, c);
}

/* Counts the features that have a slot, and moves the others to the front. No slot changes its
 * feature meanwhile, so that all occurrences of a feature are treated alike. */
static size_t count_buffered(nd_count_min_buffer *c, uint64_t *features, size_t count) {
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t feature = features[i];
        slot *s = slot_of(c, feature);
        bool same = s->feature == feature;
        s->times += same & (s->document != c->document);
        s->document = same ? c->document : s->document;
        features[others] = feature;
        others += !same;
    }
    return others;
}

/* Gives distinct features their slots, and adds the counts of the features that were there to the
 * sketch. */
static void replace_slots(nd_count_min_buffer *c, uint64_t *features, size_t count) {
    uint32_t times[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        for (size_t i = 0; i < block; i++) {
            slot *s = slot_of(c, features[done + i]), old = *s;
            *s = (slot){features[done + i], 1, c->document};
            features[done + i] = old.feature;
            times[i] = old.times;
        }
        nd_count_min_add_counts(c->counts, features + done, times, block);
    }
}

nd_status nd_count_min_buffer_add_document(nd_count_min_buffer *c, uint64_t *features, size_t count,
                                           nd_error *error) {
    c->document++;
    nd_count_min_add_document(c->counts, NULL, 0);
    size_t others = count_buffered(c, features, count);
    ND_TRY(nd_distinct_features_find(&c->distinct, features, &others, error));
    replace_slots(c, features, others);
    return ND_OK;
}
