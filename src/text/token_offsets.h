/* The tokens of a text by their hashes, and where each stands in it. */
#ifndef ND_TEXT_TOKEN_OFFSETS_H
#define ND_TEXT_TOKEN_OFFSETS_H

#include "base/alloc.h"
#include "base/status.h"

#include "text/analyzer.h"

/* Bytes of a text. */
typedef struct nd_place {
    uint32_t begin, end;
} nd_place;

/* Zero-initialised; the arrays are the caller's to release. */
typedef struct nd_placed_tokens {
    uint64_t *hashes; /* those that nd_analyze gives with ngram 1 */
    nd_place *places;
    size_t count, hash_capacity, place_capacity;
} nd_placed_tokens;

/* Adds the tokens of a text of less than 4 GiB (ND_ERR_ARGUMENT) to what is there. Errors else as
 * nd_tokenize; what is there then may have some more. */
nd_status nd_placed_tokens_add(nd_placed_tokens *tokens, nd_analyzer *analyzer, const char *text,
                               size_t length, const nd_allocator *allocator, nd_error *error);
void nd_placed_tokens_free(nd_placed_tokens *tokens, const nd_allocator *allocator);

#endif
