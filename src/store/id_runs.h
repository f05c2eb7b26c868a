/* Ascending numeric ids as runs of consecutive numbers, 8 bytes per run. Ids mostly are one run,
 * whose cost does not depend on its length.
 *
 * Adding is for one thread. When all ids have been added, any number of threads may read, each with
 * its own cursor. */
#ifndef ND_STORE_ID_RUNS_H
#define ND_STORE_ID_RUNS_H

#include "io/spool.h"

typedef struct nd_id_run {
    uint32_t first, count;
} nd_id_run;

typedef struct nd_id_runs {
    nd_spool spool; /* all runs except the last */
    nd_id_run last; /* count 0: there is none */
} nd_id_runs;

/* The parameters are those of nd_spool_init. */
void nd_id_runs_init(nd_id_runs *runs, const nd_allocator *allocator, nd_temp_space *disk,
                     size_t memory_limit);
void nd_id_runs_free(nd_id_runs *runs);

/* Adds at least one number, above all numbers before. */
nd_status nd_id_runs_begin(nd_id_runs *runs, nd_id_run run, nd_error *error);
static inline nd_status nd_id_runs_add(nd_id_runs *runs, nd_id_run run, nd_error *error) {
    if (runs->last.count == 0 || run.first - runs->last.first != runs->last.count)
        return nd_id_runs_begin(runs, run, error);
    runs->last.count += run.count;
    return ND_OK;
}

/* Reads all runs from the first on. */
typedef struct nd_id_run_cursor {
    const nd_id_runs *runs;
    nd_spool_cursor spool;
    bool ended;
} nd_id_run_cursor;
nd_id_run_cursor nd_id_run_cursor_begin(const nd_id_runs *runs);
void nd_id_run_cursor_free(nd_id_run_cursor *cursor);
/* Sets *run to the next run. run->count 0: there is none. */
nd_status nd_id_run_cursor_next(nd_id_run_cursor *cursor, nd_id_run *run, nd_error *error);

#endif
