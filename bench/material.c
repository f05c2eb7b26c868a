/* Cuts real text into sentences and draws words of them: see material.h. */
#include "material.h"

#include "json_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE_MIN = 24, SENTENCE_SOFT = 48, SENTENCE_MAX = 600, WORD_MAX = 40, CHUNK = 1 << 20 };

/* ---------------------------------------------------------------- UTF-8 */

/* Returns the bytes of the code point at `s`; 0 if it is not UTF-8. */
static size_t decode(const unsigned char *s, size_t left, uint32_t *p) {
    if (s[0] < 0x80) {
        *p = s[0];
        return 1;
    }
    size_t n = s[0] >= 0xC2 && s[0] < 0xE0   ? 2
               : (s[0] & 0xF0) == 0xE0       ? 3
               : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                             : 0;
    if (n == 0 || n > left) return 0;
    *p = s[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        *p = *p << 6 | (s[i] & 0x3Fu);
    }
    bool shortest = n == 2 || (n == 3 && *p >= 0x800) || (n == 4 && *p >= 0x10000);
    return shortest && *p <= 0x10FFFF && (*p < 0xD800 || *p > 0xDFFF) ? n : 0;
}

static bool in_script(const char *language, uint32_t p) {
    switch (language[0]) {
    case 'z': return p >= 0x3400 && p <= 0x9FFF;
    case 'r': return p >= 0x0400 && p <= 0x052F;
    case 'a': return p >= 0x0600 && p <= 0x06FF;
    default: return p >= 0x0900 && p <= 0x097F;
    }
}

const unsigned char word_letters[256] = {
    ['0' ... '9'] = 1,
    ['A' ... 'Z'] = 1,
    ['a' ... 'z'] = 1,
    [0x80 ... 0xBF] = 1, /* continuation bytes */
    /* Lead bytes of two and three bytes, except C2, E2, EE and EF (mostly punctuation and signs)
     * and E3 to E9. */
    [0xC3 ... 0xE1] = 1,
    [0xEA ... 0xED] = 1,
    [0xF0 ... 0xF4] = 1, /* lead bytes of four */
};

/* ---------------------------------------------------------------- sentences */

/* Accepts sentences that look like natural language: mostly letters, words of usual length, no
 * markup of man pages, in the chosen script. */
static bool is_good(const material *m, const unsigned char *s, size_t n, uint64_t *hash) {
    size_t letters = 0, native = 0, backslashes = 0, words = 0;
    uint64_t h = n;
    if (n < SENTENCE_MIN || s[0] == '.') return false;
    for (size_t i = 0, step; i < n; i += step) {
        uint32_t p;
        step = decode(s + i, n - i, &p);
        if (step == 0 || (p < 32 && p != '\n' && p != '\t') || p == 127 || p == 0xFFFD)
            return false;
        bool letter = (p | 32) - 'a' < 26 || p >= 0xC0;
        letters += letter ? step : 0;
        native += letter && m->language && in_script(m->language, p) ? step : 0;
        backslashes += p == '\\';
        if (p > ' ') h = (h ^ p) * 0x9FB21C651E98DF25u, h ^= h >> 29;
    }
    for (size_t i = 0, step; i < n; i += step) {
        size_t length = word_at(s + i, s + n, &step);
        if (length == 0) continue;
        if (length > WORD_MAX * (m->language ? 3 : 1)) return false;
        words++;
        step = length;
    }
    *hash = h | 1;
    return letters * 10 >= n * 6 && words >= 4 && backslashes < 2 &&
           (!m->language || native * 10 >= letters * 6);
}

static bool grow(void **memory, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return true;
    size_t grown = need + need / 2 + 1024;
    void *larger = realloc(*memory, grown * size);
    if (!larger) {
        fprintf(stderr, "out of memory\n");
        return false;
    }
    *memory = larger;
    *capacity = grown;
    return true;
}

static bool double_seen(material *m) {
    size_t slots = m->seen_slots ? m->seen_slots * 2 : 1 << 16;
    uint64_t *seen = calloc(slots, sizeof *seen);
    if (!seen) return false;
    for (size_t i = 0; i < m->seen_slots; i++) {
        if (m->seen[i] == 0) continue;
        size_t at = m->seen[i] & (slots - 1);
        while (seen[at]) at = (at + 1) & (slots - 1);
        seen[at] = m->seen[i];
    }
    free(m->seen);
    m->seen = seen;
    m->seen_slots = slots;
    return true;
}

/* Adds each sentence once. Otherwise licence texts and old versions of a page would make accidental
 * near-duplicates. */
static bool add_sentence(material *m, const char *text, size_t length) {
    uint64_t hash;
    if (!is_good(m, (const unsigned char *)text, length, &hash)) return true;
    if (m->count * 2 >= m->seen_slots && !double_seen(m)) return false;
    size_t at = hash & (m->seen_slots - 1);
    for (; m->seen[at]; at = (at + 1) & (m->seen_slots - 1)) {
        if (m->seen[at] == hash) return true;
    }
    m->seen[at] = hash;
    if (!grow((void **)&m->bytes, &m->capacity, m->size + length, 1)) return false;
    if (!grow((void **)&m->sentences, &m->count_capacity, m->count + 1, sizeof *m->sentences))
        return false;
    m->sentences[m->count++] = (sentence){(uint32_t)m->size, (uint16_t)length};
    memcpy(m->bytes + m->size, text, length);
    m->size += length;
    return true;
}

/* Returns where to cut a text without sentence ends: the last end of a sentence in text[0 .. n), or
 * the last blank, or the last complete character. */
static size_t forced_end(const char *text, size_t n) {
    size_t end = n;
    while (end > n / 2 && text[end - 1] != ' ') end--;
    if (end > n / 2) return end;
    for (end = n; end > 1 && ((unsigned char)text[end] & 0xC0) == 0x80;) end--;
    return end;
}

/* Returns the length of the sentence at the beginning of text[0 .. n). It ends with a full stop and
 * a blank, with the line, or with the paragraph. */
static size_t sentence_end(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i == SENTENCE_MAX) return forced_end(text, i);
        if (text[i] == 0) return i + 1;
        bool paragraph = text[i] == '\n' && i + 1 < n && text[i + 1] == '\n';
        if (paragraph) return i + 2;
        if (i < SENTENCE_SOFT) continue;
        if (text[i] == '\n') return i + 1;
        if ((text[i] == ' ' || text[i] == '\n') && strchr(".!?", text[i - 1])) return i + 1;
        if (i >= 2 && memcmp(text + i - 2, "\xE3\x80\x82", 3) == 0)
            return i + 1; /* the ideographic full stop */
    }
    return n;
}

static bool add_text(material *m, const char *text, size_t n) {
    while (n > 0 && m->size < m->limit) {
        size_t length = sentence_end(text, n);
        size_t shown = text[length - 1] == 0 ? length - 1 : length;
        if (shown > 0 && !add_sentence(m, text, shown)) return false;
        text += length;
        n -= length;
    }
    return true;
}

/* ---------------------------------------------------------------- sources */

static bool add_json_lines(material *m, input_file *file) {
    char *line = NULL, *text = NULL;
    size_t capacity = 0, text_capacity = 0, text_length;
    ssize_t length;
    bool good = true;
    while (good && m->size < m->limit && (length = getline(&line, &capacity, file->stream)) > 0) {
        good = grow((void **)&text, &text_capacity, (size_t)length, 1);
        if (good && json_field(line, (size_t)length, "text", text, &text_length))
            good = add_text(m, text, text_length);
    }
    free(line);
    free(text);
    return good;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Replaces markup between < and > by one blank, so that HTML and XML can be material. */
static size_t drop_tags(char *text, size_t n) {
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        bool opens = text[i] == '<' && i + 1 < n && (text[i + 1] == '/' || is_letter(text[i + 1]));
        char *close = opens ? memchr(text + i, '>', n - i < 400 ? n - i : 400) : NULL;
        if (close) i = (size_t)(close - text);
        text[out++] = close ? ' ' : text[i];
    }
    return out;
}

/* Reads chunks that are cut anywhere. A sentence at a chunk's end is lost or broken, which does no
 * harm here. */
static bool add_plain(material *m, input_file *file) {
    char *chunk = malloc(CHUNK);
    bool good = chunk != NULL;
    size_t length;
    while (good && m->size < m->limit && (length = fread(chunk, 1, CHUNK, file->stream)) > 0) {
        good = add_text(m, chunk, drop_tags(chunk, length));
    }
    free(chunk);
    return good;
}

bool material_add_file(material *m, const char *path) {
    input_file file;
    if (!input_open(&file, path)) return false;
    bool good = strstr(path, ".jsonl") ? add_json_lines(m, &file) : add_plain(m, &file);
    return input_close(&file, good && m->size < m->limit) && good;
}

bool material_add_machine(material *m) {
    static const char general[] =
        "find -L /usr/share/doc /usr/share/perl /usr/share/perl5 /usr/lib/python3* "
        "/usr/share/man/man* -type f"
        " \\( -name copyright -o -iname 'changelog*' -o -iname 'news*' -o -iname 'readme*' -o "
        "-name '*.txt*' -o -name '*.md' -o -name '*.rst*'"
        " -o -name '*.html' -o -name '*.pod' -o -name '*.py' -o -name '*.[1-8].gz' \\) -print0 "
        "2>/dev/null"
        " | LC_ALL=C sort -z | xargs -0 gzip -dcf 2>/dev/null";
    static const char translated[] =
        "find -L /usr/share/locale/%1$s* /usr/share/man/%1$s* /usr/share/help/%1$s* "
        "/usr/lib/libreoffice/help/%1$s* /usr/share/doc/*/%1$s*"
        " /usr/share/doc/*/html/%1$s* -type f"
        " \\( -name '*.mo' -o -name '*.gz' -o -name '*.html' -o -name '*.page' -o -name '*.txt' "
        "\\) -print0 2>/dev/null"
        " | LC_ALL=C sort -z | xargs -0 gzip -dcf 2>/dev/null";
    char command[2 * sizeof translated];
    if (m->language) snprintf(command, sizeof command, translated, m->language);
    else snprintf(command, sizeof command, "%s", general);
    input_file file;
    if (!input_open_command(&file, command)) return false;
    bool good = add_plain(m, &file);
    return input_close(&file, false) && good;
}

/* Draws one of the words of a sentence, all with the same chance (reservoir sampling). Every
 * sentence has words. */
static void draw_word(const material *m, const sentence *s, uint64_t *random, uint32_t *start,
                      uint8_t *length) {
    const unsigned char *bytes = (const unsigned char *)m->bytes, *at = bytes + s->start,
                        *end = at + s->length;
    uint32_t words = 0;
    for (size_t step; at < end; at += step) {
        size_t found = word_at(at, end, &step);
        if (found == 0) continue;
        step = found;
        if (random_below(random, ++words) != 0) continue;
        *start = (uint32_t)(at - bytes);
        *length = (uint8_t)(found < UINT8_MAX ? found : UINT8_MAX);
    }
}

bool material_finish(material *m, uint64_t seed) {
    if (m->count < 100) {
        fprintf(stderr, "too little material: %zu sentences\n", m->count);
        return false;
    }
    m->pool_start = malloc(WORD_POOL * sizeof *m->pool_start);
    m->pool_length = malloc(WORD_POOL);
    if (!m->pool_start || !m->pool_length) return false;
    for (size_t i = 0; i < WORD_POOL; i++) {
        const sentence *s = &m->sentences[(uint64_t)i * m->count / WORD_POOL];
        draw_word(m, s, &seed, &m->pool_start[i], &m->pool_length[i]);
    }
    return true;
}

void material_free(material *m) {
    free(m->bytes);
    free(m->sentences);
    free(m->seen);
    free(m->pool_start);
    free(m->pool_length);
}
