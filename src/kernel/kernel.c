#include "kernel/kernel.h"

#include "base/cpu.h"
#include "kernel/kernel_common.h"
#include "neardup.h"

size_t nd_kernel_all(const nd_kernel *tables[4]) {
    unsigned sets = nd_cpu_sets();
    size_t count = 0;
#if ND_KERNEL_X86
    if (sets & ND_CPU_AVX512) tables[count++] = &nd_kernel_avx512;
    if (sets & ND_CPU_AVX2) tables[count++] = &nd_kernel_avx2;
#endif
#if ND_KERNEL_ARM
    if (sets & ND_CPU_NEON) tables[count++] = &nd_kernel_neon;
#endif
    (void)sets;
    tables[count++] = &nd_kernel_generic;
    return count;
}

const nd_kernel *nd_kernel_get(void) {
    const nd_kernel *tables[4];
    nd_kernel_all(tables);
    return tables[0];
}

const char *nd_instruction_set(void) { return nd_kernel_get()->name; }
