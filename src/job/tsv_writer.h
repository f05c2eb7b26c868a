/* Writes a table of tab-separated values with a header line. In ids and names a backslash, tab,
 * newline and carriage return are written \\ \t \n \r. */
#ifndef ND_JOB_TSV_WRITER_H
#define ND_JOB_TSV_WRITER_H

#include "io/output_file.h"

typedef struct nd_table {
    nd_allocator allocator;
    nd_output_file *file; /* NULL: this table is not wanted */
    char *row;
    size_t size, capacity;
} nd_table;

/* Opens the table and writes `header`, which includes its newline. `path` NULL: the table stays
 * closed. */
nd_status nd_table_open(nd_table *table, const char *path, const char *header,
                        nd_progress *progress, const nd_allocator *allocator, nd_error *error);
void nd_table_free(nd_table *table);

static inline bool nd_table_wanted(const nd_table *table) { return table->file != NULL; }

/* A row is built field by field: from ids, which are escaped, and from texts that need no escapes.
 * nd_table_end writes it. */
nd_status nd_table_id(nd_table *table, const char *id, size_t length, nd_error *error);
nd_status nd_table_text(nd_table *table, const char *text, nd_error *error);
nd_status nd_table_end(nd_table *table, nd_error *error);

#endif
