/* Finds the texts of the pairs of a review in the inputs, by source and line. */
#ifndef CLI_REVIEW_TEXTS_H
#define CLI_REVIEW_TEXTS_H

#include "review/review_list.h"

/* Of a longer text only the beginning is kept: nobody reads more of a pair. */
enum { REVIEW_TEXT_MOST = 1 << 18 };

/* Reads the inputs until all texts are found. *missing: documents whose text was not found, without
 * those of an index. */
nd_status review_texts_read(const nd_input_options *input, const nd_resources *resources,
                            review_list *list, size_t *missing, nd_error *error);

#endif
