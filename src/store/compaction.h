/* Compaction: segments merged into larger ones, without removed documents.
 *
 * REQUIRES: exclusive access, except that readers who share a lock (nd_store_set_view_lock) go on.
 * Both functions flush first; a failure changes nothing. */
#ifndef ND_STORE_COMPACTION_H
#define ND_STORE_COMPACTION_H

#include "store/store.h"

/* Merges the last segments as long as there are too many of a level. */
nd_status nd_store_compact_levels(nd_store *store, nd_error *error);
/* Merges everything into one segment. */
nd_status nd_store_compact_all(nd_store *store, nd_error *error);

#endif
