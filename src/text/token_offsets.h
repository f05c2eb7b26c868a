/* The tokens of a text: their hashes, and their offsets in the text. */
#ifndef ND_TEXT_TOKEN_OFFSETS_H
#define ND_TEXT_TOKEN_OFFSETS_H

#include "base/alloc.h"
#include "base/status.h"

#include "text/analyzer.h"

/* The bytes [begin, end) of a text. */
typedef struct nd_place {
    uint32_t begin, end;
} nd_place;

/* Starts zero-initialised. The caller frees the arrays, with nd_placed_tokens_free or on its own.
 */
typedef struct nd_placed_tokens {
    uint64_t *hashes; /* as nd_analyze gives with ngram 1 */
    nd_place *places;
    size_t count, hash_capacity, place_capacity;
} nd_placed_tokens;

/* Appends the tokens of a text of less than 4 GiB (ND_ERR_ARGUMENT if it has more). Other errors as
 * nd_tokenize; after an error some of the text's tokens may have been appended. */
nd_status nd_placed_tokens_add(nd_placed_tokens *tokens, nd_analyzer *analyzer, const char *text,
                               size_t length, const nd_allocator *allocator, nd_error *error);
void nd_placed_tokens_free(nd_placed_tokens *tokens, const nd_allocator *allocator);

#endif
