/* Compares two documents by rank: first their sketches; then, if these do not decide, their shingle
 * sets or their vectors, which are made again from the texts. */
#ifndef ND_DEDUP_PAIR_VERIFIER_H
#define ND_DEDUP_PAIR_VERIFIER_H

#include "dedup/compared_pairs.h"
#include "dedup/dedup_plan.h"
#include "dedup/ranked_documents.h"

/* The input of verifiers. Const while there are any. */
typedef struct nd_verifier_plan {
    const nd_run *run;
    const nd_dedup_plan *plan;
    nd_ranked documents;
    const char *index;         /* the index's name in messages; NULL: there is no index */
    const nd_count_min *words; /* for cosines, if words are counted; else NULL */
} nd_verifier_plan;

/* The memory of one thread. It keeps the sets of recently compared documents. */
typedef struct nd_pair_verifier nd_pair_verifier;

nd_status nd_pair_verifier_create(const nd_verifier_plan *plan, nd_pair_verifier **out,
                                  nd_error *error);
void nd_pair_verifier_free(nd_pair_verifier *verifier);
const nd_comparison_counts *nd_pair_verifier_counts(const nd_pair_verifier *verifier);
/* Has the pairs that are compared from now on taken into the sample, which stays the caller's.
 * Without this call there is none. */
void nd_pair_verifier_sample(nd_pair_verifier *verifier, nd_pair_sample *sample);

/* Decides whether the pair is a duplicate; if it is, fills *verdict. Fastest if `later` stays the
 * same from call to call. */
nd_status nd_pair_verify(nd_pair_verifier *verifier, uint32_t earlier, uint32_t later,
                         bool *duplicate, nd_verdict *verdict, nd_error *error);

/* Called after the last comparison of a document. Frees the memory that a large document took, and
 * lets other threads read large records. */
void nd_pair_verifier_rest(nd_pair_verifier *verifier);

/* Measures two documents, even if they are not candidates or not duplicates. The comparison is not
 * counted. */
nd_status nd_pair_measure(nd_pair_verifier *verifier, uint32_t earlier, uint32_t later,
                          nd_verdict *verdict, nd_error *error);

/* Makes the verdict of two documents with the same tokens; `rank` is one of them. `verifier` NULL:
 * the sizes of the sets are not wanted. */
nd_status nd_measure_copies(const nd_dedup_plan *plan, nd_pair_verifier *verifier, uint32_t rank,
                            nd_verdict *verdict, nd_error *error);

#endif
