/* The settings of a stream: the options it was made with, in the form that its files keep.
 *
 * They decide where a document goes, so a stream is opened with the settings it was made with, or
 * refused. A dictionary, a list of stop words and a table of weights are kept as hashes of their
 * content; to write to the stream, the caller gives the files again. */
#ifndef ND_STREAM_STREAM_SETTINGS_H
#define ND_STREAM_STREAM_SETTINGS_H

#include "neardup.h"

/* Bytes for the name of a stemmer's language, with its NUL. */
enum { ND_STREAM_STEM_SIZE = 40 };

typedef struct nd_stream_settings {
    uint32_t sketch, mode, analyzer; /* nd_sketch, nd_stream_mode, nd_analyzer_kind */
    uint32_t ngram, perms, k, bits;
    uint32_t weighting; /* nd_weighting */
    uint64_t seed;
    double threshold, recall, expire;
    uint64_t table, dictionary, stop; /* hashes of their content; 0: none */
    uint32_t icu; /* with ND_SEGMENT nd_word_breaks_version; with other analyzers 0 */
    char stem[ND_STREAM_STEM_SIZE]; /* "": words are not stemmed */
} nd_stream_settings;

/* Whether documents have fingerprints (SimHash); otherwise their texts are compared (MinHash). */
static inline bool nd_stream_has_fingerprints(const nd_stream_settings *settings) {
    return settings->sketch == ND_SKETCH_SIMHASH;
}

/* The options of a stream with every part; options.analyzer and options.simhash point to the other
 * members. */
typedef struct nd_stream_parts {
    nd_stream_options options;
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
} nd_stream_parts;

/* Reads the caller's options (NULL: the defaults). */
nd_status nd_stream_options_read(const nd_stream_options *given, nd_stream_parts *out,
                                 nd_error *error);

/* ND_ERR_ARGUMENT: an option is out of range, or options do not fit each other. */
nd_status nd_stream_settings_make(const nd_stream_parts *parts, nd_stream_settings *out,
                                  nd_error *error);

/* ND_ERR_CORRUPT: nd_stream_settings_make cannot have made these settings, which were read from the
 * file `path`. */
nd_status nd_stream_settings_check(const char *path, const nd_stream_settings *settings,
                                   nd_error *error);

/* ND_ERR_ARGUMENT names the first setting of the stream `path` that differs from the wanted one. */
nd_status nd_stream_settings_compare(const char *path, const nd_stream_settings *settings,
                                     const nd_stream_settings *wanted, nd_error *error);

/* Dictionary, stop words and table are those of `given`; NULL: none is given. `out` points to the
 * stem in `settings`. */
void nd_stream_settings_to_options(const nd_stream_settings *settings, const nd_stream_parts *given,
                                   nd_stream_parts *out);

#endif
