/* Reads documents by rank: documents of an index first, then documents of the run. It is a view: it
 * owns nothing, and any number of threads may read through it, each with its own buffers. */
#ifndef ND_DEDUP_RANKED_DOCUMENTS_H
#define ND_DEDUP_RANKED_DOCUMENTS_H

#include "dedup/columns.h"
#include "dedup/ranks.h"

typedef struct nd_ranked {
    const nd_columns *columns;
    const nd_ranks *ranks;
    const nd_store *store; /* NULL: there is no index */
} nd_ranked;

nd_status nd_ranked_id(const nd_ranked *ranked, uint32_t rank, nd_id_buffer *buffer,
                       nd_error *error);
/* `scratch`: columns->sketch_size bytes. */
nd_status nd_ranked_sketch(const nd_ranked *ranked, uint32_t rank, void *scratch,
                           const void **sketch, nd_error *error);
nd_status nd_ranked_set(const nd_ranked *ranked, uint32_t rank, nd_set_buffer *buffer,
                        nd_error *error);

#endif
