/* The shingles of a text in the order of the text, with their tokens. */
#ifndef CLI_SHINGLE_LIST_H
#define CLI_SHINGLE_LIST_H

#include "output/pair.h"

#include <stddef.h>

/* Zero-initialised. */
typedef struct shingle_list {
    uint64_t *hashes;
    size_t count, tokens, ngram; /* of the text; of a shingle */
    char *bytes;    /* the tokens, one behind the other; a blank behind each, except characters */
    size_t *begins; /* offsets of the tokens, and the offset behind the last one */
    size_t byte_count, byte_capacity, begin_capacity, blank;
} shingle_list;

/* Fills the list with the shingles of an analyzer with these options. Call shingle_list_free even
 * on failure. */
nd_status shingle_list_take(shingle_list *list, const nd_analyzer_options *options,
                            const pair_text *text, nd_error *error);
void shingle_list_free(shingle_list *list);

/* The folded tokens of a shingle, or "(the whole text)" in a text without tokens. Not terminated;
 * valid as long as the list. */
const char *shingle_list_name(const shingle_list *list, size_t shingle, size_t *length);

#endif
