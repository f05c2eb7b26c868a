/* Fingerprints in the place of documents (documents.h): each version of a document is one, and its
 * id is that of the document or a number that tells which document it is. Some are equal to others
 * or near them. */
#ifndef ND_TESTS_FINGERPRINT_MODEL_H
#define ND_TESTS_FINGERPRINT_MODEL_H

#include "durability/documents.h"

nd_hamming_options fingerprint_options(void);
/* Before the first number is given, and before a process has children. */
void fingerprint_numbers_begin(void);

/* As those of documents. */
nd_status fingerprint_find(nd_finder *finder, unsigned document, unsigned version, bool *there,
                           nd_error *error);
nd_status fingerprint_perform(const operation *o, const row *now, nd_index *index,
                              nd_finder *finder, nd_error *error);
/* A batch: into an index, into one that is opened for it, or a new one of it. */
nd_status fingerprint_load(const operation *o, nd_index *index, const nd_allocator *allocator,
                           nd_error *error);
nd_status fingerprint_perform_batch(const operation *o, const char *path,
                                    const nd_allocator *allocator, nd_error *error);
nd_status fingerprint_build(const operation *o, const char *path, const nd_allocator *allocator,
                            nd_error *error);

/* Every kind of search, many queries at once, and a join find what the row holds; `all`: and
 * nothing else. */
nd_status fingerprint_check_searches(nd_finder *finder, const row *held, nd_error *error);
nd_status fingerprint_check_queries(nd_index *index, const row *held, bool all, uint32_t threads,
                                    const nd_allocator *allocator, nd_error *error);
nd_status fingerprint_check_join(nd_index *index, const row *held, bool all, uint32_t threads,
                                 const nd_allocator *allocator, nd_error *error);

#endif
