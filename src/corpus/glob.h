/* Globs: patterns of paths, by the rules of gitignore, as ripgrep's -g has them.
 *
 * `*` stands for any characters but '/', `?` for one of them, `[a-z]` and `[!a-z]` for one of a
 * set, `{a,b}` for each of several patterns, `**` as a whole part of the path for any number of
 * parts; `\` takes the next character as it is. A pattern without '/' is compared with the last
 * part of a path, another one with the whole path. A pattern that ends with '/' matches only
 * directories. Time of a match: at most the length of the path times that of the pattern. */
#ifndef ND_CORPUS_GLOB_H
#define ND_CORPUS_GLOB_H

#include "base/alloc.h"
#include "base/status.h"

#include <stdbool.h>

/* A list of globs. A glob that begins with '!' excludes what it matches. The last glob that matches
 * decides; a file that none matches is accepted if all of them exclude. */
typedef struct nd_globs nd_globs;

/* ND_ERR_ARGUMENT: a glob is malformed, or its braces stand for too many patterns. count 0: *out is
 * NULL, which accepts everything. */
nd_status nd_globs_read(const char *const *globs, size_t count, const nd_allocator *allocator,
                        nd_globs **out, nd_error *error);
void nd_globs_free(nd_globs *globs);

/* Whether a walk goes to the file, or into the directory. The path has no '/' at its beginning and
 * end. */
bool nd_globs_accept(const nd_globs *globs, const char *path, bool directory);

/* Whether a glob that does not exclude matches the file, or may match one in the directory, and
 * each part of the path that begins with `dot` begins so in the glob: no `*` or other pattern
 * stands for it. Names with such a begin, as hidden ones, are often meant to be left out. */
bool nd_globs_name(const nd_globs *globs, char dot, const char *path, bool directory);

/* Whether a name has characters of a pattern. */
bool nd_is_glob(const char *name);

#endif
