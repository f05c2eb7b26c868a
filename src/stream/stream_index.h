/* With MinHash: the index of the clusters' first documents, which says where a text goes. A stream
 * keeps it the same as its clusters, whatever was lost.
 *
 * It is synced before the log, so that it may know documents that the log has lost; nobody has had
 * an answer for these. They are removed when the stream is taken up, and come again when they are
 * sent again: what arrives in between is not compared with them. The other way round, a document is
 * not removed before the log says that its cluster is forgotten, for it could not be put back. */
#ifndef ND_STREAM_STREAM_INDEX_H
#define ND_STREAM_STREAM_INDEX_H

#include "stream/leader_clusters.h"
#include "index/index.h"

typedef struct nd_stream_index {
    nd_allocator allocator;
    nd_index *index; /* NULL: there is none */
    bool made;       /* by nd_stream_index_open */
    nd_searcher *searcher;
    char *forgotten; /* ids of clusters that are gone, and still in the index: length, 64 bits, and
                        bytes */
    size_t forgotten_size, forgotten_capacity;
} nd_stream_index;

/* Before a stream is made: removes the index, which has no documents, of one that died while it was
 * made, maybe with other options. ND_ERR_IO: something else has the name. */
nd_status nd_stream_index_clear(const char *directory, const nd_allocator *allocator,
                                nd_error *error);
/* `create`: it is made. */
nd_status nd_stream_index_open(nd_stream_index *x, const char *directory,
                               const nd_index_options *options, const nd_dictionary *dictionary,
                               bool create, const nd_allocator *allocator, nd_error *error);
void nd_stream_index_close(nd_stream_index *x);
/* Closes it, and removes it from the stream's directory where it was made here: of a stream that
 * could not be made. */
void nd_stream_index_remove(nd_stream_index *x, const char *directory);

/* After the log has been read: takes out what is no cluster. From then on what is forgotten is
 * written down (nd_clusters_on_expired). */
nd_status nd_stream_index_settle(nd_stream_index *x, nd_clusters *clusters, nd_error *error);
/* After the log has been synced. */
nd_status nd_stream_index_remove_forgotten(nd_stream_index *x, nd_error *error);

/* Where an arrival goes, which the index has from then on if it founds a cluster. *stale: to a
 * cluster that is forgotten; to be asked again when that has been removed. */
nd_status nd_stream_index_decide(nd_stream_index *x, const nd_clusters *clusters,
                                 nd_arrival *arrival, const char *text, size_t length, bool *stale,
                                 nd_error *error);

#endif
