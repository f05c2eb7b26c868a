/* One thread's additions to a Count-Min sketch. A few words are in most documents, and their
 * counters are far apart in memory. So the buffer counts frequent features itself, and adds a
 * feature's count to the sketch when another feature takes its slot. */
#ifndef ND_TERMS_COUNT_MIN_BUFFER_H
#define ND_TERMS_COUNT_MIN_BUFFER_H

#include "terms/count_min.h"

typedef struct nd_count_min_buffer nd_count_min_buffer;

/* `counts` stays the caller's and must outlive the buffer. */
nd_status nd_count_min_buffer_create(nd_count_min *counts, const nd_allocator *allocator,
                                     nd_count_min_buffer **out, nd_error *error);
/* Adds the buffered counts to the sketch, and frees the buffer. NULL is accepted. */
void nd_count_min_buffer_free(nd_count_min_buffer *counter);

/* Adds a document, given by its features, each as often as it occurs. Overwrites `features`. Once
 * the buffer is freed, the sketch is as after nd_count_min_add_document of the distinct features.
 */
nd_status nd_count_min_buffer_add_document(nd_count_min_buffer *counter, uint64_t *features,
                                           size_t count, nd_error *error);

#endif
