/* The files of a store's states: new ones, which get numbers that were never used, and orphans. */
#ifndef ND_STORE_STORE_FILES_H
#define ND_STORE_STORE_FILES_H

#include "store/numbered_names.h"
#include "store/store.h"

/* Chooses the number and the path (a new string of the store's allocator) of a file of the next
 * state. No other state has the number, even if the next state is never installed. Numbers whose
 * names are taken by something else are skipped. */
nd_status nd_store_new_file(nd_store *store, nd_manifest *next, nd_state_file_kind kind,
                            uint64_t *file, char **path, nd_error *error);

/* Makes the write-ahead log of the next state. */
nd_status nd_store_new_log(nd_store *store, nd_manifest *next, nd_error *error);

/* Removes the store's orphan files: those that its state does not name. */
nd_status nd_store_remove_orphans(nd_store *store, nd_error *error);

#endif
