/* Results of a job, collected without the GIL: growing arrays, which become bytearrays. */
#ifndef ND_PYTHON_RESULTS_H
#define ND_PYTHON_RESULTS_H

#include "py_core.h"

/* An array of items of one size. */
typedef struct array {
    char *items;
    size_t size, capacity; /* bytes */
} array;

/* false: no memory. */
bool array_put(array *a, const void *item, size_t size);
#define ARRAY_PUT(a, type, value) array_put(a, &(type){value}, sizeof(type))
void array_free(array *a);

/* Texts, as an Arrow array of large_utf8: offsets (0 first) and bytes. */
typedef struct texts {
    array offsets, bytes;
} texts;
bool texts_put(texts *t, const char *text, size_t length);
void texts_free(texts *t);

/* Sets result[name] to a bytearray; of texts, to a pair of offsets and bytes. Frees the array.
 * false: an exception is set. */
bool result_array(PyObject *result, const char *name, array *a);
bool result_texts(PyObject *result, const char *name, texts *t);

#endif
