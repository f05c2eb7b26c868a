#include "text/term_frequencies.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/status.h"

#include <string.h>

/* COPIED: bytes that are copied at a time. Copies of a constant size are faster; so many bytes
 * behind a word can be read, and written behind the last word. */
enum { HEAD = 3, TIMES = 65535, LEAST_SLOTS = 64, COPIED = 16, SLOTS_PER_WORD = 8 };

struct nd_term_frequencies {
    nd_allocator allocator;
    const nd_stop_words *stop; /* not owned; NULL: none */
    uint16_t
        slots[SLOTS_PER_WORD * ND_TERM_FREQUENCIES_WORDS]; /* numbers of words, plus 1; 0: free. The
                                                 first of them, as many as a text needs */
    uint64_t hashes[ND_TERM_FREQUENCIES_WORDS];
    uint32_t begins[ND_TERM_FREQUENCIES_WORDS]; /* offsets in `bytes` */
    size_t count;
    unsigned char *bytes;
    size_t size, capacity;
};

nd_status nd_term_frequencies_create(const nd_stop_words *stop, const nd_allocator *allocator,
                                     nd_term_frequencies **out, nd_error *error) {
    nd_term_frequencies *list = nd_allocate_zero(allocator, 1, sizeof *list);
    if (!list) return nd_fail_memory(error, sizeof *list, "a list of words");
    list->allocator = *allocator;
    list->stop = stop;
    *out = list;
    return ND_OK;
}

void nd_term_frequencies_free(nd_term_frequencies *list) {
    if (!list) return;
    nd_allocator allocator = list->allocator;
    nd_release(&allocator, list->bytes);
    nd_release(&allocator, list);
}

/* A power of two: at least so many slots per word that is counted that most words meet no other. */
static size_t slots_for(size_t words) {
    size_t most = words < ND_TERM_FREQUENCIES_WORDS ? words : ND_TERM_FREQUENCIES_WORDS,
           slots = LEAST_SLOTS;
    while (slots < SLOTS_PER_WORD * most) slots *= 2;
    return slots;
}

/* REQUIRES: `length` is not 0, and as many bytes as are copied at a time can be read. */
static inline bool are_equal(const unsigned char *a, const unsigned char *b, size_t length) {
    for (; length > 8; a += 8, b += 8, length -= 8)
        if (nd_load_le64(a) != nd_load_le64(b)) return false;
    return (nd_load_le64(a) ^ nd_load_le64(b)) << (64 - 8 * length) == 0;
}

static inline void set_times(unsigned char *word, uint32_t times) {
    word[1] = (unsigned char)times;
    word[2] = (unsigned char)(times >> 8);
}

static inline void add_word(nd_term_frequencies *l, uint64_t hash, const unsigned char *word,
                            size_t length) {
    unsigned char *to = l->bytes + l->size;
    l->hashes[l->count] = hash;
    l->begins[l->count++] = (uint32_t)l->size;
    to[0] = (unsigned char)length;
    set_times(to, 1);
    for (size_t at = 0; at < length; at += COPIED) memcpy(to + HEAD + at, word + at, COPIED);
    l->size += HEAD + length;
}

/* `mask`: of the slots in use. */
static inline void count_word(nd_term_frequencies *l, size_t mask, uint64_t hash,
                              const unsigned char *word, size_t length) {
    size_t at = (size_t)hash & mask;
    for (; l->slots[at]; at = (at + 1) & mask) {
        size_t number = l->slots[at] - 1u;
        unsigned char *known = l->bytes + l->begins[number];
        if (l->hashes[number] != hash || known[0] != length ||
            !are_equal(known + HEAD, word, length))
            continue;
        uint32_t times = known[1] | (uint32_t)known[2] << 8;
        set_times(known, times + (times < TIMES));
        return;
    }
    if (l->count == ND_TERM_FREQUENCIES_WORDS) return;
    add_word(l, hash, word, length);
    l->slots[at] = (uint16_t)l->count;
}

nd_status nd_term_frequencies_count(nd_term_frequencies *l, const nd_word_list *words,
                                    nd_counted_words *out, nd_error *error) {
    size_t slots = slots_for(words->count), begin = 0;
    size_t room = slots / SLOTS_PER_WORD * (HEAD + ND_TERM_FREQUENCIES_LENGTH) + COPIED;
    if (!nd_reserve(&l->allocator, &l->bytes, &l->capacity, room))
        return nd_fail_memory(error, room, "a list of words");
    memset(l->slots, 0, slots * sizeof *l->slots);
    l->count = l->size = 0;
    for (size_t i = 0; i < words->count; begin = words->ends[i++]) {
        const size_t length = words->ends[i] - begin;
        if (length > ND_TERM_FREQUENCIES_LENGTH ||
            (l->stop && nd_stop_words_has(l->stop, nd_mix64(words->hashes[i]))))
            continue;
        count_word(l, slots - 1, words->hashes[i], words->bytes + begin, length);
    }
    *out = (nd_counted_words){l->bytes, l->size, l->hashes, l->count};
    return ND_OK;
}
