/* Finds the heaviest terms of a text in two passes over it.
 *
 * The first pass counts features. A heap of the weights gives the least weight that a keyword may
 * have. Every feature of at least this weight is a candidate. If more terms have this weight than
 * there is room for, their letters decide, so there may be more candidates than keywords.
 *
 * The second pass reads the words of the text. Each candidate goes into the heap again, now with
 * its letters. The pass ends when every candidate has been met. */
#include "extract/text_keywords.h"

#include "base/options.h"
#include "base/alloc.h"
#include "base/argument.h"
#include "base/floats.h"
#include "base/status.h"
#include "similarity/tf_vector.h"
#include "text/analyzer.h"
#include "terms/weight_table.h"

#include <string.h>

/* A candidate in the table of features. */
typedef struct slot {
    uint64_t feature;
    uint64_t units; /* weight; 0: the slot is free */
    bool met;
} slot;

/* A term with its weight, and, once the term has been met, its letters. */
typedef struct entry {
    uint64_t units;
    size_t start, length; /* in `letters` */
} entry;

struct nd_text_keywords {
    nd_allocator allocator;
    nd_analyzer *analyzer; /* not owned */
    nd_text_simhash *weigher;
    uint32_t top;
    uint64_t *tokens; /* the feature of each word, in the order of the text */
    size_t token_capacity;
    nd_tf_vector vector;
    entry *heap; /* heap[0] is the entry that comes last in the order of keywords */
    size_t size, most, heap_capacity;
    slot *slots; /* a feature is in the slot that its top bits give, or behind it; at most half of
                    the slots are in use */
    unsigned shift;
    size_t slot_count, slot_capacity;
    char *letters;
    size_t letter_count, letter_capacity;
    nd_weighed_term *terms; /* the keywords found */
    size_t term_capacity;
    /* Second pass: the next word, the candidates not met yet, and the first failure. */
    size_t token, missing;
    nd_error failure;
};

static const nd_keyword_options defaults = {
    .struct_size = sizeof defaults, .top = 20, .weighting = ND_WEIGHTING_COUNTED};

void nd_keyword_options_init(nd_keyword_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_keyword_options_read(const nd_keyword_options *given, nd_keyword_options *out,
                                  nd_error *error) {
    *out = defaults;
    return ND_READ_OPTIONS(given, out, "nd_keyword_options", error);
}

static nd_simhash_options weigher_options(const nd_keyword_options *options) {
    bool by_table = options->weighting == ND_WEIGHTING_TABLE;
    return (nd_simhash_options){.bits = 64,
                                .weighting = by_table ? ND_WEIGHTING_TABLE : ND_WEIGHTING_TF,
                                .table = by_table ? options->table : NULL,
                                .stop = options->stop};
}

nd_status nd_keyword_options_check(const nd_keyword_options *options,
                                   const nd_analyzer_options *analyzer, bool counted,
                                   nd_error *error) {
    if (options->top < 1) return nd_fail(error, ND_ERR_ARGUMENT, "top must be at least 1");
    if (options->weighting == ND_WEIGHTING_COUNTED && !counted)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "ND_WEIGHTING_COUNTED counts the words of all documents: only nd_keywords has it");
    if (options->weighting != ND_WEIGHTING_TF && options->weighting != ND_WEIGHTING_TABLE &&
        options->weighting != ND_WEIGHTING_COUNTED)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "weighting of keywords must be ND_WEIGHTING_TF (%d), ND_WEIGHTING_TABLE "
                       "(%d) or ND_WEIGHTING_COUNTED (%d), not %d",
                       ND_WEIGHTING_TF, ND_WEIGHTING_TABLE, ND_WEIGHTING_COUNTED,
                       (int)options->weighting);
    ND_TRY(nd_analyzer_options_check_single_words(analyzer, "keywords", error));
    nd_simhash_options weigher = weigher_options(options);
    return nd_simhash_options_check(&weigher, analyzer, error);
}

nd_status nd_text_keywords_create(nd_analyzer *analyzer, const nd_keyword_options *options,
                                  const nd_count_min *counts, nd_text_keywords **out,
                                  nd_error *error) {
    const nd_allocator *allocator = nd_analyzer_allocator(analyzer);
    nd_simhash_options weigher = weigher_options(options);
    ND_TRY(
        nd_keyword_options_check(options, nd_analyzer_options_of(analyzer), counts != NULL, error));
    nd_text_keywords *made = nd_allocate_zero(allocator, 1, sizeof *made);
    if (!made) return nd_fail_memory(error, sizeof *made, "keywords");
    made->allocator = *allocator;
    made->analyzer = analyzer;
    made->top = options->top;
    nd_status status = nd_text_simhash_create(analyzer, &weigher, counts, &made->weigher, error);
    if (status != ND_OK) {
        nd_text_keywords_free(made);
        return status;
    }
    *out = made;
    return ND_OK;
}

void nd_text_keywords_free(nd_text_keywords *k) {
    if (!k) return;
    nd_allocator allocator = k->allocator;
    nd_text_simhash_free(k->weigher);
    nd_tf_vector_free(&allocator, &k->vector);
    nd_release(&allocator, k->tokens);
    nd_release(&allocator, k->heap);
    nd_release(&allocator, k->slots);
    nd_release(&allocator, k->letters);
    nd_release(&allocator, k->terms);
    nd_release(&allocator, k);
}

/* ---- the heap */

/* Whether x comes after y in the order of keywords: heaviest first, terms of equal weight in
 * bytewise order. */
static bool comes_after(const nd_text_keywords *k, const entry *x, const entry *y) {
    if (x->units != y->units) return x->units < y->units;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = shorter > 0 ? memcmp(k->letters + x->start, k->letters + y->start, shorter) : 0;
    return order != 0 ? order > 0 : x->length > y->length;
}

/* Replaces heap[0] by an entry, and moves the entry to its position in the heap. */
static void replace_first(nd_text_keywords *k, const entry *e) {
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < k->size; at = child) {
        child += child + 1 < k->size && comes_after(k, &k->heap[child + 1], &k->heap[child]);
        if (!comes_after(k, &k->heap[child], e)) break;
        k->heap[at] = k->heap[child];
    }
    k->heap[at] = *e;
}

/* Keeps an entry if it is among the first `most` entries so far. Returns whether it is. */
static bool offer(nd_text_keywords *k, const entry *e) {
    if (k->size == k->most) {
        if (!comes_after(k, &k->heap[0], e)) return false;
        replace_first(k, e);
        return true;
    }
    size_t at = k->size++;
    for (; at > 0 && comes_after(k, e, &k->heap[(at - 1) / 2]); at = (at - 1) / 2)
        k->heap[at] = k->heap[(at - 1) / 2];
    k->heap[at] = *e;
    return true;
}

/* Empties the heap into k->terms, in the order of keywords. */
static nd_status sort_terms(nd_text_keywords *k, size_t *count, nd_error *error) {
    *count = k->size;
    if (!nd_reserve(&k->allocator, &k->terms, &k->term_capacity, k->size))
        return nd_fail_memory(error, k->size * sizeof *k->terms, "keywords");
    while (k->size > 0) {
        const entry last = k->heap[0], moved = k->heap[--k->size];
        if (k->size > 0) replace_first(k, &moved);
        k->terms[k->size] = (nd_weighed_term){k->letters + last.start, last.length, last.units};
    }
    return ND_OK;
}

/* ---- candidates */

/* Finds the least weight that a keyword may have. */
static nd_status find_least(nd_text_keywords *k, uint64_t *least, nd_error *error) {
    const uint64_t *weights = k->vector.words + k->vector.count;
    k->size = 0;
    k->most = k->vector.count < k->top ? k->vector.count : k->top;
    if (!nd_reserve(&k->allocator, &k->heap, &k->heap_capacity, k->most))
        return nd_fail_memory(error, k->most * sizeof *k->heap, "keywords");
    for (size_t i = 0; i < k->vector.count; i++)
        if (weights[i] > 0) offer(k, &(entry){.units = weights[i]});
    *least = k->size > 0 && k->size == k->most ? k->heap[0].units : 1;
    k->size = 0;
    return ND_OK;
}

static inline slot *find(const nd_text_keywords *k, uint64_t feature) {
    size_t at = (size_t)(feature >> k->shift);
    while (k->slots[at].units != 0 && k->slots[at].feature != feature)
        at = (at + 1) & (k->slot_count - 1);
    return &k->slots[at];
}

/* Makes candidates of all features of at least this weight, and counts them in k->missing. */
static nd_status choose(nd_text_keywords *k, uint64_t least, nd_error *error) {
    const uint64_t *features = k->vector.words, *weights = features + k->vector.count;
    unsigned bits = 6;
    k->missing = 0;
    for (size_t i = 0; i < k->vector.count; i++) k->missing += weights[i] >= least;
    while ((size_t)1 << bits < 2 * k->missing) bits++;
    k->slot_count = (size_t)1 << bits;
    k->shift = 64 - bits;
    if (!nd_reserve(&k->allocator, &k->slots, &k->slot_capacity, k->slot_count))
        return nd_fail_memory(error, k->slot_count * sizeof *k->slots, "keywords");
    memset(k->slots, 0, k->slot_count * sizeof *k->slots);
    for (size_t i = 0; i < k->vector.count; i++)
        if (weights[i] >= least)
            *find(k, features[i]) = (slot){.feature = features[i], .units = weights[i]};
    return ND_OK;
}

/* ---- letters */

static nd_status offer_word(nd_text_keywords *k, uint64_t units, const char *word,
                            size_t word_length) {
    const char *term;
    size_t length;
    ND_TRY(nd_analyzer_stem(k->analyzer, word, word_length, &term, &length, &k->failure));
    if (!nd_reserve(&k->allocator, &k->letters, &k->letter_capacity, k->letter_count + length))
        return nd_fail_memory(&k->failure, length, "keywords");
    memcpy(k->letters + k->letter_count, term, length);
    if (offer(k, &(entry){units, k->letter_count, length})) k->letter_count += length;
    return ND_OK;
}

/* nd_token_fn */
static bool match_word(void *context, const nd_token *token) {
    nd_text_keywords *k = context;
    slot *s = find(k, k->tokens[k->token++]);
    if (s->units == 0 || s->met) return true;
    s->met = true;
    return offer_word(k, s->units, token->text, token->length) == ND_OK && --k->missing > 0;
}

static nd_status match_words(nd_text_keywords *k, const char *text, size_t length,
                             nd_error *error) {
    nd_error stopped = {.status = ND_OK};
    k->token = k->letter_count = 0;
    k->failure.status = ND_OK;
    nd_status status = nd_analyzer_words(k->analyzer, text, length, match_word, k, &stopped);
    if (k->failure.status != ND_OK)
        return nd_fail(error, k->failure.status, "%s", k->failure.message);
    return status == ND_OK || status == ND_ERR_CANCELLED
               ? ND_OK
               : nd_fail(error, status, "%s", stopped.message);
}

/* ---- texts */

static nd_status make_vector(nd_text_keywords *k, nd_shingles *shingles, nd_error *error) {
    if (!nd_reserve(&k->allocator, &k->tokens, &k->token_capacity, shingles->tokens))
        return nd_fail_memory(error, shingles->tokens * sizeof *k->tokens, "keywords");
    memcpy(k->tokens, shingles->hashes, shingles->tokens * sizeof *k->tokens);
    return nd_tf_vector_make(k->weigher, &k->allocator, shingles, &k->vector, error);
}

nd_status nd_text_keywords_find(nd_text_keywords *k, const char *text, size_t length,
                                const nd_weighed_term **terms, size_t *count, nd_error *error) {
    nd_shingles shingles;
    uint64_t least = 1;
    ND_TRY(nd_analyze(k->analyzer, text, length, &shingles, error));
    k->size = k->missing = 0;
    if (shingles.tokens > 0) {
        ND_TRY(make_vector(k, &shingles, error));
        bool only_stop_words = k->vector.count == 0;
        if (!only_stop_words) ND_TRY(find_least(k, &least, error));
        if (!only_stop_words) ND_TRY(choose(k, least, error));
    }
    if (k->missing > 0) ND_TRY(match_words(k, text, length, error));
    ND_TRY(sort_terms(k, count, error));
    *terms = k->terms;
    return ND_OK;
}

nd_status nd_keywords_text(nd_analyzer *analyzer, const nd_keyword_options *options,
                           const char *text, size_t length, nd_keyword_fn *fn, void *context,
                           nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_TRY(nd_need(fn, "fn", error));
    nd_keyword_options read;
    nd_text_keywords *keywords = NULL;
    const nd_weighed_term *terms;
    size_t count = 0;
    ND_TRY(nd_keyword_options_read(options, &read, error));
    ND_TRY(nd_text_keywords_create(analyzer, &read, NULL, &keywords, error));
    nd_status status = nd_text_keywords_find(keywords, text, length, &terms, &count, error);
    for (size_t i = 0; status == ND_OK && i < count; i++) {
        nd_keyword keyword = {terms[i].bytes, terms[i].length,
                              (double)terms[i].units / ND_WEIGHT_UNITS};
        if (!fn(context, &keyword)) status = nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    nd_text_keywords_free(keywords);
    return status;
}
