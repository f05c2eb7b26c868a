/* A handle that writes belongs to its process: a child made by fork cannot change what it holds,
 * and does not keep it from others when the parent has closed it. */
#include "neardup.h"
#include "own_directory.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

typedef enum content { DOCUMENTS, FINGERPRINTS, STREAM, CONTENTS } content;

/* A handle that writes, of any content. */
typedef struct handle {
    content content;
    nd_index *index;
    nd_searcher *searcher;
    nd_stream *stream;
} handle;

static nd_status make(content c, nd_error *error) {
    if (c == DOCUMENTS) return nd_index_create("x", NULL, error);
    return c == FINGERPRINTS ? nd_hamming_create("x", NULL, error) : ND_OK;
}

static nd_status open_handle(content c, handle *h, nd_error *error) {
    nd_stream_options o;
    nd_stream_options_init(&o);
    o.sketch = ND_SKETCH_SIMHASH;
    *h = (handle){.content = c};
    if (c == STREAM) return nd_stream_open("x", ND_INDEX_WRITE, &o, NULL, &h->stream, error);
    nd_status status = nd_index_open("x", ND_INDEX_WRITE, NULL, &h->index, error);
    if (status == ND_OK && c == DOCUMENTS)
        status = nd_searcher_create(h->index, &h->searcher, error);
    return status;
}

static void close_handle(handle *h) {
    nd_searcher_free(h->searcher);
    nd_index_close(h->index);
    nd_stream_close(h->stream);
}

static nd_status add(handle *h, const char *id, const char *text, nd_error *error) {
    bool added;
    if (h->content == FINGERPRINTS)
        return nd_hamming_add(h->index, id, strlen(id), (nd_fingerprint){strlen(text), 0}, false,
                              error);
    if (h->content == DOCUMENTS)
        return nd_index_add(h->index, h->searcher, id, strlen(id), text, strlen(text), false,
                            &added, NULL, error);
    return nd_stream_add(h->stream, id, strlen(id), text, strlen(text), NAN, NULL, error);
}

static nd_status sync_handle(handle *h, nd_error *error) {
    return h->stream ? nd_stream_sync(h->stream, error) : nd_index_sync(h->index, error);
}

static uint64_t count(handle *h) {
    nd_index_info info;
    nd_stream_info told;
    if (h->stream) return nd_stream_describe(h->stream, &told), told.documents;
    return nd_index_describe(h->index, &info), info.documents;
}

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* ---- in the child: the number of the first check that fails, 0: none */

static bool is_refused(nd_status status, const nd_error *error) {
    return status == ND_ERR_ARGUMENT && strstr(error->message, "a child of it");
}

static bool take_answer(void *context, const nd_stream_answer *answer) {
    return (void)context, (void)answer, true;
}

static int check_changes(handle *h) {
    nd_error error;
    bool found;
    if (!is_refused(add(h, "c", "three", &error), &error)) return 1;
    if (!is_refused(sync_handle(h, &error), &error)) return 2;
    if (h->stream) {
        const char *input = "nothing.jsonl";
        nd_job_options o;
        nd_job_options_init(&o);
        o.inputs = &input;
        o.input_count = 1;
        return is_refused(nd_stream_run(h->stream, &o, take_answer, NULL, NULL, &error), &error)
                   ? 0
                   : 3;
    }
    if (!is_refused(nd_index_remove(h->index, "a", 1, &found, &error), &error)) return 4;
    if (!is_refused(nd_index_compact(h->index, &error), &error)) return 5;
    const uint64_t word = 1;
    nd_fingerprint_source source = {.words = &word, .count = 1};
    if (h->content == FINGERPRINTS &&
        !is_refused(nd_hamming_load(h->index, &source, NULL, NULL, &error), &error))
        return 6;
    return 0;
}

static int check_child(handle *h) {
    nd_error error;
    handle other;
    int failed = check_changes(h);
    if (failed) return failed;
    if (count(h) != 2) return 7;
    close_handle(h);
    return open_handle(h->content, &other, &error) == ND_ERR_BUSY ? 0 : 8; /* the parent has it */
}

/* ---- tests */

static void clean(void) {
    remove_directory("x/index");
    remove_directory("x");
}

static void begin(content c, handle *h) {
    nd_error error;
    must(make(c, &error), &error);
    must(open_handle(c, h, &error), &error);
    must(add(h, "a", "one", &error), &error);
    must(sync_handle(h, &error), &error);
    must(add(h, "b", "zwei", &error), &error);
}

/* What the parent adds before and after is there, and nothing else. */
static void test_children_are_refused(void **state) {
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

/* A child that does nothing but live. */
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

/* The parent is killed; its child closes the handle when it is told to. */
static void orphan(content c, int told, int tells) {
    char byte = 0;
    handle h;
    begin(c, &h);
    nd_error error;
    must(sync_handle(&h, &error), &error);
    if (fork() != 0) {
        kill(getpid(), SIGKILL);
        return;
    }
    (void)!write(tells, &byte, 1);
    (void)!read(told, &byte, 1);
    close_handle(&h);
    (void)!write(tells, &byte, 1);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_children_are_refused),
                                       cmocka_unit_test(test_living_children_keep_no_lock),
                                       cmocka_unit_test(test_children_of_dead_parents)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
