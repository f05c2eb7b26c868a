/* Making an index directory, and removing one that nobody wants. */
#ifndef ND_STORE_STORE_CREATE_H
#define ND_STORE_STORE_CREATE_H

#include "store/manifest.h"

/* Writes the segment with which a new index begins. It leaves segment->documents 0 if there is
 * none. */
typedef nd_status nd_first_segment_fn(void *context, const char *path, nd_manifest_segment *segment,
                                      nd_error *error);

/* Makes the directory, if it does not exist, and in it an index with the segment that `first`
 * writes (NULL: an empty index). Until all is done there is no index. ND_ERR_IO: the directory
 * holds something else (nd_state_check_free). After a failure the directory is as it was, and does
 * not exist if it did not before. */
nd_status nd_store_create(const char *directory, const nd_index_settings *settings,
                          nd_first_segment_fn *first, void *context, const nd_allocator *allocator,
                          nd_error *error);

/* Removes an index that has no documents, and its directory. ND_ERR_IO: it has some. */
nd_status nd_store_remove_empty(const char *directory, const nd_allocator *allocator,
                                nd_error *error);
/* Removes an index that the caller has made and does not want, however far its making has come.
 * Failures are ignored. */
void nd_store_remove_unused(const char *directory);

#endif
