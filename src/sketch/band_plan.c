/* Chooses bands and rows for a recall: the most rows per band, and as many bands as the
 * permutations allow, that find a pair at the threshold with the wanted probability. A band has no
 * more rows than there are hash functions, so its values are of different functions and agree
 * independently. */
#include "base/argument.h"
#include "base/floats.h"
#include "base/status.h"
#include "sketch/minhash.h"

/* x^n by squaring: IEEE multiplications in a fixed order give the same result on every machine,
 * which libm's pow does not promise. */
static double power(double x, uint32_t n) {
    double result = 1.0;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

/* The probability that a pair of this similarity shares the key of a band. */
static double pair_probability(double similarity, uint32_t bands, uint32_t rows) {
    return 1.0 - power(1.0 - power(similarity, rows), bands);
}

nd_status nd_plan_choose(double threshold, double recall, uint32_t perms, nd_plan *out,
                         nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(out, "out", error));
    ND_PIN(threshold);
    if (!(threshold > 0.0 && threshold <= 1.0))
        return nd_fail(error, ND_ERR_ARGUMENT, "threshold must be above 0 and at most 1, not %g",
                       threshold);
    if (!(recall > 0.0 && recall < 1.0))
        return nd_fail(error, ND_ERR_ARGUMENT, "recall must be above 0 and below 1, not %g",
                       recall);
    if (perms < 1 || perms > 1024)
        return nd_fail(error, ND_ERR_ARGUMENT, "perms must be 1 to 1024, not %u", perms);
    for (uint32_t rows = nd_minhash_functions(perms); rows >= 1; rows--) {
        uint32_t bands = perms / rows;
        if (pair_probability(threshold, bands, rows) < recall) continue;
        *out = (nd_plan){
            .perms = perms, .bands = bands, .rows = rows, .threshold = threshold, .recall = recall};
        return ND_OK;
    }
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "recall %g at threshold %g is out of reach with %u permutations: %.6g at most "
                   "(more perms, or a lower recall)",
                   recall, threshold, perms, pair_probability(threshold, perms, 1));
}

double nd_plan_probability(const nd_plan *plan, double similarity) {
    ND_DEFAULT_FLOATS;
    ND_PIN(similarity);
    if (similarity < 0) similarity = 0;
    if (similarity > 1) similarity = 1;
    double probability = pair_probability(similarity, plan->bands, plan->rows);
    ND_PIN(probability);
    return probability;
}
