/* Where a run puts its temporary files. */
#include "job/run_context.h"

#include "io/file.h"
#include "own_directory.h"

#include <sys/stat.h>

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
    char directory[] = "XXXXXX", file[16], link[16];
    make_directory(directory);
    snprintf(file, sizeof file, "%s/kept", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    check_directory(NULL, file, directory);
    FILE *made = fopen(file, "w");
    assert_non_null(made);
    fclose(made);
    check_directory(NULL, file, directory);
    assert_int_equal(symlink("kept", link), 0);
    check_directory(NULL, link, directory);
    remove_directory(directory);
}

/* An output that is written in place: never in /dev, nor beside a pipe. */
static void test_in_place(void **state) {
    (void)state;
    nd_resources resources;
    const char *system = nd_temporary_directory();
    check_directory(NULL, NULL, system);
    check_directory(NULL, "-", system);
    check_directory(NULL, "/dev/null", system);
    check_directory(NULL, "/dev/stdout", system);
    check_directory(NULL, "/dev/fd/1", system);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    check_directory(NULL, "pipe", system);
    nd_resources_init(&resources, sizeof resources);
    resources.work = ".";
    check_directory(&resources, "/dev/null", ".");
    assert_int_equal(unlink("pipe"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside),
                                       cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
