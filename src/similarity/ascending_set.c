#include "similarity/ascending_set.h"

#include "base/bits.h"
#include "kernel/kernel.h"
#include "similarity/packed_set.h"

#include <string.h>

void nd_ascending_set_init(nd_ascending_set *set, const nd_allocator *allocator) {
    *set = (nd_ascending_set){.allocator = *allocator};
    nd_ordered_set_init(&set->alone, allocator);
}

void nd_ascending_set_free(nd_ascending_set *set) {
    const nd_allocator *a = &set->allocator;
    nd_release(a, set->values);
    nd_release(a, set->windows);
    nd_release(a, set->marks);
    nd_release(a, set->others);
    nd_ordered_set_free(&set->alone);
    nd_ascending_set_init(set, a);
}

/* Whether memory for a very large set or text should be freed, because the next one is small. */
static bool is_wasteful(size_t capacity, size_t count) {
    return capacity > 1 << 16 && count < capacity / 8;
}

static nd_status make_room(nd_ascending_set *set, size_t count, size_t buckets, nd_error *error) {
    const nd_allocator allocator = set->allocator;
    if (is_wasteful(set->value_capacity, count)) nd_ascending_set_free(set);
    if (nd_reserve(&allocator, &set->values, &set->value_capacity, count + ND_WINDOW_VALUES) &&
        nd_reserve(&allocator, &set->windows, &set->window_capacity, buckets) &&
        nd_reserve(&allocator, &set->marks, &set->mark_capacity, count + sizeof(uint64_t)))
        return ND_OK;
    return nd_fail_memory(error, count * sizeof *set->values, "a shingle set");
}

/* Fills the table. The window of an empty bucket is the first one, which no shingle equals. */
static void fill_table(nd_ascending_set *set, size_t buckets) {
    const uint64_t *values = set->values + ND_WINDOW_VALUES;
    uint32_t *restrict windows = set->windows;
    memset(windows, 0, buckets * sizeof *windows);
    for (size_t i = 0; i < set->size; i++) windows[values[i] >> set->shift] = (uint32_t)i + 1;
}

nd_status nd_ascending_set_unpack(nd_ascending_set *set, const unsigned char *packed, size_t size,
                                  bool *whole, nd_error *error) {
    size_t count;
    *whole = nd_packed_set_count(packed, size, &count);
    if (!*whole) return ND_OK;
    unsigned bits = count < 2 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
    ND_TRY(make_room(set, count, (size_t)1 << bits, error));
    set->size = count;
    set->shift = ND_SET_BITS - bits;
    for (size_t i = 0; i < ND_WINDOW_VALUES; i++) set->values[i] = UINT64_MAX;
    *whole = nd_packed_set_unpack(packed, size, count, set->values + ND_WINDOW_VALUES);
    if (*whole) fill_table(set, (size_t)1 << bits);
    return ND_OK;
}

nd_status nd_ascending_set_compare(nd_ascending_set *set, const uint64_t *shingles, size_t count,
                                   nd_overlap *overlap, nd_error *error) {
    const size_t bytes = set->size / sizeof(uint64_t) * sizeof(uint64_t) + sizeof(uint64_t);
    size_t common = 0;
    if (is_wasteful(set->other_capacity, count)) {
        nd_release(&set->allocator, set->others);
        set->others = NULL;
        set->other_capacity = 0;
    }
    if (!nd_reserve(&set->allocator, &set->others, &set->other_capacity, count + 1))
        return nd_fail_memory(error, count * sizeof *set->others, "a shingle set");
    memset(set->marks, 0, bytes);
    const nd_value_windows windows = {set->values, set->windows, set->shift, ND_SET_MASK};
    size_t alone = nd_kernel_get()->mark_values(&windows, shingles, count, set->marks, set->others);
    ND_TRY(nd_ordered_set_make(&set->alone, set->others, alone, error));
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t))
        common += nd_popcount(nd_load_le64(set->marks + i));
    *overlap = (nd_overlap){set->size, common + set->alone.size, common};
    return ND_OK;
}
