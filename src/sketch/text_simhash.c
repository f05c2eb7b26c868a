/* Features are given to SimHash in blocks with their weights: from a weight table, from a Count-Min
 * sketch through a cache, from the text itself (ND_WEIGHTING_LEVELS), or without weights. */
#include "sketch/text_simhash.h"

#include "base/options.h"
#include "base/alloc.h"
#include "base/argument.h"
#include "base/decimal.h"
#include "base/floats.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/status.h"
#include "sketch/simhash.h"
#include "text/analyzer.h"
#include "terms/distinct_features.h"
#include "terms/weight_table.h"
#include "unicode/case_fold.h"
#include "text/stop_words.h"

/* BLOCK: features that are weighed at a time. SHOWN: bytes of an item that a message shows. */
enum { BLOCK = 256, SHOWN = 60 };

typedef struct cached_weight {
    uint64_t feature;
    double weight;
} cached_weight;

enum { CACHE_BITS = 14, CACHE_SHIFT = 64 - CACHE_BITS };

struct nd_text_simhash {
    nd_allocator allocator;
    nd_analyzer *analyzer; /* not owned */
    nd_simhash_options options;
    const nd_count_min *counts;
    nd_simhash *simhash;
    nd_distinct_features distinct;
    cached_weight *cache; /* with `counts`: 2^CACHE_BITS slots by the feature's upper bits */
    /* For ND_WEIGHTING_LEVELS. */
    nd_hash_key key;
    nd_folded folded;
    size_t waiting; /* items in the arrays below, not yet added */
    uint64_t features[BLOCK];
    double weights[BLOCK];
};

static const nd_simhash_options defaults = {
    .struct_size = sizeof defaults, .bits = 64, .weighting = ND_WEIGHTING_TF};

void nd_simhash_options_init(nd_simhash_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_simhash_options_read(const nd_simhash_options *given, nd_simhash_options *out,
                                  nd_error *error) {
    *out = defaults;
    return ND_READ_OPTIONS(given, out, "nd_simhash_options", error);
}

nd_status nd_simhash_options_check(const nd_simhash_options *options,
                                   const nd_analyzer_options *analyzer, nd_error *error) {
    ND_TRY(nd_fingerprint_check_bits(options->bits, error));
    if (options->weighting == ND_WEIGHTING_COUNTED)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "ND_WEIGHTING_COUNTED counts the words of all documents: only nd_dedup and "
                       "nd_pairs have it");
    ND_CHECK_ENUM(options->weighting, "weighting", ND_WEIGHTING_TF, ND_WEIGHTING_COUNTED, error);
    if (options->weighting == ND_WEIGHTING_LEVELS && (options->stop || analyzer->stem))
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "stop words and stems are of texts, not of the lists of ND_WEIGHTING_LEVELS");
    if (options->stop) ND_TRY(nd_stop_words_check(options->stop, analyzer, error));
    if (options->weighting != ND_WEIGHTING_TABLE) return ND_OK;
    if (!options->table) return nd_fail(error, ND_ERR_ARGUMENT, "ND_WEIGHTING_TABLE needs a table");
    return nd_weights_check(options->table, analyzer, error);
}

/* A free slot holds a feature that belongs to another slot. 0 is one in all but the first. */
static nd_status create_cache(nd_text_simhash *s, nd_error *error) {
    size_t size = (size_t)1 << CACHE_BITS;
    s->cache = nd_allocate_zero(&s->allocator, size, sizeof *s->cache);
    if (!s->cache) return nd_fail_memory(error, size * sizeof *s->cache, "weights");
    s->cache[0].feature = ~UINT64_C(0);
    return ND_OK;
}

nd_status nd_text_simhash_create(nd_analyzer *analyzer, const nd_simhash_options *options,
                                 const nd_count_min *counts, nd_text_simhash **out,
                                 nd_error *error) {
    const nd_analyzer_options *analyzed = nd_analyzer_options_of(analyzer);
    const nd_allocator *allocator = nd_analyzer_allocator(analyzer);
    ND_TRY(nd_simhash_options_check(options, analyzed, error));
    nd_text_simhash *made = nd_allocate_zero(allocator, 1, sizeof *made);
    if (!made) return nd_fail_memory(error, sizeof *made, "SimHash of texts");
    made->allocator = made->folded.cluster.allocator = *allocator;
    nd_distinct_features_init(&made->distinct, allocator);
    made->analyzer = analyzer;
    made->options = *options;
    made->counts = counts;
    made->key = nd_hash_key_of(analyzed->seed);
    nd_status status = nd_simhash_create(options->bits, allocator, &made->simhash, error);
    if (status == ND_OK && counts) status = create_cache(made, error);
    if (status != ND_OK) {
        nd_text_simhash_free(made);
        return status;
    }
    *out = made;
    return ND_OK;
}

void nd_text_simhash_free(nd_text_simhash *simhash) {
    if (!simhash) return;
    nd_allocator allocator = simhash->allocator;
    nd_simhash_free(simhash->simhash);
    nd_distinct_features_free(&simhash->distinct);
    nd_release(&allocator, simhash->cache);
    nd_folded_clear(&simhash->folded);
    nd_release(&allocator, simhash);
}

/* ---- shingles */

/* Weighs at most BLOCK features by the Count-Min sketch. A few words make up most of a text, and
 * their counters are far apart in memory, so weights are cached. */
static void weigh_counted(nd_text_simhash *s, const uint64_t *features, size_t count,
                          double *weights) {
    uint64_t missed[BLOCK];
    double found[BLOCK];
    uint32_t positions[BLOCK];
    size_t misses = 0;
    for (size_t i = 0; i < count; i++) {
        const cached_weight *c = &s->cache[features[i] >> CACHE_SHIFT];
        weights[i] = c->weight;
        missed[misses] = features[i];
        positions[misses] = (uint32_t)i;
        misses += c->feature != features[i];
    }
    if (misses == 0) return;
    nd_count_min_weigh(s->counts, missed, misses, found);
    for (size_t i = 0; i < misses; i++) {
        weights[positions[i]] = found[i];
        s->cache[missed[i] >> CACHE_SHIFT] = (cached_weight){missed[i], found[i]};
    }
}

/* Weighs at most BLOCK features. */
static void weigh(nd_text_simhash *s, const uint64_t *features, size_t count, double *weights) {
    if (s->counts) weigh_counted(s, features, count, weights);
    else nd_weights_fill(s->options.table, features, count, weights);
}

static nd_status add_weighed(nd_text_simhash *s, const uint64_t *features, size_t count,
                             nd_error *error) {
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        weigh(s, features + done, block, s->weights);
        ND_TRY(nd_simhash_add(s->simhash, features + done, s->weights, block, error));
    }
    return ND_OK;
}

static bool is_weighed(const nd_text_simhash *s, const nd_shingles *shingles) {
    return (s->counts || s->options.weighting == ND_WEIGHTING_TABLE) && shingles->tokens > 0;
}

void nd_text_simhash_remove_stop_words(const nd_text_simhash *s, nd_shingles *shingles) {
    if (s->options.stop && shingles->tokens > 0)
        shingles->count = nd_stop_words_remove(s->options.stop, shingles->hashes, shingles->count);
}

static nd_status add_shingles(nd_text_simhash *s, nd_shingles *shingles, nd_error *error) {
    nd_text_simhash_remove_stop_words(s, shingles);
    if (is_weighed(s, shingles)) return add_weighed(s, shingles->hashes, shingles->count, error);
    if (s->options.weighting == ND_WEIGHTING_NONE)
        ND_TRY(nd_distinct_features_find(&s->distinct, shingles->hashes, &shingles->count, error));
    return nd_simhash_add(s->simhash, shingles->hashes, NULL, shingles->count, error);
}

static nd_status add_text(nd_text_simhash *s, const char *text, size_t length, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(nd_analyze(s->analyzer, text, length, &shingles, error));
    return add_shingles(s, &shingles, error);
}

/* ---- levels */

/* Unicode's property White_Space. */
static bool is_space(uint32_t cp) {
    if (cp < 0x80) return cp == ' ' || cp - '\t' < 5;
    return cp == 0x85 || cp == 0xa0 || cp == 0x1680 || cp - 0x2000 < 11 || cp == 0x2028 ||
           cp == 0x2029 || cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

/* The two kinds of runs in a list of items. */
typedef enum run_kind { ITEM, SPACE } run_kind;

/* Returns the end of the run of this kind that begins at `at`; `at` itself if none begins there. */
static size_t run_end(const char *text, size_t length, size_t at, run_kind kind) {
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t cp = 0;
    for (unsigned width; at < length; at += width) {
        width = nd_utf8_decode(bytes + at, bytes + length, &cp);
        if (is_space(cp) != (kind == SPACE)) break;
    }
    return at;
}

static nd_status fail_item(nd_error *error, size_t number, const char *expected, const char *item,
                           size_t length) {
    return nd_fail(error, ND_ERR_INPUT, "item %zu: %s expected, not '%.*s'", number, expected,
                   nd_shown_length(item, length, SHOWN), item);
}

static nd_status flush(nd_text_simhash *s, nd_error *error) {
    size_t count = s->waiting;
    s->waiting = 0;
    return nd_simhash_add(s->simhash, s->features, s->weights, count, error);
}

/* Adds an item "word(weight)". The weight is in the last pair of parentheses. */
static nd_status add_item(nd_text_simhash *s, const char *item, size_t length, size_t number,
                          nd_error *error) {
    size_t open = length;
    while (open > 0 && item[open - 1] != '(') open--;
    if (open < 2 || item[length - 1] != ')')
        return fail_item(error, number, "word(weight)", item, length);
    uint32_t units;
    if (!nd_decimal_read(item + open, length - 1 - open, ND_WEIGHT_MOST_UNITS, &units))
        return fail_item(error, number, "a weight from 0 to 262144 in the parentheses", item,
                         length);
    ND_TRY(nd_fold(&s->folded, item, open - 1, error));
    if (s->waiting == BLOCK) ND_TRY(flush(s, error));
    s->features[s->waiting] = nd_mix64(nd_hash_token(&s->key, s->folded.bytes, s->folded.length));
    s->weights[s->waiting++] = (double)units / ND_WEIGHT_UNITS;
    return ND_OK;
}

static nd_status add_levels(nd_text_simhash *s, const char *text, size_t length, nd_error *error) {
    size_t valid = nd_utf8_valid_prefix(text, length), number = 0;
    if (valid < length) return nd_fail_utf8(error, valid);
    for (size_t at = run_end(text, length, 0, SPACE); at < length;) {
        size_t end = run_end(text, length, at, ITEM);
        ND_TRY(add_item(s, text + at, end - at, ++number, error));
        at = run_end(text, length, end, SPACE);
    }
    return number > 0 ? flush(s, error) : add_text(s, text, length, error);
}

/* ---- texts */

/* Ends the fingerprint. It does so after a failure, too, so that the features of a failed text do
 * not enter the next fingerprint. */
static nd_status finish(nd_text_simhash *s, nd_status status, nd_fingerprint *out) {
    nd_fingerprint made = nd_simhash_finish(s->simhash);
    if (status == ND_OK) *out = made;
    return status;
}

nd_status nd_text_simhash_make(nd_text_simhash *s, const char *text, size_t length,
                               nd_fingerprint *out, nd_error *error) {
    if (!text) text = "";
    bool levels = !s->counts && s->options.weighting == ND_WEIGHTING_LEVELS;
    s->waiting = 0;
    return finish(s, levels ? add_levels(s, text, length, error) : add_text(s, text, length, error),
                  out);
}

nd_status nd_text_simhash_of_shingles(nd_text_simhash *s, nd_shingles *shingles,
                                      nd_fingerprint *out, nd_error *error) {
    return finish(s, add_shingles(s, shingles, error), out);
}

void nd_text_simhash_weigh(nd_text_simhash *s, const nd_shingles *shingles,
                           const uint64_t *features, size_t count, double *weights) {
    bool weighed = is_weighed(s, shingles);
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        if (weighed) weigh(s, features + done, block, weights + done);
        for (size_t i = done; i < done + block && !weighed; i++) weights[i] = 1.0;
    }
}

bool nd_text_simhash_repeats(const nd_text_simhash *s) {
    return s->options.weighting != ND_WEIGHTING_NONE;
}

nd_status nd_simhash_text(nd_analyzer *analyzer, const nd_simhash_options *options,
                          const char *text, size_t length, nd_fingerprint *out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_TRY(nd_need(out, "out", error));
    nd_simhash_options read;
    ND_TRY(nd_simhash_options_read(options, &read, error));
    nd_text_simhash *simhash = NULL;
    ND_TRY(nd_text_simhash_create(analyzer, &read, NULL, &simhash, error));
    nd_status status = nd_text_simhash_make(simhash, text, length, out, error);
    nd_text_simhash_free(simhash);
    return status;
}
