/* The rows of Parquet inputs as objects of JSON, for a thread of its own. */
#ifndef ND_DEDUP_ROW_OBJECTS_H
#define ND_DEDUP_ROW_OBJECTS_H

#include "corpus/corpus.h"

/* Checks, before anything is read, that the rows of all inputs can be objects. ND_ERR_ARGUMENT,
 * ND_ERR_UNSUPPORTED: as of nd_parquet_json_check. */
nd_status nd_row_objects_check(nd_corpus *corpus, nd_error *error);

typedef struct nd_row_objects nd_row_objects;

/* REQUIRES: nd_row_objects_check has succeeded, and all rows have been read. The corpus must
 * outlive the objects. */
nd_status nd_row_objects_create(nd_corpus *corpus, nd_row_objects **out, nd_error *error);
/* NULL is accepted. */
void nd_row_objects_free(nd_row_objects *objects);

/* Gets the object of a row, whose number counts from 1 in its source. Rows come in the order of
 * input. The object is valid until the next call. ND_ERR_IO: the file has changed. */
nd_status nd_row_objects_get(nd_row_objects *objects, size_t source, uint64_t number,
                             const char **object, size_t *length, nd_error *error);

#endif
