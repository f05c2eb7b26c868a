/* A document that a table of a run names, with its text once that is found in the inputs. */
#ifndef CLI_REVIEW_DOCUMENT_H
#define CLI_REVIEW_DOCUMENT_H

#include "review/run_table.h"

typedef struct review_document {
    char *id, *source; /* owned; the source is a string */
    size_t id_length;
    uint64_t line; /* 0: the document is in an index, whose texts are not kept */
    /* Set by review_texts_read. */
    char *text;    /* owned; NULL: it was not found */
    size_t length; /* of `text`, which may be the beginning only */
    size_t whole;  /* of the document's text */
} review_document;

/* The columns of a document. */
typedef struct document_columns {
    size_t id, source, line;
} document_columns;

/* Takes the document of the row that was read last. After a failure *out can be freed. */
nd_status review_document_read(const run_table *t, const document_columns *columns,
                               review_document *out, nd_error *error);
void review_document_free(review_document *d);

/* Prints the document as a member of a JSON object. */
void review_document_print_json(FILE *out, const review_document *d);

#endif
