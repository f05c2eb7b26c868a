/* Pairs of documents side by side, with the words in which they differ, on the page of a run. */
#ifndef CLI_REPORT_PAIRS_H
#define CLI_REPORT_PAIRS_H

#include "report/report_source.h"

/* The rules of style for pairs, which a page has once. */
void put_pair_style(FILE *out, page_language language);

/* Writes the examples of a kind. `only`: the one of this number, from 0; SIZE_MAX: all. False: out
 * of memory. */
bool put_pairs(FILE *out, const report_source *source, nd_example_kind kind, size_t only);

#endif
