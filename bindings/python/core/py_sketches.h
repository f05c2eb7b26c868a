/* Sketches of many texts: MinHash signatures, SimHash fingerprints; and the plans of candidates. */
#ifndef ND_PYTHON_SKETCHES_H
#define ND_PYTHON_SKETCHES_H

#include "py_core.h"

/* minhash(options) -> dict: `sketches`, perms values of 32 bits for each row; `summary`. */
PyObject *core_minhash(PyObject *module, PyObject *options);
/* simhash(options) -> dict: `sketches`, one number of 64 bits for each row, two for 128 bits. */
PyObject *core_simhash(PyObject *module, PyObject *options);
/* plan(threshold, recall, perms) -> (bands, rows) */
PyObject *core_plan(PyObject *module, PyObject *arguments);
/* plan_probability(bands, rows, similarity) -> float */
PyObject *core_plan_probability(PyObject *module, PyObject *arguments);
/* anchor_plan(threshold, recall) -> (anchors, least) */
PyObject *core_anchor_plan(PyObject *module, PyObject *arguments);
/* anchor_plan_probability(anchors, least, containment) -> float */
PyObject *core_anchor_plan_probability(PyObject *module, PyObject *arguments);

#endif
