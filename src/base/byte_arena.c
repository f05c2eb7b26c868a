#include "base/byte_arena.h"

/* One byte more than the strings take, so that an empty string has an address, too. */
bool nd_byte_arena_reserve(nd_byte_arena *arena, const nd_allocator *allocator, size_t length) {
    if (length >= SIZE_MAX - arena->size) return false;
    return nd_reserve(allocator, &arena->bytes, &arena->capacity, arena->size + length + 1);
}

bool nd_byte_arena_add(nd_byte_arena *arena, const nd_allocator *allocator, const void *bytes,
                       size_t length, size_t *offset) {
    if (!nd_byte_arena_reserve(arena, allocator, length)) return false;
    *offset = arena->size;
    if (length > 0) memcpy(arena->bytes + arena->size, bytes, length);
    arena->size += length;
    return true;
}
