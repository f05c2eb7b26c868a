/* The inside of clusters, for adding arrivals (leader_clusters.c) and for saving and loading
 * (clusters_file.c). */
#ifndef ND_STREAM_LEADER_CLUSTERS_INSIDE_H
#define ND_STREAM_LEADER_CLUSTERS_INSIDE_H

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/status.h"
#include "stream/centre_index.h"
#include "stream/leader_clusters.h"
#include "stream/topic_words.h"

#define ND_NO_CLUSTER UINT32_MAX

typedef struct nd_cluster {
    nd_fingerprint centre;
    nd_fingerprint central; /* of the most central document */
    uint64_t founded, grown;
    double founded_time, grown_time; /* the stream's clock then */
    uint64_t id, central_id;         /* offsets in the strings */
    uint32_t size;                   /* documents; 0: forgotten */
    uint32_t before, behind;         /* neighbours in the order of growth */
    nd_space_saving topics;
} nd_cluster;

/* One of the last arrivals. */
typedef struct nd_recent {
    char *ids; /* its id, then the id of its cluster */
    size_t capacity, id_length;
    nd_placement placement;
} nd_recent;

enum { ND_RECENT_COUNTS = 8 * ND_RECENT };

struct nd_clusters {
    nd_allocator allocator;
    nd_cluster_settings settings;
    nd_cluster_expired_fn *expired;
    void *expired_context;
    uint64_t documents;
    double clock;
    nd_cluster *list; /* in the order of founding, forgotten ones included */
    size_t count, capacity, live;
    uint32_t oldest, youngest; /* ends of the order of growth */
    int16_t *sums; /* of moving centroids, `bits` for each cluster: documents with the bit less
                      documents without it */
    size_t sum_capacity;
    nd_centre_index *centres; /* NULL: no fingerprints; then clusters are found by their ids */
    uint64_t *by_id; /* hash table of clusters by their ids; a power of two, at most half full */
    size_t id_slots;
    unsigned char *strings; /* ids: length (32 bits) and bytes */
    size_t string_size, string_capacity;
    size_t string_unused; /* bytes of ids that are not used any more */
    nd_topic_words words;
    nd_recent recent[ND_RECENT];              /* arrival a at a % ND_RECENT */
    uint64_t recent_hashes[ND_RECENT];        /* of the same arrivals' ids */
    uint16_t recent_counts[ND_RECENT_COUNTS]; /* how many of them have these low bits */
};

static inline const char *nd_cluster_string(const nd_clusters *c, uint64_t at, size_t *length) {
    *length = nd_load_le32(c->strings + at);
    return (const char *)c->strings + at + 4;
}

static inline uint64_t nd_cluster_id_hash(const char *id, size_t length) {
    const nd_hash_key key = nd_hash_key_of(0);
    return nd_hash_token(&key, id, length);
}

/* Adds a cluster of the list to the centre index, or to the table of ids. */
nd_status nd_clusters_make_findable(nd_clusters *clusters, uint32_t number, nd_error *error);
/* Appends a cluster to the order of growth, which it is not in. */
void nd_clusters_set_youngest(nd_clusters *clusters, uint32_t number);
/* Makes room for one more cluster. */
nd_status nd_clusters_reserve(nd_clusters *clusters, nd_error *error);
/* *at: the string's offset. */
nd_status nd_clusters_add_string(nd_clusters *clusters, const char *bytes, size_t length,
                                 uint64_t *at, nd_error *error);
/* Remembers arrival number `arrival` as one of the last ND_RECENT. */
nd_status nd_clusters_remember(nd_clusters *clusters, uint64_t arrival, const char *id,
                               size_t id_length, const nd_placement *placement, nd_error *error);

#endif
