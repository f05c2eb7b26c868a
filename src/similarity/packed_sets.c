#include "similarity/packed_sets.h"

#include "similarity/packed_set.h"

/* Values of scratch that are kept for the next document; a huge one gives its memory back. */
enum { MOST_KEPT = 1 << 18 };

nd_status nd_packed_sets_add(nd_packed_sets *s, const nd_allocator *allocator, uint64_t *shingles,
                             size_t count, size_t *set_size, nd_error *error) {
    if (!nd_reserve(allocator, &s->scratch, &s->scratch_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->scratch, "a shingle set");
    count = nd_packed_set_sort(shingles, s->scratch, count);
    *set_size = nd_packed_set_size(count);
    if (!nd_reserve(allocator, &s->bytes, &s->capacity, s->size + *set_size + ND_SET_BEHIND))
        return nd_fail_memory(error, *set_size, "shingle sets");
    nd_packed_set_pack(shingles, count, s->bytes + s->size);
    s->size += *set_size;
    if (s->scratch_capacity > MOST_KEPT) {
        nd_release(allocator, s->scratch);
        s->scratch = NULL;
        s->scratch_capacity = 0;
    }
    return ND_OK;
}

void nd_packed_sets_free(nd_packed_sets *s, const nd_allocator *allocator) {
    nd_release(allocator, s->bytes);
    nd_release(allocator, s->scratch);
    *s = (nd_packed_sets){0};
}
