#include "stream/arrival_maker.h"

#include "base/alloc.h"
#include "base/status.h"
#include "sketch/text_simhash.h"
#include "text/analyzer.h"
#include "text/term_frequencies.h"

#include <math.h>

struct nd_arrival_maker {
    nd_allocator allocator;
    nd_term_frequencies *words;     /* of topics */
    nd_analyzer *analyzer;          /* of `simhash` */
    nd_text_simhash *simhash;       /* NULL with MinHash */
    nd_document_sketcher *sketcher; /* NULL with SimHash */
};

static nd_status create_parts(nd_arrival_maker *m, const nd_stream_settings *s,
                              const nd_stream_parts *o, const nd_index_settings *index,
                              nd_error *error) {
    nd_analyzer_options words = o->analyzer;
    words.ngram = 1;
    if (words.kind == ND_CHARS) words.kind = ND_WORDS;
    ND_TRY(nd_term_frequencies_create(&words, o->simhash.stop, &m->allocator, &m->words, error));
    if (!nd_stream_has_fingerprints(s))
        return nd_document_sketcher_create(index, o->analyzer.dictionary, &m->allocator,
                                           &m->sketcher, error);
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &o->analyzer, &m->allocator, &m->analyzer,
                                  error));
    return nd_text_simhash_create(m->analyzer, &o->simhash, NULL, &m->simhash, error);
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
    nd_analyzer_free(m->analyzer);
    nd_document_sketcher_free(m->sketcher);
    nd_term_frequencies_free(m->words);
    nd_release(&allocator, m);
}

nd_status nd_arrival_make(nd_arrival_maker *m, const char *text, size_t length,
                          nd_prepared_arrival *out, nd_error *error) {
    nd_arrival *a = &out->arrival;
    *out = (nd_prepared_arrival){.arrival.time = NAN};
    if (m->simhash) ND_TRY(nd_text_simhash_make(m->simhash, text, length, &a->fingerprint, error));
    if (m->sketcher)
        ND_TRY(nd_document_sketcher_make(m->sketcher, text, length, &out->document, error));
    return nd_term_frequencies_count(m->words, text, length, &a->words, &a->word_bytes, error);
}
