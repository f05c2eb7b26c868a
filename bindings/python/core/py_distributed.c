#include "py_distributed.h"

#include "py_handle.h"
#include "py_job.h"

#include <stddef.h>
#include <string.h>

/* ---- sketches of documents */

/* A row per document; documents that are left out have none. */
typedef struct sketches {
    job *job;
    nd_signatures_options options;
    array rows;   /* int64 */
    array hashes; /* two uint64 a document */
    array bands;  /* uint64 a band */
    array bytes;  /* a byte a permutation */
    texts sets;
} sketches;

static bool take_sketch(void *context, const nd_signed *document) {
    sketches *s = context;
    uint8_t bytes[1024];
    for (uint32_t i = 0; i < s->options.perms; i++) bytes[i] = (uint8_t)document->signature[i];
    bool good = ARRAY_PUT(&s->rows, int64_t,
                          documents_row(&s->job->documents, document->document)) &&
                array_put(&s->hashes, document->text_hash, sizeof document->text_hash) &&
                array_put(&s->bands, document->keys, s->options.bands * sizeof *document->keys) &&
                array_put(&s->bytes, bytes, s->options.perms) &&
                texts_put(&s->sets, (const char *)document->set,
                          document->set_size * sizeof *document->set);
    s->job->no_memory = !good;
    return good;
}

static nd_status run_sketches(job *j, void *context, nd_error *error) {
    sketches *s = context;
    return nd_signatures(&s->options, take_sketch, s, &j->summary, error);
}

static const option sketch_options[] = {
    {"perms", OPTION_U32, offsetof(nd_signatures_options, perms), NULL},
    {"bands", OPTION_U32, offsetof(nd_signatures_options, bands), NULL},
    {"rows", OPTION_U32, offsetof(nd_signatures_options, rows), NULL},
};

PyObject *core_sketch(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    sketches s = {.job = &j};
    nd_signatures_options_init(&s.options, sizeof s.options);
    s.options.input = &j.input;
    s.options.analyzer = &text.analyzer;
    s.options.resources = &j.resources;
    s.options.with_sets = true;
    bool done = job_open(state, given, &j) &&
                text_options_read(state, given, ND_WEIGHTING_TF, &text) &&
                OPTIONS_READ(state, given, sketch_options, &s.options) &&
                job_run(&j, run_sketches, &s);
    const result_part parts[] = {
        {.name = "rows", .array = &s.rows},   {.name = "hashes", .array = &s.hashes},
        {.name = "bands", .array = &s.bands}, {.name = "sketches", .array = &s.bytes},
        {.name = "sets", .texts = &s.sets},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    text_options_free(&text);
    job_close(&j);
    return result;
}

/* ---- arrays of Python */

/* Arrays that a call reads, each as its bytes. */
typedef struct arrays {
    Py_buffer views[8];
    size_t count;
} arrays;

static void arrays_close(arrays *a) {
    for (size_t i = 0; i < a->count; i++) PyBuffer_Release(&a->views[i]);
    a->count = 0;
}

/* Opens the items of a tuple from `first` on. false: an exception is set. */
static bool arrays_open(PyObject *tuple, Py_ssize_t first, arrays *a) {
    *a = (arrays){0};
    if (PyTuple_Size(tuple) - first > (Py_ssize_t)(sizeof a->views / sizeof *a->views)) {
        PyErr_SetString(PyExc_TypeError, "too many arrays");
        return false;
    }
    for (Py_ssize_t i = first; i < PyTuple_Size(tuple); i++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(tuple, i), &a->views[a->count], PyBUF_SIMPLE) != 0) {
            arrays_close(a);
            return false;
        }
        a->count++;
    }
    return true;
}

/* Documents, as three arrays: sketches, offsets of the sets in bytes (one more than documents),
 * sets of uint64. */
typedef struct document_arrays {
    const uint8_t *sketches;
    const int64_t *offsets;
    const unsigned char *sets;
    size_t count;
    uint32_t perms;
} document_arrays;

/* false: an exception is set, because the arrays do not belong together. */
static bool documents_of(core_state *state, const Py_buffer *views, uint32_t perms,
                         document_arrays *out) {
    *out = (document_arrays){views[0].buf, views[1].buf, views[2].buf,
                             (size_t)views[1].len / sizeof(int64_t), perms};
    bool good = out->count > 0;
    out->count -= good;
    good = good && (size_t)views[0].len == out->count * perms && out->offsets[0] >= 0 &&
           out->offsets[out->count] <= views[2].len && (uintptr_t)views[2].buf % 8 == 0;
    for (size_t i = 0; good && i <= out->count; i++)
        good = out->offsets[i] % 8 == 0 && (i == 0 || out->offsets[i - 1] <= out->offsets[i]);
    if (!good) core_raise_status(state, ND_ERR_ARGUMENT, "sketches, offsets and sets do not fit");
    return good;
}

static nd_sketched document_at(const document_arrays *d, size_t i) {
    return (nd_sketched){d->sketches + i * d->perms,
                         (const uint64_t *)(const void *)(d->sets + d->offsets[i]),
                         (size_t)(d->offsets[i + 1] - d->offsets[i]) / sizeof(uint64_t)};
}

/* ---- pairs */

/* Reads the threshold and the permutations, and opens the arrays behind them. The caller calls
 * nd_set_verifier_free and arrays_close in any case. false: an exception is set. */
static bool verifier_open(core_state *state, PyObject *arguments, size_t array_count,
                          nd_set_verifier **verifier, uint32_t *perms, arrays *a) {
    nd_error error;
    *verifier = NULL;
    *a = (arrays){0};
    if (PyTuple_Size(arguments) != (Py_ssize_t)array_count + 2) {
        core_raise_status(state, ND_ERR_ARGUMENT, "%zu arrays are wanted", array_count);
        return false;
    }
    double threshold = PyFloat_AsDouble(PyTuple_GetItem(arguments, 0));
    unsigned long number = PyLong_AsUnsignedLong(PyTuple_GetItem(arguments, 1));
    *perms = number <= UINT32_MAX ? (uint32_t)number : 0; /* 0 is refused */
    if (PyErr_Occurred() || !arrays_open(arguments, 2, a)) return false;
    if (nd_set_verifier_create(threshold, *perms, NULL, verifier, &error) == ND_OK) return true;
    core_raise(state, &error);
    return false;
}

/* near(threshold, perms, sketches, sketches): a byte a pair, 1: they may be similar enough. */
PyObject *core_near(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    arrays a;
    nd_set_verifier *verifier;
    uint32_t perms;
    PyObject *result = NULL;
    if (verifier_open(state, arguments, 2, &verifier, &perms, &a)) {
        if (a.views[0].len == a.views[1].len && a.views[0].len % (Py_ssize_t)perms == 0)
            result = PyBytes_FromStringAndSize(NULL, a.views[0].len / (Py_ssize_t)perms);
        else core_raise_status(state, ND_ERR_ARGUMENT, "the sketches are not pairs");
    }
    if (result) {
        const uint8_t *one = a.views[0].buf, *other = a.views[1].buf;
        char *near = PyBytes_AsString(result);
        size_t count = (size_t)a.views[0].len / perms;
        PyThreadState *others = PyEval_SaveThread();
        for (size_t i = 0; i < count; i++)
            near[i] = nd_set_verifier_near(verifier, one + i * perms, other + i * perms);
        PyEval_RestoreThread(others);
    }
    nd_set_verifier_free(verifier);
    arrays_close(&a);
    return result;
}

static nd_status verify(nd_set_verifier *verifier, const document_arrays *a,
                        const document_arrays *b, uint64_t *counts, nd_error *error) {
    for (size_t i = 0; i < a->count; i++) {
        nd_sketched one = document_at(a, i), other = document_at(b, i);
        nd_overlap overlap;
        bool duplicate;
        nd_set_verifier_begin(verifier, &one);
        nd_status status = nd_set_verifier_compare(verifier, &other, &duplicate, &overlap, error);
        if (status != ND_OK) return status;
        counts[2 * i] = duplicate ? overlap.intersection : 0;
        counts[2 * i + 1] = duplicate ? overlap.size_a + overlap.size_b - overlap.intersection
                                      : UINT64_MAX;
    }
    return ND_OK;
}

/* verify(threshold, perms, documents, documents): two uint64 a pair, intersection and union; a
 * union of 2^64 - 1: the pair is no duplicate. Documents are three arrays each. */
PyObject *core_verify(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    arrays a;
    document_arrays one, other;
    nd_set_verifier *verifier;
    nd_error error;
    uint32_t perms;
    PyObject *result = NULL;
    if (verifier_open(state, arguments, 6, &verifier, &perms, &a) &&
        documents_of(state, a.views, perms, &one) &&
        documents_of(state, a.views + 3, perms, &other)) {
        if (one.count == other.count)
            result = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(16 * one.count));
        else core_raise_status(state, ND_ERR_ARGUMENT, "the documents are not pairs");
    }
    if (result) {
        uint64_t *counts = (uint64_t *)(void *)PyByteArray_AsString(result);
        PyThreadState *others = PyEval_SaveThread();
        nd_status status = verify(verifier, &one, &other, counts, &error);
        PyEval_RestoreThread(others);
        if (status != ND_OK) {
            core_raise(state, &error);
            Py_CLEAR(result);
        }
    }
    nd_set_verifier_free(verifier);
    arrays_close(&a);
    return result;
}

/* ---- handles */

typedef struct handle_object {
    PyObject_HEAD handle handle;
    uint32_t perms;
} handle_object;

static PyObject *wrap(core_state *state, PyTypeObject *type, const char *kind, void *pointer) {
    handle_object *o = object_allocate(type);
    if (!o) return NULL;
    handle_init(&o->handle, state, kind, true);
    o->handle.pointer = pointer;
    return (PyObject *)o;
}

/* ---- large buckets */

PyObject *core_large_buckets(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    double threshold;
    unsigned perms, max_compare;
    nd_large_buckets *buckets;
    nd_error error;
    if (!PyArg_ParseTuple(arguments, "dII", &threshold, &perms, &max_compare)) return NULL;
    if (nd_large_buckets_create(threshold, perms, max_compare, NULL, &buckets, &error) != ND_OK)
        return core_raise(state, &error);
    PyObject *o = wrap(state, state->types[TYPE_LARGE_BUCKETS], "set of buckets", buckets);
    if (o) ((handle_object *)o)->perms = perms;
    else nd_large_buckets_free(buckets);
    return o;
}

static void free_large_buckets(PyObject *self) {
    handle_object *o = (handle_object *)self;
    nd_large_buckets_free(o->handle.pointer);
    handle_destroy(&o->handle);
    object_free(self);
}

/* The answers of the members of a call. */
typedef struct answers {
    array member;                                     /* uint64; of add_all */
    array found, listed;                              /* uint8 */
    array earlier, intersection, set_union, left_out; /* uint64 */
} answers;

static bool put_answer(answers *out, const nd_bucket_answer *a) {
    const nd_overlap *o = &a->overlap;
    return ARRAY_PUT(&out->found, uint8_t, a->found) &&
           ARRAY_PUT(&out->listed, uint8_t, a->listed) &&
           ARRAY_PUT(&out->earlier, uint64_t, a->earlier) &&
           ARRAY_PUT(&out->intersection, uint64_t, o->intersection) &&
           ARRAY_PUT(&out->set_union, uint64_t, o->size_a + o->size_b - o->intersection) &&
           ARRAY_PUT(&out->left_out, uint64_t, a->left_out);
}

/* The members of a call: documents, assumptions (a byte each), offsets of the buckets, buckets. */
typedef struct member_arrays {
    document_arrays documents;
    const uint64_t *numbers;
    const uint8_t *assumed;
    const int64_t *bucket_offsets;
    const uint32_t *buckets;
} member_arrays;

static nd_bucket_member member_at(const member_arrays *m, size_t i) {
    const int64_t *at = m->bucket_offsets + i;
    return (nd_bucket_member){.document = m->numbers[i],
                              .buckets = m->buckets + at[0],
                              .bucket_count = (size_t)(at[1] - at[0]),
                              .sketched = document_at(&m->documents, i),
                              .assumed = (nd_assumed)m->assumed[i]};
}

static nd_status no_memory(nd_error *error) {
    *error = (nd_error){.status = ND_ERR_MEMORY, .message = "no memory for the results"};
    return ND_ERR_MEMORY;
}

/* An answer for each member: the first duplicate. */
static nd_status add_members(nd_large_buckets *buckets, const member_arrays *m, answers *out,
                             nd_error *error) {
    for (size_t i = 0; i < m->documents.count; i++) {
        const nd_bucket_member member = member_at(m, i);
        nd_bucket_answer answer;
        nd_status status = nd_large_buckets_add(buckets, &member, &answer, error);
        if (status != ND_OK) return status;
        if (!put_answer(out, &answer)) return no_memory(error);
    }
    return ND_OK;
}

typedef struct pair_taker {
    answers *out;
    size_t member;
    bool no_memory;
} pair_taker;

/* nd_bucket_pair_fn */
static bool take_pair(void *context, uint64_t earlier, const nd_overlap *overlap) {
    pair_taker *t = context;
    const nd_bucket_answer answer = {.found = true, .earlier = earlier, .overlap = *overlap};
    t->no_memory = !ARRAY_PUT(&t->out->member, uint64_t, t->member) || !put_answer(t->out, &answer);
    return !t->no_memory;
}

/* An answer for each pair of duplicates, and one without a duplicate for each member whose
 * comparisons were left out. */
static nd_status add_all_members(nd_large_buckets *buckets, const member_arrays *m, answers *out,
                                 nd_error *error) {
    for (size_t i = 0; i < m->documents.count; i++) {
        const nd_bucket_member member = member_at(m, i);
        pair_taker taker = {.out = out, .member = i};
        nd_bucket_answer rest = {0};
        nd_status status = nd_large_buckets_add_all(buckets, &member, take_pair, &taker,
                                                    &rest.left_out, error);
        if (taker.no_memory) return no_memory(error);
        if (status != ND_OK) return status;
        if (rest.left_out > 0 && !(ARRAY_PUT(&out->member, uint64_t, i) && put_answer(out, &rest)))
            return no_memory(error);
    }
    return ND_OK;
}

static bool members_of(core_state *state, const arrays *a, uint32_t perms, member_arrays *out) {
    if (a->count == 7 && !documents_of(state, a->views + 4, perms, &out->documents)) return false;
    size_t count = a->count == 7 ? out->documents.count : 0;
    out->numbers = a->views[0].buf;
    out->assumed = a->views[1].buf;
    out->bucket_offsets = a->views[2].buf;
    out->buckets = a->views[3].buf;
    bool good = a->count == 7 && (size_t)a->views[0].len == 8 * count &&
                (size_t)a->views[1].len == count && (size_t)a->views[2].len == 8 * (count + 1) &&
                out->bucket_offsets[0] >= 0 && 4 * out->bucket_offsets[count] <= a->views[3].len;
    for (size_t i = 0; good && i < count; i++)
        good = out->bucket_offsets[i] <= out->bucket_offsets[i + 1];
    if (!good) core_raise_status(state, ND_ERR_ARGUMENT, "the arrays of members do not fit");
    return good;
}

typedef nd_status add_fn(nd_large_buckets *buckets, const member_arrays *m, answers *out,
                         nd_error *error);

static PyObject *add_by(PyObject *self, PyObject *arguments, add_fn *add) {
    handle_object *o = (handle_object *)self;
    core_state *state = o->handle.state;
    arrays a;
    member_arrays members;
    answers found = {0};
    nd_error error;
    PyObject *out = NULL;
    if (!arrays_open(arguments, 0, &a)) return NULL;
    nd_large_buckets *buckets = members_of(state, &a, o->perms, &members) ? handle_hold(&o->handle)
                                                                          : NULL;
    if (buckets) {
        PyThreadState *others = PyEval_SaveThread();
        nd_status status = add(buckets, &members, &found, &error);
        PyEval_RestoreThread(others);
        handle_let_go(&o->handle);
        if (status != ND_OK) core_raise(state, &error);
        else out = PyDict_New();
    }
    const result_part parts[] = {{.name = "member", .array = &found.member},
                                 {.name = "found", .array = &found.found},
                                 {.name = "listed", .array = &found.listed},
                                 {.name = "earlier", .array = &found.earlier},
                                 {.name = "intersection", .array = &found.intersection},
                                 {.name = "union", .array = &found.set_union},
                                 {.name = "left_out", .array = &found.left_out}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (out && !result_put(state, out, parts + i)) Py_CLEAR(out);
        result_free(parts + i);
    }
    arrays_close(&a);
    return out;
}

/* add(numbers, assumed, bucket_offsets, buckets, sketches, set_offsets, sets): a dict of arrays
 * with a value for each member. */
static PyObject *add(PyObject *self, PyObject *arguments) {
    return add_by(self, arguments, add_members);
}

/* The same arguments; a value for each pair, with the place of its member. */
static PyObject *add_all(PyObject *self, PyObject *arguments) {
    return add_by(self, arguments, add_all_members);
}

static PyMethodDef large_buckets_methods[] = {
    {"add", add, METH_VARARGS, NULL}, {"add_all", add_all, METH_VARARGS, NULL}, {0}};

static PyType_Slot large_buckets_slots[] = {
    {Py_tp_dealloc, (void *)free_large_buckets},
    {Py_tp_methods, large_buckets_methods},
    {Py_tp_doc, "Large buckets whose members come in order."},
    {0},
};

PyType_Spec large_buckets_spec = {
    .name = "neardup._core.LargeBuckets",
    .basicsize = sizeof(handle_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = large_buckets_slots,
};

/* ---- edges */

PyObject *core_edge_decider(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    unsigned long long count;
    nd_edge_decider *decider;
    nd_error error;
    if (!PyArg_ParseTuple(arguments, "K", &count)) return NULL;
    if (nd_edge_decider_create(count, NULL, &decider, &error) != ND_OK)
        return core_raise(state, &error);
    PyObject *o = wrap(state, state->types[TYPE_EDGE_DECIDER], "decider", decider);
    if (!o) nd_edge_decider_free(decider);
    return o;
}

static void free_edge_decider(PyObject *self) {
    handle_object *o = (handle_object *)self;
    nd_edge_decider_free(o->handle.pointer);
    handle_destroy(&o->handle);
    object_free(self);
}

/* take(edges): edges are pairs of uint64, later and earlier. A byte an edge, 1: it decides. */
static PyObject *take(PyObject *self, PyObject *edges) {
    handle_object *o = (handle_object *)self;
    core_state *state = o->handle.state;
    Py_buffer view;
    nd_error error;
    if (PyObject_GetBuffer(edges, &view, PyBUF_SIMPLE) != 0) return NULL;
    size_t count = (size_t)view.len / sizeof(nd_edge);
    PyObject *result = NULL;
    if (count * sizeof(nd_edge) == (size_t)view.len)
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count);
    else core_raise_status(state, ND_ERR_ARGUMENT, "the edges are not pairs of numbers");
    nd_edge_decider *decider = result ? handle_hold(&o->handle) : NULL;
    if (decider) {
        bool *decides = (bool *)PyBytes_AsString(result);
        PyThreadState *others = PyEval_SaveThread();
        nd_status status = nd_edge_decider_take(decider, view.buf, count, decides, &error);
        PyEval_RestoreThread(others);
        handle_let_go(&o->handle);
        if (status != ND_OK) core_raise(state, &error);
    }
    if (PyErr_Occurred()) Py_CLEAR(result);
    PyBuffer_Release(&view);
    return result;
}

static PyMethodDef edge_decider_methods[] = {{"take", take, METH_O, NULL}, {0}};

static PyType_Slot edge_decider_slots[] = {
    {Py_tp_dealloc, (void *)free_edge_decider},
    {Py_tp_methods, edge_decider_methods},
    {Py_tp_doc, "Decides documents by their edges."},
    {0},
};

PyType_Spec edge_decider_spec = {
    .name = "neardup._core.EdgeDecider",
    .basicsize = sizeof(handle_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = edge_decider_slots,
};
