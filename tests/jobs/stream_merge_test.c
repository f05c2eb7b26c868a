/* A run of a stream that is cancelled gives up the merge of segments that goes on beside it: no
 * work goes on, the segments are as before, and the next run adds to them. */
#include "base/limits.h"
#include "index/index.h"
#include "job_parts.h"
#include "own_directory.h"
#include "store/compaction.h"
#include "store/store_inside.h"
#include "stream/stream.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { STEP = ND_LIMIT(5000, 3), MOST_DOCUMENTS = ND_LIMIT(500000, 3000) };

/* Documents that are unlike all before. */
typedef struct source {
    unsigned next, end;
    char id[16], text[100];
} source;

/* nd_record_fn */
static int give(void *context, nd_record *out) {
    source *s = context;
    unsigned n = s->next++;
    if (n == s->end) return 0;
    *out = (nd_record){.id = s->id, .text = s->text, .value = NAN};
    out->id_length = (size_t)snprintf(s->id, sizeof s->id, "d%u", n);
    out->length = (size_t)snprintf(s->text, sizeof s->text, "a%u b%u c%u d%u e%u f%u", n, n, n, n,
                                   n, n);
    return 1;
}

/* nd_stream_answer_fn: cancels, if the context says so. */
static bool answer(void *context, const nd_stream_answer *a) {
    const bool *cancel = context;
    (void)a;
    return !*cancel;
}

static nd_status run(nd_stream *s, unsigned begin, unsigned end, bool cancel) {
    source from = {.next = begin, .end = end};
    nd_error error;
    job_parts job;
    job_parts_init(&job);
    job.input.records = give;
    job.input.records_context = &from;
    const nd_stream_run_options options = {
        .struct_size = sizeof options, .input = &job.input, .resources = &job.resources};
    return nd_stream_run(s, &options, answer, &cancel, NULL, &error);
}

static nd_stream *open_stream(void) {
    nd_stream_options o;
    nd_stream *s;
    nd_error error;
    nd_stream_options_init(&o, sizeof o);
    o.sketch = ND_SKETCH_MINHASH;
    if (nd_stream_open("s", ND_INDEX_WRITE, &o, NULL, &s, &error) != ND_OK)
        fail_msg("%s", error.message);
    return s;
}

static void test_cancelled(void **state) {
    (void)state;
    nd_stream *s = open_stream();
    nd_store *store = s->index.index->shared.store;
    unsigned documents = 0;
    for (bool given_up = false; !given_up; documents += STEP + 1) {
        assert_true(documents < MOST_DOCUMENTS);
        assert_int_equal(run(s, documents, documents + STEP, false), ND_OK);
        const bool goes_on = store->beside && !nd_store_should_end_merge(store);
        const size_t segments = nd_store_segment_count(store);
        assert_int_equal(run(s, documents + STEP, documents + STEP + 1, goes_on),
                         goes_on ? ND_ERR_CANCELLED : ND_OK);
        /* A merge that has ended leaves fewer segments. */
        given_up = goes_on && nd_store_segment_count(store) == segments;
        if (given_up) assert_null(store->beside);
    }
    assert_int_equal(run(s, documents, documents + STEP, false), ND_OK);
    assert_int_equal(nd_store_document_count(store), documents + STEP);
    nd_stream_close(s);
    remove_directory("s");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cancelled)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
