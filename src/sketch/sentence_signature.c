/* The signature of the longest sentences, as neardup.h defines it. A long sentence is rare in other
 * texts, and the texts around an article (menus, captions, notices) are short. */
#include "sketch/sentence_signature.h"

#include "base/argument.h"
#include "base/status.h"
#include "text/analyzer.h"

#include <string.h>

typedef struct longest {
    nd_analyzer *analyzer;
    const char *text;
    uint64_t *hashes;                /* of the longest sentences so far, the longest first */
    size_t tokens[ND_MAX_SENTENCES]; /* in each of them */
    uint32_t count, most;
    nd_status status; /* of the analyzer, with its message */
    nd_error error;
} longest;

/* Inserts a sentence before the first shorter one, unless it is in the list already. */
static void insert(longest *l, uint64_t hash, size_t tokens) {
    uint32_t at = 0;
    for (; at < l->count && l->tokens[at] >= tokens; at++)
        if (l->hashes[at] == hash) return;
    if (at == l->most) return;
    uint32_t moved = (l->count < l->most ? l->count++ : l->most - 1) - at;
    memmove(l->hashes + at + 1, l->hashes + at, moved * sizeof *l->hashes);
    memmove(l->tokens + at + 1, l->tokens + at, moved * sizeof *l->tokens);
    l->hashes[at] = hash;
    l->tokens[at] = tokens;
}

/* Whether a sentence of so many bytes is too short for the list, whatever it says. A token of
 * ND_WORDS takes at least two bytes, its own and one behind it; in scripts without spaces at least
 * three. */
static bool is_too_short(const longest *l, size_t bytes) {
    size_t least = l->count < l->most ? ND_SENTENCE_LEAST_TOKENS : l->tokens[l->most - 1] + 1;
    return nd_analyzer_options_of(l->analyzer)->kind != ND_CHARS && (bytes + 1) / 2 < least;
}

/* The callback of nd_sentences. */
static bool add_sentence(void *context, size_t begin, size_t end) {
    longest *l = context;
    nd_shingles sentence;
    if (is_too_short(l, end - begin)) return true;
    l->status = nd_analyze(l->analyzer, l->text + begin, end - begin, &sentence, &l->error);
    if (l->status != ND_OK) return false;
    if (sentence.tokens >= ND_SENTENCE_LEAST_TOKENS)
        insert(l, sentence.text_hash[0], sentence.tokens);
    return true;
}

nd_status nd_sentence_signature(nd_analyzer *analyzer, const char *text, size_t length, uint32_t n,
                                uint64_t *hashes, uint32_t *count, nd_error *error) {
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need(hashes, "hashes", error));
    ND_TRY(nd_need(count, "count", error));
    if (n < 1 || n > ND_MAX_SENTENCES)
        return nd_fail(error, ND_ERR_ARGUMENT, "n must be 1 to %d, not %u", ND_MAX_SENTENCES, n);
    uint64_t found[ND_MAX_SENTENCES];
    longest l = {.analyzer = analyzer, .text = text, .hashes = found, .most = n};
    nd_status status = nd_sentences(text, length, add_sentence, &l, error);
    if (l.status != ND_OK && error) *error = l.error;
    if (l.status != ND_OK) return l.status;
    if (status != ND_OK) return status;
    memcpy(hashes, found, l.count * sizeof *hashes);
    *count = l.count;
    return ND_OK;
}
