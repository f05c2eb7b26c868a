/* The files that a job, or its caller, is going to replace: none of them may be an input. */
#ifndef ND_CORPUS_WRITTEN_FILES_H
#define ND_CORPUS_WRITTEN_FILES_H

#include "corpus/corpus.h"

/* Adds an existing file, which the user called `name`. ND_ERR_ARGUMENT: a source is this file, or
 * has it in its list, or the list of the inputs is this file. The files of a directory are found
 * while they are read: reading fails with ND_ERR_ARGUMENT at such a file. REQUIRES: nothing has
 * been read. */
nd_status nd_corpus_add_written(nd_corpus *corpus, const struct stat *file, const char *name,
                                nd_error *error);

/* Whether it is one of the added files. */
bool nd_corpus_is_written(const nd_corpus *corpus, const struct stat *file);

/* Sets the error that a file called `name` is an input. */
nd_status nd_fail_is_input(nd_error *error, const char *name);

#endif
