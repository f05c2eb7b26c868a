/* Shared by the tests of the kernels: random numbers and lengths, guarded memory, the tables. */
#ifndef ND_TESTS_KERNEL_TABLES_H
#define ND_TESTS_KERNEL_TABLES_H

#include "kernel/kernel.h"

#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

static uint64_t random_state = 1;

static inline uint64_t random64(void) {
    return nd_mix64(random_state += UINT64_C(0x9e3779b97f4a7c15));
}

static inline size_t below(size_t n) { return (size_t)(random64() % n); }

/* Two runs of pages between pages that cannot be touched; a block can lie against either end. */
typedef struct guarded {
    unsigned char *begin, *end;
} guarded;

static inline guarded guarded_make(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (size + page - 1) / page * page;
    unsigned char *map = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                              0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(map + page, inside, PROT_READ | PROT_WRITE), 0);
    guarded g = {map + page, map + page + inside};
    return g;
}

static inline void guarded_free(guarded g) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(g.begin - page, (size_t)(g.end - g.begin) + 2 * page);
}

static inline void *guarded_block(guarded g, size_t size, bool at_end) {
    return at_end ? g.end - size : g.begin;
}

/* Lengths around the sizes that kernels treat separately: vectors, blocks of 64, chunks of 4096. */
static inline size_t edge_length(size_t i) {
    static const size_t large[] = {4032, 4095, 4096, 4097, 4160, 8191, 8192, 8193, 12345};
    return i <= 300 ? i : large[i - 301];
}
#define EDGE_LENGTHS (301 + 9)

static inline size_t put_utf8(unsigned char *p, uint32_t c) {
    if (c < 0x80) return p[0] = (unsigned char)c, 1;
    if (c < 0x800)
        return p[0] = (unsigned char)(0xc0 | c >> 6), p[1] = (unsigned char)(0x80 | (c & 63)), 2;
    size_t bytes = c < 0x10000 ? 3 : 4;
    p[0] = (unsigned char)(bytes == 3 ? 0xe0 | c >> 12 : 0xf0 | c >> 18);
    for (size_t k = 1; k < bytes; k++)
        p[k] = (unsigned char)(0x80 | (c >> 6 * (bytes - 1 - k) & 63));
    return bytes;
}

static const nd_kernel *tables[4];
static size_t table_count;

#endif
