#include "base/machine.h"

#include "base/workers.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint32_t nd_core_count(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                        : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > ND_MAX_WORKERS ? ND_MAX_WORKERS : (uint32_t)n;
}

uint64_t nd_peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

void nd_use_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)memory & (page - 1);
    if (bytes >= before + page)
        (void)madvise((char *)memory + before, (bytes - before) & ~(page - 1), MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

static void use_large_pages_if_room(void *memory, size_t bytes) {
    enum { LEAST = 2 * ND_LARGE_PAGE }; /* they have a whole one, wherever they begin */
    if (memory && bytes >= LEAST) nd_use_large_pages(memory, bytes);
}

void *nd_allocate_large(const nd_allocator *allocator, size_t count, size_t size) {
    void *memory = nd_allocate(allocator, count, size);
    use_large_pages_if_room(memory, count * size);
    return memory;
}

void *nd_allocate_large_zero(const nd_allocator *allocator, size_t count, size_t size) {
    bool usual = allocator->allocate == nd_allocator_default.allocate;
    void *memory = usual ? nd_allocate_zero(allocator, count, size)
                         : nd_allocate(allocator, count, size);
    use_large_pages_if_room(memory, count * size);
    if (memory && !usual) memset(memory, 0, count * size);
    return memory;
}

double nd_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
