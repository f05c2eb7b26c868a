/* The regular files below a directory, in bytewise order of their relative paths, one at a time, without holding them all. */
#ifndef ND_CORPUS_TREE_WALK_H
#define ND_CORPUS_TREE_WALK_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_tree_walk nd_tree_walk;

nd_status nd_tree_walk_open(const char *root, const nd_allocator *allocator, nd_tree_walk **out, nd_error *error);
void nd_tree_walk_close(nd_tree_walk *walk);

/* The next file: *path is relative to the root, '/' between parts, valid until the next call; *size its size in bytes. Sets *path NULL at the end. Symbolic
 * links to files are followed, those to directories are not (no cycles); other kinds (sockets, devices, pipes) are passed over. */
nd_status nd_tree_walk_next(nd_tree_walk *walk, const char **path, uint64_t *size, nd_error *error);

#endif
