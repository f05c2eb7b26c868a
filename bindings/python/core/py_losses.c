#include "py_losses.h"

#include <string.h>

enum { NAME, MESSAGE, KEPT, EXAMPLE, WORDS };
typedef enum sort { SORT_GROUP, SORT_CLASS, SORT_ALARM } sort;

typedef struct entry {
    sort sort;
    nd_alarm_kind kind;
    nd_loss_kind class_kind;
    uint64_t documents, removed, exact_copies;
    int64_t kept, example; /* rows; -1: not known */
} entry;

static const nd_named_document nobody = {.id = "", .source = ""};

/* ---- taking */

/* A document of a stream has no source, and its line is its number, from 1. */
static int64_t row_of(documents *d, const nd_named_document *named) {
    return named->line > 0 && named->source[0] == '\0' ? documents_row(d, named->line - 1) : -1;
}

static bool put(losses *l, documents *d, entry e, const char *name, const char *message,
                const nd_named_document *kept, const nd_named_document *example) {
    e.kept = row_of(d, kept);
    e.example = row_of(d, example);
    return array_put(&l->entries, &e, sizeof e) && texts_put(&l->words, name, strlen(name)) &&
           texts_put(&l->words, message, strlen(message)) &&
           texts_put(&l->words, kept->id, kept->id_length) &&
           texts_put(&l->words, example->id, example->id_length);
}

bool losses_take(losses *l, documents *d, const nd_losses *found) {
    bool good = true;
    for (size_t i = 0; i < found->group_count && good; i++) {
        const nd_loss_group *g = &found->groups[i];
        const entry e = {.sort = SORT_GROUP,
                         .documents = found->removed,
                         .removed = g->removed,
                         .exact_copies = g->exact_copies};
        good = put(l, d, e, "", "", &g->kept, &g->example);
    }
    for (size_t i = 0; i < found->class_count && good; i++) {
        const nd_loss_class *c = &found->classes[i];
        const entry e = {.sort = SORT_CLASS,
                         .class_kind = c->kind,
                         .documents = c->documents,
                         .removed = c->removed};
        good = put(l, d, e, c->name, "", &nobody, &nobody);
    }
    for (size_t i = 0; i < found->alarm_count && good; i++) {
        const nd_alarm *a = &found->alarms[i];
        const entry e = {.sort = SORT_ALARM,
                         .kind = a->kind,
                         .class_kind = a->loss_class.kind,
                         .documents = a->documents,
                         .removed = a->removed};
        const char *name = a->kind == ND_ALARM_CLASS ? a->loss_class.name : "";
        good = put(l, d, e, name, a->message, &a->kept, &a->example);
    }
    return good;
}

/* ---- giving */

/* Text number `i`. Ids need not be UTF-8. */
static PyObject *word(const losses *l, size_t i) {
    const int64_t *offsets = (const void *)l->words.offsets.items;
    return PyUnicode_DecodeUTF8(l->words.bytes.items + offsets[i], offsets[i + 1] - offsets[i],
                                "backslashreplace");
}

/* An id as the caller's column has it: a number, or a text. */
static PyObject *id_of(const losses *l, size_t i, int64_t row, const documents *d) {
    PyObject *text = word(l, i), *number;
    if (!text || row < 0 || d->id < 0 || !layout_is_integer(d->layouts[1])) return text;
    number = PyObject_CallFunction((PyObject *)&PyLong_Type, "O", text);
    Py_DECREF(text);
    return number;
}

static PyObject *row_number(int64_t row) {
    return row < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(row);
}

static PyObject *entry_tuple(const losses *l, size_t i, const documents *d) {
    static const char *const sorts[] = {"group", "class", "alarm"};
    static const char *const kinds[] = {"most", "group", "class"};
    static const char *const classes[] = {"source", "length", "script", "host", "field"};
    const entry *e = (const entry *)(const void *)l->entries.items + i;
    size_t first = WORDS * i;
    /* N: the tuple takes the references; without memory for one of them there is no tuple. */
    return Py_BuildValue("(sssKKKNNNNNN)", sorts[e->sort], kinds[e->kind], classes[e->class_kind],
                         (unsigned long long)e->documents, (unsigned long long)e->removed,
                         (unsigned long long)e->exact_copies, word(l, first + NAME),
                         word(l, first + MESSAGE), id_of(l, first + KEPT, e->kept, d),
                         row_number(e->kept), id_of(l, first + EXAMPLE, e->example, d),
                         row_number(e->example));
}

PyObject *losses_list(const losses *l, const documents *d) {
    size_t count = l->entries.size / sizeof(entry);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = entry_tuple(l, i, d);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) Py_CLEAR(list);
    }
    return list;
}

void losses_free(losses *l) {
    array_free(&l->entries);
    texts_free(&l->words);
}
