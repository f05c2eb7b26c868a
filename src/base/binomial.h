/* The lower tail of the binomial distribution. All arithmetic is +, -, *, / and scaling by powers
 * of two, in a fixed order, which every machine computes alike. */
#ifndef ND_BASE_BINOMIAL_H
#define ND_BASE_BINOMIAL_H

#include <stdint.h>

enum { ND_MOST_TRIALS = 1024 };

/* P(Bin(trials, p) < least), for p in [0, 1] and least <= trials <= ND_MOST_TRIALS. O(trials). */
double nd_binomial_below(uint32_t trials, double p, uint32_t least);

/* The largest number of at most `trials` with P(Bin(trials, p) < number) <= missed. */
uint32_t nd_binomial_least(uint32_t trials, double p, double missed);

#endif
