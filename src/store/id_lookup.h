/* Which of many ids a store of documents may have. Their hashes are looked up together, in their
 * order, as band keys are (store/band_lookup.h). */
#ifndef ND_STORE_ID_LOOKUP_H
#define ND_STORE_ID_LOOKUP_H

#include "base/limits.h"
#include "store/band_lookup.h"

enum { ND_ID_GROUP = ND_LIMIT(2048, 5) };

/* One thread's memory. Zeros but for the context (nd_lookup_context_init) at first. */
typedef struct nd_id_lookup {
    nd_lookup_context context;
    nd_band_lookup lookups[ND_ID_GROUP];
    uint64_t words[ND_ID_GROUP], scratch[ND_ID_GROUP];
    bool may_have[ND_ID_GROUP]; /* the answers: false: no document of the store has the id */
} nd_id_lookup;

/* Looks up the hashes (nd_id_hash) of at most ND_ID_GROUP ids. */
nd_status nd_store_look_up_ids(const nd_store *store, nd_id_lookup *lookup, const uint64_t *hashes,
                               size_t count, nd_error *error);

#endif
