/* TLSH digests: of texts, their distance, and search among them. */
#ifndef ND_PYTHON_TLSH_H
#define ND_PYTHON_TLSH_H

#include "py_core.h"

/* tlsh(text, options): the digest of a str or of bytes, or None. Options: `buckets`, `checksum`. */
PyObject *core_tlsh(PyObject *module, PyObject *arguments);
/* tlsh_texts(options): a dict with the digest of each row, "digests"; "" where there is none. */
PyObject *core_tlsh_texts(PyObject *module, PyObject *given);
/* tlsh_distance(a, b, with_length): of two digests. */
PyObject *core_tlsh_distance(PyObject *module, PyObject *arguments);
/* tlsh_index(offsets, bytes): an index of digests, texts of Arrow. */
PyObject *core_tlsh_index(PyObject *module, PyObject *arguments);

extern PyType_Spec tlsh_index_spec;

#endif
