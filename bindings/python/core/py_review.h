/* The table of nd_output_options.review, in memory. */
#ifndef ND_PYTHON_REVIEW_H
#define ND_PYTHON_REVIEW_H

#include "py_core.h"

typedef struct review_table {
    int descriptor; /* of a file in memory; -1: none */
    char path[40];  /* for nd_output_options.review */
} review_table;

/* false: an exception is set. The caller calls review_table_close in any case. */
bool review_table_open(core_state *state, review_table *out);
/* The table, as bytes. NULL: an exception is set. */
PyObject *review_table_bytes(core_state *state, const review_table *t);
void review_table_close(review_table *t);

#endif
