/* Finds the texts of documents in the inputs, by source and line; a document with another id is
 * another one. */
#ifndef CLI_REVIEW_TEXTS_H
#define CLI_REVIEW_TEXTS_H

#include "review/review_list.h"

/* Of a longer text only the beginning is kept: nobody reads more of a pair. */
enum { REVIEW_TEXT_MOST = 1 << 18 };

/* Reads the inputs until the texts of all documents are found; the list of them is sorted anew.
 * *missing: documents whose text was not found, without those of an index. */
nd_status review_texts_read(const nd_input_options *input, const nd_resources *resources,
                            review_document **documents, size_t count, size_t *missing,
                            nd_error *error);
/* The same of all documents of a list. */
nd_status review_list_texts_read(const nd_input_options *input, const nd_resources *resources,
                                 review_list *list, size_t *missing, nd_error *error);
/* Warns of texts that are missing. `table`: the name of the table that names them. */
void review_texts_warn(size_t missing, const char *table);

#endif
