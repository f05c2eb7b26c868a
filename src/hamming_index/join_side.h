/* One of the two sets of a join: fingerprints of a source or an index, which have numbers there;
 * their ids; and those that are equal, of which one number stands for all. */
#ifndef ND_HAMMING_INDEX_JOIN_SIDE_H
#define ND_HAMMING_INDEX_JOIN_SIDE_H

#include "base/job_progress.h"
#include "hamming_index/hamming_index.h"
#include "job/id_list.h"
#include "hamming/hamming_join.h"

typedef struct nd_join_side {
    nd_allocator allocator;
    nd_progress *progress;
    nd_index *index;       /* NULL: a source */
    const nd_store *store; /* of the index: a state that nobody changes */
    nd_store *own_store;   /* the same, where it was opened for this */
    const nd_fingerprint_source *source;
    uint32_t set;              /* in the join */
    uint32_t count;            /* numbers */
    bool positions;            /* ids are numbers */
    nd_id_list ids;            /* of a source whose ids are none */
    nd_spool fingerprints;     /* of a source, by number */
    unsigned fingerprint_size; /* bytes */
    /* Lots of equal ones, behind each other: their count, then their numbers, ascending. And for
     * each lot, ascending by its first number, that above the place where it begins. */
    uint32_t *members;
    uint64_t *lots, *lot_scratch;
    size_t member_count, member_capacity, lot_count, lot_capacity, scratch_capacity;
} nd_join_side;

/* ND_ERR_ARGUMENT: neither an index of fingerprints nor a source, or both. */
nd_status nd_join_side_check(const nd_hamming_side *from, nd_error *error);
/* memory: bytes for ids and fingerprints. */
void nd_join_side_init(nd_join_side *side, const nd_hamming_side *from, uint32_t set, size_t memory,
                       nd_scratch_disk *disk, nd_progress *progress, const nd_allocator *allocator);
void nd_join_side_free(nd_join_side *side);

/* Opens the state of an index that is joined: the last that was committed, by a reader of its own,
 * so that callbacks may change the index; of a handle that reads, its own state. */
nd_status nd_join_side_open(nd_join_side *side, nd_error *error);
/* The same state as another side's, which is open: of the same index. */
void nd_join_side_share(nd_join_side *side, const nd_join_side *with);

/* Reads a source: how many there are shapes the join, and so the order of its pairs, and is to be
 * known whatever they come from. */
nd_status nd_join_side_gather(nd_join_side *side, const nd_join_options *options, nd_error *error);
/* Then: how many will be put. */
uint64_t nd_join_side_count(const nd_join_side *side);
/* Gives all to the join. */
nd_status nd_join_side_put(nd_join_side *side, nd_hamming_join *join, nd_error *error);

/* A lot of equal ones; all of them before the first question. */
nd_status nd_join_side_add_equal(nd_join_side *side, const uint32_t *numbers, size_t count,
                                 nd_error *error);
nd_status nd_join_side_sort_lots(nd_join_side *side, nd_error *error);
/* All that a number stands for: itself alone (kept in *one), or its lot. */
const uint32_t *nd_join_side_lot(const nd_join_side *side, const uint32_t *one, size_t *count);

/* A number's id, in room of the caller's; zero-initialised, the room's bytes are the caller's to
 * release. */
typedef struct nd_join_name {
    const char *id;
    size_t length;
    uint32_t number; /* the id, where ids are numbers; else the number in the set */
    nd_id_digits digits;
    nd_id_room room;
} nd_join_name;
/* Valid until the name is used again. */
nd_status nd_join_side_name(const nd_join_side *side, uint32_t number, nd_join_name *name,
                            nd_error *error);

#endif
