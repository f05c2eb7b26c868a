#include "review/group_counts.h"

#include "review/row_sample.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1 << 10 };

uint64_t group_key_add(uint64_t key, const char *bytes, size_t length) {
    /* FNV-1a (Fowler, Noll and Vo 1991); the mixer makes all bits as good as the high ones. The
     * length keeps pieces apart. */
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ key;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return row_hash(hash + length);
}

/* The slot of a key, or the free one where it would be. */
static group_slot *find_slot(group_slot *slots, size_t capacity, uint64_t key) {
    size_t at = key & (capacity - 1);
    while (slots[at].rows > 0 && slots[at].key != key) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool grow(group_counts *c) {
    size_t capacity = c->capacity ? 2 * c->capacity : FIRST_CAPACITY;
    group_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < c->capacity; i++)
        if (c->slots[i].rows > 0) *find_slot(slots, capacity, c->slots[i].key) = c->slots[i];
    free(c->slots);
    c->slots = slots;
    c->capacity = capacity;
    return true;
}

bool group_counts_add(group_counts *c, uint64_t key) {
    if (c->count >= c->capacity / 4 * 3 && !grow(c)) return false;
    group_slot *slot = find_slot(c->slots, c->capacity, key);
    c->count += slot->rows == 0;
    slot->key = key;
    slot->rows++;
    return true;
}

group_slot *group_counts_find(const group_counts *c, uint64_t key) {
    return find_slot(c->slots, c->capacity, key);
}

void group_counts_free(group_counts *c) {
    free(c->slots);
    *c = (group_counts){.slots = NULL};
}
