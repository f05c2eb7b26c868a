/* A comparison as aligned lines for people, and as JSON. */
#ifndef CLI_PAIR_PRINT_H
#define CLI_PAIR_PRINT_H

#include "output/difference_print.h"

#include <stdio.h>

/* False: out of memory. */
bool pair_print(FILE *out, const pair *p, const difference_form *form);
/* One line: {"version":"0.1.0","command":"compare",...}. */
void pair_print_json(FILE *out, const pair *p);

#endif
