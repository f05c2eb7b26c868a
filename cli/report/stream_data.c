#include "report/stream_data.h"

#include <string.h>

nd_status stream_data_begin(stream_data *d, const nd_stream *stream, nd_error *error) {
    nd_stream_info info = {.struct_size = sizeof info};
    nd_status status = nd_stream_describe(stream, &info, error);
    d->before = info.documents;
    return status;
}

/* Copies the beginning. Returns its length. */
static size_t copy_begin(char *to, size_t room, const char *from, size_t length) {
    if (length > room) length = room;
    memcpy(to, from, length);
    return length;
}

/* ---- answers */

/* The current source has ended: it goes behind those with as many documents. */
static void end_source(stream_data *d) {
    size_t place = d->source_count;
    if (d->current.documents == 0) return;
    while (place > 0 && d->sources[place - 1].documents < d->current.documents) place--;
    if (place == STREAM_SOURCES) return;
    if (d->source_count < STREAM_SOURCES) d->source_count++;
    memmove(&d->sources[place + 1], &d->sources[place],
            (d->source_count - 1 - place) * sizeof *d->sources);
    d->sources[place] = d->current;
}

static void take_source(stream_data *d, const nd_stream_answer *a, bool joined) {
    stream_source *c = &d->current;
    if (c->documents == 0 || strncmp(c->name, a->source, sizeof c->name - 1) != 0) {
        end_source(d);
        *c = (stream_source){.documents = 0};
        copy_begin(c->name, sizeof c->name - 1, a->source, strlen(a->source));
    }
    c->documents++;
    c->joined += joined;
}

static void take_likeness(stream_data *d, const nd_stream_answer *a) {
    size_t step = (size_t)(a->similarity * ND_SIMILARITY_STEPS);
    if (d->options->sketch == ND_SKETCH_SIMHASH) d->joined_by_distance[a->distance]++;
    else d->joined_by_similarity[step < ND_SIMILARITY_STEPS ? step : ND_SIMILARITY_STEPS - 1]++;
}

void stream_data_take(stream_data *d, const nd_stream_answer *a) {
    bool joined = !a->again && !a->is_new;
    d->again += a->again;
    d->founded += !a->again && a->is_new;
    d->joined += joined;
    if (joined) take_likeness(d, a);
    take_source(d, a, joined);
}

/* ---- clusters */

/* nd_stream_cluster_fn; `context` is the data. Counts the clusters, and finds the size of the least
 * one that is shown. */
static bool count_cluster(void *context, const nd_stream_cluster *c) {
    stream_data *d = context;
    int step = 0;
    if (c->grown <= d->before) return true;
    while (step < ND_GROUP_STEPS - 1 && c->size >> (step + 1)) step++;
    d->clusters_by_size[step]++;
    if (d->cluster_count < STREAM_CLUSTERS) d->clusters[d->cluster_count++].size = c->size;
    return true;
}

/* nd_stream_cluster_fn. False: all that are shown are there. */
static bool take_cluster(void *context, const nd_stream_cluster *c) {
    stream_data *d = context;
    stream_cluster *to = &d->clusters[d->cluster_count];
    if (d->cluster_count == STREAM_CLUSTERS) return false;
    if (c->grown <= d->before) return true;
    d->cluster_count++;
    *to = (stream_cluster){
        .size = c->size, .is_new = c->founded > d->before, .topic_count = c->topic_count};
    to->length = copy_begin(to->id, sizeof to->id, c->cluster, c->cluster_length);
    for (size_t i = 0; i < c->topic_count; i++)
        to->topics[i].length = copy_begin(to->topics[i].text, sizeof to->topics[i].text,
                                          c->topics[i].term, c->topics[i].length);
    return true;
}

/* Only the second pass makes topics, and it ends behind the largest clusters. */
nd_status stream_data_end(stream_data *d, nd_stream *stream, nd_error *error) {
    end_source(d);
    nd_status status = nd_stream_clusters(stream, 1, 0, false, count_cluster, d, error);
    if (status != ND_OK || d->cluster_count == 0) return status;
    uint64_t least = d->clusters[d->cluster_count - 1].size;
    d->cluster_count = 0;
    status = nd_stream_clusters(stream, least, ND_STREAM_TOPICS, false, take_cluster, d, error);
    return status == ND_ERR_CANCELLED ? ND_OK : status;
}
