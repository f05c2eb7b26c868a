/* What the user sees during a job: a progress bar, on a terminal only, and warnings. Warnings may
 * come from any thread; the lock of stderr protects the bar. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "neardup.h"

#include <time.h>

typedef struct progress {
    bool shown; /* whether there is a bar at all */
    bool colour;
    bool drawn; /* it is on the terminal's line now */
    nd_stage stage;
    struct timespec stage_start, last;
    uint64_t warnings;
    char last_warning[sizeof((nd_error *)0)->message]; /* the last warning that was not shown: it
                                                          may be about the job's end */
} progress;

void progress_start(progress *bar, bool quiet);
/* nd_progress_fn; `context` is the progress. False, to cancel the job, once a signal came. */
bool progress_report(void *context, nd_stage stage, uint64_t done, uint64_t total);
/* nd_warning_fn; `context` is the progress. The first 10 warnings are shown at once, further ones
 * are counted. */
void progress_warning(void *context, const char *message);
/* Call it when the job is over, before anything else is written to stderr. Removes the bar and says
 * how many warnings were not shown. */
void progress_end(progress *bar);

#endif
