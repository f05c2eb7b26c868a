/* The audit of a configuration (nd_audit). */
#ifndef ND_PYTHON_AUDIT_H
#define ND_PYTHON_AUDIT_H

#include "py_core.h"

/* (share, low, high) */
PyObject *audit_share(const nd_audit_share *share);

/* audit(options): a dict of the numbers of nd_audit_result, and arrays of the missed pairs. */
PyObject *core_audit(PyObject *module, PyObject *given);

#endif
