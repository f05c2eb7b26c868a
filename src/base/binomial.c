#include "base/binomial.h"

#include <math.h>

/* Probabilities can be smaller than a double can say: they are kept as multiples of powers of
 * 2^-SCALE. Such powers change no digit. */
#define SCALE 512

/* weights[j] becomes P(Bin(trials, p) = j), for j < least. Each is a multiple of the one before. */
static void weigh(uint32_t trials, double p, uint32_t least, double *weights) {
    const double q = 1 - p, smallest = ldexp(1, -SCALE);
    double weight = p < 1 ? 1 : 0;
    int scale = 0; /* P(j) = weight * 2^(-SCALE * scale) */
    for (uint32_t t = 0; p < 1 && t < trials; t++) {
        weight *= q;
        if (weight < smallest) weight = ldexp(weight, SCALE), scale++;
    }
    for (uint32_t j = 0; j < least; j++) {
        weights[j] = ldexp(weight, -SCALE * scale);
        if (weight == 0) continue; /* so are all behind it: q may be 0 */
        weight *= (double)(trials - j) / (j + 1) * (p / q);
        if (scale > 0 && weight >= 1) weight = ldexp(weight, -SCALE), scale--;
    }
}

double nd_binomial_below(uint32_t trials, double p, uint32_t least) {
    double weights[ND_MOST_TRIALS], tail = 0;
    weigh(trials, p, least, weights);
    for (uint32_t j = 0; j < least; j++) tail += weights[j];
    return tail;
}

uint32_t nd_binomial_least(uint32_t trials, double p, double missed) {
    double weights[ND_MOST_TRIALS], tail = 0;
    uint32_t least = 0;
    weigh(trials, p, trials, weights);
    while (least < trials && tail + weights[least] <= missed) tail += weights[least++];
    return least;
}
