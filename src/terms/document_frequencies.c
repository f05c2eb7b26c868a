/* The analyzer's hashes say which words a text has. Only a text with a new word is tokenized again,
 * to get the bytes of that word. */
#include "terms/document_frequencies.h"

#include "base/merge_sort.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/status.h"
#include "text/analyzer.h"

#include <string.h>

enum { FIRST_SLOTS = ND_LIMIT(1 << 14, 4) };

typedef struct slot {
    uint64_t feature;
    uint64_t offset;    /* of the word in `bytes`: its length (32 bits), then its bytes */
    uint32_t documents; /* 0: a free slot */
    uint32_t last;      /* the latest text that has it */
} slot;

struct nd_document_frequencies {
    nd_allocator allocator;
    nd_analyzer *analyzer;
    slot
        *slots; /* indexed by the feature's top bits, linear probing; at most three quarters full */
    unsigned shift;
    size_t slot_count;
    uint64_t terms;
    uint32_t text; /* number of the current text, from 1 */
    char *bytes;
    size_t size, capacity;
    /* Used by add_new_word, while a text is tokenized. */
    const uint64_t *features; /* the next word's, and on */
    nd_error failure;
};

/* ---- the table */

static inline slot *find(const nd_document_frequencies *c, uint64_t feature) {
    size_t at = (size_t)(feature >> c->shift);
    while (c->slots[at].documents != 0 && c->slots[at].feature != feature)
        at = (at + 1) & (c->slot_count - 1);
    return &c->slots[at];
}

static nd_status set_slots(nd_document_frequencies *c, size_t count, nd_error *error) {
    slot *old = c->slots;
    size_t old_count = c->slot_count;
    slot *slots = nd_allocate_zero(&c->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "words");
    c->slots = slots;
    c->slot_count = count;
    c->shift = 64 - (unsigned)__builtin_ctzll(count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].documents != 0) *find(c, old[i].feature) = old[i];
    nd_release(&c->allocator, old);
    return ND_OK;
}

/* Adds a word that is not in the table. */
static nd_status insert(nd_document_frequencies *c, uint64_t feature, const char *word,
                        size_t length, uint32_t documents, nd_error *error) {
    uint32_t length32 = (uint32_t)length;
    if (c->terms >= c->slot_count - c->slot_count / 4)
        ND_TRY(set_slots(c, 2 * c->slot_count, error));
    if (!nd_reserve(&c->allocator, &c->bytes, &c->capacity, c->size + sizeof length32 + length))
        return nd_fail_memory(error, length, "words");
    *find(c, feature) = (slot){feature, c->size, documents, c->text};
    memcpy(c->bytes + c->size, &length32, sizeof length32);
    memcpy(c->bytes + c->size + sizeof length32, word, length);
    c->size += sizeof length32 + length;
    c->terms++;
    return ND_OK;
}

static nd_term term_at(const nd_document_frequencies *c, const slot *s) {
    uint32_t length;
    memcpy(&length, c->bytes + s->offset, sizeof length);
    return (nd_term){c->bytes + s->offset + sizeof length, length, s->documents};
}

nd_status nd_document_frequencies_create(const nd_analyzer_options *analyzer,
                                         const nd_allocator *allocator,
                                         nd_document_frequencies **out, nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_document_frequencies *counts = nd_allocate_zero(&memory, 1, sizeof *counts);
    if (!counts) return nd_fail_memory(error, sizeof *counts, "words");
    counts->allocator = memory;
    nd_status status = nd_analyzer_create_for(ND_SHINGLES_ALONE, analyzer, &memory,
                                              &counts->analyzer, error);
    if (status == ND_OK) status = set_slots(counts, FIRST_SLOTS, error);
    if (status != ND_OK) {
        nd_document_frequencies_free(counts);
        return status;
    }
    *out = counts;
    return ND_OK;
}

void nd_document_frequencies_free(nd_document_frequencies *counts) {
    if (!counts) return;
    nd_allocator allocator = counts->allocator;
    nd_analyzer_free(counts->analyzer);
    nd_release(&allocator, counts->slots);
    nd_release(&allocator, counts->bytes);
    nd_release(&allocator, counts);
}

/* ---- counting */

/* nd_token_fn: adds a word of the current text, unless the table has it. */
static bool add_new_word(void *context, const nd_token *word) {
    nd_document_frequencies *c = context;
    const char *term;
    size_t length;
    uint64_t feature = *c->features++;
    if (find(c, feature)->documents != 0) return true;
    return nd_analyzer_stem(c->analyzer, word->text, word->length, &term, &length, &c->failure) ==
               ND_OK &&
           insert(c, feature, term, length, 1, &c->failure) == ND_OK;
}

nd_status nd_document_frequencies_add(nd_document_frequencies *c, const char *text, size_t length,
                                      nd_error *error) {
    enum { AHEAD = 8 };
    nd_shingles words;
    bool is_new = false;
    ND_TRY(nd_analyze(c->analyzer, text, length, &words, error));
    c->text++;
    for (size_t i = 0; i < words.tokens; i++) {
        if (i + AHEAD < words.tokens)
            __builtin_prefetch(&c->slots[words.hashes[i + AHEAD] >> c->shift]);
        slot *s = find(c, words.hashes[i]);
        is_new |= s->documents == 0;
        if (s->documents == 0 || s->last == c->text) continue;
        s->documents++;
        s->last = c->text;
    }
    if (!is_new) return ND_OK;
    c->features = words.hashes;
    nd_status status = nd_analyzer_words(c->analyzer, text, length, add_new_word, c, error);
    return status == ND_ERR_CANCELLED ? nd_fail(error, c->failure.status, "%s", c->failure.message)
                                      : status;
}

nd_status nd_document_frequencies_merge(nd_document_frequencies *c,
                                        const nd_document_frequencies *other, nd_progress *progress,
                                        nd_error *error) {
    enum { ASKED = 1 << 16 };
    /* Visits all slots, but not in their order: words in the order of their hashes would fill one
     * part of the table after the other, with long runs of full slots. */
    for (size_t i = 0; i < other->slot_count; i++) {
        if (i % ASKED == 0) ND_TRY(nd_progress_poll(progress, error));
        const slot *from = &other->slots[i * (size_t)ND_HASH_POLY & (other->slot_count - 1)];
        if (from->documents == 0) continue;
        slot *to = find(c, from->feature);
        nd_term term = term_at(other, from);
        if (to->documents != 0) to->documents += from->documents;
        else ND_TRY(insert(c, from->feature, term.bytes, term.length, term.documents, error));
    }
    return ND_OK;
}

/* ---- results */

size_t nd_document_frequencies_memory(const nd_document_frequencies *counts) {
    return counts->slot_count * sizeof(slot) + counts->capacity;
}

uint64_t nd_document_frequencies_terms(const nd_document_frequencies *counts) {
    return counts->terms;
}

static int by_documents(const void *a, const void *b) {
    const nd_term *x = a, *y = b;
    if (x->documents != y->documents) return x->documents > y->documents ? -1 : 1;
    int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);
    if (order == 0) order = (x->length > y->length) - (x->length < y->length);
    return order;
}

nd_status nd_document_frequencies_list(const nd_document_frequencies *counts, uint64_t least,
                                       nd_progress *progress, nd_term **list, size_t *count,
                                       nd_error *error) {
    nd_term *terms = nd_allocate(&counts->allocator, (size_t)counts->terms, sizeof *terms);
    if (!terms) return nd_fail_memory(error, (size_t)counts->terms * sizeof *terms, "words");
    size_t used = 0;
    for (size_t i = 0; i < counts->slot_count; i++)
        if (counts->slots[i].documents != 0 && counts->slots[i].documents >= least)
            terms[used++] = term_at(counts, &counts->slots[i]);
    nd_status status = nd_merge_sort(terms, used, sizeof *terms, by_documents, &counts->allocator,
                                     progress, error);
    if (status != ND_OK) {
        nd_release(&counts->allocator, terms);
        return status;
    }
    *list = terms;
    *count = used;
    return ND_OK;
}
