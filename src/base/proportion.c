#include "base/proportion.h"

#include <math.h>

/* The 97.5 percent quantile of the normal distribution. */
#define NORMAL 1.959963984540054

/* The same quantile of Student's distribution, by the expansion of Fisher and Cornish (Abramowitz
 * and Stegun, 26.7.5). With 3 degrees of freedom it is 1 percent too small; fewer tell nearly
 * nothing, and count as one. */
static double student(double degrees) {
    const double z = NORMAL, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    if (degrees < 3) return 12.706;
    return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
}

/* The end of the score interval above the share `p` of `n` trials: the largest share from which `p`
 * is not too far, half a trial included. */
static double highest(double p, double n, double z) {
    double near = p + 0.5 / n, square = z * z / n;
    if (near >= 1) return 1;
    return (near + square / 2 + z * sqrt((near * (1 - near) + square / 4) / n)) / (1 + square);
}

nd_audit_share nd_share_of_trials(double bad, double trials, double degrees) {
    double z = student(degrees);
    return (nd_audit_share){.share = 1 - bad,
                            .low = bad >= 1 ? 0 : 1 - highest(bad, trials, z),
                            .high = bad <= 0 ? 1 : highest(1 - bad, trials, z)};
}

/* Totals over documents that have things. */
typedef struct totals {
    double documents, all, bad;
    double squares; /* sum of the squares of `all` */
} totals;

static totals add_up(const nd_cluster *clusters, size_t count) {
    totals t = {0};
    for (const nd_cluster *c = clusters; c < clusters + count; c++) {
        double documents = (double)c->documents, all = (double)c->all;
        if (c->all == 0) continue;
        t.documents += documents;
        t.all += documents * all;
        t.bad += documents * (double)c->bad;
        t.squares += documents * all * all;
    }
    return t;
}

/* The variance of the share of bad things by the jackknife: from the shares without each document
 * in turn. 0 with one document. */
static double variance(const nd_cluster *clusters, size_t count, const totals *t) {
    double sum = 0, share = t->bad / t->all;
    if (t->documents < 2) return 0;
    for (const nd_cluster *c = clusters; c < clusters + count; c++) {
        double all = (double)c->all, without = ((double)c->bad - share * all) / (t->all - all);
        if (c->all > 0) sum += (double)c->documents * without * without;
    }
    return sum * (t->documents - 1) / t->documents;
}

nd_audit_share nd_share_of_clusters(const nd_cluster *clusters, size_t count, uint64_t sampled,
                                    uint64_t population) {
    const totals t = add_up(clusters, count);
    if (t.all == 0) return (nd_audit_share){.share = 1, .low = 0, .high = 1};
    double bad = t.bad / t.all, part = (double)sampled / (double)population;
    if (sampled == population) return (nd_audit_share){1 - bad, 1 - bad, 1 - bad};
    /* How many documents of equal size tell as much. */
    double equal = t.all * t.all / t.squares;
    /* If all documents have the same share, there is no variance, and each is one trial. A sample
     * of a part f of the documents misses a document with probability 1 - f, so n documents tell as
     * much as n * -ln(1 - f) / f with replacement, which is at least n (1 + f / 2). */
    double trials = equal * (1 + part / 2), square = variance(clusters, count, &t) * (1 - part);
    if (square > 1e-15) trials = bad * (1 - bad) / square;
    return nd_share_of_trials(bad, trials, equal - 1);
}

nd_audit_share nd_share_of_units(uint64_t all, uint64_t bad, uint64_t sampled,
                                 uint64_t population) {
    const nd_cluster clusters[] = {{bad, 1, 1}, {all - bad, 1, 0}};
    return nd_share_of_clusters(clusters, 2, sampled, population);
}
