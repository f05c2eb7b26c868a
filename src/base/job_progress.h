/* How far a job is, told to its caller, who may answer that the job is to end. Also asked for that
 * answer alone, where nothing goes on: while an input lets wait, or brings nothing of use.
 *
 * Any number of threads may tell and ask: the caller's function runs in one of them at a time. A
 * thread that finds it running in another goes on without calling it. */
#ifndef ND_BASE_JOB_PROGRESS_H
#define ND_BASE_JOB_PROGRESS_H

#include "base/status.h"

#include <stdatomic.h>

/* Zeros: nobody is told. */
typedef struct nd_progress {
    nd_progress_fn *fn; /* NULL: nobody */
    void *context;
    atomic_bool calling, cancelled;
    /* While `calling`: what was told last. */
    nd_stage stage;
    uint64_t done, total;
} nd_progress;

static inline nd_progress nd_progress_of(const nd_job_options *options) {
    return (nd_progress){.fn = options->on_progress, .context = options->notice_context};
}

/* Milliseconds after which a thread that waits for the system asks again. */
enum { ND_PROGRESS_PATIENCE = 200 };

/* ND_ERR_CANCELLED: the caller wants the job to end, or has said so before. */
nd_status nd_progress_tell(nd_progress *progress, nd_stage stage, uint64_t done, uint64_t total,
                           nd_error *error);
/* The same with what was told last. `progress` NULL: ND_OK. */
nd_status nd_progress_ask(nd_progress *progress, nd_error *error);

#endif
