/* Finds the target of an output from the name that the user gave it.
 *
 * A regular file is replaced as a whole; so is one that does not exist yet. Symbolic links are
 * followed: the file that they lead to is replaced, and the links stay. Other targets are written
 * in place: standard output ("-"), an open descriptor (/dev/stdout, /dev/stderr, /dev/fd/N), a
 * device, a pipe. */
#ifndef ND_IO_OUTPUT_TARGET_H
#define ND_IO_OUTPUT_TARGET_H

#include "base/alloc.h"
#include "base/status.h"

#include <sys/stat.h>

typedef struct nd_output_target {
    char *path;     /* whose last part is no link; owned; NULL: a descriptor */
    int descriptor; /* a duplicate, owned; -1: none */
    bool exists;
    bool replaced;  /* as a whole; false: written in place */
    struct stat is; /* of the file if it exists, otherwise of the directory that it will be in */
} nd_output_target;

/* `name` is "-" or a path. ND_ERR_IO: the target cannot be written; the message says why. */
nd_status nd_output_target_find(const char *name, const nd_allocator *allocator,
                                nd_output_target *out, nd_error *error);
/* Frees a target that was found, or is zero-initialised. */
void nd_output_target_free(nd_output_target *target, const nd_allocator *allocator);

/* Whether both are the same file. A device such as /dev/null may be the target of two outputs. */
bool nd_output_targets_collide(const nd_output_target *a, const nd_output_target *b);
/* Whether the target is the file with this identity. */
bool nd_output_target_is(const nd_output_target *target, uint64_t device, uint64_t inode);

#endif
