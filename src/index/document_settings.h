/* The settings of an index of documents: made of options, and compared with those of a job. */
#ifndef ND_INDEX_DOCUMENT_SETTINGS_H
#define ND_INDEX_DOCUMENT_SETTINGS_H

#include "store/manifest.h"

/* Chooses bands and rows for the options. */
nd_status nd_document_settings(const nd_index_options *options, nd_index_settings *out,
                               nd_error *error);
/* Fills options and plan of *out. */
void nd_document_settings_describe(const nd_index_settings *settings, nd_index_info *out);

/* ND_ERR_ARGUMENT: the index holds fingerprints, or it is a stream's with the analyzer segment. */
nd_status nd_index_check_documents(const char *path, const nd_index_settings *settings,
                                   nd_error *error);
/* ND_ERR_ARGUMENT: the index has hashed its documents with another analyzer or seed. */
nd_status nd_index_check_hashes(const char *path, const nd_index_settings *settings,
                                const nd_job_options *options, nd_error *error);

#endif
