/* Two texts, or one: similarities, comparison, tokens, keywords. */
#ifndef ND_PYTHON_TEXT_H
#define ND_PYTHON_TEXT_H

#include "py_options.h"

/* The type Analyzer. */
extern PyType_Spec analyzer_spec;

#endif
