#include "repeats/text_symbols.h"

#include <string.h>

/* New tokens of a piece. */
enum { TOKENS_AT_ONCE = ND_LIMIT(1 << 15, 20) };

nd_status nd_text_symbols_create(nd_symbols kind, uint32_t least, const nd_allocator *allocator,
                                 nd_text_symbols *s, nd_error *error) {
    nd_analyzer_options words;
    *s = (nd_text_symbols){.anchors = {.allocator = *allocator, .symbols = kind, .least = least}};
    if (kind == ND_SYMBOL_BYTES) return ND_OK;
    s->tokens = nd_allocate(allocator, TOKENS_AT_ONCE + least, sizeof *s->tokens);
    s->places = nd_allocate(allocator, TOKENS_AT_ONCE, sizeof *s->places);
    if (!s->tokens || !s->places)
        return nd_fail_memory(error, TOKENS_AT_ONCE * sizeof *s->tokens, "tokens of a text");
    nd_analyzer_options_init(&words, sizeof words);
    words.ngram = 1;
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, &words, allocator, &s->analyzer, error);
}

void nd_text_symbols_free(nd_text_symbols *s) {
    nd_analyzer_free(s->analyzer);
    nd_release(&s->anchors.allocator, s->tokens);
    nd_release(&s->anchors.allocator, s->places);
    nd_anchor_finder_free(&s->anchors);
}

/* Hands the piece on, and keeps the tokens whose windows were not whole. */
static nd_status hand_on(nd_text_symbols *s, const nd_symbols_receiver *to, nd_error *error) {
    size_t count = s->kept + s->count, most = s->anchors.least - 1;
    ND_TRY(to->symbols(to->context, s->tokens + s->kept, s->places, s->count, error));
    ND_TRY(nd_anchors_find_part(&s->anchors, s->tokens, s->begin, count, to->anchors, to->context,
                                error));
    s->kept = count < most ? count : most;
    s->begin += count - s->kept;
    s->count = 0;
    memmove(s->tokens, s->tokens + count - s->kept, s->kept * sizeof *s->tokens);
    return ND_OK;
}

typedef struct token_reader {
    nd_text_symbols *to;
    const nd_symbols_receiver *receiver;
    nd_error failure;
} token_reader;

/* nd_hashed_token_fn. False: the receiver failed. */
static bool add_token(void *context, uint64_t hash, nd_text_range place) {
    token_reader *r = context;
    nd_text_symbols *s = r->to;
    if (s->count == TOKENS_AT_ONCE && hand_on(s, r->receiver, &r->failure) != ND_OK) return false;
    s->places[s->count] = place;
    s->tokens[s->kept + s->count++] = hash - (hash == UINT64_MAX); /* no symbol has all bits set */
    return true;
}

static nd_status find_tokens(nd_text_symbols *s, const char *text, size_t length,
                             const nd_symbols_receiver *to, nd_error *error) {
    token_reader r = {.to = s, .receiver = to};
    s->kept = s->count = s->begin = 0;
    nd_status status = nd_hashed_tokens(s->analyzer, text, length, add_token, &r, error);
    if (status == ND_ERR_CANCELLED)
        return nd_fail(error, r.failure.status, "%s", r.failure.message);
    return status == ND_OK ? hand_on(s, to, error) : status;
}

nd_status nd_text_symbols_find(nd_text_symbols *s, const char *text, size_t length,
                               const nd_symbols_receiver *to, nd_error *error) {
    if (s->analyzer) {
        ND_TRY(find_tokens(s, text, length, to, error));
        return nd_anchors_end(&s->anchors, to->anchors, to->context, error);
    }
    ND_TRY(to->symbols(to->context, text, NULL, length, error));
    return nd_anchors_find(&s->anchors, text, length, to->anchors, to->context, error);
}
