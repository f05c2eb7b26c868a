/* The type HammingIndex, joins of fingerprints, and the planner of tables. */
#ifndef ND_PYTHON_HAMMING_INDEX_H
#define ND_PYTHON_HAMMING_INDEX_H

#include "py_core.h"

extern PyType_Spec hamming_spec;

/* hamming_create(path, options), hamming_open(path, write), hamming_in_memory(options) */
PyObject *core_hamming_create(PyObject *module, PyObject *arguments);
PyObject *core_hamming_open(PyObject *module, PyObject *arguments);
PyObject *core_hamming_in_memory(PyObject *module, PyObject *options);

#endif
