/* The temporary name of an output, in the output's own directory: ".neardup-output-HASH-N".
 *
 * HASH is that of the output's name, so that a run finds what an earlier run of the same output has
 * left. Whoever writes under such a name holds a lock (flock) on the file or directory as long as
 * it lives. A name without a lock is therefore of a run that died, and the next run of the same
 * output removes it: only where it belongs to the same user. N is 0, or counts the runs that write
 * this output now. */
#ifndef ND_IO_OUTPUT_SLOT_H
#define ND_IO_OUTPUT_SLOT_H

#include "base/alloc.h"
#include "base/status.h"

#include <sys/types.h>

#define ND_OUTPUT_SLOT_PREFIX ".neardup-output-"

typedef struct nd_output_slot {
    char *path; /* NULL: none */
    int fd;     /* of the file, open for writing; of the directory, for the lock; -1: none */
} nd_output_slot;

typedef enum nd_output_slot_kind {
    ND_OUTPUT_SLOT_FILE,
    ND_OUTPUT_SLOT_DIRECTORY
} nd_output_slot_kind;

/* Makes the file or directory for the output `path`, with this mode less the process's mask. `name`
 * is for messages. */
nd_status nd_output_slot_take(const char *path, const char *name, nd_output_slot_kind kind,
                              mode_t mode, const nd_allocator *allocator, nd_output_slot *out,
                              nd_error *error);
/* Removes the file or the tree of that name, where there is one, and ends the lock. */
void nd_output_slot_remove(nd_output_slot *slot, nd_output_slot_kind kind,
                           const nd_allocator *allocator);
/* The name now belongs to something else, or to nothing: forgets it. */
void nd_output_slot_forget(nd_output_slot *slot, const nd_allocator *allocator);
/* Closes the file or directory, which ends the lock. */
void nd_output_slot_close(nd_output_slot *slot);

#endif
