/* The inside of an index's handle. */
#ifndef ND_JOB_INDEX_H
#define ND_JOB_INDEX_H

#include "job/searcher.h"

#include <pthread.h>
#include <stdatomic.h>

/* Locks, in the order in which they are taken: `writer` by whoever changes something; `syncing` by whoever waits for the disk, and by who replaces the log; `view` for writing while
 * what searches see changes, for reading while they look. */
struct nd_index {
    nd_allocator allocator;
    char *path;
    nd_index_mode mode;
    nd_store *store;
    nd_index_settings settings; /* of every state of it */
    pthread_rwlock_t view;
    pthread_mutex_t writer, syncing;
    atomic_int sync;              /* nd_sync */
    atomic_uint_fast64_t written; /* changes that the system has */
    uint64_t synced;              /* changes that are durable; under `syncing` */
    nd_error sync_failure;        /* under `syncing` */
    atomic_bool sync_failed;      /* no more changes are taken */
};

#endif
