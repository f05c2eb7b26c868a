/* An open index of documents or of fingerprints, as content() says (documents.h), for tests that
 * treat both alike. Each function calls the function of the library for its kind. */
#ifndef ND_TESTS_EITHER_INDEX_H
#define ND_TESTS_EITHER_INDEX_H

#include "neardup.h"

/* One of the two pointers is not NULL. */
typedef struct either_index {
    nd_index *documents;
    nd_hamming_index *fingerprints;
} either_index;

/* The information that both kinds have. */
typedef struct either_info {
    uint64_t documents, removed, segments, log_documents, generation;
    char design[40]; /* "" for documents */
} either_info;

nd_status either_open(const char *path, nd_index_mode mode, const nd_allocator *allocator,
                      either_index **out, nd_error *error);
void either_close(either_index *index); /* NULL is accepted */
nd_status either_refresh(either_index *index, nd_error *error);
void either_set_sync(either_index *index, nd_sync sync);
nd_status either_sync(either_index *index, nd_error *error);
nd_status either_compact(either_index *index, nd_error *error);
nd_status either_check(either_index *index, nd_error *error);
either_info either_describe(either_index *index);

#endif
