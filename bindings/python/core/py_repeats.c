#include "py_repeats.h"

#include "py_job.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* ---- finding */

typedef struct repeat_list {
    job *job;
    job *source; /* the input of the sources; otherwise `job` */
    nd_lines_options lines;
    nd_substrings_options substrings;
    bool with_ids, with_source_ids;
    array rows, begins, ends, source_rows, source_begins; /* int64 */
    texts ids, source_ids;
} repeat_list;

/* Instead of the row of a source: there is none, so the whole document goes; or it is in an index.
 */
enum { SOURCE_NONE = -1, SOURCE_INDEXED = -2 };

static int64_t source_row(const repeat_list *l, const nd_repeated_stretch *s) {
    if (!s->source_id) return SOURCE_NONE;
    return s->source_file ? job_row(l->source, s->source, s->source_line) : SOURCE_INDEXED;
}

/* nd_cut_fn */
static bool take_stretch(void *context, const nd_repeated_stretch *s) {
    repeat_list *l = context;
    bool good = ARRAY_PUT(&l->rows, int64_t, job_row(l->job, s->document, s->line)) &&
                ARRAY_PUT(&l->begins, int64_t, (int64_t)s->begin) &&
                ARRAY_PUT(&l->ends, int64_t, (int64_t)s->end) &&
                ARRAY_PUT(&l->source_rows, int64_t, source_row(l, s)) &&
                ARRAY_PUT(&l->source_begins, int64_t, (int64_t)s->source_begin) &&
                (!l->with_ids || texts_put(&l->ids, s->id, s->id_length)) &&
                (!l->with_source_ids ||
                 texts_put(&l->source_ids, s->source_id, s->source_id_length));
    l->job->no_memory = !good;
    return good;
}

static bool is_true(PyObject *given, const char *name) {
    return PyDict_GetItemString(given, name) == Py_True;
}

static PyObject *finish(repeat_list *l, bool done) {
    const result_part parts[] = {
        {.name = "rows", .array = &l->rows},
        {.name = "begins", .array = &l->begins},
        {.name = "ends", .array = &l->ends},
        {.name = "source_rows", .array = &l->source_rows},
        {.name = "source_begins", .array = &l->source_begins},
        {.name = "ids", .texts = &l->ids},
        {.name = "source_ids", .texts = &l->source_ids},
    };
    return JOB_RESULTS(l->job, done, parts);
}

/* ---- lines */

static const char *const unit_words[] = {"line", "paragraph", "sentence", NULL};
static const char *const same_words[] = {"bytes", "words", NULL};
static const char *const keep_words[] = {"first", "none", NULL};

static const option line_options[] = {
    {"unit", OPTION_CHOICE, offsetof(nd_lines_options, unit), unit_words},
    {"same", OPTION_CHOICE, offsetof(nd_lines_options, same), same_words},
    {"keep", OPTION_CHOICE, offsetof(nd_lines_options, keep), keep_words},
    {"min_words", OPTION_U32, offsetof(nd_lines_options, min_words), NULL},
    {"drop_below", OPTION_U32, offsetof(nd_lines_options, drop_below), NULL},
    {"across", OPTION_BOOL, offsetof(nd_lines_options, across), NULL},
    {"by_host", OPTION_BOOL, offsetof(nd_lines_options, by_host), NULL},
    {"more_than", OPTION_U64, offsetof(nd_lines_options, more_than), NULL},
    {"output", OPTION_TEXT, offsetof(nd_lines_options, output), NULL},
    {"index", OPTION_TEXT, offsetof(nd_lines_options, index), NULL},
};

static nd_status run_lines(job *j, void *context, nd_error *error) {
    repeat_list *l = context;
    return nd_lines(&l->lines, &j->summary, error);
}

PyObject *core_lines(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    repeat_list l = {.job = &j, .source = &j};
    l.with_ids = is_true(given, "with_ids");
    l.with_source_ids = is_true(given, "with_source_ids");
    nd_lines_options_init(&l.lines, sizeof l.lines);
    l.lines.input = &j.input;
    l.lines.resources = &j.resources;
    l.lines.on_cut = take_stretch;
    l.lines.context = &l;
    bool done = job_open(state, given, &j) && OPTIONS_READ(state, given, line_options, &l.lines) &&
                job_run(&j, run_lines, &l);
    PyObject *result = finish(&l, done);
    job_close(&j);
    return result;
}

/* ---- substrings */

static const char *const bound_words[] = {"character", "word", "line", "sentence", NULL};

static const option substring_options[] = {
    {"min_bytes", OPTION_U32, offsetof(nd_substrings_options, least), NULL},
    {"min_tokens", OPTION_U32, offsetof(nd_substrings_options, least_tokens), NULL},
    {"keep", OPTION_CHOICE, offsetof(nd_substrings_options, keep), keep_words},
    {"cut_at", OPTION_CHOICE, offsetof(nd_substrings_options, cut_at), bound_words},
    {"drop_below", OPTION_U32, offsetof(nd_substrings_options, drop_below), NULL},
    {"passes", OPTION_U32, offsetof(nd_substrings_options, passes), NULL},
    {"output", OPTION_TEXT, offsetof(nd_substrings_options, output), NULL},
};

static nd_status run_substrings(job *j, void *context, nd_error *error) {
    repeat_list *l = context;
    return nd_substrings(&l->substrings, take_stretch, l, &j->summary, error);
}

/* nd_record_fn */
static int next_source(void *context, nd_record *out) {
    repeat_list *l = context;
    int more = documents_next(&l->source->documents, out);
    if (more < 0) l->job->documents.failure = l->source->documents.failure;
    return more;
}

/* Opens the other input. The caller closes it in any case. */
static bool open_source(core_state *state, PyObject *options, repeat_list *l, job *source) {
    if (!job_open(state, options, source)) return false;
    l->source = source;
    l->substrings.source = &source->input;
    if (source->paths) return true;
    source->input.records = next_source;
    source->input.records_context = l;
    return true;
}

PyObject *core_substrings(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j, source;
    repeat_list l = {.job = &j,
                     .source = &j,
                     .with_ids = is_true(given, "with_ids"),
                     .with_source_ids = is_true(given, "with_source_ids")};
    PyObject *other = PyDict_GetItemString(given, "source");
    nd_substrings_options_init(&l.substrings, sizeof l.substrings);
    l.substrings.input = &j.input;
    l.substrings.resources = &j.resources;
    bool good = job_open(state, given, &j), opened = good && other;
    if (opened) good = open_source(state, other, &l, &source);
    bool done = good && OPTIONS_READ(state, given, substring_options, &l.substrings) &&
                job_run(&j, run_substrings, &l);
    PyObject *result = finish(&l, done);
    if (opened) job_close(&source);
    job_close(&j);
    return result;
}

/* ---- cutting */

enum { SPAN_ROWS, SPAN_BEGINS, SPAN_ENDS, POINT_ROWS, POINT_BYTES, CUT_BUFFERS };

typedef struct cutter {
    job *job;
    const int64_t *numbers[CUT_BUFFERS];
    size_t spans, points, span, point; /* how many, and the next ones */
    array rows, characters;            /* int64 */
    texts texts;
    array text; /* the rest of a text */
} cutter;

/* Returns -1 if the text is shorter. */
static int64_t place_in(const nd_text *text, int64_t at) {
    return at >= 0 && (uint64_t)at <= text->length ? at : -1;
}

/* Notes that the text of a row is not the one that was searched. Returns false. */
static bool fail_changed(cutter *c, int64_t row) {
    nd_error *failure = &c->job->documents.failure;
    failure->status = ND_ERR_INPUT;
    snprintf(failure->message, sizeof failure->message,
             "row %" PRId64 ": the text changed while it was read", row);
    return false;
}

/* Turns the points of a row into characters. */
static bool count_characters(cutter *c, const nd_text *text, int64_t row) {
    int64_t characters = 0;
    size_t done = 0;
    for (; c->point < c->points && c->numbers[POINT_ROWS][c->point] == row; c->point++) {
        int64_t at = place_in(text, c->numbers[POINT_BYTES][c->point]);
        if (at < (int64_t)done) return fail_changed(c, row);
        for (; done < (size_t)at; done++) characters += (text->text[done] & 0xC0) != 0x80;
        c->job->no_memory = !ARRAY_PUT(&c->characters, int64_t, characters);
        if (c->job->no_memory) return false;
    }
    return true;
}

static bool put_piece(cutter *c, const nd_text *text, size_t begin, size_t end) {
    return begin == end || array_put(&c->text, text->text + begin, end - begin);
}

/* Puts the text of a row without its spans. */
static bool cut_text(cutter *c, const nd_text *text, int64_t row) {
    size_t done = 0;
    bool good = true;
    c->text.size = 0;
    for (; c->span < c->spans && c->numbers[SPAN_ROWS][c->span] == row && good; c->span++) {
        int64_t begin = place_in(text, c->numbers[SPAN_BEGINS][c->span]);
        int64_t end = place_in(text, c->numbers[SPAN_ENDS][c->span]);
        if (begin < (int64_t)done || end < begin) return fail_changed(c, row);
        good = put_piece(c, text, done, (size_t)begin);
        done = (size_t)end;
    }
    good = good && put_piece(c, text, done, text->length) && ARRAY_PUT(&c->rows, int64_t, row) &&
           texts_put(&c->texts, c->text.items, c->text.size);
    c->job->no_memory = !good;
    return good;
}

/* nd_text_fn */
static bool take_text(void *context, const nd_text *text) {
    cutter *c = context;
    int64_t row = job_row(c->job, text->document, text->line);
    if (!count_characters(c, text, row)) return false;
    return c->span == c->spans || c->numbers[SPAN_ROWS][c->span] != row || cut_text(c, text, row);
}

static nd_status run_cuts(job *j, void *context, nd_error *error) {
    cutter *c = context;
    nd_status status = nd_texts(&j->input, take_text, c, &j->resources, &j->summary, error);
    if (status != ND_OK || (c->span == c->spans && c->point == c->points)) return status;
    fail_changed(c, c->span < c->spans ? c->numbers[SPAN_ROWS][c->span]
                                       : c->numbers[POINT_ROWS][c->point]);
    *error = j->documents.failure;
    return error->status;
}

PyObject *core_cut(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    cutter c = {.job = &j};
    Py_buffer views[CUT_BUFFERS] = {{0}};
    PyObject *spans = PyDict_GetItemString(given, "spans"),
             *points = PyDict_GetItemString(given, "points");
    bool done = job_open(state, given, &j) && spans && points &&
                PyArg_ParseTuple(spans, "y*y*y*", views, views + 1, views + 2) &&
                PyArg_ParseTuple(points, "y*y*", views + POINT_ROWS, views + POINT_BYTES);
    for (int i = 0; i < CUT_BUFFERS; i++) c.numbers[i] = views[i].buf;
    c.spans = (size_t)views[SPAN_ROWS].len / sizeof(int64_t);
    c.points = (size_t)views[POINT_ROWS].len / sizeof(int64_t);
    done = done && job_run(&j, run_cuts, &c);
    for (int i = 0; i < CUT_BUFFERS; i++)
        if (views[i].obj) PyBuffer_Release(&views[i]);
    const result_part parts[] = {
        {.name = "rows", .array = &c.rows},
        {.name = "texts", .texts = &c.texts},
        {.name = "characters", .array = &c.characters},
    };
    PyObject *result = JOB_RESULTS(&j, done, parts);
    array_free(&c.text);
    job_close(&j);
    return result;
}
