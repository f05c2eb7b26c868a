#include "sketch/text_simhash.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/decimal.h"
#include "base/floats.h"
#include "base/hash.h"
#include "base/status.h"
#include "sketch/simhash.h"
#include "text/analyzer.h"
#include "terms/distinct_features.h"
#include "terms/weight_table.h"
#include "unicode/case_fold.h"
#include "text/stop_words.h"

#include <string.h>

/* Features that get their weights at a time, and bytes of an item that a message shows. */
enum { BLOCK = 256, SHOWN = 60 };

/* The weight that a feature was found to have. */
typedef struct remembered {
    uint64_t feature;
    double weight;
} remembered;

enum { MEMORY_BITS = 14, MEMORY_SHIFT = 64 - MEMORY_BITS };

struct nd_text_simhash {
    nd_allocator allocator;
    nd_analyzer *analyzer; /* not owned */
    nd_simhash_options options;
    const nd_feature_counts *counts;
    nd_simhash *simhash;
    nd_distinct_features distinct;
    remembered *memory; /* with counts; a feature's place is that of its upper bits */
    /* Levels. */
    nd_hash_key key;
    nd_folded folded;
    size_t waiting; /* of the arrays below */
    uint64_t features[BLOCK];
    double weights[BLOCK];
};

void nd_simhash_options_init(nd_simhash_options *options) {
    *options = (nd_simhash_options){.bits = 64, .weighting = ND_WEIGHTING_TF};
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

/* Nothing is remembered: what is there would have another place. */
static nd_status create_memory(nd_text_simhash *s, nd_error *error) {
    size_t size = (size_t)1 << MEMORY_BITS;
    s->memory = nd_allocate_zero(&s->allocator, size, sizeof *s->memory);
    if (!s->memory) return nd_fail_memory(error, size * sizeof *s->memory, "weights");
    s->memory[0].feature = ~UINT64_C(0);
    return ND_OK;
}

nd_status nd_text_simhash_create(nd_analyzer *analyzer, const nd_simhash_options *options,
                                 const nd_feature_counts *counts, nd_text_simhash **out,
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
    if (status == ND_OK && counts) status = create_memory(made, error);
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
    nd_release(&allocator, simhash->memory);
    nd_folded_clear(&simhash->folded);
    nd_release(&allocator, simhash);
}

/* ---- shingles */

/* A few words are most of a text, and the counts lie far apart in memory: weights are asked for
 * once, while others do not take their places. At most BLOCK features. */
static void weigh_counted(nd_text_simhash *s, const uint64_t *features, size_t count,
                          double *weights) {
    uint64_t missed[BLOCK];
    double found[BLOCK];
    uint32_t places[BLOCK];
    size_t misses = 0;
    for (size_t i = 0; i < count; i++) {
        const remembered *r = &s->memory[features[i] >> MEMORY_SHIFT];
        weights[i] = r->weight;
        missed[misses] = features[i];
        places[misses] = (uint32_t)i;
        misses += r->feature != features[i];
    }
    if (misses == 0) return;
    nd_feature_counts_weigh(s->counts, missed, misses, found);
    for (size_t i = 0; i < misses; i++) {
        weights[places[i]] = found[i];
        s->memory[missed[i] >> MEMORY_SHIFT] = (remembered){missed[i], found[i]};
    }
}

/* At most BLOCK features. */
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

void nd_text_simhash_leave_out(const nd_text_simhash *s, nd_shingles *shingles) {
    if (s->options.stop && shingles->tokens > 0)
        shingles->count = nd_stop_words_leave_out(s->options.stop, shingles->hashes,
                                                  shingles->count);
}

static nd_status add_shingles(nd_text_simhash *s, nd_shingles *shingles, nd_error *error) {
    nd_text_simhash_leave_out(s, shingles);
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

/* White_Space. */
static bool is_space(uint32_t cp) {
    if (cp < 0x80) return cp == ' ' || cp - '\t' < 5;
    return cp == 0x85 || cp == 0xa0 || cp == 0x1680 || cp - 0x2000 < 11 || cp == 0x2028 ||
           cp == 0x2029 || cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

/* The end of the run, of white space or of anything else, that begins at `at`. */
static size_t run_end(const char *text, size_t length, size_t at, bool space) {
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t cp = 0;
    for (unsigned width; at < length; at += width) {
        width = nd_utf8_decode(bytes + at, bytes + length, &cp);
        if (is_space(cp) != space) break;
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

/* word(weight): the last pair of parentheses is the weight's. */
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
    for (size_t at = run_end(text, length, 0, true); at < length;) {
        size_t end = run_end(text, length, at, false);
        ND_TRY(add_item(s, text + at, end - at, ++number, error));
        at = run_end(text, length, end, true);
    }
    return number > 0 ? flush(s, error) : add_text(s, text, length, error);
}

/* ---- texts */

/* Also after a failure: what was added is no part of the next text's. */
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

nd_status nd_text_simhash_of(nd_text_simhash *s, nd_shingles *shingles, nd_fingerprint *out,
                             nd_error *error) {
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
    nd_simhash_options given;
    nd_simhash_options_init(&given);
    if (options) given = *options;
    nd_text_simhash *simhash = NULL;
    ND_TRY(nd_text_simhash_create(analyzer, &given, NULL, &simhash, error));
    nd_status status = nd_text_simhash_make(simhash, text, length, out, error);
    nd_text_simhash_free(simhash);
    return status;
}
