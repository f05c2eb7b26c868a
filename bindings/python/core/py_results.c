#include "py_results.h"

#include "py_handle.h"

#include <stdlib.h>
#include <string.h>

bool array_reserve(array *a, size_t size) {
    if (a->capacity - a->size >= size) return true;
    size_t capacity = 2 * a->capacity + size + 1024;
    char *items = realloc(a->items, capacity);
    if (!items) return false;
    a->items = items;
    a->capacity = capacity;
    return true;
}

bool array_put(array *a, const void *item, size_t size) {
    if (!array_reserve(a, size)) return false;
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

/* ---- memory that Python reads */

typedef struct buffer_object {
    PyObject_HEAD array array;
} buffer_object;

static PyObject *take(core_state *state, array *a) {
    buffer_object *buffer = object_allocate(state->types[TYPE_BUFFER]);
    if (!buffer) return NULL;
    buffer->array = *a;
    *a = (array){0};
    return (PyObject *)buffer;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    static char nothing[8]; /* NULL would be no buffer */
    array *a = &((buffer_object *)self)->array;
    return PyBuffer_FillInfo(view, self, a->items ? a->items : nothing, (Py_ssize_t)a->size, 0,
                             flags);
}

static Py_ssize_t length(PyObject *self) { return (Py_ssize_t)((buffer_object *)self)->array.size; }

static void deallocate(PyObject *self) {
    array_free(&((buffer_object *)self)->array);
    object_free(self);
}

static PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, (void *)get_buffer},
    {Py_sq_length, (void *)length},
    {Py_tp_dealloc, (void *)deallocate},
    {Py_tp_doc, "Memory of the extension; its length is in bytes."},
    {0},
};

PyType_Spec buffer_spec = {
    .name = "neardup._core.Buffer",
    .basicsize = sizeof(buffer_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = buffer_slots,
};

/* ---- dicts of results */

bool result_put_new(PyObject *result, const char *name, PyObject *value) {
    bool good = value && PyDict_SetItemString(result, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

bool result_put(core_state *state, PyObject *result, const result_part *part) {
    PyObject *value = NULL;
    if (part->array) value = take(state, part->array);
    else {
        PyObject *offsets = take(state, &part->texts->offsets);
        PyObject *bytes = take(state, &part->texts->bytes);
        if (offsets && bytes) value = PyTuple_Pack(2, offsets, bytes);
        Py_XDECREF(offsets);
        Py_XDECREF(bytes);
    }
    return result_put_new(result, part->name, value);
}

void result_free(const result_part *part) {
    if (part->array) array_free(part->array);
    else texts_free(part->texts);
}
