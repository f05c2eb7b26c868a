/* Differences of two texts in pages of HTML. */
#ifndef CLI_DIFFERENCE_HTML_H
#define CLI_DIFFERENCE_HTML_H

#include "output/difference_hunks.h"

#include <stdio.h>

/* The rules of style for the elements below, which a page has once. */
extern const char difference_style[];

/* Writes a list of the first `most` differences with `words` words of context: <del> is removed,
 * <ins> is added. If `linked`, each item leads to the difference's mark in the texts. False: out of
 * memory. */
bool put_difference_list(FILE *out, const differing *texts, unsigned words, size_t most,
                         bool linked);

/* Writes a piece of text `side` (0 or 1) with its differences marked. *next is the first difference
 * that ends behind the piece's beginning, before and after the call. If `linked`, each mark has an
 * id, to which an item of the list above leads. */
void put_marked_differences(FILE *out, const differing *texts, int side, piece where, size_t *next,
                            bool linked);

#endif
