/* Leader clustering of a stream (leader-follower, Hartigan 1975), in memory: each document joins
 * the nearest cluster within reach, or founds a new one. Clusters also collect topics from the
 * words of their documents.
 *
 * A cluster's centre is the fingerprint of its first document, the leader. Or it is a moving
 * centroid: each bit has the value that most documents of the cluster have; at a tie it keeps the
 * value it had.
 *
 * The state is a function of the arrivals and their order. So a stream that is resumed from a saved
 * state, and the arrivals since, continues as if it had never stopped.
 *
 * Memory: per cluster 232 bytes, 128 more for a moving centroid of 64 bits, the ids of its first
 * and its most central document, and its part of the centre index; 32 MiB for counts of words
 * (terms/count_min.h).
 *
 * Not thread-safe. Strings and views belong to the clusters. */
#ifndef ND_STREAM_LEADER_CLUSTERS_H
#define ND_STREAM_LEADER_CLUSTERS_H

#include "base/limits.h"
#include "stream/arrival.h"

typedef struct nd_clusters nd_clusters;

typedef struct nd_cluster_settings {
    uint32_t bits; /* of fingerprints; 0: there are none, and each arrival names its cluster */
    uint32_t k;    /* greatest distance to a centre */
    bool follow;   /* centres are moving centroids */
    double expire; /* a cluster that has not grown for more seconds is forgotten; 0: never */
    uint64_t seed; /* of the hashes of words */
} nd_cluster_settings;

/* Called for each cluster that is forgotten, with the id of its first document. */
typedef nd_status nd_cluster_expired_fn(void *context, const char *id, size_t length,
                                        nd_error *error);

nd_status nd_clusters_create(const nd_cluster_settings *settings, const nd_allocator *allocator,
                             nd_clusters **out, nd_error *error);
/* NULL is accepted. */
void nd_clusters_free(nd_clusters *clusters);
void nd_clusters_on_expired(nd_clusters *clusters, nd_cluster_expired_fn *fn, void *context);

/* The cluster of a document. Valid until the next arrival. */
typedef struct nd_placement {
    const char *cluster; /* id of its first document */
    size_t cluster_length;
    uint64_t founded;  /* number of that document in the stream, from 1 */
    bool is_new;       /* the document founded the cluster */
    bool again;        /* from nd_clusters_find_recent */
    double similarity; /* the arrival's; 1: new */
    uint32_t distance; /* to the centre before it moved */
} nd_placement;

/* The last arrivals, whose ids and placements are remembered. */
enum { ND_RECENT = ND_LIMIT(1024, 16) };

/* Whether one of the last ND_RECENT arrivals had this id; *out: its placement. */
bool nd_clusters_find_recent(const nd_clusters *clusters, const char *id, size_t length,
                             nd_placement *out);

/* Asks for the memory that nd_clusters_has reads first for this id. */
void nd_clusters_prefetch(const nd_clusters *clusters, const char *id, size_t length);
/* Without fingerprints: whether the first document of a cluster that is not forgotten has this id.
 */
bool nd_clusters_has(const nd_clusters *clusters, const char *id, size_t length);

/* Sets the clock for a document of that time (NaN: it has none), and forgets clusters that have
 * expired by then. A caller that names the document's cluster calls this first, so that it does
 * not name a forgotten one. */
nd_status nd_clusters_advance(nd_clusters *clusters, double time, nd_error *error);

/* Adds an arrival. ND_ERR_ARGUMENT: no cluster has the id of its leader. After any failure the
 * clusters are of no use. */
nd_status nd_clusters_add(nd_clusters *clusters, const nd_arrival *arrival, nd_placement *out,
                          nd_error *error);

uint64_t nd_clusters_documents(const nd_clusters *clusters); /* all arrivals */
uint64_t nd_clusters_count(const nd_clusters *clusters);     /* clusters that are not forgotten */
/* Bytes of memory of the clusters, and of the index of their centres. Not counted: unused
 * capacity; and what does not grow with the clusters alone, namely counts and names of words and
 * the recent arrivals. */
uint64_t nd_clusters_memory(const nd_clusters *clusters);
uint64_t nd_clusters_centre_memory(const nd_clusters *clusters);
/* The latest time of a document; NaN: none had one. */
double nd_clusters_clock(const nd_clusters *clusters);

/* A cluster as callers see it. Valid until the next arrival. */
typedef struct nd_cluster_view {
    const char *id;      /* of its first document */
    const char *central; /* id of the document that was nearest to the centre when it came */
    size_t id_length, central_length;
    uint64_t size, founded, grown; /* numbers of documents in the stream, from 1 */
    double founded_time, grown_time;
    nd_fingerprint centre;
    const void *self;
} nd_cluster_view;
/* The next cluster in the order of founding; call with *at 0 first. False: there are no more. */
bool nd_clusters_next(const nd_clusters *clusters, size_t *at, nd_cluster_view *out);
/* The cluster that document number `founded` has founded. False: it is forgotten. */
bool nd_clusters_find(const nd_clusters *clusters, uint64_t founded, nd_cluster_view *out);

/* The heaviest topics of a cluster, equal ones in the order of their bytes. The weight of a term:
 * how often the cluster's documents have it at least, times ln((documents + 1) / (documents with it
 * + 1)) over the stream so far. Returns how many, at most `most` and ND_STREAM_TOPICS. */
size_t nd_clusters_topics(const nd_clusters *clusters, const nd_cluster_view *cluster, size_t most,
                          nd_stream_topic *out);

#endif
