/* nd_index_query: searches an index for each document of an input. Any number of threads search,
 * each with its own searcher. Answers are reported in the order of input, by one thread at a time.
 */
#include "base/argument.h"
#include "base/floats.h"
#include "index/index.h"
#include "index/index_searcher.h"
#include "job/run_context.h"

#include <string.h>

typedef struct query_plan {
    nd_allocator allocator;
    nd_index *index;
    nd_search_kind kind;
    uint32_t max_compare;
} query_plan;

typedef struct answer_receiver {
    nd_allocator allocator;
    nd_answer_fn *fn;
    void *context;
    nd_match *matches; /* matches of the answer with which fn is called */
    size_t match_capacity;
    nd_job_summary summary; /* pairs, bounded_documents, bounded_comparisons */
    uint64_t documents;     /* answered so far */
} answer_receiver;

/* An answer. The arrays with its id and matches still grow, so it has offsets, not pointers. */
typedef struct answer_parts {
    size_t id, id_length, match, count; /* a NUL is behind the id */
    uint64_t left_out, line;
    const char *source; /* NULL: the id */
} answer_parts;

typedef struct match_parts {
    nd_match match;
    size_t id;
} match_parts;

/* The answers of a block. */
typedef struct answers {
    answer_parts *list;
    match_parts *matches;
    char *bytes; /* ids */
    size_t count, capacity, match_count, match_capacity, size, byte_capacity;
    nd_id_buffer id; /* scratch */
    /* The documents of the last answers, which have not been searched for yet. */
    nd_document_group group;
} answers;

/* ---- making answers */

static void reset_answers(void *batch) {
    answers *a = batch;
    a->count = a->match_count = a->size = 0;
    nd_document_group_empty(&a->group);
}

static nd_status add_bytes(const query_plan *q, answers *a, const char *bytes, size_t length,
                           size_t *at, nd_error *error) {
    if (!nd_reserve(&q->allocator, &a->bytes, &a->byte_capacity, a->size + length))
        return nd_fail_memory(error, length, "ids");
    if (length > 0) memcpy(a->bytes + a->size, bytes, length);
    *at = a->size;
    a->size += length;
    return ND_OK;
}

static nd_status add_matches(const query_plan *q, answers *a, answer_parts *parts,
                             const nd_search_result *result, nd_error *error) {
    parts->match = a->match_count;
    parts->count = result->count;
    parts->left_out = result->left_out;
    if (!nd_reserve(&q->allocator, &a->matches, &a->match_capacity, a->match_count + result->count))
        return nd_fail_memory(error, result->count * sizeof *a->matches, "answers");
    for (size_t i = 0; i < result->count; i++) {
        match_parts *m = &a->matches[a->match_count++];
        m->match = result->matches[i];
        ND_TRY(add_bytes(q, a, m->match.id, m->match.id_length, &m->id, error));
    }
    return ND_OK;
}

static nd_status search_in(const query_plan *q, nd_document_search *search, const nd_store *store,
                           answers *a, nd_error *error) {
    size_t count = a->group.count;
    const nd_sketched_document *documents = nd_document_group_documents(&a->group,
                                                                        &q->index->shared.settings);
    ND_TRY(nd_document_search_look_up(search, store, documents, count, error));
    for (size_t i = 0; i < count; i++) {
        ND_TRY(nd_document_search_find(search, store, i, q->kind, UINT32_MAX, error));
        ND_TRY(add_matches(q, a, &a->list[a->count - count + i], nd_document_search_result(search),
                           error));
    }
    nd_document_group_empty(&a->group);
    return ND_OK;
}

/* Searches for the documents of the group. */
static nd_status answer_group(const void *context, void *worker, void *batch, nd_error *error) {
    const query_plan *q = context;
    const nd_index_searcher *searcher = worker;
    answers *a = batch;
    if (a->group.count == 0) return ND_OK;
    const nd_store *store = nd_index_store_begin_read(searcher->index);
    nd_status status = search_in(q, searcher->search, store, a, error);
    nd_index_store_end_read(searcher->index);
    return status;
}

/* Adds a document to the group, and its answer, still without matches. */
static nd_status answer(const void *context, void *worker, void *batch, const nd_scan_item *item,
                        nd_error *error) {
    const query_plan *q = context;
    const nd_document *document = item->document;
    const nd_index_searcher *searcher = worker;
    answers *a = batch;
    nd_sketched_document sketched;
    size_t end;
    ND_TRY(nd_document_sketcher_sketch(searcher->sketcher, document->text, document->length,
                                       &sketched, error));
    if (nd_document_group_is_full(&a->group)) ND_TRY(answer_group(q, worker, a, error));
    if (!nd_reserve(&q->allocator, &a->list, &a->capacity, a->count + 1))
        return nd_fail_memory(error, sizeof *a->list, "answers");
    ND_TRY(nd_document_id(item->source, item->record, document, &q->allocator, &a->id, error));
    ND_TRY(nd_document_group_add(&a->group, &q->index->shared.settings, &sketched, &q->allocator,
                                 error));
    answer_parts *parts = &a->list[a->count++];
    *parts = (answer_parts){.id_length = a->id.length,
                            .line = a->id.line,
                            .source = item->source->files ? NULL : a->id.source};
    ND_TRY(add_bytes(q, a, a->id.id, a->id.length, &parts->id, error));
    return add_bytes(q, a, "", 1, &end, error);
}

/* ---- emitting answers */

static nd_status call_back(answer_receiver *r, const answers *a, const answer_parts *parts,
                           nd_error *error) {
    if (!nd_reserve(&r->allocator, &r->matches, &r->match_capacity, parts->count))
        return nd_fail_memory(error, parts->count * sizeof *r->matches, "answers");
    for (size_t i = 0; i < parts->count; i++) {
        r->matches[i] = a->matches[parts->match + i].match;
        r->matches[i].id = a->bytes + a->matches[parts->match + i].id;
    }
    const nd_answer given = {.document = r->documents++,
                             .id = a->bytes + parts->id,
                             .id_length = parts->id_length,
                             .matches = r->matches,
                             .count = parts->count,
                             .left_out = parts->left_out,
                             .source = parts->source ? parts->source : a->bytes + parts->id,
                             .line = parts->line};
    r->summary.pairs += parts->count;
    r->summary.bounded_documents += parts->left_out > 0;
    r->summary.bounded_comparisons += parts->left_out;
    return r->fn(r->context, &given) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status emit_answers(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    const answers *a = batch;
    for (size_t i = 0; i < a->count; i++) ND_TRY(call_back(result, a, &a->list[i], error));
    return ND_OK;
}

static void destroy_answers(const void *plan, void *batch) {
    const nd_allocator *allocator = &((const query_plan *)plan)->allocator;
    answers *a = batch;
    nd_release(allocator, a->list);
    nd_release(allocator, a->matches);
    nd_release(allocator, a->bytes);
    nd_release(allocator, a->id.bytes);
    nd_document_group_free(&a->group, allocator);
}

/* ---- workers */

static nd_status create_worker(const void *context, void **worker, nd_error *error) {
    const query_plan *q = context;
    nd_index_searcher *searcher = NULL;
    nd_status status = nd_index_searcher_make_for_texts(&q->index->shared, q->max_compare, NULL,
                                                        &q->allocator, &searcher, error);
    *worker = searcher;
    return status;
}

static void destroy_worker(const void *plan, void *worker) {
    (void)plan;
    nd_index_searcher_free(worker);
}

/* ---- the run */

typedef struct query_options {
    nd_index_query_options own;
    nd_input_options input;
} query_options;

static nd_status query(const query_options *options, nd_index *index, answer_receiver *receiver,
                       nd_error *error) {
    nd_run run;
    nd_corpus *corpus = NULL;
    nd_scan_counts counts;
    nd_status status = nd_run_begin(options->own.resources, NULL, &run, error);
    const nd_input_plan input = {.use = ND_INPUT_ONCE, .analyzer = index->parts.analyzer.kind};
    const query_plan plan = {.allocator = run.allocator,
                             .index = index,
                             .kind = options->own.kind,
                             .max_compare = options->own.max_compare};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = receiver,
                                 .create_worker = create_worker,
                                 .map = answer,
                                 .complete = answer_group,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(answers),
                                 .reset = reset_answers,
                                 .emit = emit_answers,
                                 .destroy_batch = destroy_answers};
    receiver->allocator = run.allocator;
    if (status == ND_OK) status = nd_run_open_input(&run, &options->input, &input, &corpus, error);
    if (status == ND_OK)
        status = nd_run_scan(&run, &options->input, corpus, &stage, &counts, error);
    if (status == ND_OK) {
        nd_summary_add_scan(&receiver->summary, &counts);
        nd_run_fill_scan_summary(&run, &receiver->summary);
    }
    nd_release(&run.allocator, receiver->matches);
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}

static const nd_index_query_options defaults = {.struct_size = sizeof defaults,
                                                .max_compare = ND_MAX_COMPARE};

void nd_index_query_options_init(nd_index_query_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

static nd_status read_options(const nd_index_query_options *given, query_options *out,
                              nd_error *error) {
    out->own = defaults;
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &out->own, "nd_index_query_options", error));
    ND_CHECK_ENUM(out->own.kind, "kind", ND_SEARCH_ALL, ND_SEARCH_FIRST, error);
    if (out->own.max_compare < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_compare must be at least 1");
    return nd_input_options_read(out->own.input, &out->input, error);
}

nd_status nd_index_query(nd_index *index, const nd_index_query_options *options, nd_answer_fn *fn,
                         void *context, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    query_options o;
    ND_TRY(nd_need(index, "index", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &o, error));
    ND_TRY(nd_index_check_documents(index->shared.path, &index->shared.settings, error));
    nd_index_store_expect_random(&index->shared);
    answer_receiver receiver = {.fn = fn, .context = context};
    ND_TRY(query(&o, index, &receiver, error));
    nd_job_summary_give(summary, &receiver.summary);
    return ND_OK;
}
