#include "py_documents.h"

#include "py_options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening */

static bool fail_type(core_state *state, const char *name, const char *format, const char *wanted) {
    core_raise_status(state, ND_ERR_ARGUMENT,
                      "column \"%s\" must hold %s; its Arrow type is \"%s\"", name, wanted, format);
    return false;
}

/* Checks the type of a column, and notes its layout. */
static bool take_column(core_state *state, documents *d, int which, const char *name,
                        const struct ArrowSchema *type) {
    static const char *const wanted[] = {"texts", "texts or whole numbers", "numbers or times",
                                         "0 or 1", "texts"};
    layout l = layout_of(type->format);
    d->indices[which] = LAYOUT_NONE;
    if (type->dictionary) {
        if (!layout_is_integer(l)) return fail_type(state, name, type->format, wanted[which]);
        d->indices[which] = l;
        l = layout_of(type->dictionary->format);
    }
    d->layouts[which] = l;
    bool good = l == LAYOUT_NULL || (which == 0 || which == 4 ? layout_is_text(l)
                                     : which == 1 ? layout_is_text(l) || layout_is_integer(l)
                                                  : l >= LAYOUT_INT8);
    return good ||
           fail_type(state, name, type->dictionary ? type->dictionary->format : type->format,
                     wanted[which]);
}

/* The number of the column with a name; -1 with an exception if there is none. */
static int find_column(core_state *state, const struct ArrowSchema *schema, const char *name) {
    for (int64_t c = 0; c < schema->n_children; c++)
        if (schema->children[c]->name && strcmp(schema->children[c]->name, name) == 0)
            return (int)c;
    core_raise_status(state, ND_ERR_ARGUMENT, "there is no column \"%s\"", name);
    return -1;
}

static bool take_columns(core_state *state, documents *d, const struct ArrowSchema *schema) {
    const char *names[] = {d->text_name, d->id_name, d->value_name, d->protected_name,
                           d->label_name};
    int *columns[] = {&d->text, &d->id, &d->value, &d->protected, &d->label};
    if (strcmp(schema->format, "+s") != 0) return take_column(state, d, 0, d->text_name, schema);
    for (int i = 0; i < 5; i++) {
        if (!names[i]) continue;
        *columns[i] = find_column(state, schema, names[i]);
        if (*columns[i] < 0 || !take_column(state, d, i, names[i], schema->children[*columns[i]]))
            return false;
    }
    return true;
}

static const char *const null_words[] = {"error", "skip", NULL};
static const char *const invalid_words[] = {"fail", "replace", "skip", NULL};

typedef struct document_options {
    const char *text, *id, *value, *protected, *label;
    int nulls, invalid;
    bool stays;
} document_options;

static const option options[] = {
    {"text", OPTION_TEXT, offsetof(document_options, text), NULL},
    {"id", OPTION_TEXT, offsetof(document_options, id), NULL},
    {"value", OPTION_TEXT, offsetof(document_options, value), NULL},
    {"protected", OPTION_TEXT, offsetof(document_options, protected), NULL},
    {"label", OPTION_TEXT, offsetof(document_options, label), NULL},
    {"nulls", OPTION_CHOICE, offsetof(document_options, nulls), null_words},
    {"invalid", OPTION_CHOICE, offsetof(document_options, invalid), invalid_words},
    {"stays", OPTION_BOOL, offsetof(document_options, stays), NULL},
};

static bool fail_stream(core_state *state, documents *d) {
    const char *message = d->stream.get_last_error(&d->stream);
    core_raise_status(state, ND_ERR_INPUT, "%s", message ? message : "the Arrow stream fails");
    return false;
}

bool documents_open(core_state *state, PyObject *given, documents *d) {
    document_options o = {.text = "text"};
    struct ArrowSchema schema = {0};
    int status;
    *d = (documents){.text = -1, .id = -1, .value = -1, .protected = -1, .label = -1, .open = true};
    pthread_mutex_init(&d->lock, NULL);
    if (!OPTIONS_READ(state, given, options, &o)) return false;
    d->text_name = o.text, d->id_name = o.id, d->value_name = o.value;
    d->protected_name = o.protected, d->label_name = o.label;
    d->skip_nulls = o.nulls == 1;
    d->skip_invalid = o.invalid == 2;
    d->stays = o.stays;
    PyObject *capsule = PyDict_GetItemString(given, "stream");
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (!stream) return false;
    d->stream = *stream;
    stream->release = NULL; /* moved */
    PyThreadState *others = PyEval_SaveThread();
    status = d->stream.get_schema(&d->stream, &schema);
    PyEval_RestoreThread(others);
    if (status != 0) return fail_stream(state, d);
    bool good = take_columns(state, d, &schema);
    schema.release(&schema);
    return good;
}

void documents_close(documents *d) {
    if (!d->open) return;
    if (d->batch.release) d->batch.release(&d->batch);
    struct ArrowArray *finished = (void *)d->finished.items;
    for (size_t i = 0; i < d->finished.size / sizeof *finished; i++)
        finished[i].release(&finished[i]);
    array_free(&d->finished);
    if (d->stream.release) d->stream.release(&d->stream);
    array_free(&d->skipped);
    pthread_mutex_destroy(&d->lock);
    *d = (documents){0};
}

/* ---- reading */

/* Returns -1, for documents_next. */
static int fail(documents *d, nd_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->failure.message, sizeof d->failure.message, format, arguments);
    va_end(arguments);
    d->failure.status = status;
    return -1;
}

static column column_of(const documents *d, int number, int which) {
    if (number < 0)
        return (column){&d->batch, d->batch.offset, d->layouts[which], d->indices[which]};
    const struct ArrowArray *child = d->batch.children[number];
    return (column){child, d->batch.offset + child->offset, d->layouts[which], d->indices[which]};
}

/* Takes the next batch that has rows. 1, 0 at the end, -1. */
static int next_batch(documents *d) {
    do {
        if (d->stays && d->batch.release && !array_put(&d->finished, &d->batch, sizeof d->batch))
            return fail(d, ND_ERR_MEMORY, "no memory for the batches of the stream");
        if (!d->stays && d->batch.release) d->batch.release(&d->batch);
        d->batch = (struct ArrowArray){0};
        if (d->stream.get_next(&d->stream, &d->batch) != 0) {
            const char *message = d->stream.get_last_error(&d->stream);
            return fail(d, ND_ERR_INPUT, "%s", message ? message : "the Arrow stream fails");
        }
        if (!d->batch.release) return 0;
    } while (d->batch.length == 0);
    d->in_batch = 0;
    d->texts = column_of(d, d->text, 0);
    d->ids = column_of(d, d->id, 1);
    d->values = column_of(d, d->value, 2);
    d->protections = column_of(d, d->protected, 3);
    d->labels = column_of(d, d->label, 4);
    return 1;
}

/* 1, or -1. Without a column of ids the library numbers the records. */
static int take_id(documents *d, int64_t at, nd_record *out) {
    bool negative;
    if (d->id < 0) return 1;
    if (column_is_null(&d->ids, at))
        return fail(d, ND_ERR_INPUT,
                    "row %" PRId64
                    ": the id is null; with id=None, rows are known by their numbers",
                    d->row);
    if (layout_is_text(d->ids.layout)) {
        out->id = column_text(&d->ids, at, &out->id_length);
        return 1;
    }
    uint64_t id = column_integer(&d->ids, at, &negative);
    int length = negative ? snprintf(d->digits, sizeof d->digits, "%" PRId64, (int64_t)id)
                          : snprintf(d->digits, sizeof d->digits, "%" PRIu64, id);
    out->id = d->digits;
    out->id_length = (size_t)length;
    return 1;
}

/* Reads the text of the next row. 1: it is a document; 0: it is left out; -1. */
static int take_text(documents *d, nd_record *out) {
    if (!column_is_null(&d->texts, d->in_batch)) {
        out->text = column_text(&d->texts, d->in_batch, &out->length);
        if (!d->skip_invalid || nd_utf8_valid_prefix(out->text, out->length) == out->length)
            return 1;
    } else if (!d->skip_nulls)
        return fail(d, ND_ERR_INPUT,
                    "row %" PRId64 ": the text is null; nulls=\"skip\" leaves such rows out",
                    d->row);
    pthread_mutex_lock(&d->lock);
    bool noted = ARRAY_PUT(&d->skipped, int64_t, d->row);
    pthread_mutex_unlock(&d->lock);
    return noted ? 0 : fail(d, ND_ERR_MEMORY, "no memory for the numbers of skipped rows");
}

int documents_next(void *context, nd_record *out) {
    documents *d = context;
    for (int taken = 0; taken == 0; d->row++, d->in_batch++) {
        if (d->in_batch == d->batch.length) {
            int more = next_batch(d);
            if (more <= 0) return more;
        }
        taken = take_text(d, out);
        if (taken < 0) return -1;
        if (taken == 0) continue;
        if (take_id(d, d->in_batch, out) < 0) return -1;
        if (d->value >= 0 && !column_is_null(&d->values, d->in_batch))
            out->value = column_number(&d->values, d->in_batch);
        if (d->protected >= 0) out->is_protected = column_number(&d->protections, d->in_batch) != 0;
        if (d->label >= 0 && !column_is_null(&d->labels, d->in_batch))
            out->label = column_text(&d->labels, d->in_batch, &out->label_length);
    }
    return 1;
}

size_t documents_skipped(const documents *d) { return d->skipped.size / sizeof(int64_t); }

/* Between skipped row s - 1 and skipped row s stand the records whose rows are record + s. */
int64_t documents_row(documents *d, uint64_t record) {
    if (!d->open) return (int64_t)record;
    pthread_mutex_lock(&d->lock);
    const int64_t *rows = (const void *)d->skipped.items;
    size_t low = 0, high = documents_skipped(d);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle] - (int64_t)middle <= (int64_t)record) low = middle + 1;
        else high = middle;
    }
    pthread_mutex_unlock(&d->lock);
    return (int64_t)record + (int64_t)low;
}
