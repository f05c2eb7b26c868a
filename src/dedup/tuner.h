/* The last stage of nd_tune: finds, for each document of a sample, the most similar documents
 * before and behind it, and counts what each threshold would remove. */
#ifndef ND_DEDUP_TUNER_H
#define ND_DEDUP_TUNER_H

#include "dedup/columns.h"
#include "dedup/dedup_parts.h"
#include "dedup/fates.h"
#include "dedup/ranks.h"

typedef struct nd_tune_request {
    const nd_tune_options *options; /* read by nd_dedup_parts_read_tune */
    const nd_run *run;
    const nd_analyzer_options *analyzer;
    const nd_columns *columns;
    const nd_ranks *ranks; /* in the order of input */
    const nd_fates *fates; /* exact copies are found, and nothing else */
} nd_tune_request;

/* Fills *result, except struct_size. */
nd_status nd_tune_measure(const nd_tune_request *request, nd_tune_result *result, nd_error *error);

#endif
