/* Connected components: every pair found joins its two documents. The first document of a component
 * by rank is kept, and the others are removed, each with its measure to the kept one. */
#ifndef ND_DEDUP_COMPONENTS_H
#define ND_DEDUP_COMPONENTS_H

#include "dedup/pair_verifier.h"

/* Writes the fates by fates->found_pairs. Without an index: base is 0. */
nd_status nd_remove_by_component(const nd_verifier_plan *verifier, nd_fates *fates,
                                 nd_error *error);

#endif
