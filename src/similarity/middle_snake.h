/* Where a shortest edit script of two sequences can be cut in two: the middle of the script, found
 * from both ends at once (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, section
 * 4b). */
#ifndef ND_SIMILARITY_MIDDLE_SNAKE_H
#define ND_SIMILARITY_MIDDLE_SNAKE_H

#include "base/alloc.h"
#include "base/status.h"

/* Memory of searches. Starts zero-initialised. */
typedef struct nd_snake_room {
    int32_t *forward, *backward;
    size_t forward_capacity, backward_capacity;
} nd_snake_room;

void nd_snake_room_free(nd_snake_room *room, const nd_allocator *allocator);

/* A place between the tokens of two sequences: `a` tokens of a and `b` tokens of b are before it.
 */
typedef struct nd_edit_place {
    size_t a, b;
} nd_edit_place;

/* Finds a place on a shortest edit script of a and b, with half of the edits before it. *steps is
 * the most steps that the search may take; then it is how many it took. A step compares two tokens.
 * *found false: the search needs more steps; *middle is not set. REQUIRES: neither sequence is
 * empty, nor has more than 2^30 tokens; their first tokens differ, and their last ones, too. Takes
 * D + D^2 / 2 steps for random texts that D edits tell apart, and 12 sqrt(*steps) bytes at most. */
nd_status nd_middle_snake_find(nd_snake_room *room, const uint32_t *a, size_t a_count,
                               const uint32_t *b, size_t b_count, const nd_allocator *allocator,
                               uint64_t *steps, bool *found, nd_edit_place *middle,
                               nd_error *error);

#endif
