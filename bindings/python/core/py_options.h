/* Options: keyword arguments of Python, as a dict, into structures of the library. */
#ifndef ND_PYTHON_OPTIONS_H
#define ND_PYTHON_OPTIONS_H

#include "py_core.h"

typedef enum option_type {
    OPTION_DOUBLE,
    OPTION_U32,
    OPTION_U64,
    OPTION_BOOL,
    OPTION_TEXT,  /* const char *: valid as long as the dict */
    OPTION_CHOICE /* int: the index of the word in `choices` */
} option_type;

typedef struct option {
    const char *name;
    option_type type;
    size_t offset;
    const char *const *choices; /* ends with NULL */
} option;

/* Sets the members whose names the dict has with a value that is not None. false: an exception is
 * set; it names the option. */
bool options_read(core_state *state, PyObject *given, const option *options, size_t count,
                  void *out);
#define OPTIONS_READ(state, given, table, out)                                                     \
    options_read(state, given, table, sizeof(table) / sizeof *(table), out)

extern const char *const equal_words[]; /* choices of nd_equal */

/* Makes an array of a list of str, or of one str. The caller frees *out, after a failure too. The
 * strings are the list's. false: an exception is set. */
bool strings_read(PyObject *given, const char ***out, size_t *out_count);

/* How texts become weighted features, and all that this needs. */
typedef struct text_options {
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
    nd_dictionary *dictionary;
    nd_weights *table;
    nd_stop_words *stop;
} text_options;

/* Reads analyzer, ngram, seed, stem, dictionary; bits, weights, stop. `weighting`: where weights is
 * not given. The caller calls text_options_free in any case. */
bool text_options_read(core_state *state, PyObject *given, nd_weighting weighting,
                       text_options *out);
void text_options_free(text_options *options);

#endif
