/* Where a run puts its temporary files. */
#include "job/run_context.h"

#include "io/file.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_directory(const nd_resources *resources, const char *output,
                            const char *directory) {
    nd_run run;
    nd_error error;
    assert_int_equal(nd_run_begin(resources, output, &run, &error), ND_OK);
    assert_string_equal(run.space->directory, directory);
    nd_run_end(&run);
}

/* An output that is a file, or will be one: beside it. */
static void test_beside(void **state) {
    (void)state;
    char directory[] = "/tmp/nd_run_context_XXXXXX", file[64], link[64];
    assert_non_null(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/kept.jsonl", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    check_directory(NULL, file, directory);
    FILE *made = fopen(file, "w");
    assert_non_null(made);
    fclose(made);
    check_directory(NULL, file, directory);
    assert_int_equal(symlink(file, link), 0);
    check_directory(NULL, link, directory);
    unlink(link);
    unlink(file);
    rmdir(directory);
}

/* An output that is written in place: never in /dev, nor beside a pipe. */
static void test_in_place(void **state) {
    (void)state;
    char directory[] = "/tmp/nd_run_context_XXXXXX", pipe[64];
    const char *system = nd_temporary_directory();
    check_directory(NULL, NULL, system);
    check_directory(NULL, "-", system);
    check_directory(NULL, "/dev/null", system);
    check_directory(NULL, "/dev/stdout", system);
    check_directory(NULL, "/dev/fd/1", system);
    assert_non_null(mkdtemp(directory));
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    check_directory(NULL, pipe, system);
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.work = directory;
    check_directory(&resources, "/dev/null", directory);
    unlink(pipe);
    rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
