/* Reads the inputs of the programs that measure Hamming search: files of 64-bit fingerprints, and a
 * list of radii. */
#ifndef BENCH_FINGERPRINT_WORDS_H
#define BENCH_FINGERPRINT_WORDS_H

#include "program.h"

#include <endian.h>
#include <stdint.h>

typedef struct words {
    uint64_t *values;
    uint64_t count;
} words;

/* The caller frees the values. */
static inline words read_words(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) stop("a file cannot be read");
    long size = ftell(f);
    if (size <= 0 || size % 8 != 0) stop("a file is no list of fingerprints");
    words w = {sized(NULL, (size_t)size / 8, 8), (uint64_t)size / 8};
    rewind(f);
    if (fread(w.values, 8, w.count, f) != w.count) stop("a file cannot be read");
    fclose(f);
    for (uint64_t i = 0; i < w.count; i++) w.values[i] = le64toh(w.values[i]);
    return w;
}

enum { MOST_RADII = 17 };
typedef struct radii {
    uint32_t values[MOST_RADII];
    size_t count;
} radii;

/* Parses a list such as "3,6,8". */
static inline radii read_radii(const char *text) {
    radii r = {.count = 0};
    char *end;
    do {
        unsigned long k = strtoul(text, &end, 10);
        if (end == text || k > 16 || r.count == MOST_RADII) stop("--k is some of 0 to 16");
        r.values[r.count++] = (uint32_t)k;
        text = end + 1;
    } while (*end == ',');
    if (*end) stop("--k is some of 0 to 16");
    return r;
}

#endif
