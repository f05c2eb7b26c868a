/* The inside of clusters: what taking arrivals and saving share. */
#ifndef ND_STREAM_LEADER_CLUSTERS_INSIDE_H
#define ND_STREAM_LEADER_CLUSTERS_INSIDE_H

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/status.h"
#include "stream/leader_clusters.h"
#include "stream/space_saving.h"
#include "stream/centre_index.h"
#include "terms/count_min.h"
#include "terms/term_dictionary.h"

#define ND_NO_CLUSTER UINT32_MAX

typedef struct nd_cluster {
    nd_fingerprint centre, central; /* of the document that is nearest to it */
    uint64_t founded, grown;
    double founded_time, grown_time; /* the stream's clock then */
    uint64_t id, central_id;         /* places in the strings */
    uint32_t size;                   /* 0: forgotten */
    uint32_t before, behind;         /* in the order of growth */
    nd_topics topics;
} nd_cluster;

/* One of the last arrivals: its id and that of its cluster, one behind the other. */
typedef struct nd_recent {
    char *ids;
    size_t capacity, id_length;
    nd_placed placed;
} nd_recent;

struct nd_clusters {
    nd_allocator allocator;
    nd_cluster_settings settings;
    nd_hash_key key;
    nd_cluster_expired_fn *expired;
    void *expired_context;
    uint64_t documents;
    double clock;
    nd_cluster *list; /* in the order of founding, forgotten ones among them */
    size_t count, capacity, live;
    uint32_t oldest, youngest; /* in the order of growth */
    int16_t *sums; /* follow: `bits` of each cluster; of each bit, documents that have it less those
                      that do not */
    size_t sum_capacity;
    nd_centre_table *centres; /* NULL without fingerprints: then */
    uint32_t *by_id; /* clusters by the hash of their ids, a power of two, at most half full */
    size_t id_slots;
    unsigned char *strings; /* ids: length, 32 bits, and bytes */
    size_t string_size, string_capacity, string_waste;
    nd_feature_counts *counts;
    nd_term_names *names;
    size_t names_room;
    nd_recent recent[ND_RECENT];       /* arrival a at a % ND_RECENT; */
    uint64_t recent_hashes[ND_RECENT]; /* and of its id */
};

static inline const char *nd_cluster_string(const nd_clusters *c, uint64_t at, size_t *length) {
    *length = nd_load_le32(c->strings + at);
    return (const char *)c->strings + at + 4;
}

static inline uint64_t nd_cluster_id_hash(const char *id, size_t length) {
    const nd_hash_key key = nd_hash_key_of(0);
    return nd_hash_token(&key, id, length);
}

/* Puts a cluster that is loaded where it can be found. */
nd_status nd_clusters_enter(nd_clusters *clusters, uint32_t number, nd_error *error);
/* Makes of it the one that grew last. */
void nd_clusters_append_grown(nd_clusters *clusters, uint32_t number);
/* Room for one cluster more. */
nd_status nd_clusters_make_room(nd_clusters *clusters, nd_error *error);
nd_status nd_clusters_put_string(nd_clusters *clusters, const char *bytes, size_t length,
                                 uint64_t *at, nd_error *error);
nd_status nd_clusters_remember(nd_clusters *clusters, uint64_t arrival, const char *id,
                               size_t id_length, const nd_placed *placed, nd_error *error);

#endif
