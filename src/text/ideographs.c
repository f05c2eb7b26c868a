/* ICU takes the words of the least cost in all, an ideograph that is no word being a costly one, and of equal ones that with the longest last word. Most of its time is the root of its trie, where it looks for each ideograph among
 * 20,000 by bisection: here what follows the root is kept for each ideograph. */
#include "text/ideographs.h"

#ifdef ND_WITH_ICU

#include "text/word_trie.h"

#include <string.h>

enum { FIRST_IDEOGRAPH = 0x4e00, LAST_IDEOGRAPH = 0x9fa5 };

/* As ICU's break iterator has them: of an ideograph that is no word, and of the longest word. */
enum { COST_ALONE = 255, LONGEST_WORD = 20 };

struct nd_ideographs {
    nd_allocator allocator;
    nd_word_trie *trie;
    nd_trie_step firsts[LAST_IDEOGRAPH - FIRST_IDEOGRAPH + 1]; /* from the root; all zero: not yet asked for */
    /* Of the way to the first i ideographs: its cost, and the length of its last word. */
    uint32_t costs[ND_IDEOGRAPHS_RUN + 1];
    uint8_t lengths[ND_IDEOGRAPHS_RUN + 1];
};

nd_status nd_ideographs_create(const nd_allocator *allocator, nd_ideographs **out, nd_error *error) {
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
    for (size_t i = 0; i < count && all; i++) all = text[i] >= FIRST_IDEOGRAPH && text[i] <= LAST_IDEOGRAPH;
    return all;
}

static nd_trie_step first_step(nd_ideographs *t, uint16_t ideograph) {
    nd_trie_step *first = &t->firsts[ideograph - FIRST_IDEOGRAPH];
    if (first->state == 0 && first->cost == 0) *first = nd_word_trie_step(t->trie, nd_word_trie_root(t->trie), ideograph);
    return *first;
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
            step = nd_word_trie_step(t->trie, step.state, text[i + length - 1]);
            if (step.cost != ND_TRIE_NO_WORD) offer_word(t, i, length, step.cost);
        }
    }
    memset(is_last, false, count * sizeof *is_last);
    for (size_t end = count; end > 0; end -= t->lengths[end]) is_last[end - 1] = true;
}

#endif
