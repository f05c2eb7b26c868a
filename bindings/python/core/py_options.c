#include "py_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(core_state *state, const option *o, PyObject *value, uint64_t most,
                        uint64_t *out) {
    if (!PyLong_Check(value)) {
        core_raise_status(state, ND_ERR_ARGUMENT, "%s must be a whole number, not %R", o->name,
                          value);
        return false;
    }
    *out = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred() && *out <= most) return true;
    PyErr_Clear();
    core_raise_status(state, ND_ERR_ARGUMENT, "%s must be 0 to %llu, not %R", o->name,
                      (unsigned long long)most, value);
    return false;
}

/* "first", "longest" or "max" */
static PyObject *words_of(const char *const *choices) {
    PyObject *all = PyUnicode_FromString("");
    for (size_t i = 0; choices[i] && all; i++) {
        const char *before = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        PyObject *longer = PyUnicode_FromFormat("%U%s\"%s\"", all, before, choices[i]);
        Py_DECREF(all);
        all = longer;
    }
    return all;
}

static bool read_choice(core_state *state, const option *o, PyObject *value, int *out) {
    if (PyUnicode_Check(value))
        for (int i = 0; o->choices[i]; i++)
            if (PyUnicode_CompareWithASCIIString(value, o->choices[i]) == 0) {
                *out = i;
                return true;
            }
    PyObject *words = words_of(o->choices);
    if (words)
        core_raise_status(state, ND_ERR_ARGUMENT, "%s must be %U, not %R", o->name, words, value);
    Py_XDECREF(words);
    return false;
}

static bool read_text(core_state *state, const option *o, PyObject *value, const char **out) {
    size_t length;
    const char *text = core_utf8(state, value, o->name, &length);
    if (!text) return false;
    if (strlen(text) != length) {
        core_raise_status(state, ND_ERR_ARGUMENT, "%s has a NUL character", o->name);
        return false;
    }
    *out = text;
    return true;
}

static bool read_double(core_state *state, const option *o, PyObject *value, double *out) {
    *out = PyFloat_AsDouble(value);
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    core_raise_status(state, ND_ERR_ARGUMENT, "%s must be a number, not %R", o->name, value);
    return false;
}

static bool read_option(core_state *state, const option *o, PyObject *value, char *at) {
    uint64_t number;
    int truth;
    switch (o->type) {
    case OPTION_DOUBLE: return read_double(state, o, value, (double *)(void *)at);
    case OPTION_U32:
        if (!read_number(state, o, value, UINT32_MAX, &number)) return false;
        *(uint32_t *)(void *)at = (uint32_t)number;
        return true;
    case OPTION_U64: return read_number(state, o, value, UINT64_MAX, (uint64_t *)(void *)at);
    case OPTION_BOOL:
        truth = PyObject_IsTrue(value);
        *(bool *)at = truth > 0;
        return truth >= 0;
    case OPTION_TEXT: return read_text(state, o, value, (const char **)(void *)at);
    default: return read_choice(state, o, value, (int *)(void *)at);
    }
}

bool options_read(core_state *state, PyObject *given, const option *options, size_t count,
                  void *out) {
    for (size_t i = 0; i < count; i++) {
        PyObject *value = PyDict_GetItemString(given, options[i].name);
        if (value && !Py_IsNone(value) &&
            !read_option(state, options + i, value, (char *)out + options[i].offset))
            return false;
    }
    return true;
}

const char *const equal_words[] = {"bytes", "text", "tokens", NULL};

/* ---- lists */

bool strings_read(PyObject *given, const char ***out, size_t *out_count) {
    bool is_list = PyList_Check(given);
    Py_ssize_t count = is_list ? PyList_Size(given) : 1;
    *out = calloc((size_t)count + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = is_list ? PyList_GetItem(given, i) : given;
        (*out)[i] = PyUnicode_AsUTF8AndSize(item, NULL);
        if (!(*out)[i]) return false;
    }
    *out_count = (size_t)count;
    return true;
}

/* ---- texts */

static const char *const analyzers[] = {"words", "chars", "segment", NULL};

static const option analyzer_options[] = {
    {"analyzer", OPTION_CHOICE, offsetof(nd_analyzer_options, kind), analyzers},
    {"ngram", OPTION_U32, offsetof(nd_analyzer_options, ngram), NULL},
    {"seed", OPTION_U64, offsetof(nd_analyzer_options, seed), NULL},
    {"stem", OPTION_TEXT, offsetof(nd_analyzer_options, stem), NULL},
};

static const option simhash_options[] = {
    {"bits", OPTION_U32, offsetof(nd_simhash_options, bits), NULL},
};

typedef struct file_names {
    const char *dictionary, *weights, *stop;
} file_names;

static const option files[] = {
    {"dictionary", OPTION_TEXT, offsetof(file_names, dictionary), NULL},
    {"weights", OPTION_TEXT, offsetof(file_names, weights), NULL},
    {"stop", OPTION_TEXT, offsetof(file_names, stop), NULL},
};

/* "tf", "tfidf", "none", "levels" or "tfidf:FILE". Sets *table to FILE. */
static bool read_weighting(core_state *state, const char *text, nd_weighting *out,
                           const char **table) {
    *table = NULL;
    if (strcmp(text, "tf") == 0) *out = ND_WEIGHTING_TF;
    else if (strcmp(text, "none") == 0) *out = ND_WEIGHTING_NONE;
    else if (strcmp(text, "levels") == 0) *out = ND_WEIGHTING_LEVELS;
    else if (strcmp(text, "tfidf") == 0) *out = ND_WEIGHTING_COUNTED;
    else if (strncmp(text, "tfidf:", 6) == 0) {
        *out = ND_WEIGHTING_TABLE;
        *table = text + 6;
    } else {
        core_raise_status(state, ND_ERR_ARGUMENT,
                          "weights must be \"tf\", \"tfidf\", \"tfidf:FILE\", \"none\" or "
                          "\"levels\", not \"%s\"",
                          text);
        return false;
    }
    return true;
}

/* Reads the files that the options name. */
static nd_status read_files(const file_names *names, const char *table, text_options *o,
                            nd_error *error) {
    nd_status status = ND_OK;
    if (names->dictionary)
        status = nd_dictionary_read(names->dictionary, NULL, &o->dictionary, error);
    if (status == ND_OK && table)
        status = nd_weights_read(table, o->analyzer.seed, NULL, &o->table, error);
    if (status == ND_OK && names->stop)
        status = nd_stop_words_read(names->stop, o->analyzer.seed, o->analyzer.stem, NULL, &o->stop,
                                    error);
    return status;
}

bool text_options_read(core_state *state, PyObject *given, nd_weighting weighting,
                       text_options *out) {
    file_names names = {0};
    const char *table = NULL;
    nd_error error;
    nd_status status;
    *out = (text_options){0};
    nd_analyzer_options_init(&out->analyzer, sizeof out->analyzer);
    nd_simhash_options_init(&out->simhash, sizeof out->simhash);
    out->simhash.weighting = weighting;
    if (!OPTIONS_READ(state, given, analyzer_options, &out->analyzer) ||
        !OPTIONS_READ(state, given, simhash_options, &out->simhash) ||
        !OPTIONS_READ(state, given, files, &names))
        return false;
    if (names.weights && !read_weighting(state, names.weights, &out->simhash.weighting, &table))
        return false;
    PyThreadState *others = PyEval_SaveThread();
    status = read_files(&names, table, out, &error);
    PyEval_RestoreThread(others);
    out->analyzer.dictionary = out->dictionary;
    out->simhash.table = out->table;
    out->simhash.stop = out->stop;
    if (status == ND_OK) return true;
    core_raise(state, &error);
    return false;
}

void text_options_free(text_options *o) {
    nd_dictionary_free(o->dictionary);
    nd_weights_free(o->table);
    nd_stop_words_free(o->stop);
}
