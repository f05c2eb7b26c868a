/* The file of costs that neardup hamming calibrate writes and neardup hamming plan reads. */
#ifndef CLI_HAMMING_COSTS_H
#define CLI_HAMMING_COSTS_H

#include "neardup.h"

#include <stdbool.h>
#include <stdio.h>

void hamming_costs_print(FILE *out, const nd_hamming_costs *costs);
/* False: it cannot be read, or is no such file; reported. */
bool hamming_costs_read(const char *path, nd_hamming_costs *costs);

#endif
