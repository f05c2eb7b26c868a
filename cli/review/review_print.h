/* A pair of a review for people and for programs. */
#ifndef CLI_REVIEW_PRINT_H
#define CLI_REVIEW_PRINT_H

#include "output/difference_hunks.h"
#include "review/review_list.h"

typedef struct review_form {
    nd_analyzer *analyzer; /* makes the tokens that are compared */
    size_t differences;    /* most that are shown */
    bool colour;
} review_form;

/* Prints the pair with index `i`: its measure and verdict, its documents, and the words in which
 * they differ. */
nd_status review_print(FILE *out, const review_list *list, size_t i, const review_form *form,
                       nd_error *error);
/* Prints it as a line of JSON. */
nd_status review_print_json(FILE *out, const review_list *list, size_t i, nd_analyzer *analyzer,
                            nd_error *error);

/* Sets the error to ND_ERR_MEMORY, and returns that. */
nd_status review_no_memory(nd_error *error);

/* The two texts of a pair, which are there, with their differences. */
differing review_texts_of(const review_pair *p, const nd_difference_list *list);

/* The differences of the two texts of a pair, which the caller frees. *out NULL: a text is not
 * there. */
nd_status review_differences(const review_pair *p, nd_analyzer *analyzer, nd_difference_list **out,
                             nd_error *error);

#endif
