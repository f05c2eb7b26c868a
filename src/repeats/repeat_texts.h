/* The texts of a run as a finder of repeats takes them, and what leads from their symbols back to
 * the documents. */
#ifndef ND_REPEATS_REPEAT_TEXTS_H
#define ND_REPEATS_REPEAT_TEXTS_H

#include "repeats/cut_writer.h"
#include "repeats/document_names.h"
#include "repeats/repeat_finder.h"
#include "repeats/text_symbols.h"

typedef struct nd_repeat_texts {
    const nd_run *run;
    nd_symbols symbols;
    uint32_t least; /* symbols of the shortest stretch */
    nd_repeat_finder *finder;
    nd_text_symbols scratch; /* of one text at a time */
    nd_document_names names;
    nd_spool places; /* nd_document_place, by document */
    nd_spool tokens; /* nd_text_range of each token; empty if symbols are bytes */
} nd_repeat_texts;

/* *texts is valid for nd_repeat_texts_free in any case. */
nd_status nd_repeat_texts_create(const nd_run *run, nd_symbols symbols, uint32_t least,
                                 nd_repeat_texts *texts, nd_error *error);
void nd_repeat_texts_free(nd_repeat_texts *texts);

/* Reads all documents of a corpus, behind the ones before. */
nd_status nd_repeat_texts_read(nd_repeat_texts *texts, const nd_input_options *input,
                               nd_corpus *corpus, nd_scan_counts *counts, nd_error *error);

/* Forgets all texts, but not the names and places of their documents. */
nd_status nd_repeat_texts_restart(nd_repeat_texts *texts, nd_error *error);
/* Adds the text of the next document, which has a name and a place already. */
nd_status nd_repeat_texts_add(nd_repeat_texts *texts, const char *text, size_t length,
                              nd_error *error);

/* Finds all repeats of the texts (nd_repeat_finder_run). Once, until nd_repeat_texts_restart. */
nd_status nd_repeat_texts_run(nd_repeat_texts *texts, nd_repeats_kept keep, nd_repeat_fn *fn,
                              void *context, nd_error *error);

/* Finds the first of symbols [begin, end) of a text that begins at a byte or behind it; `end`: none
 * does. */
nd_status nd_repeat_texts_symbol(const nd_repeat_texts *texts, uint64_t text, uint64_t begin,
                                 uint64_t end, size_t byte, uint64_t *out, nd_error *error);

/* Finds the bytes of a text that symbols [begin, end) are, one or more. */
nd_status nd_repeat_texts_span(const nd_repeat_texts *texts, uint64_t text, uint64_t begin,
                               uint64_t end, nd_text_span *out, nd_error *error);

#endif
