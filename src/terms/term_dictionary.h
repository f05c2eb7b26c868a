/* A map from features to the terms that they are hashes of. */
#ifndef ND_TERMS_TERM_DICTIONARY_H
#define ND_TERMS_TERM_DICTIONARY_H

#include "neardup.h"

typedef struct nd_term_dictionary nd_term_dictionary;

nd_status nd_term_dictionary_create(const nd_allocator *allocator, nd_term_dictionary **out,
                                    nd_error *error);
/* NULL is accepted. */
void nd_term_dictionary_free(nd_term_dictionary *names);

size_t nd_term_dictionary_count(const nd_term_dictionary *names);
/* Adds a copy of a term of at most 255 bytes, unless the feature has a term already. REQUIRES:
 * feature is not 0. ND_ERR_MEMORY: also if all terms together have more than 4 GiB. */
nd_status nd_term_dictionary_add(nd_term_dictionary *names, uint64_t feature, const void *term,
                                 size_t length, nd_error *error);
/* Prefetches the slot of a feature, for a lookup or an addition that follows. */
void nd_term_dictionary_prefetch(const nd_term_dictionary *names, uint64_t feature);
/* Finds the term of a feature. False: it has none. The term is valid until the next is added. */
bool nd_term_dictionary_find(const nd_term_dictionary *names, uint64_t feature, const char **term,
                             size_t *length);
/* Iterates over all terms; *at starts as 0. False: there are no more. */
bool nd_term_dictionary_next(const nd_term_dictionary *names, size_t *at, uint64_t *feature,
                             const char **term, size_t *length);

#endif
