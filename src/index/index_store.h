/* An open store with its locks: the part that an index of documents and one of fingerprints share.
 *
 * Locks, in the order in which they are taken:
 *   writer    by a thread that changes the index, from begin to commit or abandonment
 *   syncing   by a thread that waits for the disk, and by one that replaces the write-ahead log
 *   view      for writing while a change becomes visible; for reading by searches
 *
 * Group commit. One thread at a time applies a change in memory and writes it to the log; the next
 * sync makes it durable. The first thread to take `syncing` syncs everything written so far.
 * Threads that waited for the lock find their change durable and return without a second sync.
 *
 * Thread-safe, except for open, close and refresh. A callback of a call that has `writer` or
 * `syncing` gets ND_ERR_BUSY from the calls that need the same lock. */
#ifndef ND_INDEX_INDEX_STORE_H
#define ND_INDEX_INDEX_STORE_H

#include "store/flush.h"
#include "store/store_commit.h"
#include "store/store_open.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct nd_index_store {
    nd_allocator allocator;
    char *path; /* for messages, too */
    nd_index_mode mode;
    nd_store *store;
    nd_index_settings settings; /* of every state */
    pthread_rwlock_t view;
    pthread_mutex_t writer, syncing; /* error-checking: a thread that has one learns it */
    atomic_int sync;                 /* nd_sync */
    atomic_uint_fast64_t written;    /* changes that the system has */
    uint64_t synced;                 /* changes that are durable; under `syncing` */
    nd_error sync_failure;           /* under `syncing` */
    atomic_bool sync_failed;         /* no further change is accepted */
} nd_index_store;

nd_status nd_index_store_open(const char *path, nd_index_mode mode, const nd_allocator *allocator,
                              nd_index_store *out, nd_error *error);
/* An empty index in memory alone, for writing (nd_store_open_in_memory). */
nd_status nd_index_store_open_in_memory(const nd_index_settings *settings,
                                        const nd_allocator *allocator, nd_index_store *out,
                                        nd_error *error);
/* Syncs first, unless with ND_SYNC_OFF; a failure of that is ignored. */
void nd_index_store_close(nd_index_store *x);
/* A reader opens the newest state; a writer has it. */
nd_status nd_index_store_refresh(nd_index_store *x, nd_error *error);

/* ---- reading: nothing changes until the end */

const nd_store *nd_index_store_begin_read(nd_index_store *x);
void nd_index_store_end_read(nd_index_store *x);

/* ---- changing
 *
 *   begin_change   takes `writer`; the changing thread may read x->store without a lock
 *   begin_edit, end_edit   around what changes documents: nd_store_add, nd_store_remove, ...
 *   publish, compact_levels, settle   where the change is more than documents for the log
 *   commit_change or abandon_change   gives `writer` back */

/* First flushes a full memtable, so that if this fails there is no change. After a failure there is
 * nothing to commit or abandon. */
nd_status nd_index_store_begin_change(nd_index_store *x, nd_error *error);
/* Gives the change to the system, and, with ND_SYNC_EACH, to the disk. */
nd_status nd_index_store_commit_change(nd_index_store *x, nd_error *error);
/* Ends a change that has changed nothing since the last commit or publication. */
void nd_index_store_abandon_change(nd_index_store *x);

nd_store *nd_index_store_begin_edit(nd_index_store *x);
void nd_index_store_end_edit(nd_index_store *x);

/* Flushes if the memtable has removed documents (nd_store_flush_removed). */
nd_status nd_index_store_flush_removed(nd_index_store *x, nd_error *error);

/* Removes documents and publishes a segment, at once and durably. If this fails after the first
 * removal, no further change is possible. */
typedef struct nd_index_publication {
    const nd_manifest_segment *segment; /* NULL: none (nd_store_publish) */
    const nd_ingest_mark *mark;         /* NULL: none */
    const uint32_t *removed;            /* numbers of documents, each once */
    size_t removed_count;
} nd_index_publication;
nd_status nd_index_store_publish(nd_index_store *x, const nd_index_publication *publication,
                                 nd_error *error);

nd_status nd_index_store_compact_levels(nd_index_store *x, nd_error *error);

/* ---- whole changes */

/* Makes durable all that has been committed. */
nd_status nd_index_store_sync(nd_index_store *x, nd_error *error);
nd_status nd_index_store_compact_all(nd_index_store *x, nd_error *error);
/* *found: whether there was a document with this id. */
nd_status nd_index_store_remove_id(nd_index_store *x, const char *id, size_t length, bool *found,
                                   nd_error *error);

#endif
