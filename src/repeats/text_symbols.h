/* Turns a text into the symbols that a finder of repeats compares. */
#ifndef ND_REPEATS_TEXT_SYMBOLS_H
#define ND_REPEATS_TEXT_SYMBOLS_H

#include "repeats/minimizers.h"
#include "text/token_offsets.h"

/* One thread's memory. */
typedef struct nd_text_symbols {
    nd_anchor_finder anchors;
    nd_analyzer *analyzer; /* NULL: symbols are bytes */
    nd_token_offsets tokens;
    const void *symbols; /* of the last text; valid as long as it is, or until the next one */
    size_t count;
} nd_text_symbols;

/* *symbols is valid for nd_text_symbols_free in any case. */
nd_status nd_text_symbols_create(nd_symbols kind, uint32_t least, const nd_allocator *allocator,
                                 nd_text_symbols *symbols, nd_error *error);
void nd_text_symbols_free(nd_text_symbols *symbols);

/* O(length). */
nd_status nd_text_symbols_find(nd_text_symbols *symbols, const char *text, size_t length,
                               nd_error *error);
/* Calls `fn` with the anchors of the last text. O(length). */
nd_status nd_text_symbols_anchors(nd_text_symbols *symbols, nd_anchors_fn *fn, void *context,
                                  nd_error *error);
/* Frees the memory that the last text took. */
void nd_text_symbols_forget(nd_text_symbols *symbols);

#endif
