/* Options that every run over documents checks. */
#ifndef ND_JOB_JOB_OPTIONS_H
#define ND_JOB_JOB_OPTIONS_H

#include "base/status.h"

/* Largest record, in bytes, that the columns of a run can hold. */
#define ND_MAX_RECORD_LENGTH ((UINT32_C(1) << 30) - 1)

/* ND_ERR_ARGUMENT: a field out of range, or no input. */
nd_status nd_job_options_check(const nd_job_options *options, nd_error *error);

/* ND_ERR_ARGUMENT: words are to be stemmed; for runs that compare words as they are. */
nd_status nd_job_options_reject_stem(const nd_job_options *options, nd_error *error);

/* Settings of the analyzers of a run, with shingles of `ngram` tokens. */
nd_analyzer_options nd_job_analyzer(const nd_job_options *options, uint32_t ngram);

#endif
