/* The audit of a configuration (nd_audit). */
#ifndef ND_PYTHON_AUDIT_H
#define ND_PYTHON_AUDIT_H

#include "py_core.h"

/* audit(options): a dict of the numbers of nd_audit_result, and arrays of the missed pairs. */
PyObject *core_audit(PyObject *module, PyObject *given);

#endif
