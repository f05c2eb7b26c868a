/* All memory of the library comes from the allocator that a call is given. While every job runs
 * with an allocator of the test, no object of the library calls malloc, calloc or realloc. The
 * linker wraps these functions (tests/CMakeLists.txt); memory that other libraries allocate is not
 * seen. */
#include "every_job.h"
#include "neardup.h"
#include "test.h"

#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static atomic_size_t direct, given;

void *__wrap_malloc(size_t size) {
    direct++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    direct++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    direct++;
    return __real_realloc(memory, size);
}

static void *allocate(void *context, size_t size) {
    (void)context;
    given++;
    return __real_malloc(size);
}

static void *reallocate(void *context, void *memory, size_t size) {
    (void)context;
    given++;
    return __real_realloc(memory, size);
}

static void release(void *context, void *memory) { (void)context, free(memory); }

static const nd_allocator allocator = {NULL, allocate, reallocate, release};

static void test_allocator(void **state) {
    (void)state;
    static corpus c;
    make_job_files(&c);
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (size_t j = 0; j < EVERY_JOBS; j++) {
            job_means m = {.memory = UINT64_C(64) << 20,
                           .threads = threads,
                           .allocator = &allocator,
                           .texts = &c};
            if (!can_run(&every_jobs[j])) continue;
            direct = given = 0;
            if (every_jobs[j].run(&m) != ND_OK)
                fail_msg("%s: %s", every_jobs[j].name, m.error.message);
            if (direct > 0)
                fail_msg("%s: %zu of %zu requests do not come to the allocator", every_jobs[j].name,
                         (size_t)direct, direct + given);
        }
    /* This proves that the wrappers are in place. */
    direct = 0;
    nd_analyzer *analyzer;
    assert_int_equal(nd_analyzer_create(NULL, NULL, &analyzer, NULL), ND_OK);
    nd_analyzer_free(analyzer);
    assert_true(direct > 0);
    remove_job_files(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocator)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
