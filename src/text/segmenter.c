/* The scalar tokenizer gives tokens with their offsets. A run is a sequence of tokens with nothing
 * between them.
 *
 * The cuts of a run depend on the run alone, so they are cached by its hash. If a text is read
 * twice, first for its hashes and then for its words, the cache saves the second half of the work.
 * It never changes the result, except if two runs share a 64-bit hash. */
#include "text/segmenter.h"

#include "base/limits.h"
#include "unicode/scalar_tokenizer.h"
#include "text/dictionary.h"
#include "unicode/normalize.h"
#include "unicode/icu_word_breaks.h"

#include <string.h>

/* Longer runs are not cached: a cached run has one bit for each token. */
enum { CACHED_TOKENS = 64 };

enum { SLOT_BITS = ND_LIMIT(12, 3) };

/* The cuts of a run, in the slot of its hash's upper bits. The cache has 64 KiB, so that it stays
 * in the processor's nearer caches; a larger one is slower even if runs often repeat. */
typedef struct cached_cuts {
    uint64_t run;  /* hash */
    uint64_t last; /* bit i: a word ends behind token i; 0: free */
} cached_cuts;

/* Bytes [begin, end) of the text. */
typedef struct token_range {
    size_t begin, end;
} token_range;

struct nd_segmenter {
    nd_allocator allocator;
    const nd_dictionary *dictionary; /* not owned; NULL: none */
    nd_word_breaks *breaks;          /* NULL: there is no ICU */
    nd_hash_key key;                 /* for the tokens of the dictionary, and for runs */
    /* The current run. A run of more than ND_DICTIONARY_RUN tokens is split there. */
    char *bytes; /* the tokens, folded, one after the other */
    size_t capacity, count;
    bool has_unspaced;
    size_t ends[ND_DICTIONARY_RUN]; /* of each token in `bytes` */
    token_range ranges[ND_DICTIONARY_RUN];
    bool unspaced[ND_DICTIONARY_RUN]; /* a character of a script without spaces */
    bool last[ND_DICTIONARY_RUN];     /* a word ends behind the token */
    /* Arguments of nd_dictionary_cut. */
    uint64_t hashes[ND_DICTIONARY_RUN], costs[ND_DICTIONARY_RUN + 1];
    uint16_t lengths[ND_DICTIONARY_RUN];
    /* Set while a text is scanned. */
    nd_token_sink *sink;
    nd_error failure; /* status ND_OK: sink->fn asked to stop */
    cached_cuts cuts[(size_t)1 << SLOT_BITS];
};

nd_status nd_segmenter_create(const nd_dictionary *dictionary, const nd_allocator *allocator,
                              nd_segmenter **out, nd_error *error) {
    nd_segmenter *segmenter = nd_allocate_zero(allocator, 1, sizeof *segmenter);
    if (!segmenter) return nd_fail_memory(error, sizeof *segmenter, "a segmenter");
    segmenter->allocator = *allocator;
    segmenter->dictionary = dictionary;
    segmenter->key = nd_hash_key_of(ND_DICTIONARY_SEED);
    nd_error failure;
    nd_status status = nd_word_breaks_create(allocator, &segmenter->breaks, &failure);
    if (status != ND_OK && !(status == ND_ERR_UNSUPPORTED && dictionary)) {
        nd_segmenter_free(segmenter);
        return nd_fail_as(error, &failure);
    }
    *out = segmenter;
    return ND_OK;
}

void nd_segmenter_free(nd_segmenter *segmenter) {
    if (!segmenter) return;
    nd_allocator allocator = segmenter->allocator;
    nd_word_breaks_free(segmenter->breaks);
    nd_release(&allocator, segmenter->bytes);
    nd_release(&allocator, segmenter);
}

bool nd_has_unspaced(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    while (p < end) {
        if (end - p >= 8) {
            uint64_t word = nd_load_le64(p);
            if (!(word & word << 1 & word << 2 &
                  UINT64_C(0x8080808080808080))) { /* no byte from 0xe0 on */
                p += 8;
                continue;
            }
        }
        uint32_t cp = 0;
        unsigned width = *p < 0xe0 ? 1 : nd_utf8_decode(p, end, &cp);
        if (width == 0 || (width > 1 && (nd_unicode_entry(cp) & ND_CHAR_CLASS) == ND_CHAR_UNSPACED))
            return true;
        p += width;
    }
    return false;
}

/* ---- cutting */

static size_t begin_of(const nd_segmenter *s, size_t token) {
    return token > 0 ? s->ends[token - 1] : 0;
}

/* Cuts the tokens [begin, end), characters of scripts without spaces that the dictionary does not
 * know, by ICU. */
static nd_status cut_unknown(nd_segmenter *s, size_t begin, size_t end, nd_error *error) {
    if (end - begin < 2 || !s->breaks) return ND_OK;
    size_t start = begin_of(s, begin);
    for (size_t i = begin; i < end; i++) s->ends[i] -= start;
    nd_status status = nd_word_breaks_find(s->breaks, s->bytes + start, s->ends + begin,
                                           end - begin, s->last + begin, error);
    for (size_t i = begin; i < end; i++) s->ends[i] += start;
    return status;
}

static void cut_by_dictionary(nd_segmenter *s) {
    for (size_t i = 0; i < s->count; i++)
        s->hashes[i] = nd_hash_token(&s->key, s->bytes + begin_of(s, i),
                                     s->ends[i] - begin_of(s, i));
    nd_dictionary_cut(s->dictionary, s->hashes, s->count, s->costs, s->lengths);
}

/* Cuts the run into words: sets s->last. */
static nd_status cut_run(nd_segmenter *s, nd_error *error) {
    for (size_t i = 0; i < s->count; i++) s->last[i] = true;
    if (!s->has_unspaced) return ND_OK;
    if (s->dictionary) cut_by_dictionary(s);
    else memset(s->lengths, 0, s->count * sizeof *s->lengths);
    for (size_t i = 0; i < s->count;) {
        size_t length = s->lengths[i], end = i;
        for (size_t inner = 1; inner < length; inner++) s->last[i + inner - 1] = false;
        while (end < s->count && s->lengths[end] == 0 && s->unspaced[end]) end++;
        ND_TRY(cut_unknown(s, i, end, error));
        i += length > 0 ? length : end > i ? end - i : 1;
    }
    return ND_OK;
}

static uint64_t last_bits(const nd_segmenter *s) {
    uint64_t bits = 0;
    for (size_t i = 0; i < s->count; i++) bits |= (uint64_t)s->last[i] << i;
    return bits;
}

/* As cut_run, with the cache. */
static nd_status cut_run_cached(nd_segmenter *s, nd_error *error) {
    if (s->count == 1 || s->count > CACHED_TOKENS || !s->has_unspaced) return cut_run(s, error);
    uint64_t run = nd_mix64(nd_hash_token(&s->key, s->bytes, s->ends[s->count - 1]) + s->count);
    cached_cuts *c = &s->cuts[run >> (64 - SLOT_BITS)];
    if (c->run == run && c->last != 0) {
        for (size_t i = 0; i < s->count; i++) s->last[i] = c->last >> i & 1;
        return ND_OK;
    }
    ND_TRY(cut_run(s, error));
    *c = (cached_cuts){run, last_bits(s)};
    return ND_OK;
}

/* ---- words out */

/* Gives the words of the current run to the sink, and empties the run. False: sink->fn asked to
 * stop, or s->failure says why it failed. */
static bool emit_run(nd_segmenter *s) {
    nd_token_sink *sink = s->sink;
    if (s->count == 0) return true;
    if (cut_run_cached(s, &s->failure) != ND_OK) return false;
    if (!sink->fn &&
        !nd_reserve(&sink->allocator, &sink->hashes, &sink->capacity, sink->count + s->count))
        return nd_fail_memory(&s->failure, (sink->count + s->count) * sizeof *sink->hashes,
                              "token hashes") == ND_OK;
    for (size_t i = 0, first = 0; i < s->count; i++) {
        if (!s->last[i]) continue;
        const char *word = s->bytes + begin_of(s, first);
        size_t length = s->ends[i] - begin_of(s, first);
        if (!sink->fn) sink->hashes[sink->count++] = nd_hash_token(&sink->key, word, length);
        else if (!sink->fn(sink->fn_context,
                           &(nd_token){word, length, s->ranges[first].begin, s->ranges[i].end}))
            return false;
        first = i + 1;
    }
    s->count = 0;
    s->has_unspaced = false;
    return true;
}

/* nd_token_fn */
static bool add_token(void *context, const nd_token *token) {
    nd_segmenter *s = context;
    bool follows = s->count > 0 && token->begin <= s->ranges[s->count - 1].end &&
                   s->count < ND_DICTIONARY_RUN;
    if (!follows && !emit_run(s)) return false;
    size_t i = s->count, begin = begin_of(s, i);
    if (!nd_reserve(&s->allocator, &s->bytes, &s->capacity, begin + token->length))
        return nd_fail_memory(&s->failure, begin + token->length, "a run of words") == ND_OK;
    memcpy(s->bytes + begin, token->text, token->length);
    s->ends[i] = begin + token->length;
    s->ranges[i] = (token_range){token->begin, token->end};
    s->unspaced[i] = nd_is_unspaced(token->text, token->length);
    s->has_unspaced |= s->unspaced[i];
    s->count++;
    return true;
}

nd_status nd_segmenter_scan(nd_segmenter *s, nd_token_sink *sink, const char *text, size_t length,
                            nd_error *error) {
    nd_token_sink tokens = {.allocator = s->allocator, .fn = add_token, .fn_context = s};
    size_t stopped;
    s->sink = sink;
    s->count = 0;
    s->has_unspaced = false;
    s->failure.status = ND_OK;
    nd_status status = nd_scan_words(&tokens, text, length, 0, false, &stopped, error);
    if (status == ND_OK && !emit_run(s))
        status = nd_fail(error, ND_ERR_CANCELLED, "the token callback asked to stop");
    return s->failure.status == ND_OK ? status
                                      : nd_fail(error, s->failure.status, "%s", s->failure.message);
}
