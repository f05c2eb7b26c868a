/* The columns and rows of CSV and TSV (RFC 4180). A row ends with a newline outside of quotes. A
 * field is quoted if it begins with a quote; two quotes in it stand for one. */
#ifndef ND_CORPUS_CSV_ROW_H
#define ND_CORPUS_CSV_ROW_H

#include "base/alloc.h"
#include "base/status.h"
#include "corpus/record_fields.h"

/* Where the fields of a file are. Places count from 0; SIZE_MAX: no such column. */
typedef struct nd_csv_columns {
    char delimiter;
    size_t count; /* of each row; 0: unknown, because there is no header */
    size_t *texts, text_count;
    size_t id, priority, label;
    size_t *protect;                             /* by number of the protected value: its column */
    const nd_protected_values *protected_values; /* NULL: none is read */
} nd_csv_columns;

/* Whether columns are named by their numbers. Then the files have no header. */
bool nd_csv_by_number(const nd_record_fields *fields);

/* Finds the columns in the header of a file, without its newline; NULL: by their numbers.
 * ND_ERR_INPUT: a text column is not there. A file may have no column of ids, priorities,
 * labels or protected values. The caller frees *out, after a failure too. */
nd_status nd_csv_columns_find(const nd_record_fields *fields, char delimiter, const char *header,
                              size_t length, const nd_allocator *allocator, nd_csv_columns *out,
                              nd_error *error);
void nd_csv_columns_free(nd_csv_columns *columns, const nd_allocator *allocator);

/* Memory of one thread for the contents of fields. Zero-initialised; the caller releases `bytes`
 * and `texts`. */
typedef struct nd_csv_buffer {
    char *bytes;
    size_t size, capacity;
    size_t *texts; /* places of the text fields in the row */
    size_t text_capacity;
} nd_csv_buffer;

typedef enum nd_csv_problem {
    ND_CSV_FINE,
    ND_CSV_BAD_ROW, /* `why` has the reason */
    ND_CSV_NO_MEMORY
} nd_csv_problem;

/* Reads a row without its newline. An empty field of ids or priorities is none. Text, id and label
 * are in the row or in the buffer. Whether they are UTF-8 is not checked. */
nd_csv_problem nd_csv_parse(const nd_csv_columns *columns, const char *row, size_t length,
                            const nd_allocator *allocator, nd_csv_buffer *buffer,
                            nd_record_values *out, char *why, size_t why_size);

/* A cell of a row: its place in the row, with its quotes, and its content. */
typedef struct nd_csv_cell {
    size_t begin, end;
    size_t content, content_end;
    bool doubled; /* two quotes in the content stand for one */
    size_t next;  /* where the next cell begins; SIZE_MAX: there is none */
} nd_csv_cell;

/* The cell that begins at `at` of a row, from 0 on. The row has no newline and no carriage return
 * at its end (nd_csv_length). */
nd_csv_cell nd_csv_cell_at(const char *row, size_t at, size_t length, char delimiter);
/* Copies the content to `to`, which has room for the cell. Returns its size. */
size_t nd_csv_cell_copy(const char *row, const nd_csv_cell *cell, char *to);
/* Whether the cells of two rows have the same contents, with quotes around them or not. */
bool nd_csv_same_cells(const char *a, size_t a_length, const char *b, size_t b_length,
                       char delimiter);
/* The length of a row without the carriage return at its end. */
size_t nd_csv_length(const char *row, size_t length);

#endif
