/* directory_walk.h: order, kinds of files, depth beyond descriptors and path lengths, errors. */
#include "corpus/directory_walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char root[] = "/tmp/nd_directory_walk_XXXXXX";

static int make_root(void **state) {
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* Returns a path below the root; valid until the next call but one. */
static const char *below(const char *path) {
    static char buffers[2][400];
    static int turn;
    char *buffer = buffers[turn ^= 1];
    snprintf(buffer, sizeof buffers[0], "%s/%s", root, path);
    return buffer;
}

static void put_file(const char *path, size_t size) {
    int fd = open(below(path), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
}

static void put_directory(const char *path) { assert_int_equal(mkdir(below(path), 0700), 0); }

static const nd_directory_walk_options follow = {.follow_links = true};

static nd_directory_walk *walk_root(void) {
    nd_directory_walk *walk;
    assert_int_equal(nd_directory_walk_open(root, NULL, NULL, &walk, NULL), ND_OK);
    return walk;
}

static void expect_next(nd_directory_walk *walk, const char *path, uint64_t size) {
    const char *next;
    uint64_t next_size;
    nd_error error;
    assert_int_equal(nd_directory_walk_next(walk, &next, &next_size, &error), ND_OK);
    if (!path) {
        assert_null(next);
        return;
    }
    assert_non_null(next);
    assert_string_equal(next, path);
    assert_int_equal(next_size, size);
}

static void order(void **state) {
    (void)state;
    static const char *const directories[] = {"a", "a/c", "b", "z", "z/y", "a b", "empty", "\xff"};
    static const char *const files[] = {" first", "-",        "A",         "a b/1",    "a!",
                                        "a-b",    "a.txt",    "a/b",       "a/c/d",    "a/c.d",
                                        "a/c-d",  "a0",       "aa",        "b/shown",  "new\nline",
                                        "z/y/x",  "\xc3\xa9", "\xff/\xfe", "\xff\x01", "\xff\x30"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        put_directory(directories[i]);
    size_t count = sizeof files / sizeof *files;
    for (size_t i = 0; i < count; i++) put_file(files[(i * 7) % count], (i * 7) % count);
    nd_directory_walk *walk = walk_root();
    const char *path;
    char previous[100] = "";
    uint64_t size;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nd_directory_walk_next(walk, &path, &size, NULL), ND_OK);
        assert_non_null(path);
        assert_true(strcmp(previous, path) < 0); /* as unsigned bytes */
        assert_string_equal(path, files[size]);
        snprintf(previous, sizeof previous, "%s", path);
    }
    expect_next(walk, NULL, 0);
    expect_next(walk, NULL, 0);
    nd_directory_walk_close(walk);
}

static void kinds(void **state) {
    (void)state;
    put_directory(".git");
    put_file(".git/config", 1);
    put_file(".hidden", 1);
    put_directory("dir");
    put_file("dir/file", 5);
    put_file("file", 3);
    assert_int_equal(symlink("file", below("link to file")), 0);
    assert_int_equal(symlink("dir", below("link to dir")), 0);
    assert_int_equal(symlink("../dir", below("dir/loop")), 0);
    assert_int_equal(symlink("nowhere", below("dangling")), 0);
    assert_int_equal(symlink("self", below("self")), 0);
    assert_int_equal(symlink("/dev/null", below("device")), 0);
    assert_int_equal(mkfifo(below("pipe"), 0600), 0);
    nd_directory_walk *walk = walk_root();
    expect_next(walk, "dir/file", 5);
    expect_next(walk, "file", 3);
    expect_next(walk, NULL, 0);
    assert_int_equal(nd_directory_walk_links(walk), 1);
    nd_directory_walk_close(walk);
    assert_int_equal(symlink("dir/file", below("another link")), 0);
    assert_int_equal(nd_directory_walk_open(root, &follow, NULL, &walk, NULL), ND_OK);
    expect_next(walk, "another link", 5);
    expect_next(walk, "file", 3);
    expect_next(walk, NULL, 0);
    assert_int_equal(nd_directory_walk_links(walk), 0);
    nd_directory_walk_close(walk);
}

static void empty(void **state) {
    (void)state;
    nd_directory_walk *walk = walk_root();
    expect_next(walk, NULL, 0);
    nd_directory_walk_close(walk);
    put_directory("a");
    put_directory("a/b");
    put_directory("c");
    walk = walk_root();
    expect_next(walk, NULL, 0);
    nd_directory_walk_close(walk);
}

/* A chain of directories deeper than a process has descriptors, a path has bytes or a recursive
 * walk has stack, with a file before and behind the deeper directory on every level. */
static void deep(void **state) {
    (void)state;
    enum { levels = 3000 };
    int fd = open(root, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; i++) {
        static const char *const files[] = {"a", "z"};
        for (int f = 0; f < 2; f++) {
            int file = openat(fd, files[f], O_WRONLY | O_CREAT, 0600);
            assert_true(file >= 0);
            close(file);
        }
        assert_int_equal(mkdirat(fd, "down", 0700), 0);
        int next = openat(fd, "down", O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(fd);
        fd = next;
    }
    close(fd);
    struct rlimit limit, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = limit;
    low.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    nd_directory_walk *walk = walk_root();
    for (size_t i = 0; i < 2 * levels; i++) {
        const char *path;
        uint64_t size;
        nd_error error;
        assert_int_equal(nd_directory_walk_next(walk, &path, &size, &error), ND_OK);
        size_t above = i < levels ? i : 2 * levels - 1 - i;
        assert_int_equal(strlen(path), above * 5 + 1);
        assert_int_equal(path[above * 5], i < levels ? 'a' : 'z');
    }
    expect_next(walk, NULL, 0);
    nd_directory_walk_close(walk);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* The walk notices on its way back that a directory was moved while its parent was closed. */
static void moved(void **state) {
    (void)state;
    char path[400] = "";
    for (int i = 0; i < 100; i++) {
        strcat(path, i ? "/d" : "d");
        put_directory(path);
    }
    strcat(path, "/f");
    put_file(path, 1);
    put_file("z", 1);
    nd_directory_walk *walk = walk_root();
    expect_next(walk, path, 1);
    assert_int_equal(rename(below("d/d/d"), below("elsewhere")), 0);
    const char *next;
    uint64_t size;
    nd_error error;
    assert_int_equal(nd_directory_walk_next(walk, &next, &size, &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "d/d/: a directory in it was moved meanwhile"));
    expect_next(walk, NULL, 0);
    nd_directory_walk_close(walk);
}

static void cannot_be_read(void **state) {
    (void)state;
    nd_directory_walk *walk = NULL;
    nd_error error;
    char expected[200];
    assert_int_equal(nd_directory_walk_open(below("none"), NULL, NULL, &walk, &error), ND_ERR_IO);
    snprintf(expected, sizeof expected, "%s/none: cannot read: No such file or directory", root);
    assert_string_equal(error.message, expected);
    put_file("file", 1);
    assert_int_equal(nd_directory_walk_open(below("file"), NULL, NULL, &walk, &error), ND_ERR_IO);
    snprintf(expected, sizeof expected, "%s/file: cannot read: Not a directory", root);
    assert_string_equal(error.message, expected);
    assert_null(walk);

    /* A directory, then a file, is removed after its name was read: the walk goes on behind it. */
    put_directory("d");
    put_file("z", 1);
    put_file("zz", 2);
    walk = walk_root();
    assert_int_equal(rmdir(below("d")), 0);
    assert_int_equal(unlink(below("z")), 0);
    const char *path;
    uint64_t size;
    assert_int_equal(nd_directory_walk_next(walk, &path, &size, &error), ND_ERR_IO);
    snprintf(expected, sizeof expected, "%s/d/: cannot read: No such file or directory", root);
    assert_string_equal(error.message, expected);
    expect_next(walk, "file", 1);
    assert_int_equal(nd_directory_walk_next(walk, &path, &size, &error), ND_ERR_IO);
    expect_next(walk, "zz", 2);
    expect_next(walk, NULL, 0);
    nd_directory_walk_close(walk);
}

static void forbidden(void **state) {
    (void)state;
    put_directory("a");
    put_file("b", 1);
    assert_int_equal(chmod(below("a"), 0), 0);
    int fd = open(below("a"), O_RDONLY);
    if (fd >= 0) { /* the superuser reads everything */
        close(fd);
        skip();
    }
    nd_directory_walk *walk = walk_root();
    const char *path;
    uint64_t size;
    nd_error error;
    char expected[200];
    assert_int_equal(nd_directory_walk_next(walk, &path, &size, &error), ND_ERR_IO);
    snprintf(expected, sizeof expected, "%s/a/: cannot read: Permission denied", root);
    assert_string_equal(error.message, expected);
    expect_next(walk, "b", 1);
    nd_directory_walk_close(walk);
}

static void every_allocation(void **state) {
    (void)state;
    put_directory("a");
    put_directory("a/b");
    put_file("a/b/c", 1);
    failing_allocator failing = {0};
    nd_allocator allocator = failing_allocator_make(&failing);
    nd_status status = ND_ERR_MEMORY;
    for (size_t allowed = 0; status != ND_OK; allowed++) {
        nd_directory_walk *walk = NULL;
        const char *path = NULL;
        uint64_t size;
        failing.left = (long)allowed;
        status = nd_directory_walk_open(root, &follow, &allocator, &walk, NULL);
        if (status == ND_OK) status = nd_directory_walk_next(walk, &path, &size, NULL);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        if (status == ND_OK) assert_string_equal(path, "a/b/c");
        nd_directory_walk_close(walk);
        assert_true(allowed < 100);
    }
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ROOT(order),     WITH_ROOT(kinds),
        WITH_ROOT(empty),     WITH_ROOT(deep),
        WITH_ROOT(moved),     WITH_ROOT(cannot_be_read),
        WITH_ROOT(forbidden), WITH_ROOT(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
