#include "py_index.h"

#include "py_job.h"
#include "py_stored_index.h"

#include <stddef.h>

/* ---- the calls of this kind */

static void close_index(void *index) { nd_index_close(index); }
static nd_status sync_index(void *index, nd_error *error) { return nd_index_sync(index, error); }
static nd_status compact(void *index, nd_error *error) { return nd_index_compact(index, error); }
static nd_status check(void *index, nd_error *error) { return nd_index_check(index, error); }
static nd_status refresh(void *index, nd_error *error) { return nd_index_refresh(index, error); }
static void set_sync(void *index, nd_sync sync) { nd_index_set_sync(index, sync); }

static nd_status remove_id(void *index, const char *id, size_t length, bool *found,
                           nd_error *error) {
    return nd_index_remove(index, id, length, found, error);
}

static nd_status create_searcher(void *index, void **out, nd_error *error) {
    nd_index_searcher *searcher = NULL;
    nd_status status = nd_index_searcher_create(index, &searcher, error);
    *out = searcher;
    return status;
}

static void free_searcher(void *searcher) { nd_index_searcher_free(searcher); }

static const stored_calls calls = {.close = close_index,
                                   .sync = sync_index,
                                   .compact = compact,
                                   .check = check,
                                   .refresh = refresh,
                                   .set_sync = set_sync,
                                   .remove = remove_id,
                                   .create_searcher = create_searcher,
                                   .free_searcher = free_searcher};

static PyObject *wrap(core_state *state, nd_index *index) {
    return stored_wrap(state, state->types[TYPE_INDEX], &calls, index);
}

bool index_hold(core_state *state, PyObject *index, nd_index **out) {
    if (!PyObject_TypeCheck(index, state->types[TYPE_INDEX])) {
        PyErr_SetString(PyExc_TypeError, "an Index is needed");
        return false;
    }
    *out = handle_hold(&((stored_object *)index)->handle);
    return *out != NULL;
}

void index_let_go(PyObject *index) { handle_let_go(&((stored_object *)index)->handle); }

/* ---- making and opening */

typedef struct index_given {
    nd_index_options options;
    text_options text;
} index_given;

static const char *const content_words[] = {"sketches", "hashes", NULL};

static const option index_options[] = {
    {"threshold", OPTION_DOUBLE, offsetof(nd_index_options, threshold), NULL},
    {"recall", OPTION_DOUBLE, offsetof(nd_index_options, recall), NULL},
    {"perms", OPTION_U32, offsetof(nd_index_options, perms), NULL},
    {"sketch_only", OPTION_BOOL, offsetof(nd_index_options, sketch_only), NULL},
    {"content", OPTION_CHOICE, offsetof(nd_index_options, content), content_words},
    {"by", OPTION_CHOICE, offsetof(nd_index_options, by), equal_words},
};

static bool read_options(core_state *state, PyObject *given, index_given *out) {
    nd_index_options_init(&out->options, sizeof out->options);
    out->options.analyzer = &out->text.analyzer;
    return text_options_read(state, given, ND_WEIGHTING_TF, &out->text) &&
           OPTIONS_READ(state, given, index_options, &out->options);
}

PyObject *core_index_create(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *path, *given;
    index_given g;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "O&O", PyUnicode_FSConverter, &path, &given)) return NULL;
    bool good = read_options(state, given, &g);
    if (good) {
        PyThreadState *others = PyEval_SaveThread();
        status = nd_index_create(PyBytes_AsString(path), &g.options, &error);
        PyEval_RestoreThread(others);
        good = status == ND_OK;
        if (!good) core_raise(state, &error);
    }
    text_options_free(&g.text);
    Py_DECREF(path);
    return good ? Py_NewRef(Py_None) : NULL;
}

PyObject *core_index_open(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *path;
    int write;
    nd_index *index;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &write)) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = nd_index_open(PyBytes_AsString(path), write ? ND_INDEX_WRITE : ND_INDEX_READ, NULL,
                           &index, &error);
    PyEval_RestoreThread(others);
    Py_DECREF(path);
    return status == ND_OK ? wrap(state, index) : core_raise(state, &error);
}

PyObject *core_index_in_memory(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    index_given g;
    nd_index *index = NULL;
    nd_error error;
    if (read_options(state, given, &g) &&
        nd_index_create_in_memory(&g.options, NULL, &index, &error) != ND_OK)
        core_raise(state, &error);
    text_options_free(&g.text);
    return index ? wrap(state, index) : NULL;
}

/* ---- the index */

static PyObject *describe(PyObject *self, PyObject *unused) {
    static const char *const kinds[] = {"words", "chars", "segment"};
    stored_object *o = (stored_object *)self;
    nd_index_info info = {.struct_size = sizeof info};
    nd_error error;
    (void)unused;
    nd_index *index = handle_hold(&o->handle);
    if (!index) return NULL;
    nd_status status = nd_index_describe(index, &info, &error);
    PyObject *out = NULL;
    if (status == ND_OK) {
        const nd_index_options *made = info.options;
        out = Py_BuildValue(
            "{s:K,s:K,s:K,s:K,s:K,s:K,s:s,s:I,s:K,s:d,s:d,s:I,s:I,s:I,s:N}", "documents",
            (unsigned long long)info.documents, "removed", (unsigned long long)info.removed,
            "segments", (unsigned long long)info.segments, "log_documents",
            (unsigned long long)info.log_documents, "generation",
            (unsigned long long)info.generation, "bytes", (unsigned long long)info.bytes,
            "analyzer", kinds[made->analyzer->kind], "ngram", made->analyzer->ngram, "seed",
            (unsigned long long)made->analyzer->seed, "threshold", made->threshold, "recall",
            made->recall, "perms", made->perms, "bands", info.plan.bands, "rows", info.plan.rows,
            "sketch_only", PyBool_FromLong(made->sketch_only));
    } else core_raise(o->handle.state, &error);
    handle_let_go(&o->handle);
    return out;
}

/* ---- single documents */

/* A match as Match(id, similarity, intersection, union, estimated). */
static PyObject *match_of(core_state *state, const nd_match *m) {
    PyObject *match = PyStructSequence_New(state->types[TYPE_MATCH]);
    if (!match) return NULL;
    PyObject *values[] = {PyUnicode_DecodeUTF8(m->id, (Py_ssize_t)m->id_length, "surrogateescape"),
                          PyFloat_FromDouble(m->jaccard),
                          PyLong_FromUnsignedLongLong(m->intersection),
                          PyLong_FromUnsignedLongLong(m->set_union), PyBool_FromLong(m->estimated)};
    for (Py_ssize_t i = 0; i < 5; i++) PyStructSequence_SetItem(match, i, values[i]);
    if (PyErr_Occurred()) Py_CLEAR(match);
    return match;
}

static PyObject *matches_of(core_state *state, const nd_match *matches, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *match = match_of(state, matches + i);
        if (!match || PyList_SetItem(list, (Py_ssize_t)i, match) != 0) Py_CLEAR(list);
    }
    return list;
}

/* search(text, kind): a list of matches. */
static PyObject *search(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    stored_object *o = (stored_object *)self;
    size_t length, match_count = 0;
    const nd_match *matches = NULL;
    void *searcher = NULL;
    nd_error error;
    nd_status status;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "search(text, kind)");
        return NULL;
    }
    const char *text = core_utf8(o->handle.state, arguments[0], "text", &length);
    long kind = text ? PyLong_AsLong(arguments[1]) : 0;
    nd_index *index = text && !PyErr_Occurred() ? handle_hold(&o->handle) : NULL;
    if (!index) return NULL;
    PyObject *list = NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = stored_take_searcher(o, index, &searcher, &error);
    if (status == ND_OK)
        status = nd_index_search(searcher, text, length, (nd_search_kind)kind, &matches,
                                 &match_count, &error);
    PyEval_RestoreThread(others);
    if (status == ND_OK) list = matches_of(o->handle.state, matches, match_count);
    else core_raise(o->handle.state, &error);
    stored_give_searcher(o, searcher);
    handle_let_go(&o->handle);
    return list;
}

/* add(id, text, replace): None if it was added, else the match that is the evidence. */
static PyObject *add(PyObject *self, PyObject *arguments) {
    stored_object *o = (stored_object *)self;
    core_state *state = o->handle.state;
    PyObject *id, *text, *result = NULL;
    int replace;
    bool added;
    const nd_match *evidence;
    void *searcher = NULL;
    nd_error error;
    nd_status status;
    nd_record record = {.struct_size = sizeof record};
    if (!PyArg_ParseTuple(arguments, "OOp", &id, &text, &replace) ||
        !(record.id = core_utf8(state, id, "id", &record.id_length)) ||
        !(record.text = core_utf8(state, text, "text", &record.length)))
        return NULL;
    nd_index *index = handle_hold(&o->handle);
    if (!index) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = stored_take_searcher(o, index, &searcher, &error);
    if (status == ND_OK)
        status = (replace ? nd_index_replace : nd_index_add)(index, searcher, &record, &added,
                                                             &evidence, &error);
    PyEval_RestoreThread(others);
    if (status != ND_OK) core_raise(state, &error);
    else result = added ? Py_NewRef(Py_None) : match_of(state, evidence);
    stored_give_searcher(o, searcher);
    handle_let_go(&o->handle);
    return result;
}

/* ---- many queries */

static const char *const kind_words[] = {"all", "best", "first", NULL};

static const option query_options[] = {
    {"kind", OPTION_CHOICE, offsetof(nd_index_query_options, kind), kind_words},
    {"max_compare", OPTION_U32, offsetof(nd_index_query_options, max_compare), NULL},
};

typedef struct queries {
    job *job;
    nd_index *index;
    nd_index_query_options options;
    bool with_ids;
    array rows, jaccard, intersection, set_union;
    texts ids, query_ids;
} queries;

static bool take_answer(void *context, const nd_answer *answer) {
    queries *q = context;
    bool good = true;
    int64_t row = documents_row(&q->job->documents, answer->document);
    for (size_t i = 0; i < answer->count && good; i++) {
        const nd_match *m = answer->matches + i;
        good = ARRAY_PUT(&q->rows, int64_t, row) && ARRAY_PUT(&q->jaccard, double, m->jaccard) &&
               ARRAY_PUT(&q->intersection, uint64_t, m->intersection) &&
               ARRAY_PUT(&q->set_union, uint64_t, m->set_union) &&
               texts_put(&q->ids, m->id, m->id_length) &&
               (!q->with_ids || texts_put(&q->query_ids, answer->id, answer->id_length));
    }
    q->job->no_memory = !good;
    return good;
}

static nd_status run_queries(job *j, void *context, nd_error *error) {
    queries *q = context;
    return nd_index_query(q->index, &q->options, take_answer, q, &j->summary, error);
}

/* query(options): dict of arrays, a row per match. */
static PyObject *query(PyObject *self, PyObject *given) {
    stored_object *o = (stored_object *)self;
    core_state *state = o->handle.state;
    job j;
    bool done = false;
    queries q = {.job = &j, .with_ids = PyDict_GetItemString(given, "with_ids") == Py_True};
    q.index = handle_hold(&o->handle);
    if (!q.index) return NULL;
    nd_index_query_options_init(&q.options, sizeof q.options);
    if (job_open(state, given, &j) && OPTIONS_READ(state, given, query_options, &q.options)) {
        q.options.input = &j.input;
        q.options.resources = &j.resources;
        done = job_run(&j, run_queries, &q);
    }
    const result_part parts[] = {
        {.name = "rows", .array = &q.rows},
        {.name = "jaccard", .array = &q.jaccard},
        {.name = "intersection", .array = &q.intersection},
        {.name = "union", .array = &q.set_union},
        {.name = "ids", .texts = &q.ids},
        {.name = "query_ids", .texts = &q.query_ids},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    job_close(&j);
    handle_let_go(&o->handle);
    return result;
}

static PyMethodDef methods[] = {
    STORED_METHODS,
    {"describe", describe, METH_NOARGS, NULL},
    {"search", (PyCFunction)(void (*)(void))search, METH_FASTCALL, NULL},
    {"add", add, METH_VARARGS, NULL},
    {"query", query, METH_O, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, stored_free},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The handle of an index of documents."},
    {0},
};

PyType_Spec index_spec = {
    .name = "neardup._core.Index",
    .basicsize = sizeof(stored_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
