/* Text of SQL that is made of fixed parts, and of names and paths that may have any bytes. */
#ifndef ND_PARQUET_SQL_TEXT_H
#define ND_PARQUET_SQL_TEXT_H

#include "base/alloc.h"
#include "base/status.h"

/* Zero-initialised except for the allocator; freed by nd_sql_free. */
typedef struct nd_sql {
    const nd_allocator *allocator;
    char *bytes; /* NUL-terminated, once something was added */
    size_t size, capacity;
    bool failed; /* out of memory: all further calls do nothing */
} nd_sql;

/* Adds SQL as it is. */
void nd_sql_add(nd_sql *sql, const char *text);
void nd_sql_add_bytes(nd_sql *sql, const char *bytes, size_t size);
void nd_sql_add_number(nd_sql *sql, uint64_t number);
/* Adds the name of a column: "a""b". */
void nd_sql_add_name(nd_sql *sql, const char *name);
/* Adds a string: 'it''s'. */
void nd_sql_add_string(nd_sql *sql, const char *string);
/* Adds the path of a file that is read: a string that names this file alone, even if it has
 * characters of a pattern ("*"), of a URL ("s3:") or of a home directory ("~"). */
void nd_sql_add_path(nd_sql *sql, const char *path);
/* Adds the path of a file that is written. A pattern means nothing there. */
void nd_sql_add_target(nd_sql *sql, const char *path);
void nd_sql_free(nd_sql *sql);

#endif
