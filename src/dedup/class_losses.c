#include "dedup/class_losses.h"

#include "dedup/document_traits.h"

#include <string.h>

/* The named classes are the last kinds, in their order. */
enum { NAMED_FIRST = ND_LOSS_HOST };
_Static_assert(ND_LOSS_HOST == NAMED_FIRST + ND_NAMED_HOST &&
                   ND_LOSS_FIELD == NAMED_FIRST + ND_NAMED_FIELD,
               "named classes are numbered as the kinds of losses");

typedef struct class_counter {
    const nd_columns *columns;
    nd_class_losses *out;
    nd_spool_cursor traits, named[ND_NAMED_KINDS];
    nd_id_buffer id;
    size_t source; /* of the document */
    /* 1 + the number of the class; 0: not known yet. `of_source` is of a source whose documents are
     * all in one class. */
    uint32_t of_source, of_length[ND_LENGTH_CLASSES], of_script[ND_SCRIPTS];
} class_counter;

/* ---- sources */

/* The number of bytes of a path up to its first, or last, slash; 0: it has none. */
static size_t first_folder(const char *path, size_t length) {
    const char *slash = memchr(path, '/', length);
    return slash ? (size_t)(slash - path) : 0;
}
static size_t whole_folder(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/') length--;
    return length > 0 ? length - 1 : 0;
}

/* A file is a source. Of a directory it is the first folder in it, and the directory itself for
 * files beside that folder. */
static nd_status find_source(class_counter *c, uint32_t document, uint32_t *out, nd_error *error) {
    const nd_source *s = nd_corpus_source(c->columns->corpus, c->source);
    nd_class_table *table = &c->out->tables[ND_LOSS_SOURCE];
    if (c->of_source) {
        *out = c->of_source - 1;
        return ND_OK;
    }
    const char *name = s->kind == ND_SOURCE_CALLBACK ? "" : nd_source_title(s);
    size_t length = strlen(name), inside = s->directory_length;
    if (s->kind != ND_SOURCE_TREE) {
        while (inside > 0 && name[inside] == '/') inside++;
        size_t folder = inside > 0 ? first_folder(name + inside, length - inside) : 0;
        ND_TRY(nd_class_table_find(table, name, folder > 0 ? inside + folder : length, out, error));
        c->of_source = *out + 1;
        return ND_OK;
    }
    ND_TRY(nd_columns_id(c->columns, document, &c->id, error));
    if (s->files) {
        size_t folder = whole_folder(c->id.id, c->id.length);
        return nd_class_table_find(table, folder > 0 ? c->id.id : ".", folder > 0 ? folder : 1, out,
                                   error);
    }
    /* The folder is named behind the directory, as the shards of a directory are. */
    size_t prefix = nd_source_prefix(s),
           folder = first_folder(c->id.id + prefix, c->id.length - prefix);
    if (folder == 0) return nd_class_table_find(table, name, length, out, error);
    bool ends = length > 0 && name[length - 1] == '/';
    const nd_allocator *a = &table->allocator;
    char *path = nd_allocate(a, length + folder + 1, 1);
    if (!path) return nd_fail_memory(error, length + folder, "classes of documents");
    memcpy(path, name, length);
    path[length] = '/';
    memcpy(path + length + !ends, c->id.id + prefix, folder);
    nd_status status = nd_class_table_find(table, path, length + !ends + folder, out, error);
    nd_release(a, path);
    return status;
}

/* ---- the other classes */

/* Finds the class of a trait, whose number is noted. */
static nd_status find_noted(nd_class_table *table, const char *name, uint32_t *noted, uint32_t *out,
                            nd_error *error) {
    if (*noted == 0) {
        ND_TRY(nd_class_table_find(table, name, strlen(name), out, error));
        *noted = *out + 1;
    }
    *out = *noted - 1;
    return ND_OK;
}

static nd_status find_length(class_counter *c, uint8_t traits, uint32_t *out, nd_error *error) {
    static const char *const names[ND_LENGTH_CLASSES] = {"below 100 B",    "100 B to 1 kB",
                                                         "1 kB to 10 kB",  "10 kB to 100 kB",
                                                         "100 kB to 1 MB", "1 MB and more"};
    unsigned number = nd_traits_length(traits);
    return find_noted(&c->out->tables[ND_LOSS_LENGTH], names[number], &c->of_length[number], out,
                      error);
}

static nd_status find_script(class_counter *c, uint8_t traits, uint32_t *out, nd_error *error) {
    nd_script script = nd_traits_script(traits);
    return find_noted(&c->out->tables[ND_LOSS_SCRIPT], nd_script_name(script),
                      &c->of_script[script], out, error);
}

/* ---- counting */

static nd_status count_document(class_counter *c, uint32_t document, bool removed,
                                nd_error *error) {
    uint32_t numbers[NAMED_FIRST];
    const void *piece;
    ND_TRY(nd_spool_next(&c->traits, 1, &piece, error));
    uint8_t traits = *(const uint8_t *)piece;
    ND_TRY(find_source(c, document, &numbers[ND_LOSS_SOURCE], error));
    ND_TRY(find_length(c, traits, &numbers[ND_LOSS_LENGTH], error));
    ND_TRY(find_script(c, traits, &numbers[ND_LOSS_SCRIPT], error));
    for (size_t kind = 0; kind < NAMED_FIRST; kind++)
        nd_class_table_count(&c->out->tables[kind], numbers[kind], document, removed);
    for (size_t kind = 0; kind < ND_NAMED_KINDS; kind++) {
        uint32_t number;
        if (c->named[kind].spool->size == 0) continue;
        ND_TRY(nd_spool_next(&c->named[kind], sizeof number, &piece, error));
        memcpy(&number, piece, sizeof number);
        nd_class_table_count(&c->out->tables[NAMED_FIRST + kind], number, document, removed);
    }
    return ND_OK;
}

static nd_status count_documents(class_counter *c, const nd_fates *fates, nd_error *error) {
    size_t sources = nd_corpus_sources(c->columns->corpus);
    for (uint32_t d = 0; d < fates->count; d++) {
        while (c->source + 1 < sources && c->columns->first_documents[c->source + 1] <= d) {
            c->source++;
            c->of_source = 0;
        }
        ND_TRY(count_document(c, d, nd_fate_of(fates, d) != ND_FATE_KEPT, error));
    }
    return ND_OK;
}

nd_status nd_class_losses_count(nd_ingested *in, const nd_fates *fates, nd_class_losses *out,
                                nd_error *error) {
    const nd_allocator *a = &in->columns.allocator;
    class_counter c = {.columns = &in->columns, .out = out, .traits.spool = &in->traits};
    for (size_t kind = 0; kind < ND_LOSS_KINDS; kind++)
        out->tables[kind] = (nd_class_table){.allocator = *a};
    for (size_t kind = 0; kind < ND_NAMED_KINDS; kind++) {
        c.named[kind].spool = &in->named[kind].numbers;
        out->tables[NAMED_FIRST + kind] = in->named[kind].names;
        in->named[kind].names = (nd_class_table){.allocator = *a};
    }
    nd_status status = count_documents(&c, fates, error);
    nd_release(a, c.traits.bytes);
    nd_release(a, c.id.bytes);
    nd_spool_free(&in->traits);
    for (size_t kind = 0; kind < ND_NAMED_KINDS; kind++) {
        nd_release(a, c.named[kind].bytes);
        nd_spool_free(&in->named[kind].numbers);
    }
    return status;
}

void nd_class_losses_free(nd_class_losses *losses) {
    for (size_t kind = 0; kind < ND_LOSS_KINDS; kind++) nd_class_table_free(&losses->tables[kind]);
}
