/* A stack of 128 KiB is enough for every call (neardup.h, "Threads"): all jobs run on such a
 * thread, and 16 KiB of it are left for the callbacks. */
#include "every_job.h"
#include "neardup.h"
#include "test.h"

#include <pthread.h>
#include <sys/mman.h>

/* Frames are several times as large without optimization, or with the memory that sanitizers put
 * around variables. */
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { STACK = 128 << 10 };
#else
enum { STACK = 1 << 20 };
#endif
enum { LEFT = 16 << 10, GUARD = 64 << 10, UNUSED = 0xa5 };

typedef struct trial {
    const every_job *job;
    job_means means;
    nd_status status;
} trial;

static void *run(void *argument) {
    trial *t = argument;
    t->status = t->job->run(&t->means);
    return NULL;
}

/* Returns the number of bytes of the stack that were written to. */
static size_t run_on_small_stack(trial *t) {
    unsigned char *memory = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED && mprotect(memory, GUARD, PROT_NONE) == 0);
    memset(memory + GUARD, UNUSED, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, memory + GUARD, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, t), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t unused = 0;
    while (unused < STACK && memory[GUARD + unused] == UNUSED) unused++;
    munmap(memory, GUARD + STACK);
    return STACK - unused;
}

static void test_small_stack(void **state) {
    (void)state;
    static corpus c;
    make_job_files(&c);
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (size_t j = 0; j < EVERY_JOBS; j++) {
            trial t = {.job = &every_jobs[j],
                       .means = {.memory = UINT64_C(64) << 20, .threads = threads, .texts = &c}};
            if (!can_run(t.job)) continue;
            size_t used = run_on_small_stack(&t);
            if (t.status != ND_OK)
                fail_msg("%s, %u threads: %s", t.job->name, threads, t.means.error.message);
            if (used > STACK - LEFT)
                fail_msg("%s, %u threads: takes %zu bytes of the stack", t.job->name, threads,
                         used);
        }
    remove_job_files(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_stack)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
