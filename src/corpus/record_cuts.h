/* Cuts spans out of a document's text where the text is a part of a record: a string of JSON, or a
 * column of CSV. All other bytes of the record stay as they are, and so does what is left of the
 * text: its escapes and its quotes.
 *
 * The text of several fields is joined by newlines, which are not in the record: a span passes over
 * them. In a column without quotes, what is left may begin with a quote, or the row may end with a
 * carriage return that is a part of the text; such a column is written in quotes. */
#ifndef ND_CORPUS_RECORD_CUTS_H
#define ND_CORPUS_RECORD_CUTS_H

#include "corpus/corpus.h"

/* Bytes [begin, end) of a text, between characters. */
typedef struct nd_text_span {
    size_t begin, end;
} nd_text_span;

/* Bytes [begin, end) of a record, and what is written instead. */
typedef struct nd_record_edit {
    size_t begin, end;
    char put; /* 0: nothing */
} nd_record_edit;

/* One thread's memory. Zero-initialised, except for allocator and fields. */
typedef struct nd_record_cuts {
    nd_allocator allocator;
    const nd_record_fields *fields; /* as the record was read */
    char *record;                   /* the record without the spans; valid until the next call */
    size_t length, capacity;
    nd_record_edit *edits; /* of the record, ascending */
    size_t edit_count, edit_capacity;
} nd_record_cuts;

/* Whether texts can be cut out of the records of a source: JSON, CSV and TSV. */
bool nd_record_cuts_can(const nd_source *source);

/* Makes the record of a source without the spans of its text, which ascend and do not overlap.
 * `text_length`: of its text. REQUIRES: nd_record_cuts_can; the record, without a newline at its
 * end, was valid when it was read first; ND_JSON_PADDING zeros are behind it. ND_ERR_IO: its text
 * has another length. O(length). */
nd_status nd_record_cuts_make(nd_record_cuts *cuts, const nd_source *source, const char *record,
                              size_t length, size_t text_length, const nd_text_span *spans,
                              size_t span_count, nd_error *error);
void nd_record_cuts_free(nd_record_cuts *cuts);

#endif
