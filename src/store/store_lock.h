/* The lock of an index directory, which one writer at a time holds. */
#ifndef ND_STORE_STORE_LOCK_H
#define ND_STORE_STORE_LOCK_H

#include "base/alloc.h"
#include "storage/process_lock.h"

/* ND_ERR_BUSY: another process writes to the index. */
nd_status nd_store_lock_take(const char *directory, const nd_allocator *allocator,
                             nd_process_lock *lock, nd_error *error);

#endif
