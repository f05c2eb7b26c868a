/* The heaviest features of a text's vector are found with a heap of their weights. Where more have the least of these weights than there is room for, their letters decide, so all of them are candidates.
 * Then the text is read once more, by its tokens; the hashes of the first reading say which of them are candidates, and it ends with the last of these. */
#include "sketch/text_keywords.h"

#include "base/alloc.h"
#include "base/status.h"
#include "sketch/feature_vector.h"
#include "text/analyzer.h"
#include "text/feature_weights.h"

#include <stdlib.h>
#include <string.h>

/* A candidate by its feature. */
typedef struct slot {
    uint64_t feature;
    size_t number; /* from 1; 0: free */
} slot;

/* Where a term's letters are, in an array that still grows. */
typedef struct place {
    size_t start;
    bool found;
} place;

struct nd_text_keywords {
    nd_allocator allocator;
    nd_analyzer *analyzer; /* not owned */
    nd_text_simhash *weigher;
    uint32_t top;
    uint64_t *tokens; /* features in the order of the text */
    size_t token_capacity;
    nd_feature_vector vector;
    uint64_t *heap; /* the least weight is its first */
    size_t heap_size, heap_capacity;
    nd_weighed_term *terms; /* candidates */
    place *places;
    size_t count, term_capacity, place_capacity;
    slot *slots; /* by the feature's top bits, then onwards; at most a quarter are taken */
    unsigned shift;
    size_t slot_count, slot_capacity;
    char *letters;
    size_t letter_count, letter_capacity;
    /* While letters are looked for. */
    size_t token, missing;
    nd_error failure;
};

void nd_keywords_options_init(nd_keywords_options *options) { *options = (nd_keywords_options){.top = 20, .weighting = ND_WEIGHTING_COUNTED}; }

static nd_simhash_options weigher_options(const nd_keywords_options *options) {
    bool by_table = options->weighting == ND_WEIGHTING_TABLE;
    return (nd_simhash_options){
        .bits = 64, .weighting = by_table ? ND_WEIGHTING_TABLE : ND_WEIGHTING_TF, .table = by_table ? options->table : NULL, .stop = options->stop};
}

nd_status nd_keywords_options_check(const nd_keywords_options *options, const nd_analyzer_options *analyzer, bool counted, nd_error *error) {
    if (options->top < 1) return nd_fail(error, ND_ERR_ARGUMENT, "top must be at least 1");
    if (options->weighting == ND_WEIGHTING_COUNTED && !counted)
        return nd_fail(error, ND_ERR_ARGUMENT, "ND_WEIGHTING_COUNTED counts the words of all documents: only nd_keywords has it");
    if (options->weighting != ND_WEIGHTING_TF && options->weighting != ND_WEIGHTING_TABLE && options->weighting != ND_WEIGHTING_COUNTED)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "weighting of keywords must be ND_WEIGHTING_TF (%d), ND_WEIGHTING_TABLE (%d) or ND_WEIGHTING_COUNTED (%d), not %d",
                       ND_WEIGHTING_TF, ND_WEIGHTING_TABLE, ND_WEIGHTING_COUNTED, (int)options->weighting);
    if (analyzer->kind != ND_WORDS || analyzer->ngram != 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "keywords are single words: they need an analyzer of words with ngram 1, not of %s with ngram %u",
                       analyzer->kind == ND_WORDS ? "words" : "characters", analyzer->ngram);
    nd_simhash_options weigher = weigher_options(options);
    return nd_simhash_options_check(&weigher, analyzer, error);
}

nd_status nd_text_keywords_create(nd_analyzer *analyzer, const nd_keywords_options *options, const nd_feature_counts *counts, nd_text_keywords **out,
                                  nd_error *error) {
    const nd_allocator *allocator = nd_analyzer_allocator(analyzer);
    nd_simhash_options weigher = weigher_options(options);
    ND_TRY(nd_keywords_options_check(options, nd_analyzer_options_of(analyzer), counts != NULL, error));
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
    nd_feature_vector_free(&allocator, &k->vector);
    nd_release(&allocator, k->tokens);
    nd_release(&allocator, k->heap);
    nd_release(&allocator, k->terms);
    nd_release(&allocator, k->places);
    nd_release(&allocator, k->slots);
    nd_release(&allocator, k->letters);
    nd_release(&allocator, k);
}

/* ---- choosing */

/* Puts a weight where the heap's first was. */
static void replace_first(uint64_t *heap, size_t size, uint64_t weight) {
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < size; at = child) {
        child += child + 1 < size && heap[child + 1] < heap[child];
        if (heap[child] >= weight) break;
        heap[at] = heap[child];
    }
    heap[at] = weight;
}

static void push(uint64_t *heap, size_t size, uint64_t weight) {
    size_t at = size;
    for (; at > 0 && heap[(at - 1) / 2] > weight; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = weight;
}

/* The least weight that a keyword may have. */
static nd_status find_least(nd_text_keywords *k, uint64_t *least, nd_error *error) {
    const uint64_t *weights = k->vector.words + k->vector.count;
    size_t most = k->vector.count < k->top ? k->vector.count : k->top, size = 0;
    if (!nd_reserve(&k->allocator, &k->heap, &k->heap_capacity, most)) return nd_fail_memory(error, most * sizeof *k->heap, "keywords");
    for (size_t i = 0; i < k->vector.count; i++) {
        if (weights[i] == 0) continue;
        if (size < most) push(k->heap, size++, weights[i]);
        else if (weights[i] > k->heap[0]) replace_first(k->heap, size, weights[i]);
    }
    *least = size > 0 && size == k->top ? k->heap[0] : 1;
    return ND_OK;
}

static inline slot *find(const nd_text_keywords *k, uint64_t feature) {
    size_t at = (size_t)(feature >> k->shift);
    while (k->slots[at].number != 0 && k->slots[at].feature != feature) at = (at + 1) & (k->slot_count - 1);
    return &k->slots[at];
}

static nd_status make_slots(nd_text_keywords *k, nd_error *error) {
    unsigned bits = 4;
    while ((size_t)1 << bits < 4 * k->count) bits++;
    k->slot_count = (size_t)1 << bits;
    k->shift = 64 - bits;
    if (!nd_reserve(&k->allocator, &k->slots, &k->slot_capacity, k->slot_count))
        return nd_fail_memory(error, k->slot_count * sizeof *k->slots, "keywords");
    memset(k->slots, 0, k->slot_count * sizeof *k->slots);
    return ND_OK;
}

/* The features of at least such a weight, without their letters yet. */
static nd_status choose(nd_text_keywords *k, uint64_t least, nd_error *error) {
    const uint64_t *features = k->vector.words, *weights = features + k->vector.count;
    k->count = 0;
    for (size_t i = 0; i < k->vector.count; i++) k->count += weights[i] >= least;
    if (!nd_reserve(&k->allocator, &k->terms, &k->term_capacity, k->count) || !nd_reserve(&k->allocator, &k->places, &k->place_capacity, k->count))
        return nd_fail_memory(error, k->count * sizeof *k->terms, "keywords");
    ND_TRY(make_slots(k, error));
    for (size_t i = 0, number = 0; i < k->vector.count; i++) {
        if (weights[i] < least) continue;
        k->terms[number] = (nd_weighed_term){.units = weights[i]};
        k->places[number++] = (place){0, false};
        *find(k, features[i]) = (slot){features[i], number};
    }
    return ND_OK;
}

/* ---- letters */

static nd_status keep_letters(nd_text_keywords *k, size_t number, const char *word, size_t word_length) {
    const char *term;
    size_t length;
    ND_TRY(nd_analyzer_stem(k->analyzer, word, word_length, &term, &length, &k->failure));
    if (!nd_reserve(&k->allocator, &k->letters, &k->letter_capacity, k->letter_count + length))
        return nd_fail_memory(&k->failure, length, "keywords");
    memcpy(k->letters + k->letter_count, term, length);
    k->places[number] = (place){k->letter_count, true};
    k->terms[number].length = length;
    k->letter_count += length;
    return ND_OK;
}

/* nd_token_fn */
static bool take_letters(void *context, const char *word, size_t length) {
    nd_text_keywords *k = context;
    size_t number = find(k, k->tokens[k->token++])->number;
    if (number == 0 || k->places[number - 1].found) return true;
    return keep_letters(k, number - 1, word, length) == ND_OK && --k->missing > 0;
}

static nd_status find_letters(nd_text_keywords *k, const char *text, size_t length, nd_error *error) {
    nd_error stopped;
    k->token = k->letter_count = 0;
    k->missing = k->count;
    k->failure.status = ND_OK;
    nd_status status = nd_analyzer_words(k->analyzer, text, length, take_letters, k, &stopped);
    if (k->failure.status != ND_OK) stopped = k->failure;
    else if (status == ND_OK || status == ND_ERR_CANCELLED) stopped.status = ND_OK;
    if (stopped.status != ND_OK) return nd_fail(error, stopped.status, "%s", stopped.message);
    for (size_t i = 0; i < k->count; i++) k->terms[i].bytes = k->letters + k->places[i].start;
    return ND_OK;
}

static int by_weight(const void *a, const void *b) {
    const nd_weighed_term *x = a, *y = b;
    if (x->units != y->units) return x->units > y->units ? -1 : 1;
    int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* ---- texts */

static nd_status make_vector(nd_text_keywords *k, nd_shingles *shingles, nd_error *error) {
    if (!nd_reserve(&k->allocator, &k->tokens, &k->token_capacity, shingles->tokens))
        return nd_fail_memory(error, shingles->tokens * sizeof *k->tokens, "keywords");
    memcpy(k->tokens, shingles->hashes, shingles->tokens * sizeof *k->tokens);
    return nd_feature_vector_make(k->weigher, &k->allocator, shingles, &k->vector, error);
}

nd_status nd_text_keywords_find(nd_text_keywords *k, const char *text, size_t length, const nd_weighed_term **terms, size_t *count, nd_error *error) {
    nd_shingles shingles;
    uint64_t least = 1;
    ND_TRY(nd_analyze(k->analyzer, text, length, &shingles, error));
    k->count = 0;
    if (shingles.tokens > 0) {
        ND_TRY(make_vector(k, &shingles, error));
        ND_TRY(find_least(k, &least, error));
        ND_TRY(choose(k, least, error));
    }
    if (k->count > 0) {
        ND_TRY(find_letters(k, text, length, error));
        qsort(k->terms, k->count, sizeof *k->terms, by_weight);
    }
    *terms = k->terms;
    *count = k->count < k->top ? k->count : k->top;
    return ND_OK;
}

nd_status nd_keywords_text(nd_analyzer *analyzer, const nd_keywords_options *options, const char *text, size_t length, nd_keyword_fn *fn,
                           void *context, nd_error *error) {
    if (!options || !fn) return nd_fail(error, ND_ERR_ARGUMENT, "options and fn must not be NULL");
    nd_text_keywords *keywords = NULL;
    const nd_weighed_term *terms;
    size_t count = 0;
    ND_TRY(nd_text_keywords_create(analyzer, options, NULL, &keywords, error));
    nd_status status = nd_text_keywords_find(keywords, text, length, &terms, &count, error);
    for (size_t i = 0; status == ND_OK && i < count; i++) {
        nd_keyword keyword = {terms[i].bytes, terms[i].length, (double)terms[i].units / ND_WEIGHT_UNITS};
        if (!fn(context, &keyword)) status = nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    nd_text_keywords_free(keywords);
    return status;
}
