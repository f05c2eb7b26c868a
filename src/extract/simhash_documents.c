/* Makes the fingerprints of all documents of an input, and emits them in the order of input: as
 * rows of a table, which the workers write block by block, and to a callback. */
#include "base/argument.h"
#include "base/floats.h"
#include "corpus/batch_ids.h"
#include "job/run_context.h"
#include "job/tsv_writer.h"
#include "sketch/text_simhash.h"
#include "text/analyzer.h"

#include <string.h>

/* ---- mapping */

typedef struct print_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    const nd_simhash_options *simhash;
    bool rows, entries; /* rows for the output are wanted; entries for the callback are wanted */
} print_plan;

/* The fingerprint of one document. */
typedef struct print_entry {
    nd_batch_id id;
    nd_fingerprint fingerprint;
} print_entry;

/* The fingerprints of a block. */
typedef struct prints {
    size_t documents;
    nd_table rows; /* never opened; only its memory for rows is used */
    print_entry *entries;
    size_t entry_count, entry_capacity;
    nd_batch_ids ids;
} prints;

typedef struct print_worker {
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;
} print_worker;

static void reset_prints(void *batch) {
    prints *p = batch;
    p->documents = p->rows.size = p->entry_count = p->ids.size = 0;
}

static nd_status add_row(const print_plan *plan, prints *p, const print_entry *e, nd_error *error) {
    char hex[33];
    size_t digits = plan->simhash->bits / 4;
    nd_fingerprint_format(e->fingerprint, plan->simhash->bits, hex);
    p->rows.allocator = *plan->allocator;
    ND_TRY(nd_table_id(&p->rows, p->ids.bytes + e->id.start, e->id.length, error));
    if (!nd_reserve(plan->allocator, &p->rows.row, &p->rows.capacity, p->rows.size + digits + 1))
        return nd_fail_memory(error, digits, "a row");
    memcpy(p->rows.row + p->rows.size, hex, digits);
    p->rows.row[p->rows.size + digits] = '\n';
    p->rows.size += digits + 1;
    return ND_OK;
}

static nd_status add_entry(const print_plan *plan, prints *p, const print_entry *e,
                           nd_error *error) {
    if (!nd_reserve(plan->allocator, &p->entries, &p->entry_capacity, p->entry_count + 1))
        return nd_fail_memory(error, sizeof *e, "fingerprints");
    p->entries[p->entry_count++] = *e;
    return ND_OK;
}

static nd_status fingerprint(const void *context, void *worker, void *batch,
                             const nd_scan_item *item, nd_error *error) {
    const print_plan *plan = context;
    print_worker *w = worker;
    prints *p = batch;
    print_entry made;
    ND_TRY(nd_text_simhash_make(w->simhash, item->document->text, item->document->length,
                                &made.fingerprint, error));
    ND_TRY(nd_batch_ids_add(&p->ids, item, plan->allocator, &made.id, error));
    p->documents++;
    if (plan->rows) ND_TRY(add_row(plan, p, &made, error));
    return plan->entries ? add_entry(plan, p, &made, error) : ND_OK;
}

static nd_status create_worker(const void *context, void **worker, nd_error *error) {
    const print_plan *plan = context;
    print_worker *w = *worker = nd_allocate_zero(plan->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &plan->analyzer, plan->allocator, &w->analyzer,
                                  error));
    return nd_text_simhash_create(w->analyzer, plan->simhash, NULL, &w->simhash, error);
}

static void destroy_worker(const void *plan, void *worker) {
    print_worker *w = worker;
    if (!w) return;
    nd_text_simhash_free(w->simhash);
    nd_analyzer_free(w->analyzer);
    nd_release(((const print_plan *)plan)->allocator, w);
}

static void destroy_prints(const void *plan, void *batch) {
    const nd_allocator *a = ((const print_plan *)plan)->allocator;
    prints *p = batch;
    nd_release(a, p->rows.row);
    nd_release(a, p->entries);
    nd_batch_ids_free(&p->ids, a);
}

/* ---- emitting */

typedef struct print_receiver {
    nd_fingerprint_fn *fn; /* NULL: none */
    void *context;
    nd_output_file *output; /* NULL: none */
    uint64_t documents;     /* emitted so far */
} print_receiver;

static nd_status emit_prints(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    print_receiver *r = result;
    const prints *p = batch;
    if (r->output) ND_TRY(nd_output_file_write(r->output, p->rows.row, p->rows.size, error));
    for (size_t i = 0; i < p->entry_count; i++) {
        const print_entry *e = &p->entries[i];
        const nd_fingerprinted document = {r->documents + i, p->ids.bytes + e->id.start,
                                           e->id.length, e->fingerprint};
        if (!r->fn(r->context, &document)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    r->documents += p->documents;
    return ND_OK;
}

/* ---- the run */

typedef struct print_run {
    nd_input_options input;
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
    const char *output; /* NULL: not wanted */
    const nd_resources *resources;
    nd_run run;
    nd_corpus *corpus;
    print_receiver receiver;
    nd_job_summary summary;
} print_run;

static nd_status fingerprint_all(print_run *p, nd_error *error) {
    nd_scan_counts counts;
    const print_plan plan = {.allocator = &p->run.allocator,
                             .analyzer = p->analyzer,
                             .simhash = &p->simhash,
                             .rows = p->receiver.output != NULL,
                             .entries = p->receiver.fn != NULL};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = &p->receiver,
                                 .create_worker = create_worker,
                                 .map = fingerprint,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(prints),
                                 .reset = reset_prints,
                                 .emit = emit_prints,
                                 .destroy_batch = destroy_prints};
    ND_TRY(nd_run_scan(&p->run, &p->input, p->corpus, &stage, &counts, error));
    nd_summary_add_scan(&p->summary, &counts);
    return nd_run_publish(&p->run, &p->receiver.output, 1, &p->summary, error);
}

static nd_status run(print_run *p, nd_error *error) {
    const nd_input_plan input = {.use = ND_INPUT_ONCE, .analyzer = p->analyzer.kind};
    ND_TRY(nd_analyzer_options_check_transient(&p->analyzer, error));
    ND_TRY(nd_run_begin(p->resources, p->output, &p->run, error));
    ND_TRY(nd_run_open_input(&p->run, &p->input, &input, &p->corpus, error));
    ND_TRY(nd_simhash_options_check(&p->simhash, &p->analyzer, error));
    if (p->output)
        ND_TRY(nd_output_file_open(p->output, p->run.progress, &p->run.allocator,
                                   &p->receiver.output, error));
    ND_TRY(nd_run_check_outputs(p->corpus, &p->receiver.output, 1, error));
    ND_TRY(fingerprint_all(p, error));
    nd_run_fill_scan_summary(&p->run, &p->summary);
    return ND_OK;
}

static nd_status read_options(const nd_fingerprints_options *given, print_run *p, nd_error *error) {
    nd_fingerprints_options o = {0};
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &o, "nd_fingerprints_options", error));
    ND_TRY(nd_input_options_read(o.input, &p->input, error));
    ND_TRY(nd_analyzer_options_read(o.analyzer, &p->analyzer, error));
    ND_TRY(nd_simhash_options_read(o.simhash, &p->simhash, error));
    p->output = o.output;
    p->resources = o.resources;
    return ND_OK;
}

nd_status nd_fingerprints(const nd_fingerprints_options *options, nd_fingerprint_fn *fn,
                          void *context, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    print_run p = {.receiver = {.fn = fn, .context = context}};
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &p, error));
    if (!fn && !p.output)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "fingerprints go to fn or to options.output: at least one of them");
    nd_status status = run(&p, error);
    if (status == ND_OK) nd_job_summary_give(summary, &p.summary);
    nd_output_file_free(p.receiver.output);
    nd_corpus_close(p.corpus);
    nd_run_end(&p.run);
    return status;
}
