#include "text/stemmer.h"

#include "base/format.h"
#include "base/limits.h"
#include "unicode/scalar_tokenizer.h"

#include <string.h>

/* A word and its stem, in the slot of the word's upper bits. The table has 4 MiB. */
typedef struct cached_stem {
    uint64_t word, stem; /* hashes */
} cached_stem;

enum { SLOT_BITS = ND_LIMIT(18, 3) };

struct nd_stemmer {
    nd_allocator allocator;
    struct sb_stemmer *snowball;
    cached_stem cache[(size_t)1 << SLOT_BITS];
};

/* ---- Snowball */

#ifdef ND_WITH_STEMMER

#include <libstemmer.h>

/* Longer words are not stemmed: no language has them, and a stemmer may need more than linear
 * time. */
enum { MOST_BYTES = 255 };

nd_status nd_stem_language(const char *name, const char **language, nd_error *error) {
    char known[600] = "";
    size_t used = 0;
    for (const char **l = sb_stemmer_list(); *l; l++) {
        if (strcmp(*l, name) == 0) {
            *language = *l;
            return ND_OK;
        }
        size_t more = nd_format(known + used, sizeof known - used, "%s%s", used ? ", " : "", *l);
        used += more < sizeof known - used ? more : 0;
    }
    return nd_fail(error, ND_ERR_ARGUMENT, "stem must be one of %s, not '%.40s'", known, name);
}

static struct sb_stemmer *open_snowball(const char *language) {
    return sb_stemmer_new(language, NULL);
}

static void close_snowball(struct sb_stemmer *snowball) { sb_stemmer_delete(snowball); }

nd_status nd_stemmer_stem(nd_stemmer *stemmer, const char *word, size_t length, const char **stem,
                          size_t *stem_length, nd_error *error) {
    *stem = word;
    *stem_length = length;
    if (length > MOST_BYTES) return ND_OK;
    const sb_symbol *made = sb_stemmer_stem(stemmer->snowball, (const sb_symbol *)word,
                                            (int)length);
    if (!made) return nd_fail_memory(error, length, "a stem");
    int made_length = sb_stemmer_length(stemmer->snowball);
    if (made_length <= 0) return ND_OK;
    *stem = (const char *)made;
    *stem_length = (size_t)made_length;
    return ND_OK;
}

#else

nd_status nd_stem_language(const char *name, const char **language, nd_error *error) {
    (void)language;
    return nd_fail(error, ND_ERR_UNSUPPORTED,
                   "this build has no libstemmer: words of '%.40s' cannot be stemmed", name);
}

/* Never called: nd_stem_language fails first. */
static struct sb_stemmer *open_snowball(const char *language) { return (void)language, NULL; }

static void close_snowball(struct sb_stemmer *snowball) { (void)snowball; }

nd_status nd_stemmer_stem(nd_stemmer *stemmer, const char *word, size_t length, const char **stem,
                          size_t *stem_length, nd_error *error) {
    (void)stemmer, (void)error;
    *stem = word;
    *stem_length = length;
    return ND_OK;
}

#endif

nd_status nd_stemmer_create(const char *language, const nd_allocator *allocator, nd_stemmer **out,
                            nd_error *error) {
    nd_stemmer *stemmer = nd_allocate_zero(allocator, 1, sizeof *stemmer);
    if (!stemmer) return nd_fail_memory(error, sizeof *stemmer, "a stemmer");
    stemmer->allocator = *allocator;
    /* A free slot holds a word that belongs to another slot. 0 is such a word in all but the first.
     */
    stemmer->cache[0].word = ~UINT64_C(0);
    stemmer->snowball = open_snowball(language);
    if (!stemmer->snowball) {
        nd_stemmer_free(stemmer);
        return nd_fail_memory(error, 1, "a stemmer");
    }
    *out = stemmer;
    return ND_OK;
}

void nd_stemmer_free(nd_stemmer *stemmer) {
    if (!stemmer) return;
    nd_allocator allocator = stemmer->allocator;
    if (stemmer->snowball) close_snowball(stemmer->snowball);
    nd_release(&allocator, stemmer);
}

/* ---- hashes */

typedef struct replacing {
    nd_stemmer *stemmer;
    const nd_token_sink *sink;
    size_t next;     /* index of the next token */
    size_t replaced; /* so many hashes at the beginning are replaced already */
    nd_error failure;
} replacing;

static inline cached_stem *slot_of(nd_stemmer *stemmer, uint64_t word) {
    return &stemmer->cache[word >> (64 - SLOT_BITS)];
}

/* nd_token_fn */
static bool replace_hash(void *context, const nd_token *token) {
    replacing *r = context;
    size_t i = r->next++;
    if (i < r->replaced) return true;
    uint64_t word = r->sink->hashes[i];
    cached_stem *c = slot_of(r->stemmer, word);
    if (c->word != word) {
        const char *stem;
        size_t stem_length;
        if (nd_stemmer_stem(r->stemmer, token->text, token->length, &stem, &stem_length,
                            &r->failure) != ND_OK)
            return false;
        *c = (cached_stem){word, nd_hash_token(&r->sink->key, stem, stem_length)};
    }
    r->sink->hashes[i] = c->stem;
    return true;
}

/* Calls `fn` with each word of the text, by the scalar tokenizer. */
static nd_status scan_words(const nd_token_sink *sink, const char *text, size_t length,
                            nd_token_fn *fn, void *context, nd_error *error) {
    nd_token_sink words = {
        .allocator = sink->allocator, .key = sink->key, .fn = fn, .fn_context = context};
    size_t stopped;
    return nd_scan_words(&words, text, length, 0, false, &stopped, error);
}

nd_status nd_stemmer_replace_hashes(nd_stemmer *stemmer, const nd_token_sink *sink,
                                    const char *text, size_t length, nd_error *error) {
    replacing r = {.stemmer = stemmer, .sink = sink};
    for (; r.replaced < sink->count; r.replaced++) {
        const cached_stem *c = slot_of(stemmer, sink->hashes[r.replaced]);
        if (c->word != sink->hashes[r.replaced]) break;
        sink->hashes[r.replaced] = c->stem;
    }
    if (r.replaced == sink->count) return ND_OK;
    nd_status status = scan_words(sink, text, length, replace_hash, &r, error);
    return status == ND_ERR_CANCELLED ? nd_fail(error, r.failure.status, "%s", r.failure.message)
                                      : status;
}

/* ---- tokens */

typedef struct stemming {
    nd_stemmer *stemmer;
    const nd_token_sink *sink;
    nd_error failure; /* status ND_OK: sink->fn asked to stop */
} stemming;

/* nd_token_fn */
static bool emit_stem(void *context, const nd_token *token) {
    stemming *s = context;
    nd_token stem = *token;
    if (nd_stemmer_stem(s->stemmer, token->text, token->length, &stem.text, &stem.length,
                        &s->failure) != ND_OK)
        return false;
    return s->sink->fn(s->sink->fn_context, &stem);
}

nd_status nd_stemmer_tokenize(nd_stemmer *stemmer, const nd_token_sink *sink, const char *text,
                              size_t length, nd_error *error) {
    stemming s = {.stemmer = stemmer, .sink = sink};
    nd_status status = scan_words(sink, text, length, emit_stem, &s, error);
    return s.failure.status != ND_OK ? nd_fail(error, s.failure.status, "%s", s.failure.message)
                                     : status;
}
