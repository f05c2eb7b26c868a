/* Sparsity and the failing allocator of the tests: see test.h. */
#include "test.h"

#include <stdlib.h>

unsigned test_sparsity(void) {
    const char *set = getenv("ND_TEST_SPARSITY");
    unsigned long sparsity = set ? strtoul(set, NULL, 10) : 1;
    return sparsity > 0 ? (unsigned)sparsity : 1;
}

unsigned test_rounds(unsigned whole) {
    if (test_sparsity() == 1) return whole;
    return whole < 4 ? 1 : whole / 4;
}

static bool refuse(failing_allocator *state) {
    if (__atomic_load_n(&state->left, __ATOMIC_SEQ_CST) == FAILING_ALLOCATOR_NEVER) return false;
    return __atomic_fetch_sub(&state->left, 1, __ATOMIC_SEQ_CST) <= 0;
}

static void *failing_allocate(void *context, size_t size) {
    failing_allocator *state = context;
    if (refuse(state)) return NULL;
    void *memory = malloc(size);
    __atomic_fetch_add(&state->live, memory != NULL, __ATOMIC_SEQ_CST);
    return memory;
}

static void *failing_reallocate(void *context, void *memory, size_t size) {
    failing_allocator *state = context;
    if (refuse(state)) return NULL;
    void *larger = realloc(memory, size);
    if (!memory) __atomic_fetch_add(&state->live, larger != NULL, __ATOMIC_SEQ_CST);
    return larger;
}

static void failing_release(void *context, void *memory) {
    failing_allocator *state = context;
    __atomic_fetch_sub(&state->live, 1, __ATOMIC_SEQ_CST);
    free(memory);
}

nd_allocator failing_allocator_make(failing_allocator *state) {
    return (nd_allocator){state, failing_allocate, failing_reallocate, failing_release};
}
