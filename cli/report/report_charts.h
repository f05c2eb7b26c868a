/* Charts of the page that shows a run, in SVG. Widths are percentages, so that a chart fills a wide
 * page and a telephone, while its letters stay as large as those of the text. */
#ifndef CLI_REPORT_CHARTS_H
#define CLI_REPORT_CHARTS_H

#include "neardup.h"

#include <stdio.h>

/* The rules of style for the charts, which a page has once. */
extern const char chart_style[];

/* A bar in a row of a table, whose number stands beside it. `kind`: "own" or "other". */
void put_bar(FILE *out, double share, const char *kind);

/* Writes the beginning of an element up to its description, which the caller writes, and closes
 * with the quotation mark and ">". */
void chart_begin(FILE *out);
/* Writes the names of both axes, and the end. */
void chart_end(FILE *out, const char *across, const char *upwards);

/* Counts by similarity, of ND_SIMILARITY_STEPS each, drawn in the colours of the two kinds. */
typedef struct similarity_counts {
    const uint64_t *own, *other;
} similarity_counts;

/* The counts, and the least similarity of duplicates as a line. */
void put_histogram(FILE *out, const similarity_counts *counts, double limit, const char *words);
/* Counts by distance from 0 to `most`, which is drawn as a line. */
void put_distances(FILE *out, const uint64_t *counts, uint32_t most, const char *words);
/* The probability that a pair becomes a candidate. */
void put_curve(FILE *out, const nd_plan *plan, const char *threshold);
/* Groups, or clusters, by documents, both logarithmic. */
void put_group_sizes(FILE *out, const uint64_t groups[ND_GROUP_STEPS]);

#endif
