#include "base/job_progress.h"

static nd_status check_cancelled(const nd_progress *progress, nd_error *error) {
    return atomic_load(&progress->cancelled) ? nd_fail(error, ND_ERR_CANCELLED, "cancelled")
                                             : ND_OK;
}

/* Takes the right to call the function. False: another thread has it, there is no function, or the
 * caller has cancelled already. */
static bool begin_call(nd_progress *progress) {
    return progress->fn && !atomic_load(&progress->cancelled) &&
           !atomic_exchange(&progress->calling, true);
}

static void call(nd_progress *progress) {
    if (!progress->fn(progress->context, progress->stage, progress->done, progress->total))
        atomic_store(&progress->cancelled, true);
    atomic_store(&progress->calling, false);
}

nd_status nd_progress_report(nd_progress *progress, nd_stage stage, uint64_t done, uint64_t total,
                             nd_error *error) {
    if (begin_call(progress)) {
        progress->stage = stage;
        progress->done = done;
        progress->total = total;
        call(progress);
    }
    return check_cancelled(progress, error);
}

nd_status nd_progress_poll(nd_progress *progress, nd_error *error) {
    if (!progress) return ND_OK;
    if (begin_call(progress)) call(progress);
    return check_cancelled(progress, error);
}
