/* The hot loops: one table of functions per instruction set. At run time the fastest table is
 * chosen that the CPU can run and that ND_DISABLE_CPU does not name. The generic table is the
 * reference; every other table gives the same bits. Thread-safe. */
#ifndef ND_KERNEL_KERNEL_H
#define ND_KERNEL_KERNEL_H

#include "kernel/kernel_functions.h"

/* The chosen table. The choice is made at the first call. */
const nd_kernel *nd_kernel_get(void);

/* Lists all tables that this CPU can run, except the ones that ND_DISABLE_CPU names; the generic
 * table is last. For tests and benchmarks. Returns their number, at most 4. */
size_t nd_kernel_all(const nd_kernel *tables[4]);

/* The reference. */
extern const nd_kernel nd_kernel_generic;

#endif
