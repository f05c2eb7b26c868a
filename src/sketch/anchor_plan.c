/* Chooses how many anchors a document has, and how many of them a text must have in common with it
 * to become its candidate.
 *
 * The anchors of a set are a uniform sample of it. So if another set has the share x of it, the
 * number of its anchors there has the hypergeometric distribution: m draws without replacement. It
 * is more concentrated than Bin(m, x), m draws with replacement (Hoeffding, "Probability
 * inequalities for sums of bounded random variables", 1963, section 6). The quotient of the two
 * probabilities of a number j is log-concave in j. So the hypergeometric one is the smaller one at
 * both ends, and the two lower tails, of equal means, cross only once, near the mean. Below that
 * the binomial tail is the larger one: it is an upper bound of the pairs that are missed.
 * anchor_plan_test.c sums the tails exactly. */
#include "base/argument.h"
#include "base/floats.h"
#include "base/status.h"
#include "sketch/anchors.h"

#include <math.h>

/* Probabilities can be smaller than a double can say: they are kept as multiples of powers of
 * 2^-SCALE. Such powers change no digit. */
#define SCALE 512

/* Returns P(Bin(trials, p) < least). weights[j] becomes the probability of j, for j < least. Each
 * probability is a multiple of the one before. IEEE operations in a fixed order give the same
 * result on every machine. O(trials). */
static double lower_tail(uint32_t trials, double p, uint32_t least, double *weights) {
    const double q = 1 - p, smallest = ldexp(1, -SCALE);
    double weight = p < 1 ? 1 : 0, tail = 0;
    int scale = 0; /* P(j) = weight * 2^(-SCALE * scale) */
    for (uint32_t t = 0; p < 1 && t < trials; t++) {
        weight *= q;
        if (weight < smallest) weight = ldexp(weight, SCALE), scale++;
    }
    for (uint32_t j = 0; j < least; j++) {
        tail += weights[j] = ldexp(weight, -SCALE * scale);
        if (weight == 0) continue; /* so are all behind it: q may be 0 */
        weight *= (double)(trials - j) / (j + 1) * (p / q);
        if (scale > 0 && weight >= 1) weight = ldexp(weight, -SCALE), scale--;
    }
    return tail;
}

/* The largest number that is missed with a probability of at most `missed`. */
static uint32_t least_of(uint32_t anchors, double threshold, double missed) {
    double weights[ND_MOST_ANCHORS + 1], tail = 0;
    uint32_t least = 0;
    lower_tail(anchors, threshold, anchors, weights);
    while (least < anchors && tail + weights[least] <= missed) tail += weights[least++];
    return least;
}

/* With a lower recall the tails would end near the mean, where the binomial one is no bound. */
#define LOWEST_RECALL 0.9

/* With fewer anchors, documents become candidates whose containment is far below the threshold.
 * With more, the table takes more memory. */
#define NEAR_ENOUGH 0.71

nd_status nd_anchor_plan_choose(double threshold, double recall, nd_anchor_plan *out,
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
    double safe = recall < LOWEST_RECALL ? LOWEST_RECALL : recall;
    nd_anchor_plan plan = {.threshold = threshold, .recall = recall};
    for (plan.anchors = ND_FEWEST_ANCHORS; plan.anchors <= ND_MOST_ANCHORS; plan.anchors *= 2) {
        plan.least = least_of(plan.anchors, threshold, 1 - safe);
        if (plan.least >= NEAR_ENOUGH * threshold * plan.anchors) break;
    }
    if (plan.anchors > ND_MOST_ANCHORS) plan.anchors = ND_MOST_ANCHORS;
    if (plan.least == 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "recall %g at threshold %g is out of reach with %d anchors: %.6g at most (a "
                       "higher threshold, or a lower recall)",
                       recall, threshold, ND_MOST_ANCHORS,
                       nd_anchor_plan_probability(
                           &(nd_anchor_plan){.anchors = ND_MOST_ANCHORS, .least = 1}, threshold));
    *out = plan;
    return ND_OK;
}

double nd_anchor_plan_probability(const nd_anchor_plan *plan, double containment) {
    ND_DEFAULT_FLOATS;
    double weights[ND_MOST_ANCHORS + 1];
    ND_PIN(containment);
    if (containment < 0) containment = 0;
    if (containment > 1) containment = 1;
    double probability = 1 - lower_tail(plan->anchors, containment, plan->least, weights);
    if (probability < 0) probability = 0; /* by rounding */
    ND_PIN(probability);
    return probability;
}

uint32_t nd_anchors_needed(const nd_anchor_plan *plan, uint32_t anchors) {
    if (anchors == plan->anchors) return plan->least;
    /* As nd_containment divides. */
    uint32_t needed = (uint32_t)(plan->threshold * anchors);
    while (needed > 0 && (double)(needed - 1) / anchors >= plan->threshold) needed--;
    while ((double)needed / anchors < plan->threshold) needed++;
    return needed;
}
