/* Walks through the regular files below a directory, one at a time, in bytewise order of their
 * relative paths. Hidden files and directories, whose names begin with '.', are left out unless a
 * glob names them (nd_globs_name), and so is what the globs do not accept.
 *
 * Memory holds the names of the directories on the way to the current file, not of
 * the whole tree. */
#ifndef ND_CORPUS_DIRECTORY_WALK_H
#define ND_CORPUS_DIRECTORY_WALK_H

#include "base/alloc.h"
#include "base/job_progress.h"
#include "corpus/glob.h"

typedef struct nd_directory_walk nd_directory_walk;

/* Zeros: hidden files and symbolic links are left out, all others are visited, and no progress is
 * reported. */
typedef struct nd_directory_walk_options {
    /* Symbolic links to regular files are followed, and each file is visited once, by the first of
     * its names. */
    bool follow_links;
    bool hidden;                     /* hidden files and directories are visited, too */
    const nd_globs *pattern, *globs; /* both must accept a path; NULL: accepts all */
    nd_progress *progress;           /* called from time to time; NULL: none */
} nd_directory_walk_options;

/* `options` NULL: zeros. `allocator` NULL: malloc. Used by one thread at a time. */
nd_status nd_directory_walk_open(const char *root, const nd_directory_walk_options *options,
                                 const nd_allocator *allocator, nd_directory_walk **out,
                                 nd_error *error);
void nd_directory_walk_close(nd_directory_walk *walk);

/* Goes to the next file. *path is relative to the root, with '/' between its parts, and valid until
 * the next call; NULL: there is no further file. *size is the file's size in bytes.
 *
 * Links to directories are never followed, so there are no cycles; sockets, devices and pipes are
 * left out. ND_ERR_IO, ND_ERR_INPUT: a file or directory, named in the message, cannot be read, has
 * vanished or is not a regular file any more; the next call goes on behind it, unless
 * nd_directory_walk_is_over. */
nd_status nd_directory_walk_next(nd_directory_walk *walk, const char **path, uint64_t *size,
                                 nd_error *error);
/* Whether no further file comes. */
bool nd_directory_walk_is_over(const nd_directory_walk *walk);
/* The number of symbolic links to regular files that were left out so far. */
uint64_t nd_directory_walk_links(const nd_directory_walk *walk);

#endif
