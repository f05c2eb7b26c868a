#include "py_core.h"

#include <stdarg.h>
#include <string.h>

PyObject *core_raise(core_state *state, const nd_error *error) {
    PyObject *kind = state->exceptions[error->status];
    PyObject *text = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message),
                                          "replace");
    if (text) PyErr_SetObject(kind, text);
    Py_XDECREF(text);
    return NULL;
}

PyObject *core_raise_status(core_state *state, nd_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(state->exceptions[status], format, arguments);
    va_end(arguments);
    return NULL;
}

/* The position of the first lone surrogate of a str: its UTF-8 with surrogates passed on has the
 * same bytes before it. */
static Py_ssize_t first_surrogate(PyObject *text) {
    Py_ssize_t count = PyUnicode_GetLength(text);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_UCS4 c = PyUnicode_ReadChar(text, i);
        if (c >= 0xd800 && c <= 0xdfff) return i;
    }
    return 0;
}

const char *core_utf8(core_state *state, PyObject *text, const char *name, size_t *length) {
    Py_ssize_t size;
    if (!PyUnicode_Check(text)) {
        PyObject *type = PyType_GetName(Py_TYPE(text));
        if (type) PyErr_Format(PyExc_TypeError, "%s must be a str, not %U", name, type);
        Py_XDECREF(type);
        return NULL;
    }
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes) {
        *length = (size_t)size;
        return bytes;
    }
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        core_raise_status(state, ND_ERR_INPUT, "%s: character %zd is a lone surrogate", name,
                          first_surrogate(text));
    }
    return NULL;
}
