/* Ascending numbers as runs of consecutive ones: ids that are numbers mostly are one run, whose
 * length does not matter then. 8 bytes a run. */
#ifndef ND_STORE_ID_RUNS_H
#define ND_STORE_ID_RUNS_H

#include "io/spool.h"

typedef struct nd_number_run {
    uint32_t first, count;
} nd_number_run;

typedef struct nd_number_runs {
    nd_spool spool;     /* of all but the last */
    nd_number_run last; /* of no number where there is none */
} nd_number_runs;

/* As for a spool. */
void nd_number_runs_init(nd_number_runs *runs, const nd_allocator *allocator, nd_scratch_disk *disk,
                         size_t memory_limit);
void nd_number_runs_free(nd_number_runs *runs);

/* At least one number, above all before. */
nd_status nd_number_runs_begin(nd_number_runs *runs, nd_number_run run, nd_error *error);
static inline nd_status nd_number_runs_add(nd_number_runs *runs, nd_number_run run,
                                           nd_error *error) {
    if (runs->last.count == 0 || run.first - runs->last.first != runs->last.count)
        return nd_number_runs_begin(runs, run, error);
    runs->last.count += run.count;
    return ND_OK;
}

/* Reading from the beginning on, when all have been added. */
typedef struct nd_number_cursor {
    const nd_number_runs *runs;
    nd_spool_cursor before; /* the last */
    bool ended;
} nd_number_cursor;
nd_number_cursor nd_number_cursor_begin(const nd_number_runs *runs);
void nd_number_cursor_free(nd_number_cursor *cursor);
/* The next run; of no number: there is none. */
nd_status nd_number_cursor_next(nd_number_cursor *cursor, nd_number_run *run, nd_error *error);

#endif
