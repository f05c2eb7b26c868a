/* What `dedup` and `pairs` share: groups of flags, chapters of the manual, and the way a job runs. */
#ifndef CLI_JOB_COMMAND_H
#define CLI_JOB_COMMAND_H

#include "command.h"

extern const flag_group input_group, similarity_group, comparison_group, means_group;

/* The entries of the table of --json and --quiet, which end a group of outputs. */
#define REPORT_FLAGS                                                                                                                                 \
    {.name = "json",                                                                                                                                 \
     .kind = FLAG_SWITCH,                                                                                                                            \
     .offset = SETTING(json),                                                                                                                        \
     .help = "the summary as one JSON object; on standard output when -o names a file, else on stderr"},                                             \
    {                                                                                                                                                \
        .name = "quiet", .letter = 'q', .kind = FLAG_SWITCH, .offset = SETTING(quiet),                                                               \
        .help = "no summary and no progress bar; warnings and errors are still written"                                                              \
    }

extern const char inputs_missing[];
/* Chapters in prose. */
extern const char input_chapter[], exit_chapter[], environment_chapter[], tsv_chapter[];

typedef nd_status job_fn(const nd_job_options *options, nd_job_summary *summary, nd_error *error);

/* Runs the job on the inputs and reports; `output` is where its data goes ("-": standard output). Returns the exit status. */
int job_run(const command *self, settings *given, int count, char **inputs, const char *output, job_fn *run);

#endif
