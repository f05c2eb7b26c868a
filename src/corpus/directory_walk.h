/* The regular files below a directory, in bytewise order of their relative paths, one at a time,
 * without holding them all. */
#ifndef ND_CORPUS_DIRECTORY_WALK_H
#define ND_CORPUS_DIRECTORY_WALK_H

#include "base/alloc.h"
#include "base/job_progress.h"

typedef struct nd_tree_walk nd_tree_walk;

/* Zeros: links are left out, nobody is asked. */
typedef struct nd_tree_walk_options {
    /* Symbolic links to regular files are taken, and each file once, by the first of its names. */
    bool follow_links;
    nd_progress *progress; /* asked now and then; NULL: nobody is */
} nd_tree_walk_options;

/* `options` NULL: zeros. `allocator` NULL: malloc. */
nd_status nd_tree_walk_open(const char *root, const nd_tree_walk_options *options,
                            const nd_allocator *allocator, nd_tree_walk **out, nd_error *error);
void nd_tree_walk_close(nd_tree_walk *walk);

/* The next file: *path is relative to the root, '/' between parts, valid until the next call; *size
 * its size in bytes. *path NULL: there is none. Links to directories are never followed (no
 * cycles); sockets, devices and pipes are passed over. ND_ERR_IO, ND_ERR_INPUT: the message names a
 * file or directory that cannot be read, has vanished or is no regular file any more; the next call
 * goes on behind it, unless nd_tree_walk_is_over. */
nd_status nd_tree_walk_next(nd_tree_walk *walk, const char **path, uint64_t *size, nd_error *error);
/* Whether nothing more comes. */
bool nd_tree_walk_is_over(const nd_tree_walk *walk);
/* Links to regular files that have been left out so far. */
uint64_t nd_tree_walk_links(const nd_tree_walk *walk);

#endif
