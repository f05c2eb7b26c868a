/* The option `memory` is a limit, not an amount to allocate. With any limit a job of a few
 * documents allocates little. */
#include "every_job.h"
#include "neardup.h"
#include "test.h"

#include <stdatomic.h>

enum { MOST_BYTES = 160 << 20 }; /* sum of the bytes of all requests of a job */

static atomic_size_t requested;

static bool is_little(size_t size) {
    return size < MOST_BYTES && atomic_fetch_add(&requested, size) + size < MOST_BYTES;
}

static void *allocate(void *context, size_t size) {
    return (void)context, is_little(size) ? malloc(size) : NULL;
}
static void *reallocate(void *context, void *memory, size_t size) {
    return (void)context, is_little(size) ? realloc(memory, size) : NULL;
}
static void release(void *context, void *memory) { (void)context, free(memory); }

static const nd_allocator allocator = {NULL, allocate, reallocate, release};

static void test_large_memory(void **state) {
    (void)state;
    static corpus c;
    const uint64_t memories[] = {UINT64_C(64) << 20, UINT64_C(1) << 40, UINT64_C(1) << 63,
                                 UINT64_MAX};
    make_job_files(&c);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        for (uint32_t threads = 1; threads <= 2; threads++)
            for (size_t j = 0; j < EVERY_JOBS; j++) {
                job_means m = {.memory = memories[i],
                               .threads = threads,
                               .allocator = &allocator,
                               .texts = &c};
                requested = 0;
                if (!can_run(&every_jobs[j])) continue;
                if (every_jobs[j].run(&m) != ND_OK)
                    fail_msg("%s, %llu bytes, %u threads: %s", every_jobs[j].name,
                             (unsigned long long)memories[i], threads, m.error.message);
            }
    remove_job_files(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_memory)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
