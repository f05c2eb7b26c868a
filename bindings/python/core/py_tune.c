#include "py_tune.h"

#include "py_audit.h"
#include "py_job.h"
#include "py_similarity.h"

#include <stddef.h>
#include <string.h>

static const option tune_options[] = {
    {"measure", OPTION_CHOICE, offsetof(nd_tune_options, measure), measure_words},
    {"lowest", OPTION_DOUBLE, offsetof(nd_tune_options, lowest), NULL},
    {"sample", OPTION_U32, offsetof(nd_tune_options, sample), NULL},
    {"sample_seed", OPTION_U64, offsetof(nd_tune_options, seed), NULL},
};

/* One document of each pair. */
typedef struct side {
    array rows, lines; /* int64 */
    texts ids, sources;
} side;

typedef struct tuning {
    job *job;
    nd_tune_options options;
    nd_tune_result result;
    side a, b;
    array similarity, intersection, set_union;
} tuning;

static bool put_side(side *s, job *j, uint64_t document, const nd_named_document *named) {
    return ARRAY_PUT(&s->rows, int64_t, job_row(j, document, named->line)) &&
           ARRAY_PUT(&s->lines, int64_t, (int64_t)named->line) &&
           texts_put(&s->ids, named->id, named->id_length) &&
           texts_put(&s->sources, named->source, strlen(named->source));
}

/* nd_tuned_fn. No memory: the job is cancelled, and fails by memory. */
static bool take_document(void *context, const nd_tuned_document *document) {
    tuning *t = context;
    const nd_neighbour *earlier = &document->earlier;
    if (!document->sampled || earlier->similarity == 0) return true;
    bool good = put_side(&t->a, t->job, earlier->document, &earlier->named) &&
                put_side(&t->b, t->job, document->document, &document->named) &&
                ARRAY_PUT(&t->similarity, double, earlier->similarity) &&
                ARRAY_PUT(&t->intersection, uint64_t, earlier->intersection) &&
                ARRAY_PUT(&t->set_union, uint64_t, earlier->set_union);
    t->job->no_memory = !good;
    return good;
}

static nd_status run_tune(job *j, void *context, nd_error *error) {
    tuning *t = context;
    return nd_tune(&t->options, &t->result, &j->summary, error);
}

static PyObject *steps_of(const nd_tune_result *r) {
    PyObject *list = PyList_New(0);
    for (uint64_t i = r->first; list && i < ND_TUNE_STEPS; i++) {
        const nd_tune_step *s = &r->steps[i];
        PyObject *item = Py_BuildValue("(dNNK)", s->threshold, audit_share(&s->removed),
                                       audit_share(&s->groups), (unsigned long long)s->nearest);
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *numbers_of(const nd_tune_result *r) {
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:N}", "documents", (unsigned long long)r->documents,
                         "sampled", (unsigned long long)r->sampled, "exact_copies",
                         (unsigned long long)r->exact_copies, "sampled_copies",
                         (unsigned long long)r->sampled_copies, "steps", steps_of(r));
}

PyObject *core_tune(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    tuning t = {.job = &j, .result = {.struct_size = sizeof t.result}};
    bool done = false;
    nd_tune_options_init(&t.options, sizeof t.options);
    if (job_open(state, given, &j) && text_options_read(state, given, ND_WEIGHTING_TF, &text) &&
        OPTIONS_READ(state, given, tune_options, &t.options)) {
        t.options.input = &j.input;
        t.options.analyzer = &text.analyzer;
        t.options.resources = &j.resources;
        t.options.on_document = take_document;
        t.options.context = &t;
        done = job_run(&j, run_tune, &t);
    }
    const result_part parts[] = {
        {.name = "a", .array = &t.a.rows},
        {.name = "b", .array = &t.b.rows},
        {.name = "lines_a", .array = &t.a.lines},
        {.name = "lines_b", .array = &t.b.lines},
        {.name = "ids_a", .texts = &t.a.ids},
        {.name = "ids_b", .texts = &t.b.ids},
        {.name = "sources_a", .texts = &t.a.sources},
        {.name = "sources_b", .texts = &t.b.sources},
        {.name = "similarity", .array = &t.similarity},
        {.name = "intersection", .array = &t.intersection},
        {.name = "union", .array = &t.set_union},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    if (result && !result_put_new(result, "numbers", numbers_of(&t.result))) Py_CLEAR(result);
    text_options_free(&text);
    job_close(&j);
    return result;
}
