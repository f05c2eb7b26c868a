/* The inside of an index's handle. */
#ifndef ND_INDEX_INDEX_H
#define ND_INDEX_INDEX_H

#include "index/document_search.h"

#include <pthread.h>
#include <stdatomic.h>

/* Locks, in the order in which they are taken: `writer` by whoever changes something; `syncing` by
 * whoever waits for the disk, and by who replaces the log; `view` for writing while what searches
 * see changes, for reading while they look. */
struct nd_index {
    nd_allocator allocator;
    char *path;
    nd_index_mode mode;
    nd_store *store;
    nd_index_settings settings; /* of every state of it */
    pthread_rwlock_t view;
    pthread_mutex_t writer, syncing; /* both know their thread, so that a callback of a change is
                                        told from other threads */
    atomic_int sync;                 /* nd_sync */
    atomic_uint_fast64_t written;    /* changes that the system has */
    uint64_t synced;                 /* changes that are durable; under `syncing` */
    nd_error sync_failure;           /* under `syncing` */
    atomic_bool sync_failed;         /* no more changes are taken */
};

/* The same as nd_index_create, but of ND_SEGMENT, too: for a stream, which keeps to one dictionary
 * and one ICU. */
nd_status nd_index_make(const char *path, const nd_index_options *options,
                        const nd_allocator *allocator, nd_error *error);

/* A searcher for nd_index_add_document alone. */
nd_status nd_index_make_searcher(nd_index *index, nd_searcher **out, nd_error *error);
/* nd_index_add without replacing, of a document whose parts are made (index/document_sketcher.h).
 */
nd_status nd_index_add_document(nd_index *index, nd_searcher *searcher,
                                const nd_stored_document *document, bool *added,
                                const nd_match **evidence, nd_error *error);

/* ND_ERR_ARGUMENT: it is of fingerprints, or a stream's, of segments. */
nd_status nd_index_check_documents(const char *path, const nd_index_settings *settings,
                                   nd_error *error);

/* ND_ERR_ARGUMENT: its documents were hashed otherwise. */
nd_status nd_index_check_hashes(const char *path, const nd_index_settings *settings,
                                const nd_job_options *options, nd_error *error);

/* A change: `writer` is taken, and the log is made a segment before, where it is full. Where this
 * fails there is nothing to end. */
nd_status nd_index_begin_change(nd_index *index, nd_error *error);
/* Ends a change that has `status` so far: it goes to the system, and to the disk when each does. */
nd_status nd_index_end_change(nd_index *index, nd_status status, bool changed, nd_error *error);

/* Within a change: around what replaces the log, by whose end all that was written is durable. */
void nd_index_begin_state(nd_index *index);
nd_status nd_index_end_state(nd_index *index, nd_status status);

#endif
