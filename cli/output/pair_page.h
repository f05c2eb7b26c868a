/* A comparison as a page of HTML that needs no other file. */
#ifndef CLI_PAIR_PAGE_H
#define CLI_PAIR_PAGE_H

#include "output/pair.h"

#include <stdbool.h>
#include <stdio.h>

/* False: out of memory. */
bool pair_print_page(FILE *out, const pair *p);

#endif
