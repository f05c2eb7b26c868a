/* Comparing two documents by rank: first their sketches, then, where the sketches leave it open,
 * their shingle sets or their vectors, made again from the texts. */
#ifndef ND_DEDUP_PAIR_VERIFIER_H
#define ND_DEDUP_PAIR_VERIFIER_H

#include "dedup/dedup_plan.h"
#include "dedup/fates.h"
#include "dedup/ranked_documents.h"

/* What verifying reads. Const while there are verifiers. */
typedef struct nd_verifier_plan {
    const nd_run *run;
    const nd_dedup_plan *plan;
    nd_ranked documents;
    const char *index;         /* the index's name, for messages; NULL: none */
    const nd_count_min *words; /* for cosines, where words are counted; else NULL */
} nd_verifier_plan;

/* One thread's memory; it keeps the sets of documents that were compared lately. */
typedef struct nd_pair_verifier nd_pair_verifier;

typedef struct nd_comparison_counts {
    uint64_t candidates, verified, rejected;
} nd_comparison_counts;

nd_status nd_pair_verifier_create(const nd_verifier_plan *plan, nd_pair_verifier **out,
                                  nd_error *error);
void nd_pair_verifier_free(nd_pair_verifier *verifier);
const nd_comparison_counts *nd_pair_verifier_counts(const nd_pair_verifier *verifier);

/* Is the pair a duplicate? If so, *verdict is filled. Fastest when `later` stays the same from call
 * to call. */
nd_status nd_pair_verify(nd_pair_verifier *verifier, uint32_t earlier, uint32_t later,
                         bool *duplicate, nd_verdict *verdict, nd_error *error);

/* Called after the last comparison of a document: gives back the memory that a large document took,
 * and lets other threads read large records. */
void nd_pair_verifier_rest(nd_pair_verifier *verifier);

/* The verdict of two documents that need not be candidates, whatever their measure is. The
 * comparison is not counted. */
nd_status nd_pair_measure(nd_pair_verifier *verifier, uint32_t earlier, uint32_t later,
                          nd_verdict *verdict, nd_error *error);

/* The verdict of two documents with the same tokens; `rank` is one of them. `verifier` NULL: the
 * sizes of the sets are not wanted. */
nd_status nd_measure_copies(const nd_dedup_plan *plan, nd_pair_verifier *verifier, uint32_t rank,
                            nd_verdict *verdict, nd_error *error);

#endif
