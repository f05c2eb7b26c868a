/* A pair of a review for people and for programs. */
#ifndef CLI_REVIEW_PRINT_H
#define CLI_REVIEW_PRINT_H

#include "review/document_differences.h"
#include "review/review_list.h"

/* Prints the pair with index `i`: its measure and verdict, its documents, and the words in which
 * they differ. */
nd_status review_print(FILE *out, const review_list *list, size_t i, const review_form *form,
                       nd_error *error);
/* Prints it as a line of JSON. */
nd_status review_print_json(FILE *out, const review_list *list, size_t i, nd_analyzer *analyzer,
                            nd_error *error);

#endif
