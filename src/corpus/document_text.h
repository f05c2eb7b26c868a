/* Makes the text of a document from the bytes that a file, a field or an archive has: decodes them
 * to UTF-8, handles what is malformed, and takes the text of HTML pages. One thread's memory. */
#ifndef ND_CORPUS_DOCUMENT_TEXT_H
#define ND_CORPUS_DOCUMENT_TEXT_H

#include "neardup.h"

#include "base/alloc.h"

typedef struct nd_text_maker nd_text_maker;

typedef struct nd_text_options {
    const char *encoding; /* as in nd_input_options; so are the next ones */
    nd_invalid invalid;
    nd_pages html;
    uint64_t most; /* most bytes of a text */
} nd_text_options;

/* The bytes of a text. */
typedef struct nd_raw_text {
    const char *bytes;
    size_t length;
    enum {
        ND_RAW_FILE,   /* a file of its own */
        ND_RAW_STRING, /* a string of JSON, or what a callback gives: in UTF-8 */
        ND_RAW_COLUMN, /* a column of CSV */
        ND_RAW_PAGE    /* a text of the web: malformed parts become U+FFFD, as in a browser */
    } kind;
    bool is_utf8;          /* that is known, so that it is not checked again */
    bool is_html;          /* the server says so; otherwise it is found out */
    const char *charset;   /* that the server tells; of a column that of its file */
    size_t charset_length; /* 0: none */
} nd_raw_text;

typedef struct nd_made_text {
    const char *text; /* of the given bytes, or valid until the maker's next call */
    size_t length;
    char fault[120]; /* "": it is fine; otherwise why it is not valid */
} nd_made_text;

/* ND_ERR_ARGUMENT, ND_ERR_UNSUPPORTED: the encoding is not known. */
nd_status nd_text_maker_create(const nd_text_options *options, const nd_allocator *allocator,
                               nd_text_maker **out, nd_error *error);
void nd_text_maker_free(nd_text_maker *maker);
/* Frees the memory that a large text has taken. */
void nd_text_maker_release(nd_text_maker *maker);

/* ND_ERR_MEMORY. O(length). */
nd_status nd_text_make(nd_text_maker *maker, const nd_raw_text *raw, nd_made_text *out,
                       nd_error *error);

#endif
