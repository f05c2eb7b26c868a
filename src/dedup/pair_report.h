/* Reports duplicate pairs to the table of edges and to the callback. */
#ifndef ND_DEDUP_PAIR_REPORT_H
#define ND_DEDUP_PAIR_REPORT_H

#include "dedup/pair_verifier.h"
#include "job/tsv_writer.h"

typedef struct nd_pair_report {
    const nd_verifier_plan *shared;
    const nd_fates *fates;
    nd_pair_verifier *verifier; /* counts the shingles of exact copies; NULL: not wanted */
    nd_table *edges;
    nd_pair_fn *fn; /* NULL: none */
    void *context;
    nd_id_buffer id_a, id_b;                         /* zeros at first */
    uint64_t pairs;                                  /* reported so far */
    uint64_t bounded_documents, bounded_comparisons; /* as in nd_decide_counts */
} nd_pair_report;

/* Frees the memory that the report itself has allocated. */
void nd_pair_report_free(nd_pair_report *report);

/* Reports one pair, with ranks in ascending order. */
nd_status nd_pair_report_one(nd_pair_report *report, const nd_verdict *verdict, nd_error *error);

/* Reports every pair of the fates, in their order. Exact copies were not compared, so they do not
 * appear. */
nd_status nd_pair_report_found(nd_pair_report *report, nd_error *error);

/* The same with exact copies, ordered by (later, earlier). A pair of documents stands for the pairs
 * of all their copies. The copies of one document are pairs, too: each with at most max_compare
 * copies, the nearest before it. */
nd_status nd_pair_report_with_copies(nd_pair_report *report, nd_error *error);

/* Writes a sample of compared pairs to a table of its own. */
nd_status nd_pair_report_sample(nd_pair_report *report, nd_table *table,
                                const nd_pair_sample *sample, nd_error *error);

/* Adds two columns that distinguish documents with equal ids: the source and the line. */
nd_status nd_table_source(nd_table *table, const nd_id_buffer *id, nd_error *error);

#endif
