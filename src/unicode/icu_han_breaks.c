/* ICU cuts a run into the words of the least total cost; an ideograph that is not a word has a high
 * cost. Of equal cuts it chooses the one with the longest last word.
 *
 * ICU spends most of its time in two nodes of its trie, where it searches for an ideograph by
 * bisection: the root, among 20,000, and the node behind it, among some hundreds. This file caches
 * the step from the root for every ideograph. A filter rejects most second ideographs, because no
 * word begins with the two; the steps of the others are cached for the pairs met last. The caches
 * do not change the result. */
#include "unicode/icu_han_breaks.h"

#include "base/limits.h"
#include "unicode/icu_han_trie.h"

#include <string.h>

enum { FIRST_IDEOGRAPH = 0x4e00, LAST_IDEOGRAPH = 0x9fa5 };

/* From ICU's break iterator: the cost of an ideograph that is not a word, and the most ideographs
 * of a word. */
enum { COST_ALONE = 255, LONGEST_WORD = 20 };

enum {
    PAIR_BITS = ND_LIMIT(15, 3),
    FILTER_BITS = ND_LIMIT(20, 6),
};

/* A cached step by the second of two ideographs. */
typedef struct pair {
    uint32_t ideographs; /* 0: free */
    nd_trie_step step;
} pair;

struct nd_han_breaks {
    nd_allocator allocator;
    nd_han_trie *trie;
    /* Steps from the root; zero: not looked up yet. */
    nd_trie_step firsts[LAST_IDEOGRAPH - FIRST_IDEOGRAPH + 1];
    /* For those that were looked up: one bit, by a hash, for each pair that words begin with; and,
     * by the same hash, the steps of the pairs met last. */
    uint64_t filter[((size_t)1 << FILTER_BITS) / 64];
    pair pairs[(size_t)1 << PAIR_BITS];
    /* The best cut of the first i ideographs: its cost, and the length of its last word. */
    uint32_t costs[ND_HAN_BREAKS_RUN + 1];
    uint8_t lengths[ND_HAN_BREAKS_RUN + 1];
};

nd_status nd_han_breaks_create(const nd_allocator *allocator, nd_han_breaks **out,
                               nd_error *error) {
    nd_han_trie *trie;
    *out = NULL;
    ND_TRY(nd_han_trie_open(allocator, &trie, error));
    if (!trie) return ND_OK;
    nd_han_breaks *ideographs = nd_allocate_zero(allocator, 1, sizeof *ideographs);
    if (!ideographs) {
        nd_han_trie_close(trie);
        return nd_fail_memory(error, sizeof *ideographs, "ICU's dictionary");
    }
    ideographs->allocator = *allocator;
    ideographs->trie = trie;
    *out = ideographs;
    return ND_OK;
}

void nd_han_breaks_free(nd_han_breaks *ideographs) {
    if (!ideographs) return;
    nd_allocator allocator = ideographs->allocator;
    nd_han_trie_close(ideographs->trie);
    nd_release(&allocator, ideographs);
}

bool nd_han_breaks_accepts(const uint16_t *text, size_t count) {
    bool all = count > 0 && count <= ND_HAN_BREAKS_RUN;
    for (size_t i = 0; i < count && all; i++)
        all = text[i] >= FIRST_IDEOGRAPH && text[i] <= LAST_IDEOGRAPH;
    return all;
}

/* Two ideographs as a number, and its hash of `bits` bits: a slot. */
static inline uint32_t pair_of(uint16_t first, uint16_t second) {
    return (uint32_t)first << 16 | second;
}
static inline size_t slot_of(uint32_t ideographs, unsigned bits) {
    return ideographs * UINT32_C(0x9e3779b1) >> (32 - bits);
}

/* Fills the filter for one first ideograph. */
typedef struct filler {
    nd_han_breaks *ideographs;
    uint16_t first;
} filler;

/* nd_trie_unit_fn */
static void fill_filter(void *context, uint16_t unit) {
    filler *f = context;
    size_t slot = slot_of(pair_of(f->first, unit), FILTER_BITS);
    f->ideographs->filter[slot / 64] |= UINT64_C(1) << slot % 64;
}

static nd_trie_step first_step(nd_han_breaks *t, uint16_t ideograph) {
    nd_trie_step *first = &t->firsts[ideograph - FIRST_IDEOGRAPH];
    if (first->state == 0 && first->cost == 0) {
        *first = nd_han_trie_step(t->trie, nd_han_trie_root(), ideograph);
        if (first->state != 0)
            nd_han_trie_units(t->trie, first->state, fill_filter, &(filler){t, ideograph});
    }
    return *first;
}

/* The step by `next`, after the step `first` by `ideograph`. */
static inline nd_trie_step second_step(nd_han_breaks *t, nd_trie_step first, uint16_t ideograph,
                                       uint16_t next) {
    uint32_t ideographs = pair_of(ideograph, next);
    size_t slot = slot_of(ideographs, FILTER_BITS);
    if (!(t->filter[slot / 64] >> slot % 64 & 1)) return (nd_trie_step){0, ND_TRIE_NO_WORD};
    pair *p = &t->pairs[slot_of(ideographs, PAIR_BITS)];
    if (p->ideographs != ideographs)
        *p = (pair){ideographs, nd_han_trie_step(t->trie, first.state, next)};
    return p->step;
}

static void offer_word(nd_han_breaks *t, size_t begin, size_t length, uint32_t cost) {
    if (t->costs[begin] + cost >= t->costs[begin + length]) return;
    t->costs[begin + length] = t->costs[begin] + cost;
    t->lengths[begin + length] = (uint8_t)length;
}

void nd_han_breaks_find(nd_han_breaks *t, const uint16_t *text, size_t count, bool *is_last) {
    memset(t->costs, 0xff, (count + 1) * sizeof *t->costs);
    t->costs[0] = 0;
    for (size_t i = 0; i < count; i++) {
        nd_trie_step step = first_step(t, text[i]);
        size_t most = count - i < LONGEST_WORD ? count - i : LONGEST_WORD;
        offer_word(t, i, 1, step.cost == ND_TRIE_NO_WORD ? COST_ALONE : step.cost);
        for (size_t length = 2; step.state != 0 && length <= most; length++) {
            step = length == 2 ? second_step(t, step, text[i], text[i + 1])
                               : nd_han_trie_step(t->trie, step.state, text[i + length - 1]);
            if (step.cost != ND_TRIE_NO_WORD) offer_word(t, i, length, step.cost);
        }
    }
    memset(is_last, false, count * sizeof *is_last);
    for (size_t end = count; end > 0; end -= t->lengths[end]) is_last[end - 1] = true;
}
