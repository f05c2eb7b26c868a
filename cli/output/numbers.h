/* Numbers in output: grouped for people, exact for programs. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stdint.h>
#include <stdio.h>

/* 1234567 as "1,234,567". Returns `text`. */
const char *number_grouped(uint64_t number, char text[static 32]);
/* Bytes in powers of 1000: "1.23 GB". Returns `text`. */
const char *number_volume(uint64_t bytes, char text[static 32]);
/* Writes a number with the fewest digits that read back as the same value. */
void print_exact(FILE *out, double value);

#endif
