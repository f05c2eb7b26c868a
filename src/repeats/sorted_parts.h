/* Records that are sorted out of core, part by part, on all threads of a run.
 *
 * Records go to the parts of external sorters by the highest bits of their first word, or by the
 * bits above a `shift`. A pass opens each part of one sorter on some thread and calls a function
 * that reads it and may queue records for other sorters. A thread collects them before it takes the
 * lock of the sorters, so their order in a part depends on the threads: a sorter sorts by so many
 * words that the order of equal records does not matter.
 *
 * Memory, beside the sorters' shares of the budget: a tenth of it, divided among the threads, for
 * parts that are read. A larger part is read in pieces (part_reader.h). */
#ifndef ND_REPEATS_SORTED_PARTS_H
#define ND_REPEATS_SORTED_PARTS_H

#include "base/limits.h"
#include "io/part_reader.h"
#include "job/run_context.h"

/* Parts of each sorter, as bits. */
enum { ND_PART_BITS = ND_LIMIT(10, 2), ND_PARTS = 1 << ND_PART_BITS };

/* Bytes of a share of the run's budget. */
size_t nd_parts_memory(const nd_run *run, unsigned percent);

/* Bytes that a thread takes to read a part. */
size_t nd_parts_reading_memory(const nd_run *run);

/* A sorter: its share of the budget in percent, and the words of a record and of its key. */
typedef struct nd_parts_settings {
    unsigned percent, words, keys;
    const char *what; /* for messages; static */
} nd_parts_settings;
nd_status nd_parts_create(const nd_run *run, const nd_parts_settings *settings,
                          nd_external_sort **out, nd_error *error);

/* A sorter that a pass fills. */
typedef struct nd_parts_target {
    nd_external_sort *to;
    unsigned words; /* of a record, at most 3 */
    unsigned shift; /* from the first word of a record to the number of its part */
} nd_parts_target;

typedef struct nd_parts_pass nd_parts_pass;

/* What a worker of a pass has. */
typedef struct nd_parts_worker {
    nd_parts_pass *pass;
    void *own;           /* of the pass's create_worker; NULL at first */
    nd_part_reader part; /* the part */
    size_t number;       /* of the part */
    struct nd_parts_queue *queues[2];
} nd_parts_worker;

/* One pass over the parts of `from`, which are dropped behind it, or loaded `again` later. */
struct nd_parts_pass {
    const nd_run *run;
    nd_external_sort *from;
    bool again;
    nd_parts_target targets[2]; /* to NULL: there is none */
    const void *context;        /* of the functions, which several threads call */
    nd_status (*create_worker)(nd_parts_worker *worker, nd_error *error); /* NULL: none */
    nd_status (*take_part)(nd_parts_worker *worker, nd_error *error);
    void (*destroy_worker)(nd_parts_worker *worker); /* NULL: none */
    struct nd_parts_progress *progress;              /* set by nd_parts_run */
};

/* Runs a pass. Nothing may be pushed to `from` any more; the targets are not flushed. */
nd_status nd_parts_run(nd_parts_pass *pass, nd_error *error);

/* Adds a record to target 0 or 1 of the pass. */
nd_status nd_parts_queue_record(nd_parts_worker *worker, unsigned target, const uint64_t *record,
                                nd_error *error);

#endif
