/* The settings of an index of documents: makes them from options, and compares them with the
 * settings of a job. */
#ifndef ND_INDEX_DOCUMENT_SETTINGS_H
#define ND_INDEX_DOCUMENT_SETTINGS_H

#include "store/manifest.h"

/* The options of an index, with every member set; options.analyzer points to `analyzer`. */
typedef struct nd_index_parts {
    nd_index_options options;
    nd_analyzer_options analyzer;
} nd_index_parts;

/* Reads the caller's options; NULL: the defaults. */
nd_status nd_index_options_read(const nd_index_options *given, nd_index_parts *out,
                                nd_error *error);
/* Makes the settings, and chooses bands and rows for the options. */
nd_status nd_document_settings(const nd_index_parts *parts, nd_index_settings *out,
                               nd_error *error);
/* Restores the options from which the settings were made, and the bands and rows. */
void nd_document_settings_to_options(const nd_index_settings *settings, nd_index_parts *out);
nd_plan nd_document_settings_plan(const nd_index_settings *settings);

/* ND_ERR_ARGUMENT: the index holds fingerprints, or hashes of documents alone, or it belongs to a
 * stream with the analyzer segment. */
nd_status nd_index_check_documents(const char *path, const nd_index_settings *settings,
                                   nd_error *error);
/* ND_ERR_ARGUMENT: the documents of the index were hashed with another analyzer or seed. */
nd_status nd_index_check_hashes(const char *path, const nd_index_settings *settings,
                                const nd_analyzer_options *analyzer, nd_error *error);

#endif
