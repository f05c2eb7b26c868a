/* Dates of ISO 8601 as seconds since the epoch. */
#ifndef ND_CORPUS_ISO_DATE_H
#define ND_CORPUS_ISO_DATE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* YYYY, YYYY-MM or YYYY-MM-DD; the last with an optional time [T or space]HH:MM[:SS[.fraction]] and
 * zone Z, +HH, +HHMM or +HH:MM (or -). Years 0000 to 9999, proleptic Gregorian calendar; what is
 * left out is its first moment, no zone is UTC; second 60 (a leap second) is the next minute's 0.
 * *seconds since 1970-01-01T00:00:00Z. False: not such a date, *seconds unchanged. */
bool nd_iso_date_parse(const char *text, size_t length, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
