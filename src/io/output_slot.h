/* The temporary name of an output, in the output's own directory: ".neardup-output-HASH-N".
 *
 * HASH is the hash of the output's name, so that a run finds the leftovers of an earlier run of the
 * same output. The process that writes under such a name holds a lock (flock) on the file or
 * directory as long as it lives. A name without a lock therefore belongs to a run that died, and
 * the next run of the same output removes it, if it belongs to the same user. N is 0, or higher if
 * several runs write the same output at once. */
#ifndef ND_IO_OUTPUT_SLOT_H
#define ND_IO_OUTPUT_SLOT_H

#include "base/alloc.h"
#include "base/status.h"

#include <sys/types.h>

#define ND_OUTPUT_SLOT_PREFIX ".neardup-output-"

typedef struct nd_output_slot {
    char *path; /* NULL: none */
    int fd;     /* a file, open for writing; or a directory, for the lock; -1: none */
} nd_output_slot;

typedef enum nd_output_slot_kind {
    ND_OUTPUT_SLOT_FILE,
    ND_OUTPUT_SLOT_DIRECTORY
} nd_output_slot_kind;

/* Makes the temporary file or directory of the output `path`, with this mode except the process's
 * umask. `name` is for messages. */
nd_status nd_output_slot_take(const char *path, const char *name, nd_output_slot_kind kind,
                              mode_t mode, const nd_allocator *allocator, nd_output_slot *out,
                              nd_error *error);
/* Removes the file or the whole directory, if the slot still has a name, and ends the lock. */
void nd_output_slot_remove(nd_output_slot *slot, nd_output_slot_kind kind,
                           const nd_allocator *allocator);
/* Forgets the name, because it now belongs to another file, or to none. */
void nd_output_slot_forget(nd_output_slot *slot, const nd_allocator *allocator);
/* Closes the file or directory, which ends the lock. */
void nd_output_slot_close(nd_output_slot *slot);

#endif
