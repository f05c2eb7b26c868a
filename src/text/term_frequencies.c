#include "text/term_frequencies.h"
#include "text/analyzer.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"

#include <string.h>

enum { SLOTS = 2 * ND_TERM_FREQUENCIES_WORDS, HEAD = 3, TIMES = 65535 };

struct nd_term_frequencies {
    nd_allocator allocator;
    nd_analyzer *analyzer;
    const nd_stop_words *stop; /* not owned; NULL: none */
    nd_hash_key key;
    uint32_t slots[SLOTS];                    /* offsets of words in `bytes`, plus 1; 0: free */
    uint32_t used[ND_TERM_FREQUENCIES_WORDS]; /* slots that are not free */
    size_t count;
    unsigned char *bytes;
    size_t size, capacity;
    bool no_memory;
};

nd_status nd_term_frequencies_create(const nd_analyzer_options *analyzer, const nd_stop_words *stop,
                                     const nd_allocator *allocator, nd_term_frequencies **out,
                                     nd_error *error) {
    nd_term_frequencies *list = nd_allocate_zero(allocator, 1, sizeof *list);
    if (!list) return nd_fail_memory(error, sizeof *list, "a list of words");
    list->allocator = *allocator;
    list->stop = stop;
    list->key = nd_hash_key_of(analyzer->seed);
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

static void increase(unsigned char *entry) {
    uint32_t times = entry[1] | (uint32_t)entry[2] << 8;
    times += times < TIMES;
    entry[1] = (unsigned char)times;
    entry[2] = (unsigned char)(times >> 8);
}

/* nd_token_fn */
static bool count_word(void *context, const nd_token *token) {
    nd_term_frequencies *l = context;
    const char *word = token->text;
    size_t length = token->length;
    if (length > ND_TERM_FREQUENCIES_LENGTH) return true;
    uint64_t hash = nd_hash_token(&l->key, word, length);
    if (l->stop && nd_stop_words_has(l->stop, nd_mix64(hash))) return true;
    size_t at = (size_t)hash % SLOTS;
    for (; l->slots[at]; at = (at + 1) % SLOTS) {
        unsigned char *entry = l->bytes + l->slots[at] - 1;
        if (entry[0] != length || memcmp(entry + HEAD, word, length) != 0) continue;
        increase(entry);
        return true;
    }
    if (l->count == ND_TERM_FREQUENCIES_WORDS) return true;
    l->no_memory = !nd_reserve(&l->allocator, &l->bytes, &l->capacity, l->size + HEAD + length);
    if (l->no_memory) return false;
    l->slots[at] = (uint32_t)l->size + 1;
    l->used[l->count++] = (uint32_t)at;
    l->bytes[l->size] = (unsigned char)length;
    l->bytes[l->size + 1] = 1;
    l->bytes[l->size + 2] = 0;
    memcpy(l->bytes + l->size + HEAD, word, length);
    l->size += HEAD + length;
    return true;
}

nd_status nd_term_frequencies_count(nd_term_frequencies *l, const char *text, size_t length,
                                    const unsigned char **bytes, size_t *size, nd_error *error) {
    for (size_t i = 0; i < l->count; i++) l->slots[l->used[i]] = 0;
    l->count = l->size = 0;
    nd_status status = nd_tokenize(l->analyzer, text, length, count_word, l, error);
    if (l->no_memory) return nd_fail_memory(error, l->size, "a list of words");
    *bytes = l->bytes;
    *size = l->size;
    return status;
}
