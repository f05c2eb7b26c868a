/* A writer adds to a stream and saves states, while readers open it again and again. A reader
 * always finds a complete state. */
#include "durability/documents.h"
#include "durability/image.h"
#include "stream_seen.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { READERS = 2, ADDED = 3000, SYNCED = 4 };

static atomic_bool over;
static atomic_ulong reads, states;

static nd_stream_info describe(const nd_stream *s) {
    nd_stream_info info = {.struct_size = sizeof info};
    nd_error error;
    must(nd_stream_describe(s, &info, &error), &error);
    return info;
}

static nd_stream *open_surely(nd_index_mode mode, const nd_stream_options *options) {
    nd_error error;
    nd_stream *s;
    must(nd_stream_open("x", mode, options, NULL, &s, &error), &error);
    return s;
}

/* Writes also in several sessions; each session removes orphan files. */
static void *write_stream(void *context) {
    nd_error error;
    nd_stream *s = open_surely(ND_INDEX_WRITE, context);
    for (unsigned d = 0; d < ADDED / (1 + test_sparsity() / 8); d++) {
        char id[16], text[400];
        size_t length = (size_t)snprintf(id, sizeof id, "d%u", d), size = 0;
        for (unsigned w = 0; w < 20; w++)
            size += (size_t)snprintf(text + size, sizeof text - size, "w%u ", d % 50 * 20 + w);
        const nd_record document = {
            .text = text, .length = size, .id = id, .id_length = length, .value = NAN};
        must(nd_stream_add(s, &document, NULL, &error), &error);
        if (d % SYNCED) continue;
        uint64_t before = describe(s).bytes;
        must(nd_stream_sync(s, &error), &error);
        atomic_fetch_add(&states, describe(s).bytes < before);
        if (d % 500) continue;
        nd_stream_close(s);
        s = open_surely(ND_INDEX_WRITE, NULL);
    }
    nd_stream_close(s);
    atomic_store(&over, true);
    return NULL;
}

static bool count_members(void *context, const nd_stream_cluster *c) {
    *(uint64_t *)context += c->size;
    for (uint64_t i = 1; i < c->size; i++)
        if (c->members[i].length == 0) broken("a member without an id");
    return true;
}

static void *read_stream(void *context) {
    (void)context;
    uint64_t last = 0;
    while (!atomic_load(&over)) {
        nd_error error;
        uint64_t members = 0;
        nd_stream *s = open_surely(ND_INDEX_READ, NULL);
        const nd_stream_info info = describe(s);
        must(nd_stream_clusters(s, 1, 10, true, count_members, &members, &error), &error);
        if (info.documents < last)
            broken("%llu documents after %llu", (unsigned long long)info.documents,
                   (unsigned long long)last);
        if (members != info.documents)
            broken("%llu members of %llu", (unsigned long long)members,
                   (unsigned long long)info.documents);
        last = info.documents;
        nd_stream_close(s);
        atomic_fetch_add(&reads, 1);
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t writer, readers[READERS];
    nd_stream_options o;
    nd_stream_options_init(&o, sizeof o);
    o.sketch = ND_SKETCH_SIMHASH;
    o.mode = ND_STREAM_FOLLOW;
    broken_ends_process();
    nd_stream_close(open_surely(ND_INDEX_WRITE, &o));
    assert_int_equal(pthread_create(&writer, NULL, write_stream, &o), 0);
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_stream, NULL), 0);
    assert_int_equal(pthread_join(writer, NULL), 0);
    for (size_t i = 0; i < READERS; i++) assert_int_equal(pthread_join(readers[i], NULL), 0);
    remove_directory("x");
    print_message("%lu reads, %lu states\n", atomic_load(&reads), atomic_load(&states));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, image_enter, leave_own_directory);
}
