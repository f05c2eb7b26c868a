/* Replaces bytes that are not UTF-8. */
#ifndef ND_UNICODE_UTF8_REPAIR_H
#define ND_UNICODE_UTF8_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the sequence at p, where `left` >= 1 bytes can be read: 1 to 4. If *valid
 * is false, it is the length of the maximal subpart of an ill-formed sequence, which one U+FFFD
 * replaces (Unicode 15, table 3-7 and section 3.9): 1 to 3. */
size_t nd_utf8_take(const unsigned char *p, size_t left, bool *valid);

/* Copies text to `out`, with each maximal subpart of an ill-formed sequence replaced by U+FFFD
 * (Unicode 15, ch. 3.9, "U+FFFD Substitution of Maximal Subparts"). Returns the number of bytes
 * written, at most 3 * length. `out` NULL: only counts them. */
size_t nd_utf8_repair(const char *text, size_t length, char *out);

#endif
