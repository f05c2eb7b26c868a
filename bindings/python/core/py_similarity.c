#include "py_similarity.h"

#include <stddef.h>
#include <stdlib.h>

static const char *const sketch_words[] = {"minhash", "simhash", "sentences", "tlsh", NULL};
static const char *const verify_words[] = {"exact", "cosine", "none", NULL};
const char *const measure_words[] = {"jaccard", "containment", NULL};

static const option similarity_options[] = {
    {"threshold", OPTION_DOUBLE, offsetof(nd_similarity_options, threshold), NULL},
    {"recall", OPTION_DOUBLE, offsetof(nd_similarity_options, recall), NULL},
    {"perms", OPTION_U32, offsetof(nd_similarity_options, perms), NULL},
    {"sketch", OPTION_CHOICE, offsetof(nd_similarity_options, sketch), sketch_words},
    {"verify", OPTION_CHOICE, offsetof(nd_similarity_options, verify), verify_words},
    {"k", OPTION_U32, offsetof(nd_similarity_options, k), NULL},
    {"sentences", OPTION_U32, offsetof(nd_similarity_options, sentences), NULL},
    {"distance", OPTION_U32, offsetof(nd_similarity_options, distance), NULL},
    {"max_compare", OPTION_U32, offsetof(nd_similarity_options, max_compare), NULL},
    {"measure", OPTION_CHOICE, offsetof(nd_similarity_options, measure), measure_words},
};

static const char *const keep_words[] = {"first", "longest", "max", "min", NULL};
static const char *const group_words[] = {"greedy", "component", NULL};

static const option survivor_options[] = {
    {"keep", OPTION_CHOICE, offsetof(nd_survivor_options, keep), keep_words},
    {"group", OPTION_CHOICE, offsetof(nd_survivor_options, group), group_words},
    {"max_removed", OPTION_DOUBLE, offsetof(nd_survivor_options, max_removed), NULL},
    {"keep_field", OPTION_TEXT, offsetof(nd_survivor_options, keep_field), NULL},
};

static bool survivors_read(core_state *state, PyObject *given, similarity *out) {
    nd_survivor_options *o = &out->survivors;
    PyObject *protect = PyDict_GetItemString(given, "protect");
    *o = (nd_survivor_options){.struct_size = sizeof *o};
    if (!OPTIONS_READ(state, given, survivor_options, o)) return false;
    if (protect && !strings_read(protect, &out->protect, &o->protect_count)) return false;
    o->protect = out->protect;
    return true;
}

static bool lists_read(PyObject *given, similarity *out) {
    PyObject *lists = PyDict_GetItemString(given, "differ_by");
    if (lists && !strings_read(lists, &out->differ_by, &out->options.differ_by_count)) return false;
    out->options.differ_by = out->differ_by;
    return true;
}

bool similarity_read(core_state *state, PyObject *given, similarity *out) {
    *out = (similarity){.protect = NULL};
    nd_similarity_options_init(&out->options, sizeof out->options);
    bool good = text_options_read(state, given, ND_WEIGHTING_COUNTED, &out->text) &&
                OPTIONS_READ(state, given, similarity_options, &out->options) &&
                survivors_read(state, given, out) && lists_read(given, out);
    out->options.analyzer = &out->text.analyzer;
    out->options.simhash = &out->text.simhash;
    return good;
}

void similarity_free(similarity *s) {
    text_options_free(&s->text);
    free(s->protect);
    free(s->differ_by);
}
