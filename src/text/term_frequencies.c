#include "text/term_frequencies.h"
#include "text/analyzer.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"

#include <string.h>

enum { HEAD = 3, TIMES = 65535, LEAST_SLOTS = 64 };

/* A distinct word, as one of the analyzer's list. */
typedef struct counted {
    uint64_t hash;
    const unsigned char *bytes;
    uint32_t length, times;
} counted;

struct nd_term_frequencies {
    nd_allocator allocator;
    nd_analyzer *analyzer;
    const nd_stop_words *stop;                     /* not owned; NULL: none */
    uint16_t slots[2 * ND_TERM_FREQUENCIES_WORDS]; /* numbers in `words`, plus 1; 0: free. The first
                                                      of them, as many as a text needs */
    counted words[ND_TERM_FREQUENCIES_WORDS];
    size_t count;
    unsigned char *bytes;
    size_t size, capacity;
};

nd_status nd_term_frequencies_create(const nd_analyzer_options *analyzer, const nd_stop_words *stop,
                                     const nd_allocator *allocator, nd_term_frequencies **out,
                                     nd_error *error) {
    nd_term_frequencies *list = nd_allocate_zero(allocator, 1, sizeof *list);
    if (!list) return nd_fail_memory(error, sizeof *list, "a list of words");
    list->allocator = *allocator;
    list->stop = stop;
    nd_status status = nd_analyzer_create_for(ND_SHINGLES_AND_TEXT_HASH, analyzer, allocator,
                                              &list->analyzer, error);
    if (status != ND_OK) nd_term_frequencies_free(list);
    else *out = list;
    return status;
}

void nd_term_frequencies_free(nd_term_frequencies *list) {
    if (!list) return;
    nd_allocator allocator = list->allocator;
    nd_analyzer_free(list->analyzer);
    nd_release(&allocator, list->bytes);
    nd_release(&allocator, list);
}

/* Powers of two: at least twice the distinct words that are counted. */
static size_t slots_for(size_t words) {
    size_t slots = LEAST_SLOTS;
    while (slots < 2 * words && slots < 2 * ND_TERM_FREQUENCIES_WORDS) slots *= 2;
    return slots;
}

/* `mask`: of the slots in use. Most words are short, and equal ones have the same hash. */
static void count_word(nd_term_frequencies *l, size_t mask, counted word) {
    size_t at = (size_t)word.hash & mask;
    for (; l->slots[at]; at = (at + 1) & mask) {
        counted *w = &l->words[l->slots[at] - 1];
        if (w->hash != word.hash || w->length != word.length ||
            memcmp(w->bytes, word.bytes, word.length) != 0)
            continue;
        w->times += w->times < TIMES;
        return;
    }
    if (l->count == ND_TERM_FREQUENCIES_WORDS) return;
    l->words[l->count++] = word;
    l->slots[at] = (uint16_t)l->count;
}

static void count_words(nd_term_frequencies *l, const nd_word_list *list) {
    size_t slots = slots_for(list->count), begin = 0;
    memset(l->slots, 0, slots * sizeof *l->slots);
    l->count = 0;
    for (size_t i = 0; i < list->count; begin = list->ends[i++]) {
        const size_t length = list->ends[i] - begin;
        if (length > ND_TERM_FREQUENCIES_LENGTH ||
            (l->stop && nd_stop_words_has(l->stop, nd_mix64(list->hashes[i]))))
            continue;
        count_word(l, slots - 1,
                   (counted){list->hashes[i], list->bytes + begin, (uint32_t)length, 1});
    }
}

static nd_status write_words(nd_term_frequencies *l, nd_error *error) {
    size_t room = l->count * (HEAD + ND_TERM_FREQUENCIES_LENGTH);
    if (!nd_reserve(&l->allocator, &l->bytes, &l->capacity, room))
        return nd_fail_memory(error, room, "a list of words");
    unsigned char *to = l->bytes;
    for (size_t i = 0; i < l->count; i++) {
        const counted *w = &l->words[i];
        to[0] = (unsigned char)w->length;
        to[1] = (unsigned char)w->times;
        to[2] = (unsigned char)(w->times >> 8);
        /* Copies of a constant size are faster; 16 bytes can be read, and behind a word is room. */
        for (size_t at = 0; at < w->length; at += 16) memcpy(to + HEAD + at, w->bytes + at, 16);
        to += HEAD + w->length;
    }
    l->size = (size_t)(to - l->bytes);
    return ND_OK;
}

nd_status nd_term_frequencies_count(nd_term_frequencies *l, const char *text, size_t length,
                                    const unsigned char **bytes, size_t *size, nd_error *error) {
    nd_word_list list;
    ND_TRY(nd_analyzer_list_words(l->analyzer, text, length, &list, error));
    count_words(l, &list);
    ND_TRY(write_words(l, error));
    *bytes = l->bytes;
    *size = l->size;
    return ND_OK;
}
