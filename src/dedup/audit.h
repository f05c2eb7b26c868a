/* The last stage of nd_audit: draws the sample, finds its true pairs, and looks them up in the
 * answers of the run.
 *
 *   audit_sample  the documents of the sample, and for which copies each stands
 *   decide        the answer of nd_pairs for pairs with one of them; the fates of nd_dedup are
 * known true_pairs    the pairs that a perfect answer has */
#ifndef ND_DEDUP_AUDIT_H
#define ND_DEDUP_AUDIT_H

#include "dedup/candidates.h"
#include "dedup/pair_verifier.h"

typedef struct nd_audit_request {
    const nd_audit_options *options; /* read by nd_dedup_parts_read_audit */
    const nd_verifier_plan *verifier;
    const nd_fates *fates;     /* final */
    nd_candidates *candidates; /* consumed */
} nd_audit_request;

/* Fills *result, except struct_size. */
nd_status nd_audit_measure(const nd_audit_request *request, nd_audit_result *result,
                           nd_error *error);

#endif
