/* Changes of a store that go to its memtable and write-ahead log: documents added and removed.
 *
 * Readers in this process see a change at once. nd_store_commit gives the changes since the last
 * commit to the system as one group; nd_store_sync makes all committed changes durable. After a
 * crash, a group is there as a whole or not at all.
 *
 * REQUIRES: exclusive access to the store, except for nd_store_sync. */
#ifndef ND_STORE_STORE_COMMIT_H
#define ND_STORE_STORE_COMMIT_H

#include "store/ingest_mark.h"
#include "store/store.h"

/* Adds a document behind all others. */
nd_status nd_store_add(nd_store *store, const nd_stored_document *document, nd_error *error);
/* ND_ERR_ARGUMENT: there is no such document, or it is removed already. */
nd_status nd_store_remove(nd_store *store, uint32_t number, nd_error *error);
/* Adds a document and removes another one. After a failure neither has happened. */
nd_status nd_store_replace(nd_store *store, uint32_t number, const nd_stored_document *document,
                           nd_error *error);
/* Removes a document in memory alone. The removal becomes durable with the next state that is
 * installed; a crash before that undoes it. */
nd_status nd_store_mark_removed(nd_store *store, uint32_t number, nd_error *error);

/* The mark of the last ingest job. */
nd_ingest_mark nd_store_ingest_mark(const nd_store *store);
/* Marks an ingest job whose documents were added with nd_store_add, in the same group as they. */
nd_status nd_store_mark_ingest(nd_store *store, const nd_ingest_mark *mark, nd_error *error);

nd_status nd_store_commit(nd_store *store, nd_error *error);
/* The same, but leaves the group to the next nd_store_sync, or commit, to write. */
nd_status nd_store_seal(nd_store *store, nd_error *error);
/* Whether there are changes since the last commit. */
bool nd_store_has_uncommitted(const nd_store *store);
/* May run while another thread changes the store, except while it installs a new state (flush,
 * publication, compaction). */
nd_status nd_store_sync(nd_store *store, nd_error *error);

/* Ends a group of changes that has failed: additions, and then perhaps removals, in a store that
 * had `count` documents. In memory, where a removal cannot fail, the additions are taken back. On
 * disk changes are stopped if there was an addition: the memtable is ahead of the log then. */
void nd_store_abandon_group(nd_store *store, uint32_t count, const nd_error *failure);

/* Whether the memtable and its log are so large that a flush is due. */
bool nd_store_is_full(const nd_store *store);

#endif
