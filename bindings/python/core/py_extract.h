/* Jobs that return data of documents: keywords, document frequencies, shared passages. */
#ifndef ND_PYTHON_EXTRACT_H
#define ND_PYTHON_EXTRACT_H

#include "py_core.h"

/* keywords(options) -> dict: `counts` of keywords a document, `terms`, `weights_of_terms`. */
PyObject *core_keywords(PyObject *module, PyObject *options);
/* idf(options) -> dict: `summary`; the table is the file `output`. */
PyObject *core_idf(PyObject *module, PyObject *options);
/* passages(options) -> dict of arrays, an item per passage. */
PyObject *core_passages(PyObject *module, PyObject *options);

#endif
