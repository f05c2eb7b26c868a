#include "match/overlap.h"

#include "text/analyzer.h"

#include <string.h>

/* ---- sorted sets: the public calls */

/* Public callers give any count and nothing to fail with, so the sort works in place: heap sort above, insertion sort below. */
static void sift_down(uint64_t *a, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && a[child + 1] > a[child]) child++;
        if (a[root] >= a[child]) return;
        uint64_t t = a[root];
        a[root] = a[child];
        a[child] = t;
    }
}

static void heap_sort(uint64_t *a, size_t count) {
    for (size_t i = count / 2; i-- > 0;) sift_down(a, i, count);
    for (size_t end = count; end-- > 1;) {
        uint64_t t = a[0];
        a[0] = a[end];
        a[end] = t;
        sift_down(a, 0, end);
    }
}

/* American-flag pass on the top byte (in place), then heap sort in each of the 256 runs. */
static void sort_hashes(uint64_t *a, size_t count) {
    size_t end[256] = {0}, next[256], sum = 0;
    for (size_t i = 0; i < count; i++) end[a[i] >> 56]++;
    for (size_t d = 0; d < 256; d++) {
        next[d] = sum;
        sum += end[d];
        end[d] = sum;
    }
    for (size_t d = 0, begin = 0; d < 256; begin = end[d], d++) {
        while (next[d] < end[d]) {
            size_t home = a[next[d]] >> 56;
            uint64_t t = a[next[d]];
            a[next[d]] = a[next[home]];
            a[next[home]++] = t;
        }
        heap_sort(a + begin, end[d] - begin);
    }
}

size_t nd_set_make(uint64_t *hashes, size_t count) {
    if (count == 0) return 0;
    sort_hashes(hashes, count);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (hashes[i] != hashes[kept - 1]) hashes[kept++] = hashes[i];
    return kept;
}

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

double nd_jaccard(nd_overlap overlap) {
    uint64_t set_union = overlap.size_a + overlap.size_b - overlap.intersection;
    return set_union == 0 ? 1.0 : (double)overlap.intersection / (double)set_union;
}

double nd_containment(nd_overlap overlap) {
    uint64_t smaller = overlap.size_a < overlap.size_b ? overlap.size_a : overlap.size_b;
    return smaller == 0 ? 1.0 : (double)overlap.intersection / (double)smaller;
}

nd_status nd_compare_texts(nd_analyzer *analyzer, const char *a, size_t length_a, const char *b, size_t length_b, nd_overlap *out, nd_error *error) {
    nd_allocator allocator = *nd_analyzer_allocator(analyzer);
    nd_shingles shingles;
    ND_TRY(nd_analyze(analyzer, a, length_a, &shingles, error));
    uint64_t *first = nd_allocate(&allocator, shingles.count, sizeof *first);
    if (!first) return nd_fail_memory(error, shingles.count * sizeof *first, "a shingle set");
    memcpy(first, shingles.hashes, shingles.count * sizeof *first);
    size_t first_count = nd_set_make(first, shingles.count);
    nd_status status = nd_analyze(analyzer, b, length_b, &shingles, error);
    if (status == ND_OK) *out = nd_set_overlap(first, first_count, shingles.hashes, nd_set_make(shingles.hashes, shingles.count));
    nd_release(&allocator, first);
    return status;
}

/* ---- hash sets: what jobs compare with */

void nd_hash_set_init(nd_hash_set *set, const nd_allocator *allocator) { *set = (nd_hash_set){.allocator = *allocator}; }

void nd_hash_set_free(nd_hash_set *set) {
    nd_release(&set->allocator, set->slots);
    nd_hash_set_init(set, &set->allocator);
}

/* Empty slots for `count` hashes at a load of at most two thirds; what a very large document took is given back at the next small one. */
static nd_status make_room(nd_hash_set *set, size_t count, nd_error *error) {
    size_t capacity = 64;
    while (capacity < count + count / 2) capacity *= 2;
    if (capacity > set->allocated || (set->allocated > (size_t)1 << 18 && capacity < set->allocated / 8)) {
        nd_allocator allocator = set->allocator;
        nd_release(&allocator, set->slots);
        nd_hash_set_init(set, &allocator);
        set->slots = nd_allocate(&allocator, capacity, sizeof *set->slots);
        if (!set->slots) return nd_fail_memory(error, capacity * sizeof *set->slots, "a shingle set");
        set->allocated = capacity;
    }
    set->capacity = capacity;
    set->size = 0;
    memset(set->slots, 0, capacity * sizeof *set->slots);
    return ND_OK;
}

/* The slot of a hash, or the empty one where it belongs. Shingle hashes are uniform: their low bits are the address. */
static inline size_t find(const nd_hash_set *set, uint64_t hash) {
    size_t mask = set->capacity - 1, i = (size_t)hash & mask;
    while (set->slots[i] != hash && set->slots[i] != 0) i = (i + 1) & mask;
    return i;
}

nd_status nd_hash_set_make(nd_hash_set *set, uint64_t *hashes, size_t count, nd_error *error) {
    ND_TRY(make_room(set, count, error));
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hashes[i] + !hashes[i];
        size_t slot = find(set, hash);
        hashes[size] = hash;
        size += set->slots[slot] == 0;
        set->slots[slot] = hash;
    }
    set->size = size;
    return ND_OK;
}

size_t nd_hash_set_overlap(const nd_hash_set *set, const uint64_t *hashes, size_t count, size_t least) {
    enum { STEP = 32 };
    size_t found = 0;
    for (size_t begin = 0; begin < count; begin += STEP) {
        if (found + (count - begin) < least) break;
        size_t end = count - begin < STEP ? count : begin + STEP;
        for (size_t i = begin; i < end; i++) found += set->slots[find(set, hashes[i])] != 0;
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
