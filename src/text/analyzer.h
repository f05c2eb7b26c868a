/* Inside the library: an analyzer's options, and its words one by one. The rest is declared in
 * neardup.h. */
#ifndef ND_TEXT_ANALYZER_H
#define ND_TEXT_ANALYZER_H

#include "neardup.h"

/* Copies the caller's options over the defaults (base/options.h); nd_analyzer_options_check_* then
 * checks them. */
nd_status nd_analyzer_options_read(const nd_analyzer_options *given, nd_analyzer_options *out,
                                   nd_error *error);

/* ND_ERR_ARGUMENT: the message names the option, its range and the given value. The first function
 * is for callers that store the analyzer's results. It rejects ND_SEGMENT, whose results may differ
 * in a later version of ICU. The second function is for results that end with the process. */
ND_MUST_CHECK nd_status nd_analyzer_options_check_stored(const nd_analyzer_options *options,
                                                         nd_error *error);
ND_MUST_CHECK nd_status nd_analyzer_options_check_transient(const nd_analyzer_options *options,
                                                            nd_error *error);

/* ND_ERR_ARGUMENT: the shingles are not single words. `what` is the subject of the message, in the
 * plural ("stop words"). */
ND_MUST_CHECK nd_status nd_analyzer_options_check_single_words(const nd_analyzer_options *options,
                                                               const char *what, nd_error *error);

/* What nd_analyze computes. With ND_SHINGLES_ALONE the text_hash of a text with tokens stays 0, for
 * callers that have no use for it. */
typedef enum nd_analyzer_outputs {
    ND_SHINGLES_AND_TEXT_HASH,
    ND_SHINGLES_ALONE
} nd_analyzer_outputs;

/* As nd_analyzer_create, whose analyzers compute ND_SHINGLES_AND_TEXT_HASH, with options that have
 * been read. */
ND_MUST_CHECK nd_status nd_analyzer_create_for(nd_analyzer_outputs outputs,
                                               const nd_analyzer_options *options,
                                               const nd_allocator *allocator, nd_analyzer **out,
                                               nd_error *error);

/* "words", "chars", "segment". Static. */
const char *nd_analyzer_name(nd_analyzer_kind kind);

/* The options that the analyzer was created with; they live as long as it does. */
const nd_analyzer_options *nd_analyzer_options_of(const nd_analyzer *analyzer);

/* The allocator that the analyzer was created with. */
const nd_allocator *nd_analyzer_allocator(const nd_analyzer *analyzer);

/* The words of a text: hashes[i] is nd_hash_token of word i, whose bytes are those from ends[i -
 * 1], or 0, to ends[i]. 16 bytes behind them can be read. */
typedef struct nd_word_list {
    const uint64_t *hashes;
    const size_t *ends;
    const unsigned char *bytes;
    size_t count;
} nd_word_list;

/* nd_tokenize as a list, faster: where the kernels find the words, they give their bytes, too. The
 * list is the analyzer's, valid until the next text. */
nd_status nd_analyzer_list_words(nd_analyzer *analyzer, const char *text, size_t length,
                                 nd_word_list *out, nd_error *error);

/* As nd_analyze, from the words of this text, which was listed last, for callers that need both.
 * Overwrites the hashes of the list. */
nd_status nd_analyzer_shingle_list(nd_analyzer *analyzer, const char *text, size_t length,
                                   nd_shingles *out, nd_error *error);

/* For callers that need the bytes of few of a text's terms, after nd_analyze gave the hashes of
 * all: nd_analyzer_words is nd_tokenize with words before they are stemmed. nd_analyzer_stem gives
 * the stem of such a word, valid until the next call; without stems, the word itself. */
nd_status nd_analyzer_words(nd_analyzer *analyzer, const char *text, size_t length, nd_token_fn *fn,
                            void *context, nd_error *error);
nd_status nd_analyzer_stem(nd_analyzer *analyzer, const char *word, size_t length,
                           const char **stem, size_t *stem_length, nd_error *error);

#endif
