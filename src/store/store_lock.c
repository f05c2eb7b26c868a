#include "store/store_lock.h"

#include "io/file.h"

#include <string.h>

nd_status nd_store_lock_take(const char *directory, const nd_allocator *allocator,
                             nd_process_lock *lock, nd_error *error) {
    char *path = nd_string_join(allocator, directory, "/lock", "");
    if (!path) return nd_fail_memory(error, strlen(directory), "a path");
    nd_status status = nd_process_lock_acquire(path, lock, error);
    nd_release(allocator, path);
    return status == ND_ERR_BUSY
               ? nd_fail(error, status, "%s: another process writes to this index", directory)
               : status;
}
