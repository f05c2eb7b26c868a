/* Everything that can be observed of a stream, as text, to compare two streams. */
#ifndef ND_TESTS_STREAM_SEEN_H
#define ND_TESTS_STREAM_SEEN_H

#include "neardup.h"
#include "test.h"

#include <stdio.h>

typedef struct seen {
    char text[1 << 20];
    size_t size;
} seen;

static inline void seen_print(seen *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void seen_print(seen *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    s->size += (size_t)vsnprintf(s->text + s->size, sizeof s->text - s->size, format, arguments);
    va_end(arguments);
    assert_true(s->size < sizeof s->text);
}

/* nd_stream_cluster_fn */
static inline bool seen_write_cluster(void *context, const nd_stream_cluster *c) {
    seen *s = context;
    seen_print(s, "%.*s %.*s %d %d %d %g %g %016llx%016llx", (int)c->cluster_length, c->cluster,
               (int)c->central_length, c->central, (int)c->size, (int)c->founded, (int)c->grown,
               c->founded_time, c->grown_time, (unsigned long long)c->centre.high,
               (unsigned long long)c->centre.low);
    for (size_t i = 0; i < c->topic_count; i++)
        seen_print(s, " %.*s:%.4f", (int)c->topics[i].length, c->topics[i].term,
                   c->topics[i].weight);
    for (uint64_t i = 0; c->members && i < c->size; i++)
        seen_print(s, " %.*s", (int)c->members[i].length, c->members[i].id);
    seen_print(s, "\n");
    return true;
}

static inline nd_status stream_look(nd_stream *s, seen *out, nd_error *error) {
    nd_stream_info info = {.struct_size = sizeof info};
    nd_status status = nd_stream_describe(s, &info, error);
    if (status != ND_OK) return status;
    out->size = 0;
    seen_print(out, "%d %d %g\n", (int)info.documents, (int)info.clusters, info.clock);
    return nd_stream_clusters(s, 1, 10, true, seen_write_cluster, out, error);
}

#endif
