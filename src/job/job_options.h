/* The parts of options that all jobs share: input, resources, summary. A job reads each part once,
 * into a copy that has every member; the copy is const after that. */
#ifndef ND_JOB_JOB_OPTIONS_H
#define ND_JOB_JOB_OPTIONS_H

#include "base/options.h"

/* The largest record that the columns of a run can hold, in bytes. */
#define ND_MAX_RECORD_LENGTH ((UINT32_C(1) << 30) - 1)

/* Reads the options of the input. The strings stay the caller's. ND_ERR_ARGUMENT: a member is out
 * of range, or there is no input. */
nd_status nd_input_options_read(const nd_input_options *given, nd_input_options *out,
                                nd_error *error);

/* Default of max_compare: with how many members of large buckets a document is compared. */
enum { ND_MAX_COMPARE = 1000 };

/* Reads a document that the caller adds. The text and the id of *out are not NULL. ND_ERR_ARGUMENT:
 * it has no id. */
nd_status nd_record_read(const nd_record *given, nd_record *out, nd_error *error);

/* Reads the resources; `given` NULL: the defaults. ND_ERR_ARGUMENT: a member is out of range. */
nd_status nd_resources_read(const nd_resources *given, nd_resources *out, nd_error *error);

/* Checks the caller's summary; NULL: it is not wanted. ND_ERR_ARGUMENT: its struct_size is out of
 * range. */
nd_status nd_job_summary_check(const nd_job_summary *summary, nd_error *error);

/* Copies the counts of the job to the caller's summary. REQUIRES: nd_job_summary_check has
 * succeeded. */
void nd_job_summary_give(nd_job_summary *summary, const nd_job_summary *made);

/* For jobs that compare words as they are. ND_ERR_ARGUMENT: the analyzer stems words. */
nd_status nd_reject_stem(const nd_analyzer_options *analyzer, nd_error *error);

/* Returns the same analyzer for shingles of `ngram` tokens. */
nd_analyzer_options nd_analyzer_with_ngram(const nd_analyzer_options *analyzer, uint32_t ngram);

#endif
