/* From one state of an open store to the next: opening the files that a manifest names, and
 * installing a new manifest. */
#ifndef ND_STORE_STORE_STATE_H
#define ND_STORE_STORE_STATE_H

#include "store/store.h"

/* Opens the files of a state in place of the open ones, and recovers its log. Consumes *state. On
 * failure the store is as it was, except if the log cannot be read: then it has the documents of
 * the new state's segments alone, and no log. */
nd_status nd_store_load(nd_store *store, nd_manifest *state, nd_error *error);
/* If the store filters keys, and has no filter or a full one: makes a new one of these segments.
 * After a failure there is none. */
nd_status nd_store_update_filter(nd_store *store, nd_segment *const *segments, size_t count,
                                 nd_error *error);
/* Adds the keys of the memtable to the filter, if there is one. */
void nd_store_filter_memtable(nd_store *store);
/* Forgets the filter, because the next state has keys that it lacks. */
void nd_store_drop_filter(nd_store *store);
/* Closes all that nd_store_load has opened. */
void nd_store_unload(nd_store *store);

/* Segments of the next state that the last one has, too, keep their removed documents. New segments
 * have none. */
typedef struct nd_next_state {
    nd_manifest manifest;   /* its generation, log and tombstones are filled in */
    const uint8_t *leaving; /* bit n: the next state removes document n of the last; NULL: none */
} nd_next_state;

/* Installs the next state: makes its log and its file of tombstones, writes the manifest, opens it,
 * and removes the files that it does not name. Consumes next->manifest, on success. A failure ends
 * all changes, if it comes after the manifest may have been written. */
nd_status nd_store_install(nd_store *store, nd_next_state *next, nd_error *error);

/* Installs a state in which one segment stands for neighbours, with the same documents under the
 * same numbers: no other file, no log and no number changes. REQUIRES: its tables have all
 * documents but some that the last state, without its log, removes. Failures: as of
 * nd_store_install. */
nd_status nd_store_replace_segments(nd_store *store, nd_segment_range range,
                                    const nd_manifest_segment *merged, nd_error *error);

#endif
