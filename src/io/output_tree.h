/* A directory of files that appears whole or not at all: filled under a temporary name beside it, synced, renamed. */
#ifndef ND_IO_OUTPUT_TREE_H
#define ND_IO_OUTPUT_TREE_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_output_tree nd_output_tree;

/* `path` must not exist, or be an empty directory. */
nd_status nd_output_tree_open(const char *path, const nd_allocator *allocator, nd_output_tree **out, nd_error *error);

/* Copies a file's bytes, mode and time of change to the relative path, making the directories on the way. */
nd_status nd_output_tree_copy(nd_output_tree *tree, const char *from, const char *relative, uint64_t *bytes, nd_error *error);

nd_status nd_output_tree_sync(nd_output_tree *tree, nd_error *error);
nd_status nd_output_tree_publish(nd_output_tree *tree, nd_error *error);
/* Frees; what was not published is removed. NULL is accepted. */
void nd_output_tree_free(nd_output_tree *tree);

#endif
