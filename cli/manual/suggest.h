/* "Did you mean": the nearest word to a mistyped one. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* The best word so far; start with {.typed = ..., .length = ...}. */
typedef struct suggestion {
    const char *typed;
    size_t length;
    const char *word; /* NULL: none is near enough */
    size_t distance;
} suggestion;

/* Offers a candidate. It becomes the best word if it is nearer than all earlier ones, and near
 * enough to be meant. */
void suggestion_offer(suggestion *best, const char *word);

#endif
