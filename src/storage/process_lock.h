/* A lock file: a process that changes a directory holds its lock, and only one process can.
 *
 * The lock belongs to the process that acquired it. A child made by fork shares the descriptor, and
 * would write to the same files as its parent; nd_process_lock_check fails in such a child. */
#ifndef ND_STORAGE_PROCESS_LOCK_H
#define ND_STORAGE_PROCESS_LOCK_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct nd_process_lock {
    int fd; /* -1: not taken */
    pid_t process;
} nd_process_lock;

#define ND_PROCESS_LOCK_NONE ((nd_process_lock){.fd = -1})

/* Locks a file, which is created if it is missing. The lock lasts until it is released, or until
 * the process and all its children that share the descriptor have ended. ND_ERR_BUSY: another
 * process holds it. */
nd_status nd_process_lock_acquire(const char *path, nd_process_lock *lock, nd_error *error);

/* ND_ERR_ARGUMENT: another process has acquired this lock. The message begins with `name`. */
nd_status nd_process_lock_check(const nd_process_lock *lock, const char *name, nd_error *error);

/* Whether this process has acquired the lock. */
bool nd_process_lock_is_own(const nd_process_lock *lock);

/* Releases the lock: another process can acquire it at once, even if a child of this one lives on
 * with the descriptor. In such a child this only closes the descriptor, and the parent keeps the
 * lock. A lock that was not acquired is accepted. */
void nd_process_lock_release(nd_process_lock *lock);

/* Removes the file first, then does the same. */
void nd_process_lock_remove(nd_process_lock *lock, const char *path);

#endif
