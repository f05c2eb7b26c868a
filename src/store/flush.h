/* Flush: the documents of the memtable become a segment. Publication: a segment that the caller has
 * written becomes the last one of the store, and documents that it replaces are removed at once
 * with that.
 *
 * Both install a new state, in which removed documents of the memtable are gone, so documents get
 * new numbers. REQUIRES: exclusive access, except that readers who share a lock
 * (nd_store_set_view_lock) go on. */
#ifndef ND_STORE_FLUSH_H
#define ND_STORE_FLUSH_H

#include "store/ingest_mark.h"
#include "store/store.h"

nd_status nd_store_flush(nd_store *store, nd_error *error);
/* Flushes only if the memtable has removed documents. After this a publication leaves all numbers
 * as they are. */
nd_status nd_store_flush_removed(nd_store *store, nd_error *error);

/* Chooses the number and the path (a new string of the store's allocator) of a segment for
 * nd_store_publish. ND_ERR_ARGUMENT: the store is in memory. */
nd_status nd_store_segment_path(nd_store *store, char **path, uint64_t *file, nd_error *error);
/* Flushes, and adds a finished segment (NULL: none) behind all others. `mark` (NULL: none) is the
 * ingest job's, in the numbers before the flush; the segment's numbers come behind those of the
 * memtable. */
nd_status nd_store_publish(nd_store *store, const nd_manifest_segment *segment,
                           const nd_ingest_mark *mark, nd_error *error);

/* Numbers of documents. */
typedef struct nd_store_numbers {
    const uint32_t *numbers;
    size_t count;
} nd_store_numbers;
/* The same, and removes documents. Readers see all of that at once; on failure nothing has
 * changed. */
nd_status nd_store_publish_and_remove(nd_store *store, const nd_manifest_segment *segment,
                                      const nd_ingest_mark *mark, nd_store_numbers removed,
                                      nd_error *error);

#endif
