/* The review in a terminal: a pair at a time, and keys to mark it. */
#ifndef CLI_REVIEW_KEYS_H
#define CLI_REVIEW_KEYS_H

#include "review/review_print.h"

/* Whether standard input and output are a terminal that can do it. */
bool review_is_interactive(void);

/* Shows the pairs until the reader ends it, from the first one without a mark; the list gets the
 * marks. *changed: some mark did. */
nd_status review_by_keys(review_list *list, const review_form *form, bool *changed,
                         nd_error *error);

#endif
