/* The review as a page: one file that needs no network, with keys to mark the pairs. */
#ifndef CLI_REVIEW_PAGE_H
#define CLI_REVIEW_PAGE_H

#include "review/review_print.h"

/* Writes the page. `title`: the table that was read. */
nd_status review_page_write(FILE *out, const char *title, const review_list *list,
                            const review_form *form, nd_error *error);

#endif
