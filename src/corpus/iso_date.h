/* Reads dates of ISO 8601 as seconds since the epoch. */
#ifndef ND_CORPUS_ISO_DATE_H
#define ND_CORPUS_ISO_DATE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a date into *seconds since 1970-01-01T00:00:00Z. False: it is not such a date; *seconds is
 * unchanged.
 *
 * A date is YYYY, YYYY-MM or YYYY-MM-DD, in the proleptic Gregorian calendar, years 0000 to 9999. A
 * full date may have a time behind it: "T" or a space, HH:MM[:SS[.fraction]], and a zone: Z, +HH,
 * +HHMM or +HH:MM, or the same with "-". A missing part means its first moment; a missing zone
 * means UTC. Second 60, a leap second, is second 0 of the next minute. */
bool nd_iso_date_parse(const char *text, size_t length, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
