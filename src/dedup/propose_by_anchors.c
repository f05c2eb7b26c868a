#include "dedup/propose_by_anchors.h"

#include "base/workers.h"
#include "dedup/anchor_search.h"
#include "dedup/anchor_tabulate.h"
#include "text/analyzer.h"

#include <pthread.h>
#include <string.h>

/* ROUND: documents between two progress reports. STRIDE: documents that a thread reads at a time.
 * BATCH: pairs that a thread collects before it takes the lock. SORTED: later documents whose pairs
 * are sorted together: few, because each may have pairs with very many documents. */
enum {
    ROUND = ND_LIMIT(1 << 12, 24),
    STRIDE = ND_LIMIT(16, 5),
    BATCH = ND_LIMIT(1 << 11, 7),
    SORTED = ND_LIMIT(64, 3)
};

typedef struct anchor_worker {
    nd_record_reader *reader;
    nd_analyzer *analyzer;
    nd_anchor_search *search;
    uint64_t pairs[BATCH]; /* later rank << 32 | earlier rank */
    size_t pair_count;
    uint64_t bounded_documents, left_out; /* as in nd_candidates */
} anchor_worker;

typedef struct anchor_proposer {
    const nd_anchors_request *request;
    nd_candidates *out;
    pthread_mutex_t lock;    /* of the large buckets of *out, and of `pairs` */
    nd_external_sort *pairs; /* of all readings; a pair may come twice */
    anchor_worker *workers;
    nd_anchor_table table;
    uint32_t begin, end; /* the round's documents */
    atomic_uint next;
    atomic_bool failed;
    uint64_t passed, to_pass; /* documents in all readings */
} anchor_proposer;

/* ---- a document */

static nd_status flush_pairs(anchor_proposer *p, anchor_worker *w, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; status == ND_OK && i < w->pair_count; i++)
        status = nd_external_sort_push(p->pairs, (size_t)(w->pairs[i] >> 32) / SORTED, w->pairs[i],
                                       error);
    pthread_mutex_unlock(&p->lock);
    w->pair_count = 0;
    return status;
}

static nd_status add_pairs(anchor_proposer *p, anchor_worker *w, uint32_t rank,
                           const nd_anchored *found, nd_error *error) {
    for (size_t i = 0; i < found->document_count; i++) {
        uint32_t other = nd_rank_of(p->request->ranks, found->documents[i]);
        if (w->pair_count == BATCH) ND_TRY(flush_pairs(p, w, error));
        w->pairs[w->pair_count++] = rank > other ? (uint64_t)rank << 32 | other
                                                 : (uint64_t)other << 32 | rank;
    }
    return ND_OK;
}

static nd_status join_buckets(anchor_proposer *p, uint32_t rank, const nd_anchored *found,
                              nd_error *error) {
    nd_status status = ND_OK;
    if (found->bucket_count == 0) return ND_OK;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; status == ND_OK && i < found->bucket_count; i++)
        status = nd_candidates_join_bucket(p->out, found->buckets[i], &rank, 1, error);
    pthread_mutex_unlock(&p->lock);
    return status;
}

static nd_status propose_document(anchor_proposer *p, anchor_worker *w, uint32_t document,
                                  nd_error *error) {
    const nd_anchors_request *r = p->request;
    uint32_t rank = nd_rank_of(r->ranks, document);
    const char *text = NULL;
    size_t length = 0;
    nd_shingles shingles;
    nd_anchored found;
    ND_TRY(nd_columns_text(r->columns, w->reader, document, &text, &length, error));
    ND_TRY(nd_analyze(w->analyzer, text, length, &shingles, error));
    ND_TRY(
        nd_anchor_search_run(w->search, document, shingles.hashes, shingles.count, &found, error));
    w->bounded_documents += found.left_out > 0;
    w->left_out += found.left_out;
    ND_TRY(join_buckets(p, rank, &found, error));
    return add_pairs(p, w, rank, &found, error);
}

/* ---- a reading, in parallel */

static nd_status propose_stride(anchor_proposer *p, anchor_worker *w, uint32_t begin, uint32_t end,
                                nd_error *error) {
    for (uint32_t d = begin; d < end; d++) {
        if (nd_fates_is_copy(p->request->fates, d)) continue;
        nd_status status = propose_document(p, w, d, error);
        nd_record_reader_release(w->reader);
        ND_TRY(status);
    }
    return ND_OK;
}

static nd_status propose_run(void *context, uint32_t index, nd_error *error) {
    anchor_proposer *p = context;
    nd_status status = ND_OK;
    while (status == ND_OK && !atomic_load(&p->failed)) {
        uint32_t from = atomic_fetch_add(&p->next, STRIDE), count = p->end - p->begin;
        if (from >= count) break;
        uint32_t end = count - from < STRIDE ? count : from + STRIDE;
        status = propose_stride(p, &p->workers[index], p->begin + from, p->begin + end, error);
    }
    if (status != ND_OK) atomic_store(&p->failed, true);
    return status;
}

static nd_status read_rounds(anchor_proposer *p, nd_error *error) {
    const nd_run *run = p->request->run;
    uint64_t count = p->request->columns->count;
    for (uint64_t begin = 0; begin < count; begin = p->end) {
        p->begin = (uint32_t)begin;
        p->end = (uint32_t)(count - begin < ROUND ? count : begin + ROUND);
        atomic_store(&p->next, 0);
        ND_TRY(nd_run_workers(&run->allocator, run->threads, propose_run, p, error));
        p->passed += p->end - p->begin;
        ND_TRY(nd_progress_report(run->progress, ND_STAGE_MATCH, p->passed, p->to_pass, error));
    }
    for (uint32_t i = 0; i < run->threads; i++) ND_TRY(flush_pairs(p, &p->workers[i], error));
    return ND_OK;
}

static nd_status read_with_table(anchor_proposer *p, nd_error *error) {
    nd_status status = ND_OK;
    for (uint32_t i = 0; status == ND_OK && i < p->request->run->threads; i++)
        status = nd_anchor_search_create(&p->table, &p->workers[i].search, error);
    if (status == ND_OK) status = read_rounds(p, error);
    for (uint32_t i = 0; i < p->request->run->threads; i++) {
        nd_anchor_search_free(p->workers[i].search);
        p->workers[i].search = NULL;
    }
    return status;
}

/* ---- all readings */

/* How many documents have their anchors in one table. Each thread has a count of 2 bytes for each
 * of them, which may take as much memory as the table. */
static uint64_t documents_of_table(const nd_anchors_request *r) {
    enum { MOST = 1 << 30, COUNT_BYTES = 2 };
    uint64_t anchors = 0, documents = r->columns->count,
             memory = nd_memory_share(&r->run->budget, ND_MEMORY_HAMMING_JOIN),
             room = memory / ND_ANCHOR_TABLE_BYTES,
             counted = memory / COUNT_BYTES / r->run->threads;
    for (size_t part = 0; part < nd_key_sort_parts(r->anchors); part++)
        anchors += nd_key_sort_count(r->anchors, part);
    uint64_t most = anchors <= room
                        ? documents
                        : (uint64_t)((double)documents * (double)room / (double)anchors);
    if (most > counted) most = counted;
    return most < 1 ? 1 : most < MOST ? most : MOST;
}

static nd_status read_all(anchor_proposer *p, nd_error *error) {
    const nd_anchors_request *r = p->request;
    uint64_t count = r->columns->count, each = documents_of_table(r);
    p->to_pass = (count + each - 1) / each * count;
    for (uint64_t first = 0; first < count; first += each) {
        const nd_anchor_table_request request = {
            .run = r->run,
            .plan = &r->plan->anchors,
            .anchors = r->anchors,
            .ranks = r->ranks,
            .fates = r->fates,
            .differ_keys = r->columns->differ_keys,
            .first = (uint32_t)first,
            .count = (uint32_t)(count - first < each ? count - first : each)};
        nd_status status = nd_anchor_tabulate(&request, p->out, &p->table, error);
        if (status == ND_OK) status = read_with_table(p, error);
        nd_anchor_table_free(&p->table);
        ND_TRY(status);
    }
    return ND_OK;
}

/* ---- the pairs */

/* Takes the pairs of one later document, ascending by the earlier one: the first ones, and each
 * once. */
static nd_status take_pairs(nd_candidates *out, const nd_anchors_request *r, const uint64_t *pairs,
                            size_t count, nd_error *error) {
    uint32_t later = (uint32_t)(pairs[0] >> 32), document = nd_document_of(r->ranks, later);
    uint64_t taken = 0, left_out = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t earlier = (uint32_t)pairs[i];
        bool again = i > 0 && pairs[i] == pairs[i - 1];
        if (again) continue;
        if (nd_columns_differ(r->columns, document, nd_document_of(r->ranks, earlier)))
            out->kept_apart++;
        else if (taken == r->plan->max_compare) left_out++;
        else {
            ND_TRY(nd_candidates_add_pair(out, later, earlier, error));
            taken++;
        }
    }
    out->bounded_documents += left_out > 0;
    out->left_out += left_out;
    return ND_OK;
}

static nd_status take_part(const anchor_proposer *p, size_t part, nd_part_buffer *buffer,
                           nd_error *error) {
    ND_TRY(nd_external_sort_load(p->pairs, part, 0, buffer, error));
    const uint64_t *pairs = buffer->words;
    for (size_t begin = 0, end; begin < buffer->count; begin = end) {
        for (end = begin; end < buffer->count && pairs[end] >> 32 == pairs[begin] >> 32;) end++;
        ND_TRY(take_pairs(p->out, p->request, pairs + begin, end - begin, error));
    }
    nd_external_sort_drop(p->pairs, part);
    return ND_OK;
}

static nd_status take_all(anchor_proposer *p, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = nd_external_sort_flush(p->pairs, error);
    for (size_t part = 0; status == ND_OK && part < nd_external_sort_parts(p->pairs); part++) {
        status = take_part(p, part, &buffer, error);
        if (status == ND_OK) status = nd_progress_poll(p->request->run->progress, error);
    }
    nd_part_buffer_free(&p->request->run->allocator, &buffer);
    return status;
}

/* ---- the stage */

static nd_status prepare(anchor_proposer *p, nd_error *error) {
    const nd_anchors_request *r = p->request;
    const nd_allocator *a = &r->run->allocator;
    ND_TRY(nd_candidates_init(p->out, r->run, r->ranks, error));
    ND_TRY(nd_external_sort_create(a, r->run->space, (size_t)r->ranks->count / SORTED + 1,
                                   nd_memory_share(&r->run->budget, ND_MEMORY_PAIRS),
                                   "pairs of anchors", &p->pairs, error));
    ND_TRY(nd_candidates_init_own(p->out, r->ranks->count, error));
    p->workers = nd_allocate_zero(a, r->run->threads, sizeof *p->workers);
    if (!p->workers) return nd_fail_memory(error, sizeof *p->workers, "candidates");
    for (uint32_t i = 0; i < r->run->threads; i++) {
        anchor_worker *w = &p->workers[i];
        ND_TRY(nd_record_reader_create(r->columns->corpus, &w->reader, error));
        ND_TRY(
            nd_analyzer_create_for(ND_SHINGLES_ALONE, &r->plan->analyzer, a, &w->analyzer, error));
    }
    return ND_OK;
}

static void release(anchor_proposer *p) {
    const nd_allocator *a = &p->request->run->allocator;
    for (uint32_t i = 0; p->workers && i < p->request->run->threads; i++) {
        p->out->bounded_documents += p->workers[i].bounded_documents;
        p->out->left_out += p->workers[i].left_out;
        nd_record_reader_free(p->workers[i].reader);
        nd_analyzer_free(p->workers[i].analyzer);
    }
    nd_release(a, p->workers);
    nd_external_sort_free(p->pairs);
}

nd_status nd_propose_by_anchors(const nd_anchors_request *request, nd_candidates *out,
                                nd_error *error) {
    anchor_proposer p = {.request = request, .out = out};
    pthread_mutex_init(&p.lock, NULL);
    nd_status status = prepare(&p, error);
    if (status == ND_OK) status = read_all(&p, error);
    if (status == ND_OK) status = take_all(&p, error);
    release(&p);
    pthread_mutex_destroy(&p.lock);
    return status;
}
