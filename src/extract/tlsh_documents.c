/* Makes the TLSH digests of all documents of an input, on all threads, and calls back with them in
 * the order of input. */
#include "base/argument.h"
#include "base/floats.h"
#include "corpus/batch_ids.h"
#include "job/run_context.h"
#include "sketch/tlsh.h"

/* ---- mapping */

typedef struct digest_plan {
    const nd_allocator *allocator;
    nd_tlsh_variant variant;
} digest_plan;

typedef struct digest_entry {
    nd_batch_id id;
    nd_tlsh digest;
    bool has_digest;
} digest_entry;

/* The digests of a block. */
typedef struct digests {
    digest_entry *entries;
    size_t count, capacity;
    nd_batch_ids ids;
} digests;

static void reset_digests(void *batch) {
    digests *d = batch;
    d->count = d->ids.size = 0;
}

static nd_status digest(const void *context, void *worker, void *batch, const nd_scan_item *item,
                        nd_error *error) {
    (void)worker;
    const digest_plan *plan = context;
    digests *d = batch;
    if (!nd_reserve(plan->allocator, &d->entries, &d->capacity, d->count + 1))
        return nd_fail_memory(error, sizeof *d->entries, "digests");
    digest_entry *e = &d->entries[d->count];
    *e = (digest_entry){.has_digest = false};
    e->has_digest = nd_tlsh_make(plan->variant, item->document->text, item->document->length,
                                 &e->digest);
    ND_TRY(nd_batch_ids_add(&d->ids, item, plan->allocator, &e->id, error));
    d->count++;
    return ND_OK;
}

static void destroy_digests(const void *plan, void *batch) {
    const nd_allocator *a = ((const digest_plan *)plan)->allocator;
    digests *d = batch;
    nd_release(a, d->entries);
    nd_batch_ids_free(&d->ids, a);
}

/* ---- emitting */

typedef struct digest_receiver {
    nd_digest_fn *fn;
    void *context;
    uint64_t documents, without; /* emitted so far; those without a digest */
} digest_receiver;

static nd_status emit_digests(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    digest_receiver *r = result;
    const digests *d = batch;
    for (size_t i = 0; i < d->count; i++) {
        const digest_entry *e = &d->entries[i];
        const nd_digested document = {.document = r->documents++,
                                      .id = d->ids.bytes + e->id.start,
                                      .id_length = e->id.length,
                                      .has_digest = e->has_digest,
                                      .digest = e->digest};
        r->without += !e->has_digest;
        if (!r->fn(r->context, &document)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

/* ---- the run */

typedef struct digest_run {
    nd_digests_options options;
    nd_input_options input;
    nd_run run;
    nd_corpus *corpus;
    digest_receiver receiver;
    nd_job_summary summary;
} digest_run;

static nd_status run(digest_run *d, nd_error *error) {
    const nd_input_plan input = {.use = ND_INPUT_ONCE};
    nd_scan_counts counts;
    ND_TRY(nd_run_begin(d->options.resources, NULL, &d->run, error));
    ND_TRY(nd_run_open_input(&d->run, &d->input, &input, &d->corpus, error));
    const digest_plan plan = {&d->run.allocator, d->options.variant};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = &d->receiver,
                                 .map = digest,
                                 .batch_size = sizeof(digests),
                                 .reset = reset_digests,
                                 .emit = emit_digests,
                                 .destroy_batch = destroy_digests};
    ND_TRY(nd_run_scan(&d->run, &d->input, d->corpus, &stage, &counts, error));
    nd_summary_add_scan(&d->summary, &counts);
    d->summary.without_digest = d->receiver.without;
    nd_run_fill_scan_summary(&d->run, &d->summary);
    return ND_OK;
}

static nd_status read_options(const nd_digests_options *given, digest_run *d, nd_error *error) {
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &d->options, "nd_digests_options", error));
    ND_CHECK_ENUM(d->options.variant, "variant", ND_TLSH_128_1, ND_TLSH_256_3, error);
    return nd_input_options_read(d->options.input, &d->input, error);
}

nd_status nd_digests(const nd_digests_options *options, nd_digest_fn *fn, void *context,
                     nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    digest_run d = {.receiver = {.fn = fn, .context = context}};
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &d, error));
    nd_status status = run(&d, error);
    if (status == ND_OK) nd_job_summary_give(summary, &d.summary);
    nd_corpus_close(d.corpus);
    nd_run_end(&d.run);
    return status;
}
