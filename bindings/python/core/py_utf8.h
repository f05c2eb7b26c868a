/* A list of Python's texts as a column of Arrow. */
#ifndef ND_PYTHON_UTF8_H
#define ND_PYTHON_UTF8_H

#include "py_core.h"

/* utf8_column(list, row): the parts of a large_binary array, a dict of "valid", a bit for each
 * text, and "texts". A text is a str or bytes; None, NaN and the NA of pandas are missing texts.
 * `row` is the number of the first text, for messages. A lone surrogate is encoded as other
 * characters are, so its bytes are not UTF-8: the library decides about them. */
PyObject *core_utf8_column(PyObject *module, PyObject *arguments);

#endif
