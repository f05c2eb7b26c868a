/* Searching an index for each document of an input, answers in the order of input. */
#include "base/floats.h"
#include "index/index.h"
#include "job/record_pass.h"

#include "base/argument.h"
#include "base/workers.h"

#include <string.h>

typedef struct querier {
    nd_job job; /* for the pass: options, corpus, summary */
    nd_index *index;
    nd_search_kind kind;
    nd_answer_fn *fn;
    void *context;
    nd_match *matches; /* of the answer that is told */
    size_t match_capacity;
} querier;

/* An answer whose parts lie in arrays that still grow: places of its id and its first match. */
typedef struct answer_parts {
    size_t id, id_length, match, count;
    uint64_t left_out;
} answer_parts;

typedef struct match_parts {
    nd_match match;
    size_t id;
} match_parts;

/* Of a block. */
typedef struct answers {
    answer_parts *list;
    match_parts *matches;
    char *bytes; /* ids */
    size_t count, capacity, match_count, match_capacity, size, byte_capacity;
    nd_id_buffer id; /* scratch */
} answers;

/* ---- making answers */

static void begin_answers(void *made) {
    answers *a = made;
    a->count = a->match_count = a->size = 0;
}

static nd_status add_bytes(const querier *q, answers *a, const char *bytes, size_t length,
                           size_t *at, nd_error *error) {
    if (!nd_reserve(&q->job.allocator, &a->bytes, &a->byte_capacity, a->size + length))
        return nd_fail_memory(error, length, "ids");
    if (length > 0) memcpy(a->bytes + a->size, bytes, length);
    *at = a->size;
    a->size += length;
    return ND_OK;
}

static nd_status answer(void *context, void *worker, void *made, const nd_block *block,
                        size_t record, const nd_document *document, nd_error *error) {
    querier *q = context;
    nd_searcher *searcher = worker;
    answers *a = made;
    const nd_match *matches;
    size_t count;
    ND_TRY(nd_search(searcher, document->text, document->length, q->kind, &matches, &count, error));
    if (!nd_reserve(&q->job.allocator, &a->list, &a->capacity, a->count + 1) ||
        !nd_reserve(&q->job.allocator, &a->matches, &a->match_capacity, a->match_count + count))
        return nd_fail_memory(error, count * sizeof *a->matches, "answers");
    ND_TRY(nd_document_id(&q->job, block, record, document, &a->id, error));
    answer_parts *parts = &a->list[a->count++];
    *parts = (answer_parts){.id_length = a->id.length,
                            .match = a->match_count,
                            .count = count,
                            .left_out = nd_searcher_left_out(searcher)};
    ND_TRY(add_bytes(q, a, a->id.id, a->id.length, &parts->id, error));
    for (size_t i = 0; i < count; i++) {
        match_parts *m = &a->matches[a->match_count++];
        m->match = matches[i];
        ND_TRY(add_bytes(q, a, matches[i].id, matches[i].id_length, &m->id, error));
    }
    return ND_OK;
}

/* ---- telling them */

static nd_status tell(querier *q, const answers *a, const answer_parts *parts, nd_error *error) {
    nd_job_summary *summary = &q->job.summary;
    if (!nd_reserve(&q->job.allocator, &q->matches, &q->match_capacity, parts->count))
        return nd_fail_memory(error, parts->count * sizeof *q->matches, "answers");
    for (size_t i = 0; i < parts->count; i++) {
        q->matches[i] = a->matches[parts->match + i].match;
        q->matches[i].id = a->bytes + a->matches[parts->match + i].id;
    }
    nd_answer given = {summary->documents++, a->bytes + parts->id, parts->id_length,
                       q->matches,           parts->count,         parts->left_out};
    summary->pairs += parts->count;
    summary->bounded_documents += parts->left_out > 0;
    summary->bounded_comparisons += parts->left_out;
    return q->fn(q->context, &given) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status tell_all(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    const answers *a = made;
    for (size_t i = 0; i < a->count; i++) ND_TRY(tell(context, a, &a->list[i], error));
    return ND_OK;
}

static void free_answers(void *context, void *made) {
    const nd_allocator *allocator = &((querier *)context)->job.allocator;
    answers *a = made;
    nd_release(allocator, a->list);
    nd_release(allocator, a->matches);
    nd_release(allocator, a->bytes);
    nd_release(allocator, a->id.bytes);
}

/* ---- workers */

static nd_status begin_worker(void *context, void **worker, nd_error *error) {
    querier *q = context;
    nd_searcher *searcher = NULL;
    nd_status status = nd_searcher_make_for_texts(&q->index->settings, q->job.options.max_compare,
                                                  &q->job.allocator, &searcher, error);
    if (status == ND_OK) nd_searcher_bind(searcher, q->index);
    *worker = searcher;
    return status;
}

static void end_worker(void *context, void *worker) {
    (void)context;
    nd_searcher_free(worker);
}

nd_status nd_query(nd_index *index, const nd_job_options *options, nd_search_kind kind,
                   nd_answer_fn *fn, void *context, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(index, "index", error));
    ND_TRY(nd_need(options, "options", error));
    ND_CHECK_ENUM(kind, "kind", ND_SEARCH_ALL, ND_SEARCH_FIRST, error);
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_index_check_documents(index->path, &index->settings, error));
    querier q = {.job = {.task = ND_TASK_QUERY,
                         .options = *options,
                         .allocator = nd_allocator_or_default(options->allocator),
                         .progress = nd_progress_of(options)},
                 .index = index,
                 .kind = kind,
                 .fn = fn,
                 .context = context};
    double began = nd_seconds();
    nd_record_pass pass = {&q.job,        &q,     sizeof(answers), begin_worker, end_worker,
                           begin_answers, answer, tell_all,        free_answers};
    nd_status status = nd_job_open_input(&q.job, error);
    if (status == ND_OK) status = nd_record_pass_run(&pass, error);
    q.job.summary.total_seconds = q.job.summary.seconds[ND_STAGE_READ] = nd_seconds() - began;
    q.job.summary.peak_memory = nd_peak_memory();
    if (status == ND_OK && summary) *summary = q.job.summary;
    nd_release(&q.job.allocator, q.matches);
    nd_job_close_input(&q.job);
    return status;
}
