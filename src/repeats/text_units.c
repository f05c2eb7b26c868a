#include "repeats/text_units.h"

#include "base/hash.h"
#include "base/limits.h"
#include "kernel/kernel.h"
#include "unicode/unicode_data.h"

#include <string.h>

/* Lines that are found at once. */
enum { LINES_AT_ONCE = ND_LIMIT(256, 2) };

/* ---- units */

static nd_status add_unit(nd_text_units *u, nd_text_unit unit, nd_error *error) {
    if (!nd_reserve(&u->allocator, &u->units, &u->capacity, u->count + 1))
        return nd_fail_memory(error, u->count * sizeof *u->units, "the lines of a text");
    u->units[u->count++] = unit;
    return ND_OK;
}

static bool is_blank(const char *text, const nd_text_unit *line) {
    for (size_t i = line->begin; i < line->end; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
    return true;
}

/* Adds a line to the last paragraph, or begins one. *in_paragraph: the line before is not blank. */
static nd_status add_to_paragraphs(nd_text_units *u, const char *text, const nd_text_unit *line,
                                   bool *in_paragraph, nd_error *error) {
    nd_text_unit *last = u->count > 0 ? &u->units[u->count - 1] : NULL;
    bool goes_on = *in_paragraph;
    *in_paragraph = !is_blank(text, line);
    if (*in_paragraph && !goes_on) return add_unit(u, *line, error);
    if (!last) return ND_OK;
    last->next = line->next;
    if (!*in_paragraph) return ND_OK;
    last->end = line->end;
    last->words += line->words;
    last->exact = last->exact && line->exact;
    return ND_OK;
}

static nd_status find_lines(nd_text_units *u, const char *text, size_t length, nd_error *error) {
    const nd_kernel *kernel = nd_kernel_get();
    nd_line lines[LINES_AT_ONCE];
    bool in_paragraph = false;
    for (size_t at = 0, read, next; at < length; at += read) {
        size_t count = kernel->lines(text + at, length - at, lines, LINES_AT_ONCE, &read);
        for (size_t i = 0, begin = at; i < count; i++, begin = next) {
            size_t end = at + lines[i].end;
            next = end < length ? end + 1 : length;
            if (end > begin && text[end - 1] == '\r') end--;
            const nd_text_unit line = {begin, end, next, lines[i].words, lines[i].ascii};
            ND_TRY(u->kind == ND_UNIT_LINE
                       ? add_unit(u, line, error)
                       : add_to_paragraphs(u, text, &line, &in_paragraph, error));
        }
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
    t->status = add_unit(t->units, (nd_text_unit){begin, end, next, 0, false}, t->error);
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
    return u->kind == ND_UNIT_SENTENCE ? find_sentences(u, text, length, error)
                                       : find_lines(u, text, length, error);
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

bool nd_text_unit_has_words(const char *text, const nd_text_unit *unit, uint32_t least) {
    if (unit->words >= least || unit->exact) return unit->words >= least;
    return nd_count_words(text + unit->begin, unit->end - unit->begin, least) == least;
}

/* ---- hashes */

/* Takes 16 bytes into two hashes. */
static inline void take_words(uint64_t a, uint64_t b, uint64_t out[2]) {
    out[0] = nd_fold_multiply(a ^ ND_HASH_C0 ^ out[0], b ^ ND_HASH_C1);
    out[1] = nd_fold_multiply(b ^ ND_HASH_C2 ^ out[1], a ^ ND_HASH_C3);
}

static inline uint64_t load_le32(const unsigned char *p) {
    return p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

void nd_hash_unit(const char *text, size_t length, uint64_t out[2]) {
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    out[0] = length * ND_HASH_POLY;
    out[1] = nd_mix64(length + ND_HASH_C1);
    for (size_t left = length; left > 16; left -= 16, p += 16)
        take_words(nd_load_le64(p), nd_load_le64(p + 8), out);
    if (length >= 16) take_words(nd_load_le64(end - 16), nd_load_le64(end - 8), out);
    else if (length >= 8) take_words(nd_load_le64(p), nd_load_le64(end - 8), out);
    else if (length >= 4) take_words(load_le32(p), load_le32(end - 4), out);
    else take_words(nd_load_partial(p, length), 0, out);
    out[0] = nd_mix64(out[0]);
    out[1] = nd_mix64(out[1]);
}
