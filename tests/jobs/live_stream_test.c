/* A stream over an input whose records come a few at a time: all that have come are answered before
 * the input is waited for, and those before a failure are answered, too. */
#include "corpus/block.h"
#include "job_parts.h"
#include "own_directory.h"
#include "stream/leader_clusters.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { LIVE = ND_LIVE_RECORDS, TOGETHER = ND_RECENT / 2, MOST_SECONDS = 60 };

/* Numbers of records that come together: around the records of a block and of a sync. */
static const unsigned counts[] = {1,        LIVE - 1,     LIVE,         LIVE + 1,
                                  2 * LIVE, TOGETHER - 1, TOGETHER + 1, TOGETHER + LIVE};
enum { COUNTS = sizeof counts / sizeof *counts };

static nd_stream *open_stream(void) {
    nd_stream_options o;
    nd_stream *s;
    nd_error error;
    nd_stream_options_init(&o, sizeof o);
    o.sketch = ND_SKETCH_SIMHASH;
    remove_directory("s");
    if (nd_stream_open("s", ND_INDEX_WRITE, &o, NULL, &s, &error) != ND_OK)
        fail_msg("%s", error.message);
    return s;
}

typedef struct answers {
    atomic_uint count;
    atomic_bool last; /* the newest one is the last of its sync */
} answers;

/* nd_stream_answer_fn: answers come in the order of input. */
static bool take_answer(void *context, const nd_stream_answer *a) {
    answers *to = context;
    char id[16];
    size_t length = (size_t)snprintf(id, sizeof id, "d%u", atomic_load(&to->count));
    if (a->id_length != length || memcmp(a->id, id, length) != 0) return false;
    atomic_store(&to->last, a->last);
    atomic_fetch_add(&to->count, 1);
    return true;
}

static nd_status run(nd_stream *s, const job_parts *job, answers *to, nd_error *error) {
    const nd_stream_run_options options = {
        .struct_size = sizeof options, .input = &job->input, .resources = &job->resources};
    return nd_stream_run(s, &options, take_answer, to, NULL, error);
}

typedef struct format {
    nd_input_format format;
    const char *header, *id, *text, *end; /* a record: id, its number, text, its number, end */
    const char *bad;                      /* a record without a text */
} format;

/* Every build reads the first one. */
static const format formats[] = {
    {ND_FORMAT_TSV, "id\ttext\n", "d", "\tw", " and some more words\n", "bad\n"},
    {ND_FORMAT_JSON_LINES, "", "{\"id\": \"d", "\", \"text\": \"w", " and some more words\"}\n",
     "{\"id\": \"bad\"}\n"}};

static int format_count(void) { return strstr(nd_features(), "simdjson") ? 2 : 1; }

static void put_record(FILE *file, const format *f, unsigned number) {
    fprintf(file, "%s%u%s%u%s", f->id, number, f->text, number, f->end);
}

/* ---- a pipe */

typedef struct reading {
    nd_stream *stream;
    const char *path;
    nd_input_format format;
    uint32_t threads;
    answers answers;
    nd_status status;
    nd_error error;
} reading;

static void *read_input(void *context) {
    reading *r = context;
    job_parts job;
    job_parts_init(&job);
    job.input.inputs = &r->path;
    job.input.input_count = 1;
    job.input.format = r->format;
    job.resources.threads = r->threads;
    r->status = run(r->stream, &job, &r->answers, &r->error);
    return NULL;
}

static void wait_for(reading *r, unsigned count) {
    const struct timespec moment = {.tv_nsec = 1000000};
    time_t end = time(NULL) + MOST_SECONDS;
    while (atomic_load(&r->answers.count) < count && time(NULL) < end) nanosleep(&moment, NULL);
    assert_int_equal(atomic_load(&r->answers.count), count);
}

/* Ends what has come: with whole records, with an empty line, or inside of the next record. */
typedef enum ending { WHOLE, EMPTY_LINE, PART, ENDINGS } ending;

/* Writes `count` records from number `from` on, all at once. The first one may be begun already. */
static void write_records(int to, const format *f, unsigned from, unsigned count, ending before,
                          ending behind) {
    static char bytes[(TOGETHER + LIVE + 2) * 64];
    FILE *file = fmemopen(bytes, sizeof bytes, "w");
    assert_non_null(file);
    for (unsigned i = 0; i <= count; i++) put_record(file, f, from + i);
    fflush(file);
    char *end = bytes;
    for (unsigned i = 0; i < count; i++) end = strchr(end, '\n') + 1;
    fclose(file);
    if (behind == EMPTY_LINE) *end++ = '\n';
    if (behind == PART) end += 5;
    const char *begin = bytes + (before == PART ? 5 : 0);
    assert_int_equal(write(to, begin, (size_t)(end - begin)), end - begin);
}

static void answer_pipe(const format *f, ending behind, uint32_t threads) {
    int ends[2];
    char path[32];
    unsigned sent = 0;
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    reading r = {.stream = open_stream(), .path = path, .format = f->format, .threads = threads};
    assert_int_equal(pthread_create(&thread, NULL, read_input, &r), 0);
    size_t length = strlen(f->header);
    assert_int_equal(write(ends[1], f->header, length), length);
    for (int i = 0; i < COUNTS; i++) {
        bool end = i + 1 == COUNTS;
        write_records(ends[1], f, sent, counts[i], i > 0 ? behind : WHOLE, end ? WHOLE : behind);
        sent += counts[i];
        wait_for(&r, sent);
        assert_true(atomic_load(&r.answers.last));
    }
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    if (r.status != ND_OK) fail_msg("%s", r.error.message);
    assert_int_equal(atomic_load(&r.answers.count), sent);
    nd_stream_close(r.stream);
    remove_directory("s");
}

static void test_pipe(void **state) {
    (void)state;
    for (int i = 0; i < format_count(); i++)
        for (ending behind = WHOLE; behind < ENDINGS; behind++)
            for (uint32_t threads = 1; threads <= 3; threads += 2)
                answer_pipe(&formats[i], behind, threads);
}

/* ---- a callback */

typedef struct source {
    unsigned given, count;
    int end; /* the answer behind the last record */
    char id[16], text[32];
} source;

/* nd_record_fn */
static int give(void *context, nd_record *out) {
    source *s = context;
    if (s->given == s->count) return s->end;
    *out = (nd_record){.id = s->id, .text = s->text, .value = NAN};
    out->id_length = (size_t)snprintf(s->id, sizeof s->id, "d%u", s->given);
    out->length = (size_t)snprintf(s->text, sizeof s->text, "w%u is a text", s->given++);
    return 1;
}

/* Returns the number of answers. */
static unsigned answer_callback(unsigned count, int end, nd_status expected) {
    source from = {.count = count, .end = end};
    answers to = {0};
    nd_error error;
    job_parts job;
    job_parts_init(&job);
    job.input.records = give;
    job.input.records_context = &from;
    nd_stream *s = open_stream();
    assert_int_equal(run(s, &job, &to, &error), expected);
    nd_stream_info info = {.struct_size = sizeof info};
    assert_int_equal(nd_stream_describe(s, &info, &error), ND_OK);
    assert_int_equal(info.documents, atomic_load(&to.count));
    nd_stream_close(s);
    remove_directory("s");
    return atomic_load(&to.count);
}

/* The documents of whole blocks are answered although the callback then cancels. */
static void test_callback(void **state) {
    (void)state;
    for (int i = 0; i < COUNTS; i++) {
        assert_int_equal(answer_callback(counts[i], 0, ND_OK), counts[i]);
        assert_int_equal(answer_callback(counts[i], -1, ND_ERR_CANCELLED), counts[i] / LIVE * LIVE);
    }
}

/* ---- a bad record */

/* Returns the number of answers. */
static unsigned answer_before_bad(const format *f, unsigned count, uint32_t threads) {
    const char *name = "in";
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(f->header, file);
    for (unsigned d = 0; d < count; d++) put_record(file, f, d);
    fputs(f->bad, file);
    fclose(file);
    reading r = {.stream = open_stream(), .path = name, .format = f->format, .threads = threads};
    read_input(&r);
    assert_int_equal(r.status, ND_ERR_INPUT);
    nd_stream_close(r.stream);
    remove_directory("s");
    assert_int_equal(remove(name), 0);
    return atomic_load(&r.answers.count);
}

/* The documents before it are answered, except those of its own block, with any number of threads.
 */
static void test_bad_record(void **state) {
    (void)state;
    for (int i = 0; i < format_count() * COUNTS; i++) {
        const format *f = &formats[i / COUNTS];
        unsigned count = counts[i % COUNTS], answered = answer_before_bad(f, count, 1);
        assert_in_range(answered, count < LIVE ? 0 : count - LIVE + 1, count);
        assert_int_equal(answer_before_bad(f, count, 3), answered);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipe), cmocka_unit_test(test_callback),
                                       cmocka_unit_test(test_bad_record)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
