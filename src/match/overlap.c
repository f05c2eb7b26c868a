#include "match/overlap.h"

#include <math.h>
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

/* ---- the table */

void nd_overlap_table_init(nd_overlap_table *table, const nd_allocator *allocator) { *table = (nd_overlap_table){.allocator = *allocator}; }

void nd_overlap_table_free(nd_overlap_table *table) {
    nd_release(&table->allocator, table->slots);
    nd_release(&table->allocator, table->marks);
}

/* Room for `entries` hashes at a load of at most one half. */
static nd_status make_room(nd_overlap_table *table, size_t entries, nd_error *error) {
    size_t capacity = 64;
    while (capacity < 2 * entries) capacity *= 2;
    if (capacity > table->allocated) {
        nd_overlap_table_free(table);
        table->slots = nd_allocate(&table->allocator, capacity, sizeof *table->slots);
        table->marks = nd_allocate(&table->allocator, capacity, sizeof *table->marks);
        table->allocated = table->slots && table->marks ? capacity : 0;
        if (table->allocated == 0) {
            nd_overlap_table_free(table);
            table->slots = NULL;
            table->marks = NULL;
            return nd_fail_memory(error, capacity * 9, "a shingle set");
        }
    }
    table->capacity = capacity;
    memset(table->slots, 0, capacity * sizeof *table->slots);
    memset(table->marks, 0, capacity * sizeof *table->marks);
    table->has_b = false;
    return ND_OK;
}

/* The slot of a hash, or the empty one where it belongs. The hashes are uniform: their low bits are the address. */
static inline size_t find(const nd_overlap_table *table, uint64_t hash) {
    size_t mask = table->capacity - 1, i = (size_t)hash & mask;
    while (table->slots[i] != hash && table->slots[i] != 0) i = (i + 1) & mask;
    return i;
}

static void insert_a(nd_overlap_table *table) {
    table->a_size = 0;
    table->a_has_zero = false;
    for (size_t i = 0; i < table->a_count; i++) {
        uint64_t hash = table->a[i];
        if (hash == 0) {
            table->a_size += !table->a_has_zero;
            table->a_has_zero = true;
            continue;
        }
        size_t slot = find(table, hash);
        table->a_size += table->slots[slot] == 0;
        table->slots[slot] = hash;
    }
}

nd_status nd_overlap_set_a(nd_overlap_table *table, const uint64_t *hashes, size_t count, nd_error *error) {
    ND_TRY(make_room(table, 2 * count, error));
    table->a = hashes;
    table->a_count = count;
    insert_a(table);
    return ND_OK;
}

nd_status nd_overlap_with(nd_overlap_table *table, const uint64_t *hashes, size_t count, nd_overlap *out, nd_error *error) {
    /* Each B leaves what only it has in the table. It starts from A alone: cheaper than looking for B's repeats in another way. */
    if (table->has_b || 2 * (table->a_count + count) > table->capacity) {
        ND_TRY(make_room(table, table->a_count + count, error));
        insert_a(table);
    }
    table->has_b = true;
    uint64_t both = 0, only_b = 0;
    bool zero = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hashes[i];
        if (hash == 0) {
            zero = true;
            continue;
        }
        size_t slot = find(table, hash);
        if (table->slots[slot] == 0) {
            table->slots[slot] = hash;
            table->marks[slot] = 1;
            only_b++;
        } else if (table->marks[slot] == 0) {
            table->marks[slot] = 1;
            both++;
        }
    }
    if (zero) {
        if (table->a_has_zero) both++;
        else only_b++;
    }
    *out = (nd_overlap){table->a_size, both + only_b, both};
    return ND_OK;
}
