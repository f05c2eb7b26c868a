#include "text/token_offsets.h"

#include "base/hash.h"

typedef struct hashed_reader {
    nd_hashed_token_fn *fn;
    void *context;
    nd_hash_key key;
} hashed_reader;

/* nd_token_fn */
static bool hash_token(void *context, const nd_token *token) {
    const hashed_reader *r = context;
    return r->fn(r->context, nd_mix64(nd_hash_token(&r->key, token->text, token->length)),
                 (nd_text_range){(uint32_t)token->begin, (uint32_t)token->end});
}

nd_status nd_hashed_tokens(nd_analyzer *analyzer, const char *text, size_t length,
                           nd_hashed_token_fn *fn, void *context, nd_error *error) {
    hashed_reader r = {fn, context, nd_hash_key_of(nd_analyzer_options_of(analyzer)->seed)};
    if (length > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "a text of %zu bytes: at most %u", length,
                       UINT32_MAX);
    return nd_tokenize(analyzer, text, length, hash_token, &r, error);
}

typedef struct token_appender {
    nd_token_offsets *tokens;
    const nd_allocator *allocator;
} token_appender;

/* nd_hashed_token_fn. False: out of memory. */
static bool append_token(void *context, uint64_t hash, nd_text_range place) {
    const token_appender *t = context;
    nd_token_offsets *to = t->tokens;
    if (!nd_reserve(t->allocator, &to->hashes, &to->hash_capacity, to->count + 1) ||
        !nd_reserve(t->allocator, &to->places, &to->place_capacity, to->count + 1))
        return false;
    to->hashes[to->count] = hash;
    to->places[to->count++] = place;
    return true;
}

nd_status nd_token_offsets_add(nd_token_offsets *tokens, nd_analyzer *analyzer, const char *text,
                               size_t length, const nd_allocator *allocator, nd_error *error) {
    token_appender t = {tokens, allocator};
    nd_status status = nd_hashed_tokens(analyzer, text, length, append_token, &t, error);
    return status == ND_ERR_CANCELLED
               ? nd_fail_memory(error, (tokens->count + 1) * sizeof(nd_text_range),
                                "a text's tokens")
               : status;
}

void nd_token_offsets_free(nd_token_offsets *tokens, const nd_allocator *allocator) {
    nd_release(allocator, tokens->hashes);
    nd_release(allocator, tokens->places);
}
