/* The longest-sentences signature as neardup.h defines it. Long sentences are rare elsewhere, and
 * what surrounds an article (menus, captions, notices) is short. */
#include "sketch/sentence_signature.h"

#include "base/argument.h"
#include "base/status.h"
#include "text/analyzer.h"

#include <string.h>

typedef struct longest {
    nd_analyzer *analyzer;
    const char *text;
    uint64_t *hashes;                /* the longest first */
    size_t tokens[ND_MAX_SENTENCES]; /* of each */
    uint32_t count, most;
    nd_status status; /* of the analyzer, with its message */
    nd_error error;
} longest;

/* Puts a sentence where it belongs, before the first that is shorter; unless it is there already.
 */
static void put(longest *l, uint64_t hash, size_t tokens) {
    uint32_t place = 0;
    for (; place < l->count && l->tokens[place] >= tokens; place++)
        if (l->hashes[place] == hash) return;
    if (place == l->most) return;
    uint32_t moved = (l->count < l->most ? l->count++ : l->most - 1) - place;
    memmove(l->hashes + place + 1, l->hashes + place, moved * sizeof *l->hashes);
    memmove(l->tokens + place + 1, l->tokens + place, moved * sizeof *l->tokens);
    l->hashes[place] = hash;
    l->tokens[place] = tokens;
}

/* Whether so many bytes have too few tokens in any case. A token of ND_WORDS has a byte and another
 * behind it; or, in scripts without spaces, three. */
static bool is_too_short(const longest *l, size_t bytes) {
    size_t least = l->count < l->most ? ND_SENTENCE_LEAST_TOKENS : l->tokens[l->most - 1] + 1;
    return nd_analyzer_options_of(l->analyzer)->kind != ND_CHARS && (bytes + 1) / 2 < least;
}

static bool take(void *context, size_t begin, size_t end) {
    longest *l = context;
    nd_shingles sentence;
    if (is_too_short(l, end - begin)) return true;
    l->status = nd_analyze(l->analyzer, l->text + begin, end - begin, &sentence, &l->error);
    if (l->status != ND_OK) return false;
    if (sentence.tokens >= ND_SENTENCE_LEAST_TOKENS) put(l, sentence.text_hash[0], sentence.tokens);
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
    nd_status status = nd_sentences(text, length, take, &l, error);
    if (l.status != ND_OK && error) *error = l.error;
    if (l.status != ND_OK) return l.status;
    if (status != ND_OK) return status;
    memcpy(hashes, found, l.count * sizeof *hashes);
    *count = l.count;
    return ND_OK;
}
