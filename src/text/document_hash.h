/* The 128-bit hash by which documents are identical: of the bytes of a text, of its characters
 * without differences of normalisation and white space, or of its tokens (nd_equal). */
#ifndef ND_TEXT_DOCUMENT_HASH_H
#define ND_TEXT_DOCUMENT_HASH_H

#include "neardup.h"

/* The memory of one thread. */
typedef struct nd_document_hasher nd_document_hasher;

/* `analyzer`: of ND_EQUAL_TOKENS; options that have been read. */
nd_status nd_document_hasher_create(nd_equal by, const nd_analyzer_options *analyzer,
                                    const nd_allocator *allocator, nd_document_hasher **out,
                                    nd_error *error);
void nd_document_hasher_free(nd_document_hasher *hasher);

/* ND_ERR_INPUT: the text is not UTF-8, which ND_EQUAL_BYTES does not check. */
nd_status nd_document_hash(nd_document_hasher *hasher, const char *text, size_t length,
                           uint64_t hash[2], nd_error *error);

#endif
