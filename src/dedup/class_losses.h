/* What each class of documents loses: by source, by length, by script, of archives by host,
 * and by the values of a field. */
#ifndef ND_DEDUP_CLASS_LOSSES_H
#define ND_DEDUP_CLASS_LOSSES_H

#include "dedup/fates.h"
#include "dedup/ingest.h"

enum { ND_LOSS_KINDS = ND_LOSS_FIELD + 1 };

typedef struct nd_class_losses {
    nd_class_table tables[ND_LOSS_KINDS];
} nd_class_losses;

/* Counts all documents. Consumes the classes of `ingested`. *out is valid for nd_class_losses_free
 * in any case. */
nd_status nd_class_losses_count(nd_ingested *ingested, const nd_fates *fates, nd_class_losses *out,
                                nd_error *error);
void nd_class_losses_free(nd_class_losses *losses);

#endif
