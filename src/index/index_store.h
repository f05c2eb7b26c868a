/* An open store with its locks: the part that an index of documents and an index of fingerprints
 * share.
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
 * Thread-safe, except for open, close and refresh. If a callback runs inside a call that holds
 * `writer` or `syncing`, the calls that need the same lock return ND_ERR_BUSY to it. */
#ifndef ND_INDEX_INDEX_STORE_H
#define ND_INDEX_INDEX_STORE_H

#include "store/flush.h"
#include "store/store_commit.h"
#include "store/store_open.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct nd_index_store {
    nd_allocator allocator;
    char *path; /* also its name in messages */
    nd_index_mode mode;
    nd_store *store;
    nd_index_settings settings; /* the same in every state */
    pthread_rwlock_t view;
    pthread_mutex_t writer, syncing; /* error-checking: locking twice is an error */
    atomic_int sync;                 /* nd_sync */
    atomic_uint_fast64_t written;    /* changes that a sync makes durable */
    uint64_t synced;                 /* changes that are durable; guarded by `syncing` */
    nd_error sync_failure;           /* guarded by `syncing` */
    atomic_bool sync_failed;         /* no further change is accepted */
    atomic_bool ingesting;           /* an ingest job holds `writer`: no other change is accepted */
} nd_index_store;

/* Opens an index. ND_ERR_ARGUMENT: it is of another kind. */
nd_status nd_index_store_open(const char *path, nd_index_kind kind, nd_index_mode mode,
                              const nd_allocator *allocator, nd_index_store *out, nd_error *error);
/* Opens an empty index that exists only in memory, for writing (nd_store_open_in_memory). */
nd_status nd_index_store_open_in_memory(const nd_index_settings *settings,
                                        const nd_allocator *allocator, nd_index_store *out,
                                        nd_error *error);
/* Closes the index. Syncs first, except with ND_SYNC_OFF, and ends a merge that goes on; ignores a
 * failure of these. */
void nd_index_store_close(nd_index_store *x);
/* Opens the newest state, if the index is open for reading. A writer has it already. */
nd_status nd_index_store_refresh(nd_index_store *x, nd_error *error);

/* Sets when changes become durable. An unknown constant means ND_SYNC_EACH. */
void nd_index_store_set_sync(nd_index_store *x, nd_sync sync);

/* Rows will be read here and there. If the index takes more than half of the memory that the
 * process may use, the pages that the system reads around each row would push out those that the
 * next lookups need; so it is asked to read none. Until the segments are opened anew, scans of
 * their rows read nothing ahead either. */
void nd_index_store_expect_random(nd_index_store *x);

/* ---- reading: nothing changes until the end */

const nd_store *nd_index_store_begin_read(nd_index_store *x);
void nd_index_store_end_read(nd_index_store *x);

/* ---- changing
 *
 *   begin_change   locks `writer`; the changing thread may read x->store without a lock
 *   begin_edit, end_edit   around calls that change documents: nd_store_add, nd_store_remove, ...
 *   publish, compact_levels   if the change is more than documents for the log
 *   commit_change or end_change   unlocks `writer` */

/* Begins a change. A full memtable is flushed first, and a merge that should end is ended, so that
 * a failure of these leaves no change behind. After a failure there is nothing to end. */
nd_status nd_index_store_begin_change(nd_index_store *x, nd_error *error);
/* Writes the change to the operating system, and with ND_SYNC_EACH to the disk. */
nd_status nd_index_store_commit_change(nd_index_store *x, nd_error *error);
/* Ends a change that has changed nothing, or one that a later commit writes with its own: so many
 * changes share a write. Until then the end of the process loses it. */
void nd_index_store_end_change(nd_index_store *x);
/* Makes a group of the changes that have ended without a commit, if there are any. The next sync,
 * or commit, writes it. */
nd_status nd_index_store_seal_ended(nd_index_store *x, nd_error *error);

nd_store *nd_index_store_begin_edit(nd_index_store *x);
void nd_index_store_end_edit(nd_index_store *x);

/* Flushes if the memtable has removed documents (nd_store_flush_removed). */
nd_status nd_index_store_flush_removed(nd_index_store *x, nd_error *error);

/* Removes documents and publishes a segment in one durable step (nd_store_publish_and_remove). */
typedef struct nd_index_publication {
    const nd_manifest_segment *segment; /* NULL: none (nd_store_publish) */
    const nd_ingest_mark *mark;         /* NULL: none */
    const uint32_t *removed;            /* numbers of documents */
    size_t removed_count;
} nd_index_publication;
nd_status nd_index_store_publish(nd_index_store *x, const nd_index_publication *publication,
                                 nd_error *error);

nd_status nd_index_store_compact_levels(nd_index_store *x, nd_error *error);
/* Stops a merge that goes on, for a caller that will end soon. The next full memtable begins it
 * again. */
void nd_index_store_give_up_merge(nd_index_store *x);
/* nd_store_end_merge, and nd_store_end_merges */
nd_status nd_index_store_end_merge(nd_index_store *x, nd_error *error);
nd_status nd_index_store_end_merges(nd_index_store *x, nd_error *error);

/* ---- whole changes */

/* Makes durable all that has been committed. */
nd_status nd_index_store_sync(nd_index_store *x, nd_error *error);
nd_status nd_index_store_compact_all(nd_index_store *x, nd_error *error);
/* Removes the document with this id. *found: whether there was one. */
nd_status nd_index_store_remove_id(nd_index_store *x, const char *id, size_t length, bool *found,
                                   nd_error *error);

#endif
