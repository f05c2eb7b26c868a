/* What features are called: terms by their features, one bytewise copy each, with a bound on how
 * many. */
#ifndef ND_TERMS_TERM_DICTIONARY_H
#define ND_TERMS_TERM_DICTIONARY_H

#include "neardup.h"

typedef struct nd_term_names nd_term_names;

nd_status nd_term_names_create(const nd_allocator *allocator, nd_term_names **out, nd_error *error);
/* NULL is accepted. */
void nd_term_names_free(nd_term_names *names);

size_t nd_term_names_count(const nd_term_names *names);
/* Adds a term of at most 255 bytes, unless the feature has a name. feature: not 0. */
nd_status nd_term_names_add(nd_term_names *names, uint64_t feature, const void *term, size_t length,
                            nd_error *error);
/* False: it has none. The name is valid until the next is added. */
bool nd_term_names_find(const nd_term_names *names, uint64_t feature, const char **term,
                        size_t *length);
/* The names one after the other; at begins as 0. False: there are no more. */
bool nd_term_names_next(const nd_term_names *names, size_t *at, uint64_t *feature,
                        const char **term, size_t *length);

#endif
