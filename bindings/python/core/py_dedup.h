/* The jobs that find duplicates. */
#ifndef ND_PYTHON_DEDUP_H
#define ND_PYTHON_DEDUP_H

#include "py_core.h"

/* dedup(options) -> dict: `documents`; arrays of removed rows; `ids` if `with_ids`; `summary`. */
PyObject *core_dedup(PyObject *module, PyObject *options);
/* exact(options) -> dict: as dedup; all documents that are removed are identical to a kept one. */
PyObject *core_exact(PyObject *module, PyObject *options);
/* preset(name) -> dict: threshold, recall, perms, analyzer, ngram. */
PyObject *core_preset(PyObject *module, PyObject *name);
/* pairs(options) -> dict: arrays of the pairs; `summary`. */
PyObject *core_pairs(PyObject *module, PyObject *options);

#endif
