/* The differences of the texts of two documents, for people and for programs. */
#ifndef CLI_DOCUMENT_DIFFERENCES_H
#define CLI_DOCUMENT_DIFFERENCES_H

#include "output/difference_hunks.h"
#include "review/review_document.h"

typedef struct review_form {
    nd_analyzer *analyzer; /* makes the tokens that are compared */
    size_t differences;    /* most that are shown */
    bool colour;
} review_form;

/* The differences of two texts, which the caller frees. *out NULL: a text is not there. */
nd_status document_differences(const review_document *a, const review_document *b,
                               nd_analyzer *analyzer, nd_difference_list **out, nd_error *error);
/* Two texts, which are there, with their differences. */
differing differing_documents(const review_document *a, const review_document *b,
                              const nd_difference_list *list);

/* Prints how many differences there are, and the first of them; nothing if a text is not there. */
nd_status document_differences_print(FILE *out, const review_document *a, const review_document *b,
                                     const review_form *form, nd_error *error);
/* Prints them as further members of a JSON object; nothing if a text is not there. */
nd_status document_differences_print_json(FILE *out, const review_document *a,
                                          const review_document *b, nd_analyzer *analyzer,
                                          nd_error *error);

/* Sets the error to ND_ERR_MEMORY, and returns that. */
nd_status review_no_memory(nd_error *error);

#endif
