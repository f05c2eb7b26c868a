/* Where the records of a WARC or ARC file begin and end.
 *
 * A record ends where its length says, and there the next one begins, or the file ends. If that is
 * not so, the record is bad, and the next one is where a record's first line is found behind it. So
 * one bad record never loses the next one. */
#ifndef ND_WARC_WARC_CUT_H
#define ND_WARC_WARC_CUT_H

#include "warc/warc_header.h"

/* Zero-initialised for each file. */
typedef struct nd_warc_cutter {
    bool begun;     /* the first record has been seen */
    bool arc;       /* the file begins as ARC does */
    bool searching; /* inside a bad record, whose end has not been found yet */
} nd_warc_cutter;

typedef struct nd_warc_cut {
    size_t begin, end; /* header and block */
    size_t next;       /* where the next one is looked for */
    nd_warc_kind kind;
    bool blank;        /* there is no record, only empty lines or the rest of a bad one */
    const char *fault; /* why the record is bad, static; NULL: it is not known to be */
} nd_warc_cut;

/* Finds the record at bytes[from, stop). `last`: no further bytes follow. False: the record is not
 * complete, or, with `last`, nothing is left. A call with more bytes from the same place on goes
 * on. */
bool nd_warc_cut_record(nd_warc_cutter *cutter, const char *bytes, size_t from, size_t stop,
                        bool last, nd_warc_cut *out);

/* Cuts a record that is over a limit and has no end before `stop`; its rest is blank. The record
 * ends where the next one is found. False: too few bytes are known to tell its kind. */
bool nd_warc_cut_over(nd_warc_cutter *cutter, const char *bytes, size_t from, size_t stop,
                      nd_warc_cut *out);

#endif
