/* Differences of two texts as lines for people. */
#ifndef CLI_DIFFERENCE_PRINT_H
#define CLI_DIFFERENCE_PRINT_H

#include "output/difference_hunks.h"

#include <stdio.h>

typedef struct difference_form {
    unsigned words; /* of context, before and behind */
    size_t most;    /* differences */
    bool colour;
} difference_form;

/* Prints how many differences there are, and how much is the same: a line without its
 * newline. */
void print_difference_count(FILE *out, const nd_difference_list *list);
/* Prints differences in brackets, as "- ..." with the words of the first text and "+ ..." with the
 * words of the second. False: out of memory. */
bool print_differences(FILE *out, const differing *texts, const difference_form *form);

#endif
