/* nd_substrings: reads all documents, finds what repeats in their texts, and reports it with the
 * names of the documents. */
#include "base/argument.h"
#include "base/floats.h"
#include "job/run_context.h"
#include "repeats/document_names.h"
#include "repeats/repeat_finder.h"

#include <string.h>

static const nd_substrings_options defaults = {.struct_size = sizeof defaults, .least = 100};

void nd_substrings_options_init(nd_substrings_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

typedef struct substrings {
    nd_substrings_options options;
    nd_input_options input, source;
    nd_run run;
    nd_corpus *corpus;  /* that is read */
    uint64_t documents; /* of the source */
    nd_repeat_finder *finder;
    nd_document_names names;
    nd_id_buffer id, source_id; /* names of the last stretch */
    uint64_t named, source_named;
    uint64_t document, covered; /* of the last stretch; the end of all stretches of it */
    nd_substrings_fn *fn;
    void *context;
    nd_job_summary summary;
} substrings;

/* ---- reading */

typedef struct read_plan {
    const nd_allocator *allocator;
    uint32_t least;
} read_plan;

/* A document of a block: its id, its input's name and its text are one behind the other in `bytes`.
 */
typedef struct entry {
    size_t at, id_length, source_size, length, anchor_count;
    uint64_t line;
} entry;

typedef struct batch {
    entry *entries;
    char *bytes;
    nd_anchor *anchors;
    size_t count, capacity, size, byte_capacity, anchor_count, anchor_capacity;
    nd_id_buffer id; /* scratch */
} batch;

static void reset(void *own) {
    batch *b = own;
    b->count = b->size = b->anchor_count = 0;
}

static void append(batch *b, const char *bytes, size_t length) {
    if (length > 0) memcpy(b->bytes + b->size, bytes, length);
    b->size += length;
}

static nd_status create_worker(const void *context, void **out, nd_error *error) {
    const read_plan *plan = context;
    nd_anchor_finder *f = *out = nd_allocate_zero(plan->allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a worker");
    f->allocator = *plan->allocator;
    f->least = plan->least;
    return ND_OK;
}

static void destroy_worker(const void *plan, void *own) {
    if (!own) return;
    nd_anchor_finder_free(own);
    nd_release(((const read_plan *)plan)->allocator, own);
}

static nd_status map(const void *context, void *worker, void *own, const nd_scan_item *item,
                     nd_error *error) {
    const nd_allocator *a = ((const read_plan *)context)->allocator;
    const nd_document *d = item->document;
    nd_anchor_finder *f = worker;
    batch *b = own;
    ND_TRY(nd_anchors_find(f, d->text, d->length, error));
    ND_TRY(nd_document_id(item->source, item->record, d, a, &b->id, error));
    const entry e = {.at = b->size,
                     .id_length = b->id.length,
                     .source_size = strlen(b->id.source) + 1,
                     .length = d->length,
                     .anchor_count = f->count,
                     .line = b->id.line};
    size_t need = b->size + e.id_length + e.source_size + e.length;
    if (!nd_reserve(a, &b->entries, &b->capacity, b->count + 1) ||
        !nd_reserve(a, &b->bytes, &b->byte_capacity, need) ||
        !nd_reserve(a, &b->anchors, &b->anchor_capacity, b->anchor_count + f->count))
        return nd_fail_memory(error, need, "texts");
    b->entries[b->count++] = e;
    append(b, b->id.id, e.id_length);
    append(b, b->id.source, e.source_size);
    append(b, d->text, e.length);
    if (f->count > 0)
        memcpy(b->anchors + b->anchor_count, f->anchors, f->count * sizeof *f->anchors);
    b->anchor_count += f->count;
    return ND_OK;
}

static nd_status emit(void *result, void *own, const nd_block *block, nd_error *error) {
    (void)block;
    substrings *s = result;
    const batch *b = own;
    const nd_anchor *anchors = b->anchors;
    for (size_t i = 0; i < b->count; i++) {
        const entry *e = &b->entries[i];
        const char *id = b->bytes + e->at, *source = id + e->id_length;
        ND_TRY(nd_document_names_add(&s->names, id, e->id_length, source, e->line, error));
        ND_TRY(nd_repeat_finder_add(s->finder, source + e->source_size, e->length, anchors,
                                    e->anchor_count, error));
        anchors += e->anchor_count;
    }
    return ND_OK;
}

static void destroy_batch(const void *plan, void *own) {
    const nd_allocator *a = ((const read_plan *)plan)->allocator;
    batch *b = own;
    nd_release(a, b->entries);
    nd_release(a, b->bytes);
    nd_release(a, b->anchors);
    nd_release(a, b->id.bytes);
}

static nd_status scan(substrings *s, const nd_input_options *input, nd_error *error) {
    nd_scan_counts counts = {0};
    const read_plan plan = {&s->run.allocator, s->options.least};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = s,
                                 .create_worker = create_worker,
                                 .map = map,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(batch),
                                 .reset = reset,
                                 .emit = emit,
                                 .destroy_batch = destroy_batch};
    nd_status status = nd_run_scan(&s->run, input, s->corpus, &stage, &counts, error);
    nd_summary_add_scan(&s->summary, &counts);
    return status;
}

static nd_status read_input(substrings *s, const nd_input_options *input, nd_error *error) {
    const nd_input_plan plan = {.use = ND_INPUT_ONCE};
    ND_TRY(nd_run_open_input(&s->run, input, &plan, &s->corpus, error));
    nd_status status = scan(s, input, error);
    nd_corpus_close(s->corpus);
    s->corpus = NULL;
    return status;
}

static nd_status read_documents(substrings *s, nd_error *error) {
    if (s->options.source) {
        ND_TRY(read_input(s, &s->source, error));
        s->documents = s->summary.documents;
        nd_repeat_finder_begin_targets(s->finder);
    }
    return read_input(s, &s->input, error);
}

/* ---- reporting */

/* Counts bytes of overlapping stretches once. */
static void count_bytes(substrings *s, const nd_repeat *r) {
    if (s->document != r->text) s->covered = 0;
    s->document = r->text;
    uint64_t begin = r->begin > s->covered ? r->begin : s->covered;
    if (r->end <= begin) return;
    s->summary.repeated_bytes += r->end - begin;
    s->covered = r->end;
}

/* *named: 1 + the document whose name the buffer has. */
static nd_status find_name(const substrings *s, uint64_t document, uint64_t *named,
                           nd_id_buffer *buffer, nd_error *error) {
    if (*named == document + 1) return ND_OK;
    *named = document + 1;
    return nd_document_names_find(&s->names, document, buffer, error);
}

/* nd_repeat_fn */
static nd_status report(void *context, const nd_repeat *repeat, nd_error *error) {
    substrings *s = context;
    ND_TRY(find_name(s, repeat->text, &s->named, &s->id, error));
    ND_TRY(find_name(s, repeat->source_text, &s->source_named, &s->source_id, error));
    const nd_repeated_stretch stretch = {.document = repeat->text - s->documents,
                                         .id = s->id.id,
                                         .id_length = s->id.length,
                                         .file = s->id.source,
                                         .line = s->id.line,
                                         .begin = repeat->begin,
                                         .end = repeat->end,
                                         .source = repeat->source_text,
                                         .source_id = s->source_id.id,
                                         .source_id_length = s->source_id.length,
                                         .source_file = s->source_id.source,
                                         .source_line = s->source_id.line,
                                         .source_begin = repeat->source_begin};
    s->summary.pairs++;
    count_bytes(s, repeat);
    return s->fn(s->context, &stretch) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- the run */

static nd_status check(const nd_substrings_options *o, nd_error *error) {
    if (o->least < ND_SUBSTRINGS_LEAST || o->least > ND_SUBSTRINGS_MOST)
        return nd_fail(error, ND_ERR_ARGUMENT, "least must be %d to %d bytes, not %u",
                       ND_SUBSTRINGS_LEAST, ND_SUBSTRINGS_MOST, o->least);
    if ((unsigned)o->wanted > ND_REPEATS_ALL)
        return nd_fail(error, ND_ERR_ARGUMENT, "wanted has an unknown value, %d", (int)o->wanted);
    if (o->source && o->wanted == ND_REPEATS_ALL)
        return nd_fail(error, ND_ERR_ARGUMENT, "wanted must be ND_REPEATS_LATER with a source");
    return ND_OK;
}

static nd_status run(substrings *s, const nd_resources *resources, nd_error *error) {
    ND_TRY(nd_run_begin(resources, NULL, &s->run, error));
    nd_document_names_init(&s->names, &s->run.allocator, s->run.space,
                           nd_memory_share(&s->run.budget, ND_MEMORY_IDS));
    ND_TRY(nd_repeat_finder_create(&s->run, s->options.least, &s->finder, error));
    ND_TRY(read_documents(s, error));
    ND_TRY(nd_repeat_finder_run(s->finder, s->options.wanted, report, s, error));
    nd_run_fill_scan_summary(&s->run, &s->summary);
    return ND_OK;
}

static void release(substrings *s) {
    nd_repeat_finder_free(s->finder);
    nd_release(&s->run.allocator, s->id.bytes);
    nd_release(&s->run.allocator, s->source_id.bytes);
    nd_document_names_free(&s->names);
    nd_corpus_close(s->corpus);
    nd_run_end(&s->run);
}

nd_status nd_substrings(const nd_substrings_options *options, nd_substrings_fn *fn, void *context,
                        nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    substrings s = {.options = defaults, .fn = fn, .context = context};
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(ND_READ_OPTIONS(options, &s.options, "nd_substrings_options", error));
    ND_TRY(nd_input_options_read(s.options.input, &s.input, error));
    if (s.options.source) ND_TRY(nd_input_options_read(s.options.source, &s.source, error));
    ND_TRY(check(&s.options, error));
    nd_status status = run(&s, s.options.resources, error);
    if (status == ND_OK) nd_job_summary_give(summary, &s.summary);
    release(&s);
    return status;
}
