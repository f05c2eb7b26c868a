/* Turns a text into the symbols that a finder of repeats compares, piece by piece: a text of tokens
 * of one letter has 16 bytes of symbols and places for 2 bytes of text. */
#ifndef ND_REPEATS_TEXT_SYMBOLS_H
#define ND_REPEATS_TEXT_SYMBOLS_H

#include "repeats/minimizers.h"
#include "text/token_offsets.h"

/* The functions that have the symbols of a text, in their order, and its anchors. Symbols come
 * before the anchors in them. What they have is valid during the call. */
typedef struct nd_symbols_receiver {
    /* `places`: of the tokens; NULL if symbols are bytes. Return a failure to stop. */
    nd_status (*symbols)(void *context, const void *symbols, const nd_text_range *places,
                         size_t count, nd_error *error);
    nd_anchors_fn *anchors;
    void *context;
} nd_symbols_receiver;

/* One thread's memory, less than 2 MiB whatever the text is. */
typedef struct nd_text_symbols {
    nd_anchor_finder anchors;
    nd_analyzer *analyzer; /* NULL: symbols are bytes */
    uint64_t *tokens;      /* the piece: `kept` tokens that were handed on before, and new ones */
    nd_text_range *places; /* of the new ones */
    size_t kept, count;    /* `count`: of the new ones */
    size_t begin;          /* the number of the first one, kept or new, in the text */
} nd_text_symbols;

/* *symbols is valid for nd_text_symbols_free in any case. */
nd_status nd_text_symbols_create(nd_symbols kind, uint32_t least, const nd_allocator *allocator,
                                 nd_text_symbols *symbols, nd_error *error);
void nd_text_symbols_free(nd_text_symbols *symbols);

/* Finds the symbols and the anchors of a text; of less than 4 GiB (ND_ERR_ARGUMENT), if symbols are
 * tokens. O(length). */
nd_status nd_text_symbols_find(nd_text_symbols *symbols, const char *text, size_t length,
                               const nd_symbols_receiver *to, nd_error *error);

#endif
