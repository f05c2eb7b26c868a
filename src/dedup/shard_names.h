/* The names of the files in an output directory: those of the files of the input, or numbers. */
#ifndef ND_DEDUP_SHARD_NAMES_H
#define ND_DEDUP_SHARD_NAMES_H

#include "corpus/corpus.h"

/* The path of a file inside another directory: without slashes and dots at its beginning. NULL: it
 * has a part "..". */
const char *nd_path_inside(const char *path);

typedef struct nd_shard_names {
    const nd_corpus *corpus;
    nd_input_format asked; /* the format of the output if the caller gave one, which then changes
                              the ending of a name; else ND_FORMAT_AUTO */
    bool has_several;      /* directories among the inputs */
} nd_shard_names;

nd_shard_names nd_shard_names_of(const nd_corpus *corpus, nd_input_format asked);

/* The name of a source in the output directory: the last part of its name, or, of a file that was
 * found in a directory, the path in it; with several directories, behind the last part of the
 * directory's name. A new string, which the caller releases. ND_ERR_ARGUMENT: it has no name, or
 * one that leads out of the directory, or that of a compression that is not written. */
nd_status nd_shard_name(const nd_shard_names *names, size_t source, const nd_allocator *allocator,
                        char **out, nd_error *error);
/* part-00000 with the ending of `format` and the compression of the first source. */
nd_status nd_part_name(const nd_corpus *corpus, uint64_t number, nd_input_format format,
                       const nd_allocator *allocator, char **out, nd_error *error);

/* Checks that all sources that can be read have names, and that these differ. ND_ERR_ARGUMENT: they
 * do not. */
nd_status nd_shard_names_check(const nd_shard_names *names, const nd_allocator *allocator,
                               nd_error *error);

#endif
