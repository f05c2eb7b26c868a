#include "text/differ_by.h"

#include "base/format.h"
#include "base/hash.h"
#include "text/analyzer.h"
#include "text/number_scan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A listed word: tokens[begin, begin + count), because a word of a script without spaces is several
 * tokens. */
typedef struct listed_word {
    uint64_t first; /* hash of its first token */
    size_t begin, count;
    const char *name; /* in the caller's list */
    size_t length;
} listed_word;

/* A number or a listed word in a text. */
typedef struct item {
    uint64_t hash;
    size_t begin, length; /* bytes of `names` */
    bool is_word;
} item;

struct nd_differ_by {
    nd_allocator allocator;
    bool numbers;
    nd_analyzer *analyzer; /* of single words; NULL: no word is listed */
    listed_word *words;    /* ascending by `first` */
    uint64_t *tokens;      /* of all words */
    size_t word_count, word_capacity, token_count, token_capacity;
    nd_number_scan scan;
    item *items; /* of the text, or of two texts */
    char *names;
    size_t item_count, item_capacity, name_size, name_capacity;
};

/* ---- the lists */

static nd_status create_analyzer(nd_differ_by *d, nd_error *error) {
    nd_analyzer_options options;
    nd_analyzer_options_init(&options, sizeof options);
    options.ngram = 1;
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, &options, &d->allocator, &d->analyzer, error);
}

static nd_status add_word(nd_differ_by *d, const char *name, size_t length, nd_error *error) {
    nd_shingles shingles = {.tokens = 0};
    if (!d->analyzer) ND_TRY(create_analyzer(d, error));
    nd_status status = nd_analyze(d->analyzer, name, length, &shingles, error);
    if (status != ND_OK && status != ND_ERR_INPUT) return status;
    if (status == ND_ERR_INPUT || shingles.tokens == 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "differ_by: \"%.*s\" is not a word; a list has words with commas between "
                       "them, or numbers",
                       (int)(length < 100 ? length : 100), name);
    if (!nd_reserve(&d->allocator, &d->words, &d->word_capacity, d->word_count + 1) ||
        !nd_reserve(&d->allocator, &d->tokens, &d->token_capacity, d->token_count + shingles.count))
        return nd_fail_memory(error, length, "listed words");
    d->words[d->word_count++] = (listed_word){.first = shingles.hashes[0],
                                              .begin = d->token_count,
                                              .count = shingles.count,
                                              .name = name,
                                              .length = length};
    memcpy(d->tokens + d->token_count, shingles.hashes, shingles.count * sizeof *d->tokens);
    d->token_count += shingles.count;
    return ND_OK;
}

static nd_status add_list(nd_differ_by *d, const char *list, nd_error *error) {
    if (!list) return nd_fail(error, ND_ERR_ARGUMENT, "differ_by: a list is NULL");
    for (const char *at = list;; at++) {
        size_t part = strcspn(at, ","), blanks = strspn(at, " \t"),
               length = part > blanks ? part - blanks : 0;
        while (length > 0 && strchr(" \t", at[blanks + length - 1])) length--;
        if (length == 7 && strncasecmp(at + blanks, "numbers", length) == 0) d->numbers = true;
        else ND_TRY(add_word(d, at + blanks, length, error));
        at += part;
        if (!*at) return ND_OK;
    }
}

static int by_first(const void *a, const void *b) {
    const listed_word *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static nd_status read_lists(nd_differ_by *d, const char *const *lists, size_t count,
                            nd_error *error) {
    for (size_t i = 0; i < count; i++) ND_TRY(add_list(d, lists[i], error));
    if (d->word_count > 0) qsort(d->words, d->word_count, sizeof *d->words, by_first);
    return ND_OK;
}

nd_status nd_differ_by_create(const char *const *lists, size_t count, const nd_allocator *allocator,
                              nd_differ_by **out, nd_error *error) {
    nd_differ_by *d = nd_allocate_zero(allocator, 1, sizeof *d);
    if (!d) return nd_fail_memory(error, sizeof *d, "listed words");
    d->allocator = d->scan.allocator = *allocator;
    nd_status status = read_lists(d, lists, count, error);
    if (status != ND_OK) {
        nd_differ_by_free(d);
        return status;
    }
    *out = d;
    return ND_OK;
}

void nd_differ_by_free(nd_differ_by *d) {
    if (!d) return;
    const nd_allocator a = d->allocator;
    nd_analyzer_free(d->analyzer);
    nd_number_scan_free(&d->scan);
    nd_release(&a, d->words);
    nd_release(&a, d->tokens);
    nd_release(&a, d->items);
    nd_release(&a, d->names);
    nd_release(&a, d);
}

/* ---- the items of a text */

static nd_status add_item(nd_differ_by *d, const char *name, size_t length, uint64_t hash,
                          bool is_word, nd_error *error) {
    if (!nd_reserve(&d->allocator, &d->items, &d->item_capacity, d->item_count + 1) ||
        !nd_reserve(&d->allocator, &d->names, &d->name_capacity, d->name_size + length))
        return nd_fail_memory(error, sizeof *d->items + length, "the numbers of a text");
    d->items[d->item_count++] = (item){hash, d->name_size, length, is_word};
    memcpy(d->names + d->name_size, name, length);
    d->name_size += length;
    return ND_OK;
}

static nd_status add_numbers(nd_differ_by *d, const char *text, size_t length, nd_error *error) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    bool found;
    nd_number_scan_begin(&d->scan, text, length);
    for (;;) {
        ND_TRY(nd_number_scan_next(&d->scan, &found, error));
        if (!found) return ND_OK;
        const nd_number_scan *s = &d->scan;
        ND_TRY(add_item(d, s->number, s->length,
                        nd_mix64(nd_hash_token(&key, s->number, s->length)), false, error));
    }
}

/* The first listed word whose first token is at least `hash`. */
static size_t find_word(const nd_differ_by *d, uint64_t hash) {
    size_t low = 0, high = d->word_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->words[middle].first < hash) low = middle + 1;
        else high = middle;
    }
    return low;
}

static uint64_t hash_of_tokens(const uint64_t *tokens, size_t count) {
    uint64_t hash = ND_HASH_C2;
    for (size_t i = 0; i < count; i++) hash = nd_mix64(hash * ND_HASH_POLY + tokens[i]);
    return hash;
}

static nd_status add_words(nd_differ_by *d, const char *text, size_t length, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(nd_analyze(d->analyzer, text, length, &shingles, error));
    for (size_t i = 0; i < shingles.tokens; i++) {
        const uint64_t *at = shingles.hashes + i;
        for (size_t w = find_word(d, *at); w < d->word_count && d->words[w].first == *at; w++) {
            const listed_word *word = &d->words[w];
            const uint64_t *tokens = d->tokens + word->begin;
            if (word->count > shingles.tokens - i ||
                memcmp(at, tokens, word->count * sizeof *tokens) != 0)
                continue;
            ND_TRY(add_item(d, word->name, word->length, hash_of_tokens(tokens, word->count), true,
                            error));
        }
    }
    return ND_OK;
}

/* Adds the items of a text behind others. */
static nd_status add_items(nd_differ_by *d, const char *text, size_t length, nd_error *error) {
    if (d->numbers) ND_TRY(add_numbers(d, text, length, error));
    return d->analyzer ? add_words(d, text, length, error) : ND_OK;
}

/* ---- the key */

static int by_hash(const void *a, const void *b) {
    const item *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

nd_status nd_differ_by_key(nd_differ_by *d, const char *text, size_t length, uint64_t *key,
                           nd_error *error) {
    d->item_count = d->name_size = 0;
    ND_TRY(add_items(d, text, length, error));
    if (d->item_count > 0) qsort(d->items, d->item_count, sizeof *d->items, by_hash);
    *key = ND_HASH_C3;
    for (size_t i = 0; i < d->item_count; i++)
        if (i == 0 || d->items[i].hash != d->items[i - 1].hash)
            *key = nd_mix64(*key * ND_HASH_POLY + d->items[i].hash);
    return ND_OK;
}

/* ---- the explanation */

/* Items of a kind that are shown, and bytes of one. */
enum { SHOWN_ITEMS = 6, SHOWN_BYTES = 40, MESSAGE_ROOM = 1024 };

/* The items of two texts: the first `of_a` are of the first text. */
typedef struct two_texts {
    const nd_differ_by *differ_by;
    const uint64_t *hashes; /* of the items, ascending within each text */
    size_t of_a;
} two_texts;

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether the other text has item number i, too. */
static bool is_in_both(const two_texts *t, size_t i) {
    const nd_differ_by *d = t->differ_by;
    const uint64_t *others = i < t->of_a ? t->hashes + t->of_a : t->hashes;
    size_t count = i < t->of_a ? d->item_count - t->of_a : t->of_a;
    return count > 0 && bsearch(&d->items[i].hash, others, count, sizeof *others, by_value);
}

/* Appends the items of a kind that only one of the texts has, each once, the first text's first. */
static size_t explain_kind(const two_texts *t, bool words, char *out, size_t used) {
    const nd_differ_by *d = t->differ_by;
    const item *shown[SHOWN_ITEMS];
    size_t count = 0;
    for (size_t i = 0; i < d->item_count; i++) {
        const item *one = &d->items[i];
        bool repeats = one->is_word != words || is_in_both(t, i);
        for (size_t k = 0; k < count && !repeats; k++) repeats = shown[k]->hash == one->hash;
        if (repeats) continue;
        const char *before = count > 0 ? ", "
                             : words   ? "the listed words differ: "
                                       : "the numbers differ: ";
        used += nd_format(out + used, MESSAGE_ROOM - used, "%s%s",
                          used > 0 && count == 0 ? "; " : "", before);
        if (count == SHOWN_ITEMS) return used + nd_format(out + used, MESSAGE_ROOM - used, "...");
        bool whole = one->length <= SHOWN_BYTES;
        used += nd_format(out + used, MESSAGE_ROOM - used, "%.*s%s",
                          (int)(whole ? one->length : SHOWN_BYTES), d->names + one->begin,
                          whole ? "" : "...");
        shown[count++] = one;
    }
    return used;
}

static nd_status explain_items(const nd_differ_by *d, size_t of_a, char *out, nd_error *error) {
    uint64_t *hashes = nd_allocate(&d->allocator, d->item_count, sizeof *hashes);
    if (!hashes) return nd_fail_memory(error, d->item_count * sizeof *hashes, "numbers of texts");
    for (size_t i = 0; i < d->item_count; i++) hashes[i] = d->items[i].hash;
    qsort(hashes, of_a, sizeof *hashes, by_value);
    qsort(hashes + of_a, d->item_count - of_a, sizeof *hashes, by_value);
    const two_texts texts = {d, hashes, of_a};
    explain_kind(&texts, true, out, explain_kind(&texts, false, out, 0));
    nd_release(&d->allocator, hashes);
    return ND_OK;
}

nd_status nd_differ_by_explain(nd_differ_by *d, const char *a, size_t length_a, const char *b,
                               size_t length_b, char **out, nd_error *error) {
    char message[MESSAGE_ROOM] = "";
    d->item_count = d->name_size = 0;
    *out = NULL;
    ND_TRY(add_items(d, a, length_a, error));
    size_t of_a = d->item_count;
    ND_TRY(add_items(d, b, length_b, error));
    ND_TRY(explain_items(d, of_a, message, error));
    size_t size = strlen(message) + 1;
    if (size == 1) return ND_OK;
    *out = nd_allocate(&d->allocator, size, 1);
    if (!*out) return nd_fail_memory(error, size, "a message");
    memcpy(*out, message, size);
    return ND_OK;
}
