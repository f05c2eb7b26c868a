#include "dedup/compared_sets.h"

#include "base/limits.h"
#include "base/machine.h"

#include <string.h>

/* Words of a slab, at most; memory that is too small for LEAST_SLABS of them has smaller ones. */
enum { SLAB_WORDS = ND_LIMIT(1 << 20, 64), LEAST_SLABS = 4, SLOT_MEMORY = 1024 };

/* A document's words. The position counts all words since the beginning, so it tells the turn in
 * which its slab was filled. */
typedef struct slot {
    uint64_t position;
    uint32_t rank, count; /* count 0: empty */
} slot;

struct nd_compared_sets {
    nd_allocator allocator;
    slot *slots; /* of a rank: slots[rank % slot_count] */
    size_t slot_count;
    uint64_t **slabs;
    size_t slab_count, slab_capacity; /* allocated so far */
    size_t most_slabs, slab_words;
    uint64_t end; /* the position behind the last words */
};

nd_status nd_compared_sets_create(const nd_allocator *allocator, size_t memory, size_t documents,
                                  nd_compared_sets **out, nd_error *error) {
    const nd_allocator *a = allocator;
    nd_compared_sets *c = *out = nd_allocate_zero(a, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "compared sets");
    size_t words = memory / sizeof(uint64_t), slots = memory / SLOT_MEMORY + 1;
    if (slots > documents + 1) slots = documents + 1;
    c->allocator = *a;
    c->slot_count = slots;
    c->slab_words = words / LEAST_SLABS < SLAB_WORDS ? words / LEAST_SLABS : SLAB_WORDS;
    c->most_slabs = c->slab_words > 0 ? words / c->slab_words : 0;
    c->slots = nd_allocate_zero(a, c->slot_count, sizeof *c->slots);
    if (c->slots) return ND_OK;
    nd_compared_sets_free(c);
    *out = NULL;
    return nd_fail_memory(error, slots * sizeof *c->slots, "compared sets");
}

void nd_compared_sets_free(nd_compared_sets *c) {
    if (!c) return;
    const nd_allocator allocator = c->allocator;
    for (size_t s = 0; s < c->slab_count; s++) nd_release(&allocator, c->slabs[s]);
    nd_release(&allocator, c->slabs);
    nd_release(&allocator, c->slots);
    nd_release(&allocator, c);
}

/* Returns the slab of a position, or NULL. Positions ascend. */
static uint64_t *slab_at(nd_compared_sets *c, uint64_t position) {
    size_t s = (size_t)(position / c->slab_words % c->most_slabs);
    if (s < c->slab_count) return c->slabs[s];
    if (!nd_reserve(&c->allocator, &c->slabs, &c->slab_capacity, s + 1)) return NULL;
    c->slabs[s] = nd_allocate_large(&c->allocator, c->slab_words, sizeof **c->slabs);
    c->slab_count += c->slabs[s] != NULL;
    return c->slabs[s];
}

void nd_compared_sets_keep(nd_compared_sets *c, uint32_t rank, const uint64_t *words,
                           size_t count) {
    if (count == 0 || count > c->slab_words) return;
    uint64_t position = c->end, left = c->slab_words - position % c->slab_words;
    if (count > left) position += left;
    uint64_t *slab = slab_at(c, position);
    if (!slab) return;
    memcpy(slab + position % c->slab_words, words, count * sizeof *words);
    c->end = position + count;
    c->slots[rank % c->slot_count] = (slot){position, rank, (uint32_t)count};
}

/* A slab is filled again when as many slabs as there are have been begun behind it. */
uint64_t *nd_compared_sets_find(const nd_compared_sets *c, uint32_t rank, size_t *count) {
    const slot *s = &c->slots[rank % c->slot_count];
    if (s->count == 0 || s->rank != rank) return NULL;
    uint64_t slab = s->position / c->slab_words, newest = (c->end - 1) / c->slab_words;
    if (newest - slab >= c->most_slabs) return NULL;
    *count = s->count;
    return c->slabs[slab % c->most_slabs] + s->position % c->slab_words;
}
