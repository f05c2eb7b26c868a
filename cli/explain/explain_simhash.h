/* SimHash of two texts, step by step. */
#ifndef CLI_EXPLAIN_SIMHASH_H
#define CLI_EXPLAIN_SIMHASH_H

#include "output/pair.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints the steps for the lowest `bits` bits. False: reported. */
bool explain_simhash(FILE *out, const pair *p, uint32_t bits);

#endif
