/* The material of the corpus generator: sentences of real text, each kept once, and a pool of
 * words. Both are in the order of the text, so that a document can draw sentences and words from
 * one neighbourhood: one language, one subject. */
#ifndef BENCH_MATERIAL_H
#define BENCH_MATERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORD_POOL = 1 << 20 };

typedef struct sentence {
    uint32_t start; /* in bytes; the length includes the blank or newline at the end */
    uint16_t length;
} sentence;

typedef struct material {
    char *bytes;
    size_t size, capacity;
    size_t limit; /* the most bytes of text, at most UINT32_MAX */
    sentence *sentences;
    size_t count, count_capacity;
    uint64_t *seen; /* open addressing over hashes of sentences; 0: empty slot */
    size_t seen_slots;
    const char *language; /* NULL: any; zh, ru, ar, hi: sentences mostly in that script */
    /* Words drawn evenly over the text, so that common words are common. Word i comes from sentence
     * i * count / WORD_POOL. */
    uint32_t *pool_start; /* in bytes */
    uint8_t *pool_length;
} material;

/* Adds the field "text" of a file of JSON Lines (.jsonl, .jsonl.gz, .jsonl.zst), or all of any
 * other file. False: a message has been written to stderr. */
bool material_add_file(material *m, const char *path);
/* Adds texts that a Debian machine has: documentation and manual pages; with a language, their
 * translations and message catalogues. */
bool material_add_machine(material *m);
/* Draws the pool of words. Call it once, after the last file. */
bool material_finish(material *m, uint64_t seed);
void material_free(material *m);

/* 1 for bytes of words; see word_at. */
extern const unsigned char word_letters[256];

/* Returns the length in bytes of the word that starts at `text`; 0 if none does. *step is then the
 * number of bytes to skip. A word is a run of ASCII letters and digits and of letters beyond ASCII;
 * in scripts that are written without spaces (lead bytes E3 to E9: kana and Han) it is one
 * character. */
static inline size_t word_at(const unsigned char *text, const unsigned char *end, size_t *step) {
    *step = 1;
    if (word_letters[text[0]]) {
        const unsigned char *at = text + 1;
        while (at < end && word_letters[*at]) at++;
        return (size_t)(at - text);
    }
    if (text[0] < 0xC2) return 0;
    *step = text[0] < 0xE0 ? 2 : 3;
    if (text[0] >= 0xE3 && text[0] <= 0xE9 && !(text[0] == 0xE3 && text[1] == 0x80))
        return 3; /* E3 80: punctuation */
    return 0;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Returns a uniform number in [0, bound), bound up to 2^32. */
static inline uint32_t random_below(uint64_t *state, uint64_t bound) {
    return (uint32_t)((random_next(state) >> 32) * bound >> 32);
}

#endif
