#include "py_text.h"

#include "py_results.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* The options of an analyzer, and analyzers made of them that nobody uses at the moment. */
typedef struct analyzer_object {
    PyObject_HEAD core_state *state;
    PyObject *given; /* keeps the strings of the options */
    text_options text;
    pthread_mutex_t lock;
    nd_analyzer *idle[16];
    size_t idle_count;
} analyzer_object;

static nd_status take_analyzer(analyzer_object *o, nd_analyzer **out, nd_error *error) {
    *out = NULL;
    pthread_mutex_lock(&o->lock);
    if (o->idle_count > 0) *out = o->idle[--o->idle_count];
    pthread_mutex_unlock(&o->lock);
    return *out ? ND_OK : nd_analyzer_create(&o->text.analyzer, NULL, out, error);
}

static void give_analyzer(analyzer_object *o, nd_analyzer *analyzer) {
    pthread_mutex_lock(&o->lock);
    if (o->idle_count < sizeof o->idle / sizeof *o->idle) {
        o->idle[o->idle_count++] = analyzer;
        analyzer = NULL;
    }
    pthread_mutex_unlock(&o->lock);
    nd_analyzer_free(analyzer);
}

static PyObject *make_analyzer(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    if (PyTuple_Size(arguments) != 0) {
        PyErr_SetString(PyExc_TypeError, "Analyzer() takes options by name");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    analyzer_object *o = (analyzer_object *)allocate(type, 0);
    if (!o) return NULL;
    pthread_mutex_init(&o->lock, NULL);
    o->state = core_state_of_type(type);
    o->given = keywords ? PyDict_Copy(keywords) : PyDict_New();
    if (o->given && text_options_read(o->state, o->given, ND_WEIGHTING_TF, &o->text)) {
        nd_analyzer *first;
        nd_error error;
        if (take_analyzer(o, &first, &error) == ND_OK) {
            give_analyzer(o, first);
            return (PyObject *)o;
        }
        core_raise(o->state, &error);
    }
    Py_DECREF(o);
    return NULL;
}

static void free_analyzer(PyObject *self) {
    analyzer_object *o = (analyzer_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    while (o->idle_count > 0) nd_analyzer_free(o->idle[--o->idle_count]);
    text_options_free(&o->text);
    pthread_mutex_destroy(&o->lock);
    Py_XDECREF(o->given);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* A text of at most so many bytes is handled with the GIL, since giving it up and taking it again
 * costs more. */
enum { SHORT = 4096 };

/* ---- similarities */

static bool overlap_of(analyzer_object *o, PyObject *const *arguments, Py_ssize_t count,
                       nd_overlap *out) {
    size_t length_a, length_b;
    const char *a, *b;
    nd_analyzer *analyzer;
    nd_error error;
    nd_status status;
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "two texts are needed, not %zd", count);
        return false;
    }
    if (!(a = core_utf8(o->state, arguments[0], "a", &length_a)) ||
        !(b = core_utf8(o->state, arguments[1], "b", &length_b)))
        return false;
    PyThreadState *others = length_a + length_b > SHORT ? PyEval_SaveThread() : NULL;
    status = take_analyzer(o, &analyzer, &error);
    if (status == ND_OK) {
        status = nd_compare_texts(analyzer, a, length_a, b, length_b, out, &error);
        give_analyzer(o, analyzer);
    }
    if (others) PyEval_RestoreThread(others);
    if (status != ND_OK) core_raise(o->state, &error);
    return status == ND_OK;
}

static PyObject *jaccard(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    nd_overlap overlap;
    if (!overlap_of((analyzer_object *)self, arguments, count, &overlap)) return NULL;
    return PyFloat_FromDouble(nd_jaccard(overlap));
}

static PyObject *containment(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    nd_overlap overlap;
    if (!overlap_of((analyzer_object *)self, arguments, count, &overlap)) return NULL;
    return PyFloat_FromDouble(nd_containment(overlap));
}

/* ---- differences */

static PyObject *differences_of(const nd_difference_list *found) {
    PyObject *list = PyList_New((Py_ssize_t)found->count);
    for (size_t i = 0; list && i < found->count; i++) {
        const nd_difference *d = &found->differences[i];
        PyObject *item = Py_BuildValue("(nnnn)", (Py_ssize_t)d->a_begin, (Py_ssize_t)d->a_end,
                                       (Py_ssize_t)d->b_begin, (Py_ssize_t)d->b_end);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) Py_CLEAR(list);
    }
    return list;
}

/* differences(a, b): the share of the tokens that are the same, and a list of spans in both, in
 * bytes of UTF-8. */
static PyObject *differences(PyObject *self, PyObject *arguments) {
    analyzer_object *o = (analyzer_object *)self;
    PyObject *text_a, *text_b, *list, *out = NULL;
    size_t length_a, length_b;
    nd_difference_list *found = NULL;
    nd_analyzer *analyzer;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "OO", &text_a, &text_b)) return NULL;
    const char *a = core_utf8(o->state, text_a, "a", &length_a),
               *b = a ? core_utf8(o->state, text_b, "b", &length_b) : NULL;
    if (!b) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = take_analyzer(o, &analyzer, &error);
    if (status == ND_OK) {
        status = nd_differences(analyzer, a, length_a, b, length_b, &found, &error);
        give_analyzer(o, analyzer);
    }
    PyEval_RestoreThread(others);
    if (status != ND_OK) return core_raise(o->state, &error);
    list = differences_of(found);
    if (list) out = Py_BuildValue("(dO)", found->same, list);
    Py_XDECREF(list);
    nd_difference_list_free(found);
    return out;
}

/* ---- comparison */

static const option compare_options[] = {
    {"feature_ngram", OPTION_U32, offsetof(nd_compare_options, feature_ngram), NULL},
    {"threshold", OPTION_DOUBLE, offsetof(nd_compare_options, threshold), NULL},
    {"recall", OPTION_DOUBLE, offsetof(nd_compare_options, recall), NULL},
    {"perms", OPTION_U32, offsetof(nd_compare_options, perms), NULL},
    {"bottom_k", OPTION_U32, offsetof(nd_compare_options, bottom_k), NULL},
    {"least_run", OPTION_U32, offsetof(nd_compare_options, least_run), NULL},
    {"gap", OPTION_U32, offsetof(nd_compare_options, gap), NULL},
};

static PyObject *passages_of(const nd_comparison *c) {
    PyObject *list = PyList_New((Py_ssize_t)c->passage_count);
    for (size_t i = 0; list && i < c->passage_count; i++) {
        const nd_passage *p = c->passages + i;
        PyObject *item = Py_BuildValue("(nnnnn)", (Py_ssize_t)p->a_begin, (Py_ssize_t)p->a_end,
                                       (Py_ssize_t)p->b_begin, (Py_ssize_t)p->b_end,
                                       (Py_ssize_t)p->tokens);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *text_values(const nd_compared_text *t, uint32_t bits) {
    char digits[33];
    nd_fingerprint_format(t->fingerprint, bits, digits);
    return Py_BuildValue("{s:n,s:n,s:d,s:d,s:s}", "tokens", (Py_ssize_t)t->tokens, "shingles",
                         (Py_ssize_t)t->shingles, "bottom_k_shingles", t->size.value,
                         "bottom_k_shingles_standard_error", t->size.error, "simhash", digits);
}

static PyObject *comparison_values(const nd_comparison *c) {
    PyObject *a = text_values(&c->a, c->bits), *b = text_values(&c->b, c->bits),
             *passages = passages_of(c), *out = NULL;
    if (a && b && passages)
        out = Py_BuildValue(
            "{s:O,s:O,s:O,s:K,s:K,s:d,s:d,s:d,s:d,s:d,s:d,s:I,s:I,s:d,s:d,s:d,s:d,s:d,s:I,s:I}",
            "a", a, "b", b, "passages", passages, "intersection",
            (unsigned long long)c->intersection, "union", (unsigned long long)c->set_union,
            "jaccard", c->jaccard, "containment", c->containment, "a_in_b", c->a_in_b, "b_in_a",
            c->b_in_a, "cosine_tf", c->cosine, "cosine_tfidf", c->weighted_cosine, "bits", c->bits,
            "distance", c->distance, "minhash_estimate", c->estimate, "minhash_standard_error",
            c->standard_error, "bottom_k_jaccard", c->bottom_k.jaccard.value,
            "bottom_k_jaccard_standard_error", c->bottom_k.jaccard.error, "found", c->found,
            "bands", c->plan.bands, "rows", c->plan.rows);
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(passages);
    return out;
}

/* compare(a, b, options): a dict of all values of nd_comparison. */
static PyObject *compare(PyObject *self, PyObject *arguments) {
    analyzer_object *o = (analyzer_object *)self;
    PyObject *text_a, *text_b, *given;
    nd_compare_options options;
    size_t length_a, length_b;
    nd_comparison *comparison;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "OOO", &text_a, &text_b, &given)) return NULL;
    const char *a = core_utf8(o->state, text_a, "a", &length_a),
               *b = a ? core_utf8(o->state, text_b, "b", &length_b) : NULL;
    nd_compare_options_init(&options, sizeof options);
    options.analyzer = &o->text.analyzer;
    options.bits = o->text.simhash.bits;
    options.table = o->text.table;
    options.stop = o->text.stop;
    if (!b || !OPTIONS_READ(o->state, given, compare_options, &options)) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = nd_compare(&options, a, length_a, b, length_b, &comparison, &error);
    PyEval_RestoreThread(others);
    if (status != ND_OK) return core_raise(o->state, &error);
    PyObject *out = comparison_values(comparison);
    nd_comparison_free(comparison);
    return out;
}

/* ---- tokens and keywords of one text */

typedef struct token_list {
    PyObject *list; /* NULL after a failure */
    bool spans;
} token_list;

static bool take_token(void *context, const nd_token *token) {
    token_list *t = context;
    PyObject *item = t->spans ? Py_BuildValue("(s#nn)", token->text, (Py_ssize_t)token->length,
                                              (Py_ssize_t)token->begin, (Py_ssize_t)token->end)
                              : PyUnicode_DecodeUTF8(token->text, (Py_ssize_t)token->length, NULL);
    if (!item || PyList_Append(t->list, item) != 0) Py_CLEAR(t->list);
    Py_XDECREF(item);
    return t->list != NULL;
}

/* tokens(text, spans): a list of str; with spans of (str, begin, end) in bytes of UTF-8. */
static PyObject *tokens(PyObject *self, PyObject *arguments) {
    analyzer_object *o = (analyzer_object *)self;
    PyObject *given;
    int spans;
    size_t length;
    nd_analyzer *analyzer;
    nd_error error;
    if (!PyArg_ParseTuple(arguments, "Op", &given, &spans)) return NULL;
    const char *text = core_utf8(o->state, given, "text", &length);
    if (!text) return NULL;
    if (take_analyzer(o, &analyzer, &error) != ND_OK) return core_raise(o->state, &error);
    token_list t = {PyList_New(0), spans != 0};
    if (t.list && nd_tokenize(analyzer, text, length, take_token, &t, &error) != ND_OK && t.list) {
        Py_CLEAR(t.list);
        core_raise(o->state, &error);
    }
    give_analyzer(o, analyzer);
    return t.list;
}

static PyMethodDef methods[] = {
    {"jaccard", (PyCFunction)(void (*)(void))jaccard, METH_FASTCALL, NULL},
    {"containment", (PyCFunction)(void (*)(void))containment, METH_FASTCALL, NULL},
    {"compare", compare, METH_VARARGS, NULL},
    {"differences", differences, METH_VARARGS, NULL},
    {"tokens", tokens, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_new, make_analyzer},
    {Py_tp_dealloc, free_analyzer},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Options of texts, read once, and the analyzers made of them."},
    {0},
};

PyType_Spec analyzer_spec = {
    .name = "neardup._core.Analyzer",
    .basicsize = sizeof(analyzer_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
