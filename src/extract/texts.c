/* The texts of all documents of an input, in its order. */
#include "base/floats.h"
#include "job/pass_job.h"

#include "base/argument.h"

#include <string.h>

typedef struct teller {
    nd_job job; /* for the pass: options, corpus, summary */
    nd_text_fn *fn;
    void *context;
} teller;

/* What is told of a document, at places in an array that still grows: its id, and behind it its
 * text. */
typedef struct text_entry {
    size_t at, id_length, length;
} text_entry;

/* Of a block. */
typedef struct texts {
    text_entry *entries;
    char *bytes;
    size_t count, capacity, size, byte_capacity;
    nd_id_buffer id; /* scratch */
} texts;

static void begin_texts(void *made) {
    texts *t = made;
    t->count = t->size = 0;
}

static void append(texts *t, const char *bytes, size_t length) {
    if (length > 0) memcpy(t->bytes + t->size, bytes, length);
    t->size += length;
}

static nd_status take_text(void *context, void *worker, void *made, const nd_block *block,
                           size_t record, const nd_document *document, nd_error *error) {
    (void)worker;
    const teller *r = context;
    texts *t = made;
    ND_TRY(nd_document_id(&r->job, block, record, document, &t->id, error));
    size_t need = t->size + t->id.length + document->length;
    if (!nd_reserve(&r->job.allocator, &t->entries, &t->capacity, t->count + 1) ||
        !nd_reserve(&r->job.allocator, &t->bytes, &t->byte_capacity, need))
        return nd_fail_memory(error, need, "texts");
    t->entries[t->count++] = (text_entry){t->size, t->id.length, document->length};
    append(t, t->id.id, t->id.length);
    append(t, document->text, document->length);
    return ND_OK;
}

static nd_status put_texts(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    teller *r = context;
    const texts *t = made;
    for (size_t i = 0; i < t->count; i++) {
        const text_entry *e = &t->entries[i];
        nd_text told = {r->job.summary.documents++, t->bytes + e->at, e->id_length,
                        t->bytes + e->at + e->id_length, e->length};
        if (!r->fn(r->context, &told)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

static void free_texts(void *context, void *made) {
    const nd_allocator *a = &((teller *)context)->job.allocator;
    texts *t = made;
    nd_release(a, t->entries);
    nd_release(a, t->bytes);
    nd_release(a, t->id.bytes);
}

static nd_status begin_worker(void *context, void **worker, nd_error *error) {
    (void)context, (void)worker, (void)error;
    return ND_OK;
}

static void end_worker(void *context, void *worker) { (void)context, (void)worker; }

nd_status nd_texts(const nd_job_options *options, nd_text_fn *fn, void *context,
                   nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_need(fn, "fn", error));
    teller r = {.fn = fn, .context = context};
    nd_pass_job_begin(&r.job, options);
    nd_record_pass pass = {&r.job,      &r,        sizeof(texts), begin_worker, end_worker,
                           begin_texts, take_text, put_texts,     free_texts};
    nd_status status = nd_job_open_input(&r.job, error);
    if (status == ND_OK) status = nd_record_pass_run(&pass, error);
    nd_pass_job_end(&r.job, status, summary);
    return status;
}
