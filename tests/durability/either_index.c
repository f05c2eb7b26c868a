/* Calls the library for either kind of index: see either_index.h. */
#include "durability/either_index.h"

#include "durability/documents.h"

#include <stdlib.h>
#include <string.h>

nd_status either_open(const char *path, nd_index_mode mode, const nd_allocator *allocator,
                      either_index **out, nd_error *error) {
    either_index *x = calloc(1, sizeof *x);
    assert_non_null(x);
    nd_status status = content() == CONTENT_DOCUMENTS
                           ? nd_index_open(path, mode, allocator, &x->documents, error)
                           : nd_hamming_open(path, mode, allocator, &x->fingerprints, error);
    if (status == ND_OK) *out = x;
    else free(x);
    return status;
}

void either_close(either_index *index) {
    if (!index) return;
    nd_index_close(index->documents);
    nd_hamming_close(index->fingerprints);
    free(index);
}

nd_status either_refresh(either_index *index, nd_error *error) {
    return index->documents ? nd_index_refresh(index->documents, error)
                            : nd_hamming_refresh(index->fingerprints, error);
}

void either_set_sync(either_index *index, nd_sync sync) {
    if (index->documents) nd_index_set_sync(index->documents, sync);
    else nd_hamming_set_sync(index->fingerprints, sync);
}

nd_status either_sync(either_index *index, nd_error *error) {
    return index->documents ? nd_index_sync(index->documents, error)
                            : nd_hamming_sync(index->fingerprints, error);
}

nd_status either_compact(either_index *index, nd_error *error) {
    return index->documents ? nd_index_compact(index->documents, error)
                            : nd_hamming_compact(index->fingerprints, error);
}

nd_status either_check(either_index *index, nd_error *error) {
    return index->documents ? nd_index_check(index->documents, error)
                            : nd_hamming_check(index->fingerprints, error);
}

static either_info describe_documents(nd_index *index) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_error error;
    must(nd_index_describe(index, &info, &error), &error);
    return (either_info){.documents = info.documents,
                         .removed = info.removed,
                         .segments = info.segments,
                         .log_documents = info.log_documents,
                         .generation = info.generation};
}

static either_info describe_fingerprints(nd_hamming_index *index) {
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_error error;
    must(nd_hamming_describe(index, &info, &error), &error);
    either_info out = {.documents = info.fingerprints,
                       .removed = info.removed,
                       .segments = info.segments,
                       .log_documents = info.log_fingerprints,
                       .generation = info.generation};
    memcpy(out.design, info.design, sizeof out.design);
    return out;
}

either_info either_describe(either_index *index) {
    return index->documents ? describe_documents(index->documents)
                            : describe_fingerprints(index->fingerprints);
}
