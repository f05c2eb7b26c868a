/* Decides by connected components: every found pair joins its two documents. The first document of
 * a component by rank is kept. The others are removed, each with its measure to the kept one,
 * unless they are protected. */
#ifndef ND_DEDUP_COMPONENTS_H
#define ND_DEDUP_COMPONENTS_H

#include "dedup/pair_verifier.h"

/* Writes the fates from fates->found_pairs. *spared: the protected documents that stay though they
 * are not the first of their component. REQUIRES: there is no index (base is 0). */
nd_status nd_remove_by_component(const nd_verifier_plan *verifier, nd_fates *fates,
                                 uint64_t *spared, nd_error *error);

#endif
