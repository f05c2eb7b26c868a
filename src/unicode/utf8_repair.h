/* Replacing what is not UTF-8. */
#ifndef ND_UNICODE_UTF8_REPAIR_H
#define ND_UNICODE_UTF8_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

/* Takes one sequence at p, of which `left` >= 1 bytes can be read: its length, 1 to 4, or, with
 * *valid false, that of the maximal subpart of what is ill-formed (Unicode 15, table 3-7 and
 * section 3.9: what one U+FFFD stands for), 1 to 3. */
size_t nd_utf8_take(const unsigned char *p, size_t left, bool *valid);

/* Copies text to `out` with each maximal subpart of an ill-formed sequence replaced by U+FFFD
 * (Unicode 15, ch. 3.9, "U+FFFD Substitution of Maximal Subparts"). Returns the bytes written;
 * `out` NULL: only counts them. At most 3 * length. */
size_t nd_utf8_repair(const char *text, size_t length, char *out);

#endif
