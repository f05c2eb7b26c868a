/* Logarithms in integer arithmetic. Every machine computes the same bits; the logarithms of
 * different libms differ in their last bits. */
#ifndef ND_BASE_FIXED_LOG_H
#define ND_BASE_FIXED_LOG_H

#include <stdint.h>

/* Fractional bits of the results. */
#define ND_FIXED_LOG_BITS 40

/* ln x in units of 2^-ND_FIXED_LOG_BITS, for x >= 1. The result is within 2^-39 of the true value
 * and never decreases as x grows. Costs 46 dependent multiplications. */
uint64_t nd_fixed_log(uint64_t x);

#endif
