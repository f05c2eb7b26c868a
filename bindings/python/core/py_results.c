#include "py_results.h"

#include <stdlib.h>
#include <string.h>

bool array_put(array *a, const void *item, size_t size) {
    if (a->capacity - a->size < size) {
        size_t capacity = 2 * a->capacity + size + 1024;
        char *items = realloc(a->items, capacity);
        if (!items) return false;
        a->items = items;
        a->capacity = capacity;
    }
    memcpy(a->items + a->size, item, size);
    a->size += size;
    return true;
}

void array_free(array *a) {
    free(a->items);
    *a = (array){0};
}

bool texts_put(texts *t, const char *text, size_t length) {
    if (t->offsets.size == 0 && !ARRAY_PUT(&t->offsets, int64_t, 0)) return false;
    return (length == 0 || array_put(&t->bytes, text, length)) &&
           ARRAY_PUT(&t->offsets, int64_t, (int64_t)t->bytes.size);
}

void texts_free(texts *t) {
    array_free(&t->offsets);
    array_free(&t->bytes);
}

static PyObject *take(array *a) {
    PyObject *bytes = PyByteArray_FromStringAndSize(a->items, (Py_ssize_t)a->size);
    array_free(a);
    return bytes;
}

bool result_array(PyObject *result, const char *name, array *a) {
    PyObject *bytes = take(a);
    bool good = bytes && PyDict_SetItemString(result, name, bytes) == 0;
    Py_XDECREF(bytes);
    return good;
}

bool result_texts(PyObject *result, const char *name, texts *t) {
    PyObject *offsets = take(&t->offsets), *bytes = take(&t->bytes), *pair = NULL;
    if (offsets && bytes) pair = PyTuple_Pack(2, offsets, bytes);
    bool good = pair && PyDict_SetItemString(result, name, pair) == 0;
    Py_XDECREF(pair);
    Py_XDECREF(offsets);
    Py_XDECREF(bytes);
    return good;
}
