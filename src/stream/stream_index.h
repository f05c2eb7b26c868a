/* With MinHash: the index of the clusters' first documents, in which the cluster of an arrival is
 * looked up. It holds exactly the first documents of the stream's clusters, after any crash.
 *
 * The index is synced before the log. So after a crash it may hold documents that the log has lost.
 * Nobody had an answer for these documents: they are removed when the stream is opened, and are
 * added again when they are sent again. No arrival in between is compared with them.
 *
 * A removed document could not be restored from the log. So a document stays in the index until the
 * log says, durably, that its cluster is forgotten. */
#ifndef ND_STREAM_STREAM_INDEX_H
#define ND_STREAM_STREAM_INDEX_H

#include "index/index.h"
#include "stream/arrival_maker.h"
#include "stream/leader_clusters.h"

typedef struct nd_stream_index {
    nd_allocator allocator;
    nd_index *index; /* NULL: the stream has none, or is opened for reading */
    bool created;    /* by nd_stream_index_create */
    nd_index_searcher *searcher;
    char *forgotten; /* ids of forgotten clusters that the index still holds: each as length (64
                        bits) and bytes */
    size_t forgotten_size, forgotten_capacity;
} nd_stream_index;

/* Before a stream is created: removes the empty index of a process that died while it created a
 * stream here, maybe with other options. ND_ERR_IO: the name belongs to something else. */
nd_status nd_stream_index_clear(const char *directory, const nd_allocator *allocator,
                                nd_error *error);

/* Both open the index for writing in the directory of a stream; the first creates it. REQUIRES: *x
 * is zeroed. */
nd_status nd_stream_index_create(nd_stream_index *x, const char *directory,
                                 const nd_index_parts *parts, const nd_allocator *allocator,
                                 nd_error *error);
nd_status nd_stream_index_open(nd_stream_index *x, const char *directory,
                               const nd_allocator *allocator, nd_error *error);
void nd_stream_index_close(nd_stream_index *x);
/* For a stream whose creation has failed: closes the index, and removes it if
 * nd_stream_index_create has created it. */
void nd_stream_index_remove(nd_stream_index *x, const char *directory);

/* After the log has been read: removes documents that are not the first of a cluster. From then on
 * the index is told of forgotten clusters (nd_clusters_on_expired). */
nd_status nd_stream_index_reconcile(nd_stream_index *x, nd_clusters *clusters, nd_error *error);
/* REQUIRES: the log has been synced. */
nd_status nd_stream_index_remove_forgotten(nd_stream_index *x, nd_error *error);

/* Decides the cluster of an arrival: sets kind, leader and similarity, and adds the document to the
 * index if it founds a cluster. *stale: the leader's cluster is forgotten; sync the log, remove the
 * forgotten documents, and ask again. */
nd_status nd_stream_index_decide(nd_stream_index *x, const nd_clusters *clusters,
                                 nd_prepared_arrival *prepared, bool *stale, nd_error *error);

#endif
