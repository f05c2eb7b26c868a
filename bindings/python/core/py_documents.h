/* Documents of an Arrow stream, as records of the library. Rows are numbered from 0. */
#ifndef ND_PYTHON_DOCUMENTS_H
#define ND_PYTHON_DOCUMENTS_H

#include "py_core.h"

#include "py_column.h"
#include "py_results.h"

#include <pthread.h>

typedef struct documents {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    /* Numbers of the columns; -1: none; text -1: the stream has no columns. */
    int text, id, value, protected, label;
    const char *text_name, *id_name, *value_name, *protected_name, *label_name;
    column texts, ids, values, protections, labels;
    layout layouts[5], indices[5]; /* of text, id, value, protected and label */
    bool skip_nulls, skip_invalid;
    bool stays;            /* the memory of batches stays until the stream is closed */
    array finished;        /* these batches: struct ArrowArray */
    int64_t row, in_batch; /* the next row, in all and in the batch */
    /* Rows that are left out, ascending. A callback asks for rows while another thread reads on. */
    array skipped;        /* int64 */
    pthread_mutex_t lock; /* of `skipped` */
    bool open;
    char digits[24];  /* an id that is a number */
    nd_error failure; /* ND_OK: the stream has not failed */
} documents;

/* Opens the stream of a PyCapsule. Reads the options `stream`, `text`, `id`, `value`, `protected`
 * (whole numbers, 0 or 1), `label` (texts), `nulls`, `invalid` and `stays`: what the stream gives
 * is in memory anyway, so that its batches need not be given back before the end. The caller calls
 * documents_close in any case. false: an exception is set. */
bool documents_open(core_state *state, PyObject *given, documents *out);
void documents_close(documents *d);

/* nd_record_fn: the next document. Needs no GIL. -1: d->failure says why. */
int documents_next(void *d, nd_record *out);

/* How many rows were left out. REQUIRES: no thread reads. */
size_t documents_skipped(const documents *d);
/* The row of a record, by its number among those that the library got, from 0. */
int64_t documents_row(documents *d, uint64_t record);

#endif
