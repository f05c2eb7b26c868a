/* A small index in a directory of the process's own. It is made once, then written anew for every
 * input with one of its files changed, and used in every way that neardup.h has. An error is a
 * valid answer. Besides the findings of the sanitizers, a target fails on
 *
 *   - an error without a message of one line, or with a status other than the returned one;
 *   - any error in an index that its check has found sound. */
#ifndef ND_FUZZ_SMALL_INDEX_H
#define ND_FUZZ_SMALL_INDEX_H

#include "storage/sealed_file.h"
#include "target_directory.h"

/* Makes it. Of documents (small_documents.c) it has a linked segment and one with its own rows; of
 * fingerprints (small_fingerprints.c) two segments. Both have tombstones, and a log with additions
 * and removals. */
void small_index_make(void);

/* Returns the first file, by name, whose name begins with `prefix`, as it was made. */
const small_file *small_index_file(const char *prefix);
/* Returns the file of the first segment (of documents: the linked one) or of the second. */
const small_file *small_index_segment(size_t segment);
/* Returns the number in its name. */
uint64_t small_index_number(const small_file *file);

/* Writes the directory as it was made, except one file: it has these bytes or, with NULL, is
 * missing. */
void small_index_lay(const small_file *changed, const void *bytes, size_t size);
/* The same for a sealed file, with a manifest that has the new seal. */
void small_index_lay_sealed(const small_file *changed, const void *bytes, size_t size,
                            const nd_seal *seal);
/* Opens the written index for reading, searches and checks it; then opens it for writing, changes
 * and compacts it. */
void small_index_use(void);

#endif
