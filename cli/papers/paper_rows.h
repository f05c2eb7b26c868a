/* Cuts a paper into rows, each with one passage at the least, so that the sources can stand beside
 * the text: the first row begins with the longest of the passages that begin first; each further
 * row, behind the last one, has the passage that covers the next place and reaches farthest. That
 * is the fewest passages that cover all of them. */
#ifndef CLI_PAPER_ROWS_H
#define CLI_PAPER_ROWS_H

#include "papers/paper.h"

typedef struct paper_row {
    piece where;        /* in the paper; rows do not overlap */
    size_t leader;      /* the passage that covers the row */
    size_t first, last; /* passages [first, last) begin in the row, the leader perhaps before */
} paper_row;

/* Makes the rows of a paper; the caller frees them. NULL: out of memory. */
paper_row *paper_rows(const paper *p, size_t *count);

#endif
