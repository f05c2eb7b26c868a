/* How many rows of a table each group has: a hash table that holds a key of 64 bits in place of the
 * group's name. A group takes 16 bytes, and the slots are at most three quarters full; while they
 * grow, the old ones stay beside the new ones. So it is 21 to 64 bytes of memory a group.
 *
 * Two of n groups have the same key with probability n^2 / 2^65: of 50 million groups, 0.0001. */
#ifndef CLI_GROUP_COUNTS_H
#define CLI_GROUP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct group_slot {
    uint64_t key, rows; /* rows 0: the slot is free */
} group_slot;

/* Zeros at first. */
typedef struct group_counts {
    group_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;    /* of groups */
} group_counts;

/* The key of a group, from pieces of bytes that are hashed one after the other; begin with 0. */
uint64_t group_key_add(uint64_t key, const char *bytes, size_t length);

/* Counts a row. False: out of memory. */
bool group_counts_add(group_counts *c, uint64_t key);
/* REQUIRES: a row of this group was counted. */
group_slot *group_counts_find(const group_counts *c, uint64_t key);
void group_counts_free(group_counts *c);

#endif
