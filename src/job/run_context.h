/* What a run has: memory, threads, a directory for temporary files, and the caller's functions for
 * progress and warnings. Written while the run begins and its inputs are opened; const after that,
 * except for the counters behind `progress` and `space`, which any number of threads may use. */
#ifndef ND_JOB_RUN_CONTEXT_H
#define ND_JOB_RUN_CONTEXT_H

#include "base/job_progress.h"
#include "base/warning.h"
#include "corpus/document_scan.h"
#include "io/output_file.h"
#include "job/job_options.h"
#include "job/memory_budget.h"

typedef struct nd_run {
    nd_allocator allocator;
    uint32_t threads;
    nd_memory_budget budget;
    nd_warnings warnings;
    nd_progress *progress;
    nd_temp_space *space;
    double began; /* nd_seconds() */
    struct nd_run_shared *shared;
} nd_run;

/* Checks the options (nd_job_options_check), and finds threads, memory and the directory for
 * temporary files. *run is valid for nd_run_end in any case. */
nd_status nd_run_begin(const nd_job_options *options, nd_run *run, nd_error *error);
void nd_run_end(nd_run *run);

/* How often the records of an input are read. */
typedef enum nd_input_use {
    ND_INPUT_AGAIN, /* documents are fetched again after the scan */
    ND_INPUT_ONCE,  /* no document is fetched again: nothing is copied to temporary files */
    ND_INPUT_LIVE   /* the same; and a block ends where the input would have to be waited for */
} nd_input_use;

/* Opens the inputs. `priority_field`: a number or date of each document; NULL: none is read. The
 * window of a Zstandard input is taken from the run's budget. */
nd_status nd_run_open_input(nd_run *run, const nd_job_options *options, nd_input_use use,
                            const char *priority_field, nd_corpus **out, nd_error *error);

/* Scans the corpus with the run's threads; after it warns of an id_field of the options that no
 * record has. */
nd_status nd_run_scan(const nd_run *run, const nd_job_options *options, nd_corpus *corpus,
                      const nd_scan_stage *stage, nd_scan_counts *counts, nd_error *error);

/* ND_ERR_ARGUMENT: one of the outputs (NULL: not wanted) is an input, or two are one file. */
nd_status nd_run_check_outputs(nd_corpus *corpus, nd_output_file *const *outputs, size_t count,
                               nd_error *error);

/* Ends the files (NULL: not wanted): they are whole, durable, and have their names: all of them, or
 * none. Adds to summary->output_bytes and sets the seconds of ND_STAGE_SYNC. */
nd_status nd_run_publish(const nd_run *run, nd_output_file *const *outputs, size_t count,
                         nd_job_summary *summary, nd_error *error);

/* The counts of a scan. */
void nd_summary_add_scan(nd_job_summary *summary, const nd_scan_counts *counts);
/* Threads, temporary bytes, memory and the time since the run began. */
void nd_run_fill_summary(const nd_run *run, nd_job_summary *summary);
/* The same of a run that is one scan: all time that is not ND_STAGE_SYNC is ND_STAGE_READ. */
void nd_run_fill_scan_summary(const nd_run *run, nd_job_summary *summary);

#endif
