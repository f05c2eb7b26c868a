/* A directory that changes while it is read, with skip_errors. Files that cannot be read are left
 * out, named and counted, and all other files are read. Whatever replaces a file, the job does not
 * wait for it. */
#include "job_parts.h"
#include "own_directory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES = 6000 }; /* more than a block has */

static const char *name_of(int file) {
    static char names[4][40];
    static int turn;
    char *name = names[turn++ % 4];
    snprintf(name, sizeof names[0], "tree/f%05d", file);
    return name;
}

static void write_file(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "some words\n", 11), 11);
    close(fd);
}

static void make_tree(int files) {
    assert_int_equal(mkdir("tree", 0700), 0);
    for (int i = 0; i < files; i++) write_file(name_of(i));
}

static void remove_tree(void) { remove_directory("tree"); }

typedef struct tally {
    unsigned documents, warnings, calls;
    unsigned calls_before; /* calls before the first document */
    char last[40];
    char messages[8][200];
    void (*change)(void);
    unsigned change_at; /* the call of on_progress, from 1, that makes the change; 0: at the first
                           document */
} tally;

static bool count(void *context, const nd_text *text) {
    tally *t = context;
    if (t->documents == 0) t->calls_before = t->calls;
    if (t->documents++ == 0 && t->change_at == 0) t->change();
    snprintf(t->last, sizeof t->last, "%.*s", (int)text->id_length, text->id);
    return true;
}

static bool progress(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    tally *t = context;
    if (++t->calls == t->change_at) t->change();
    return true;
}

static void warn(void *context, const char *message) {
    tally *t = context;
    if (t->warnings < 8) snprintf(t->messages[t->warnings], sizeof t->messages[0], "%s", message);
    t->warnings++;
}

static nd_status read_tree(tally *t, bool skip, bool follow, nd_job_summary *summary,
                           nd_error *error) {
    static const char *const inputs[] = {"tree"};
    job_parts options;
    job_parts_init(&options);
    options.input.inputs = inputs;
    options.input.input_count = 1;
    options.resources.threads = 1;
    options.input.skip_errors = skip;
    options.input.follow_links = follow;
    options.resources.on_progress = progress;
    options.resources.on_warning = warn;
    options.resources.context = t;
    return nd_texts(&options.input, count, t, &options.resources, summary, error);
}

/* ---- names that the walk has not reached yet */

static void change_ahead(void) {
    assert_int_equal(unlink(name_of(5000)), 0);
    assert_int_equal(unlink(name_of(5001)), 0);
    assert_int_equal(mkfifo(name_of(5001), 0600), 0);
    assert_int_equal(unlink(name_of(5002)), 0);
    assert_int_equal(mkdir(name_of(5002), 0700), 0);
    assert_int_equal(unlink(name_of(5003)), 0);
    assert_int_equal(symlink("f00000", name_of(5003)), 0);
    assert_int_equal(rmdir("tree/g"), 0);
}

static void test_ahead_of_the_walk(void **state) {
    (void)state;
    static const char *const expected[] = {"tree/f05000: cannot read: No such file or directory",
                                           "tree/f05001: not a regular file any more",
                                           "tree/f05002: not a regular file any more",
                                           "tree/f05003: not a regular file any more",
                                           "tree/g/: cannot read: No such file or directory"};
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    make_tree(FILES);
    assert_int_equal(mkdir("tree/g", 0700), 0);
    write_file("tree/last");
    tally t = {.change = change_ahead};
    assert_int_equal(read_tree(&t, true, false, &summary, &error), ND_OK);
    assert_int_equal(t.documents, FILES + 1 - 4);
    assert_int_equal(summary.skipped, 5);
    assert_int_equal(t.warnings, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(t.messages[i], expected[i]);
    assert_string_equal(t.last, "last");
    remove_tree();
}

static void test_not_skipped(void **state) {
    (void)state;
    nd_error error;
    make_tree(FILES);
    assert_int_equal(mkdir("tree/g", 0700), 0);
    tally t = {.change = change_ahead};
    assert_int_equal(read_tree(&t, false, false, NULL, &error), ND_ERR_IO);
    assert_string_equal(error.message, "tree/f05000: cannot read: No such file or directory");
    remove_tree();
}

/* ---- files that the walk has listed, and that are not read yet */

static void nothing(void) {}

static void change_behind(void) {
    assert_int_equal(unlink(name_of(2)), 0);
    assert_int_equal(mkfifo(name_of(2), 0600), 0);
    assert_int_equal(unlink(name_of(3)), 0);
    assert_int_equal(symlink("f00000", name_of(3)), 0);
    assert_int_equal(unlink(name_of(4)), 0);
}

/* Each of the five files is read right after one call of on_progress. The first of these five calls
 * is the one before the first file. */
static void test_behind_the_walk(void **state) {
    (void)state;
    static const char *const expected[] = {"tree/f00002: not a regular file any more",
                                           "tree/f00003: not a regular file any more",
                                           "tree/f00004: No such file or directory"};
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    make_tree(5);
    tally before = {.change = nothing};
    assert_int_equal(read_tree(&before, false, false, NULL, &error), ND_OK);
    tally t = {.change = change_behind, .change_at = before.calls_before - 5 + 1};
    assert_int_equal(read_tree(&t, true, false, &summary, &error), ND_OK);
    assert_int_equal(t.documents, 2);
    assert_int_equal(summary.skipped, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(t.messages[i], expected[i]);
    remove_tree();
}

/* ---- links */

static void test_links(void **state) {
    (void)state;
    nd_error error;
    make_tree(3);
    write_file("outside");
    assert_int_equal(symlink("../outside", "tree/a"), 0);
    assert_int_equal(symlink("../outside", "tree/b"), 0);
    assert_int_equal(symlink("f00001", "tree/c"), 0);
    assert_int_equal(symlink("f00002", "tree/z"), 0);
    assert_int_equal(symlink(".", "tree/loop"), 0);
    assert_int_equal(symlink("nowhere", "tree/dangling"), 0);
    assert_int_equal(symlink("/dev/null", "tree/device"), 0);
    tally t = {.change = nothing};
    assert_int_equal(read_tree(&t, false, false, NULL, &error), ND_OK);
    assert_int_equal(t.documents, 3);
    assert_int_equal(t.warnings, 1);
    assert_string_equal(t.messages[0], "4 symbolic links to files in the directories left out: "
                                       "--follow (follow_links) takes them");
    tally followed = {.change = nothing};
    assert_int_equal(read_tree(&followed, false, true, NULL, &error), ND_OK);
    assert_int_equal(followed.documents, 4); /* a, c, and the two files that c does not mean */
    assert_string_equal(followed.last, "f00002");
    assert_int_equal(followed.warnings, 0);
    assert_int_equal(unlink("outside"), 0);
    remove_tree();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead_of_the_walk), cmocka_unit_test(test_not_skipped),
        cmocka_unit_test(test_behind_the_walk), cmocka_unit_test(test_links)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
