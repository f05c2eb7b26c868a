/* Leader-follower clustering (Hartigan 1975) of a stream, in memory: each document goes to the
 * nearest cluster within reach, or founds one; topics from its words.
 *
 * A cluster's centre is the fingerprint of its first document, or it follows: of each bit, what
 * most of its documents have, and where as many have the one as the other what it was. All is a
 * function of the arrivals in their order, so that a stream that is taken up from a saved state and
 * the arrivals behind it goes on as if nothing had been.
 *
 * Memory: some 360 bytes a cluster with 64 bits that follow, 232 otherwise, the ids of its first
 * and of its most central document, and the centre table; 32 MiB of word counts
 * (terms/count_min.h). */
#ifndef ND_STREAM_LEADER_CLUSTERS_H
#define ND_STREAM_LEADER_CLUSTERS_H

#include "base/limits.h"
#include "stream/arrival.h"
#include "storage/sealed_file.h"

typedef struct nd_clusters nd_clusters;

typedef struct nd_cluster_settings {
    uint32_t bits,
        k; /* of the fingerprints; bits 0: there are none, and every arrival says where it goes */
    bool follow;
    double expire; /* seconds after which a cluster that has not grown is forgotten; 0: never */
    uint64_t seed; /* of the words' hashes */
} nd_cluster_settings;

/* Told of each cluster that is forgotten: the id of its first document. */
typedef nd_status nd_cluster_expired_fn(void *context, const char *id, size_t length,
                                        nd_error *error);

nd_status nd_clusters_create(const nd_cluster_settings *settings, const nd_allocator *allocator,
                             nd_clusters **out, nd_error *error);
/* NULL is accepted. */
void nd_clusters_free(nd_clusters *clusters);
void nd_clusters_on_expired(nd_clusters *clusters, nd_cluster_expired_fn *fn, void *context);

/* Where a document went. Valid until the next. */
typedef struct nd_placed {
    const char *cluster; /* the id of its first document */
    size_t cluster_length;
    uint64_t founded; /* number of that document in the stream, from 1 */
    bool is_new;
    bool again; /* nd_clusters_know */
    double similarity;
    uint32_t distance;
} nd_placed;

/* So many arrivals are known again. */
enum { ND_RECENT = ND_LIMIT(1024, 16) };

/* Whether one of the last ND_RECENT arrivals had this id, and where that went. */
bool nd_clusters_know(const nd_clusters *clusters, const char *id, size_t length, nd_placed *out);

/* Whether a cluster that is not forgotten has this id; of clusters without fingerprints. */
bool nd_clusters_has(const nd_clusters *clusters, const char *id, size_t length);

/* A document of that time is coming (NaN: it has none): clusters that are too old by then are
 * forgotten. What decides where it goes by other means asks afterwards. */
nd_status nd_clusters_advance(nd_clusters *clusters, double time, nd_error *error);

/* ND_ERR_ARGUMENT: its leader is none. After any failure the clusters are of no more use. */
nd_status nd_clusters_take(nd_clusters *clusters, const nd_arrival *arrival, nd_placed *out,
                           nd_error *error);

uint64_t nd_clusters_documents(const nd_clusters *clusters); /* that have arrived */
uint64_t nd_clusters_count(const nd_clusters *clusters);     /* not forgotten */
/* Bytes of memory that clusters take, and those of the table in which centres are found; not what
 * reserves have more, the counts and names of words, and what is known again, which do not grow
 * with clusters alone. */
uint64_t nd_clusters_memory(const nd_clusters *clusters);
uint64_t nd_clusters_table_memory(const nd_clusters *clusters);
/* The stream's time: the latest of its documents; NaN: none had one. */
double nd_clusters_clock(const nd_clusters *clusters);

/* A cluster; `at` begins as 0, in the order of founding. False: there are no more. Valid until the
 * next arrival. */
typedef struct nd_cluster_view {
    const char *id,
        *central; /* of its first document; of the one nearest to the centre when it came last */
    size_t id_length, central_length;
    uint64_t size, founded, grown; /* numbers of documents in the stream, from 1 */
    double founded_time, grown_time;
    nd_fingerprint centre;
    const void *self;
} nd_cluster_view;
bool nd_clusters_next(const nd_clusters *clusters, size_t *at, nd_cluster_view *out);
/* The one that document number `founded` has founded. False: it is forgotten. */
bool nd_clusters_find(const nd_clusters *clusters, uint64_t founded, nd_cluster_view *out);

/* The heaviest topics of a cluster, equal ones in the order of their bytes. The weight of a term:
 * how often the cluster's documents have it at least, times ln((documents + 1) / (documents with it
 * + 1)) over the stream so far. Returns how many, at most `most` and ND_STREAM_TOPICS. */
size_t nd_clusters_topics(const nd_clusters *clusters, const nd_cluster_view *cluster, size_t most,
                          nd_stream_topic *out);

#endif
