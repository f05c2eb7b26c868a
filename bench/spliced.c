/* Makes documents of news size from sentences of real text: see spliced.h. */
#include "spliced.h"

#include <string.h>

enum { WORDS = 300, CHANGED_WORDS = 3 };

static size_t count_words(const char *text, size_t length) {
    size_t words = 0;
    for (size_t i = 0; i < length; i++) words += text[i] == ' ' || text[i] == '\n';
    return words;
}

size_t spliced_original(const material *m, uint64_t i, char *text) {
    uint64_t seed = i, state = random_next(&seed);
    size_t size = 0, words = 0;
    while (words < WORDS) {
        const sentence *s = &m->sentences[random_below(&state, m->count)];
        if (size + s->length + 2 > SPLICED_ROOM - 64) break;
        memcpy(text + size, m->bytes + s->start, s->length);
        words += count_words(text + size, s->length) + 1;
        size += s->length;
        text[size++] = ' ';
    }
    return size;
}

size_t spliced_document(const material *m, uint64_t i, char *text) {
    if (i % SPLICED_VARIANT_EVERY != SPLICED_VARIANT_EVERY - 1) return spliced_original(m, i, text);
    uint64_t state = i ^ 0xD1B54A32D192ED03u, of = random_next(&state) % i;
    if (of % SPLICED_VARIANT_EVERY == SPLICED_VARIANT_EVERY - 1) of--;
    size_t size = spliced_original(m, of, text);
    for (int w = 0; w < CHANGED_WORDS; w++) {
        size_t at = random_below(&state, size);
        while (at > 0 && text[at - 1] != ' ') at--;
        for (; at < size && text[at] != ' '; at++)
            text[at] = (char)('a' + random_below(&state, 26));
    }
    return size;
}
