/* A small index in a directory of the process's own: made once, laid out anew for every input with
 * one of its files changed, and used in every way that neardup.h has. Errors are answers like
 * others; what must not be, besides what the sanitizers see, is
 *
 *   - an error without a message of one line, or with another status than was returned;
 *   - an error of any kind in an index of which nd_index_check has said that it is whole. */
#ifndef ND_FUZZ_SMALL_INDEX_H
#define ND_FUZZ_SMALL_INDEX_H

#include "storage/sealed_file.h"
#include "place.h"

/* Of documents (small_documents.c) a linked segment and one with rows of its own, or two of
 * fingerprints (small_fingerprints.c); tombstones, and a log with additions and removals. */
void small_index_make(void);

/* As it was made: the first file, by name, whose name begins so. */
const small_file *small_index_file(const char *prefix);
/* The file of the first segment, of documents the linked one, or the second. */
const small_file *small_index_segment(size_t segment);
/* The number in its name. */
uint64_t small_index_number(const small_file *file);

/* The directory as it was made, but for one file, which has these bytes, or (NULL) is not there. */
void small_index_lay(const small_file *changed, const void *bytes, size_t size);
/* The same for a sealed file, with a manifest that has the new seal. */
void small_index_lay_sealed(const small_file *changed, const void *bytes, size_t size,
                            const nd_seal *seal);
/* Opens what was laid for reading, and searches and checks it; then for writing, and changes and
 * compacts it. */
void small_index_use(void);

#endif
