#include "stream/arrival_maker.h"

#include "base/alloc.h"
#include "base/status.h"
#include "sketch/text_simhash.h"
#include "text/analyzer.h"
#include "text/term_frequencies.h"

#include <math.h>

struct nd_arrival_maker {
    nd_allocator allocator;
    nd_analyzer *own;               /* NULL: the sketcher's analyzer makes the shingles */
    nd_analyzer *words;             /* NULL: the words of topics are the words of shingles */
    nd_analyzer *shingler, *lister; /* make the shingles, and list the words of topics */
    nd_term_frequencies *terms;
    nd_text_simhash *simhash;       /* NULL with MinHash */
    nd_document_sketcher *sketcher; /* NULL with SimHash */
};

static nd_status create_minhash(nd_arrival_maker *m, const nd_analyzer_options *analyzer,
                                const nd_index_settings *index, nd_error *error) {
    ND_TRY(nd_document_sketcher_create(index, analyzer->dictionary, &m->allocator, &m->sketcher,
                                       error));
    m->shingler = nd_document_sketcher_analyzer(m->sketcher);
    return ND_OK;
}

static nd_status create_simhash(nd_arrival_maker *m, const nd_stream_parts *o, nd_error *error) {
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &o->analyzer, &m->allocator, &m->own, error));
    m->shingler = m->own;
    return nd_text_simhash_create(m->own, &o->simhash, NULL, &m->simhash, error);
}

static nd_status create_parts(nd_arrival_maker *m, const nd_stream_settings *s,
                              const nd_stream_parts *o, const nd_index_settings *index,
                              nd_error *error) {
    ND_TRY(nd_term_frequencies_create(o->simhash.stop, &m->allocator, &m->terms, error));
    ND_TRY(nd_stream_has_fingerprints(s) ? create_simhash(m, o, error)
                                         : create_minhash(m, &o->analyzer, index, error));
    m->lister = m->shingler;
    if (o->analyzer.kind != ND_CHARS) return ND_OK;
    nd_analyzer_options words = o->analyzer;
    words.kind = ND_WORDS;
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &words, &m->allocator, &m->words, error));
    m->lister = m->words;
    return ND_OK;
}

nd_status nd_arrival_maker_create(const nd_stream_settings *settings,
                                  const nd_stream_parts *options, const nd_index_settings *index,
                                  const nd_allocator *allocator, nd_arrival_maker **out,
                                  nd_error *error) {
    nd_arrival_maker *m = nd_allocate_zero(allocator, 1, sizeof *m);
    if (!m) return nd_fail_memory(error, sizeof *m, "a stream");
    m->allocator = *allocator;
    nd_status status = create_parts(m, settings, options, index, error);
    if (status != ND_OK) nd_arrival_maker_free(m);
    else *out = m;
    return status;
}

void nd_arrival_maker_free(nd_arrival_maker *m) {
    if (!m) return;
    nd_allocator allocator = m->allocator;
    nd_text_simhash_free(m->simhash);
    nd_document_sketcher_free(m->sketcher);
    nd_analyzer_free(m->own);
    nd_analyzer_free(m->words);
    nd_term_frequencies_free(m->terms);
    nd_release(&allocator, m);
}

/* Both need the words of the text, which are found once if they are the same. */
static nd_status analyze(nd_arrival_maker *m, const char *text, size_t length,
                         nd_counted_words *terms, nd_shingles *shingles, nd_error *error) {
    nd_word_list words;
    ND_TRY(nd_analyzer_list_words(m->lister, text, length, &words, error));
    ND_TRY(nd_term_frequencies_count(m->terms, &words, terms, error));
    return m->lister == m->shingler
               ? nd_analyzer_shingle_list(m->shingler, text, length, shingles, error)
               : nd_analyze(m->shingler, text, length, shingles, error);
}

nd_status nd_arrival_make(nd_arrival_maker *m, const char *text, size_t length,
                          nd_prepared_arrival *out, nd_error *error) {
    nd_arrival *a = &out->arrival;
    nd_counted_words terms;
    nd_shingles shingles;
    ND_TRY(analyze(m, text, length, &terms, &shingles, error));
    *out = (nd_prepared_arrival){.arrival = {.time = NAN,
                                             .words = terms.bytes,
                                             .word_bytes = terms.size,
                                             .hashes = terms.hashes,
                                             .word_count = terms.count}};
    return m->simhash ? nd_text_simhash_of_shingles(m->simhash, &shingles, &a->fingerprint, error)
                      : nd_document_sketcher_make(m->sketcher, &shingles, &out->document, error);
}
