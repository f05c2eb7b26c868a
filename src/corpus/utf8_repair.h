/* Replacing what is not UTF-8. */
#ifndef ND_CORPUS_UTF8_REPAIR_H
#define ND_CORPUS_UTF8_REPAIR_H

#include <stddef.h>

/* Copies text to `out` with each maximal subpart of an ill-formed sequence replaced by U+FFFD (Unicode 15, ch. 3.9, "U+FFFD Substitution of Maximal Subparts").
 * Returns the bytes written; `out` NULL: only counts them. At most 3 * length. */
size_t nd_utf8_repair(const char *text, size_t length, char *out);

#endif
