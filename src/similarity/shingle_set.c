#include "similarity/shingle_set.h"

#include "base/argument.h"
#include "base/floats.h"
#include "text/analyzer.h"

#include <string.h>

/* ---- sorted sets: the public calls */

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

/* ---- hash sets: for the comparison of many pairs */

void nd_shingle_set_init(nd_shingle_set *set, const nd_allocator *allocator) {
    *set = (nd_shingle_set){.allocator = *allocator};
}

void nd_shingle_set_free(nd_shingle_set *set) {
    nd_release(&set->allocator, set->slots);
    nd_shingle_set_init(set, &set->allocator);
}

/* Provides empty buckets for `count` hashes, at most one and a third per bucket. Memory for a very
 * large document is freed at the next small one. */
static nd_status make_room(nd_shingle_set *set, size_t count, nd_error *error) {
    size_t buckets = 16;
    while (buckets + buckets / 3 < count) buckets *= 2;
    size_t bytes = buckets * ND_BUCKET_SLOTS * sizeof *set->slots;
    if (buckets > set->allocated ||
        (set->allocated > (size_t)1 << 16 && buckets < set->allocated / 8)) {
        nd_allocator allocator = set->allocator;
        nd_release(&allocator, set->slots);
        nd_shingle_set_init(set, &allocator);
        set->slots = nd_allocate(&allocator, 1, bytes);
        if (!set->slots) return nd_fail_memory(error, bytes, "a shingle set");
        set->allocated = buckets;
    }
    set->buckets = buckets;
    set->size = 0;
    memset(set->slots, 0, bytes);
    return ND_OK;
}

static inline uint64_t *bucket_of(const nd_shingle_set *set, uint64_t hash) {
    return set->slots + ((size_t)hash & (set->buckets - 1)) * ND_BUCKET_SLOTS;
}

static inline uint64_t *bucket_after(const nd_shingle_set *set, uint64_t *bucket) {
    uint64_t *next = bucket + ND_BUCKET_SLOTS;
    return next == set->slots + set->buckets * ND_BUCKET_SLOTS ? set->slots : next;
}

static inline bool bucket_has(const uint64_t *b, uint64_t hash) {
    return (b[0] == hash) | (b[1] == hash) | (b[2] == hash) | (b[3] == hash);
}
static inline bool bucket_is_full(const uint64_t *b) { return b[ND_BUCKET_SLOTS - 1] != 0; }
static inline size_t bucket_used(const uint64_t *b) {
    return (size_t)(b[0] != 0) + (b[1] != 0) + (b[2] != 0) + (b[3] != 0);
}

nd_status nd_shingle_set_make(nd_shingle_set *set, uint64_t *hashes, size_t count,
                              nd_error *error) {
    ND_TRY(make_room(set, count, error));
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hashes[i] + !hashes[i], *bucket = bucket_of(set, hash);
        while (bucket_is_full(bucket) && !bucket_has(bucket, hash))
            bucket = bucket_after(set, bucket);
        if (bucket_has(bucket, hash)) continue;
        bucket[bucket_used(bucket)] = hash;
        hashes[size++] = hash;
    }
    set->size = size;
    return ND_OK;
}

static inline bool contains(const nd_shingle_set *set, uint64_t hash) {
    uint64_t *bucket = bucket_of(set, hash);
    bool found = bucket_has(bucket, hash);
    while (bucket_is_full(bucket) && !found) {
        bucket = bucket_after(set, bucket);
        found = bucket_has(bucket, hash);
    }
    return found;
}

size_t nd_shingle_set_overlap(const nd_shingle_set *set, const uint64_t *hashes, size_t count,
                              size_t least) {
    enum { STEP = 32 };
    size_t found = 0;
    for (size_t begin = 0; begin < count; begin += STEP) {
        if (found + (count - begin) < least) break;
        size_t end = count - begin < STEP ? count : begin + STEP;
        for (size_t i = begin; i < end; i++) found += contains(set, hashes[i]);
    }
    return found;
}

size_t nd_least_intersection(size_t size_a, size_t size_b, double threshold) {
    size_t smaller = size_a < size_b ? size_a : size_b;
    double about = threshold / (1.0 + threshold) * (double)(size_a + size_b);
    size_t least = about < 2.0 ? 0 : about > (double)smaller ? smaller + 1 : (size_t)about - 1;
    while (least > 0 && nd_jaccard((nd_overlap){size_a, size_b, least - 1}) >= threshold) least--;
    while (least <= smaller && nd_jaccard((nd_overlap){size_a, size_b, least}) < threshold) least++;
    return least;
}
