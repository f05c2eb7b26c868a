/* Calls back with the passages of a run, query by query, and tells before them how much of the
 * query is found, in total and by source. */
#ifndef ND_PASSAGES_PASSAGE_REPORT_H
#define ND_PASSAGES_PASSAGE_REPORT_H

#include "passages/passage_rows.h"

typedef struct nd_passage_callbacks {
    nd_passages_fn *passage;
    nd_query_share_fn *query;   /* NULL: not wanted */
    nd_source_share_fn *source; /* NULL: not wanted */
    void *context;              /* of all three */
} nd_passage_callbacks;

typedef struct nd_passage_totals {
    uint64_t queries_found; /* queries with a passage */
    uint64_t found;         /* their tokens in passages */
} nd_passage_totals;

/* Passages come ordered by query, then by position in the query, then by the order of the source.
 */
nd_status nd_passage_report(const nd_passage_rows *rows, const nd_passage_callbacks *to,
                            nd_passage_totals *totals, nd_error *error);

#endif
