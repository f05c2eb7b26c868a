/* How a command runs a job of the library: inputs, files of words, progress, signals, summary. */
#ifndef CLI_JOB_COMMAND_H
#define CLI_JOB_COMMAND_H

#include "command.h"
#include "flags/output_flags.h"
#include "flags/similarity_flags.h"
#include "flags/text_flags.h"
#include "neardup.h"
#include "output/loss_notes.h"
#include "report/report_data.h"
#include "report/stream_data.h"

typedef struct command_job command_job;

/* The work of a job, whose parts of options are complete: job_run has set inputs, callbacks and the
 * dictionary. */
typedef nd_status job_fn(command_job *j, nd_job_summary *summary, nd_error *error);

/* A file that the command itself writes, so that the library does not compare it with the other
 * files. */
typedef struct own_output {
    const char *flag, *path; /* path NULL: not wanted */
} own_output;

/* Everything that a command hands to job_run. */
enum { FURTHER_OUTPUTS = 3 };
struct command_job {
    const invocation *call;
    job_fn *run;
    /* Parts of the options of all jobs; job_run adds inputs, callbacks and the dictionary. */
    nd_input_options input;
    nd_analyzer_options analyzer;
    nd_resources resources;
    const report_settings *report;
    const text_settings *text; /* its files are read before `run`; NULL: there are none */
    char **inputs;
    int input_count;
    const char *source;           /* a further input, such as that of --in; NULL: none */
    const name_list *sources;     /* the same of an --in that may be given several times */
    const char *keep_field;       /* of --keep; NULL: none */
    const char *output;           /* where the results go: "-" is standard output; NULL: nowhere */
    bool result_file;             /* the command itself writes `output` (output/results.h) */
    const table_settings *tables; /* NULL: there are none */
    const page_settings *page;    /* NULL: there is none */
    const char *removed_records;  /* an output, too; NULL: none */
    const char *state;            /* a directory of which the job writes the files; NULL: none */
    own_output further[FURTHER_OUTPUTS]; /* besides `output` */
    void *own;                           /* of `run` alone */
    const similarity_settings *plan;     /* of the bands; NULL: the job has none */
    const char *preset;   /* a line about its flags, for people; NULL or "": there is none */
    uint32_t max_compare; /* for the summary; 0: the job has no such bound */
    /* Set by job_run, for `run`. */
    text_files files;
    /* Noted by `run`, for the summary. */
    loss_notes losses;
    report_data noted;         /* for the page */
    const stream_data *stream; /* the same of a stream; NULL: the job is none */
};

/* Runs the job and reports. Returns the exit status. */
int job_run(command_job *j);

/* Has the job note the losses, and for the page also examples. */
void job_note_examples(command_job *j, nd_output_options *files);

extern const char inputs_missing[];

#endif
