/* Calls back with the text of every document of an input, in the order of input. */
#include "base/argument.h"
#include "base/floats.h"
#include "job/run_context.h"

#include <string.h>

typedef struct text_receiver {
    nd_text_fn *fn;
    void *context;
    uint64_t documents;
} text_receiver;

/* One document. The bytes of the block still grow, so the entry has an offset: the id is at `at`,
 * and text, URI, date and source are one behind the other after it. */
typedef struct text_entry {
    size_t at, id_length, length, uri_length, date_length;
    uint64_t line;
} text_entry;

/* The texts of a block. */
typedef struct texts {
    text_entry *entries;
    char *bytes;
    size_t count, capacity, size, byte_capacity;
    nd_id_buffer id; /* scratch */
} texts;

static void reset_texts(void *batch) {
    texts *t = batch;
    t->count = t->size = 0;
}

static void append(texts *t, const char *bytes, size_t length) {
    if (length > 0) memcpy(t->bytes + t->size, bytes, length);
    t->size += length;
}

/* `plan` is the allocator. */
static nd_status map_text(const void *plan, void *worker, void *batch, const nd_scan_item *item,
                          nd_error *error) {
    (void)worker;
    texts *t = batch;
    ND_TRY(nd_document_id(item->source, item->record, item->document, plan, &t->id, error));
    const nd_document *d = item->document;
    size_t source = strlen(t->id.source) + 1,
           need = t->size + t->id.length + d->length + d->uri.length + d->date.length + source;
    if (!nd_reserve(plan, &t->entries, &t->capacity, t->count + 1) ||
        !nd_reserve(plan, &t->bytes, &t->byte_capacity, need))
        return nd_fail_memory(error, need, "texts");
    t->entries[t->count++] = (text_entry){.at = t->size,
                                          .id_length = t->id.length,
                                          .length = d->length,
                                          .uri_length = d->uri.length,
                                          .date_length = d->date.length,
                                          .line = t->id.line};
    append(t, t->id.id, t->id.length);
    append(t, d->text, d->length);
    append(t, d->uri.bytes, d->uri.length);
    append(t, d->date.bytes, d->date.length);
    append(t, t->id.source, source);
    return ND_OK;
}

static nd_status emit_texts(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    text_receiver *r = result;
    const texts *t = batch;
    for (size_t i = 0; i < t->count; i++) {
        const text_entry *e = &t->entries[i];
        const char *id = t->bytes + e->at, *bytes = id + e->id_length, *uri = bytes + e->length;
        const nd_text text = {.document = r->documents++,
                              .id = id,
                              .id_length = e->id_length,
                              .text = bytes,
                              .length = e->length,
                              .uri = uri,
                              .uri_length = e->uri_length,
                              .date = uri + e->uri_length,
                              .date_length = e->date_length,
                              .source = uri + e->uri_length + e->date_length,
                              .line = e->line};
        if (!r->fn(r->context, &text)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

static void destroy_texts(const void *plan, void *batch) {
    texts *t = batch;
    nd_release(plan, t->entries);
    nd_release(plan, t->bytes);
    nd_release(plan, t->id.bytes);
}

nd_status nd_texts(const nd_input_options *given, nd_text_fn *fn, void *context,
                   const nd_resources *resources, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    nd_input_options input;
    ND_TRY(nd_input_options_read(given, &input, error));
    nd_run run;
    nd_corpus *corpus = NULL;
    nd_scan_counts counts = {0};
    text_receiver receiver = {.fn = fn, .context = context};
    nd_status status = nd_run_begin(resources, NULL, &run, error);
    const nd_input_plan plan = {.use = ND_INPUT_ONCE};
    const nd_scan_stage stage = {.plan = &run.allocator,
                                 .result = &receiver,
                                 .map = map_text,
                                 .batch_size = sizeof(texts),
                                 .reset = reset_texts,
                                 .emit = emit_texts,
                                 .destroy_batch = destroy_texts};
    if (status == ND_OK) status = nd_run_open_input(&run, &input, &plan, &corpus, error);
    if (status == ND_OK) status = nd_run_scan(&run, &input, corpus, &stage, &counts, error);
    if (status == ND_OK) {
        nd_job_summary made = {0};
        nd_summary_add_scan(&made, &counts);
        nd_run_fill_scan_summary(&run, &made);
        nd_job_summary_give(summary, &made);
    }
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}
