/* The fields of the first record of a file, for people who choose among them. */
#ifndef ND_CORPUS_FIELD_LIST_H
#define ND_CORPUS_FIELD_LIST_H

#include "neardup.h"

/* Calls `fn` with each field of the first record: members of JSON, those inside of objects too, and
 * columns of CSV. `bytes` may end inside of the record. A name with escapes is left out. Returns
 * false if the callback stopped it. O(size). */
bool nd_list_fields(nd_input_format format, const char *bytes, size_t size, nd_input_field_fn *fn,
                    void *context);

#endif
