#include "repeats/text_symbols.h"

nd_status nd_text_symbols_create(nd_symbols kind, uint32_t least, const nd_allocator *allocator,
                                 nd_text_symbols *s, nd_error *error) {
    nd_analyzer_options words;
    *s = (nd_text_symbols){.anchors = {.allocator = *allocator, .symbols = kind, .least = least}};
    if (kind == ND_SYMBOL_BYTES) return ND_OK;
    nd_analyzer_options_init(&words, sizeof words);
    words.ngram = 1;
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, &words, allocator, &s->analyzer, error);
}

void nd_text_symbols_forget(nd_text_symbols *s) {
    nd_token_offsets_free(&s->tokens, &s->anchors.allocator);
    s->tokens = (nd_token_offsets){0};
}

void nd_text_symbols_free(nd_text_symbols *s) {
    nd_analyzer_free(s->analyzer);
    nd_text_symbols_forget(s);
    nd_anchor_finder_free(&s->anchors);
}

nd_status nd_text_symbols_find(nd_text_symbols *s, const char *text, size_t length,
                               nd_error *error) {
    nd_token_offsets *tokens = &s->tokens;
    s->symbols = text;
    s->count = length;
    if (s->analyzer) {
        tokens->count = 0;
        ND_TRY(
            nd_token_offsets_add(tokens, s->analyzer, text, length, &s->anchors.allocator, error));
        /* No symbol has all bits set. */
        for (size_t i = 0; i < tokens->count; i++)
            tokens->hashes[i] -= tokens->hashes[i] == UINT64_MAX;
        s->symbols = tokens->hashes;
        s->count = tokens->count;
    }
    return ND_OK;
}

nd_status nd_text_symbols_anchors(nd_text_symbols *s, nd_anchors_fn *fn, void *context,
                                  nd_error *error) {
    return nd_anchors_find(&s->anchors, s->symbols, s->count, fn, context, error);
}
