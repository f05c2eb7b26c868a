/* Jobs of one pass over the input and at most one file of output. */
#ifndef ND_JOB_PASS_JOB_H
#define ND_JOB_PASS_JOB_H

#include "io/output_file.h"
#include "job/record_pass.h"

/* A job with these options, but without what only nd_dedup and nd_pairs have. Nothing is opened. */
void nd_pass_job_begin(nd_job *job, const nd_job_options *options);
/* Ends the file: it is whole, synced, and has its name. */
nd_status nd_pass_job_publish(nd_job *job, nd_output_file *output, nd_error *error);
/* Gives everything back; where the job has succeeded its times, and, if wanted, the summary. */
void nd_pass_job_end(nd_job *job, nd_status status, nd_job_summary *summary);

#endif
