/* Reads decimal numbers exactly, whatever the locale. */
#ifndef ND_BASE_DECIMAL_H
#define ND_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the whole text as a number and rounds it to the nearest multiple of 1/4096 (a tie goes up);
 * *units counts those. The text is digits, with or without a point among them, and with or without
 * an exponent: "3", "0.25", "1.5e-3". False: it is something else (a sign, "inf"), or more than
 * `most` units. O(length). */
bool nd_decimal_read(const char *text, size_t length, uint32_t most, uint32_t *units);

/* Reads the whole text, digits only, as a whole number. False: it is something else, or more than
 * `most`. */
bool nd_whole_number_read(const char *text, size_t length, uint64_t most, uint64_t *out);

#endif
