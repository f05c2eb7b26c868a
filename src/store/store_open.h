/* Opening and closing a store. */
#ifndef ND_STORE_STORE_OPEN_H
#define ND_STORE_STORE_OPEN_H

#include "store/store.h"

#include <pthread.h>

/* Recovers all that is durable. A writer takes the lock of the directory (ND_ERR_BUSY: another
 * process has it), repairs what a crash has left, and removes orphan files. A reader changes
 * nothing. */
nd_status nd_store_open(const char *directory, nd_store_mode mode, const nd_allocator *allocator,
                        nd_store **out, nd_error *error);

/* An empty store in memory alone, for writing. All documents are in its memtable, which has no log:
 * nothing is durable, and closing forgets everything. A flush only drops removed documents. It
 * holds at most ND_MEMTABLE_MOST documents, and segments cannot be published. */
nd_status nd_store_open_in_memory(const nd_index_settings *settings, const nd_allocator *allocator,
                                  nd_store **out, nd_error *error);
bool nd_store_is_in_memory(const nd_store *store);

/* Loses what was not committed. NULL is accepted. */
void nd_store_close(nd_store *store);

/* From now on the store keeps a filter of all its band keys (key_filter.h), so that looking up keys
 * that it has not takes a third of the lines of memory. For a writer that looks up each document
 * alone. Takes 19 to 38 bytes per document with 25 bands; without memory for it the store goes on
 * without it. Reads all keys: for a million documents about half a second. */
nd_status nd_store_filter_keys(nd_store *store, nd_error *error);

/* ND_ERR_ARGUMENT: this process is a child of the one that opened the store for writing. */
nd_status nd_store_check_process(const nd_store *store, nd_error *error);

/* From now on the store holds this lock for writing while it replaces the open state by another one
 * (flush, publication, compaction). Readers hold it for reading. */
void nd_store_set_view_lock(nd_store *store, pthread_rwlock_t *view);

#endif
