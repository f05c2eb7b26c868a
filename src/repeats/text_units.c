#include "repeats/text_units.h"

#include "base/hash.h"
#include "unicode/unicode_data.h"

#include <string.h>

/* ---- units */

static nd_status add_unit(nd_text_units *u, nd_text_unit unit, nd_error *error) {
    if (!nd_reserve(&u->allocator, &u->units, &u->capacity, u->count + 1))
        return nd_fail_memory(error, u->count * sizeof *u->units, "the lines of a text");
    u->units[u->count++] = unit;
    return ND_OK;
}

/* The line at `begin`. */
static nd_text_unit line_at(const char *text, size_t begin, size_t length) {
    const char *newline = memchr(text + begin, '\n', length - begin);
    size_t end = newline ? (size_t)(newline - text) : length, next = end + (newline != NULL);
    return (nd_text_unit){begin, end > begin && text[end - 1] == '\r' ? end - 1 : end, next};
}

static nd_status find_lines(nd_text_units *u, const char *text, size_t length, nd_error *error) {
    for (size_t at = 0; at < length; at = u->units[u->count - 1].next)
        ND_TRY(add_unit(u, line_at(text, at, length), error));
    return ND_OK;
}

static bool is_blank(const char *text, const nd_text_unit *line) {
    for (size_t i = line->begin; i < line->end; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
    return true;
}

static nd_status find_paragraphs(nd_text_units *u, const char *text, size_t length,
                                 nd_error *error) {
    bool in_paragraph = false;
    for (size_t at = 0; at < length;) {
        nd_text_unit line = line_at(text, at, length),
                     *last = u->count > 0 ? &u->units[u->count - 1] : NULL;
        bool blank = is_blank(text, &line);
        at = line.next;
        if (!blank && !in_paragraph) ND_TRY(add_unit(u, line, error));
        else if (last) last->next = at;
        if (!blank && in_paragraph) last->end = line.end;
        in_paragraph = !blank;
    }
    return ND_OK;
}

typedef struct sentence_taker {
    nd_text_units *units;
    const char *text;
    nd_status status;
    nd_error *error;
} sentence_taker;

/* nd_sentence_fn */
static bool take_sentence(void *context, size_t begin, size_t next) {
    sentence_taker *t = context;
    size_t end = next;
    while (end > begin && strchr(" \t\r\n", t->text[end - 1]) && t->text[end - 1]) end--;
    t->status = add_unit(t->units, (nd_text_unit){begin, end, next}, t->error);
    return t->status == ND_OK;
}

static nd_status find_sentences(nd_text_units *u, const char *text, size_t length,
                                nd_error *error) {
    sentence_taker taker = {.units = u, .text = text, .error = error};
    nd_error why;
    nd_status status = nd_sentences(text, length, take_sentence, &taker, &why);
    if (taker.status != ND_OK || status == ND_OK) return taker.status;
    return nd_fail(error, status, "%s", why.message);
}

nd_status nd_text_units_find(nd_text_units *u, const char *text, size_t length, nd_error *error) {
    u->count = 0;
    switch (u->kind) {
    case ND_UNIT_PARAGRAPH: return find_paragraphs(u, text, length, error);
    case ND_UNIT_SENTENCE: return find_sentences(u, text, length, error);
    default: return find_lines(u, text, length, error);
    }
}

void nd_text_units_free(nd_text_units *u) { nd_release(&u->allocator, u->units); }

/* ---- words */

/* Reads a character of valid UTF-8 that is not ASCII. Returns its length. */
static size_t read_character(const unsigned char *p, size_t left, uint32_t *cp) {
    size_t size = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (size > left) size = left;
    *cp = p[0] & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) *cp = *cp << 6 | (p[i] & 0x3F);
    return size;
}

uint32_t nd_count_words(const char *text, size_t length, uint32_t most) {
    uint32_t words = 0, cp;
    bool in_word = false;
    for (size_t at = 0; at < length && words < most;) {
        cp = (unsigned char)text[at];
        at += cp < 0x80 ? 1 : read_character((const unsigned char *)text + at, length - at, &cp);
        unsigned class = nd_unicode_entry(cp) & ND_CHAR_CLASS;
        if (class == ND_CHAR_MARK) continue;
        words += class == ND_CHAR_UNSPACED || (class == ND_CHAR_WORD && !in_word);
        in_word = class == ND_CHAR_WORD;
    }
    return words;
}

bool nd_has_words_left(const char *text, size_t length, const nd_text_span *spans, size_t count,
                       uint32_t least) {
    uint32_t words = 0;
    size_t at = 0;
    for (size_t i = 0; i <= count && words < least; i++) {
        size_t end = i < count ? spans[i].begin : length;
        words += nd_count_words(text + at, end - at, least - words);
        if (i < count) at = spans[i].end;
    }
    return words >= least;
}

/* ---- hashes */

/* Takes 16 bytes into two hashes. */
static inline void take_words(uint64_t a, uint64_t b, uint64_t out[2]) {
    out[0] = nd_fold_multiply(a ^ ND_HASH_C0 ^ out[0], b ^ ND_HASH_C1);
    out[1] = nd_fold_multiply(b ^ ND_HASH_C2 ^ out[1], a ^ ND_HASH_C3);
}

void nd_hash_unit(const char *text, size_t length, uint64_t out[2]) {
    const unsigned char *p = (const unsigned char *)text;
    out[0] = length * ND_HASH_POLY;
    out[1] = nd_mix64(length + ND_HASH_C1);
    for (; length > 16; length -= 16, p += 16)
        take_words(nd_load_le64(p), nd_load_le64(p + 8), out);
    size_t first = length < 8 ? length : 8;
    take_words(nd_load_partial(p, first), nd_load_partial(p + first, length - first), out);
    out[0] = nd_mix64(out[0]);
    out[1] = nd_mix64(out[1]);
}
