/* Where an output goes, by the name that the user gave it.
 *
 * A regular file, or one that does not exist yet, is replaced as a whole. Symbolic links are
 * followed: the file behind them is replaced, and they stay. Everything else is written in place:
 * standard output
 * ("-"), an open descriptor (/dev/stdout, /dev/stderr, /dev/fd/N), a device, a pipe. */
#ifndef ND_IO_OUTPUT_TARGET_H
#define ND_IO_OUTPUT_TARGET_H

#include "base/alloc.h"
#include "base/status.h"

#include <sys/stat.h>

typedef struct nd_output_target {
    char *path;     /* with no link as its last part; NULL: a descriptor */
    int descriptor; /* a duplicate; -1: none */
    bool exists;
    bool replaced;  /* as a whole */
    struct stat is; /* the file, where it exists; else the directory in which it will be */
} nd_output_target;

/* ND_ERR_IO: it cannot be written, with the name and the reason. `name` is "-" or a path. */
nd_status nd_output_target_find(const char *name, const nd_allocator *allocator,
                                nd_output_target *out, nd_error *error);
/* One that was found, or is zero. */
void nd_output_target_free(nd_output_target *target, const nd_allocator *allocator);

/* Whether both would be written into one file. Devices such as /dev/null may be named twice. */
bool nd_output_targets_collide(const nd_output_target *a, const nd_output_target *b);
/* Whether the target is the file with this identity. */
bool nd_output_target_is(const nd_output_target *target, uint64_t device, uint64_t inode);

#endif
