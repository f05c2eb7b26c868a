/* Dates of ISO 8601 as seconds since the epoch. */
#ifndef ND_CORPUS_ISO_DATE_H
#define ND_CORPUS_ISO_DATE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a date into *seconds since 1970-01-01T00:00:00Z. False: not such a date; *seconds is
 * unchanged.
 *
 * YYYY, YYYY-MM or YYYY-MM-DD, in the proleptic Gregorian calendar, years 0000 to 9999. Behind the
 * last a time may follow, "T" or a space and HH:MM[:SS[.fraction]], and a zone: Z, +HH, +HHMM or
 * +HH:MM, or the same with "-". A part that is missing means its first moment; no zone means UTC.
 * Second 60, a leap second, is second 0 of the next minute. */
bool nd_iso_date_parse(const char *text, size_t length, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
