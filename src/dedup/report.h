/* Stage "write": reports the fates in the order of input, to the kept records, the tables and the
 * callbacks. While deciding goes on, it reports the fates that are final; the rest at the end. */
#ifndef ND_DEDUP_REPORT_H
#define ND_DEDUP_REPORT_H

#include "dedup/dedup_outputs.h"
#include "dedup/index_update.h"
#include "dedup/pair_report.h"

/* The input of the report, which must outlive it. */
typedef struct nd_report_request {
    const nd_output_options *options; /* the callbacks and null_paths are read */
    const nd_verifier_plan *verifier;
    const nd_fates *fates;
    const nd_index_update *update; /* NULL: there is no index */
    nd_pair_sample *sample;        /* of the pairs that are compared */
    nd_dedup_outputs *outputs;     /* the report writes them */
} nd_report_request;

typedef struct nd_report_counts {
    uint64_t kept, removed, exact_copies, pairs;
    uint64_t directory_bytes;                        /* size of the files in an output directory */
    uint64_t bounded_documents, bounded_comparisons; /* as in nd_decide_counts, for pairs of exact
                                                        copies */
} nd_report_counts;

typedef struct nd_report nd_report;

nd_status nd_report_create(const nd_report_request *request, nd_report **out, nd_error *error);
void nd_report_free(nd_report *report);

/* Reports the documents below `end` that have not been reported yet; their fates are final. */
nd_status nd_report_until(nd_report *report, uint64_t end, nd_error *error);
/* Reports all other documents. After that the outputs are complete, but not published. */
nd_status nd_report_finish(nd_report *report, nd_report_counts *counts, nd_error *error);

#endif
