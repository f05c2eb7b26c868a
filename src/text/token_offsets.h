/* The tokens of a text: their hashes, and their offsets in the text. */
#ifndef ND_TEXT_TOKEN_OFFSETS_H
#define ND_TEXT_TOKEN_OFFSETS_H

#include "base/alloc.h"
#include "base/status.h"

#include "text/analyzer.h"

/* The bytes [begin, end) of a text. */
typedef struct nd_text_range {
    uint32_t begin, end;
} nd_text_range;

/* Starts zero-initialised. The caller frees the arrays, with nd_token_offsets_free or on its own.
 */
typedef struct nd_token_offsets {
    uint64_t *hashes; /* as nd_analyze gives with ngram 1 */
    nd_text_range *places;
    size_t count, hash_capacity, place_capacity;
} nd_token_offsets;

/* A token by its hash, as nd_analyze gives it with ngram 1. Return false to stop. */
typedef bool nd_hashed_token_fn(void *context, uint64_t hash, nd_text_range place);

/* Calls `fn` for each token of a text of less than 4 GiB (ND_ERR_ARGUMENT if it has more).
 * ND_ERR_CANCELLED: `fn` stopped it. Other errors as nd_tokenize. */
nd_status nd_hashed_tokens(nd_analyzer *analyzer, const char *text, size_t length,
                           nd_hashed_token_fn *fn, void *context, nd_error *error);

/* Appends the tokens of a text of less than 4 GiB (ND_ERR_ARGUMENT if it has more). Other errors as
 * nd_tokenize; after an error some of the text's tokens may have been appended. */
nd_status nd_token_offsets_add(nd_token_offsets *tokens, nd_analyzer *analyzer, const char *text,
                               size_t length, const nd_allocator *allocator, nd_error *error);
void nd_token_offsets_free(nd_token_offsets *tokens, const nd_allocator *allocator);

#endif
