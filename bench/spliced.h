/* Documents of news size made of sentences of real text: 300 words each on average, every fifth one
 * an earlier one with three words changed. All by a seed: document i is the same in every run. */
#ifndef BENCH_SPLICED_H
#define BENCH_SPLICED_H

#include "material.h"

#include <stdint.h>

enum { SPLICED_ROOM = 16384, SPLICED_VARIANT_EVERY = 5 };

/* Document i: bytes in text, which has room for SPLICED_ROOM. */
size_t spliced_document(const material *m, uint64_t i, char *text);
/* Without changes: sentences drawn by its number. */
size_t spliced_original(const material *m, uint64_t i, char *text);

#endif
