/* The sanitizers that a build is made with end a program that does wrong. Without this a build
 * whose checks do nothing would pass all tests. */
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has(const char *sanitizer) { return strstr(ND_SANITIZE, sanitizer) != NULL; }

static volatile int most = INT_MAX, one = 1;

static void *overflow(void *unused) {
    most = most + one;
    return unused;
}

static void *read_behind(void *unused) {
    volatile char *volatile bytes = malloc(16);
    if (bytes) one = bytes[15 + one];
    free((void *)bytes);
    return unused;
}

/* Of many blocks the stack may still have the address of the last one. */
static void *leak(void *unused) {
    for (int i = 0; i < 100; i++) {
        char *volatile lost = malloc(16);
        if (lost) *lost = 1;
    }
    return unused;
}

static int raced;
static void *write_raced(void *unused) {
    for (int i = 0; i < 1000; i++) *(volatile int *)&raced = i;
    return unused;
}
static void *race(void *unused) {
    pthread_t other;
    if (pthread_create(&other, NULL, write_raced, NULL) != 0) return unused;
    write_raced(NULL);
    pthread_join(other, NULL);
    return unused;
}

/* Whether a process that does this ends as it should not. */
static bool ends_badly(void *(*wrong)(void *unused)) {
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO); /* where the report goes */
        wrong(NULL);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void *nothing(void *unused) { return unused; }

static void test_each(void **state) {
    (void)state;
    assert_true(has("undefined") || has("address") || has("thread"));
    assert_false(ends_badly(nothing));
    if (has("undefined")) assert_true(ends_badly(overflow));
    if (has("address")) assert_true(ends_badly(read_behind));
    if (has("address")) assert_true(ends_badly(leak));
    if (has("thread")) assert_true(ends_badly(race));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
