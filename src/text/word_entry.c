#include "text/word_entry.h"

#include "base/status.h"
#include "unicode/scalar_tokenizer.h"

#include <string.h>

void nd_word_entry_init(nd_word_entry *entry, uint64_t seed, const nd_allocator *allocator) {
    *entry = (nd_word_entry){.key = nd_hash_key_of(seed), .folded.cluster.allocator = *allocator};
}

void nd_word_entry_free(nd_word_entry *entry) { nd_folded_clear(&entry->folded); }

/* nd_token_fn */
static bool compare_token(void *context, const nd_token *token) {
    nd_word_entry *entry = context;
    bool follows = token->length <= entry->folded.length - entry->matched &&
                   memcmp(token->text, entry->folded.bytes + entry->matched, token->length) == 0;
    entry->contiguous = entry->contiguous && follows;
    if (entry->contiguous) entry->matched += token->length;
    entry->unspaced = entry->unspaced || nd_is_unspaced(token->text, token->length);
    if (entry->tokens < ND_WORD_ENTRY_TOKENS)
        entry->hashes[entry->tokens] = nd_hash_token(&entry->key, token->text, token->length);
    entry->tokens++;
    return true;
}

nd_status nd_word_entry_parse(nd_word_entry *entry, const char *text, size_t length,
                              nd_word_kind *kind, uint64_t *feature, nd_error *error) {
    nd_token_sink sink = {.allocator = entry->folded.cluster.allocator,
                          .key = entry->key,
                          .fn = compare_token,
                          .fn_context = entry};
    size_t stopped;
    entry->tokens = entry->matched = 0;
    entry->contiguous = true;
    entry->unspaced = false;
    ND_TRY(nd_fold(&entry->folded, text, length, error));
    ND_TRY(nd_scan_words(&sink, text, length, 0, false, &stopped, error));
    bool whole = entry->tokens > 0 && entry->contiguous && entry->matched == entry->folded.length;
    *kind = !whole ? ND_NO_WORD : entry->tokens == 1 ? ND_ONE_WORD : ND_SEGMENT_WORD;
    if (whole)
        *feature = nd_mix64(nd_hash_token(&entry->key, entry->folded.bytes, entry->folded.length));
    return ND_OK;
}
