/* The context of a run: memory, threads, a directory for temporary files, and the caller's
 * functions for progress and warnings. It is written while the run begins and its inputs are
 * opened. After that it is const, except for the counters behind `progress` and `space`, which any
 * number of threads may use. */
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
    uint64_t memory; /* bytes, as the caller gave it */
    nd_memory_budget budget;
    nd_warnings warnings;
    nd_progress *progress;
    nd_temp_space *space;
    double began; /* value of nd_seconds() at the begin */
    struct nd_run_shared *shared;
} nd_run;

/* Begins a run: reads the resources (NULL: the defaults), and determines threads, memory and the
 * directory for temporary files. That is resources->work; else the directory of the output
 * `beside`, unless it is NULL or written in place (io/output_target.h); else the directory of the
 * system. *run is valid for nd_run_end in any case. */
nd_status nd_run_begin(const nd_resources *resources, const char *beside, nd_run *run,
                       nd_error *error);
void nd_run_end(nd_run *run);

/* How often the records of an input are read. */
typedef enum nd_input_use {
    ND_INPUT_AGAIN, /* documents are fetched again after the scan */
    ND_INPUT_ONCE,  /* no document is fetched again: nothing is copied to temporary files */
    ND_INPUT_LIVE   /* the same; and a block ends before reading would have to wait for the input */
} nd_input_use;

/* How the stages of a run use its input. */
typedef struct nd_input_plan {
    nd_input_use use;
    nd_analyzer_kind analyzer;          /* the analyzer that cuts its texts into tokens */
    const char *value_field;            /* a number or date of each document; NULL: none is read */
    const nd_protected_values *protect; /* NULL: none is read */
    const char *label_field;            /* by which losses are counted; NULL: none is read */
} nd_input_plan;

/* Opens the inputs. The memory for the window of a Zstandard input is taken out of the run's
 * budget. */
nd_status nd_run_open_input(nd_run *run, const nd_input_options *input, const nd_input_plan *plan,
                            nd_corpus **out, nd_error *error);

/* Scans the corpus with the run's threads. Warns afterwards if no record has the id_field. */
nd_status nd_run_scan(const nd_run *run, const nd_input_options *input, nd_corpus *corpus,
                      const nd_scan_stage *stage, nd_scan_counts *counts, nd_error *error);

/* Checks the outputs; NULL: an output is not wanted. ND_ERR_ARGUMENT: an output is an input, or two
 * outputs are the same file. */
nd_status nd_run_check_outputs(nd_corpus *corpus, nd_output_file *const *outputs, size_t count,
                               nd_error *error);

/* Completes the outputs (NULL: not wanted), makes them durable and gives them their names: all of
 * them or none. Adds to summary->output_bytes, and sets the seconds of ND_STAGE_SYNC. */
nd_status nd_run_publish(const nd_run *run, nd_output_file *const *outputs, size_t count,
                         nd_job_summary *summary, nd_error *error);

/* Adds the counts of a scan. */
void nd_summary_add_scan(nd_job_summary *summary, const nd_scan_counts *counts);
/* Sets threads, temporary bytes, peak memory, and the time since the run began. */
void nd_run_fill_summary(const nd_run *run, nd_job_summary *summary);
/* The same for a run that is one scan: all time except ND_STAGE_SYNC counts as ND_STAGE_READ. */
void nd_run_fill_scan_summary(const nd_run *run, nd_job_summary *summary);

#endif
