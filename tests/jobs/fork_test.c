/* A handle for writing belongs to its process. A child made by fork cannot change the content, and
 * does not keep it locked when the parent has closed it. */
#include "job_parts.h"
#include "own_directory.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

typedef enum content { DOCUMENTS, FINGERPRINTS, STREAM, CONTENTS } content;

/* A handle for writing, of any kind of content. */
typedef struct handle {
    content content;
    nd_hamming_index *fingerprints;
    nd_index *index;
    nd_index_searcher *searcher;
    nd_stream *stream;
} handle;

static nd_status make(content c, nd_error *error) {
    if (c == DOCUMENTS) return nd_index_create("x", NULL, error);
    return c == FINGERPRINTS ? nd_hamming_create("x", NULL, error) : ND_OK;
}

static nd_status open_handle(content c, handle *h, nd_error *error) {
    nd_stream_options o;
    nd_stream_options_init(&o, sizeof o);
    o.sketch = ND_SKETCH_SIMHASH;
    *h = (handle){.content = c};
    if (c == STREAM) return nd_stream_open("x", ND_INDEX_WRITE, &o, NULL, &h->stream, error);
    if (c == FINGERPRINTS)
        return nd_hamming_open("x", ND_INDEX_WRITE, NULL, &h->fingerprints, error);
    nd_status status = nd_index_open("x", ND_INDEX_WRITE, NULL, &h->index, error);
    return status == ND_OK ? nd_index_searcher_create(h->index, &h->searcher, error) : status;
}

static void close_handle(handle *h) {
    nd_index_searcher_free(h->searcher);
    nd_index_close(h->index);
    nd_hamming_close(h->fingerprints);
    nd_stream_close(h->stream);
}

static nd_status add(handle *h, const char *id, const char *text, nd_error *error) {
    const nd_record document = {
        .text = text, .length = strlen(text), .id = id, .id_length = strlen(id), .value = NAN};
    bool added;
    if (h->content == FINGERPRINTS)
        return nd_hamming_add(h->fingerprints, id, strlen(id), (nd_fingerprint){strlen(text), 0},
                              error);
    if (h->content == DOCUMENTS)
        return nd_index_add(h->index, h->searcher, &document, &added, NULL, error);
    return nd_stream_add(h->stream, &document, NULL, error);
}

static nd_status sync_handle(handle *h, nd_error *error) {
    if (h->stream) return nd_stream_sync(h->stream, error);
    return h->fingerprints ? nd_hamming_sync(h->fingerprints, error)
                           : nd_index_sync(h->index, error);
}

/* UINT64_MAX: the content cannot be counted. */
static uint64_t count(handle *h) {
    nd_index_info index = {.struct_size = sizeof index};
    nd_hamming_info hamming = {.struct_size = sizeof hamming};
    nd_stream_info stream = {.struct_size = sizeof stream};
    if (h->stream)
        return nd_stream_describe(h->stream, &stream, NULL) == ND_OK ? stream.documents
                                                                     : UINT64_MAX;
    if (h->fingerprints)
        return nd_hamming_describe(h->fingerprints, &hamming, NULL) == ND_OK ? hamming.fingerprints
                                                                             : UINT64_MAX;
    return nd_index_describe(h->index, &index, NULL) == ND_OK ? index.documents : UINT64_MAX;
}

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* ---- in the child: returns the number of the first check that fails; 0: none */

static bool is_rejected(nd_status status, const nd_error *error) {
    return status == ND_ERR_ARGUMENT && strstr(error->message, "a child of it");
}

static bool take_answer(void *context, const nd_stream_answer *answer) {
    return (void)context, (void)answer, true;
}

static int check_stream(handle *h) {
    const char *name = "nothing.jsonl";
    nd_input_options input;
    nd_error error;
    nd_input_options_init(&input, sizeof input);
    input.inputs = &name;
    input.input_count = 1;
    const nd_stream_run_options o = {.struct_size = sizeof o, .input = &input};
    return is_rejected(nd_stream_run(h->stream, &o, take_answer, NULL, NULL, &error), &error) ? 0
                                                                                              : 3;
}

static int check_documents(handle *h) {
    nd_error error;
    bool found;
    if (!is_rejected(nd_index_remove(h->index, "a", 1, &found, &error), &error)) return 4;
    return is_rejected(nd_index_compact(h->index, &error), &error) ? 0 : 5;
}

static int check_fingerprints(handle *h) {
    const uint64_t word = 1;
    const nd_fingerprint_source source = {.struct_size = sizeof source, .words = &word, .count = 1};
    nd_hamming_index *x = h->fingerprints;
    nd_error error;
    bool found;
    if (!is_rejected(nd_hamming_remove(x, "a", 1, &found, &error), &error)) return 4;
    if (!is_rejected(nd_hamming_compact(x, &error), &error)) return 5;
    return is_rejected(nd_hamming_load(x, &source, NULL, NULL, &error), &error) ? 0 : 6;
}

static int check_changes(handle *h) {
    nd_error error;
    if (!is_rejected(add(h, "c", "three", &error), &error)) return 1;
    if (!is_rejected(sync_handle(h, &error), &error)) return 2;
    if (h->stream) return check_stream(h);
    return h->fingerprints ? check_fingerprints(h) : check_documents(h);
}

static int check_child(handle *h) {
    nd_error error;
    handle other;
    int failed = check_changes(h);
    if (failed) return failed;
    if (count(h) != 2) return 7;
    close_handle(h);
    return open_handle(h->content, &other, &error) == ND_ERR_BUSY ? 0
                                                                  : 8; /* the parent has it open */
}

/* ---- tests */

static void clean(void) {
    remove_directory("x/index");
    remove_directory("x");
}

/* nd_record_fn */
static int give_one(void *context, nd_record *out) {
    bool *given = context;
    if (*given) return 0;
    *given = true;
    *out = (nd_record){.text = "one", .length = 3, .id = "a", .id_length = 1, .value = NAN};
    return 1;
}

/* Adds the first document. A stream then has a thread for its log, which a child does not have. */
static nd_status add_first(handle *h, nd_error *error) {
    bool given = false;
    nd_input_options input;
    if (!h->stream) return add(h, "a", "one", error);
    nd_input_options_init(&input, sizeof input);
    input.records = give_one;
    input.records_context = &given;
    const nd_stream_run_options o = {.struct_size = sizeof o, .input = &input};
    return nd_stream_run(h->stream, &o, take_answer, NULL, NULL, error);
}

static void begin(content c, handle *h) {
    nd_error error;
    must(make(c, &error), &error);
    must(open_handle(c, h, &error), &error);
    must(add_first(h, &error), &error);
    must(sync_handle(h, &error), &error);
    must(add(h, "b", "zwei", &error), &error);
}

/* The documents that the parent adds before and after are there, and no others. */
static void test_children_are_rejected(void **state) {
    (void)state;
    for (content c = DOCUMENTS; c < CONTENTS; c++) {
        nd_error error;
        handle h;
        int status;
        begin(c, &h);
        pid_t child = fork();
        if (child == 0) _exit(check_child(&h));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        must(add(&h, "c", "trois", &error), &error);
        must(sync_handle(&h, &error), &error);
        close_handle(&h);
        must(open_handle(c, &h, &error), &error);
        assert_int_equal(count(&h), 3);
        close_handle(&h);
        clean();
    }
}

/* The child does nothing but stay alive. */
static void test_living_children_keep_no_lock(void **state) {
    (void)state;
    for (content c = DOCUMENTS; c < CONTENTS; c++) {
        nd_error error;
        handle h, again;
        begin(c, &h);
        pid_t child = fork();
        if (child == 0)
            for (;;) pause();
        close_handle(&h);
        nd_status status = open_handle(c, &again, &error);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        must(status, &error);
        assert_int_equal(count(&again), 2);
        close_handle(&again);
        clean();
    }
}

/* The parent is killed; then its child gets a message and closes the handle. */
static void orphan(content c, int read_fd, int write_fd) {
    char byte = 0;
    handle h;
    begin(c, &h);
    nd_error error;
    must(sync_handle(&h, &error), &error);
    if (fork() != 0) {
        kill(getpid(), SIGKILL);
        return;
    }
    (void)!write(write_fd, &byte, 1);
    (void)!read(read_fd, &byte, 1);
    close_handle(&h);
    (void)!write(write_fd, &byte, 1);
    pause();
}

static void test_children_of_dead_parents(void **state) {
    (void)state;
    for (content c = DOCUMENTS; c < CONTENTS; c++) {
        int there[2], back[2];
        char byte = 0;
        nd_error error;
        handle h;
        assert_true(pipe(there) == 0 && pipe(back) == 0);
        pid_t parent = fork();
        if (parent == 0) {
            setpgid(0, 0);
            orphan(c, there[0], back[1]);
        }
        assert_int_equal(waitpid(parent, NULL, 0), parent);
        assert_int_equal(read(back[0], &byte, 1), 1);
        assert_int_equal(open_handle(c, &h, &error), ND_ERR_BUSY);
        assert_int_equal(write(there[1], &byte, 1), 1);
        assert_int_equal(read(back[0], &byte, 1), 1);
        must(open_handle(c, &h, &error), &error);
        kill(-parent, SIGKILL);
        assert_int_equal(count(&h), 2);
        close_handle(&h);
        for (int i = 0; i < 2; i++) close(there[i]), close(back[i]);
        clean();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_children_are_rejected),
                                       cmocka_unit_test(test_living_children_keep_no_lock),
                                       cmocka_unit_test(test_children_of_dead_parents)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
