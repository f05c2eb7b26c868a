/* The document that removed another one. A copy is removed by its original, or by the document that
 * removed the original. */
#ifndef ND_DEDUP_EVIDENCE_H
#define ND_DEDUP_EVIDENCE_H

#include "dedup/fates.h"
#include "dedup/index_update.h"
#include "dedup/ranks.h"

/* The results of deciding, from which evidence is found. Const. */
typedef struct nd_evidence_source {
    const nd_fates *fates;
    const nd_ranks *ranks;
    const nd_index_update *update; /* NULL: there is no index */
} nd_evidence_source;

typedef struct nd_evidence {
    bool kept;          /* nothing removed the document */
    bool exact_copy;    /* of the kept document, or of one that the kept document removed */
    bool compared;      /* `verdict` is set */
    uint32_t rank;      /* of the kept document; if the document itself is kept, its own */
    nd_verdict verdict; /* of the document, or of its original */
} nd_evidence;

nd_status nd_find_evidence(const nd_evidence_source *source, uint32_t document, nd_evidence *out,
                           nd_error *error);

#endif
