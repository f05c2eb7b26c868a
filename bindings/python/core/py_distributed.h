/* Steps of dedup for many machines, on arrays: sketches, pairs, large buckets, edges. */
#ifndef ND_PYTHON_DISTRIBUTED_H
#define ND_PYTHON_DISTRIBUTED_H

#include "py_core.h"

/* Functions of the module; neardup/_core.pyi has their arguments. */
PyObject *core_sketch(PyObject *module, PyObject *options);
PyObject *core_near(PyObject *module, PyObject *arguments);
PyObject *core_verify(PyObject *module, PyObject *arguments);
PyObject *core_large_buckets(PyObject *module, PyObject *arguments);
PyObject *core_edge_decider(PyObject *module, PyObject *arguments);

extern PyType_Spec large_buckets_spec, edge_decider_spec;

#endif
