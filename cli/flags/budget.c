#include "flags/budget.h"

#include <stddef.h>
#include <stdlib.h>

/* Precedes each allocation, so that its size is known when it is released. */
typedef union head {
    size_t size;
    max_align_t aligned;
} head;

static bool take(budget *b, size_t size) {
    if (atomic_fetch_add(&b->used, size) + size <= b->limit) return true;
    atomic_fetch_sub(&b->used, size);
    atomic_store(&b->exceeded, true);
    return false;
}

static void *reallocate(void *context, void *memory, size_t size) {
    budget *b = context;
    head *old = memory ? (head *)memory - 1 : NULL;
    size_t before = old ? old->size : 0;
    if (size > SIZE_MAX - sizeof(head) || !take(b, size)) return NULL;
    head *new = realloc(old, sizeof(head) + size);
    atomic_fetch_sub(&b->used, new ? before : size);
    if (!new) return NULL;
    new->size = size;
    return new + 1;
}

static void *allocate(void *context, size_t size) { return reallocate(context, NULL, size); }

static void release(void *context, void *memory) {
    budget *b = context;
    if (!memory) return;
    head *old = (head *)memory - 1;
    atomic_fetch_sub(&b->used, old->size);
    free(old);
}

nd_allocator budget_allocator(budget *b) {
    return (nd_allocator){
        .context = b, .allocate = allocate, .reallocate = reallocate, .release = release};
}
