/* The inside of an open store, for the files of this room that open and change it. */
#ifndef ND_STORE_STORE_INSIDE_H
#define ND_STORE_STORE_INSIDE_H

#include "io/file_disposal.h"
#include "io/temp_space.h"
#include "storage/process_lock.h"
#include "storage/write_ahead_log.h"
#include "store/ingest_mark.h"
#include "store/key_filter.h"
#include "store/store.h"
#include "store/tombstones.h"

#include <pthread.h>

/* Types of log records. */
enum { ND_LOG_ADD = 1, ND_LOG_REMOVE = 2, ND_LOG_INGEST = 3 };

/* A merge that was begun (compaction.c). */
typedef struct nd_merge_beside nd_merge_beside;

struct nd_store {
    nd_allocator allocator;
    char *directory;
    nd_store_mode mode;
    bool in_memory;       /* no directory, no lock, no log and no segments */
    nd_process_lock lock; /* of a writer */
    nd_manifest state;
    nd_segment **segments;
    uint32_t *begins; /* number of the first document of each segment, then of the memtable */
    nd_tombstones tombstones;
    nd_memtable *memtable;
    bool filters_keys;      /* nd_store_filter_keys */
    nd_key_filter *filter;  /* has all keys of segments and memtable; NULL: there is none */
    nd_ingest_mark mark;    /* the last ingest job's, from the state or from the log */
    pthread_rwlock_t *view; /* the lock of readers; NULL: there are none */
    nd_wal *log;            /* of a writer */
    uint64_t *keys;         /* scratch of recovery: one per band */
    nd_error failure;       /* of a change. Memory and files may differ since then, so every further
                               change fails with it */
    nd_temp_space disk;
    nd_file_disposal *disposal; /* of a writer's orphan files; NULL: there is none */
    nd_merge_beside *beside;    /* NULL: none */
    uint64_t merging;           /* the segment's file that it writes; 0: none */
};

static inline uint32_t nd_store_segment_numbers(const nd_store *store) {
    return store->begins[store->state.segment_count];
}

/* Why no change is possible: an earlier one has failed, or the store is open for reading. */
nd_status nd_store_check_writable(const nd_store *store, nd_error *error);
/* Returns ND_OK as it is. A failure, whose message is in *failure, ends all changes. */
nd_status nd_store_end_step(nd_store *store, nd_status status, const nd_error *failure,
                            nd_error *error);

/* Holds the readers' lock for writing, if there are readers. */
void nd_store_exclude_readers(nd_store *store);
void nd_store_admit_readers(nd_store *store);

#endif
