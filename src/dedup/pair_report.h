/* Duplicate pairs to the table of edges and the callback. */
#ifndef ND_DEDUP_PAIR_REPORT_H
#define ND_DEDUP_PAIR_REPORT_H

#include "dedup/pair_verifier.h"
#include "job/tsv_writer.h"

typedef struct nd_pair_report {
    nd_job *job;
    nd_comparer
        *comparer; /* set before pairs come; NULL: the counts of exact copies are not wanted */
    nd_table edges;
    nd_id_buffer id_a, id_b;
} nd_pair_report;

nd_status nd_pair_report_open(nd_pair_report *report, nd_job *job, nd_error *error);
void nd_pair_report_free(nd_pair_report *report);

/* Is there anybody to tell? */
bool nd_pair_report_wanted(const nd_pair_report *report);

/* One pair, documents in the order of priority. */
nd_status nd_pair_report_one(nd_pair_report *report, uint32_t a, uint32_t b,
                             const nd_verdict *verdict, nd_error *error);

/* Every pair that was found, in their order; exact copies, which were not compared, do not appear.
 */
nd_status nd_pair_report_found(nd_pair_report *report, nd_error *error);

/* The same with exact copies: a pair of documents stands for the pairs of all their copies, and the
 * copies of one document are pairs themselves, each with its max_compare nearest before it. Ordered
 * by (later, earlier). */
nd_status nd_pair_report_with_copies(nd_pair_report *report, nd_error *error);

/* What the verdicts of a job are about. */
typedef enum nd_measure { ND_MEASURE_JACCARD, ND_MEASURE_COSINE, ND_MEASURE_DISTANCE } nd_measure;
nd_measure nd_measure_of(const nd_job_options *options);
static inline bool nd_verdicts_are_estimates(const nd_job_options *o) {
    return o->sketch != ND_SKETCH_SIMHASH && o->verify == ND_VERIFY_NONE;
}

/* Jaccard similarity of a verdict, exact or its estimate, and cosine; 0 where the job does not
 * measure it. */
double nd_verdict_jaccard(const nd_job *job, const nd_verdict *verdict);
double nd_verdict_cosine(const nd_job *job, const nd_verdict *verdict);
/* The measure as it stands in a column. */
void nd_verdict_format(const nd_job *job, const nd_verdict *verdict, char text[40]);

/* Two columns that tell equal ids apart: where a document stands. */
nd_status nd_table_place(nd_table *table, const nd_id_buffer *id, nd_error *error);

/* The verdict of two documents with the same tokens; `rank` is one of them. Without a comparer it
 * has no counts. */
nd_status nd_verdict_of_copies(const nd_job *job, nd_comparer *comparer, uint32_t rank,
                               nd_verdict *verdict, nd_error *error);

#endif
