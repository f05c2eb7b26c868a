#include "dedup/class_table.h"

#include "base/hash.h"

#include <string.h>

static const char other_name[] = "(other)";

static bool has_name(const nd_class_table *t, uint32_t number, const char *name, size_t length) {
    const char *own = nd_class_name(t, &t->entries[number]);
    return strlen(own) == length && memcmp(own, name, length) == 0;
}

/* The slot with the name, or the free one where it belongs. REQUIRES: a slot is free. */
static size_t find_slot(const nd_class_table *t, const char *name, size_t length) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    size_t mask = t->slot_count - 1,
           slot = (size_t)nd_mix64(nd_hash_token(&key, name, length)) & mask;
    while (t->slots[slot] && !has_name(t, t->slots[slot] - 1, name, length))
        slot = (slot + 1) & mask;
    return slot;
}

/* Makes room for one more name: at most half of the slots are taken. */
static nd_status grow_slots(nd_class_table *t, nd_error *error) {
    size_t count = t->slot_count ? t->slot_count * 2 : 64;
    if (2 * (t->count + 1) <= t->slot_count) return ND_OK;
    uint32_t *slots = nd_allocate_zero(&t->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "classes of documents");
    nd_release(&t->allocator, t->slots);
    t->slots = slots;
    t->slot_count = count;
    for (uint32_t i = 0; i < t->count; i++) {
        const char *name = nd_class_name(t, &t->entries[i]);
        t->slots[find_slot(t, name, strlen(name))] = i + 1;
    }
    return ND_OK;
}

static nd_status add_entry(nd_class_table *t, const char *name, size_t length, nd_error *error) {
    ND_TRY(grow_slots(t, error));
    if (!nd_reserve(&t->allocator, &t->entries, &t->capacity, t->count + 1) ||
        !nd_reserve(&t->allocator, &t->names, &t->names_capacity, t->names_size + length + 1))
        return nd_fail_memory(error, length + sizeof *t->entries, "classes of documents");
    memcpy(t->names + t->names_size, name, length);
    t->names[t->names_size + length] = '\0';
    t->entries[t->count] = (nd_class_entry){.name = t->names_size};
    t->names_size += length + 1;
    t->slots[find_slot(t, name, length)] = (uint32_t)++t->count;
    return ND_OK;
}

static bool is_full(const nd_class_table *t, size_t length) {
    return t->count >= ND_CLASSES_MOST || length >= ND_CLASS_NAMES_MOST - t->names_size;
}

nd_status nd_class_table_find(nd_class_table *t, const char *name, size_t length, uint32_t *out,
                              nd_error *error) {
    /* Documents of one class often follow each other. */
    bool again = t->last && has_name(t, t->last - 1, name, length);
    size_t slot = again || t->slot_count == 0 ? 0 : find_slot(t, name, length);
    if (again) {
        *out = t->last - 1;
    } else if (t->slot_count > 0 && t->slots[slot]) {
        *out = t->slots[slot] - 1;
    } else if (t->other) {
        *out = t->other - 1;
    } else if (is_full(t, length)) {
        ND_TRY(add_entry(t, other_name, sizeof other_name - 1, error));
        t->other = (uint32_t)t->count;
        *out = t->other - 1;
    } else {
        ND_TRY(add_entry(t, name, length, error));
        *out = (uint32_t)t->count - 1;
    }
    t->last = *out + 1;
    return ND_OK;
}

void nd_class_table_free(nd_class_table *t) {
    if (!t->entries && !t->slots && !t->names) return;
    nd_release(&t->allocator, t->entries);
    nd_release(&t->allocator, t->names);
    nd_release(&t->allocator, t->slots);
}
