/* What the commands that run a job share: groups of flags, chapters of the manual, and the way a
 * job runs. */
#ifndef CLI_JOB_COMMAND_H
#define CLI_JOB_COMMAND_H

#include "command.h"

#define FLAG_GROUP(title, flags)                                                                   \
    { title, flags, sizeof flags / sizeof *flags }

/* In the order in which they are shown. */
extern const flag_group table_group, report_group, quiet_group; /* Output */
extern const flag_group input_group;                            /* Input */
extern const flag_group similarity_group;                       /* Similarity */
extern const flag_group verify_group, bound_group;              /* Comparison */
extern const flag_group keep_group;                             /* Survivors */
#define SYNC_FLAG                                                                                  \
    {                                                                                              \
        .name = "sync", .kind = FLAG_CHOICE, .choices = "batch|off", .offset = SETTING(sync),      \
        .help = "batch: what was changed is on the disk when the command ends; off: a small "      \
                "change (up to 1,000 documents) is left to the system, and a "                     \
                "crash of the machine may take it, whole"                                          \
    }
extern const flag_group batch_group;                /* Index */
extern const flag_group space_group, threads_group; /* Means */

extern const char inputs_missing[];
/* Chapters in prose; pass_input_chapter is of the jobs that do not compare ids. */
extern const char input_chapter[], pass_input_chapter[], exit_chapter[], environment_chapter[],
    tsv_chapter[];
/* Of tables with two documents a row. */
extern const char pair_tsv_chapter[];

/* The job itself, with the options of `given`. */
typedef nd_status job_fn(const settings *given, nd_job_summary *summary, nd_error *error);

/* Runs the job on the inputs and reports; `output` is where its data goes ("-": standard output;
 * NULL: nowhere). Returns the exit status. */
int job_run(const command *self, settings *given, int count, char **inputs, const char *output,
            job_fn *run);

#endif
