/* Logarithms in integers, so that every machine has the same bits: those of libm differ in their
 * last places. */
#ifndef ND_BASE_FIXED_LOG_H
#define ND_BASE_FIXED_LOG_H

#include <stdint.h>

/* Fractional bits of the results. */
#define ND_LOG_BITS 40

/* ln x in units of 2^-ND_LOG_BITS, x >= 1: within 2^-39 of the true value, never decreasing with x.
 * Some 46 multiplications, one after the other. */
uint64_t nd_log_fixed(uint64_t x);

#endif
