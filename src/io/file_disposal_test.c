/* Files that are removed have no name at once, and no descriptor in the end. */
#include "io/file_disposal.h"

#include "io/file.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 40 };

static size_t open_files(void) {
    size_t count = 0;
    DIR *opened = opendir("/proc/self/fd");
    assert_non_null(opened);
    while (readdir(opened)) count++;
    closedir(opened);
    return count;
}

static void name_of(size_t i, char *name) { sprintf(name, "file-%zu", i); }

static void make_files(void) {
    for (size_t i = 0; i < FILES; i++) {
        char name[32];
        name_of(i, name);
        int fd = open(name, O_CREAT | O_RDWR, 0600);
        assert_true(fd >= 0 && write(fd, name, sizeof name) == sizeof name);
        close(fd);
    }
}

static bool is_there(size_t i) {
    char name[32];
    struct stat s;
    name_of(i, name);
    return stat(name, &s) == 0;
}

/* Removes all files, so many before each time that their bytes are freed. */
static void remove_files(size_t together) {
    nd_error error;
    nd_file_disposal *disposal;
    size_t before = open_files();
    make_files();
    assert_int_equal(nd_file_disposal_create(&nd_allocator_default, &disposal, &error), ND_OK);
    for (size_t i = 0; i < FILES; i++) {
        char name[32];
        name_of(i, name);
        assert_true(is_there(i));
        assert_int_equal(nd_file_disposal_remove(disposal, name, &error), ND_OK);
        assert_false(is_there(i));
        if (i + 1 < together) assert_in_range(open_files(), before + 1, before + FILES - 1);
        if (i % together == together - 1) nd_file_disposal_begin(disposal);
    }
    nd_file_disposal_begin(disposal);
    nd_file_disposal_free(disposal);
    assert_int_equal(open_files(), before);
}

static void test_names_go_at_once(void **state) {
    (void)state;
    remove_files(1);
    remove_files(7);
}

/* More at a time than are opened. */
static void test_many_at_a_time(void **state) {
    (void)state;
    remove_files(FILES);
}

/* A missing file is no error, and a directory is one. Neither stays open. */
static void test_other_names(void **state) {
    (void)state;
    nd_error error;
    nd_file_disposal *disposal;
    size_t before = open_files();
    assert_int_equal(nd_file_disposal_create(&nd_allocator_default, &disposal, &error), ND_OK);
    assert_int_equal(nd_file_disposal_remove(disposal, "no-such-file", &error), ND_OK);
    assert_int_equal(mkdir("directory", 0700), 0);
    assert_int_equal(nd_file_disposal_remove(disposal, "directory", &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(rmdir("directory"), 0);
    nd_file_disposal_free(disposal);
    assert_int_equal(open_files(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_go_at_once),
        cmocka_unit_test(test_many_at_a_time),
        cmocka_unit_test(test_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
