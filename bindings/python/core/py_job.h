/* A job of the library, on a thread of its own, while the caller's thread runs Python's signal
 * handlers, progress callbacks and warnings. So Ctrl-C ends a job, and Python code that a job calls
 * runs on the thread that started it. (An Arrow stream made of a generator is the exception: its
 * producer takes the GIL where the job reads it.) */
#ifndef ND_PYTHON_JOB_H
#define ND_PYTHON_JOB_H

#include "py_documents.h"
#include "py_options.h"
#include "py_results.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct job job;
typedef nd_status job_fn(job *job, void *context, nd_error *error);

struct job {
    core_state *state;
    nd_resources resources;
    nd_input_options input;
    nd_job_summary summary;
    documents documents; /* of a stream */
    const char **paths;  /* instead of a stream */
    PyObject *path_bytes;
    const char **text_fields; /* of files; NULL: the default */
    const char **globs;       /* of files; NULL: none */
    PyObject *on_progress;    /* None: not wanted */
    job_fn *fn;
    void *context;
    nd_status status;
    nd_error error;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t wake;
    bool ended;
    int stage;
    uint64_t done, total;
    char *warnings[16]; /* not yet given to Python */
    size_t warning_count;
    atomic_bool cancelled;
    bool no_memory; /* set by a callback that then stops the job */
};

/* Reads the input (`stream`, or `paths`), resources and `progress`. The caller calls job_close in
 * any case. false: an exception is set. */
bool job_open(core_state *state, PyObject *given, job *out);
void job_close(job *j);

/* Runs fn and waits for it. false: an exception is set, and the job has ended. */
bool job_run(job *j, job_fn *fn, void *context);

/* The row of a document, by its number, from 0, and by its line (nd_decision). Records of a stream
 * that the library leaves out have lines and no numbers; files have no other rows than documents.
 */
int64_t job_row(job *j, uint64_t document, uint64_t line);

/* The summary as a dict. */
PyObject *job_summary(const job *j);
/* The dict of a job's results: its parts, "summary", "row_count" and, of a stream, the rows that
 * were left out, "skipped". `done` false: the job has failed, so NULL. Frees the parts in any case.
 * NULL: an exception is set. */
PyObject *job_results(job *j, bool done, const result_part *parts, size_t part_count);
#define JOB_RESULTS(job, done, parts) job_results(job, done, parts, sizeof(parts) / sizeof *(parts))

#endif
