/* What a run of a stream tells, kept for the page that shows it. Its size is fixed, so it does not
 * grow during a run that takes weeks: answers are counted, and clusters are read from the state at
 * the end. */
#ifndef CLI_STREAM_DATA_H
#define CLI_STREAM_DATA_H

#include "neardup.h"

/* Rows of a list, and bytes that are kept of a text. A page shows fewer bytes than that, except of
 * the name of a source, which is also compared. */
enum { STREAM_SOURCES = 20, STREAM_CLUSTERS = 10 };
enum { STREAM_ID_BYTES = 512, STREAM_TERM_BYTES = 256, STREAM_SOURCE_BYTES = 4096 };
/* Distances from 0 to the largest k. */
enum { STREAM_DISTANCES = 33 };

typedef struct stream_source {
    char name[STREAM_SOURCE_BYTES];
    uint64_t documents, joined;
} stream_source;

typedef struct stream_term {
    char text[STREAM_TERM_BYTES];
    size_t length;
} stream_term;

typedef struct stream_cluster {
    char id[STREAM_ID_BYTES];
    size_t length, topic_count;
    uint64_t size;
    bool is_new; /* this run has founded it */
    stream_term topics[ND_STREAM_TOPICS];
} stream_cluster;

/* The caller sets `options`; all other members are zero at first. */
typedef struct stream_data {
    const nd_stream_options *options; /* of the stream */
    uint64_t founded, joined, again;
    uint64_t joined_by_similarity[ND_SIMILARITY_STEPS];
    uint64_t joined_by_distance[STREAM_DISTANCES];
    /* Those with most documents, the largest first. The documents of a source come one after the
     * other, so that only the current one is counted. */
    stream_source sources[STREAM_SOURCES], current;
    size_t source_count;
    /* Clusters that this run has founded or let grow, by all their documents. */
    uint64_t clusters_by_size[ND_GROUP_STEPS];
    stream_cluster clusters[STREAM_CLUSTERS]; /* the largest first */
    size_t cluster_count;
    uint64_t before; /* documents of earlier runs */
} stream_data;

/* Before the first answer of the run. */
nd_status stream_data_begin(stream_data *data, const nd_stream *stream, nd_error *error);
void stream_data_take(stream_data *data, const nd_stream_answer *answer);
/* After the last answer: reads the clusters. */
nd_status stream_data_end(stream_data *data, nd_stream *stream, nd_error *error);

#endif
