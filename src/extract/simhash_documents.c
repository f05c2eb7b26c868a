/* The fingerprints of all documents of an input, in its order: to a table, whose rows the workers
 * write a block at a time, and to a callback. */
#include "base/floats.h"
#include "job/pass_job.h"
#include "job/tsv_writer.h"

#include "base/argument.h"
#include "sketch/text_simhash.h"
#include "text/analyzer.h"

#include <string.h>

typedef struct printer {
    nd_job job; /* for the pass: options, corpus, summary */
    nd_simhash_options simhash;
    nd_fingerprint_fn *fn; /* NULL: none */
    void *context;
    nd_output_file *output; /* NULL: none */
} printer;

/* What is told of a document, its id being at a place in an array that still grows. */
typedef struct print_entry {
    size_t id, id_length;
    nd_fingerprint fingerprint;
} print_entry;

/* Of a block. */
typedef struct prints {
    size_t documents;
    nd_table rows; /* never opened: rows are gathered in it */
    print_entry *entries;
    char *ids;
    size_t entry_count, entry_capacity, id_size, id_capacity;
    nd_id_buffer id; /* scratch */
} prints;

/* ---- making */

typedef struct print_worker {
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;
} print_worker;

static void begin_prints(void *made) {
    prints *p = made;
    p->documents = p->rows.size = p->entry_count = p->id_size = 0;
}

static nd_status add_row(const printer *r, prints *p, nd_fingerprint fingerprint, nd_error *error) {
    char hex[33];
    size_t digits = r->simhash.bits / 4;
    nd_fingerprint_format(fingerprint, r->simhash.bits, hex);
    p->rows.allocator = r->job.allocator;
    ND_TRY(nd_table_id(&p->rows, p->id.id, p->id.length, error));
    if (!nd_reserve(&r->job.allocator, &p->rows.row, &p->rows.capacity, p->rows.size + digits + 1))
        return nd_fail_memory(error, digits, "a row");
    memcpy(p->rows.row + p->rows.size, hex, digits);
    p->rows.row[p->rows.size + digits] = '\n';
    p->rows.size += digits + 1;
    return ND_OK;
}

static nd_status add_entry(const printer *r, prints *p, nd_fingerprint fingerprint,
                           nd_error *error) {
    const nd_allocator *a = &r->job.allocator;
    if (!nd_reserve(a, &p->entries, &p->entry_capacity, p->entry_count + 1) ||
        !nd_reserve(a, &p->ids, &p->id_capacity, p->id_size + p->id.length))
        return nd_fail_memory(error, p->id.length + sizeof(print_entry), "fingerprints");
    if (p->id.length > 0) memcpy(p->ids + p->id_size, p->id.id, p->id.length);
    p->entries[p->entry_count++] = (print_entry){p->id_size, p->id.length, fingerprint};
    p->id_size += p->id.length;
    return ND_OK;
}

static nd_status print_document(void *context, void *worker, void *made, const nd_block *block,
                                size_t record, const nd_document *document, nd_error *error) {
    const printer *r = context;
    print_worker *w = worker;
    prints *p = made;
    nd_fingerprint fingerprint;
    ND_TRY(nd_text_simhash_make(w->simhash, document->text, document->length, &fingerprint, error));
    ND_TRY(nd_document_id(&r->job, block, record, document, &p->id, error));
    p->documents++;
    if (r->output) ND_TRY(add_row(r, p, fingerprint, error));
    return r->fn ? add_entry(r, p, fingerprint, error) : ND_OK;
}

/* ---- telling */

static nd_status put_prints(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    printer *r = context;
    const prints *p = made;
    if (r->output) ND_TRY(nd_output_file_write(r->output, p->rows.row, p->rows.size, error));
    for (size_t i = 0; i < p->entry_count; i++) {
        const print_entry *entry = &p->entries[i];
        nd_fingerprinted told = {r->job.summary.documents + i, p->ids + entry->id, entry->id_length,
                                 entry->fingerprint};
        if (!r->fn(r->context, &told)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    r->job.summary.documents += p->documents;
    return ND_OK;
}

static void free_prints(void *context, void *made) {
    const nd_allocator *a = &((printer *)context)->job.allocator;
    prints *p = made;
    nd_release(a, p->rows.row);
    nd_release(a, p->entries);
    nd_release(a, p->ids);
    nd_release(a, p->id.bytes);
}

/* ---- workers */

static nd_status begin_worker(void *context, void **worker, nd_error *error) {
    printer *r = context;
    const nd_job_options *o = &r->job.options;
    nd_analyzer_options analyzer = nd_job_analyzer(o, o->ngram);
    print_worker *w = *worker = nd_allocate_zero(&r->job.allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &analyzer, &r->job.allocator, &w->analyzer,
                                  error));
    return nd_text_simhash_create(w->analyzer, &r->simhash, NULL, &w->simhash, error);
}

static void end_worker(void *context, void *worker) {
    print_worker *w = worker;
    if (!w) return;
    nd_text_simhash_free(w->simhash);
    nd_analyzer_free(w->analyzer);
    nd_release(&((printer *)context)->job.allocator, w);
}

/* ---- the job */

static nd_status run(printer *r, nd_error *error) {
    nd_job *job = &r->job;
    const nd_job_options *o = &job->options;
    nd_analyzer_options analyzer = nd_job_analyzer(o, o->ngram);
    ND_TRY(nd_job_open_input(job, error));
    ND_TRY(nd_simhash_options_check(&r->simhash, &analyzer, error));
    if (o->output)
        ND_TRY(nd_output_file_open(o->output, &job->progress, &job->allocator, &r->output, error));
    ND_TRY(nd_job_check_outputs(job, &r->output, 1, error));
    nd_record_pass pass = {job,
                           r,
                           sizeof(prints),
                           begin_worker,
                           end_worker,
                           begin_prints,
                           print_document,
                           put_prints,
                           free_prints};
    ND_TRY(nd_record_pass_run(&pass, error));
    return nd_pass_job_publish(job, &r->output, 1, error);
}

nd_status nd_fingerprints(const nd_job_options *options, const nd_simhash_options *simhash,
                          nd_fingerprint_fn *fn, void *context, nd_job_summary *summary,
                          nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(options, "options", error));
    if (!fn && !options->output)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "fingerprints go to fn or to options.output: at least one of them");
    printer r = {.fn = fn, .context = context};
    nd_simhash_options_init(&r.simhash);
    if (simhash) r.simhash = *simhash;
    nd_pass_job_begin(&r.job, options);
    nd_status status = run(&r, error);
    nd_pass_job_end(&r.job, status, summary);
    nd_output_file_free(r.output);
    return status;
}
