/* What is in the small index (small_index.h): documents (small_documents.c), or fingerprints
 * (small_fingerprints.c). */
#ifndef ND_FUZZ_SMALL_CONTENT_H
#define ND_FUZZ_SMALL_CONTENT_H

#include "neardup.h"

/* Makes the index in a directory. */
void small_content_make(const char *place);
/* Documents of its first segment. */
uint32_t small_content_first(void);

/* Opens it for reading, and searches and checks it; then for writing, and changes and compacts it.
 */
void small_content_use(const char *place);

/* Whether a call has succeeded; the target fails where its error is none, and where an index that
 * was found whole has one. */
bool small_fine(nd_status status, const nd_error *error);
/* From now on the index is whole, or not. */
void small_check(nd_index *x);
bool small_is_whole(void);

#endif
