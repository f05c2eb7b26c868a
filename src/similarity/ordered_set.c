#include "similarity/ordered_set.h"

#include "base/bits.h"

#include <string.h>

/* Slots per shingle, at least. A quarter of the slots is in use at most, so that a shingle mostly
 * meets an empty slot or its own: a branch that the processor can foresee. */
enum { SPARSE = 4 };

void nd_ordered_set_init(nd_ordered_set *set, const nd_allocator *allocator) {
    *set = (nd_ordered_set){.allocator = *allocator};
}

void nd_ordered_set_free(nd_ordered_set *set) {
    nd_release(&set->allocator, set->values);
    nd_release(&set->allocator, set->places);
    nd_release(&set->allocator, set->marks);
    nd_ordered_set_init(set, &set->allocator);
}

static size_t slots_for(size_t count) {
    size_t slots = 64;
    while (slots < SPARSE * count) slots *= 2;
    return slots;
}

/* Provides memory for `count` shingles. That for a very large document is freed at the next small
 * one. */
static nd_status make_room(nd_ordered_set *set, size_t count, nd_error *error) {
    enum { LARGE = 1 << 16 };
    bool wasteful = set->allocated > LARGE && count < set->allocated / 8;
    if (set->allocated > 0 && count <= set->allocated && !wasteful) return ND_OK;
    nd_allocator allocator = set->allocator;
    size_t slots = slots_for(count), room = slots / SPARSE;
    nd_ordered_set_free(set);
    set->values = nd_allocate(&allocator, room, sizeof *set->values);
    set->places = nd_allocate(&allocator, slots, sizeof *set->places);
    set->marks = nd_allocate(&allocator, (room + 63) / 64, sizeof *set->marks);
    if (!set->values || !set->places || !set->marks)
        return nd_fail_memory(error, room * sizeof *set->values, "a shingle set");
    set->allocated = room;
    return ND_OK;
}

/* Returns the slot that has the value, or is free for it. */
static inline size_t slot_of(const uint32_t *places, size_t mask, const uint64_t *values,
                             uint64_t value) {
    size_t slot = (size_t)value & mask;
    while (places[slot] && values[places[slot] - 1] != value) slot = (slot + 1) & mask;
    return slot;
}

/* Fills a set that there is room for. The shingles may stand where the values will. */
static void fill(nd_ordered_set *set, const uint64_t *shingles, size_t count) {
    set->slots = slots_for(count);
    memset(set->places, 0, set->slots * sizeof *set->places);
    uint64_t *values = set->values;
    uint32_t *restrict places = set->places, size = 0;
    size_t mask = set->slots - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = shingles[i];
        size_t slot = slot_of(places, mask, values, value);
        if (places[slot]) continue;
        values[size] = value;
        places[slot] = ++size;
    }
    set->size = size;
}

nd_status nd_ordered_set_make(nd_ordered_set *set, const uint64_t *shingles, size_t count,
                              nd_error *error) {
    ND_TRY(make_room(set, count, error));
    fill(set, shingles, count);
    return ND_OK;
}

/* Returns how many values two arrays have in common at their beginnings. */
static inline size_t run_length(const uint64_t *a, const uint64_t *b, size_t most) {
    size_t i = 0;
    for (; i + 4 <= most; i += 4)
        if ((a[i] ^ b[i]) | (a[i + 1] ^ b[i + 1]) | (a[i + 2] ^ b[i + 2]) | (a[i + 3] ^ b[i + 3]))
            break;
    while (i < most && a[i] == b[i]) i++;
    return i;
}

static inline void mark_run(uint64_t *marks, size_t first, size_t count) {
    while (count > 0) {
        size_t bit = first % 64, here = count < 64 - bit ? count : 64 - bit;
        marks[first / 64] |= UINT64_MAX >> (64 - here) << bit;
        first += here;
        count -= here;
    }
}

/* Marks the values that the text has, and writes its other shingles, with repeats, to `others`.
 * Returns the number of these. */
static size_t walk(nd_ordered_set *set, const uint64_t *shingles, size_t count, uint64_t *others) {
    const uint64_t *values = set->values;
    const uint32_t *places = set->places;
    size_t next = 0, mask = set->slots - 1, alone = 0; /* next: where the next run may go on */
    for (size_t i = 0; i < count;) {
        size_t left = set->size - next, most = count - i < left ? count - i : left;
        size_t run = run_length(values + next, shingles + i, most);
        mark_run(set->marks, next, run);
        for (i += run; i < count; i++) {
            uint32_t place = places[slot_of(places, mask, values, shingles[i])];
            if (place == 0) {
                others[alone++] = shingles[i];
                continue;
            }
            next = place - 1;
            break;
        }
    }
    return alone;
}

nd_status nd_ordered_set_compare(nd_ordered_set *set, nd_ordered_set *others,
                                 const uint64_t *shingles, size_t count, nd_overlap *overlap,
                                 nd_error *error) {
    size_t words = (set->size + 63) / 64, common = 0;
    ND_TRY(make_room(others, count, error));
    memset(set->marks, 0, words * sizeof *set->marks);
    fill(others, others->values, walk(set, shingles, count, others->values));
    for (size_t i = 0; i < words; i++) common += nd_popcount(set->marks[i]);
    *overlap = (nd_overlap){common + others->size, set->size, common};
    return ND_OK;
}
