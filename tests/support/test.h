/* The header of every test: CMocka with its prerequisites, and a random generator. A failure prints
 * the seed, so that it can be repeated. */
#ifndef ND_TESTS_TEST_H
#define ND_TESTS_TEST_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/hash.h"

/* SplitMix64. */
static inline uint64_t random_next(uint64_t *state) {
    return nd_mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}
static inline uint64_t random_below(uint64_t *state, uint64_t limit) {
    return random_next(state) % limit;
}

/* Tests of many thousand cases try about one case in so many: ND_TEST_SPARSITY, which CTest sets
 * (tests/CMakeLists.txt). 1, all cases, if it is not set. */
unsigned test_sparsity(void);
/* Rounds of a test of random cases: `whole` if all cases are tried, else a quarter, at least 1. */
unsigned test_rounds(unsigned whole);

/* An allocator that fails from its n-th request on, and counts the blocks that are not given back.
 * Any number of threads may use it. */
#define FAILING_ALLOCATOR_NEVER LONG_MAX
typedef struct failing_allocator {
    long left; /* requests that still succeed */
    long live;
} failing_allocator;

nd_allocator failing_allocator_make(failing_allocator *state);

#endif
