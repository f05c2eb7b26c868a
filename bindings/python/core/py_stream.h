/* The type Stream: documents clustered at their arrival. */
#ifndef ND_PYTHON_STREAM_H
#define ND_PYTHON_STREAM_H

#include "py_core.h"

extern PyType_Spec stream_spec;

/* stream_open(path, write, options, topics): options None: those of the stream. */
PyObject *core_stream_open(PyObject *module, PyObject *arguments);

#endif
