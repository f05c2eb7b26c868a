/* The types Index and HammingIndex: handles of indexes on disk or in memory. */
#ifndef ND_PYTHON_INDEX_H
#define ND_PYTHON_INDEX_H

#include "py_core.h"

extern PyType_Spec index_spec;

/* index_create(path, options), index_open(path, write), index_in_memory(options) */
PyObject *core_index_create(PyObject *module, PyObject *arguments);
PyObject *core_index_open(PyObject *module, PyObject *arguments);
PyObject *core_index_in_memory(PyObject *module, PyObject *options);

/* Takes the index of an Index object for a call: until index_let_go nobody closes it. false: an
 * exception is set. */
bool index_hold(core_state *state, PyObject *index, nd_index **out);
void index_let_go(PyObject *index);

#endif
