/* Fingerprints instead of documents (documents.h). Each version of a document is a fingerprint. Its
 * id is the document's id, or a number that gives the document. Some fingerprints are equal or
 * near. */
#ifndef ND_TESTS_FINGERPRINT_MODEL_H
#define ND_TESTS_FINGERPRINT_MODEL_H

#include "durability/documents.h"

nd_hamming_options fingerprint_options(void);
/* Call it before the first number is used, and before the process has children. */
void fingerprint_numbers_begin(void);

/* The same as the functions for documents. */
nd_status fingerprint_find(nd_hamming_searcher *searcher, unsigned document, unsigned version,
                           bool *there, nd_error *error);
nd_status fingerprint_perform(const operation *o, const row *now, nd_hamming_index *index,
                              nd_hamming_searcher *searcher, nd_error *error);
/* Loads a batch: into an open index, into one that is opened for it, or into a new one. */
nd_status fingerprint_load(const operation *o, nd_hamming_index *index,
                           const nd_allocator *allocator, nd_error *error);
nd_status fingerprint_perform_batch(const operation *o, const char *path,
                                    const nd_allocator *allocator, nd_error *error);
nd_status fingerprint_build(const operation *o, const char *path, const nd_allocator *allocator,
                            nd_error *error);

/* Every kind of search, a batch of queries and a join find the content of the row; `all`: and
 * nothing else. */
nd_status fingerprint_check_searches(nd_hamming_searcher *searcher, const row *held,
                                     nd_error *error);
nd_status fingerprint_check_queries(nd_hamming_index *index, const row *held, bool all,
                                    uint32_t threads, const nd_allocator *allocator,
                                    nd_error *error);
nd_status fingerprint_check_join(nd_hamming_index *index, const row *held, bool all,
                                 uint32_t threads, const nd_allocator *allocator, nd_error *error);

#endif
