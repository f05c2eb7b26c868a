#include "py_dedup.h"

#include "py_index.h"
#include "py_job.h"
#include "py_losses.h"
#include "py_review.h"
#include "py_similarity.h"

#include <stddef.h>

/* ---- dedup */

static const option index_options[] = {
    {"index_path", OPTION_TEXT, offsetof(nd_index_use, path), NULL},
    {"replace", OPTION_BOOL, offsetof(nd_index_use, replace), NULL},
    {"resume", OPTION_BOOL, offsetof(nd_index_use, resume), NULL},
};

static const char *const output_format_words[] = {"auto", "json-lines", "json", "csv", "tsv", NULL};

static const option output_options[] = {
    {"output", OPTION_TEXT, offsetof(nd_output_options, kept), NULL},
    {"removed", OPTION_TEXT, offsetof(nd_output_options, removed), NULL},
    {"clusters", OPTION_TEXT, offsetof(nd_output_options, clusters), NULL},
    {"edges", OPTION_TEXT, offsetof(nd_output_options, edges), NULL},
    {"removed_records", OPTION_TEXT, offsetof(nd_output_options, removed_records), NULL},
    {"mark", OPTION_BOOL, offsetof(nd_output_options, mark), NULL},
    {"shard_size", OPTION_U64, offsetof(nd_output_options, shard_size), NULL},
    {"output_format", OPTION_CHOICE, offsetof(nd_output_options, format), output_format_words},
    {"losses_by", OPTION_TEXT, offsetof(nd_output_options, losses_by), NULL},
};

/* What is known of each removed document, in the order of input. */
typedef struct dedup {
    job *job;
    nd_dedup_options options;
    nd_exact_options exact;
    nd_output_options outputs;
    nd_index_use use;
    PyObject *index; /* the object that is held; NULL: none */
    bool with_ids;
    array rows, kept_rows; /* int64; -1: the kept document is in the index */
    array jaccard, containment, cosine, intersection, set_union, distance;
    texts ids; /* of all rows, up to the last document */
    int64_t id_rows;
    texts indexed; /* ids of kept documents of the index */
    losses losses;
} dedup;

static bool put_removed(dedup *d, const nd_decision *decision) {
    int64_t row = job_row(d->job, decision->document, decision->line);
    int64_t kept = decision->indexed ? -1
                                     : job_row(d->job, decision->evidence, decision->evidence_line);
    if (decision->indexed &&
        !texts_put(&d->indexed, decision->evidence_id, decision->evidence_id_length))
        return false;
    return ARRAY_PUT(&d->rows, int64_t, row) && ARRAY_PUT(&d->kept_rows, int64_t, kept) &&
           ARRAY_PUT(&d->jaccard, double, decision->jaccard) &&
           ARRAY_PUT(&d->containment, double, decision->containment) &&
           ARRAY_PUT(&d->cosine, double, decision->cosine) &&
           ARRAY_PUT(&d->intersection, uint64_t, decision->intersection) &&
           ARRAY_PUT(&d->set_union, uint64_t, decision->set_union) &&
           ARRAY_PUT(&d->distance, uint32_t, decision->distance);
}

/* Rows that are left out have the empty id. */
static bool put_id(dedup *d, const nd_decision *decision) {
    int64_t row = job_row(d->job, decision->document, decision->line);
    bool good = true;
    for (; good && d->id_rows < row; d->id_rows++) good = texts_put(&d->ids, "", 0);
    d->id_rows++;
    return good && texts_put(&d->ids, decision->id, decision->id_length);
}

/* nd_decision_fn. No memory: the job is cancelled, and fails by memory. */
static bool take_decision(void *context, const nd_decision *decision) {
    dedup *d = context;
    bool good = !d->with_ids || put_id(d, decision);
    if (good && !decision->kept) good = put_removed(d, decision);
    d->job->no_memory = !good;
    return good;
}

/* nd_losses_fn */
static bool take_losses(void *context, const nd_losses *found) {
    dedup *d = context;
    d->job->no_memory = !losses_take(&d->losses, &d->job->documents, found);
    return !d->job->no_memory;
}

static nd_status run_dedup(job *j, void *context, nd_error *error) {
    dedup *d = context;
    return nd_dedup(&d->options, &j->summary, error);
}

static nd_status run_exact(job *j, void *context, nd_error *error) {
    dedup *d = context;
    return nd_exact(&d->exact, &j->summary, error);
}

/* Has the outputs tell all that a result has. */
static void take_all(dedup *d, const review_table *review) {
    d->outputs.on_decision = take_decision;
    d->outputs.on_losses = take_losses;
    d->outputs.context = d;
    d->outputs.review = review->path;
}

/* Takes the index, if one is given; `finish` lets it go. *out stays NULL if there is none. */
static bool take_index(core_state *state, PyObject *given, dedup *d, const nd_index_use **out) {
    PyObject *index = PyDict_GetItemString(given, "index_handle");
    d->use.struct_size = sizeof d->use;
    if (!OPTIONS_READ(state, given, index_options, &d->use)) return false;
    if (index && !index_hold(state, index, &d->use.index)) return false;
    d->index = index;
    if (d->use.path || d->use.index) *out = &d->use;
    return true;
}

/* The dict of a job's results. Frees all that was collected, and lets the index go. */
static PyObject *finish(core_state *state, dedup *d, bool done, review_table *review) {
    const result_part parts[] = {
        {.name = "rows", .array = &d->rows},
        {.name = "kept_rows", .array = &d->kept_rows},
        {.name = "jaccard", .array = &d->jaccard},
        {.name = "containment", .array = &d->containment},
        {.name = "cosine", .array = &d->cosine},
        {.name = "intersection", .array = &d->intersection},
        {.name = "union", .array = &d->set_union},
        {.name = "distance", .array = &d->distance},
        {.name = "indexed", .texts = &d->indexed},
        {.name = "ids", .texts = &d->ids},
    };
    if (d->index) index_let_go(d->index);
    PyObject *result = JOB_RESULTS(d->job, done, parts);
    if (result && (!result_put_new(result, "losses", losses_list(&d->losses, &d->job->documents)) ||
                   !result_put_new(result, "review", review_table_bytes(state, review))))
        Py_CLEAR(result);
    review_table_close(review);
    losses_free(&d->losses);
    return result;
}

PyObject *core_dedup(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    similarity similar = {.protect = NULL};
    dedup d = {.job = &j, .with_ids = PyDict_GetItemString(given, "with_ids") == Py_True};
    review_table review = {.descriptor = -1};
    bool done = false;
    d.outputs.struct_size = sizeof d.outputs;
    d.options = (nd_dedup_options){.struct_size = sizeof d.options,
                                   .input = &j.input,
                                   .similarity = &similar.options,
                                   .survivors = &similar.survivors,
                                   .outputs = &d.outputs,
                                   .resources = &j.resources};
    if (job_open(state, given, &j) && similarity_read(state, given, &similar) &&
        OPTIONS_READ(state, given, output_options, &d.outputs) &&
        review_table_open(state, &review) && take_index(state, given, &d, &d.options.index)) {
        take_all(&d, &review);
        done = job_run(&j, run_dedup, &d);
    }
    PyObject *result = finish(state, &d, done, &review);
    similarity_free(&similar);
    job_close(&j);
    return result;
}

/* ---- exact */

static const option exact_options[] = {
    {"by", OPTION_CHOICE, offsetof(nd_exact_options, by), equal_words},
};

PyObject *core_exact(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    similarity similar = {.protect = NULL};
    dedup d = {.job = &j, .with_ids = PyDict_GetItemString(given, "with_ids") == Py_True};
    review_table review = {.descriptor = -1};
    bool done = false;
    d.outputs.struct_size = sizeof d.outputs;
    d.exact = (nd_exact_options){.struct_size = sizeof d.exact,
                                 .input = &j.input,
                                 .analyzer = &similar.text.analyzer,
                                 .survivors = &similar.survivors,
                                 .outputs = &d.outputs,
                                 .resources = &j.resources};
    if (job_open(state, given, &j) && similarity_read(state, given, &similar) &&
        OPTIONS_READ(state, given, exact_options, &d.exact) &&
        OPTIONS_READ(state, given, output_options, &d.outputs) &&
        review_table_open(state, &review) && take_index(state, given, &d, &d.exact.index)) {
        take_all(&d, &review);
        done = job_run(&j, run_exact, &d);
    }
    PyObject *result = finish(state, &d, done, &review);
    similarity_free(&similar);
    job_close(&j);
    return result;
}

/* ---- pairs */

typedef struct pairs {
    job *job;
    nd_pairs_options options;
    bool with_ids;
    array a, b; /* int64: rows */
    array jaccard, containment, cosine, intersection, set_union, distance;
    texts ids_a, ids_b;
} pairs;

static bool take_pair(void *context, const nd_pair *pair) {
    pairs *p = context;
    bool good = ARRAY_PUT(&p->a, int64_t, job_row(p->job, pair->document_a, pair->line_a)) &&
                ARRAY_PUT(&p->b, int64_t, job_row(p->job, pair->document_b, pair->line_b)) &&
                ARRAY_PUT(&p->jaccard, double, pair->jaccard) &&
                ARRAY_PUT(&p->containment, double, pair->containment) &&
                ARRAY_PUT(&p->cosine, double, pair->cosine) &&
                ARRAY_PUT(&p->intersection, uint64_t, pair->intersection) &&
                ARRAY_PUT(&p->set_union, uint64_t, pair->set_union) &&
                ARRAY_PUT(&p->distance, uint32_t, pair->distance);
    if (good && p->with_ids)
        good = texts_put(&p->ids_a, pair->id_a, pair->id_a_length) &&
               texts_put(&p->ids_b, pair->id_b, pair->id_b_length);
    p->job->no_memory = !good;
    return good;
}

static nd_status run_pairs(job *j, void *context, nd_error *error) {
    pairs *p = context;
    return nd_pairs(&p->options, &j->summary, error);
}

PyObject *core_pairs(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    similarity similar = {.protect = NULL};
    pairs p = {.job = &j, .with_ids = PyDict_GetItemString(given, "with_ids") == Py_True};
    bool done = false;
    if (job_open(state, given, &j) && similarity_read(state, given, &similar)) {
        p.options = (nd_pairs_options){.struct_size = sizeof p.options,
                                       .input = &j.input,
                                       .similarity = &similar.options,
                                       .on_pair = take_pair,
                                       .context = &p,
                                       .resources = &j.resources};
        done = job_run(&j, run_pairs, &p);
    }
    const result_part parts[] = {
        {.name = "a", .array = &p.a},
        {.name = "b", .array = &p.b},
        {.name = "jaccard", .array = &p.jaccard},
        {.name = "containment", .array = &p.containment},
        {.name = "cosine", .array = &p.cosine},
        {.name = "intersection", .array = &p.intersection},
        {.name = "union", .array = &p.set_union},
        {.name = "distance", .array = &p.distance},
        {.name = "ids_a", .texts = &p.ids_a},
        {.name = "ids_b", .texts = &p.ids_b},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    similarity_free(&similar);
    job_close(&j);
    return result;
}

/* ---- presets */

PyObject *core_preset(PyObject *module, PyObject *name) {
    static const char *const kinds[] = {"words", "chars", "segment"};
    core_state *state = core_state_of(module);
    nd_analyzer_options analyzer;
    nd_similarity_options similar;
    nd_error error;
    size_t length;
    const char *text = core_utf8(state, name, "preset", &length);
    if (!text) return NULL;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    nd_similarity_options_init(&similar, sizeof similar);
    if (nd_preset(text, &analyzer, &similar, &error) != ND_OK) return core_raise(state, &error);
    return Py_BuildValue("{s:d,s:d,s:I,s:s,s:I}", "threshold", similar.threshold, "recall",
                         similar.recall, "perms", (unsigned)similar.perms, "analyzer",
                         kinds[analyzer.kind], "ngram", (unsigned)analyzer.ngram);
}
