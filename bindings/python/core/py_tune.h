/* What each threshold would remove (nd_tune). */
#ifndef ND_PYTHON_TUNE_H
#define ND_PYTHON_TUNE_H

#include "py_core.h"

/* tune(options): a dict of the numbers of nd_tune_result, with `steps`, a list of (threshold,
 * removed, groups, nearest); and arrays of the documents of the sample (b) that have a similar one
 * before them (a). */
PyObject *core_tune(PyObject *module, PyObject *given);

#endif
