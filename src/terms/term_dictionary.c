#include "terms/term_dictionary.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/status.h"

#include <string.h>

enum { FIRST_SLOTS = 256 };

typedef struct slot {
    uint64_t feature; /* 0: free */
    uint32_t offset;  /* of the term in `bytes`: its length (1 byte), then its bytes */
} slot;

struct nd_term_dictionary {
    nd_allocator allocator;
    slot *slots;       /* linear probing; at most two thirds full */
    size_t slot_count; /* a power of two */
    size_t count;
    unsigned char *bytes;
    size_t size, capacity;
};

nd_status nd_term_dictionary_create(const nd_allocator *allocator, nd_term_dictionary **out,
                                    nd_error *error) {
    nd_term_dictionary *n = nd_allocate_zero(allocator, 1, sizeof *n);
    if (!n) return nd_fail_memory(error, sizeof *n, "names of terms");
    n->allocator = *allocator;
    n->slot_count = FIRST_SLOTS;
    n->slots = nd_allocate_zero(allocator, FIRST_SLOTS, sizeof *n->slots);
    if (!n->slots) {
        nd_term_dictionary_free(n);
        return nd_fail_memory(error, FIRST_SLOTS * sizeof *n->slots, "names of terms");
    }
    *out = n;
    return ND_OK;
}

void nd_term_dictionary_free(nd_term_dictionary *n) {
    if (!n) return;
    nd_allocator allocator = n->allocator;
    nd_release(&allocator, n->slots);
    nd_release(&allocator, n->bytes);
    nd_release(&allocator, n);
}

size_t nd_term_dictionary_count(const nd_term_dictionary *n) { return n->count; }

static size_t home(const nd_term_dictionary *n, uint64_t feature) {
    return (size_t)nd_mix64(feature) & (n->slot_count - 1);
}

/* Returns the feature's slot, or the free slot where it would be stored. */
static slot *slot_of(const nd_term_dictionary *n, uint64_t feature) {
    size_t mask = n->slot_count - 1, i = home(n, feature);
    while (n->slots[i].feature != 0 && n->slots[i].feature != feature) i = (i + 1) & mask;
    return &n->slots[i];
}

static nd_status grow(nd_term_dictionary *n, nd_error *error) {
    nd_term_dictionary larger = *n;
    larger.slot_count = 2 * n->slot_count;
    larger.slots = nd_allocate_large_zero(&n->allocator, larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return nd_fail_memory(error, larger.slot_count * sizeof *larger.slots, "names of terms");
    for (size_t i = 0; i < n->slot_count; i++)
        if (n->slots[i].feature != 0) *slot_of(&larger, n->slots[i].feature) = n->slots[i];
    nd_release(&n->allocator, n->slots);
    *n = larger;
    return ND_OK;
}

nd_status nd_term_dictionary_add(nd_term_dictionary *n, uint64_t feature, const void *term,
                                 size_t length, nd_error *error) {
    if (3 * (n->count + 1) > 2 * n->slot_count) ND_TRY(grow(n, error));
    slot *s = slot_of(n, feature);
    if (s->feature != 0) return ND_OK;
    if (n->size + length >= UINT32_MAX)
        return nd_fail(error, ND_ERR_MEMORY, "names of terms take more than 4 GiB");
    if (!nd_reserve(&n->allocator, &n->bytes, &n->capacity, n->size + length + 1))
        return nd_fail_memory(error, n->size + length, "names of terms");
    *s = (slot){feature, (uint32_t)n->size};
    n->bytes[n->size] = (unsigned char)length;
    memcpy(n->bytes + n->size + 1, term, length);
    n->size += length + 1;
    n->count++;
    return ND_OK;
}

static void get_term(const nd_term_dictionary *n, const slot *s, const char **term,
                     size_t *length) {
    *length = n->bytes[s->offset];
    *term = (const char *)n->bytes + s->offset + 1;
}

void nd_term_dictionary_prefetch(const nd_term_dictionary *n, uint64_t feature) {
    __builtin_prefetch(&n->slots[home(n, feature)]);
}

bool nd_term_dictionary_find(const nd_term_dictionary *n, uint64_t feature, const char **term,
                             size_t *length) {
    const slot *s = slot_of(n, feature);
    if (feature == 0 || s->feature == 0) return false;
    get_term(n, s, term, length);
    return true;
}

bool nd_term_dictionary_next(const nd_term_dictionary *n, size_t *at, uint64_t *feature,
                             const char **term, size_t *length) {
    while (*at < n->slot_count && n->slots[*at].feature == 0) ++*at;
    if (*at == n->slot_count) return false;
    const slot *s = &n->slots[(*at)++];
    *feature = s->feature;
    get_term(n, s, term, length);
    return true;
}
