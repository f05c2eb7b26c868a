#include "py_stream.h"

#include "py_handle.h"
#include "py_job.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct stream_object {
    PyObject_HEAD handle handle;
    text_options text; /* dictionary, weights and stop words must outlive the stream */
    PyObject *given;   /* keeps the strings of the options */
    bool writes;
} stream_object;

static void free_stream(PyObject *self) {
    stream_object *o = (stream_object *)self;
    nd_stream_close(o->handle.pointer);
    text_options_free(&o->text);
    Py_XDECREF(o->given);
    handle_destroy(&o->handle);
    object_free(self);
}

/* ---- opening */

static const char *const sketch_words[] = {"minhash", "simhash", NULL};
static const char *const mode_words[] = {"leader", "follow", NULL};

static const option stream_options[] = {
    {"sketch", OPTION_CHOICE, offsetof(nd_stream_options, sketch), sketch_words},
    {"mode", OPTION_CHOICE, offsetof(nd_stream_options, mode), mode_words},
    {"threshold", OPTION_DOUBLE, offsetof(nd_stream_options, threshold), NULL},
    {"recall", OPTION_DOUBLE, offsetof(nd_stream_options, recall), NULL},
    {"perms", OPTION_U32, offsetof(nd_stream_options, perms), NULL},
    {"k", OPTION_U32, offsetof(nd_stream_options, k), NULL},
    {"expire", OPTION_DOUBLE, offsetof(nd_stream_options, expire), NULL},
};

PyObject *core_stream_open(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *path, *given;
    int write;
    unsigned topics;
    nd_stream_options options;
    nd_stream *stream = NULL;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "O&pOI", PyUnicode_FSConverter, &path, &write, &given,
                          &topics))
        return NULL;
    stream_object *o = object_allocate(state->types[TYPE_STREAM]);
    if (!o) {
        Py_DECREF(path);
        return NULL;
    }
    handle_init(&o->handle, state, "stream", true);
    bool named = !Py_IsNone(given), good = true;
    nd_stream_options_init(&options, sizeof options);
    if (named) {
        o->given = Py_NewRef(given);
        good = text_options_read(state, given, ND_WEIGHTING_TF, &o->text) &&
               OPTIONS_READ(state, given, stream_options, &options);
        options.analyzer = &o->text.analyzer;
        options.simhash = &o->text.simhash;
    }
    if (good) {
        PyThreadState *others = PyEval_SaveThread();
        status = nd_stream_open(PyBytes_AsString(path), write ? ND_INDEX_WRITE : ND_INDEX_READ,
                                named ? &options : NULL, NULL, &stream, &error);
        PyEval_RestoreThread(others);
        good = status == ND_OK;
        if (!good) core_raise(state, &error);
    }
    Py_DECREF(path);
    if (good) {
        o->handle.pointer = stream;
        o->writes = write != 0;
        nd_stream_set_topics(stream, topics);
        return (PyObject *)o;
    }
    Py_DECREF(o);
    return NULL;
}

static PyObject *close_stream(PyObject *self, PyObject *unused) {
    stream_object *o = (stream_object *)self;
    nd_error error;
    nd_status status = ND_OK;
    (void)unused;
    nd_stream *stream = handle_take(&o->handle);
    if (!stream) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyThreadState *others = PyEval_SaveThread();
    if (o->writes) status = nd_stream_sync(stream, &error);
    nd_stream_close(stream);
    PyEval_RestoreThread(others);
    return status == ND_OK ? Py_NewRef(Py_None) : core_raise(o->handle.state, &error);
}

static PyObject *sync_stream(PyObject *self, PyObject *unused) {
    stream_object *o = (stream_object *)self;
    nd_error error;
    nd_status status;
    (void)unused;
    nd_stream *stream = handle_hold(&o->handle);
    if (!stream) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = nd_stream_sync(stream, &error);
    PyEval_RestoreThread(others);
    handle_let_go(&o->handle);
    return status == ND_OK ? Py_NewRef(Py_None) : core_raise(o->handle.state, &error);
}

/* ---- answers */

static PyObject *text_of(const char *text, size_t length) {
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "surrogateescape");
}

/* A list of (term, weight). */
static PyObject *topics_of(const nd_stream_topic *topics, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = Py_BuildValue("(s#d)", topics[i].term, (Py_ssize_t)topics[i].length,
                                       topics[i].weight);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *answer_of(core_state *state, const nd_stream_answer *a) {
    PyObject *answer = PyStructSequence_New(state->types[TYPE_ANSWER]);
    if (!answer) return NULL;
    PyObject *values[] = {
        text_of(a->id, a->id_length),         text_of(a->cluster, a->cluster_length),
        PyBool_FromLong(a->is_new),           PyBool_FromLong(a->again),
        PyFloat_FromDouble(a->similarity),    PyLong_FromUnsignedLong(a->distance),
        topics_of(a->topics, a->topic_count),
    };
    for (Py_ssize_t i = 0; i < 7; i++) PyStructSequence_SetItem(answer, i, values[i]);
    if (PyErr_Occurred()) Py_CLEAR(answer);
    return answer;
}

/* add(id, text, time): time NaN: none. */
static PyObject *add(PyObject *self, PyObject *arguments) {
    stream_object *o = (stream_object *)self;
    core_state *state = o->handle.state;
    PyObject *id, *text;
    nd_record record = {.struct_size = sizeof record};
    const nd_stream_answer *answer;
    nd_error error;
    nd_status status;
    if (!PyArg_ParseTuple(arguments, "OOd", &id, &text, &record.value) ||
        !(record.id = core_utf8(state, id, "id", &record.id_length)) ||
        !(record.text = core_utf8(state, text, "text", &record.length)))
        return NULL;
    nd_stream *stream = handle_hold(&o->handle);
    if (!stream) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    status = nd_stream_add(stream, &record, &answer, &error);
    PyEval_RestoreThread(others);
    PyObject *result = status == ND_OK ? answer_of(state, answer) : core_raise(state, &error);
    handle_let_go(&o->handle);
    return result;
}

typedef struct arrivals {
    job *job;
    nd_stream *stream;
    nd_stream_run_options options;
    texts ids, clusters;
    array is_new, similarity, distance;
} arrivals;

static bool take_answer(void *context, const nd_stream_answer *a) {
    arrivals *r = context;
    bool good = texts_put(&r->ids, a->id, a->id_length) &&
                texts_put(&r->clusters, a->cluster, a->cluster_length) &&
                ARRAY_PUT(&r->is_new, uint8_t, a->is_new) &&
                ARRAY_PUT(&r->similarity, double, a->similarity) &&
                ARRAY_PUT(&r->distance, uint32_t, a->distance);
    r->job->no_memory = !good;
    return good;
}

static nd_status run_arrivals(job *j, void *context, nd_error *error) {
    arrivals *r = context;
    return nd_stream_run(r->stream, &r->options, take_answer, r, &j->summary, error);
}

static const option run_options[] = {
    {"time", OPTION_TEXT, offsetof(nd_stream_run_options, time_field), NULL},
};

/* run(options): a dict of arrays, an item per document. */
static PyObject *run(PyObject *self, PyObject *given) {
    stream_object *o = (stream_object *)self;
    core_state *state = o->handle.state;
    job j;
    arrivals r = {
        .job = &j,
        .options = {.struct_size = sizeof r.options, .input = &j.input, .resources = &j.resources}};
    r.stream = handle_hold(&o->handle);
    if (!r.stream) return NULL;
    bool done = job_open(state, given, &j) && OPTIONS_READ(state, given, run_options, &r.options) &&
                job_run(&j, run_arrivals, &r);
    const result_part parts[] = {
        {.name = "ids", .texts = &r.ids},           {.name = "clusters", .texts = &r.clusters},
        {.name = "is_new", .array = &r.is_new},     {.name = "similarity", .array = &r.similarity},
        {.name = "distance", .array = &r.distance},
    };
    PyObject *out = JOB_RESULTS(&j, done, parts);
    job_close(&j);
    handle_let_go(&o->handle);
    return out;
}

/* ---- clusters */

static PyObject *members_of(const nd_stream_cluster *c) {
    if (!c->members) return Py_NewRef(Py_None);
    PyObject *list = PyList_New((Py_ssize_t)c->size);
    for (uint64_t i = 0; list && i < c->size; i++) {
        PyObject *id = text_of(c->members[i].id, c->members[i].length);
        if (!id || PyList_SetItem(list, (Py_ssize_t)i, id) != 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *time_of(double time) {
    return isnan(time) ? Py_NewRef(Py_None) : PyFloat_FromDouble(time);
}

/* `context`: the list; NULL in it after a failure. */
static bool take_cluster(void *context, const nd_stream_cluster *c) {
    PyObject **list = context;
    PyObject *item = Py_BuildValue(
        "{s:N,s:N,s:K,s:K,s:K,s:N,s:N,s:N,s:N}", "cluster", text_of(c->cluster, c->cluster_length),
        "central", text_of(c->central, c->central_length), "size", (unsigned long long)c->size,
        "founded", (unsigned long long)c->founded, "grown", (unsigned long long)c->grown,
        "founded_time", time_of(c->founded_time), "grown_time", time_of(c->grown_time), "topics",
        topics_of(c->topics, c->topic_count), "members", members_of(c));
    bool good = item && PyList_Append(*list, item) == 0;
    Py_XDECREF(item);
    if (!good) Py_CLEAR(*list);
    return good;
}

/* clusters(least, topics, members): a list of dicts. */
static PyObject *clusters(PyObject *self, PyObject *arguments) {
    stream_object *o = (stream_object *)self;
    unsigned long long least;
    unsigned topics;
    int members;
    nd_error error;
    if (!PyArg_ParseTuple(arguments, "KIp", &least, &topics, &members)) return NULL;
    nd_stream *stream = handle_hold(&o->handle);
    if (!stream) return NULL;
    PyObject *list = PyList_New(0);
    if (list &&
        nd_stream_clusters(stream, least, topics, members != 0, take_cluster, &list, &error) !=
            ND_OK &&
        list) {
        Py_CLEAR(list);
        core_raise(o->handle.state, &error);
    }
    handle_let_go(&o->handle);
    return list;
}

static PyObject *describe(PyObject *self, PyObject *unused) {
    stream_object *o = (stream_object *)self;
    nd_stream_info info = {.struct_size = sizeof info};
    nd_error error;
    (void)unused;
    nd_stream *stream = handle_hold(&o->handle);
    if (!stream) return NULL;
    PyObject *out = NULL;
    if (nd_stream_describe(stream, &info, &error) == ND_OK)
        out = Py_BuildValue(
            "{s:K,s:K,s:N,s:K,s:s,s:s,s:d,s:I,s:d}", "documents",
            (unsigned long long)info.documents, "clusters", (unsigned long long)info.clusters,
            "clock", time_of(info.clock), "bytes", (unsigned long long)info.bytes, "sketch",
            sketch_words[info.options->sketch], "mode", mode_words[info.options->mode], "threshold",
            info.options->threshold, "k", info.options->k, "expire", info.options->expire);
    else core_raise(o->handle.state, &error);
    handle_let_go(&o->handle);
    return out;
}

static PyMethodDef methods[] = {
    {"close", close_stream, METH_NOARGS, NULL},
    {"sync", sync_stream, METH_NOARGS, NULL},
    {"describe", describe, METH_NOARGS, NULL},
    {"add", add, METH_VARARGS, NULL},
    {"run", run, METH_O, NULL},
    {"clusters", clusters, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, free_stream},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The handle of a stream."},
    {0},
};

PyType_Spec stream_spec = {
    .name = "neardup._core.Stream",
    .basicsize = sizeof(stream_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
