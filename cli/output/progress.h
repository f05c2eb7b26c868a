/* What the user sees while a job runs: a bar, on a terminal only, and warnings. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "neardup.h"

#include <time.h>

typedef struct progress {
    bool shown; /* whether there is a bar at all */
    bool colour;
    bool drawn; /* it stands on the terminal's line now */
    nd_stage stage;
    struct timespec stage_start, last;
    uint64_t warnings;
    char last_warning[sizeof((nd_error *)0)->message]; /* of those that were not shown: what comes
                                                          last is of the job's end */
} progress;

/* Whether stderr is a terminal that wants colour: not where NO_COLOR is set, or TERM is dumb. */
bool terminal_colour(void);

void progress_start(progress *bar, bool quiet);
/* nd_progress_fn; `context` is the progress. False, to cancel the job, once a signal came. */
bool progress_report(void *context, nd_stage stage, uint64_t done, uint64_t total);
/* nd_warning_fn; `context` is the progress. The first warnings are shown at once; those after them
 * are counted. */
void progress_warning(void *context, const char *message);
/* When the job is over, before anything else is written to stderr: takes the bar away, and says how
 * many warnings were not shown. */
void progress_end(progress *bar);

#endif
