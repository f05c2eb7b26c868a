/* A file that one process at a time has locked: whoever changes a directory holds the lock of it.
 * The lock belongs to the process that took it. A child made by fork shares the descriptor, and so
 * would write to the same files as its parent: nd_lock_check refuses it. */
#ifndef ND_STORAGE_PROCESS_LOCK_H
#define ND_STORAGE_PROCESS_LOCK_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct nd_lock {
    int fd; /* -1: not taken */
    pid_t process;
} nd_lock;

#define ND_LOCK_NONE ((nd_lock){.fd = -1})

/* Takes the lock of a file, which is made where it is not there, until it is released or the
 * process and all its children that have the descriptor have ended. ND_ERR_BUSY: another has it. */
nd_status nd_lock_take(const char *path, nd_lock *lock, nd_error *error);

/* ND_ERR_ARGUMENT: this is not the process that took the lock. `name` is what the message begins
 * with. */
nd_status nd_lock_check(const nd_lock *lock, const char *name, nd_error *error);

/* Whether it is taken, by this process. */
bool nd_lock_is_own(const nd_lock *lock);

/* Another process can take it at once, even where a child of this one lives on with the descriptor.
 * In such a child the descriptor is closed, and the lock stays the parent's. One that was not taken
 * is accepted. */
void nd_lock_release(nd_lock *lock);

/* The same, and the file is removed before. */
void nd_lock_remove(nd_lock *lock, const char *path);

#endif
