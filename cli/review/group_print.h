/* A group of duplicates for people and for programs. */
#ifndef CLI_GROUP_PRINT_H
#define CLI_GROUP_PRINT_H

#include "review/document_differences.h"
#include "review/group_list.h"

/* Prints how many groups there are, and how many documents they have. */
void group_list_print_total(FILE *out, const group_list *list);
/* Prints the group with index `i`: its size, the kept document and the beginning of its text, and
 * each member that it has with its differences from the kept one. */
nd_status group_print(FILE *out, const group_list *list, size_t i, const review_form *form,
                      nd_error *error);
/* Prints it as a line of JSON. */
nd_status group_print_json(FILE *out, const group_list *list, size_t i, nd_analyzer *analyzer,
                           nd_error *error);

#endif
