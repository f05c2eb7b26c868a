/* An opened index: segments, and what the log holds behind them, as one row of documents
 * (doc/index.md).
 *
 * A document's number is its place in the row, removed ones included: it stands until the handle
 * publishes another state (nd_store_flush, nd_store_publish, nd_store_merge). What reads may be
 * called from any number of threads while nothing is changed; what changes, by one. The index of
 * the public header puts the locks around it. */
#ifndef ND_STORE_STORE_H
#define ND_STORE_STORE_H

#include "base/job_progress.h"
#include "store/manifest.h"
#include "store/memtable.h"
#include "store/segment.h"

#include <pthread.h>

typedef struct nd_store nd_store;

typedef enum nd_store_mode { ND_STORE_READ, ND_STORE_WRITE } nd_store_mode;

/* ---- creating and opening */

/* Writes the segment that a new index begins with, or, with segment->documents 0, none. */
typedef nd_status nd_store_first_fn(void *context, const char *path, nd_manifest_segment *segment,
                                    nd_error *error);

/* Makes the directory, if it is not there, and an index in it, with the segment that `first` writes
 * (NULL: empty); there is none until that is done. ND_ERR_IO: the directory holds something else
 * (nd_state_check_free). After a failure it is as it was, and gone where it was made here. */
nd_status nd_store_create(const char *directory, const nd_index_settings *settings,
                          nd_store_first_fn *first, void *context, const nd_allocator *allocator,
                          nd_error *error);

/* Removes an index without documents, and its directory. ND_ERR_IO: it has some. */
nd_status nd_store_discard(const char *directory, const nd_allocator *allocator, nd_error *error);
/* Removes an index that the caller has made and does not want, however far that has come, as well
 * as that can be done. */
void nd_store_remove_unused(const char *directory);

/* Recovers what is acknowledged. A writer takes the lock (ND_ERR_BUSY where another process has
 * it), mends what a death has left, and removes its files that no state names. A reader changes
 * nothing. */
nd_status nd_store_open(const char *directory, nd_store_mode mode, const nd_allocator *allocator,
                        nd_store **out, nd_error *error);
/* What was not committed is lost. NULL is accepted. */
void nd_store_close(nd_store *store);

/* ND_ERR_ARGUMENT: this process is not the one that opened it for writing, but a child of that one.
 */
nd_status nd_store_check_process(const nd_store *store, nd_error *error);

const char *nd_store_directory(const nd_store *store);
const nd_manifest *nd_store_state(const nd_store *store);
uint32_t nd_store_numbers(const nd_store *store); /* removed ones included */
uint32_t nd_store_live(const nd_store *store);
uint64_t nd_store_bytes(const nd_store *store); /* of all its files */
uint32_t nd_store_log_documents(const nd_store *store);

/* ---- reading: a document, valid until the store changes; keys: NULL */

bool nd_store_is_removed(const nd_store *store, uint32_t number);
nd_status nd_store_document(const nd_store *store, uint32_t number, nd_stored_document *out,
                            nd_error *error);
/* The id alone, whether it is a number or not; one that is may be put into *digits. */
nd_status nd_store_id(const nd_store *store, uint32_t number, nd_id_digits *digits,
                      nd_stored_document *out, nd_error *error);
/* The id of an index where ids are numbers. */
nd_status nd_store_id_number(const nd_store *store, uint32_t number, uint32_t *id, nd_error *error);
/* *number: UINT32_MAX where no document has the id. */
nd_status nd_store_find_id(const nd_store *store, const char *id, size_t length, uint32_t *number,
                           nd_error *error);

/* Where the documents of an index of fingerprints are: segments, each with the number of its first
 * document, and behind them those of the log. */
size_t nd_store_segments(const nd_store *store);
const nd_segment *nd_store_segment(const nd_store *store, size_t segment, uint32_t *begin);
const nd_memory_table *nd_store_recent(const nd_store *store, uint32_t *begin);

/* ---- looking up band keys, many at a time, so that they wait for memory together */

typedef struct nd_band_lookup {
    uint32_t band;
    uint64_t key; /* nd_band_number */
} nd_band_lookup;

/* One thread's means. */
typedef struct nd_store_probe {
    nd_allocator allocator;
    const nd_band_lookup *lookups;
    size_t count;
    uint64_t *totals;     /* entries of each lookup, removed documents included */
    nd_key_range *ranges; /* of lookup i in segment s: [s * count + i] */
    size_t total_capacity, range_capacity;
} nd_store_probe;

void nd_store_probe_init(nd_store_probe *probe, const nd_allocator *allocator);
void nd_store_probe_free(nd_store_probe *probe);

/* Fills probe->totals. The lookups must stay until the members have been asked for. They are of a
 * band each, or all of one band, with ascending keys, which is faster where the segments have not
 * many more keys. */
enum { ND_CLOSE_LOOKUPS = 32 }; /* at most, for that */
nd_status nd_store_look_up(const nd_store *store, nd_store_probe *probe,
                           const nd_band_lookup *lookups, size_t count, nd_error *error);
/* The first `most` documents of lookup i that are not removed, ascending. */
nd_status nd_store_members(const nd_store *store, const nd_store_probe *probe, size_t i,
                           size_t most, uint32_t *numbers, size_t *count, nd_error *error);

/* ---- changing */

/* A document at the end of the row, or a removal: to be seen at once, and durable with the next
 * commit. */
nd_status nd_store_add(nd_store *store, const nd_stored_document *document, nd_error *error);
nd_status nd_store_remove(nd_store *store, uint32_t number, nd_error *error);
/* Removes a document in memory alone: the next state that is published makes it so, and without one
 * it has never been. */
nd_status nd_store_mark_removed(nd_store *store, uint32_t number, nd_error *error);

/* What was half changed is changed no more: every further change fails with this. */
void nd_store_give_up(nd_store *store, const nd_error *failure);

/* Gives the additions and removals since the last commit to the system as one: after a crash all of
 * them are there or none. */
nd_status nd_store_commit(nd_store *store, nd_error *error);
/* Makes what has been committed durable. May be called while another thread changes the store, but
 * for flush, publish and merge. */
nd_status nd_store_sync(nd_store *store, nd_error *error);

/* From now on the store takes this lock for writing while it puts another state in place of the one
 * that is open (flush, publish, merge): searches hold it for reading. */
void nd_store_share(nd_store *store, pthread_rwlock_t *view);

/* Flushes where numbers would not stand otherwise when a segment is added: where documents of the
 * log are removed. */
nd_status nd_store_settle(nd_store *store, nd_error *error);

/* Whether so much is in the log that a flush is due. */
bool nd_store_is_full(const nd_store *store);
/* What the log holds becomes a segment. */
nd_status nd_store_flush(nd_store *store, nd_error *error);

/* The batch that was added last, or that is added in parts and is not finished: a name for it, and
 * the numbers [begin, end) of what it has added, and maybe of what came in between. end 0: none. */
typedef struct nd_batch_mark {
    uint64_t batch;
    uint32_t begin, end;
    bool finished;
} nd_batch_mark;
nd_batch_mark nd_store_batch(const nd_store *store);
/* Marks a batch whose documents go to the log with nd_store_add: as they, durable with the next
 * commit. */
nd_status nd_store_mark_batch(nd_store *store, const nd_batch_mark *mark, nd_error *error);

/* A segment made by the caller: its path (a new string of the store's allocator), and, when it is
 * finished, its place behind all others. The log is flushed before. NULL: no segment. `mark` (NULL:
 * none) is that of a batch, in the numbers that are now, the segment's behind them. */
nd_status nd_store_segment_path(nd_store *store, char **path, uint64_t *file, nd_error *error);
nd_status nd_store_publish(nd_store *store, const nd_manifest_segment *segment,
                           const nd_batch_mark *mark, nd_error *error);

/* From now on making segments and merging them asks whether to go on; NULL, as at first: nobody.
 * What is ended so has changed nothing, as after any failure. */
void nd_store_set_progress(nd_store *store, nd_progress *progress);

/* Merges neighbours so that there are few of each size (levels), or, with `all`, everything into
 * one segment, without what was removed. */
nd_status nd_store_merge(nd_store *store, bool all, nd_error *error);

/* Every byte and every invariant. */
nd_status nd_store_check(const nd_store *store, nd_error *error);

#endif
