/* Reports the progress of a job to its caller, which may answer that the job is to end. While there
 * is no progress (an input makes the job wait, or has nothing of use), the last report is repeated,
 * so that the caller can still end the job.
 *
 * Thread-safe. The caller's function runs on one thread at a time: a thread that finds it running
 * goes on without calling it. */
#ifndef ND_BASE_JOB_PROGRESS_H
#define ND_BASE_JOB_PROGRESS_H

#include "base/status.h"

#include <stdatomic.h>

/* Zero-initialised: reports go nowhere. */
typedef struct nd_progress {
    nd_progress_fn *fn; /* the caller's; NULL: none */
    void *context;
    atomic_bool calling, cancelled;
    /* The last report. Belongs to the thread that has set `calling`. */
    nd_stage stage;
    uint64_t done, total;
} nd_progress;

static inline nd_progress nd_progress_of(const nd_resources *resources) {
    return (nd_progress){.fn = resources->on_progress, .context = resources->context};
}

/* Milliseconds between two repeated reports of a thread that waits for the system. */
enum { ND_PROGRESS_PATIENCE = 200 };

/* Reports that `done` of `total` is done. ND_ERR_CANCELLED: the caller ends the job now, or has
 * ended it before. */
nd_status nd_progress_report(nd_progress *progress, nd_stage stage, uint64_t done, uint64_t total,
                             nd_error *error);
/* Repeats the last report. `progress` may be NULL: ND_OK. */
nd_status nd_progress_poll(nd_progress *progress, nd_error *error);

#endif
