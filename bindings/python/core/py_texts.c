#include "py_texts.h"

#include "py_job.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
    unsigned long long line;
    const char *source; /* of the list's bytes */
} place;

typedef struct search {
    job *job;
    place *places;
    size_t count, found_count;
    array found; /* int64: indices of places */
    texts texts;
} search;

static bool read_places(search *s, PyObject *list) {
    Py_ssize_t count = PyList_Size(list);
    if (count < 0) return false;
    s->places = calloc((size_t)count + 1, sizeof *s->places);
    if (!s->places) {
        PyErr_NoMemory();
        return false;
    }
    s->count = (size_t)count;
    for (size_t i = 0; i < s->count; i++)
        if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "Ky", &s->places[i].line,
                              &s->places[i].source))
            return false;
    return true;
}

static int compare_place(const void *key, const void *item) {
    const nd_text *text = key;
    const place *p = item;
    if (text->line != p->line) return text->line < p->line ? -1 : 1;
    return strcmp(text->source, p->source);
}

/* nd_text_fn. No memory: the job is cancelled, and fails by memory. */
static bool take_text(void *context, const nd_text *text) {
    search *s = context;
    const place *p = bsearch(text, s->places, s->count, sizeof *p, compare_place);
    if (!p) return true;
    bool good = ARRAY_PUT(&s->found, int64_t, p - s->places) &&
                texts_put(&s->texts, text->text, text->length);
    s->job->no_memory = !good;
    return good && ++s->found_count < s->count;
}

/* It ends with the last text that is wanted. */
static nd_status run_texts(job *j, void *context, nd_error *error) {
    search *s = context;
    nd_status status = nd_texts(&j->input, take_text, s, &j->resources, &j->summary, error);
    return status == ND_ERR_CANCELLED && s->found_count == s->count ? ND_OK : status;
}

PyObject *core_texts(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    search s = {.job = &j};
    bool done = false;
    PyObject *places = PyDict_GetItemString(given, "places");
    if (job_open(state, given, &j) && places && read_places(&s, places))
        done = job_run(&j, run_texts, &s);
    const result_part parts[] = {
        {.name = "found", .array = &s.found},
        {.name = "texts", .texts = &s.texts},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    free(s.places);
    job_close(&j);
    return result;
}
