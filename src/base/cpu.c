#include "base/cpu.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* __builtin_cpu_supports also checks that the operating system saves the wide registers. Not every
 * compiler's version knows LZCNT, so that is read from CPUID: leaf 0x80000001, ECX bit 5. */
static unsigned detect(void) {
    unsigned a, b, c, d;
    __builtin_cpu_init();
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & 1u << 5)) return 0;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return 0;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512vbmi2") ||
        !__builtin_cpu_supports("avx512vpopcntdq"))
        return ND_CPU_AVX2;
    return ND_CPU_AVX2 | ND_CPU_AVX512;
}
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Part of the base architecture. */
static unsigned detect(void) { return ND_CPU_NEON; }
#else
static unsigned detect(void) { return 0; }
#endif

unsigned nd_cpu_sets_named(const char *list) {
    static const struct {
        const char *name;
        unsigned set;
    } names[] = {{"avx2", ND_CPU_AVX2}, {"avx512", ND_CPU_AVX512}, {"neon", ND_CPU_NEON}};
    unsigned sets = 0;
    while (list && *list) {
        size_t length = strcspn(list, ",");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strlen(names[i].name) == length && memcmp(names[i].name, list, length) == 0)
                sets |= names[i].set;
        list += length;
        if (*list == ',') list++;
    }
    return sets;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned usable;

static void detect_usable(void) {
    usable = detect() & ~nd_cpu_sets_named(getenv("ND_DISABLE_CPU"));
}

unsigned nd_cpu_sets(void) {
    pthread_once(&once, detect_usable);
    return usable;
}
