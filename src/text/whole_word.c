#include "text/whole_word.h"

#include "base/status.h"

#include <string.h>

nd_status nd_whole_word_begin(nd_whole_word *word, uint64_t seed, const nd_allocator *allocator, nd_error *error) {
    nd_analyzer_options options = {.kind = ND_WORDS, .ngram = 1, .seed = seed};
    word->folded.cluster.allocator = *allocator;
    word->key = nd_hash_key_of(seed);
    return nd_analyzer_create(&options, allocator, &word->analyzer, error);
}

void nd_whole_word_end(nd_whole_word *word) {
    nd_folded_clear(&word->folded);
    nd_analyzer_free(word->analyzer);
}

/* nd_token_fn */
static bool compare_token(void *context, const nd_token *token) {
    nd_whole_word *word = context;
    word->same = token->length == word->folded.length && memcmp(token->text, word->folded.bytes, token->length) == 0;
    return ++word->tokens < 2;
}

nd_status nd_whole_word_find(nd_whole_word *word, const char *term, size_t length, bool *is_word, uint64_t *feature, nd_error *error) {
    word->tokens = 0;
    ND_TRY(nd_fold(&word->folded, term, length, error));
    nd_error stopped;
    nd_status status = nd_tokenize(word->analyzer, term, length, compare_token, word, &stopped);
    if (status != ND_OK && status != ND_ERR_CANCELLED) return nd_fail(error, status, "%s", stopped.message);
    *is_word = word->tokens == 1 && word->same;
    if (*is_word) *feature = nd_mix64(nd_hash_token(&word->key, word->folded.bytes, word->folded.length));
    return ND_OK;
}

int nd_shown_length(const char *text, size_t length) { return (int)(length > ND_SHOWN_BYTES ? nd_utf8_valid_prefix(text, ND_SHOWN_BYTES) : length); }
