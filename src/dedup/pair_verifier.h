/* Comparing two documents of a job: first their sketches, then, where those leave it open, their
 * shingle sets or vectors, made again from the texts. */
#ifndef ND_DEDUP_PAIR_VERIFIER_H
#define ND_DEDUP_PAIR_VERIFIER_H

#include "job/job.h"
#include "similarity/shingle_set.h"

/* One thread's means; keeps those of documents that were compared lately. */
typedef struct nd_comparer nd_comparer;

typedef struct nd_comparison_counts {
    uint64_t candidates, verified, rejected;
} nd_comparison_counts;

nd_status nd_comparer_create(nd_job *job, nd_comparer **out, nd_error *error);
void nd_comparer_free(nd_comparer *comparer);
const nd_comparison_counts *nd_comparer_counts(const nd_comparer *comparer);

/* Is the pair a duplicate? Then *verdict tells of it. Fastest when `later` stays the same from call
 * to call. Both are ranks. */
nd_status nd_comparer_decide(nd_comparer *comparer, uint32_t earlier, uint32_t later,
                             bool *duplicate, nd_verdict *verdict, nd_error *error);

/* Called when the comparisons of a document are over: memory that a large one took is given back,
 * and others may work on theirs. */
void nd_comparer_rest(nd_comparer *comparer);

/* The verdict of two documents that were no candidates, whatever they are: what a duplicate's
 * verdict has, counts, cosine, estimate or distance. It is not in the counts. */
nd_status nd_comparer_measure(nd_comparer *comparer, uint32_t earlier, uint32_t later,
                              nd_verdict *verdict, nd_error *error);

/* Number of distinct shingles of a document. Fast for the same one again and again. */
nd_status nd_set_size(nd_comparer *comparer, uint32_t rank, uint32_t *size, nd_error *error);

#endif
