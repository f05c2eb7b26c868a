#include "similarity/ordered_set.h"

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
    nd_ordered_set_init(set, &set->allocator);
}

static size_t slots_for(size_t count) {
    size_t slots = 64;
    while (slots < SPARSE * count) slots *= 2;
    return slots;
}

/* Provides free slots for `count` shingles. Memory for a very large document is freed at the next
 * small one. */
static nd_status make_room(nd_ordered_set *set, size_t count, nd_error *error) {
    enum { LARGE = 1 << 16 };
    if (count > set->allocated || (set->allocated > LARGE && count < set->allocated / 8)) {
        nd_allocator allocator = set->allocator;
        size_t slots = slots_for(count), room = slots / SPARSE;
        nd_ordered_set_free(set);
        set->values = nd_allocate(&allocator, room, sizeof *set->values);
        set->places = nd_allocate(&allocator, slots, sizeof *set->places);
        if (!set->values || !set->places)
            return nd_fail_memory(error, room * sizeof *set->values, "a shingle set");
        set->allocated = room;
    }
    set->slots = slots_for(count);
    set->size = 0;
    memset(set->places, 0, set->slots * sizeof *set->places);
    return ND_OK;
}

/* Returns the slot that has the value, or is free for it. */
static inline size_t slot_of(const uint32_t *places, size_t mask, const uint64_t *values,
                             uint64_t value) {
    size_t slot = (size_t)value & mask;
    while (places[slot] && values[places[slot] - 1] != value) slot = (slot + 1) & mask;
    return slot;
}

nd_status nd_ordered_set_make(nd_ordered_set *set, const uint64_t *shingles, size_t count,
                              nd_error *error) {
    ND_TRY(make_room(set, count, error));
    uint64_t *restrict values = set->values;
    uint32_t *restrict places = set->places, size = 0;
    size_t mask = set->slots - 1;
    for (size_t i = 0; i < count; i++) {
        size_t slot = slot_of(places, mask, values, shingles[i]);
        if (places[slot]) continue;
        values[size] = shingles[i];
        places[slot] = ++size;
    }
    set->size = size;
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

size_t nd_ordered_set_overlap(const nd_ordered_set *set, const uint64_t *values, size_t count) {
    size_t found = 0, next = 0, mask = set->slots - 1; /* next: where the next run may go on */
    for (size_t i = 0; i < count;) {
        size_t left = set->size - next, most = count - i < left ? count - i : left;
        size_t run = run_length(set->values + next, values + i, most);
        found += run;
        for (i += run; i < count; i++) {
            uint32_t place = set->places[slot_of(set->places, mask, set->values, values[i])];
            if (place == 0) continue;
            next = place - 1;
            break;
        }
    }
    return found;
}
