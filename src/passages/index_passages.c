#include "passages/index_passages.h"

#include "base/limits.h"
#include "base/workers.h"
#include "passages/set_passages.h"
#include "base/sequencer.h"

/* Documents of a part. A thread searches one part at a time. */
enum { PART = ND_LIMIT(4096, 3) };

typedef struct running {
    const nd_set_pass *pass;
    uint32_t numbers;
    uint64_t bytes; /* size of the sets in the emitted parts */
    nd_sequencer order;
} running;

typedef struct worker {
    nd_set_finder finder;
    nd_passage_block block;
    uint64_t bytes; /* size of the sets in the thread's part */
} worker;

static nd_status find_in_document(const nd_set_pass *pass, worker *w, uint32_t number,
                                  nd_error *error) {
    nd_stored_document document;
    bool whole;
    if (nd_store_is_removed(pass->store, number)) return ND_OK;
    ND_TRY(nd_store_document(pass->store, number, &document, error));
    ND_TRY(nd_set_find(&w->finder, document.set, document.set_size, &whole, error));
    if (!whole)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       nd_store_directory(pass->store), number);
    w->bytes += document.set_size;
    nd_passage_source source = {
        .name = {.file = ""}, .id = document.id, .id_length = document.id_length};
    return nd_passage_rows_add(pass->rows, &w->block, &source, w->finder.found,
                               w->finder.found_count, error);
}

static nd_status find_in_part(const running *r, worker *w, uint32_t begin, uint32_t end,
                              nd_error *error) {
    nd_passage_block_begin(&w->block);
    w->bytes = 0;
    for (uint32_t number = begin; number < end; number++)
        ND_TRY(find_in_document(r->pass, w, number, error));
    return ND_OK;
}

static nd_status emit_part(running *r, const worker *w, uint32_t end, nd_error *error) {
    ND_TRY(nd_passage_rows_append(r->pass->rows, &w->block, error));
    r->bytes += w->bytes;
    return nd_progress_report(r->pass->run->progress, ND_STAGE_MATCH, end, r->numbers, error);
}

/* A failure is returned only when its part is next in order. So if several parts fail, the first of
 * them is always the one that is reported. */
static nd_status work(running *r, worker *w, nd_error *error) {
    for (uint64_t begin;
         begin = (uint64_t)nd_sequencer_next(&r->order) * PART, begin < r->numbers;) {
        uint32_t end = r->numbers - begin < PART ? r->numbers : (uint32_t)begin + PART;
        nd_error own;
        nd_status status = find_in_part(r, w, (uint32_t)begin, end, &own);
        ND_TRY(nd_sequencer_await(&r->order, (size_t)(begin / PART)));
        if (status != ND_OK) return nd_fail(error, status, "%s", own.message);
        ND_TRY(emit_part(r, w, end, error));
        nd_sequencer_advance(&r->order);
    }
    return ND_OK;
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    (void)index;
    (void)error; /* the sequencer keeps the failure */
    running *r = context;
    const nd_allocator *a = &r->pass->run->allocator;
    nd_error own = {0};
    worker w = {.finder = {.queries = r->pass->queries,
                           .allocator = *a,
                           .least = r->pass->least,
                           .gap = r->pass->gap}};
    nd_status status = work(r, &w, &own);
    if (status != ND_OK) nd_sequencer_fail(&r->order, status, &own);
    nd_set_finder_free(&w.finder);
    nd_passage_block_free(&w.block, a);
    return ND_OK;
}

nd_status nd_set_pass_run(const nd_set_pass *pass, uint64_t *bytes, nd_error *error) {
    running r = {.pass = pass, .numbers = nd_store_document_count(pass->store)};
    nd_sequencer_init(&r.order);
    nd_status status = nd_run_workers(&pass->run->allocator, pass->run->threads, run_worker, &r,
                                      error);
    if (status == ND_OK) status = nd_sequencer_result(&r.order, error);
    nd_sequencer_free(&r.order);
    *bytes = r.bytes;
    return status;
}
