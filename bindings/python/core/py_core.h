/* Parts that all files of the extension share: the state of the module, exceptions, results. */
#ifndef ND_PYTHON_CORE_H
#define ND_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "neardup.h"

/* The types of the module: handles, and named tuples of results. */
enum {
    TYPE_BUFFER,
    TYPE_ANALYZER,
    TYPE_INDEX,
    TYPE_HAMMING,
    TYPE_STREAM,
    TYPE_LARGE_BUCKETS,
    TYPE_EDGE_DECIDER,
    TYPE_TLSH_INDEX,
    TYPE_MATCH,
    TYPE_NEAR,
    TYPE_ANSWER,
    TYPES
};

/* The state of one module object. */
typedef struct core_state {
    PyObject *exceptions[ND_ERR_BUSY + 1]; /* by nd_status; of ND_OK the base class */
    PyObject *warning;                     /* the category of warnings */
    PyTypeObject *types[TYPES];
} core_state;

core_state *core_state_of(PyObject *module);
/* The state of the module that defines a type of this extension. */
core_state *core_state_of_type(PyTypeObject *type);

/* Raises the exception of an error of the library. Returns NULL. */
PyObject *core_raise(core_state *state, const nd_error *error);
/* Raises the exception of a status with a message, as of PyErr_Format. Returns NULL. */
PyObject *core_raise_status(core_state *state, nd_status status, const char *format, ...);

/* The UTF-8 of a str, valid as long as the str. NULL: it is no str, or it has lone surrogates; the
 * exception calls it `name`. */
const char *core_utf8(core_state *state, PyObject *text, const char *name, size_t *length);

#endif
