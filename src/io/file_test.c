/* file.h: nd_open never returns the descriptors 0, 1 and 2, and reports failures. */
#include "io/file.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in a process without the standard descriptors. Returns 0, or the number of the failed step.
 */
static int open_without_standard_descriptors(void) {
    for (int fd = 0; fd <= STDERR_FILENO; fd++) close(fd);
    int opened = nd_open("/dev/null", O_RDWR, 0);
    if (opened <= STDERR_FILENO) return 1;
    if (!(fcntl(opened, F_GETFD) & FD_CLOEXEC)) return 2;
    int at = nd_open_at(AT_FDCWD, "/dev/null", O_RDONLY, 0), second = nd_duplicate(opened),
        nameless = -1;
    if (at <= STDERR_FILENO || second <= STDERR_FILENO) return 3;
    if (nd_file_nameless(nd_temporary_directory(), &nameless, NULL) != ND_OK ||
        nameless <= STDERR_FILENO)
        return 4;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) != -1) return 5;
    return 0;
}

static void test_standard_descriptors(void **state) {
    (void)state;
    int status = -1;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(open_without_standard_descriptors());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_failure(void **state) {
    (void)state;
    assert_int_equal(nd_open("none/at/all", O_RDONLY, 0), -1);
    assert_int_equal(errno, ENOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_standard_descriptors),
                                       cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
