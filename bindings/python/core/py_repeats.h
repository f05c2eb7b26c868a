/* What repeats inside texts, and texts without it. */
#ifndef ND_PYTHON_REPEATS_H
#define ND_PYTHON_REPEATS_H

#include "py_core.h"

/* lines(options), substrings(options): a dict of arrays, an item for each cut, or stretch: `rows`,
 * `begins`, `ends`, `source_rows` and `source_begins`, in bytes; if `with_ids` and
 * `with_source_ids`, `ids` and `source_ids`. A source row of -1 is a document that is removed. The
 * dict `source` of substrings has the options of another input. */
PyObject *core_lines(PyObject *module, PyObject *given);
PyObject *core_substrings(PyObject *module, PyObject *given);

/* cut(options): the rows that have `spans`, three arrays of rows, begins and ends in bytes, which
 * ascend and do not overlap, and their texts without these, `rows` and `texts`; and of `points`,
 * two arrays of rows and bytes, ascending, the same places in characters, `characters`. */
PyObject *core_cut(PyObject *module, PyObject *given);

#endif
