/* memory_limit.h on directories like those of control groups. */
#include "io/memory_limit.h"

#include "test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *groups, uint64_t limit) {
    write_file("groups", groups);
    assert_true(nd_memory_limit_of_groups("groups", "root") == limit);
}

static void test_groups(void **state) {
    (void)state;
    mkdir("root", 0700);
    mkdir("root/a", 0700);
    mkdir("root/a/b", 0700);
    mkdir("root/memory", 0700);
    mkdir("root/memory/job", 0700);
    write_file("root/a/memory.max", "3000000\n");
    write_file("root/a/b/memory.max", "max\n");
    write_file("root/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("root/memory/job/memory.limit_in_bytes", "5000000\n");
    expect("0::/a/b\n", 3000000); /* of the group above */
    expect("0::/a\n", 3000000);
    expect("0::/\n", UINT64_MAX);
    expect("0::/elsewhere/c\n", UINT64_MAX);
    expect("2:cpu,cpuacct:/job\n1:hugetlb,memory:/job\n", 5000000);
    expect("1:memory:/job\n0::/a/b\n", 3000000); /* both versions */
    expect("1:memory:/other\n", UINT64_C(9223372036854771712));
    expect("1:memory_x:/job\n", UINT64_MAX);
    expect("", UINT64_MAX);
    expect("nothing", UINT64_MAX);
    assert_true(nd_memory_limit_of_groups("absent", "root") == UINT64_MAX);
}

static void test_this_process(void **state) {
    (void)state;
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_in_range(nd_memory_limit(), 1 << 20, all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_this_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
