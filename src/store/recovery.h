/* Recovery of a store from its write-ahead log. */
#ifndef ND_STORE_RECOVERY_H
#define ND_STORE_RECOVERY_H

#include "store/store.h"

/* Reads the log of the store's state into the empty memtable, the tombstones and the ingest mark. A
 * writer then has the log open for more. */
nd_status nd_store_recover(nd_store *store, nd_error *error);

#endif
