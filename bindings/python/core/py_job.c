#include "py_job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- opening */

static const char *const invalid_words[] = {"fail", "replace", "skip", NULL};
static const char *const format_words[] = {"auto", "json-lines", "json",    "csv", "tsv",
                                           "text", "warc",       "parquet", NULL};
static const char *const html_words[] = {"auto", "source", "text", "main", NULL};
static const char *const error_words[] = {"fail", "skip", NULL};

typedef struct job_options {
    const char *work;
    int on_error;
} job_options;

static const option resource_options[] = {
    {"memory", OPTION_U64, offsetof(nd_resources, memory), NULL},
    {"threads", OPTION_U32, offsetof(nd_resources, threads), NULL},
    {"work", OPTION_TEXT, offsetof(nd_resources, work), NULL},
};

static const option input_options[] = {
    {"max_record", OPTION_U64, offsetof(nd_input_options, max_record), NULL},
    {"invalid", OPTION_CHOICE, offsetof(nd_input_options, invalid), invalid_words},
    {"follow", OPTION_BOOL, offsetof(nd_input_options, follow_links), NULL},
};

static const option file_options[] = {
    {"format", OPTION_CHOICE, offsetof(nd_input_options, format), format_words},
    {"id", OPTION_TEXT, offsetof(nd_input_options, id_field), NULL},
    {"html", OPTION_CHOICE, offsetof(nd_input_options, html), html_words},
    {"encoding", OPTION_TEXT, offsetof(nd_input_options, encoding), NULL},
    {"hidden", OPTION_BOOL, offsetof(nd_input_options, hidden), NULL},
    {"ignore_digests", OPTION_BOOL, offsetof(nd_input_options, ignore_digests), NULL},
    {"duckdb", OPTION_TEXT, offsetof(nd_input_options, duckdb), NULL},
};

static const option error_options[] = {
    {"on_error", OPTION_CHOICE, offsetof(job_options, on_error), error_words},
};

/* `paths`: a list of bytes. */
static bool take_paths(job *j, PyObject *paths) {
    Py_ssize_t count = PyList_Size(paths);
    j->paths = calloc((size_t)count + 1, sizeof *j->paths);
    if (!j->paths) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        j->paths[i] = PyBytes_AsString(PyList_GetItem(paths, i));
        if (!j->paths[i]) return false;
    }
    Py_INCREF(paths);
    j->path_bytes = paths;
    j->input.inputs = j->paths;
    j->input.input_count = (size_t)count;
    return true;
}

/* `texts`, a list of fields, or `text`, one field; and `globs`. */
static bool take_lists(job *j, PyObject *given) {
    PyObject *text = PyDict_GetItemString(given, "texts");
    PyObject *globs = PyDict_GetItemString(given, "globs");
    if (!text) text = PyDict_GetItemString(given, "text");
    if (text && !strings_read(text, &j->text_fields, &j->input.text_field_count)) return false;
    if (text) j->input.text_fields = j->text_fields;
    if (globs && !strings_read(globs, &j->globs, &j->input.glob_count)) return false;
    j->input.globs = j->globs;
    return true;
}

static bool on_progress(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    job *j = context;
    pthread_mutex_lock(&j->lock);
    j->stage = (int)stage;
    j->done = done;
    j->total = total;
    pthread_mutex_unlock(&j->lock);
    return !atomic_load(&j->cancelled);
}

/* Keeps a warning until the caller's thread gives it to Python; more than fit are dropped, since
 * the summary counts what they tell. */
static void on_warning(void *context, const char *message) {
    job *j = context;
    pthread_mutex_lock(&j->lock);
    if (j->warning_count < sizeof j->warnings / sizeof *j->warnings) {
        char *copy = strdup(message);
        if (copy) j->warnings[j->warning_count++] = copy;
    }
    pthread_mutex_unlock(&j->lock);
}

bool job_open(core_state *state, PyObject *given, job *j) {
    job_options o = {0};
    *j = (job){.state = state};
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->wake, NULL);
    nd_resources_init(&j->resources, sizeof j->resources);
    nd_input_options_init(&j->input, sizeof j->input);
    j->summary.struct_size = sizeof j->summary;
    j->resources.on_progress = on_progress;
    j->resources.on_warning = on_warning;
    j->resources.context = j;
    j->on_progress = PyDict_GetItemString(given, "progress");
    if (!OPTIONS_READ(state, given, resource_options, &j->resources) ||
        !OPTIONS_READ(state, given, input_options, &j->input) ||
        !OPTIONS_READ(state, given, error_options, &o))
        return false;
    j->input.skip_errors = o.on_error == 1;
    PyObject *paths = PyDict_GetItemString(given, "paths");
    if (paths)
        return OPTIONS_READ(state, given, file_options, &j->input) && take_lists(j, given) &&
               take_paths(j, paths);
    if (!PyDict_GetItemString(given, "stream")) return true;
    j->input.records = documents_next;
    j->input.records_context = &j->documents;
    if (!documents_open(state, given, &j->documents)) return false;
    j->input.records_stay = j->documents.stays;
    return true;
}

void job_close(job *j) {
    documents_close(&j->documents);
    free(j->paths);
    free(j->text_fields);
    free(j->globs);
    Py_XDECREF(j->path_bytes);
    for (size_t i = 0; i < j->warning_count; i++) free(j->warnings[i]);
    pthread_cond_destroy(&j->wake);
    pthread_mutex_destroy(&j->lock);
}

/* ---- running */

static void *run(void *context) {
    job *j = context;
    nd_status status = j->fn(j, j->context, &j->error);
    pthread_mutex_lock(&j->lock);
    j->status = status;
    j->ended = true;
    pthread_cond_signal(&j->wake);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* Waits for the end of the job, at most a twentieth of a second. REQUIRES: without the GIL. */
static bool wait_for_end(job *j) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&j->lock);
    if (!j->ended) pthread_cond_timedwait(&j->wake, &j->lock, &until);
    bool ended = j->ended;
    pthread_mutex_unlock(&j->lock);
    return ended;
}

/* false: a filter turned a warning into an exception. */
static bool give_warnings(job *j) {
    char *taken[sizeof j->warnings / sizeof *j->warnings];
    pthread_mutex_lock(&j->lock);
    size_t count = j->warning_count;
    memcpy(taken, j->warnings, count * sizeof *taken);
    j->warning_count = 0;
    pthread_mutex_unlock(&j->lock);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        if (good && PyErr_WarnEx(j->state->warning, taken[i], 3) != 0) good = false;
        free(taken[i]);
    }
    return good;
}

/* Calls the progress callback with the stage, what is done, and the total or None. */
static bool give_progress(job *j) {
    if (!j->on_progress || Py_IsNone(j->on_progress)) return true;
    pthread_mutex_lock(&j->lock);
    const char *stage = nd_stage_name((nd_stage)j->stage);
    uint64_t done = j->done, total = j->total;
    pthread_mutex_unlock(&j->lock);
    PyObject *result = total > 0 ? PyObject_CallFunction(j->on_progress, "sKK", stage,
                                                         (unsigned long long)done,
                                                         (unsigned long long)total)
                                 : PyObject_CallFunction(j->on_progress, "sKO", stage,
                                                         (unsigned long long)done, Py_None);
    Py_XDECREF(result);
    return result != NULL;
}

/* A job that is cancelled has a source or a callback that failed. */
static void raise_failure(job *j) {
    const nd_error *source = &j->documents.failure;
    bool cancelled = j->status == ND_ERR_CANCELLED;
    if (cancelled && j->no_memory)
        core_raise_status(j->state, ND_ERR_MEMORY, "no memory for the results");
    else core_raise(j->state, cancelled && source->status != ND_OK ? source : &j->error);
}

bool job_run(job *j, job_fn *fn, void *context) {
    pthread_t thread;
    bool ended = false;
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    j->fn = fn;
    j->context = context;
    if (pthread_create(&thread, NULL, run, j) != 0) {
        core_raise_status(j->state, ND_ERR_MEMORY, "no thread for the job");
        return false;
    }
    while (!ended) {
        PyThreadState *others = PyEval_SaveThread();
        ended = wait_for_end(j);
        PyEval_RestoreThread(others);
        if (type) continue; /* the job is being cancelled */
        if (PyErr_CheckSignals() != 0 || !give_warnings(j) || !give_progress(j)) {
            PyErr_Fetch(&type, &value, &trace);
            atomic_store(&j->cancelled, true);
        }
    }
    pthread_join(thread, NULL);
    if (type) PyErr_Restore(type, value, trace);
    else if (j->status != ND_OK) raise_failure(j);
    return !PyErr_Occurred();
}

/* ---- results */

int64_t job_row(job *j, uint64_t document, uint64_t line) {
    return j->paths ? (int64_t)document : documents_row(&j->documents, line - 1);
}

/* How many pairs the measure decided, by similarity: a list of (least similarity, rejected pairs,
 * duplicates), without the steps that have none. */
static PyObject *similarities(const nd_job_summary *s) {
    PyObject *list = PyList_New(0);
    for (int step = 0; list && step < ND_SIMILARITY_STEPS; step++) {
        unsigned long long rejected = s->rejected_by_similarity[step],
                           duplicates = s->duplicates_by_similarity[step];
        if (rejected + duplicates == 0) continue;
        PyObject *item = Py_BuildValue("(dKK)", (double)step / ND_SIMILARITY_STEPS, rejected,
                                       duplicates);
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *job_summary(const job *j) {
    const nd_job_summary *s = &j->summary;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"documents", s->documents},
        {"input_bytes", s->input_bytes},
        {"text_bytes", s->text_bytes},
        {"kept", s->kept},
        {"removed", s->removed},
        {"exact_copies", s->exact_copies},
        {"skipped", s->skipped + documents_skipped(&j->documents)},
        {"duplicate_ids", s->duplicate_ids},
        {"without_value", s->without_value},
        {"without_digest", s->without_digest},
        {"spared", s->spared},
        {"candidates", s->candidates},
        {"verified", s->verified},
        {"rejected", s->rejected},
        {"pairs", s->pairs},
        {"large_buckets", s->large_buckets},
        {"bounded_documents", s->bounded_documents},
        {"bounded_comparisons", s->bounded_comparisons},
        {"terms", s->terms},
        {"terms_written", s->terms_written},
        {"output_bytes", s->output_bytes},
        {"work_bytes", s->work_bytes},
        {"peak_memory", s->peak_memory},
        {"threads", s->threads},
        {"repeated_bytes", s->repeated_bytes},
        {"units", s->units},
        {"units_cut", s->units_cut},
        {"changed", s->changed},
        {"passes", s->passes},
        {"bands", s->plan.bands},
        {"rows", s->plan.rows},
    };
    PyObject *out = PyDict_New();
    bool good = out && result_put_new(out, "seconds", PyFloat_FromDouble(s->total_seconds)) &&
                result_put_new(out, "similarities", similarities(s));
    for (size_t i = 0; good && i < sizeof counts / sizeof *counts; i++)
        good = result_put_new(out, counts[i].name, PyLong_FromUnsignedLongLong(counts[i].value));
    if (!good) Py_CLEAR(out);
    return out;
}

PyObject *job_results(job *j, bool done, const result_part *parts, size_t part_count) {
    documents *d = &j->documents;
    uint64_t rows = j->paths ? j->summary.documents : (uint64_t)d->row;
    const result_part skipped = {.name = "skipped", .array = &d->skipped};
    PyObject *out = done ? PyDict_New() : NULL;
    bool good = out && result_put_new(out, "summary", job_summary(j)) &&
                result_put_new(out, "row_count", PyLong_FromUnsignedLongLong(rows)) &&
                result_put(j->state, out, &skipped);
    for (size_t i = 0; i < part_count; i++) {
        good = good && result_put(j->state, out, parts + i);
        result_free(parts + i);
    }
    if (!good) Py_CLEAR(out);
    return out;
}
