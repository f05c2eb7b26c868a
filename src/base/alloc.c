#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static void *default_reallocate(void *context, void *memory, size_t size) {
    (void)context;
    return realloc(memory, size);
}

static void default_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

const nd_allocator nd_allocator_default = {NULL, default_allocate, default_reallocate,
                                           default_release};

nd_allocator nd_allocator_or_default(const nd_allocator *allocator) {
    return allocator ? *allocator : nd_allocator_default;
}

static bool product(size_t count, size_t size, size_t *bytes) {
    if (__builtin_mul_overflow(count, size, bytes)) return false;
    if (*bytes == 0) *bytes = 1;
    return true;
}

void *nd_allocate(const nd_allocator *allocator, size_t count, size_t size) {
    size_t bytes;
    return product(count, size, &bytes) ? allocator->allocate(allocator->context, bytes) : NULL;
}

void *nd_allocate_zero(const nd_allocator *allocator, size_t count, size_t size) {
    /* Pages that calloc takes from the system are zero, and are made when they are first used. */
    size_t bytes;
    if (!product(count, size, &bytes)) return NULL;
    if (allocator->allocate == default_allocate) return calloc(1, bytes);
    void *memory = allocator->allocate(allocator->context, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void *nd_reallocate(const nd_allocator *allocator, void *memory, size_t count, size_t size) {
    size_t bytes;
    return product(count, size, &bytes) ? allocator->reallocate(allocator->context, memory, bytes)
                                        : NULL;
}

void nd_release(const nd_allocator *allocator, void *memory) {
    if (memory) allocator->release(allocator->context, memory);
}

bool nd_reserve_bytes(const nd_allocator *allocator, void **memory, size_t *capacity, size_t need,
                      size_t size) {
    if (need <= *capacity) return true;
    size_t grown = *capacity + *capacity / 2;
    if (grown < need) grown = need;
    if (grown < 16) grown = 16;
    void *larger = nd_reallocate(allocator, *memory, grown, size);
    if (!larger) return false;
    *memory = larger;
    *capacity = grown;
    return true;
}
