/* Strings of bytes, such as ids, appended to one growing array.
 *
 * Growing may move the array. So a string is named by its offset while others are still appended,
 * and turned into a pointer when all are there. Thread-compatible. */
#ifndef ND_BASE_BYTE_ARENA_H
#define ND_BASE_BYTE_ARENA_H

#include "base/alloc.h"

#include <string.h>

/* Zero-initialised: empty. The owner calls nd_byte_arena_free with the same allocator as the other
 * functions get. */
typedef struct nd_byte_arena {
    char *bytes;
    size_t size, capacity;
} nd_byte_arena;

static inline void nd_byte_arena_free(nd_byte_arena *arena, const nd_allocator *allocator) {
    nd_release(allocator, arena->bytes);
    *arena = (nd_byte_arena){.size = 0};
}

/* Drops all strings and keeps the memory. */
static inline void nd_byte_arena_clear(nd_byte_arena *arena) { arena->size = 0; }

/* Makes room for `length` more bytes: adding them in any number of pieces then cannot fail. False:
 * out of memory, nothing has changed. */
bool nd_byte_arena_reserve(nd_byte_arena *arena, const nd_allocator *allocator, size_t length);

/* Appends a string and sets *offset. `bytes` may be NULL if `length` is 0. False: out of memory,
 * nothing has changed. */
bool nd_byte_arena_add(nd_byte_arena *arena, const nd_allocator *allocator, const void *bytes,
                       size_t length, size_t *offset);

/* The string at an offset, not NULL even if it is empty. Valid until the next string is appended.
 * REQUIRES: the arena has had a string. */
static inline const char *nd_byte_arena_at(const nd_byte_arena *arena, size_t offset) {
    return arena->bytes + offset;
}

#endif
