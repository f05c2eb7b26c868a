/* A corpus of small texts for tests of whole jobs: families of edited copies, exact copies, texts
 * without tokens, shared boilerplate. Some ids repeat. */
#ifndef ND_TESTS_SMALL_CORPUS_H
#define ND_TESTS_SMALL_CORPUS_H

#include "neardup.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

typedef struct corpus {
    char *text[MOST];
    char id[MOST][24];
    double priority[MOST];
    bool is_protected[MOST];
    size_t count;
    size_t next; /* the next record of the callback */
} corpus;

static inline void add_words(char *text, uint64_t *seed, size_t words, unsigned vocabulary) {
    for (size_t i = 0; i < words; i++) {
        char word[16];
        snprintf(word, sizeof word, "%sw%u", i ? " " : "",
                 (unsigned)random_below(seed, vocabulary));
        strcat(text, word);
    }
}

static inline void edit(char *text, uint64_t *seed, unsigned edits) {
    size_t length = strlen(text);
    for (unsigned e = 0; e < edits && length > 0; e++) {
        char *p = text + random_below(seed, length);
        if (*p != ' ') *p = (char)('a' + random_below(seed, 26));
    }
}

static inline void make_corpus(corpus *c, uint64_t seed, size_t count) {
    c->count = count;
    for (size_t d = 0; d < count; d++) {
        char text[4000] = "";
        uint64_t kind = random_below(&seed, 10);
        if (d > 0 && kind < 6) {
            strcpy(text, c->text[random_below(&seed, d)]);
            edit(text, &seed, (unsigned)random_below(&seed, 4));
        } else if (kind < 7) {
            strcpy(text, random_below(&seed, 2) ? "?!" : "");
        } else {
            if (kind == 8)
                strcpy(text, "all pages of this site begin with the same words and say little else "
                             "after them ");
            unsigned vocabulary = random_below(&seed, 2) ? 8 : 1000;
            add_words(text, &seed, random_below(&seed, 40), vocabulary);
        }
        c->text[d] = strdup(text);
        snprintf(c->id[d], sizeof c->id[d], "d%zu", random_below(&seed, 50) ? d : d / 2);
        c->priority[d] = random_below(&seed, 5) ? (double)random_below(&seed, 20) : NAN;
    }
}

static inline void free_corpus(corpus *c) {
    for (size_t d = 0; d < c->count; d++) free(c->text[d]);
}

static inline int give(void *context, nd_record *out) {
    corpus *c = context;
    if (c->next == c->count) return 0;
    size_t d = c->next++;
    *out = (nd_record){.text = c->text[d],
                       .length = strlen(c->text[d]),
                       .id = c->id[d],
                       .id_length = strlen(c->id[d]),
                       .value = c->priority[d],
                       .is_protected = c->is_protected[d]};
    return 1;
}

#endif
