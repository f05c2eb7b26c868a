#include "py_audit.h"

#include "py_job.h"
#include "py_similarity.h"

#include <stddef.h>

static const option audit_options[] = {
    {"sample", OPTION_U64, offsetof(nd_audit_options, sample), NULL},
    {"sample_seed", OPTION_U64, offsetof(nd_audit_options, seed), NULL},
};

/* What is known of each missed pair. */
typedef struct audit {
    job *job;
    nd_audit_options options;
    nd_audit_result result;
    bool with_ids;
    array a, b; /* int64: rows */
    array jaccard, containment, intersection, set_union, pairs, remains;
    texts ids_a, ids_b;
} audit;

/* nd_missed_fn. No memory: the job is cancelled, and fails by memory. */
static bool take_missed(void *context, const nd_missed_pair *pair) {
    audit *a = context;
    bool good = ARRAY_PUT(&a->a, int64_t, job_row(a->job, pair->document_a, pair->line_a)) &&
                ARRAY_PUT(&a->b, int64_t, job_row(a->job, pair->document_b, pair->line_b)) &&
                ARRAY_PUT(&a->jaccard, double, pair->jaccard) &&
                ARRAY_PUT(&a->containment, double, pair->containment) &&
                ARRAY_PUT(&a->intersection, uint64_t, pair->intersection) &&
                ARRAY_PUT(&a->set_union, uint64_t, pair->set_union) &&
                ARRAY_PUT(&a->pairs, uint64_t, pair->pairs) &&
                ARRAY_PUT(&a->remains, uint8_t, pair->remains);
    if (good && a->with_ids)
        good = texts_put(&a->ids_a, pair->id_a, pair->id_a_length) &&
               texts_put(&a->ids_b, pair->id_b, pair->id_b_length);
    a->job->no_memory = !good;
    return good;
}

static nd_status run_audit(job *j, void *context, nd_error *error) {
    audit *a = context;
    return nd_audit(&a->options, &a->result, &j->summary, error);
}

PyObject *audit_share(const nd_audit_share *share) {
    return Py_BuildValue("(ddd)", share->share, share->low, share->high);
}

static PyObject *numbers_of(const nd_audit_result *r) {
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"documents", r->documents},
        {"sampled", r->sampled},
        {"true_pairs", r->true_pairs},
        {"copies", r->copies},
        {"found", r->found},
        {"missed", r->missed},
        {"bounded_comparisons", r->bounded_comparisons},
        {"removed", r->removed},
        {"wrong", r->wrong},
        {"kept", r->kept},
        {"left", r->left},
    };
    PyObject *out = PyDict_New();
    bool good = out && result_put_new(out, "recall", audit_share(&r->recall)) &&
                result_put_new(out, "precision", audit_share(&r->precision)) &&
                result_put_new(out, "clean", audit_share(&r->clean)) &&
                result_put_new(out, "promised", PyFloat_FromDouble(r->promised));
    for (size_t i = 0; good && i < sizeof counts / sizeof *counts; i++)
        good = result_put_new(out, counts[i].name, PyLong_FromUnsignedLongLong(counts[i].value));
    if (!good) Py_CLEAR(out);
    return out;
}

PyObject *core_audit(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    similarity similar = {.protect = NULL};
    audit a = {.job = &j, .with_ids = PyDict_GetItemString(given, "with_ids") == Py_True};
    bool done = false;
    a.result.struct_size = sizeof a.result;
    nd_audit_options_init(&a.options, sizeof a.options);
    if (job_open(state, given, &j) && similarity_read(state, given, &similar) &&
        OPTIONS_READ(state, given, audit_options, &a.options)) {
        a.options.input = &j.input;
        a.options.similarity = &similar.options;
        a.options.survivors = &similar.survivors;
        a.options.resources = &j.resources;
        a.options.on_missed = take_missed;
        a.options.context = &a;
        done = job_run(&j, run_audit, &a);
    }
    const result_part parts[] = {
        {.name = "a", .array = &a.a},
        {.name = "b", .array = &a.b},
        {.name = "jaccard", .array = &a.jaccard},
        {.name = "containment", .array = &a.containment},
        {.name = "intersection", .array = &a.intersection},
        {.name = "union", .array = &a.set_union},
        {.name = "pairs", .array = &a.pairs},
        {.name = "remains", .array = &a.remains},
        {.name = "ids_a", .texts = &a.ids_a},
        {.name = "ids_b", .texts = &a.ids_b},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    if (result && !result_put_new(result, "numbers", numbers_of(&a.result))) Py_CLEAR(result);
    similarity_free(&similar);
    job_close(&j);
    return result;
}
