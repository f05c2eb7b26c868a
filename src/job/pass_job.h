/* Jobs of passes over the input, whose output is a file or two. */
#ifndef ND_JOB_PASS_JOB_H
#define ND_JOB_PASS_JOB_H

#include "io/output_file.h"
#include "job/record_pass.h"

/* A job with these options, but without what only nd_dedup and nd_pairs have. Nothing is opened. */
void nd_pass_job_begin(nd_job *job, const nd_job_options *options);
/* Ends the files (NULL: not wanted): they are whole, synced, and have their names. */
nd_status nd_pass_job_publish(nd_job *job, nd_output_file *const *outputs, size_t count,
                              nd_error *error);
/* Gives everything back; where the job has succeeded its times, and, if wanted, the summary. */
void nd_pass_job_end(nd_job *job, nd_status status, nd_job_summary *summary);

#endif
