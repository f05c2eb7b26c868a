/* The check of a whole store. */
#ifndef ND_STORE_STORE_CHECK_H
#define ND_STORE_STORE_CHECK_H

#include "store/store.h"

/* Checks every byte and every invariant. */
nd_status nd_store_check(const nd_store *store, nd_error *error);

#endif
