/* Finds the passages of the queries that also occur in the documents of a source. The queries are
 * in memory, and the source is read once. The passages wait in memory and their texts in a spool,
 * until all of them can be reported by query. */
#include "base/argument.h"
#include "base/floats.h"
#include "index/index.h"
#include "passages/index_passages.h"
#include "passages/passage_report.h"
#include "store/state_directory.h"

#include <string.h>
#include <sys/stat.h>

typedef struct passager {
    nd_passages_options passages;
    nd_input_options query_input, source_input; /* they differ in their inputs only */
    nd_analyzer_options analyzer;
    uint64_t memory;   /* bytes */
    nd_run run;        /* the run that reads the source */
    nd_corpus *corpus; /* the source, if it is texts */
    nd_store *store;   /* the source, if it is an index */
    nd_passage_queries queries;
    nd_passage_rows rows;
    nd_job_summary summary;
} passager;

/* The input of the workers if the source is texts. */
typedef struct source_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    const nd_passage_queries *queries;
    const nd_passages_options *passages;
    nd_passage_rows *rows; /* the workers add to it at the same time (nd_passage_rows_add) */
} source_plan;

typedef struct worker {
    nd_analyzer *analyzer;
    nd_token_offsets tokens;
    nd_passage_finder finder;
    nd_id_buffer id;
} worker;

static const nd_passages_options defaults = {.struct_size = sizeof defaults, .least_run = 8};

void nd_passages_options_init(nd_passages_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- a source of texts */

static nd_status create_worker(const void *context, void **out, nd_error *error) {
    const source_plan *plan = context;
    worker *w = *out = nd_allocate_zero(plan->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    w->finder = (nd_passage_finder){.queries = plan->queries,
                                    .allocator = *plan->allocator,
                                    .least = plan->passages->least_run,
                                    .gap = plan->passages->gap};
    return nd_passage_analyzer_create(&plan->analyzer, plan->allocator, &w->analyzer, error);
}

static void destroy_worker(const void *plan, void *own) {
    const nd_allocator *a = ((const source_plan *)plan)->allocator;
    worker *w = own;
    if (!w) return;
    nd_analyzer_free(w->analyzer);
    nd_token_offsets_free(&w->tokens, a);
    nd_passage_finder_free(&w->finder);
    nd_release(a, w->id.bytes);
    nd_release(a, w);
}

static void reset_block(void *batch) { nd_passage_block_begin(batch); }

/* Finding the offsets of tokens is slow, so it is done only for a text that shares a passage. */
static nd_status map_source(const void *context, void *own, void *batch, const nd_scan_item *item,
                            nd_error *error) {
    const source_plan *plan = context;
    const nd_document *document = item->document;
    worker *w = own;
    nd_shingles tokens;
    ND_TRY(nd_analyze(w->analyzer, document->text, document->length, &tokens, error));
    ND_TRY(nd_passage_find(&w->finder, tokens.hashes, tokens.tokens, error));
    w->tokens.count = 0;
    if (w->finder.found_count > 0) {
        ND_TRY(nd_token_offsets_add(&w->tokens, w->analyzer, document->text, document->length,
                                    plan->allocator, error));
        ND_TRY(
            nd_document_id(item->source, item->record, document, plan->allocator, &w->id, error));
    }
    nd_passage_source source = {.name = {item->source->files ? NULL : w->id.source, w->id.line},
                                .id = w->id.id,
                                .id_length = w->id.length,
                                .text = document->text,
                                .tokens = w->tokens.places};
    return nd_passage_rows_add(plan->rows, batch, &source, w->finder.found, w->finder.found_count,
                               error);
}

static nd_status emit_block(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    return nd_passage_rows_append(result, batch, error);
}

static void destroy_block(const void *plan, void *batch) {
    nd_passage_block_free(batch, ((const source_plan *)plan)->allocator);
}

static nd_status read_texts(passager *p, nd_error *error) {
    nd_scan_counts counts;
    const source_plan plan = {.allocator = &p->run.allocator,
                              .analyzer = nd_analyzer_with_ngram(&p->analyzer, 1),
                              .queries = &p->queries,
                              .passages = &p->passages,
                              .rows = &p->rows};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = &p->rows,
                                 .create_worker = create_worker,
                                 .map = map_source,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(nd_passage_block),
                                 .reset = reset_block,
                                 .emit = emit_block,
                                 .destroy_batch = destroy_block};
    ND_TRY(nd_run_scan(&p->run, &p->source_input, p->corpus, &stage, &counts, error));
    nd_summary_add_scan(&p->summary, &counts);
    return ND_OK;
}

/* ---- a source that is an index */

/* *found: the source is a directory with an index in it, even if the index is damaged or newer than
 * this library. */
static nd_status find_index(const nd_allocator *allocator, const char *source, bool *found,
                            nd_error *error) {
    nd_manifest manifest;
    bool repair;
    nd_error reason;
    struct stat s;
    *found = false;
    if (!source || strcmp(source, "-") == 0 || stat(source, &s) != 0 || !S_ISDIR(s.st_mode))
        return ND_OK;
    nd_manifest_init(&manifest, allocator);
    nd_status status = nd_manifest_read(source, allocator, &manifest, &repair, &reason);
    nd_manifest_free(&manifest);
    if (status == ND_ERR_MEMORY) return nd_fail(error, status, "%s", reason.message);
    *found = status != ND_ERR_IO;
    nd_state_kind kind;
    ND_TRY(nd_state_find_kind(source, allocator, &kind, error));
    if (kind != ND_STATE_STREAM && kind != ND_STATE_LINES) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: %s, which keeps no texts to find passages in",
                   source, nd_state_name(kind));
}

static nd_status check_index(const passager *p, nd_error *error) {
    const nd_index_settings *set = &nd_store_state(p->store)->settings;
    const char *path = p->passages.source;
    ND_TRY(nd_index_check_documents(path, set, error));
    if (!set->exact)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: an index of sketches only, which keeps no shingles to find passages "
                       "by; give the texts that went into it",
                       path);
    ND_TRY(nd_index_check_hashes(path, set, &p->analyzer, error));
    if (p->passages.least_run >= set->ngram) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: an index keeps no texts, but shingles, here of %u tokens, and a run of "
                   "fewer is in none: the least run must be at least that, not %u",
                   path, set->ngram, p->passages.least_run);
}

static nd_status read_sets(passager *p, nd_error *error) {
    uint64_t bytes;
    const nd_set_pass pass = {.run = &p->run,
                              .store = p->store,
                              .queries = &p->queries,
                              .least = p->passages.least_run,
                              .gap = p->passages.gap,
                              .rows = &p->rows};
    ND_TRY(nd_set_pass_run(&pass, &bytes, error));
    p->summary.input_bytes += bytes;
    p->summary.documents += p->rows.documents;
    return ND_OK;
}

/* ---- the run */

static bool reads_standard_input(const nd_input_options *input) {
    for (size_t i = 0; i < input->input_count; i++)
        if (strcmp(input->inputs[i], "-") == 0) return true;
    return false;
}

static nd_status check(const passager *p, nd_error *error) {
    const nd_passages_options *o = &p->passages;
    if (o->least_run < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "least_run must be at least 1, not 0");
    if (p->analyzer.stem)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "stem is not for nd_passages, which compares words as they are");
    if (reads_standard_input(&p->query_input) && reads_standard_input(&p->source_input))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "standard input holds the queries or the source, not both");
    return nd_analyzer_options_check_transient(&p->analyzer, error);
}

static nd_input_plan input_plan(const passager *p) {
    return (nd_input_plan){.use = ND_INPUT_ONCE, .analyzer = p->analyzer.kind};
}

static nd_status read_queries(passager *p, nd_error *error) {
    nd_run run;
    nd_corpus *corpus = NULL;
    nd_scan_counts counts = {0};
    const nd_input_plan plan = input_plan(p);
    nd_status status = nd_run_begin(p->passages.resources, NULL, &run, error);
    p->queries = (nd_passage_queries){.allocator = run.allocator,
                                      .texts = p->passages.texts,
                                      .limit = p->memory / 2,
                                      .ngram = p->store ? nd_store_state(p->store)->settings.ngram
                                                        : 0};
    if (status == ND_OK) status = nd_run_open_input(&run, &p->query_input, &plan, &corpus, error);
    const nd_passage_input input = {&run, &p->query_input, &p->analyzer, corpus,
                                    p->passages.least_run};
    if (status == ND_OK) status = nd_passage_queries_read(&p->queries, &input, &counts, error);
    nd_summary_add_scan(&p->summary, &counts);
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}

static nd_status read_source(passager *p, nd_error *error) {
    const nd_input_plan plan = input_plan(p);
    ND_TRY(nd_run_begin(p->passages.resources, NULL, &p->run, error));
    if (!p->store) ND_TRY(nd_run_open_input(&p->run, &p->source_input, &plan, &p->corpus, error));
    p->rows = (nd_passage_rows){.allocator = p->run.allocator,
                                .queries = &p->queries,
                                .texts = p->passages.texts,
                                .placed = !p->store,
                                .memory = p->memory / 4};
    nd_spool_init(&p->rows.names, &p->run.allocator, p->run.space,
                  nd_memory_share(&p->run.budget, ND_MEMORY_IDS), "passages");
    return p->store ? read_sets(p, error) : read_texts(p, error);
}

/* Reports everything that was found. */
static nd_status report(passager *p, nd_passages_fn *fn, void *context, nd_error *error) {
    const nd_passages_options *o = &p->passages;
    const nd_passage_callbacks to = {fn, o->on_query, o->on_source, context};
    nd_passage_totals totals;
    ND_TRY(nd_passage_report(&p->rows, &to, &totals, error));
    p->summary.pairs = p->rows.count;
    p->summary.queries = p->queries.count;
    p->summary.queries_found = totals.queries_found;
    p->summary.query_tokens = p->queries.tokens.count;
    p->summary.found_tokens = totals.found;
    nd_run_fill_scan_summary(&p->run, &p->summary);
    return ND_OK;
}

/* Checks that no index is among several inputs. */
static nd_status check_sources(const passager *p, const nd_allocator *allocator, nd_error *error) {
    const nd_input_options *s = &p->source_input;
    for (size_t i = 0; i < s->input_count && !s->records && !p->passages.source; i++) {
        bool index;
        ND_TRY(find_index(allocator, s->inputs[i], &index, error));
        if (index)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: an index is searched alone, not among other inputs", s->inputs[i]);
    }
    return ND_OK;
}

static nd_status run(passager *p, const nd_allocator *allocator, nd_passages_fn *fn, void *context,
                     nd_error *error) {
    bool index;
    ND_TRY(check(p, error));
    ND_TRY(find_index(allocator, p->passages.source, &index, error));
    ND_TRY(check_sources(p, allocator, error));
    if (index) {
        ND_TRY(nd_store_open(p->passages.source, ND_STORE_READ, allocator, &p->store, error));
        ND_TRY(check_index(p, error));
    }
    ND_TRY(read_queries(p, error));
    ND_TRY(read_source(p, error));
    return report(p, fn, context, error);
}

static nd_status read_options(const nd_passages_options *given, passager *p,
                              nd_resources *resources, nd_error *error) {
    nd_passages_options *o = &p->passages;
    *o = defaults;
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, o, "nd_passages_options", error));
    if (!o->source == !o->source_input)
        return nd_fail(error, ND_ERR_ARGUMENT, "exactly one of source and source_input is needed");
    ND_TRY(nd_input_options_read(o->input, &p->query_input, error));
    ND_TRY(nd_analyzer_options_read(o->analyzer, &p->analyzer, error));
    ND_TRY(nd_resources_read(o->resources, resources, error));
    p->memory = resources->memory;
    if (o->source_input) {
        const nd_input_options *s = &p->source_input;
        ND_TRY(nd_input_options_read(o->source_input, &p->source_input, error));
        if (s->input_count == 1 && !s->files_from && !s->records) o->source = s->inputs[0];
        return ND_OK;
    }
    p->source_input = p->query_input;
    p->source_input.inputs = &p->passages.source;
    p->source_input.input_count = 1;
    p->source_input.records = NULL;
    return ND_OK;
}

nd_status nd_passages(const nd_passages_options *options, nd_passages_fn *fn, void *context,
                      nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    passager p = {0};
    nd_resources resources;
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &p, &resources, error));
    const nd_allocator allocator = nd_allocator_or_default(resources.allocator);
    nd_status status = run(&p, &allocator, fn, context, error);
    if (status == ND_OK) nd_job_summary_give(summary, &p.summary);
    nd_passage_rows_free(&p.rows);
    nd_corpus_close(p.corpus);
    nd_run_end(&p.run);
    nd_passage_queries_free(&p.queries);
    nd_store_close(p.store);
    return status;
}
