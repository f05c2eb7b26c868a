/* Bars in a terminal. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include <stdio.h>

/* Prints a bar whose length is `share` (0 to 1) of `width` columns: of blocks, in eighths of a
 * column, where the locale has UTF-8; else of whole '#'. A share above 0 has a mark at least. */
void bar_print(FILE *out, double share, unsigned width);

#endif
