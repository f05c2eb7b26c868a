/* An output directory that appears complete or not at all: filled under a temporary name beside its
 * final one (output_slot.h), synced and renamed. It has the states of an output file
 * (output_file.h). */
#ifndef ND_IO_OUTPUT_TREE_H
#define ND_IO_OUTPUT_TREE_H

#include "io/output_target.h"

typedef struct nd_output_tree nd_output_tree;

/* `name` is a path that does not exist, an empty directory, or a link to one of these. */
nd_status nd_output_tree_open(const char *name, const nd_allocator *allocator, nd_output_tree **out,
                              nd_error *error);
/* The target of the output; valid as long as the tree. */
const nd_output_target *nd_output_tree_target(const nd_output_tree *tree);

/* Copies a file, with its mode and modification time, to a path relative to the directory. Makes
 * the directories on the way. Adds the file's size to *bytes. */
nd_status nd_output_tree_copy(nd_output_tree *tree, const char *from, const char *relative,
                              uint64_t *bytes, nd_error *error);

/* A file of the directory while it is written, one at a time. .gz and .zst compress. */
typedef struct nd_output_part nd_output_part;
/* Creates the file `relative`, which must not exist, and the directories on the way. */
nd_status nd_output_part_create(nd_output_tree *tree, const char *relative, nd_output_part **out,
                                nd_error *error);
nd_status nd_output_part_write(nd_output_part *part, const void *bytes, size_t size,
                               nd_error *error);
/* The path under which another writer may write the whole file, in place of nd_output_part_write;
 * valid as long as the part. */
const char *nd_output_part_path(const nd_output_part *part);
/* Its name in messages. */
const char *nd_output_part_title(const nd_output_part *part);
/* As nd_stream_out_end_member. */
nd_status nd_output_part_end_member(nd_output_part *part, nd_error *error);
/* Ends the stream, and adds the file's size to *bytes, also if another writer wrote it. */
nd_status nd_output_part_finish(nd_output_part *part, uint64_t *bytes, nd_error *error);
/* Frees. NULL is accepted. */
void nd_output_part_free(nd_output_part *part);

nd_status nd_output_tree_sync(nd_output_tree *tree, nd_error *error);
nd_status nd_output_tree_name(nd_output_tree *tree, nd_error *error);
nd_status nd_output_tree_sync_name(nd_output_tree *tree, nd_error *error);
void nd_output_tree_roll_back(nd_output_tree *tree);
void nd_output_tree_accept(nd_output_tree *tree);
/* Frees; a directory that was not accepted is removed. NULL is accepted. */
void nd_output_tree_free(nd_output_tree *tree);

#endif
