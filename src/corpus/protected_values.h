/* Values of fields that protect a record: nd_dedup never removes a record that has one of them. */
#ifndef ND_CORPUS_PROTECTED_VALUES_H
#define ND_CORPUS_PROTECTED_VALUES_H

#include "base/alloc.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nd_protected_values {
    const char **fields, **values; /* of each the field, and the value behind it */
    size_t count;
    char *bytes; /* of all fields and values */
} nd_protected_values;

/* Reads "FIELD=VALUE" each. The field ends at the first '='; it is not empty. The caller frees
 * *out, after a failure too. */
nd_status nd_protected_values_make(const char *const *given, size_t count,
                                   const nd_allocator *allocator, nd_protected_values *out,
                                   nd_error *error);
void nd_protected_values_free(nd_protected_values *values, const nd_allocator *allocator);

/* Whether it is value number i. */
bool nd_protected_value_is(const nd_protected_values *values, size_t i, const char *text,
                           size_t length);

#ifdef __cplusplus
}
#endif
#endif
