#include "papers/paper_rows.h"

#include <stdlib.h>

/* Of the passages from *next that begin at or before `at`, moves *next behind them. Returns the one
 * of them, or `best`, that reaches farthest. */
static size_t reach(const paper *p, size_t at, size_t best, size_t *next) {
    for (; *next < p->passage_count && p->passages[*next].where.begin <= at; ++*next)
        if (best == SIZE_MAX || p->passages[*next].where.end > p->passages[best].where.end)
            best = *next;
    return best;
}

/* Each passage is in the row in which it begins. */
static void place_passages(const paper *p, paper_row *rows, size_t count) {
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        rows[i].first = next;
        while (next < p->passage_count && p->passages[next].where.begin < rows[i].where.end) next++;
        rows[i].last = next;
    }
}

paper_row *paper_rows(const paper *p, size_t *count) {
    paper_row *rows = malloc((p->passage_count + 1) * sizeof *rows);
    size_t next = 0, at = 0, best = SIZE_MAX;
    *count = 0;
    while (rows) {
        best = reach(p, at, best, &next);
        if (best != SIZE_MAX && p->passages[best].where.end > at) {
            size_t begin = p->passages[best].where.begin, end = p->passages[best].where.end;
            rows[(*count)++] = (paper_row){{begin > at ? begin : at, end}, best, 0, 0};
            at = end;
        } else if (next < p->passage_count) {
            at = p->passages[next].where.begin;
        } else break;
    }
    if (rows) place_passages(p, rows, *count);
    return rows;
}
