/* The inside of an opened index, shared by store.c (opening, reading), store_commit.c (changing)
 * and compaction.c. */
#ifndef ND_STORE_STORE_INSIDE_H
#define ND_STORE_STORE_INSIDE_H

#include "storage/process_lock.h"
#include "io/temp_space.h"
#include "storage/write_ahead_log.h"
#include "store/state_directory.h"
#include "store/store.h"

/* Bits for numbers, in chunks that come into being where one is set. */
enum { ND_REMOVED_CHUNK = 1 << 15 };
typedef struct nd_removed_bits {
    uint8_t **chunks; /* of ND_REMOVED_CHUNK bits, or NULL */
    size_t chunk_count, capacity;
} nd_removed_bits;

/* The section of the sealed file of tombstones. */
enum { ND_TAG_REMOVED = 1 };

/* Types of log records. */
enum { ND_LOG_ADD = 1, ND_LOG_REMOVE = 2, ND_LOG_BATCH = 3 };

struct nd_store {
    nd_allocator allocator;
    char *directory;
    nd_store_mode mode;
    nd_lock lock; /* of a writer */
    nd_manifest state;
    nd_segment **segments;
    uint32_t *begins; /* number of the first document of each segment, and of the log's first */
    nd_sealed_file *removed; /* a bit a document of the segments; NULL: none is removed */
    nd_section removed_bits;
    nd_removed_bits removed_since; /* removals in the log, of documents of segments */
    uint32_t removed_since_count, removed_before_count;
    nd_memory_table *recent;
    nd_batch_mark batch;    /* of the state, or of the log */
    pthread_rwlock_t *view; /* of those who search; NULL: nobody does */
    nd_log *log;            /* of a writer */
    uint64_t *keys;         /* scratch: one a band */
    unsigned char *record;
    size_t record_capacity;
    nd_error failure; /* of a change: the row is not what the files say any more, and nothing more
                         is changed */
    nd_scratch_disk disk;
    uint64_t linked; /* while its state is made: the new segment whose documents have the numbers
                        they had, from linked_begin on; 0: none */
    uint32_t linked_begin;
};

static inline uint32_t nd_store_segment_numbers(const nd_store *store) {
    return store->begins[store->state.segment_count];
}

bool nd_removed_bit(const nd_removed_bits *bits, uint32_t number);
nd_status nd_removed_set(nd_removed_bits *bits, uint32_t number, const nd_allocator *allocator,
                         nd_error *error);
void nd_removed_free(nd_removed_bits *bits, const nd_allocator *allocator);

/* Opens the files of a state in place of those that are open, and reads its log. On failure the
 * store is as it was, or, where the log is what cannot be read, has the documents of the segments
 * alone, and no log. */
nd_status nd_store_load(nd_store *store, nd_manifest *state, nd_error *error);

/* Removes files of the kinds of an index that its state does not name. */
nd_status nd_store_remove_waste(nd_store *store, nd_error *error);

/* The first state of an index, in a directory that is free for one: its segment, its log and its
 * manifest. */
nd_status nd_store_begin(nd_store *store, nd_manifest *state, nd_store_first_fn *first,
                         void *context, nd_error *error);

/* The mark of a batch that a state has, and writing one (end 0: none) into it. */
nd_batch_mark nd_store_pending(const nd_store *store);
nd_status nd_store_set_pending(nd_manifest *state, const nd_batch_mark *mark, nd_error *error);
/* The payload of a log record that has one. False: it is none. */
enum { ND_BATCH_RECORD_SIZE = 16 };
bool nd_store_read_batch(const unsigned char *payload, size_t size, nd_batch_mark *out);

/* Makes `next` the state: a new log, the tombstones given, the manifest; then opens it and removes
 * the files that it does not name any more. next->generation and its log are filled in. */
nd_status nd_store_change_state(nd_store *store, nd_manifest *next, nd_error *error);

#endif
