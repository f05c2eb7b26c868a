/* ICU takes the words of the least cost in all, an ideograph that is no word being a costly one,
 * and of equal ones that with the longest last word. Most of its time is two nodes of its trie,
 * where it looks for an ideograph by bisection: the root, among 20,000, and the one behind it,
 * among some hundreds. Here what follows the root is kept for each ideograph; most second ones are
 * turned away by a filter, since no word begins with the two; and what follows the others is kept,
 * of those that were met last. What is kept has no say in the result. */
#include "unicode/icu_han_breaks.h"

#include "base/limits.h"

#ifdef ND_WITH_ICU

#include "unicode/icu_han_trie.h"

#include <string.h>

enum { FIRST_IDEOGRAPH = 0x4e00, LAST_IDEOGRAPH = 0x9fa5 };

/* As ICU's break iterator has them: of an ideograph that is no word, and of the longest word. */
enum { COST_ALONE = 255, LONGEST_WORD = 20 };

enum {
    PAIR_BITS = ND_LIMIT(15, 3),
    FILTER_BITS = ND_LIMIT(20, 6),
};

/* The step by the second of two ideographs. */
typedef struct pair {
    uint32_t ideographs; /* 0: free */
    nd_trie_step step;
} pair;

struct nd_ideographs {
    nd_allocator allocator;
    nd_word_trie *trie;
    nd_trie_step firsts[LAST_IDEOGRAPH - FIRST_IDEOGRAPH +
                        1]; /* from the root; all zero: not yet asked for */
    /* Of those first ones: a bit, by a hash, for each two that words begin with; and by the same
     * hash the steps that were met last. */
    uint64_t filter[((size_t)1 << FILTER_BITS) / 64];
    pair pairs[(size_t)1 << PAIR_BITS];
    /* Of the way to the first i ideographs: its cost, and the length of its last word. */
    uint32_t costs[ND_IDEOGRAPHS_RUN + 1];
    uint8_t lengths[ND_IDEOGRAPHS_RUN + 1];
};

nd_status nd_ideographs_create(const nd_allocator *allocator, nd_ideographs **out,
                               nd_error *error) {
    nd_word_trie *trie;
    *out = NULL;
    ND_TRY(nd_word_trie_open(allocator, &trie, error));
    if (!trie) return ND_OK;
    nd_ideographs *ideographs = nd_allocate_zero(allocator, 1, sizeof *ideographs);
    if (!ideographs) {
        nd_word_trie_close(trie);
        return nd_fail_memory(error, sizeof *ideographs, "ICU's dictionary");
    }
    ideographs->allocator = *allocator;
    ideographs->trie = trie;
    *out = ideographs;
    return ND_OK;
}

void nd_ideographs_free(nd_ideographs *ideographs) {
    if (!ideographs) return;
    nd_allocator allocator = ideographs->allocator;
    nd_word_trie_close(ideographs->trie);
    nd_release(&allocator, ideographs);
}

bool nd_ideographs_take(const uint16_t *text, size_t count) {
    bool all = count > 0 && count <= ND_IDEOGRAPHS_RUN;
    for (size_t i = 0; i < count && all; i++)
        all = text[i] >= FIRST_IDEOGRAPH && text[i] <= LAST_IDEOGRAPH;
    return all;
}

/* Two ideographs, and, of `bits`, their hash. */
static inline uint32_t pair_of(uint16_t first, uint16_t second) {
    return (uint32_t)first << 16 | second;
}
static inline size_t place_of(uint32_t ideographs, unsigned bits) {
    return ideographs * UINT32_C(0x9e3779b1) >> (32 - bits);
}

/* Of the first ideograph at hand. */
typedef struct filler {
    nd_ideographs *ideographs;
    uint16_t first;
} filler;

/* nd_trie_unit_fn */
static void fill_filter(void *context, uint16_t unit) {
    filler *f = context;
    size_t place = place_of(pair_of(f->first, unit), FILTER_BITS);
    f->ideographs->filter[place / 64] |= UINT64_C(1) << place % 64;
}

static nd_trie_step first_step(nd_ideographs *t, uint16_t ideograph) {
    nd_trie_step *first = &t->firsts[ideograph - FIRST_IDEOGRAPH];
    if (first->state == 0 && first->cost == 0) {
        *first = nd_word_trie_step(t->trie, nd_word_trie_root(t->trie), ideograph);
        if (first->state != 0)
            nd_word_trie_units(t->trie, first->state, fill_filter, &(filler){t, ideograph});
    }
    return *first;
}

/* After `first`, whose ideograph it is. */
static inline nd_trie_step second_step(nd_ideographs *t, nd_trie_step first, uint16_t ideograph,
                                       uint16_t next) {
    uint32_t ideographs = pair_of(ideograph, next);
    size_t place = place_of(ideographs, FILTER_BITS);
    if (!(t->filter[place / 64] >> place % 64 & 1)) return (nd_trie_step){0, ND_TRIE_NO_WORD};
    pair *p = &t->pairs[place_of(ideographs, PAIR_BITS)];
    if (p->ideographs != ideographs)
        *p = (pair){ideographs, nd_word_trie_step(t->trie, first.state, next)};
    return p->step;
}

static void offer_word(nd_ideographs *t, size_t begin, size_t length, uint32_t cost) {
    if (t->costs[begin] + cost >= t->costs[begin + length]) return;
    t->costs[begin + length] = t->costs[begin] + cost;
    t->lengths[begin + length] = (uint8_t)length;
}

void nd_ideographs_cut(nd_ideographs *t, const uint16_t *text, size_t count, bool *is_last) {
    memset(t->costs, 0xff, (count + 1) * sizeof *t->costs);
    t->costs[0] = 0;
    for (size_t i = 0; i < count; i++) {
        nd_trie_step step = first_step(t, text[i]);
        size_t most = count - i < LONGEST_WORD ? count - i : LONGEST_WORD;
        offer_word(t, i, 1, step.cost == ND_TRIE_NO_WORD ? COST_ALONE : step.cost);
        for (size_t length = 2; step.state != 0 && length <= most; length++) {
            step = length == 2 ? second_step(t, step, text[i], text[i + 1])
                               : nd_word_trie_step(t->trie, step.state, text[i + length - 1]);
            if (step.cost != ND_TRIE_NO_WORD) offer_word(t, i, length, step.cost);
        }
    }
    memset(is_last, false, count * sizeof *is_last);
    for (size_t end = count; end > 0; end -= t->lengths[end]) is_last[end - 1] = true;
}

#endif
