/* The instruction sets that this CPU has and that the environment does not switch off. */
#ifndef ND_BASE_CPU_H
#define ND_BASE_CPU_H

/* One bit for each set of instructions that a kernel file is compiled for. */
enum {
    ND_CPU_AVX2 = 1,   /* AVX2, BMI1, BMI2, LZCNT, POPCNT */
    ND_CPU_AVX512 = 2, /* the above and AVX-512 F, BW, DQ, VL, VBMI, VBMI2, VPOPCNTDQ */
    ND_CPU_NEON = 4    /* AArch64 Advanced SIMD */
};

/* The sets of the CPU, except those that ND_DISABLE_CPU names (comma-separated: avx2, avx512,
 * neon). The environment is read at the first call. Thread-safe. */
unsigned nd_cpu_sets(void);

/* The sets that a value of ND_DISABLE_CPU names; none for NULL. Unknown names are ignored: a script
 * may name sets of other machines. */
unsigned nd_cpu_sets_named(const char *list);

#endif
