/* Confidence intervals of shares that a sample estimates. All arithmetic is +, -, *, / and sqrt,
 * which every machine computes alike. */
#ifndef ND_BASE_PROPORTION_H
#define ND_BASE_PROPORTION_H

#include "neardup.h"

/* The share of `trials` independent trials that are not bad, with its 95 percent interval: the
 * score interval with continuity correction (neardup/audit.h, "Intervals"), by the quantile of
 * Student's distribution. `bad`: their share. `degrees`: of freedom; INFINITY: of the normal
 * distribution. */
nd_audit_share nd_share_of_trials(double bad, double trials, double degrees);

/* Equal documents of a sample, each of which has `all` things, of which `bad` are bad. */
typedef struct nd_cluster {
    uint64_t documents, all, bad;
} nd_cluster;

/* The share of the things that are not bad, with its 95 percent interval (neardup/audit.h), for a
 * sample of `sampled` of `population` documents. Documents without things may be left out. */
nd_audit_share nd_share_of_clusters(const nd_cluster *clusters, size_t count, uint64_t sampled,
                                    uint64_t population);

/* The same for things that are documents themselves: `bad` of `all` documents of the sample. */
nd_audit_share nd_share_of_units(uint64_t all, uint64_t bad, uint64_t sampled, uint64_t population);

#endif
