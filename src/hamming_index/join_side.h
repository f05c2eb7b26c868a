/* The one or two sets of a fingerprint join: the sources of their fingerprints, their ids, and
 * their groups of equal fingerprints.
 *
 * A side is a source of fingerprints or an index. The join (hamming_join.h) knows its fingerprints
 * by numbers: their positions in the source, or their numbers in the index. Of a group of equal
 * fingerprints the join reports one number; the side knows the others.
 *
 * One thread at a time uses the sides. */
#ifndef ND_HAMMING_INDEX_JOIN_SIDE_H
#define ND_HAMMING_INDEX_JOIN_SIDE_H

#include "base/job_progress.h"
#include "hamming_index/fingerprint_reader.h"
#include "hamming_index/hamming_index.h"
#include "job/id_list.h"
#include "hamming/hamming_join.h"

typedef struct nd_join_side {
    nd_allocator allocator;
    nd_progress *progress;
    uint32_t set;   /* in the join: 0 or 1 */
    uint32_t count; /* count of numbers; for an index: set by nd_join_sides_put */
    /* An index: */
    nd_hamming_index *index; /* NULL: a source */
    const nd_store *store;   /* its state; nothing changes it during the join */
    nd_store *own_store;     /* the same, if it was opened for the join; else NULL */
    bool held;               /* it is in memory, and accepts no change during the join */
    /* A source: */
    nd_fingerprint_source source;
    bool positions;            /* an id is a position; else it is in `ids` */
    nd_id_list ids;            /* by number */
    nd_spool fingerprints;     /* by number */
    unsigned fingerprint_size; /* bytes */
    /* Groups of equal fingerprints. In members: the count of a group, then its numbers, ascending.
     * In groups: first number << 32 | index in members; in order of the first number if `sorted`.
     */
    uint32_t *members;
    uint64_t *groups, *group_scratch;
    size_t member_count, member_capacity, group_count, group_capacity, scratch_capacity;
    bool sorted;
} nd_join_side;

typedef struct nd_join_sides {
    nd_join_side side[2];
    uint32_t count; /* 1 or 2 */
} nd_join_sides;

/* ND_ERR_ARGUMENT: the side has neither an index of fingerprints nor a source, or it has both. */
nd_status nd_join_side_check(const nd_hamming_side *from, nd_error *error);

typedef struct nd_join_sides_settings {
    const nd_hamming_side *from[2]; /* if the second is NULL, there is one set */
    uint32_t bits;
    uint64_t memory; /* bytes, of the whole join; each side takes an eighth */
    nd_temp_space *disk;
    nd_progress *progress;
    const nd_allocator *allocator;
} nd_join_sides_settings;
/* Opens the states of the indexes, then reads the sources. The join must know the number of
 * fingerprints in advance, because its shape, and so the order of its pairs, depends on it.
 *
 * If an index may be written, the join reads its last committed state through a store of its own,
 * so that callbacks may change the index; two sides of one index share this store. If an index is
 * open for reading, its own state is used. An index in memory has no other state, so its own is
 * used, and it accepts no change until the sides are freed.
 *
 * The sides must be freed, even after a failure. */
nd_status nd_join_sides_open(nd_join_sides *sides, const nd_join_sides_settings *settings,
                             nd_error *error);
void nd_join_sides_free(nd_join_sides *sides);

/* Returns the number of fingerprints that nd_join_sides_put puts. */
uint64_t nd_join_sides_total(const nd_join_sides *sides);
/* Puts all fingerprints to the join. */
nd_status nd_join_sides_put(nd_join_sides *sides, nd_hamming_joiner *join, nd_error *error);

/* Adds a group of equal fingerprints: two or more numbers, ascending. */
nd_status nd_join_side_add_equal(nd_join_side *side, const uint32_t *numbers, size_t count,
                                 nd_error *error);
/* Finds the numbers of a group by its first number. If no group begins with *first, the only number
 * is *first. *out is valid until a group is added, and may be `first`. */
nd_status nd_join_side_equal(nd_join_side *side, const uint32_t *first, const uint32_t **out,
                             size_t *count, nd_error *error);

/* The id of a number, in the caller's memory. Zero-initialised; the caller releases room.bytes. */
typedef struct nd_join_name {
    const char *id; /* valid until the name is used again */
    size_t length;
    uint32_t number; /* if ids are numbers: the id; else the number in the set */
    nd_id_digits digits;
    nd_id_room room;
} nd_join_name;
nd_status nd_join_side_name(const nd_join_side *side, uint32_t number, nd_join_name *name,
                            nd_error *error);

#endif
