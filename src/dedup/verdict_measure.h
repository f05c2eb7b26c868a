/* The measure of a verdict: how similar its two documents are. */
#ifndef ND_DEDUP_VERDICT_MEASURE_H
#define ND_DEDUP_VERDICT_MEASURE_H

#include "dedup/compared_pairs.h"
#include "dedup/dedup_plan.h"

/* The Jaccard similarity, exact or estimated, the containment, the cosine, and the distance of
 * fingerprints or digests; 0 if the plan does not measure it. */
double nd_verdict_jaccard(const nd_dedup_plan *plan, const nd_verdict *verdict);
double nd_verdict_containment(const nd_dedup_plan *plan, const nd_verdict *verdict);
double nd_verdict_cosine(const nd_dedup_plan *plan, const nd_verdict *verdict);
uint32_t nd_verdict_distance(const nd_dedup_plan *plan, const nd_verdict *verdict);
/* The measure that decides, 0 to 1; of fingerprints the part of their bits that agree,
 * of digests as in nd_example. */
double nd_verdict_similarity(const nd_dedup_plan *plan, const nd_verdict *verdict);
/* The pair as a sample takes it (compared_pairs.h). */
nd_sampled_pair nd_verdict_sampled(const nd_dedup_plan *plan, const nd_verdict *verdict,
                                   nd_sample_kind kind);
/* Formats the measure as it is written in a table. */
void nd_verdict_format(const nd_dedup_plan *plan, const nd_verdict *verdict, char text[40]);

#endif
