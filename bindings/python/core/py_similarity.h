/* The options that define a duplicate, and which of several stays. */
#ifndef ND_PYTHON_SIMILARITY_H
#define ND_PYTHON_SIMILARITY_H

#include "py_options.h"

/* The words for nd_measure, in its order. */
extern const char *const measure_words[];

/* With all that the options point to. The caller calls similarity_free in any case. */
typedef struct similarity {
    nd_similarity_options options;
    nd_survivor_options survivors;
    text_options text;
    const char **protect, **differ_by;
} similarity;

/* Reads the options of duplicates and texts; and of survivors: keep, keep_field, group, max_removed
 * and protect, a list of str. false: an exception is set. */
bool similarity_read(core_state *state, PyObject *given, similarity *out);
void similarity_free(similarity *s);

#endif
