/* The description of an open index (nd_index_describe). */
#ifndef ND_INDEX_INDEX_INFO_H
#define ND_INDEX_INDEX_INFO_H

#include "store/store.h"

/* Describes the store of an index of any kind. */
void nd_store_describe(const nd_store *store, nd_index_info *out);

#endif
