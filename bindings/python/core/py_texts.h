/* The texts of some documents of files, by their places (nd_texts). */
#ifndef ND_PYTHON_TEXTS_H
#define ND_PYTHON_TEXTS_H

#include "py_core.h"

/* texts(options): of `places`, a list of (line, source) in ascending order, a dict with the indices
 * of those that were found, "found", and their texts, "texts". */
PyObject *core_texts(PyObject *module, PyObject *given);

#endif
