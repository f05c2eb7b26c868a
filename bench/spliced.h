/* Documents of news size, made of sentences of real text. They have 300 words on average; every
 * fifth one is an earlier one with three changed words. A seed decides everything: document i is
 * the same in every run. */
#ifndef BENCH_SPLICED_H
#define BENCH_SPLICED_H

#include "material.h"

#include <stdint.h>

enum { SPLICED_ROOM = 16384, SPLICED_VARIANT_EVERY = 5 };

/* Writes document i into text, which has room for SPLICED_ROOM. Returns its bytes. */
size_t spliced_document(const material *m, uint64_t i, char *text);
/* The document without changes: sentences drawn by its number. */
size_t spliced_original(const material *m, uint64_t i, char *text);

#endif
