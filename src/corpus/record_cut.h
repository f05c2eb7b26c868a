/* Where the records of a file begin and end: lines of JSON, values of JSON over any number of
 * lines, rows of CSV; or one text, which is the whole file. Only what separates records is read
 * here; whether a record is well-formed is found out when it is parsed.
 *
 * A bracket or a quote that stays open would make one record of all that follows. Where the end of
 * the input, or the limit of a record, shows that, the record ends with its first line, and the
 * next one begins behind it: one bad record never loses the others. If that happens often, what was
 * looked through in vain is read line by line, so that it is not looked through again and again. */
#ifndef ND_CORPUS_RECORD_CUT_H
#define ND_CORPUS_RECORD_CUT_H

#include "corpus/json_diagnose.h"
#include "neardup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a record whose end has not been found: so no byte of it is read twice. */
typedef struct nd_open_record {
    size_t known; /* bytes of the record that have been read */
    bool quoted;  /* they end inside of a quoted field, or of a string */
    bool in_field;
    uint8_t reserved[6];
    /* The open brackets of a value: a bit for each level, 1 for '{'. */
    uint64_t curly[ND_JSON_DEPTH / 64];
    size_t depth;
} nd_open_record;

/* Zero-initialised for each file, except for its format. */
typedef struct nd_record_cutter {
    nd_input_format format; /* not ND_FORMAT_AUTO */
    bool in_array;          /* ND_FORMAT_JSON: values of an array follow */
    bool
        after_value; /* and the next one needs a comma before it; ND_FORMAT_TEXT: the file is cut */
    uint8_t reserved[2];
    uint32_t given_up; /* records that stayed open */
    size_t by_line;    /* so many bytes from here on are read line by line */
    nd_open_record open;
} nd_record_cutter;

typedef struct nd_cut {
    size_t begin, end; /* the record, without the newline behind it */
    size_t next;       /* where the next one is looked for */
    bool blank;        /* there is no record, only white space or a separator */
    const char *fault; /* why the record is bad; NULL: it is not known to be */
} nd_cut;

/* Finds the record at bytes[from, end). `last`: no further bytes follow. False: the record is not
 * complete, or, with `last`, nothing is left. The next call has the same bytes from the same place
 * on, and perhaps more: it goes on where this one ended. Time of all calls for a record: linear in
 * its bytes. */
bool nd_record_cut(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end, bool last,
                   nd_cut *out);

/* Gives up on a record whose end was not found within the limit: cuts it at its first newline.
 * False: there is none. */
bool nd_record_cut_line(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end,
                        nd_cut *out);
/* Forgets a record whose end was not found: the next call begins at another place. */
void nd_record_cut_forget(nd_record_cutter *cutter);

#endif
