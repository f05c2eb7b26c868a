#include "py_tlsh.h"

#include "py_handle.h"
#include "py_job.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- digests */

typedef struct digest_options {
    uint32_t buckets, checksum;
} digest_options;

static const option digest_option_list[] = {
    {"buckets", OPTION_U32, offsetof(digest_options, buckets), NULL},
    {"checksum", OPTION_U32, offsetof(digest_options, checksum), NULL},
};

static bool variant_read(core_state *state, PyObject *given, nd_tlsh_variant *out) {
    digest_options o = {128, 1};
    if (!OPTIONS_READ(state, given, digest_option_list, &o)) return false;
    if (o.buckets != 128 && o.buckets != 256) {
        core_raise_status(state, ND_ERR_ARGUMENT, "buckets must be 128 or 256, not %u", o.buckets);
        return false;
    }
    if (o.checksum != 1 && o.checksum != 3) {
        core_raise_status(state, ND_ERR_ARGUMENT, "checksum must be 1 or 3 bytes, not %u",
                          o.checksum);
        return false;
    }
    *out = o.buckets == 128  ? o.checksum == 1 ? ND_TLSH_128_1 : ND_TLSH_128_3
           : o.checksum == 1 ? ND_TLSH_256_1
                             : ND_TLSH_256_3;
    return true;
}

PyObject *core_tlsh(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *text, *given;
    nd_tlsh_variant variant;
    nd_tlsh digest;
    size_t length = 0;
    char *own = NULL, digits[ND_TLSH_TEXT_ROOM];
    Py_ssize_t own_length;
    if (!PyArg_ParseTuple(arguments, "OO", &text, &given) || !variant_read(state, given, &variant))
        return NULL;
    const char *bytes;
    if (PyBytes_Check(text)) {
        if (PyBytes_AsStringAndSize(text, &own, &own_length) != 0) return NULL;
        bytes = own;
        length = (size_t)own_length;
    } else bytes = core_utf8(state, text, "text", &length);
    if (!bytes) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    bool made = nd_tlsh_make(variant, bytes, length, &digest);
    PyEval_RestoreThread(others);
    if (!made) return Py_NewRef(Py_None);
    return PyUnicode_FromStringAndSize(digits, (Py_ssize_t)nd_tlsh_format(&digest, digits));
}

/* ---- digests of many texts */

typedef struct digest_list {
    job *job;
    nd_tlsh_variant variant;
    texts digests; /* of rows, up to the last document */
    int64_t rows;
} digest_list;

/* nd_text_fn. Rows that are left out have the empty digest. */
static bool take_text(void *context, const nd_text *text) {
    digest_list *l = context;
    char digits[ND_TLSH_TEXT_ROOM];
    nd_tlsh digest;
    int64_t row = job_row(l->job, text->document, text->line);
    bool good = true;
    for (; good && l->rows < row; l->rows++) good = texts_put(&l->digests, "", 0);
    l->rows++;
    size_t length = 0;
    if (nd_tlsh_make(l->variant, text->text, text->length, &digest))
        length = nd_tlsh_format(&digest, digits);
    good = good && texts_put(&l->digests, digits, length);
    l->job->no_memory = !good;
    return good;
}

static nd_status make_digests(job *j, void *context, nd_error *error) {
    return nd_texts(&j->input, take_text, context, &j->resources, &j->summary, error);
}

PyObject *core_tlsh_texts(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    digest_list l = {.job = &j};
    bool done = job_open(state, given, &j) && variant_read(state, given, &l.variant) &&
                job_run(&j, make_digests, &l);
    const result_part parts[] = {{.name = "digests", .texts = &l.digests}};
    PyObject *result = JOB_RESULTS(&j, done, parts);
    job_close(&j);
    return result;
}

/* ---- distances */

/* Reads a digest of a str. false: an exception is set; it calls the digest `name`. */
static bool digest_of(core_state *state, PyObject *text, const char *name, nd_tlsh *out) {
    size_t length;
    nd_error error;
    const char *bytes = core_utf8(state, text, name, &length);
    if (!bytes) return false;
    if (nd_tlsh_parse(bytes, length, out, &error) == ND_OK) return true;
    core_raise_status(state, ND_ERR_INPUT, "%s: %s", name, error.message);
    return false;
}

PyObject *core_tlsh_distance(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    PyObject *a, *b;
    int with_length;
    nd_tlsh digests[2];
    if (!PyArg_ParseTuple(arguments, "OOp", &a, &b, &with_length) ||
        !digest_of(state, a, "a", &digests[0]) || !digest_of(state, b, "b", &digests[1]))
        return NULL;
    uint32_t distance = nd_tlsh_distance(&digests[0], &digests[1], with_length);
    return distance < UINT32_MAX
               ? PyLong_FromUnsignedLong(distance)
               : core_raise_status(state, ND_ERR_ARGUMENT,
                                   "the digests are of different variants: buckets and checksum "
                                   "must be the same");
}

/* ---- columns of digests */

typedef struct digests {
    nd_tlsh *items;
    size_t count;
} digests;

/* Reads the texts of Arrow. false: an exception is set; it names the digest. The caller frees
 * out->items in any case. */
static bool digests_read(core_state *state, const Py_buffer *offsets, const Py_buffer *bytes,
                         digests *out) {
    const int64_t *at = offsets->buf;
    const char *text = bytes->buf;
    nd_error error;
    out->count = (size_t)offsets->len / sizeof *at - 1;
    out->items = calloc(out->count + 1, sizeof *out->items);
    if (!out->items) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        size_t length = (size_t)(at[i + 1] - at[i]);
        if (nd_tlsh_parse(text + at[i], length, &out->items[i], &error) == ND_OK) continue;
        core_raise_status(state, ND_ERR_INPUT, "digest %zu: %s", i, error.message);
        return false;
    }
    return true;
}

/* ---- the index */

typedef struct index_object {
    PyObject_HEAD core_state *state;
    nd_tlsh_index *index;
} index_object;

PyObject *core_tlsh_index(PyObject *module, PyObject *arguments) {
    core_state *state = core_state_of(module);
    Py_buffer offsets, bytes;
    digests all = {NULL, 0};
    nd_error error;
    nd_tlsh_index *index = NULL;
    if (!PyArg_ParseTuple(arguments, "y*y*", &offsets, &bytes)) return NULL;
    bool good = digests_read(state, &offsets, &bytes, &all);
    PyBuffer_Release(&offsets);
    PyBuffer_Release(&bytes);
    if (good) {
        PyThreadState *others = PyEval_SaveThread();
        good = nd_tlsh_index_create(all.items, all.count, NULL, &index, &error) == ND_OK;
        PyEval_RestoreThread(others);
        if (!good) core_raise(state, &error);
    }
    free(all.items);
    index_object *o = good ? object_allocate(state->types[TYPE_TLSH_INDEX]) : NULL;
    if (!o) {
        nd_tlsh_index_free(index);
        return NULL;
    }
    o->state = state;
    o->index = index;
    return (PyObject *)o;
}

static void free_index(PyObject *self) {
    nd_tlsh_index_free(((index_object *)self)->index);
    object_free(self);
}

/* ---- searches */

enum { MOST_THREADS = 256, BETWEEN_REPORTS = 16 };

typedef struct search_options {
    uint32_t k;
    bool with_length;
    /* The queries are the digests of the index, and each pair is found once. */
    bool join;
} search_options;

static const option search_option_list[] = {
    {"k", OPTION_U32, offsetof(search_options, k), NULL},
    {"with_length", OPTION_BOOL, offsetof(search_options, with_length), NULL},
    {"join", OPTION_BOOL, offsetof(search_options, join), NULL},
};

typedef struct search {
    job *job;
    const nd_tlsh_index *index;
    search_options options;
    digests queries;
    atomic_size_t searched;
} search;

typedef struct match {
    uint32_t number, distance;
} match;

/* The part of one thread: queries [begin, end), and their matches in order. */
typedef struct search_part {
    search *search;
    pthread_t thread;
    size_t begin, end, query;
    array matches; /* of a query */
    array a, b;    /* int64 */
    array distance;
    bool no_memory;
} search_part;

/* nd_tlsh_match_fn */
static bool take_match(void *context, uint32_t number, uint32_t distance) {
    search_part *p = context;
    if (p->search->options.join && number <= p->query) return true;
    const match found = {number, distance};
    p->no_memory = !array_put(&p->matches, &found, sizeof found);
    return !p->no_memory;
}

static int by_number(const void *a, const void *b) {
    const match *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_distance(const void *a, const void *b) {
    const match *x = a, *y = b;
    return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                      : by_number(a, b);
}

/* Appends the matches of the query: of a join by number, else the nearest first. */
static void put_matches(search_part *p) {
    size_t count = p->matches.size / sizeof(match);
    match *matches = (void *)p->matches.items;
    if (count > 0)
        qsort(matches, count, sizeof *matches, p->search->options.join ? by_number : by_distance);
    for (size_t i = 0; i < count && !p->no_memory; i++)
        p->no_memory = !ARRAY_PUT(&p->a, int64_t, (int64_t)p->query) ||
                       !ARRAY_PUT(&p->b, int64_t, matches[i].number) ||
                       !ARRAY_PUT(&p->distance, uint32_t, matches[i].distance);
    p->matches.size = 0;
}

static void *search_all(void *context) {
    search_part *p = context;
    search *s = p->search;
    const nd_resources *r = &s->job->resources;
    bool go_on = true;
    nd_error error;
    for (p->query = p->begin; p->query < p->end && go_on; p->query++) {
        size_t searched = atomic_fetch_add(&s->searched, 1);
        if (searched % BETWEEN_REPORTS == 0)
            go_on = r->on_progress(r->context, ND_STAGE_MATCH, searched, s->queries.count);
        go_on = go_on &&
                nd_tlsh_index_search(s->index, &s->queries.items[p->query], s->options.k,
                                     s->options.with_length, take_match, p, &error) == ND_OK;
        if (go_on) put_matches(p);
        go_on = go_on && !p->no_memory;
    }
    return NULL;
}

typedef struct searches {
    search search;
    size_t count;
    search_part parts[MOST_THREADS];
    array a, b, distance;
} searches;

/* A part whose thread cannot be started is searched here. */
static void run_parts(searches *s) {
    size_t started = 1;
    while (started < s->count &&
           pthread_create(&s->parts[started].thread, NULL, search_all, &s->parts[started]) == 0)
        started++;
    search_all(&s->parts[0]);
    for (size_t i = started; i < s->count; i++) search_all(&s->parts[i]);
    for (size_t i = 1; i < started; i++) pthread_join(s->parts[i].thread, NULL);
}

static bool append(array *to, const array *from) {
    return from->size == 0 || array_put(to, from->items, from->size);
}

static nd_status run_searches(job *j, void *context, nd_error *error) {
    searches *s = context;
    size_t count = s->search.queries.count, threads = j->resources.threads;
    threads = threads == 0 ? 1 : threads < MOST_THREADS ? threads : MOST_THREADS;
    s->count = threads < count ? threads : count > 0 ? count : 1;
    for (size_t i = 0; i < s->count; i++)
        s->parts[i] = (search_part){
            .search = &s->search, .begin = count * i / s->count, .end = count * (i + 1) / s->count};
    run_parts(s);
    for (size_t i = 0; i < s->count; i++) {
        search_part *p = &s->parts[i];
        j->no_memory = j->no_memory || p->no_memory || !append(&s->a, &p->a) ||
                       !append(&s->b, &p->b) || !append(&s->distance, &p->distance);
        array_free(&p->matches);
        array_free(&p->a);
        array_free(&p->b);
        array_free(&p->distance);
    }
    if (!j->no_memory && !atomic_load(&j->cancelled)) return ND_OK;
    *error = (nd_error){.status = ND_ERR_CANCELLED, .message = "cancelled"};
    return ND_ERR_CANCELLED;
}

/* query(options): the matches of digests, `offsets` and `bytes`, as a dict: `a`, the number of the
 * query; `b`, that of the digest of the index; `distance`. */
static PyObject *query(PyObject *self, PyObject *given) {
    index_object *o = (index_object *)self;
    core_state *state = o->state;
    Py_buffer offsets = {0}, bytes = {0};
    PyObject *offset_item = PyDict_GetItemString(given, "offsets"),
             *byte_item = PyDict_GetItemString(given, "bytes");
    searches *s = calloc(1, sizeof *s);
    job j;
    if (!s) return PyErr_NoMemory();
    s->search = (search){.job = &j, .index = o->index, .options = {.with_length = true}};
    bool done = job_open(state, given, &j) &&
                OPTIONS_READ(state, given, search_option_list, &s->search.options) &&
                PyObject_GetBuffer(offset_item, &offsets, PyBUF_SIMPLE) == 0 &&
                PyObject_GetBuffer(byte_item, &bytes, PyBUF_SIMPLE) == 0 &&
                digests_read(state, &offsets, &bytes, &s->search.queries) &&
                job_run(&j, run_searches, s);
    if (offsets.obj) PyBuffer_Release(&offsets);
    if (bytes.obj) PyBuffer_Release(&bytes);
    const result_part parts[] = {
        {.name = "a", .array = &s->a},
        {.name = "b", .array = &s->b},
        {.name = "distance", .array = &s->distance},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    free(s->search.queries.items);
    free(s);
    job_close(&j);
    return result;
}

static PyMethodDef methods[] = {
    {"query", query, METH_O, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)free_index},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The handle of an index of TLSH digests."},
    {0},
};

PyType_Spec tlsh_index_spec = {
    .name = "neardup._core.TlshIndex",
    .basicsize = sizeof(index_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
