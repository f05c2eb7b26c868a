/* Counts in how many documents each word occurs, and writes a table of how rare the words are. One
 * scan reads the input. Each worker counts for itself; when the workers end, their counts are added
 * up. */
#include "base/argument.h"
#include "base/fixed_log.h"
#include "base/floats.h"
#include "base/format.h"
#include "job/run_context.h"
#include "terms/document_frequencies.h"
#include "text/analyzer.h"

#include <stdio.h>
#include <string.h>

enum { TABLE, STOP_WORDS, OUTPUTS };

typedef struct word_counter {
    nd_idf_options options;
    nd_input_options input;
    nd_analyzer_options analyzer;
    nd_run run;
    nd_corpus *corpus;
    nd_output_file *outputs[OUTPUTS];
    nd_job_summary summary;
    nd_document_frequencies *total; /* sum over the workers that have ended; NULL: none has ended */
} word_counter;

/* ---- counting */

typedef struct count_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    uint64_t memory;       /* limit of the bytes that all workers take together */
    atomic_size_t *bytes;  /* bytes that all workers take now */
    uint64_t memory_given; /* bytes; the run's whole memory, for the message */
} count_plan;

typedef struct word_worker {
    nd_document_frequencies *counts;
    size_t bytes; /* bytes of `counts`, already added to plan->bytes */
} word_worker;

static nd_status bound_memory(const count_plan *plan, word_worker *w, nd_error *error) {
    size_t bytes = nd_document_frequencies_memory(w->counts), more = bytes - w->bytes;
    if (more == 0) return ND_OK;
    w->bytes = bytes;
    if (atomic_fetch_add(plan->bytes, more) + more <= plan->memory) return ND_OK;
    return nd_fail(
        error, ND_ERR_MEMORY,
        "the words need more memory than the job may have, %llu MiB; fewer threads need less",
        (unsigned long long)(plan->memory_given >> 20));
}

static nd_status count_words(const void *plan, void *worker, void *batch, const nd_scan_item *item,
                             nd_error *error) {
    (void)batch;
    word_worker *w = worker;
    ND_TRY(nd_document_frequencies_add(w->counts, item->document->text, item->document->length,
                                       error));
    return bound_memory(plan, w, error);
}

static nd_status create_worker(const void *context, void **worker, nd_error *error) {
    const count_plan *plan = context;
    word_worker *w = *worker = nd_allocate_zero(plan->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_document_frequencies_create(&plan->analyzer, plan->allocator, &w->counts, error));
    return bound_memory(plan, w, error);
}

static nd_status combine(void *result, void *worker, nd_error *error) {
    word_counter *c = result;
    word_worker *w = worker;
    if (c->total) return nd_document_frequencies_merge(c->total, w->counts, c->run.progress, error);
    c->total = w->counts;
    w->counts = NULL;
    return ND_OK;
}

static void destroy_worker(const void *plan, void *worker) {
    word_worker *w = worker;
    if (!w) return;
    nd_document_frequencies_free(w->counts);
    nd_release(((const count_plan *)plan)->allocator, w);
}

/* ---- writing */

/* Writes the IDF with six decimals. They are rounded from integers, so that neither the locale nor
 * the rounding of printf changes them. */
static nd_status write_term(word_counter *c, nd_output_file *output, const nd_term *term,
                            uint64_t log_documents, nd_error *error) {
    char numbers[80];
    uint64_t idf = log_documents - nd_fixed_log((uint64_t)term->documents + 1);
    uint64_t millionths = (idf * 1000000 + (UINT64_C(1) << (ND_FIXED_LOG_BITS - 1))) >>
                          ND_FIXED_LOG_BITS;
    size_t length = nd_format(numbers, sizeof numbers, "\t%u\t%llu.%06llu\n",
                              (unsigned)term->documents, (unsigned long long)(millionths / 1000000),
                              (unsigned long long)(millionths % 1000000));
    c->summary.terms_written++;
    ND_TRY(nd_output_file_write(output, term->bytes, term->length, error));
    return nd_output_file_write(output, numbers, length, error);
}

/* The list begins with the words that the most documents have. */
static nd_status write_stop_words(const word_counter *c, nd_output_file *output,
                                  const nd_term *list, size_t count, nd_error *error) {
    double documents = (double)c->summary.documents;
    for (size_t i = 0; i < count && list[i].documents / documents > c->options.stop_share; i++) {
        ND_TRY(nd_output_file_write(output, list[i].bytes, list[i].length, error));
        ND_TRY(nd_output_file_write(output, "\n", 1, error));
    }
    return ND_OK;
}

static nd_status write_terms(word_counter *c, nd_output_file *output, const nd_term *list,
                             size_t count, nd_error *error) {
    enum { PROGRESS_TERMS = 1 << 16 };
    char head[160];
    const char *stem = c->analyzer.stem;
    uint64_t documents = c->summary.documents, log_documents = nd_fixed_log(documents + 1);
    size_t length = nd_format(head, sizeof head, "# documents: %llu\n%s%s%s%sterm\tdf\tidf\n",
                              (unsigned long long)documents, stem ? "# stem: " : "",
                              stem ? stem : "", stem ? "\n" : "",
                              c->analyzer.kind == ND_SEGMENT ? "# analyzer: segment\n" : "");
    ND_TRY(nd_output_file_write(output, head, length, error));
    for (size_t i = 0; i < count; i++) {
        if (i % PROGRESS_TERMS == 0)
            ND_TRY(nd_progress_report(c->run.progress, ND_STAGE_WRITE, i, count, error));
        ND_TRY(write_term(c, output, &list[i], log_documents, error));
    }
    return ND_OK;
}

static nd_status write_table(word_counter *c, nd_error *error) {
    nd_term *list = NULL;
    size_t count = 0;
    c->summary.terms = nd_document_frequencies_terms(c->total);
    ND_TRY(nd_document_frequencies_list(c->total, c->options.least, c->run.progress, &list, &count,
                                        error));
    nd_status status = write_terms(c, c->outputs[TABLE], list, count, error);
    if (status == ND_OK && c->outputs[STOP_WORDS])
        status = write_stop_words(c, c->outputs[STOP_WORDS], list, count, error);
    if (status == ND_OK) status = nd_run_publish(&c->run, c->outputs, OUTPUTS, &c->summary, error);
    nd_release(&c->run.allocator, list);
    return status;
}

/* ---- the run */

static nd_status open_outputs(word_counter *c, nd_error *error) {
    const char *const names[OUTPUTS] = {
        [TABLE] = c->options.output, [STOP_WORDS] = c->options.stop_words};
    for (size_t i = 0; i < OUTPUTS; i++)
        if (names[i])
            ND_TRY(nd_output_file_open(names[i], c->run.progress, &c->run.allocator, &c->outputs[i],
                                       error));
    return nd_run_check_outputs(c->corpus, c->outputs, OUTPUTS, error);
}

static nd_status scan(word_counter *c, nd_error *error) {
    atomic_size_t bytes = 0;
    nd_scan_counts counts;
    const count_plan plan = {.allocator = &c->run.allocator,
                             .analyzer = c->analyzer,
                             .memory = c->run.budget.shared,
                             .bytes = &bytes,
                             .memory_given = c->run.memory};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = c,
                                 .create_worker = create_worker,
                                 .map = count_words,
                                 .combine = combine,
                                 .destroy_worker = destroy_worker};
    ND_TRY(nd_run_scan(&c->run, &c->input, c->corpus, &stage, &counts, error));
    nd_summary_add_scan(&c->summary, &counts);
    return ND_OK;
}

static nd_status run(word_counter *c, nd_error *error) {
    const nd_input_plan input = {.use = ND_INPUT_ONCE, .analyzer = c->analyzer.kind};
    ND_TRY(nd_analyzer_options_check_transient(&c->analyzer, error));
    ND_TRY(nd_analyzer_options_check_single_words(&c->analyzer, "the terms of a table", error));
    ND_TRY(nd_run_begin(c->options.resources, c->options.output, &c->run, error));
    ND_TRY(nd_run_open_input(&c->run, &c->input, &input, &c->corpus, error));
    ND_TRY(open_outputs(c, error));
    ND_TRY(scan(c, error));
    ND_TRY(write_table(c, error));
    nd_run_fill_scan_summary(&c->run, &c->summary);
    return ND_OK;
}

static const nd_idf_options defaults = {
    .struct_size = sizeof defaults, .least = 1, .stop_share = 0.1};

void nd_idf_options_init(nd_idf_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

static nd_status read_options(const nd_idf_options *given, word_counter *c, nd_error *error) {
    nd_idf_options *o = &c->options;
    nd_analyzer_options analyzer;
    *o = defaults;
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, o, "nd_idf_options", error));
    ND_TRY(nd_need(o->output, "options.output", error));
    if (o->least < 1) return nd_fail(error, ND_ERR_ARGUMENT, "least must be at least 1");
    if (!(o->stop_share > 0 && o->stop_share < 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "stop_share must be above 0 and below 1, not %g",
                       o->stop_share);
    ND_TRY(nd_input_options_read(o->input, &c->input, error));
    ND_TRY(nd_analyzer_options_read(o->analyzer, &analyzer, error));
    c->analyzer = nd_analyzer_with_ngram(&analyzer, 1);
    return ND_OK;
}

nd_status nd_idf(const nd_idf_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    word_counter c = {0};
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &c, error));
    nd_status status = run(&c, error);
    if (status == ND_OK) nd_job_summary_give(summary, &c.summary);
    nd_document_frequencies_free(c.total);
    for (size_t i = 0; i < OUTPUTS; i++) nd_output_file_free(c.outputs[i]);
    nd_corpus_close(c.corpus);
    nd_run_end(&c.run);
    return status;
}
