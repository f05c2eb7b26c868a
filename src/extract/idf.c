/* How many documents have each word, and so how rare it is: one pass, in which each worker counts
 * for itself; what they have counted is put together when they end. */
#include "base/floats.h"
#include "base/format.h"
#include "job/pass_job.h"

#include "base/argument.h"
#include "base/fixed_log.h"
#include "text/analyzer.h"
#include "terms/document_frequencies.h"

#include <stdio.h>
#include <string.h>

enum { TABLE, STOP_WORDS, OUTPUTS };

typedef struct word_counter {
    nd_job job;
    nd_idf_options idf;
    atomic_size_t bytes; /* of memory, of all workers */
    pthread_mutex_t lock;
    nd_term_counts *total; /* under the lock: of the workers that have ended; NULL: none has */
    nd_error failure;      /* of putting together, under the lock */
    nd_output_file *outputs[OUTPUTS];
} word_counter;

/* ---- counting */

typedef struct word_worker {
    nd_term_counts *counts;
    size_t bytes; /* as added to the counter's */
} word_worker;

static void begin_block(void *made) { *(uint64_t *)made = 0; }

static nd_status bound_memory(word_counter *c, word_worker *w, nd_error *error) {
    size_t bytes = nd_term_counts_bytes(w->counts), more = bytes - w->bytes;
    if (more == 0) return ND_OK;
    w->bytes = bytes;
    if (atomic_fetch_add(&c->bytes, more) + more <= c->job.memory) return ND_OK;
    return nd_fail(
        error, ND_ERR_MEMORY,
        "the words need more memory than the job may have, %llu MiB; fewer threads need less",
        (unsigned long long)(c->job.options.memory >> 20));
}

static nd_status count_document(void *context, void *worker, void *made, const nd_block *block,
                                size_t record, const nd_document *document, nd_error *error) {
    (void)block, (void)record;
    word_worker *w = worker;
    ND_TRY(nd_term_counts_add(w->counts, document->text, document->length, error));
    ++*(uint64_t *)made;
    return bound_memory(context, w, error);
}

static nd_status put_block(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block, (void)error;
    ((word_counter *)context)->job.summary.documents += *(uint64_t *)made;
    return ND_OK;
}

static void free_made(void *context, void *made) { (void)context, (void)made; }

static nd_status begin_worker(void *context, void **worker, nd_error *error) {
    word_counter *c = context;
    word_worker *w = *worker = nd_allocate_zero(&c->job.allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    nd_analyzer_options analyzer = nd_job_analyzer(&c->job.options, 1);
    ND_TRY(nd_term_counts_create(&analyzer, &c->job.allocator, &w->counts, error));
    return bound_memory(c, w, error);
}

static void end_worker(void *context, void *worker) {
    word_counter *c = context;
    word_worker *w = worker;
    if (!w) return;
    if (w->counts) {
        pthread_mutex_lock(&c->lock);
        if (!c->total) {
            c->total = w->counts;
            w->counts = NULL;
        } else if (c->failure.status == ND_OK) {
            nd_term_counts_merge(c->total, w->counts, &c->job.progress, &c->failure);
        }
        pthread_mutex_unlock(&c->lock);
    }
    nd_term_counts_free(w->counts);
    nd_release(&c->job.allocator, w);
}

/* ---- writing */

/* With six decimals, rounded from integers, so that no locale and no rounding of printf shows. */
static nd_status write_term(word_counter *c, nd_output_file *output, const nd_term *term,
                            uint64_t log_documents, nd_error *error) {
    char numbers[80];
    uint64_t idf = log_documents - nd_log_fixed((uint64_t)term->documents + 1);
    uint64_t millionths = (idf * 1000000 + (UINT64_C(1) << (ND_LOG_BITS - 1))) >> ND_LOG_BITS;
    size_t length = nd_format(numbers, sizeof numbers, "\t%u\t%llu.%06llu\n",
                              (unsigned)term->documents, (unsigned long long)(millionths / 1000000),
                              (unsigned long long)(millionths % 1000000));
    c->job.summary.terms_written++;
    ND_TRY(nd_output_file_write(output, term->bytes, term->length, error));
    return nd_output_file_write(output, numbers, length, error);
}

/* The words of most documents come first. */
static nd_status write_stop_words(const word_counter *c, nd_output_file *output,
                                  const nd_term *list, size_t count, nd_error *error) {
    double documents = (double)c->job.summary.documents;
    for (size_t i = 0; i < count && list[i].documents / documents > c->idf.stop_share; i++) {
        ND_TRY(nd_output_file_write(output, list[i].bytes, list[i].length, error));
        ND_TRY(nd_output_file_write(output, "\n", 1, error));
    }
    return ND_OK;
}

static nd_status write_terms(word_counter *c, nd_output_file *output, const nd_term *list,
                             size_t count, nd_error *error) {
    enum { PROGRESS_TERMS = 1 << 16 };
    char head[160];
    const char *stem = c->job.options.stem;
    uint64_t documents = c->job.summary.documents, log_documents = nd_log_fixed(documents + 1);
    size_t length = nd_format(head, sizeof head, "# documents: %llu\n%s%s%s%sterm\tdf\tidf\n",
                              (unsigned long long)documents, stem ? "# stem: " : "",
                              stem ? stem : "", stem ? "\n" : "",
                              c->job.options.analyzer == ND_SEGMENT ? "# analyzer: segment\n" : "");
    ND_TRY(nd_output_file_write(output, head, length, error));
    for (size_t i = 0; i < count; i++) {
        if (i % PROGRESS_TERMS == 0)
            ND_TRY(nd_progress_tell(&c->job.progress, ND_STAGE_WRITE, i, count, error));
        ND_TRY(write_term(c, output, &list[i], log_documents, error));
    }
    return ND_OK;
}

static nd_status write_table(word_counter *c, nd_error *error) {
    nd_term *list = NULL;
    size_t count = 0;
    c->job.summary.terms = nd_term_counts_terms(c->total);
    ND_TRY(nd_term_counts_list(c->total, c->idf.least, &c->job.progress, &list, &count, error));
    nd_status status = write_terms(c, c->outputs[TABLE], list, count, error);
    if (status == ND_OK && c->outputs[STOP_WORDS])
        status = write_stop_words(c, c->outputs[STOP_WORDS], list, count, error);
    if (status == ND_OK) status = nd_pass_job_publish(&c->job, c->outputs, OUTPUTS, error);
    nd_release(&c->job.allocator, list);
    return status;
}

/* ---- the job */

static nd_status open_outputs(word_counter *c, nd_error *error) {
    const char *const names[OUTPUTS] = {
        [TABLE] = c->job.options.output, [STOP_WORDS] = c->idf.stop_words};
    for (size_t i = 0; i < OUTPUTS; i++)
        if (names[i])
            ND_TRY(nd_output_file_open(names[i], &c->job.progress, &c->job.allocator,
                                       &c->outputs[i], error));
    return nd_job_check_outputs(&c->job, c->outputs, OUTPUTS, error);
}

static nd_status run(word_counter *c, nd_error *error) {
    const nd_analyzer_options analyzer = nd_job_analyzer(&c->job.options, 1);
    ND_TRY(nd_analyzer_options_check_words(&analyzer, "the terms of a table", error));
    ND_TRY(nd_job_open_input(&c->job, error));
    ND_TRY(open_outputs(c, error));
    nd_record_pass pass = {&c->job,        c,          sizeof(uint64_t),
                           begin_worker,   end_worker, begin_block,
                           count_document, put_block,  free_made};
    ND_TRY(nd_record_pass_run(&pass, error));
    if (c->failure.status != ND_OK)
        return nd_fail(error, c->failure.status, "%s", c->failure.message);
    return write_table(c, error);
}

void nd_idf_options_init(nd_idf_options *options) {
    *options = (nd_idf_options){.least = 1, .stop_share = 0.1};
}

nd_status nd_idf(const nd_job_options *options, const nd_idf_options *idf, nd_job_summary *summary,
                 nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_need(options->output, "options.output", error));
    word_counter c = {.idf.least = 0};
    nd_idf_options_init(&c.idf);
    if (idf) c.idf = *idf;
    if (c.idf.least < 1) return nd_fail(error, ND_ERR_ARGUMENT, "least must be at least 1");
    if (!(c.idf.stop_share > 0 && c.idf.stop_share < 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "stop_share must be above 0 and below 1, not %g",
                       c.idf.stop_share);
    nd_pass_job_begin(&c.job, options);
    pthread_mutex_init(&c.lock, NULL);
    nd_status status = run(&c, error);
    pthread_mutex_destroy(&c.lock);
    nd_term_counts_free(c.total);
    for (size_t i = 0; i < OUTPUTS; i++) nd_output_file_free(c.outputs[i]);
    nd_pass_job_end(&c.job, status, summary);
    return status;
}
