/* Stage "write": the fates, in the order of input, to the kept records, the tables and the
 * callbacks; as far as fates are final while deciding goes on, and the rest at the end. */
#ifndef ND_DEDUP_REPORT_H
#define ND_DEDUP_REPORT_H

#include "dedup/dedup_outputs.h"
#include "dedup/index_update.h"
#include "dedup/pair_report.h"

/* What reporting reads; it outlives the report. */
typedef struct nd_report_request {
    const nd_job_options *options; /* of the callbacks, and null_paths */
    const nd_verifier_plan *verifier;
    const nd_fates *fates;
    const nd_index_update *update; /* NULL: there is no index */
    nd_dedup_outputs *outputs;     /* written */
} nd_report_request;

typedef struct nd_report_counts {
    uint64_t kept, removed, exact_copies, pairs;
    uint64_t tree_bytes;                             /* of kept files that were copied */
    uint64_t bounded_documents, bounded_comparisons; /* of pairs of exact copies */
} nd_report_counts;

typedef struct nd_report nd_report;

nd_status nd_report_create(const nd_report_request *request, nd_report **out, nd_error *error);
void nd_report_free(nd_report *report);

/* Reports the documents below `end` that have not been reported yet; their fates are final. */
nd_status nd_report_until(nd_report *report, uint64_t end, nd_error *error);
/* Reports everything that is left. The outputs are complete, but not published. */
nd_status nd_report_finish(nd_report *report, nd_report_counts *counts, nd_error *error);

#endif
