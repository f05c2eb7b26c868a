/* The instruction sets that this CPU has and that the environment lets us use. */
#ifndef ND_BASE_CPU_H
#define ND_BASE_CPU_H

/* One bit a set of instructions that a kernel file is compiled for. */
enum {
    ND_CPU_AVX2 = 1,   /* AVX2, BMI1, BMI2, LZCNT, POPCNT */
    ND_CPU_AVX512 = 2, /* the above and AVX-512 F, BW, DQ, VL, VBMI, VBMI2, VPOPCNTDQ */
    ND_CPU_NEON = 4    /* AArch64 Advanced SIMD */
};

/* What the CPU has, minus what ND_DISABLE_CPU names (comma-separated: avx2, avx512, neon). The
 * environment is read at the first call. Any thread. */
unsigned nd_cpu_sets(void);

/* What a value of ND_DISABLE_CPU (NULL: none) switches off. Unknown names are passed over: a script
 * may name sets of other machines. */
unsigned nd_cpu_sets_named(const char *list);

#endif
