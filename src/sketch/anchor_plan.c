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
#include "base/binomial.h"
#include "base/floats.h"
#include "base/status.h"
#include "sketch/anchors.h"

_Static_assert((int)ND_MOST_ANCHORS <= (int)ND_MOST_TRIALS, "its tails have room for all anchors");

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
        plan.least = nd_binomial_least(plan.anchors, threshold, 1 - safe);
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
    ND_PIN(containment);
    if (containment < 0) containment = 0;
    if (containment > 1) containment = 1;
    double probability = 1 - nd_binomial_below(plan->anchors, containment, plan->least);
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
