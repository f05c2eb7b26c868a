/* Results of a job, collected without the GIL: growing arrays, which Python then reads where they
 * are. */
#ifndef ND_PYTHON_RESULTS_H
#define ND_PYTHON_RESULTS_H

#include "py_core.h"

/* An array of items of one size. */
typedef struct array {
    char *items;
    size_t size, capacity; /* bytes */
} array;

/* Makes room for `size` more bytes. false: no memory. */
bool array_reserve(array *a, size_t size);
bool array_put(array *a, const void *item, size_t size);
#define ARRAY_PUT(a, type, value) array_put(a, &(type){value}, sizeof(type))
void array_free(array *a);

/* Texts, as an Arrow array of large_utf8: offsets (0 first) and bytes. */
typedef struct texts {
    array offsets, bytes;
} texts;
bool texts_put(texts *t, const char *text, size_t length);
void texts_free(texts *t);

/* One item of a dict of results: an array or texts; the other one is NULL. */
typedef struct result_part {
    const char *name;
    array *array;
    texts *texts;
} result_part;

/* Moves a part into result[name]: an object with the buffer protocol that owns the memory; of texts
 * a pair of them, offsets and bytes. false: an exception is set. */
bool result_put(core_state *state, PyObject *result, const result_part *part);
/* Sets result[name], and takes the reference to the value. false: an exception is set, also where
 * the value is NULL. */
bool result_put_new(PyObject *result, const char *name, PyObject *value);
void result_free(const result_part *part);

/* The type of these objects. */
extern PyType_Spec buffer_spec;

#endif
