/* Where queries copy from the documents of a source: the queries in memory, the source in one pass,
 * the passages in memory and their texts in a spool, until all can be told by query. */
#include "base/floats.h"
#include "index/index.h"
#include "job/pass_job.h"
#include "passages/index_passages.h"
#include "store/state_directory.h"

#include "base/argument.h"

#include <string.h>
#include <sys/stat.h>

typedef struct passager {
    nd_job job;      /* of the source: options, corpus, summary */
    nd_store *store; /* the source, where it is an index */
    nd_passages_options passages;
    nd_passage_queries queries;
    nd_passage_rows rows;
} passager;

typedef struct worker {
    nd_analyzer *analyzer;
    nd_placed_tokens tokens;
    nd_passage_seeker seeker;
    nd_id_buffer id;
} worker;

void nd_passages_options_init(nd_passages_options *options) {
    *options = (nd_passages_options){.least_run = 8};
}

/* ---- the source */

static nd_status begin_worker(void *context, void **out, nd_error *error) {
    passager *p = context;
    worker *w = *out = nd_allocate_zero(&p->job.allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    w->seeker = (nd_passage_seeker){.queries = &p->queries,
                                    .allocator = p->job.allocator,
                                    .least = p->passages.least_run,
                                    .gap = p->passages.gap};
    return nd_passage_analyzer_create(&p->job, 1, &w->analyzer, error);
}

static void end_worker(void *context, void *own) {
    const nd_allocator *a = &((passager *)context)->job.allocator;
    worker *w = own;
    if (!w) return;
    nd_analyzer_free(w->analyzer);
    nd_placed_tokens_free(&w->tokens, a);
    nd_passage_seeker_free(&w->seeker);
    nd_release(a, w->id.bytes);
    nd_release(a, w);
}

static void begin_block(void *made) { nd_passage_block_begin(made); }

/* Where its tokens stand is asked of a text only when it shares something. */
static nd_status take_source(void *context, void *own, void *made, const nd_block *block,
                             size_t record, const nd_document *document, nd_error *error) {
    passager *p = context;
    worker *w = own;
    nd_shingles tokens;
    ND_TRY(nd_analyze(w->analyzer, document->text, document->length, &tokens, error));
    ND_TRY(nd_passage_seek(&w->seeker, tokens.hashes, tokens.tokens, error));
    w->tokens.count = 0;
    if (w->seeker.found_count > 0) {
        ND_TRY(nd_placed_tokens_add(&w->tokens, w->analyzer, document->text, document->length,
                                    &p->job.allocator, error));
        ND_TRY(nd_document_id(&p->job, block, record, document, &w->id, error));
    }
    nd_passage_source source = {w->id.id, w->id.length, document->text, w->tokens.places};
    return nd_passage_rows_add(&p->rows, made, &source, w->seeker.found, w->seeker.found_count,
                               error);
}

static nd_status put_block(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    return nd_passage_rows_put(&((passager *)context)->rows, made, error);
}

static void free_block(void *context, void *made) {
    nd_passage_block_free(made, &((passager *)context)->job.allocator);
}

/* ---- the job */

static nd_status check(const nd_job_options *options, const nd_passages_options *o,
                       nd_error *error) {
    ND_TRY(nd_need(o->source, "source", error));
    ND_TRY(nd_need_array(options->inputs, options->input_count, "inputs", error));
    if (o->least_run < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "least_run must be at least 1, not 0");
    if (options->stem)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "stem is not for nd_passages, which compares words as they are");
    for (size_t i = 0; i < options->input_count; i++)
        if (options->inputs[i] && strcmp(options->inputs[i], "-") == 0 &&
            strcmp(o->source, "-") == 0)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "standard input holds the queries or the source, not both");
    return ND_OK;
}

/* A directory with an index in it, even one that is damaged or newer. */
static nd_status find_index(const nd_allocator *allocator, const char *source, bool *found,
                            nd_error *error) {
    nd_manifest manifest;
    bool repair;
    nd_error reason;
    struct stat s;
    *found = false;
    if (strcmp(source, "-") == 0 || stat(source, &s) != 0 || !S_ISDIR(s.st_mode)) return ND_OK;
    nd_manifest_init(&manifest, allocator);
    nd_status status = nd_manifest_read(source, allocator, &manifest, &repair, &reason);
    nd_manifest_free(&manifest);
    if (status == ND_ERR_MEMORY) return nd_fail(error, status, "%s", reason.message);
    *found = status != ND_ERR_IO;
    nd_state_kind kind;
    ND_TRY(nd_state_find(source, allocator, &kind, error));
    if (kind != ND_STATE_STREAM) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: %s, which keeps no texts to find passages in",
                   source, nd_state_name(kind));
}

static nd_status check_index(const passager *p, const nd_job_options *options, nd_error *error) {
    const nd_index_settings *set = &nd_store_state(p->store)->settings;
    const char *path = p->passages.source;
    ND_TRY(nd_index_check_documents(path, set, error));
    if (!set->exact)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: an index of sketches only, which keeps no shingles to find passages "
                       "by; give the texts that went into it",
                       path);
    ND_TRY(nd_index_check_hashes(path, set, options, error));
    if (p->passages.least_run >= set->ngram) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: an index keeps no texts, but shingles, here of %u tokens, and a run of "
                   "fewer is in none: the least run must be at least that, not %u",
                   path, set->ngram, p->passages.least_run);
}

static nd_status read_queries(passager *p, const nd_job_options *options, nd_error *error) {
    nd_job reading;
    nd_pass_job_begin(&reading, options);
    p->queries.allocator = reading.allocator;
    p->queries.texts = p->passages.texts;
    p->queries.limit = options->memory / 2;
    p->queries.ngram = p->store ? nd_store_state(p->store)->settings.ngram : 0;
    nd_status status = nd_job_open_input(&reading, error);
    if (status == ND_OK)
        status = nd_passage_queries_read(&p->queries, &reading, p->passages.least_run, error);
    p->job.summary = reading.summary;
    nd_job_close_input(&reading);
    return status;
}

static void begin_rows(passager *p) {
    p->rows = (nd_passage_rows){.allocator = p->job.allocator,
                                .queries = &p->queries,
                                .texts = p->passages.texts,
                                .placed = !p->store,
                                .memory = p->job.options.memory / 4};
    nd_spool_init(&p->rows.names, &p->job.allocator, &p->job.disk, nd_job_share(&p->job, SHARE_IDS),
                  "passages");
}

/* The source in one pass: texts, or the sets of an index. */
static nd_status read_source(passager *p, nd_error *error) {
    nd_record_pass texts = {&p->job,      p,          sizeof(nd_passage_block),
                            begin_worker, end_worker, begin_block,
                            take_source,  put_block,  free_block};
    nd_set_pass sets = {&p->job,         p->store, &p->queries, p->passages.least_run,
                        p->passages.gap, &p->rows};
    ND_TRY(p->store ? nd_job_find_means(&p->job, error) : nd_job_open_input(&p->job, error));
    begin_rows(p);
    return p->store ? nd_set_pass_run(&sets, error) : nd_record_pass_run(&texts, error);
}

static nd_status run(passager *p, const nd_job_options *options, nd_passages_fn *fn, void *context,
                     nd_error *error) {
    bool index;
    ND_TRY(check(options, &p->passages, error));
    ND_TRY(find_index(&p->job.allocator, p->passages.source, &index, error));
    if (index) {
        ND_TRY(
            nd_store_open(p->passages.source, ND_STORE_READ, &p->job.allocator, &p->store, error));
        ND_TRY(check_index(p, options, error));
    }
    ND_TRY(read_queries(p, options, error));
    ND_TRY(read_source(p, error));
    p->job.summary.documents += p->rows.documents;
    p->job.summary.pairs = p->rows.count;
    return nd_passage_rows_tell(&p->rows, fn, context, error);
}

nd_status nd_passages(const nd_job_options *options, const nd_passages_options *passages,
                      nd_passages_fn *fn, void *context, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_need(passages, "passages", error));
    ND_TRY(nd_need(fn, "fn", error));
    passager p = {.passages = *passages};
    nd_pass_job_begin(&p.job, options);
    p.job.options.inputs = &p.passages.source;
    p.job.options.input_count = 1;
    p.job.options.records = NULL;
    nd_status status = run(&p, options, fn, context, error);
    nd_passage_rows_free(&p.rows);
    nd_pass_job_end(&p.job, status, summary);
    nd_passage_queries_free(&p.queries);
    nd_store_close(p.store);
    return status;
}
