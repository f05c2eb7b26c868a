/* MinHash of two texts, step by step. */
#ifndef CLI_EXPLAIN_PAIR_MINHASH_H
#define CLI_EXPLAIN_PAIR_MINHASH_H

#include "output/pair.h"

#include <stdbool.h>
#include <stdio.h>

/* False: reported. */
bool explain_pair_minhash(FILE *out, const pair *p);

#endif
