/* The numbers of a text: maximal runs of decimal digits (Unicode gc=Nd) with single separators
 * . , : / - between two digits. Digits of every script, and full-width and Arabic separators, are
 * folded to ASCII. So "1.2" is one number, another one than "2.1", and "04/05" is not "05/04". */
#ifndef ND_TEXT_NUMBER_SCAN_H
#define ND_TEXT_NUMBER_SCAN_H

#include "base/alloc.h"
#include "base/status.h"

/* All zeros at first, except the allocator. */
typedef struct nd_number_scan {
    nd_allocator allocator;
    char *number; /* ASCII, `length` bytes; valid until the next call */
    size_t length, capacity;
    const unsigned char *at, *end; /* the rest of the text */
} nd_number_scan;

/* Begins with a text of valid UTF-8, which stays the caller's. */
void nd_number_scan_begin(nd_number_scan *scan, const char *text, size_t length);
/* Finds the next number; *found false: there is none. O(bytes passed). */
nd_status nd_number_scan_next(nd_number_scan *scan, bool *found, nd_error *error);
void nd_number_scan_free(nd_number_scan *scan);

#endif
