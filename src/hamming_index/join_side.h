/* The one or two sets of a fingerprint join: where their fingerprints come from, their ids, and
 * which of them are equal.
 *
 * A side is a source of fingerprints or an index. Its fingerprints have numbers, by which the join
 * (hamming_join.h) knows them: their position in the source, or their number in the index. Of equal
 * fingerprints the join reports one number; the side knows the others.
 *
 * One thread at a time uses the sides. */
#ifndef ND_HAMMING_INDEX_JOIN_SIDE_H
#define ND_HAMMING_INDEX_JOIN_SIDE_H

#include "base/job_progress.h"
#include "hamming_index/hamming_index.h"
#include "job/id_list.h"
#include "hamming/hamming_join.h"

typedef struct nd_join_side {
    nd_allocator allocator;
    nd_progress *progress;
    uint32_t set;   /* in the join: 0 or 1 */
    uint32_t count; /* numbers; of an index: once it is put */
    /* An index: */
    nd_index *index;       /* NULL: a source */
    const nd_store *store; /* its state, which nobody changes during the join */
    nd_store *own_store;   /* the same state, if it was opened for the join; else NULL */
    /* A source: */
    const nd_fingerprint_source *source;
    bool positions;            /* an id is the position; else ids are in `ids` */
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

/* ND_ERR_ARGUMENT: neither an index of fingerprints nor a source, or both. */
nd_status nd_join_side_check(const nd_hamming_side *from, nd_error *error);

typedef struct nd_join_sides_settings {
    const nd_hamming_side *from[2]; /* the second NULL: one set */
    uint32_t bits;
    uint64_t memory; /* of the whole join, in bytes: each side takes an eighth */
    nd_temp_space *disk;
    nd_progress *progress;
    const nd_allocator *allocator;
} nd_join_sides_settings;
/* Opens the states of the indexes, then reads the sources: the join must know how many fingerprints
 * come, because that shapes it and so the order of its pairs.
 *
 * The state of an index that may be written is the last committed one, read through a store of the
 * side's own, so that callbacks may change the index; both sides of one index share it. An index
 * that is open for reading lends its own state.
 *
 * The sides must be freed, even after a failure. */
nd_status nd_join_sides_open(nd_join_sides *sides, const nd_join_sides_settings *settings,
                             nd_error *error);
void nd_join_sides_free(nd_join_sides *sides);

/* How many fingerprints nd_join_sides_put will put. */
uint64_t nd_join_sides_total(const nd_join_sides *sides);
/* Puts all fingerprints to the join. */
nd_status nd_join_sides_put(nd_join_sides *sides, nd_hamming_join *join, nd_error *error);

/* Adds a group of equal fingerprints: two or more numbers, ascending. */
nd_status nd_join_side_add_equal(nd_join_side *side, const uint32_t *numbers, size_t count,
                                 nd_error *error);
/* The numbers of a group by its first number; of a number that is first in no group, itself. *out
 * is valid until a group is added, and may be `first`. */
nd_status nd_join_side_equal(nd_join_side *side, const uint32_t *first, const uint32_t **out,
                             size_t *count, nd_error *error);

/* The id of a number, in a caller's room. Zero-initialised; the caller releases room.bytes. */
typedef struct nd_join_name {
    const char *id; /* valid until the name is used again */
    size_t length;
    uint32_t number; /* the id, where ids are numbers; else the number in the set */
    nd_id_digits digits;
    nd_id_room room;
} nd_join_name;
nd_status nd_join_side_name(const nd_join_side *side, uint32_t number, nd_join_name *name,
                            nd_error *error);

#endif
