#include "output/difference_hunks.h"

#include "output/excerpt.h"

/* Words are looked for in so many bytes per word of context; most differences of a hunk. */
enum { WORD_BYTES = 40, MOST_TOGETHER = 8, MOST_WORDS = 50 };

/* The last words of a piece, or its first ones. */
typedef struct word_list {
    size_t begins[MOST_WORDS], ends[MOST_WORDS]; /* word i is at i % wanted */
    size_t count, wanted;
    bool first; /* no more than `wanted` words */
} word_list;

/* nd_token_fn */
static bool take_word(void *context, const nd_token *token) {
    word_list *words = context;
    words->begins[words->count % words->wanted] = token->begin;
    words->ends[words->count++ % words->wanted] = token->end;
    return !words->first || words->count < words->wanted;
}

static word_list words_of(const difference_hunks *h, const char *text, piece where, bool first) {
    word_list words = {.wanted = h->words, .first = first};
    /* It fails only if memory is short; then there are fewer words to show. */
    nd_error error;
    (void)!nd_tokenize(h->analyzer, text + where.begin, where.end - where.begin, take_word, &words,
                       &error);
    return words;
}

/* Where the context before `at` begins, at least at `least`. */
static size_t context_begin(const difference_hunks *h, int side, size_t least, size_t at) {
    const char *text = h->of->texts[side];
    size_t bytes = (size_t)h->words * WORD_BYTES;
    if (h->words == 0) return at;
    if (at - least > bytes) least = character_begin(text, at - bytes);
    word_list words = words_of(h, text, (piece){least, at}, false);
    return words.count < words.wanted ? least : least + words.begins[words.count % words.wanted];
}

/* Where the context behind `at` ends, at most at `most`. */
static size_t context_end(const difference_hunks *h, int side, size_t at, size_t most) {
    const char *text = h->of->texts[side];
    size_t bytes = (size_t)h->words * WORD_BYTES;
    if (h->words == 0) return at;
    if (most - at > bytes) most = character_begin(text, at + bytes);
    if (most <= at) return at;
    word_list words = words_of(h, text, (piece){at, most}, true);
    return words.count < words.wanted ? most : at + words.ends[(words.count - 1) % words.wanted];
}

/* Whether the context of two differences would meet. */
static bool are_near(const difference_hunks *h, const nd_difference *d) {
    piece between = {d[0].a_end, d[1].a_begin};
    if (h->words == 0 || between.end - between.begin > (size_t)h->words * WORD_BYTES) return false;
    return words_of(h, h->of->texts[0], between, true).count < h->words;
}

bool difference_hunks_open(difference_hunks *h, const differing *of, unsigned words, size_t most) {
    *h = (difference_hunks){.of = of,
                            .words = words < MOST_WORDS ? words : MOST_WORDS,
                            .most = most < of->list->count ? most : of->list->count};
    nd_error error;
    return nd_analyzer_create(NULL, NULL, &h->analyzer, &error) == ND_OK;
}

bool difference_hunks_next(difference_hunks *h, difference_hunk *out) {
    const nd_difference *all = h->of->list->differences;
    size_t count = h->of->list->count, first = h->next, last = first;
    if (first >= h->most) return false;
    while (last + 1 < h->most && last - first + 1 < MOST_TOGETHER && are_near(h, &all[last]))
        last++;
    h->next = last + 1;
    *out = (difference_hunk){.first = first, .count = last - first + 1};
    for (int side = 0; side < 2; side++) {
        size_t least = first > 0 ? difference_piece(&all[first - 1], side).end : 0;
        size_t most = last + 1 < count ? difference_piece(&all[last + 1], side).begin
                                       : h->of->lengths[side];
        out->places[side] = (piece){
            context_begin(h, side, least, difference_piece(&all[first], side).begin),
            context_end(h, side, difference_piece(&all[last], side).end, most)};
    }
    return true;
}

void difference_hunks_close(difference_hunks *h) { nd_analyzer_free(h->analyzer); }
