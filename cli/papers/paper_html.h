/* A paper beside its sources, as a part of the page. */
#ifndef CLI_PAPER_HTML_H
#define CLI_PAPER_HTML_H

#include "flags/output_flags.h"
#include "papers/paper.h"

#include <stdio.h>

/* The rules of style for papers, which a page has once. */
extern const char paper_style[];

/* Most characters of an id on the page. */
enum { PAPER_ID = 100 };

/* Writes the paper: its share, its largest sources, and its text with the passages of the sources
 * beside it. `number`, at least 1, makes the ids of elements, which begin with "paper-". It takes
 * less than 100 kB; what is left out is said. False: out of memory. */
bool paper_put(FILE *out, const paper *p, size_t number, page_language language);

#endif
