#include "py_hamming_index.h"

#include "py_job.h"
#include "py_stored_index.h"

#include <stddef.h>

typedef struct hamming_object {
    stored_object stored;
    uint32_t bits;
    bool numbered;
} hamming_object;

/* ---- the calls of this kind */

static void close_index(void *index) { nd_hamming_close(index); }
static nd_status sync_index(void *index, nd_error *error) { return nd_hamming_sync(index, error); }
static nd_status compact(void *index, nd_error *error) { return nd_hamming_compact(index, error); }
static nd_status check(void *index, nd_error *error) { return nd_hamming_check(index, error); }
static nd_status refresh(void *index, nd_error *error) { return nd_hamming_refresh(index, error); }
static void set_sync(void *index, nd_sync sync) { nd_hamming_set_sync(index, sync); }

static nd_status remove_id(void *index, const char *id, size_t length, bool *found,
                           nd_error *error) {
    return nd_hamming_remove(index, id, length, found, error);
}

static nd_status create_searcher(void *index, void **out, nd_error *error) {
    nd_hamming_searcher *searcher = NULL;
    nd_status status = nd_hamming_searcher_create(index, &searcher, error);
    *out = searcher;
    return status;
}

static void free_searcher(void *searcher) { nd_hamming_searcher_free(searcher); }

static const stored_calls calls = {.close = close_index,
                                   .sync = sync_index,
                                   .compact = compact,
                                   .check = check,
                                   .refresh = refresh,
                                   .set_sync = set_sync,
                                   .remove = remove_id,
                                   .create_searcher = create_searcher,
                                   .free_searcher = free_searcher};

static PyObject *wrap(core_state *state, nd_hamming_index *index) {
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_error error;
    hamming_object *o = stored_wrap(state, state->types[TYPE_HAMMING], &calls, index);
    if (!o) return NULL;
    if (nd_hamming_describe(index, &info, &error) != ND_OK) {
        Py_DECREF(o);
        return core_raise(state, &error);
    }
    o->bits = info.options->bits;
    o->numbered = info.options->numbered;
    return (PyObject *)o;
}

/* ---- making and opening */

static const option index_options[] = {
    {"bits", OPTION_U32, offsetof(nd_hamming_options, bits), NULL},
    {"k", OPTION_U32, offsetof(nd_hamming_options, k), NULL},
    {"table_memory", OPTION_U64, offsetof(nd_hamming_options, memory), NULL},
    {"numbered", OPTION_BOOL, offsetof(nd_hamming_options, numbered), NULL},
};

PyObject *core_hamming_create(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *path, *given;
    nd_hamming_options o;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "O&O", PyUnicode_FSConverter, &path, &given)) return NULL;
    nd_hamming_options_init(&o, sizeof o);
    bool good = OPTIONS_READ(state, given, index_options, &o);
    if (good) {
        PyThreadState *others = PyEval_SaveThread();
        status = nd_hamming_create(PyBytes_AsString(path), &o, &error);
        PyEval_RestoreThread(others);
        good = status == ND_OK;
        if (!good) core_raise(state, &error);
    }
    Py_DECREF(path);
    return good ? Py_NewRef(Py_None) : NULL;
}

PyObject *core_hamming_open(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *path;
    int write;
    nd_hamming_index *index;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &write)) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = nd_hamming_open(PyBytes_AsString(path), write ? ND_INDEX_WRITE : ND_INDEX_READ, NULL,
                             &index, &error);
    PyEval_RestoreThread(others);
    Py_DECREF(path);
    return status == ND_OK ? wrap(state, index) : core_raise(state, &error);
}

PyObject *core_hamming_in_memory(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    nd_hamming_options o;
    nd_hamming_index *index;
    nd_error error;
    nd_hamming_options_init(&o, sizeof o);
    if (!OPTIONS_READ(state, given, index_options, &o)) return NULL;
    if (nd_hamming_create_in_memory(&o, NULL, &index, &error) != ND_OK)
        return core_raise(state, &error);
    return wrap(state, index);
}

/* ---- the index */

static PyObject *describe(PyObject *self, PyObject *unused) {
    hamming_object *o = (hamming_object *)self;
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_error error;
    (void)unused;
    nd_hamming_index *index = handle_hold(&o->stored.handle);
    if (!index) return NULL;
    PyObject *out = NULL;
    if (nd_hamming_describe(index, &info, &error) == ND_OK)
        out = Py_BuildValue(
            "{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:s,s:I,s:I,s:N}", "fingerprints",
            (unsigned long long)info.fingerprints, "removed", (unsigned long long)info.removed,
            "segments", (unsigned long long)info.segments, "log_fingerprints",
            (unsigned long long)info.log_fingerprints, "generation",
            (unsigned long long)info.generation, "bytes", (unsigned long long)info.bytes,
            "table_bytes", (unsigned long long)info.table_bytes, "posting_bytes",
            (unsigned long long)info.posting_bytes, "design", info.design, "bits", o->bits, "k",
            info.options->k, "numbered", PyBool_FromLong(o->numbered));
    else core_raise(o->stored.handle.state, &error);
    handle_let_go(&o->stored.handle);
    return out;
}

/* ---- fingerprints of Python */

/* A buffer of fingerprints: one word each, for 128 bits two; and their ids, if there are some. */
typedef struct prints {
    Py_buffer words, offsets, bytes;
    bool has_words, has_ids;
    uint32_t bits;
    size_t count, next;
} prints;

/* Takes the buffer `words`, and `ids` (offsets and bytes) if it is not None. The caller calls
 * prints_free in any case. */
static bool prints_open(core_state *state, PyObject *given, uint32_t bits, prints *out) {
    PyObject *words = PyDict_GetItemString(given, "words"),
             *ids = PyDict_GetItemString(given, "ids");
    *out = (prints){.bits = bits};
    if (PyObject_GetBuffer(words, &out->words, PyBUF_SIMPLE) != 0) return false;
    out->has_words = true;
    out->count = (size_t)out->words.len / (bits == 128 ? 16 : 8);
    if (!ids || Py_IsNone(ids)) return true;
    if (PyObject_GetBuffer(PyTuple_GetItem(ids, 0), &out->offsets, PyBUF_SIMPLE) != 0) return false;
    if (PyObject_GetBuffer(PyTuple_GetItem(ids, 1), &out->bytes, PyBUF_SIMPLE) != 0) {
        PyBuffer_Release(&out->offsets);
        return false;
    }
    out->has_ids = true;
    if ((size_t)out->offsets.len == (out->count + 1) * sizeof(int64_t)) return true;
    core_raise_status(state, ND_ERR_ARGUMENT, "there are %zu fingerprints and %zd ids", out->count,
                      out->offsets.len / (Py_ssize_t)sizeof(int64_t) - 1);
    return false;
}

static void prints_free(prints *p) {
    if (p->has_words) PyBuffer_Release(&p->words);
    if (p->has_ids) {
        PyBuffer_Release(&p->offsets);
        PyBuffer_Release(&p->bytes);
    }
}

/* nd_fingerprint_source_fn */
static int next_print(void *context, nd_fingerprinted *out) {
    prints *p = context;
    const uint64_t *words = p->words.buf;
    const int64_t *offsets = p->offsets.buf;
    if (p->next == p->count) return 0;
    size_t i = p->next++;
    out->fingerprint = p->bits == 128 ? (nd_fingerprint){words[2 * i], words[2 * i + 1]}
                                      : (nd_fingerprint){words[i], 0};
    out->id = (const char *)p->bytes.buf + offsets[i];
    out->id_length = (size_t)(offsets[i + 1] - offsets[i]);
    return 1;
}

static nd_fingerprint_source source_of(prints *p) {
    nd_fingerprint_source source = {.struct_size = sizeof source};
    if (p->has_ids) {
        source.next = next_print;
        source.context = p;
    } else {
        source.words = p->words.buf;
        source.count = p->count;
    }
    return source;
}

/* ---- jobs */

typedef struct hamming_job {
    nd_hamming_index *index;
    prints prints;
    nd_fingerprint_source source;
    nd_hamming_load_options load;
    nd_hamming_search_options search;
    nd_hamming_join_options join;
    job *job;
    bool numbered, join_source;
    array a, b, distance, fingerprints; /* a: rows of queries, or numbers */
    texts ids_a, ids_b;
} hamming_job;

static nd_status run_load(job *j, void *context, nd_error *error) {
    hamming_job *h = context;
    return nd_hamming_load(h->index, &h->source, &h->load, &j->summary, error);
}

static bool take_answer(void *context, const nd_hamming_answer *answer) {
    hamming_job *h = context;
    bool good = true;
    if (h->search.kind == ND_HAMMING_COUNT) {
        good = ARRAY_PUT(&h->a, int64_t, (int64_t)answer->count);
        h->job->no_memory = !good;
        return good;
    }
    for (uint64_t i = 0; i < answer->count && good; i++) {
        const nd_hamming_match *m = answer->matches + i;
        good = ARRAY_PUT(&h->a, int64_t, (int64_t)answer->query) &&
               ARRAY_PUT(&h->distance, uint32_t, m->distance) &&
               ARRAY_PUT(&h->fingerprints, uint64_t, m->fingerprint.low) &&
               (h->prints.bits < 128 ||
                ARRAY_PUT(&h->fingerprints, uint64_t, m->fingerprint.high)) &&
               (h->numbered ? ARRAY_PUT(&h->b, int64_t, m->number)
                            : texts_put(&h->ids_b, m->id, m->id_length));
    }
    h->job->no_memory = !good;
    return good;
}

static nd_status run_query(job *j, void *context, nd_error *error) {
    hamming_job *h = context;
    const nd_hamming_query_options options = {.struct_size = sizeof options,
                                              .source = &h->source,
                                              .search = &h->search,
                                              .resources = &j->resources};
    return nd_hamming_query(h->index, &options, take_answer, h, &j->summary, error);
}

static bool take_pair(void *context, const nd_hamming_pair *pair) {
    hamming_job *h = context;
    bool good = ARRAY_PUT(&h->distance, uint32_t, pair->distance);
    if (good && h->numbered)
        good = ARRAY_PUT(&h->a, int64_t, pair->number_a) &&
               ARRAY_PUT(&h->b, int64_t, pair->number_b);
    else if (good)
        good = texts_put(&h->ids_a, pair->id_a, pair->id_a_length) &&
               texts_put(&h->ids_b, pair->id_b, pair->id_b_length);
    h->job->no_memory = !good;
    return good;
}

static nd_status run_join(job *j, void *context, nd_error *error) {
    hamming_job *h = context;
    const nd_hamming_side index = {.index = h->index}, source = {.source = &h->source};
    h->join.resources = &j->resources;
    return nd_hamming_join(&index, h->join_source ? &source : NULL, &h->join, take_pair, h,
                           &j->summary, error);
}

static const char *const kind_words[] = {"all", "any", "nearest", "count", NULL};
static const char *const join_words[] = {"pairs", "groups", NULL};

static const option search_options[] = {
    {"k", OPTION_U32, offsetof(nd_hamming_search_options, k), NULL},
    {"kind", OPTION_CHOICE, offsetof(nd_hamming_search_options, kind), kind_words},
    {"limit", OPTION_U64, offsetof(nd_hamming_search_options, limit), NULL},
};

static const option join_options[] = {
    {"k", OPTION_U32, offsetof(nd_hamming_join_options, k), NULL},
    {"join", OPTION_CHOICE, offsetof(nd_hamming_join_options, kind), join_words},
};

static const option load_options[] = {
    {"replace", OPTION_BOOL, offsetof(nd_hamming_load_options, replace), NULL},
};

/* Runs a job on the index with the fingerprints and options of a dict. */
static PyObject *run_job(PyObject *self, PyObject *given, job_fn *fn) {
    hamming_object *o = (hamming_object *)self;
    core_state *state = o->stored.handle.state;
    job j;
    bool done = false;
    hamming_job h = {.job = &j,
                     .numbered = o->numbered,
                     .load = {.struct_size = sizeof h.load, .resources = &j.resources}};
    h.index = handle_hold(&o->stored.handle);
    if (!h.index) return NULL;
    nd_hamming_search_options_init(&h.search, sizeof h.search);
    nd_hamming_join_options_init(&h.join, sizeof h.join);
    h.join.bits = o->bits;
    h.join_source = fn == run_join && PyDict_GetItemString(given, "words") != NULL;
    bool needs_prints = fn != run_join || h.join_source;
    if (job_open(state, given, &j) && OPTIONS_READ(state, given, search_options, &h.search) &&
        OPTIONS_READ(state, given, join_options, &h.join) &&
        OPTIONS_READ(state, given, load_options, &h.load) &&
        (!needs_prints || prints_open(state, given, o->bits, &h.prints))) {
        h.source = source_of(&h.prints);
        done = job_run(&j, fn, &h);
    }
    const result_part parts[] = {
        {.name = "a", .array = &h.a},
        {.name = "b", .array = &h.b},
        {.name = "distance", .array = &h.distance},
        {.name = "fingerprints", .array = &h.fingerprints},
        {.name = "ids_a", .texts = &h.ids_a},
        {.name = "ids_b", .texts = &h.ids_b},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    prints_free(&h.prints);
    job_close(&j);
    handle_let_go(&o->stored.handle);
    return result;
}

static PyObject *load(PyObject *self, PyObject *given) { return run_job(self, given, run_load); }
static PyObject *query(PyObject *self, PyObject *given) { return run_job(self, given, run_query); }
static PyObject *join(PyObject *self, PyObject *given) { return run_job(self, given, run_join); }

/* ---- single searches */

static PyObject *match_of(hamming_object *o, const nd_hamming_match *m) {
    PyObject *match = PyStructSequence_New(o->stored.handle.state->types[TYPE_NEAR]);
    unsigned char bytes[16];
    if (!match) return NULL;
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(m->fingerprint.low >> 8 * i);
        bytes[8 + i] = (unsigned char)(m->fingerprint.high >> 8 * i);
    }
    PyObject *values[] = {
        o->numbered ? PyLong_FromUnsignedLong(m->number)
                    : PyUnicode_DecodeUTF8(m->id, (Py_ssize_t)m->id_length, "surrogateescape"),
        PyLong_FromUnsignedLong(m->distance),
        PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "y#s", (const char *)bytes,
                            (Py_ssize_t)sizeof bytes, "little")};
    for (Py_ssize_t i = 0; i < 3; i++) PyStructSequence_SetItem(match, i, values[i]);
    if (PyErr_Occurred()) Py_CLEAR(match);
    return match;
}

/* Reads a fingerprint from an int. */
static bool fingerprint_of(core_state *state, PyObject *number, nd_fingerprint *out) {
    PyObject *bytes = PyObject_CallMethod(number, "to_bytes", "is", 16, "little");
    if (!bytes) {
        PyErr_Clear();
        core_raise_status(state, ND_ERR_ARGUMENT,
                          "a fingerprint must be an int of at most 128 bits, "
                          "not %R",
                          number);
        return false;
    }
    const unsigned char *b = (const unsigned char *)PyBytes_AsString(bytes);
    *out = (nd_fingerprint){0};
    for (int i = 0; i < 8; i++) {
        out->low |= (uint64_t)b[i] << 8 * i;
        out->high |= (uint64_t)b[8 + i] << 8 * i;
    }
    Py_DECREF(bytes);
    return true;
}

/* search(fingerprint, options): a list of matches; of kind "count" their number. */
static PyObject *search(PyObject *self, PyObject *arguments) {
    hamming_object *o = (hamming_object *)self;
    core_state *state = o->stored.handle.state;
    PyObject *number, *given, *list = NULL;
    nd_fingerprint fingerprint;
    nd_hamming_search_options s;
    const nd_hamming_match *matches;
    uint64_t count;
    void *searcher = NULL;
    nd_error error;
    nd_status status;
    nd_hamming_search_options_init(&s, sizeof s);
    if (!PyArg_ParseTuple(arguments, "OO", &number, &given) ||
        !OPTIONS_READ(state, given, search_options, &s) ||
        !fingerprint_of(state, number, &fingerprint))
        return NULL;
    nd_hamming_index *index = handle_hold(&o->stored.handle);
    if (!index) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = stored_take_searcher(&o->stored, index, &searcher, &error);
    if (status == ND_OK)
        status = nd_hamming_search(searcher, fingerprint, &s, &matches, &count, &error);
    PyEval_RestoreThread(others);
    if (status != ND_OK) core_raise(state, &error);
    else if (s.kind == ND_HAMMING_COUNT) list = PyLong_FromUnsignedLongLong(count);
    else {
        list = PyList_New((Py_ssize_t)count);
        for (uint64_t i = 0; list && i < count; i++) {
            PyObject *match = match_of(o, matches + i);
            if (!match || PyList_SetItem(list, (Py_ssize_t)i, match) != 0) Py_CLEAR(list);
        }
    }
    stored_give_searcher(&o->stored, searcher);
    handle_let_go(&o->stored.handle);
    return list;
}

static PyMethodDef methods[] = {
    STORED_METHODS,
    {"describe", describe, METH_NOARGS, NULL},
    {"load", load, METH_O, NULL},
    {"query", query, METH_O, NULL},
    {"join", join, METH_O, NULL},
    {"search", search, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, stored_free},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The handle of an index of fingerprints."},
    {0},
};

PyType_Spec hamming_spec = {
    .name = "neardup._core.HammingIndex",
    .basicsize = sizeof(hamming_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
