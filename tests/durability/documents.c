/* Documents, operations and observations of tests of an index: see documents.h. */
#include "durability/documents.h"

#include "durability/fingerprint_model.h"

#include "base/status.h"
#include "job_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- failing */

static char where[600] = "at the beginning";
static bool ends_process;

void test_at(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
}

void broken(const char *format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!ends_process) fail_msg("%s: %s", where, text);
    fprintf(stderr, "process %d: %s: %s\n", (int)getpid(), where, text);
    _exit(99);
}

void broken_ends_process(void) { ends_process = true; }

void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) broken("status %d: %s", (int)status, error->message);
}

void must_report(nd_status status, const nd_error *error) {
    if (status == ND_OK) broken("no failure");
    if (error->status != status)
        broken("status %d, and %d in the error: %s", (int)status, (int)error->status,
               error->message);
    if (strlen(error->message) < 5 || strchr(error->message, '\n'))
        broken("status %d with the message \"%s\"", (int)status, error->message);
}

/* ---- documents */

/* Some ids are longer than a sector. */
const char *document_id(unsigned document, size_t *length) {
    static char ids[DOCUMENTS][800];
    char *id = ids[document];
    if (!*id) {
        snprintf(id, sizeof ids[0], "d%u", document);
        if (document % 8 == 7) memset(id + strlen(id), 'x', 700);
    }
    *length = strlen(id);
    return id;
}

const char *document_text(unsigned document, unsigned version) {
    static _Thread_local char texts[4][2000];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 4], *p = text;
    uint64_t seed = document * 1000 + version;
    size_t words = 3 + random_below(&seed, 30);
    for (size_t w = 0; w < words; w++)
        p += sprintf(p, "%sw%u", w ? " " : "", (unsigned)random_below(&seed, 1000000));
    return text;
}

nd_index_options document_options(bool sketch_only) {
    static const nd_analyzer_options pairs = {sizeof pairs, .kind = ND_WORDS, .ngram = 2,
                                              .seed = 1};
    nd_index_options o;
    nd_index_options_init(&o, sizeof o);
    o.analyzer = &pairs;
    o.perms = 16;
    o.recall = 0.85;
    o.sketch_only = sketch_only;
    return o;
}

/* ---- kinds of indexes */

static content_kind used;

void content_use(content_kind kind) {
    used = kind;
    fingerprint_numbers_begin();
}

content_kind content(void) { return used; }

const char *content_name(void) {
    static const char *const names[] = {"documents", "fingerprints", "fingerprints with numbers"};
    return names[used];
}

nd_status index_make(const char *path, bool sketch_only, nd_error *error) {
    nd_index_options documents = document_options(sketch_only);
    nd_hamming_options fingerprints = fingerprint_options();
    return used == CONTENT_DOCUMENTS ? nd_index_create(path, &documents, error)
                                     : nd_hamming_create(path, &fingerprints, error);
}

nd_status lookup_create(either_index *index, lookup **out, nd_error *error) {
    lookup *l = calloc(1, sizeof *l);
    assert_non_null(l);
    nd_status status = used == CONTENT_DOCUMENTS
                           ? nd_index_searcher_create(index->documents, &l->searcher, error)
                           : nd_hamming_searcher_create(index->fingerprints,
                                                        &l->fingerprint_searcher, error);
    if (status == ND_OK) *out = l;
    else free(l);
    return status;
}

void lookup_free(lookup *l) {
    if (!l) return;
    nd_index_searcher_free(l->searcher);
    nd_hamming_searcher_free(l->fingerprint_searcher);
    free(l);
}

/* ---- observing the content of an index */

bool row_equal(const row *a, const row *b) {
    return a->there == b->there && memcmp(a->version, b->version, sizeof a->version) == 0;
}

const char *row_text(const row *r) {
    static char texts[4][DOCUMENTS + 1];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    if (!r->there) return "no index";
    for (unsigned d = 0; d < DOCUMENTS; d++)
        text[d] = (char)(r->version[d] ? '0' + r->version[d] : '.');
    return text;
}

nd_status document_find(lookup *searcher, unsigned document, unsigned version, bool *there,
                        nd_error *error) {
    if (searcher->fingerprint_searcher)
        return fingerprint_find(searcher->fingerprint_searcher, document, version, there, error);
    const nd_match *matches;
    size_t count, length;
    const char *text = document_text(document, version), *id = document_id(document, &length);
    ND_TRY(nd_index_search(searcher->searcher, text, strlen(text), ND_SEARCH_ALL, &matches, &count,
                           error));
    *there = count > 0;
    bool right = count == 0 ||
                 (count == 1 && matches->jaccard == 1 && matches->id_length == length &&
                  memcmp(matches->id, id, length) == 0);
    if (!right)
        broken("%zu matches of version %u of %s, the first %.*s", count, version, id,
               (int)matches->id_length, matches->id);
    return ND_OK;
}

static nd_status observe(either_index *index, lookup *searcher, const row *known, size_t count,
                         row *out, nd_error *error) {
    unsigned found = 0;
    *out = (row){.there = true};
    for (unsigned d = 0; d < DOCUMENTS; d++) {
        unsigned tried = 0;
        for (size_t k = 0; k < count; k++) {
            unsigned version = known[k].version[d];
            bool there = false;
            if (version == 0 || tried >> version & 1) continue;
            tried |= 1u << version;
            ND_TRY(document_find(searcher, d, version, &there, error));
            if (!there) continue;
            if (out->version[d])
                broken("versions %u and %u of document %u are there at once", out->version[d],
                       version, d);
            out->version[d] = (uint8_t)version;
            found++;
        }
    }
    const either_info info = either_describe(index);
    if (info.documents != found)
        broken("%llu documents, and %u of them are found: %s", (unsigned long long)info.documents,
               found, row_text(out));
    return searcher->fingerprint_searcher
               ? fingerprint_check_searches(searcher->fingerprint_searcher, out, error)
               : ND_OK;
}

nd_status row_join(either_index *index, const row *held, nd_error *error) {
    if (used == CONTENT_DOCUMENTS) return ND_OK;
    ND_TRY(fingerprint_check_queries(index->fingerprints, held, true, 1, NULL, error));
    return fingerprint_check_join(index->fingerprints, held, true, 1, NULL, error);
}

nd_status row_observe(either_index *index, const row *known, size_t count, row *out,
                      nd_error *error) {
    lookup *searcher;
    ND_TRY(lookup_create(index, &searcher, error));
    nd_status status = observe(index, searcher, known, count, out, error);
    lookup_free(searcher);
    return status;
}

void check_index(either_index *index, bool died) {
    nd_error error;
    nd_status status = either_check(index, &error);
    if (status != ND_OK && !(died && strstr(error.message, "/manifest-"))) must(status, &error);
}

/* ---- operations */

operation operation_one(operation_kind kind, unsigned document, uint8_t version) {
    operation o = {.kind = kind, .document = document, .count = 1};
    o.version[document] = version;
    return o;
}

operation operation_many(unsigned document, unsigned count, uint8_t version) {
    operation o = {.kind = OPERATION_BATCH, .document = document, .count = count};
    memset(o.version + document, version, count);
    return o;
}

static uint8_t other_version(const row *now, unsigned document) {
    return (uint8_t)(now->version[document] % TEXTS + 1);
}

operation operation_random(uint64_t *seed, const row *now, bool calm) {
    operation o = {.document = (unsigned)random_below(seed, EXTRA), .count = 1};
    uint64_t kind = random_below(seed, 20);
    if (calm && kind >= 12 && random_below(seed, 5) > 0) kind = random_below(seed, 12);
    if (kind < 9) o.kind = OPERATION_ADD;
    else if (kind < 12) o.kind = OPERATION_REMOVE;
    else if (kind < 13) o.kind = OPERATION_COPY;
    else if (kind < 16) o.kind = OPERATION_BATCH;
    else if (kind < 18) o.kind = OPERATION_SYNC;
    else o.kind = OPERATION_COMPACT;
    const unsigned most =
        used == CONTENT_DOCUMENTS
            ? 9
            : 16; /* with small limits the largest batches do not fit the write-ahead log */
    if (o.kind == OPERATION_BATCH)
        o.count = (unsigned)random_below(seed,
                                         EXTRA - o.document < most ? EXTRA - o.document : most) +
                  1;
    for (unsigned d = o.document; d < o.document + o.count; d++)
        o.version[d] = other_version(now, d);
    if (o.kind == OPERATION_COPY && now->version[o.document] == 0) o.kind = OPERATION_ADD;
    operation_suit(&o, now);
    return o;
}

void operation_suit(operation *o, const row *now) {
    if (used != CONTENT_NUMBERS || (o->kind != OPERATION_ADD && o->kind != OPERATION_BATCH)) return;
    unsigned end = o->document;
    while (end < o->document + o->count && now->version[end] == 0) end++;
    if (end == o->document) *o = operation_one(OPERATION_REMOVE, o->document, 0);
    else o->count = end - o->document;
}

void operation_apply(const operation *o, row *r) {
    if (o->kind == OPERATION_REMOVE) r->version[o->document] = 0;
    if (o->kind != OPERATION_ADD && o->kind != OPERATION_BATCH) return;
    for (unsigned d = o->document; d < o->document + o->count; d++) r->version[d] = o->version[d];
}

static nd_status add(const operation *o, const row *now, nd_index *index,
                     nd_index_searcher *searcher, nd_error *error) {
    const nd_match *evidence = NULL;
    bool added = false;
    size_t length;
    const char *id = document_id(o->document, &length),
               *text = document_text(o->document, o->version[o->document]);
    const nd_record document = {
        .text = text, .length = strlen(text), .id = id, .id_length = length};
    ND_TRY(now->version[o->document] > 0
               ? nd_index_replace(index, searcher, &document, &added, &evidence, error)
               : nd_index_add(index, searcher, &document, &added, &evidence, error));
    if (!added || evidence) broken("%s is not added", id);
    return ND_OK;
}

static nd_status add_copy(const operation *o, const row *now, nd_index *index,
                          nd_index_searcher *searcher, nd_error *error) {
    const nd_match *evidence = NULL;
    bool added = true;
    size_t length;
    const char *id = document_id(o->document, &length),
               *text = document_text(o->document, now->version[o->document]);
    const nd_record copy = {.text = text, .length = strlen(text), .id = "copy", .id_length = 4};
    ND_TRY(nd_index_add(index, searcher, &copy, &added, &evidence, error));
    if (added || !evidence || evidence->id_length != length ||
        memcmp(evidence->id, id, length) != 0)
        broken("a copy of %s is added", id);
    return ND_OK;
}

static nd_status remove_document(const operation *o, const row *now, nd_index *index,
                                 nd_error *error) {
    bool found = false;
    size_t length;
    const char *id = document_id(o->document, &length);
    ND_TRY(nd_index_remove(index, id, length, &found, error));
    if (found != (now->version[o->document] > 0))
        broken("%s is %sfound and removed", id, found ? "" : "not ");
    return ND_OK;
}

nd_status operation_perform(const operation *o, const row *now, either_index *index,
                            lookup *searcher, nd_error *error) {
    if (searcher->fingerprint_searcher)
        return fingerprint_perform(o, now, index->fingerprints, searcher->fingerprint_searcher,
                                   error);
    switch (o->kind) {
    case OPERATION_ADD: return add(o, now, index->documents, searcher->searcher, error);
    case OPERATION_COPY: return add_copy(o, now, index->documents, searcher->searcher, error);
    case OPERATION_REMOVE: return remove_document(o, now, index->documents, error);
    case OPERATION_COMPACT: return either_compact(index, error);
    default: return either_sync(index, error);
    }
}

/* The documents of a batch, and copies of some documents that the index has. */
typedef struct batch {
    const operation *operation;
    const row *now;
    unsigned next, kept;
} batch;

static int give_batch(void *context, nd_record *out) {
    batch *b = context;
    const operation *o = b->operation;
    if (b->next < o->document + o->count) {
        unsigned d = b->next++;
        out->id = document_id(d, &out->id_length);
        out->text = document_text(d, o->version[d]);
    } else {
        while (b->next < DOCUMENTS && !b->now->version[b->next]) b->next++;
        if (b->next >= DOCUMENTS) return 0;
        out->id = "copy";
        out->id_length = 4;
        out->text = document_text(b->next, b->now->version[b->next]);
        b->next = DOCUMENTS;
    }
    out->length = strlen(out->text);
    return 1;
}

static bool count_kept(void *context, const nd_decision *decision) {
    ((batch *)context)->kept += decision->kept;
    return true;
}

nd_status operation_perform_batch(const operation *o, const row *now, const char *path,
                                  const nd_allocator *allocator, nd_error *error) {
    if (used != CONTENT_DOCUMENTS) return fingerprint_perform_batch(o, path, allocator, error);
    batch b = {.operation = o, .now = now, .next = o->document};
    nd_index_options index = document_options(false);
    job_parts job;
    job_parts_init(&job);
    job.input.records = give_batch;
    job.input.records_context = &b;
    job.analyzer = *index.analyzer;
    job.similarity.perms = index.perms;
    job.similarity.recall = index.recall;
    job.outputs.on_decision = count_kept;
    job.outputs.context = &b;
    job.resources.threads = 1;
    job.resources.work = ".";
    job.resources.allocator = allocator;
    job.index.path = path;
    job.index.resume = o->resume;
    job.index.replace = o->segment;
    for (unsigned k = 0; k < o->count; k++) job.index.replace |= now->version[o->document + k] != 0;
    ND_TRY(nd_dedup(dedup_of(&job), NULL, error));
    if (b.kept != o->count) broken("%u of %u documents of a batch are kept", b.kept, o->count);
    return ND_OK;
}
