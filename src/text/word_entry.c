#include "text/word_entry.h"

#include "base/status.h"
#include "unicode/scalar_tokenizer.h"

#include <string.h>

nd_status nd_whole_word_begin(nd_whole_word *word, uint64_t seed, const nd_allocator *allocator,
                              nd_error *error) {
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
    bool same = token->length <= word->folded.length - word->matched &&
                memcmp(token->text, word->folded.bytes + word->matched, token->length) == 0;
    word->same = word->same && same;
    if (word->same) word->matched += token->length;
    word->unspaced = word->unspaced || nd_is_unspaced(token->text, token->length);
    if (word->tokens < ND_WHOLE_WORD_TOKENS)
        word->hashes[word->tokens] = nd_hash_token(&word->key, token->text, token->length);
    word->tokens++;
    return true;
}

nd_status nd_whole_word_find(nd_whole_word *word, const char *term, size_t length,
                             nd_word_kind *kind, uint64_t *feature, nd_error *error) {
    word->tokens = word->matched = 0;
    word->same = true;
    word->unspaced = false;
    ND_TRY(nd_fold(&word->folded, term, length, error));
    ND_TRY(nd_tokenize(word->analyzer, term, length, compare_token, word, error));
    bool whole = word->tokens > 0 && word->same && word->matched == word->folded.length;
    *kind = !whole ? ND_NO_WORD : word->tokens == 1 ? ND_ONE_WORD : ND_SEGMENT_WORD;
    if (whole)
        *feature = nd_mix64(nd_hash_token(&word->key, word->folded.bytes, word->folded.length));
    return ND_OK;
}
