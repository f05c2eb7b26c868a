/* Lists the clusters of a stream, the largest first, with their topics and, where wanted, the
 * members of each. */
#include "stream/stream.h"

#include "base/argument.h"
#include "base/floats.h"
#include "base/printable.h"

#include <stdlib.h>

typedef struct member {
    uint64_t founded;
    nd_stream_member id;
    size_t order; /* of arrival */
} member;

static int by_cluster(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->founded != y->founded) return x->founded < y->founded ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_size(const void *a, const void *b) {
    const nd_cluster_view *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return (x->founded > y->founded) - (x->founded < y->founded);
}

typedef struct listing {
    nd_stream *stream;
    nd_cluster_view *views; /* the largest cluster first */
    size_t view_count, view_capacity;
    char *bytes;     /* of all members; NULL: members are not wanted */
    member *members; /* by cluster, then in the order of arrival */
    size_t member_count, member_capacity;
    nd_stream_member *ids; /* of the cluster that is reported */
    size_t id_capacity;
} listing;

static nd_status gather(listing *l, uint64_t least, nd_error *error) {
    nd_cluster_view view;
    for (size_t at = 0; nd_clusters_next(l->stream->clusters, &at, &view);) {
        if (view.size < least) continue;
        if (!nd_reserve(&l->stream->allocator, &l->views, &l->view_capacity, l->view_count + 1))
            return nd_fail_memory(error, l->view_count * sizeof view, "clusters");
        l->views[l->view_count++] = view;
    }
    if (l->view_count > 0) qsort(l->views, l->view_count, sizeof *l->views, by_size);
    return ND_OK;
}

static nd_status gather_members(listing *l, nd_error *error) {
    size_t size, at = 0;
    member m;
    char *bytes;
    ND_TRY(nd_stream_files_members(&l->stream->files, &bytes, &size, error));
    l->bytes = bytes;
    while (nd_stream_next_member(l->bytes, size, &at, &m.founded, &m.id.id, &m.id.length)) {
        if (!nd_reserve(&l->stream->allocator, &l->members, &l->member_capacity,
                        l->member_count + 1))
            return nd_fail_memory(error, l->member_count * sizeof m, "members");
        m.order = l->member_count;
        l->members[l->member_count++] = m;
    }
    if (l->member_count > 0) qsort(l->members, l->member_count, sizeof *l->members, by_cluster);
    return ND_OK;
}

static nd_status find_members(listing *l, const nd_cluster_view *cluster,
                              const nd_stream_member **out, nd_error *error) {
    uint64_t founded = cluster->founded;
    size_t begin = 0, end = l->member_count, count = 0;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (l->members[middle].founded < founded) begin = middle + 1;
        else end = middle;
    }
    while (begin + count < l->member_count && l->members[begin + count].founded == founded) count++;
    if (count != cluster->size)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s/members: damaged: %zu of cluster %.*s, which has %llu",
                       l->stream->files.directory, count,
                       nd_shown_length(cluster->id, cluster->id_length, ND_SHOWN_ID), cluster->id,
                       (unsigned long long)cluster->size);
    if (!nd_reserve(&l->stream->allocator, &l->ids, &l->id_capacity, count + 1))
        return nd_fail_memory(error, count * sizeof *l->ids, "members");
    for (size_t i = 0; i < count; i++) l->ids[i] = l->members[begin + i].id;
    *out = l->ids;
    return ND_OK;
}

static nd_status report(listing *l, uint32_t topics, nd_stream_cluster_fn *fn, void *context,
                        nd_error *error) {
    for (size_t i = 0; i < l->view_count; i++) {
        const nd_cluster_view *v = &l->views[i];
        nd_stream_topic heaviest[ND_STREAM_TOPICS];
        const nd_stream_member *members = NULL;
        size_t count = nd_clusters_topics(l->stream->clusters, v, topics, heaviest);
        if (l->bytes) ND_TRY(find_members(l, v, &members, error));
        const nd_stream_cluster cluster = {.cluster = v->id,
                                           .cluster_length = v->id_length,
                                           .central = v->central,
                                           .central_length = v->central_length,
                                           .size = v->size,
                                           .founded = v->founded,
                                           .grown = v->grown,
                                           .founded_time = v->founded_time,
                                           .grown_time = v->grown_time,
                                           .centre = v->centre,
                                           .topics = heaviest,
                                           .topic_count = count,
                                           .members = members};
        if (!fn(context, &cluster)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

nd_status nd_stream_clusters(nd_stream *s, uint64_t least, uint32_t topics, bool members,
                             nd_stream_cluster_fn *fn, void *context, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(s, "stream", error));
    ND_TRY(nd_need(fn, "fn", error));
    listing l = {.stream = s};
    nd_status status = gather(&l, least, error);
    if (status == ND_OK && members) status = gather_members(&l, error);
    if (status == ND_OK) status = report(&l, topics, fn, context, error);
    nd_release(&s->allocator, l.views);
    nd_release(&s->allocator, l.bytes);
    nd_release(&s->allocator, l.members);
    nd_release(&s->allocator, l.ids);
    return status;
}
