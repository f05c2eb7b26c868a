/* Computes the logarithm to base 2 bit by bit: squaring a number in [1, 2) doubles its logarithm,
 * and the whole part of the doubled logarithm is the next bit. A rounding error of the mantissa
 * (2^-63) doubles with each squaring, and each bit counts half as much as the one before. So all
 * rounding errors together stay below 2^-57. */
#include "base/fixed_log.h"

/* ln 2 in units of 2^-64. */
#define LN_2 UINT64_C(0xb17217f7d1cf79ab)

enum { FRACTION_BITS = 46 };

uint64_t nd_fixed_log(uint64_t x) {
    __extension__ typedef unsigned __int128 u128;
    unsigned whole = 63 - (unsigned)__builtin_clzll(x);
    uint64_t mantissa = x << (63 - whole), log2 = whole;
    for (int i = 0; i < FRACTION_BITS; i++) {
        u128 square = (u128)mantissa * mantissa;
        unsigned bit = (unsigned)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + bit));
        log2 = log2 << 1 | bit;
    }
    return (uint64_t)((u128)log2 * LN_2 >> (64 + FRACTION_BITS - ND_FIXED_LOG_BITS));
}
