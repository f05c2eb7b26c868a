/* How many documents were removed for each kept one, and the kept ones with most. */
#ifndef ND_DEDUP_GROUP_LOSSES_H
#define ND_DEDUP_GROUP_LOSSES_H

#include "dedup/evidence.h"

enum { ND_LARGEST_GROUPS = 3 };

/* A kept document, and the documents that were removed for it. */
typedef struct nd_group_loss {
    uint32_t kept;    /* rank */
    uint32_t example; /* the first removed document in the order of input */
    uint32_t removed, exact_copies;
} nd_group_loss;

typedef struct nd_group_losses {
    nd_allocator allocator;
    /* By document. Of a removed one: the rank of its evidence; of a kept one: the number of
     * documents that were removed for it. */
    uint32_t *slots;
    uint64_t removed; /* documents */
    nd_group_loss
        largest[ND_LARGEST_GROUPS];      /* the largest first; of equal ones the first by rank */
    size_t count;                        /* of `largest` */
    uint64_t by_removed[ND_GROUP_STEPS]; /* as nd_losses.groups_by_removed */
} nd_group_losses;

/* Counts all groups. Memory: 4 bytes per document, and 4 bytes more per document that a document of
 * an index removed. *out is valid for nd_group_losses_free in any case. */
nd_status nd_group_losses_count(const nd_evidence_source *source, const nd_allocator *allocator,
                                nd_group_losses *out, nd_error *error);
void nd_group_losses_free(nd_group_losses *losses);

/* The rank of the kept document for which a document was removed. REQUIRES: it was removed. */
static inline uint32_t nd_group_losses_kept(const nd_group_losses *losses, uint32_t document) {
    return losses->slots[document];
}

#endif
