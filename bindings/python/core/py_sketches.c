#include "py_sketches.h"

#include "py_job.h"

#include <string.h>

/* A sketch of `width` bytes for each row; zeros for rows that are left out. */
typedef struct sketches {
    job *job;
    const void *options;
    size_t width;
    array rows;
    int64_t next; /* the row behind the last sketch */
} sketches;

static bool put(sketches *s, uint64_t document, const void *sketch) {
    static const char zeros[4096];
    int64_t row = documents_row(&s->job->documents, document);
    bool good = true;
    for (; s->next < row && good; s->next++) good = array_put(&s->rows, zeros, s->width);
    s->next = row + 1;
    good = good && array_put(&s->rows, sketch, s->width);
    s->job->no_memory = !good;
    return good;
}

/* ---- MinHash */

static bool take_signature(void *context, const nd_signed *document) {
    return put(context, document->document, document->signature);
}

static nd_status sign(job *j, void *context, nd_error *error) {
    sketches *s = context;
    return nd_signatures(s->options, take_signature, s, &j->summary, error);
}

static const option minhash_options[] = {
    {"perms", OPTION_U32, offsetof(nd_signatures_options, perms), NULL},
};

PyObject *core_minhash(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    nd_signatures_options options;
    bool done = false;
    nd_signatures_options_init(&options, sizeof options);
    options.input = &j.input;
    options.analyzer = &text.analyzer;
    options.resources = &j.resources;
    sketches s = {.job = &j, .options = &options};
    if (job_open(state, given, &j) && text_options_read(state, given, ND_WEIGHTING_TF, &text) &&
        OPTIONS_READ(state, given, minhash_options, &options)) {
        s.width = options.perms * sizeof(uint32_t);
        done = job_run(&j, sign, &s);
    }
    const result_part parts[] = {{.name = "sketches", .array = &s.rows}};
    PyObject *result = JOB_RESULTS(&j, done, parts);
    text_options_free(&text);
    job_close(&j);
    return result;
}

/* ---- SimHash */

static bool take_fingerprint(void *context, const nd_fingerprinted *document) {
    return put(context, document->document, &document->fingerprint);
}

static nd_status fingerprint(job *j, void *context, nd_error *error) {
    sketches *s = context;
    return nd_fingerprints(s->options, take_fingerprint, s, &j->summary, error);
}

PyObject *core_simhash(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    bool done = false;
    const nd_fingerprints_options options = {.struct_size = sizeof options,
                                             .input = &j.input,
                                             .analyzer = &text.analyzer,
                                             .simhash = &text.simhash,
                                             .resources = &j.resources};
    sketches s = {.job = &j, .options = &options};
    if (job_open(state, given, &j) && text_options_read(state, given, ND_WEIGHTING_TF, &text)) {
        s.width = text.simhash.bits == 128 ? sizeof(nd_fingerprint) : sizeof(uint64_t);
        done = job_run(&j, fingerprint, &s);
    }
    const result_part parts[] = {{.name = "sketches", .array = &s.rows}};
    PyObject *result = JOB_RESULTS(&j, done, parts);
    text_options_free(&text);
    job_close(&j);
    return result;
}

/* ---- plans */

PyObject *core_plan(PyObject *module, PyObject *arguments) {
    double threshold, recall;
    unsigned perms;
    nd_plan plan;
    nd_error error;
    if (!PyArg_ParseTuple(arguments, "ddI", &threshold, &recall, &perms)) return NULL;
    if (nd_plan_choose(threshold, recall, perms, &plan, &error) != ND_OK)
        return core_raise(core_state_of(module), &error);
    return Py_BuildValue("(II)", plan.bands, plan.rows);
}

PyObject *core_anchor_plan(PyObject *module, PyObject *arguments) {
    double threshold, recall;
    nd_anchor_plan plan;
    nd_error error;
    if (!PyArg_ParseTuple(arguments, "dd", &threshold, &recall)) return NULL;
    if (nd_anchor_plan_choose(threshold, recall, &plan, &error) != ND_OK)
        return core_raise(core_state_of(module), &error);
    return Py_BuildValue("(II)", plan.anchors, plan.least);
}

PyObject *core_plan_probability(PyObject *module, PyObject *arguments) {
    nd_plan plan = {0};
    double similarity;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "IId", &plan.bands, &plan.rows, &similarity)) return NULL;
    plan.perms = plan.bands * plan.rows;
    return PyFloat_FromDouble(nd_plan_probability(&plan, similarity));
}

PyObject *core_anchor_plan_probability(PyObject *module, PyObject *arguments) {
    nd_anchor_plan plan = {0};
    double containment;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "IId", &plan.anchors, &plan.least, &containment)) return NULL;
    return PyFloat_FromDouble(nd_anchor_plan_probability(&plan, containment));
}
