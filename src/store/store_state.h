/* From one state of an open store to the next: opening the files that a manifest names, and
 * installing a new manifest. */
#ifndef ND_STORE_STORE_STATE_H
#define ND_STORE_STORE_STATE_H

#include "store/store.h"

/* Opens the files of a state in place of the open ones, and recovers its log. Consumes *state. On
 * failure the store is as it was, except if the log cannot be read: then it has the documents of
 * the new state's segments alone, and no log. */
nd_status nd_store_load(nd_store *store, nd_manifest *state, nd_error *error);
/* Closes all that nd_store_load has opened. */
void nd_store_unload(nd_store *store);

/* Segments of the next state that the last one has, too, keep their removed documents. So does the
 * segment `linked`, which is new: its documents have the numbers in the last state from
 * linked_begin on. All other new segments have no removed documents. */
typedef struct nd_next_state {
    nd_manifest manifest; /* its generation, log and tombstones are filled in */
    uint64_t linked;      /* number of its file; 0: there is none */
    uint32_t linked_begin;
    const uint8_t *leaving; /* bit n: the next state removes document n of the last; NULL: none */
} nd_next_state;

/* Installs the next state: makes its log and its file of tombstones, writes the manifest, opens it,
 * and removes the files that it does not name. Consumes next->manifest, on success. A failure ends
 * all changes, if it comes after the manifest may have been written. */
nd_status nd_store_install(nd_store *store, nd_next_state *next, nd_error *error);

#endif
