/* The names of columns as a Parquet file has them. DuckDB has its own name for a column
 * whose name differs from that of another one only in case. */
#ifndef ND_PARQUET_PARQUET_NAMES_H
#define ND_PARQUET_PARQUET_NAMES_H

#include "parquet/duckdb_session.h"

typedef struct nd_parquet_names {
    nd_allocator allocator;
    nd_sql bytes;       /* the names, of columns and of members inside of them, with NULs behind */
    const char **names; /* of the columns, in the order in which DuckDB has them */
    size_t count;
    /* Two members of one struct whose names differ only by case, if at all; NULL: there are none.
     * DuckDB gives the second one another name. */
    const char *member, *other_member;
} nd_parquet_names;

/* `out` is valid for nd_parquet_names_free in any case. ND_ERR_INPUT, ND_ERR_IO: the file cannot be
 * read. */
nd_status nd_parquet_names_read(nd_duckdb_session *session, const char *file, nd_parquet_names *out,
                                nd_error *error);
void nd_parquet_names_free(nd_parquet_names *names);

/* Checks that DuckDB keeps the names of members. ND_ERR_ARGUMENT: it does not. */
nd_status nd_parquet_names_check_members(const nd_parquet_names *names, const char *file,
                                         nd_error *error);
/* Checks that DuckDB writes the names of a file as they are. ND_ERR_ARGUMENT: it does not. */
nd_status nd_parquet_names_check(nd_duckdb_session *session, const char *file, nd_error *error);

#endif
