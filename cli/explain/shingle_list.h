/* The shingles of a text in its order, with what they are made of. */
#ifndef CLI_SHINGLE_LIST_H
#define CLI_SHINGLE_LIST_H

#include "output/pair.h"

/* Zero-initialised. */
typedef struct shingle_list {
    uint64_t *hashes;
    size_t count, tokens, ngram; /* of the text; of a shingle */
    char *bytes;    /* the tokens as names of shingles have them: behind each other, and, but for
                       characters, a blank behind each */
    size_t *begins; /* of each token, and where the next one would be */
    size_t byte_count, byte_capacity, begin_capacity, blank;
} shingle_list;

/* The shingles of an analyzer with such options. Frees nothing on failure. */
nd_status shingle_list_take(shingle_list *list, const nd_analyzer_options *options,
                            const pair_text *text, nd_error *error);
void shingle_list_free(shingle_list *list);

/* What a shingle is made of: its tokens, folded, or, in a text without tokens, that it is the whole
 * text. Not terminated; lives as long as the list. */
const char *shingle_list_name(const shingle_list *list, size_t shingle, size_t *length);

#endif
