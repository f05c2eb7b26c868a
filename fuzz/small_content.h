/* The content of the small index (small_index.h): documents (small_documents.c), or fingerprints
 * (small_fingerprints.c). */
#ifndef ND_FUZZ_SMALL_CONTENT_H
#define ND_FUZZ_SMALL_CONTENT_H

#include "neardup.h"

/* Makes the index in a directory. */
void small_content_make(const char *directory);
/* Returns the number of documents in its first segment. */
uint32_t small_content_first(void);

/* Opens the index for reading, searches and checks it; then opens it for writing, changes and
 * compacts it. */
void small_content_use(const char *directory);

/* Returns whether a call has succeeded. The target fails if the error has a wrong form, or if there
 * is an error in an index that its check has found sound. */
bool small_fine(nd_status status, const nd_error *error);
/* Records the result of a check: from now on the index is known to be sound, or not. */
void small_checked(nd_status status, const nd_error *error);
bool small_is_whole(void);

#endif
