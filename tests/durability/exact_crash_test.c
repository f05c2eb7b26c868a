/* The machine dies at any moment of nd_exact with an index. Whatever part of the changes is on the
 * disk then, the index has all of each batch that was acknowledged, and the batch in work
 * completely or not at all; and it goes on. The same batch with `resume` gives the results of one
 * run. */
#include "durability/disk.h"
#include "durability/documents.h"
#include "durability/image.h"
#include "job_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- the content of the index, by text */

enum { TEXTS_USED = 9, MOST_DOCUMENTS = 6 };

typedef struct content_state {
    bool there;
    char id[TEXTS_USED][8]; /* "": the text is in no document */
} content_state;

typedef struct one {
    const char *id;
    unsigned text;
} one;

typedef struct step {
    enum { CREATE, BATCH, REMOVE, COMPACT } kind;
    bool replace; /* of BATCH; its documents become a segment then */
    one documents[MOST_DOCUMENTS];
    size_t count;
} step;

/* Batches for the log and for segments, with copies of documents of the index and of each other. */
static const step steps[] = {
    {.kind = CREATE},
    {.kind = BATCH,
     .documents = {{"a0", 0}, {"a1", 1}, {"a2", 2}, {"ac", 2}, {"a3", 3}},
     .count = 5},
    {.kind = BATCH,
     .replace = true,
     .documents = {{"b0", 2}, {"b1", 3}, {"b2", 4}, {"b3", 5}, {"b4", 6}, {"b5", 7}},
     .count = 6},
    {.kind = REMOVE, .documents = {{"a3", 3}}, .count = 1},
    {.kind = BATCH, .replace = true, .documents = {{"a1", 8}, {"b2", 0}}, .count = 2},
    {.kind = BATCH, .documents = {{"c0", 8}, {"c1", 4}, {"c2", 3}}, .count = 3},
    {.kind = COMPACT},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* The content before each step, and at the end. */
static content_state states[STEPS + 1];

static void forget(content_state *s, const char *id) {
    for (unsigned t = 0; t < TEXTS_USED; t++)
        if (strcmp(s->id[t], id) == 0) s->id[t][0] = '\0';
}

static void apply(const step *o, content_state *s) {
    s->there = true;
    for (size_t i = 0; i < o->count; i++)
        if (o->kind == REMOVE || o->replace) forget(s, o->documents[i].id);
    for (size_t i = 0; i < o->count && o->kind == BATCH; i++)
        if (!s->id[o->documents[i].text][0])
            strcpy(s->id[o->documents[i].text], o->documents[i].id);
}

static uint64_t documents_of(const content_state *s) {
    uint64_t count = 0;
    for (unsigned t = 0; t < TEXTS_USED; t++) count += s->id[t][0] != '\0';
    return count;
}

/* ---- jobs */

typedef struct batch {
    const one *documents;
    size_t count, next;
    char evidence[MOST_DOCUMENTS + TEXTS_USED][8]; /* by document; "": it is kept */
} batch;

static int give_one(void *context, nd_record *out) {
    batch *b = context;
    if (b->next == b->count) return 0;
    const one *document = &b->documents[b->next++];
    out->text = document_text(document->text, 1);
    out->length = strlen(out->text);
    out->id = document->id;
    out->id_length = strlen(document->id);
    return 1;
}

static bool note(void *context, const nd_decision *d) {
    batch *b = context;
    char *evidence = b->evidence[d->document];
    snprintf(evidence, sizeof b->evidence[0], "%.*s", d->kept ? 0 : (int)d->evidence_id_length,
             d->evidence_id);
    return true;
}

static nd_status run(batch *b, const char *path, bool replace, bool resume, nd_error *error) {
    job_parts o;
    job_parts_init(&o);
    b->next = 0;
    o.input.records = give_one;
    o.input.records_context = b;
    o.outputs.on_decision = note;
    o.outputs.context = b;
    o.resources.threads = 1;
    o.resources.work = ".";
    o.index.path = path;
    o.index.replace = replace;
    o.index.resume = resume;
    return nd_exact(exact_of(&o, ND_EQUAL_TOKENS), NULL, error);
}

static void make_index(const char *path) {
    nd_error error;
    nd_index_options o;
    nd_index_options_init(&o, sizeof o);
    o.content = ND_CONTENT_HASHES;
    o.by = ND_EQUAL_TOKENS;
    must(nd_index_create(path, &o, &error), &error);
}

static void change(const step *o, const char *path) {
    nd_error error;
    nd_index *x;
    bool found;
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    if (o->kind == COMPACT) must(nd_index_compact(x, &error), &error);
    else
        must(nd_index_remove(x, o->documents->id, strlen(o->documents->id), &found, &error),
             &error);
    nd_index_close(x);
}

static void perform(const step *o, const char *path) {
    nd_error error;
    batch b = {.documents = o->documents, .count = o->count};
    if (o->kind == CREATE) make_index(path);
    else if (o->kind == BATCH) must(run(&b, path, o->replace, false, &error), &error);
    else change(o, path);
}

/* ---- after a crash */

static uint64_t count_documents(const char *path) {
    nd_error error;
    nd_index *x;
    nd_index_info info = {.struct_size = sizeof info};
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(nd_index_check(x, &error), &error);
    must(nd_index_describe(x, &info, &error), &error);
    nd_index_close(x);
    return info.documents;
}

/* Adds every text once more: the evidence tells the document of the index that has it. */
static content_state probe(const char *path) {
    static const one all[TEXTS_USED] = {{"p0", 0}, {"p1", 1}, {"p2", 2}, {"p3", 3}, {"p4", 4},
                                        {"p5", 5}, {"p6", 6}, {"p7", 7}, {"p8", 8}};
    batch b = {.documents = all, .count = TEXTS_USED};
    content_state found = {.there = true};
    nd_error error;
    must(run(&b, path, false, false, &error), &error);
    for (unsigned t = 0; t < TEXTS_USED; t++) strcpy(found.id[t], b.evidence[t]);
    if (count_documents(path) != TEXTS_USED) broken("the index does not go on");
    return found;
}

static bool is_same(const content_state *a, const content_state *b) {
    for (unsigned t = 0; t < TEXTS_USED; t++)
        if (strcmp(a->id[t], b->id[t]) != 0) return false;
    return a->there == b->there;
}

/* The batch is given again: nothing of it is there twice, and nothing is missing. */
static void repeat(const step *o, const content_state *after, const char *path) {
    nd_error error;
    batch b = {.documents = o->documents, .count = o->count};
    must(run(&b, path, o->replace, true, &error), &error);
    if (count_documents(path) != documents_of(after)) broken("a batch that is given again differs");
}

static bool exists(const char *path) {
    nd_error error;
    nd_index *x;
    if (nd_index_open(path, ND_INDEX_READ, NULL, &x, &error) != ND_OK) return false;
    nd_index_close(x);
    return true;
}

/* "crash" is in the state before step `first` of the newest acknowledged, up to `last`. */
static void look(size_t first, size_t last, bool again) {
    if (!exists("crash")) {
        if (states[first].there) broken("there is no index");
        return;
    }
    if (again && last > first && states[first].there && steps[first].kind == BATCH)
        repeat(&steps[first], &states[last], "crash");
    const content_state found = probe("crash");
    for (size_t s = first; s <= last; s++)
        if (is_same(&found, &states[s])) return;
    broken("the index is in no state from %zu to %zu", first, last);
}

static size_t replay(const system_recording *r, uint64_t seed) {
    disk *d = disk_create();
    size_t first = 0, last = 0, crashes = 0;
    for (size_t i = 0; i < r->count; i++) {
        const system_event *e = &r->events[i];
        disk_apply(d, e);
        if (e->kind == EVENT_NOTE) {
            first = e->offset;
            last = e->size;
        }
        for (int choice = 0; choice < DISK_CHOICES + 2; choice++) {
            if (random_below(&seed, 1 + test_sparsity() / 16) != 0) continue;
            test_at("event %zu, choice %d", i, choice);
            disk_crash(d, choice < DISK_CHOICES ? (disk_choice)choice : DISK_ANY, &seed, "crash");
            look(first, last, random_below(&seed, 2));
            crashes++;
        }
    }
    disk_free(d);
    return crashes;
}

static void test_crashes(void **state) {
    (void)state;
    system_recording recording;
    system_record("x", &recording);
    for (size_t s = 0; s < STEPS; s++) {
        states[s + 1] = states[s];
        apply(&steps[s], &states[s + 1]);
        system_note(s, s + 1);
        perform(&steps[s], "x");
        system_note(s + 1, s + 1);
    }
    system_record_end();
    assert_int_equal(count_documents("x"), documents_of(&states[STEPS]));
    assert_true(replay(&recording, 1) > 200);
    system_recording_free(&recording);
    remove_directory("x");
    remove_directory("crash");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crashes)};
    return cmocka_run_group_tests(tests, image_enter, leave_own_directory);
}
