/* Duplicate pairs, to the table of edges and to the callback. */
#ifndef ND_DEDUP_PAIR_REPORT_H
#define ND_DEDUP_PAIR_REPORT_H

#include "dedup/pair_verifier.h"
#include "job/tsv_writer.h"

typedef struct nd_pair_report {
    const nd_verifier_plan *shared;
    const nd_fates *fates;
    nd_pair_verifier *verifier; /* NULL: the counts of exact copies are not wanted */
    nd_table *edges;
    nd_pair_fn *fn; /* NULL: none */
    void *context;
    nd_id_buffer id_a, id_b;                         /* zeros; nd_pair_report_free */
    uint64_t pairs;                                  /* reported so far */
    uint64_t bounded_documents, bounded_comparisons; /* as in nd_decide_counts */
} nd_pair_report;

/* Gives back what the report has allocated for itself. */
void nd_pair_report_free(nd_pair_report *report);

/* One pair, ranks in ascending order. */
nd_status nd_pair_report_one(nd_pair_report *report, const nd_verdict *verdict, nd_error *error);

/* Every pair of the fates, in their order. Exact copies, which were not compared, do not appear. */
nd_status nd_pair_report_found(nd_pair_report *report, nd_error *error);

/* The same with exact copies: a pair of documents stands for the pairs of all their copies, and the
 * copies of one document are pairs themselves, each with its max_compare nearest before it. Ordered
 * by (later, earlier). */
nd_status nd_pair_report_with_copies(nd_pair_report *report, nd_error *error);

/* Jaccard similarity of a verdict, exact or its estimate, and cosine; 0 where the plan does not
 * measure it. */
double nd_verdict_jaccard(const nd_dedup_plan *plan, const nd_verdict *verdict);
double nd_verdict_cosine(const nd_dedup_plan *plan, const nd_verdict *verdict);
/* The measure as it stands in a column. */
void nd_verdict_format(const nd_dedup_plan *plan, const nd_verdict *verdict, char text[40]);

/* Two columns that tell equal ids apart: the source and the line. */
nd_status nd_table_source(nd_table *table, const nd_id_buffer *id, nd_error *error);

#endif
