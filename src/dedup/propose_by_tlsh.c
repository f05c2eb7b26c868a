#include "dedup/propose_by_tlsh.h"

#include "base/radix_sort.h"
#include "base/workers.h"
#include "sketch/tlsh.h"
#include "sketch/tlsh_sketch.h"

#include <pthread.h>

/* Each digest searches an index (sketch/tlsh_index.c) for the digests with a lower rank. If a
 * document has very many near documents before it, such as a page made from a template, only the
 * nearest are candidates; of equally near ones the first by rank. The true duplicates of a text are
 * among its nearest, so to take the first ones by rank, as with fingerprints, would find fewer.
 *
 * The pairs of all threads and of all parts are sorted, so the candidates depend on neither. */

/* ROUND: documents between two progress reports. STRIDE: documents that a thread takes at a time.
 * BATCH: pairs that a thread collects before it takes the lock. SORTED: later documents whose pairs
 * are sorted together. */
enum {
    ROUND = ND_LIMIT(1 << 12, 24),
    STRIDE = ND_LIMIT(16, 5),
    BATCH = ND_LIMIT(1 << 10, 7),
    SORTED = ND_LIMIT(256, 3),
    PAIR_WORDS = 2 /* later rank << 32 | distance; earlier rank */
};

/* An index of a part of the documents, ascending by rank. */
typedef struct tlsh_part {
    nd_tlsh_index *index;
    uint32_t *ranks; /* by number in the index */
    uint32_t count;
} tlsh_part;

typedef struct tlsh_proposer tlsh_proposer;

typedef struct tlsh_worker {
    const tlsh_proposer *shared;
    uint32_t document; /* that searches */
    uint32_t found;    /* near documents, in this part */
    uint64_t *near;    /* distance << 32 | rank; behind them as much scratch */
    size_t near_count, near_capacity;
    uint64_t farthest; /* words above it are not taken */
    uint64_t kept_apart;
    uint64_t pairs[BATCH * PAIR_WORDS];
    size_t pair_words;
    nd_status status; /* of the search */
    nd_error *error;
} tlsh_worker;

struct tlsh_proposer {
    const nd_tlsh_request *request;
    nd_candidates *out;
    pthread_mutex_t lock;    /* of `pairs` */
    nd_external_sort *pairs; /* of all parts */
    uint32_t *found;         /* by rank: near documents before it, in all parts so far */
    tlsh_worker *workers;
    tlsh_part part;
    uint32_t begin, end; /* the round's ranks */
    atomic_uint next;
    atomic_bool failed;
    uint64_t passed, to_pass; /* documents in all parts */
};

/* ---- the near documents of one document */

/* Keeps the nearest. REQUIRES: there are at least `most`. */
static void keep_nearest(tlsh_worker *w, uint32_t most) {
    nd_radix_sort(w->near, w->near + w->near_capacity / 2, w->near_count, 0);
    w->near_count = most;
    w->farthest = w->near[most - 1];
}

/* nd_tlsh_match_fn */
static bool take_near(void *context, uint32_t number, uint32_t distance) {
    tlsh_worker *w = context;
    const nd_tlsh_request *r = w->shared->request;
    uint32_t rank = w->shared->part.ranks[number], most = r->plan->max_compare;
    uint64_t word = (uint64_t)distance << 32 | rank;
    if (nd_columns_differ(r->columns, w->document, nd_document_of(r->ranks, rank))) {
        w->kept_apart++;
        return true;
    }
    w->found++;
    if (w->near_count >= 2 * (uint64_t)most) keep_nearest(w, most);
    if (word > w->farthest) return true;
    if (!nd_reserve(&r->run->allocator, &w->near, &w->near_capacity, 2 * (w->near_count + 1))) {
        w->status = nd_fail_memory(w->error, w->near_count * sizeof *w->near, "near documents");
        return false;
    }
    w->near[w->near_count++] = word;
    return true;
}

/* The digests of the part whose rank is lower. */
static uint32_t count_before(const tlsh_part *part, uint32_t rank) {
    uint32_t low = 0, high = part->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (part->ranks[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return low;
}

static nd_status flush_pairs(tlsh_proposer *p, tlsh_worker *w, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; status == ND_OK && i < w->pair_words; i += PAIR_WORDS)
        status = nd_external_sort_push_record(p->pairs, (size_t)(w->pairs[i] >> 32) / SORTED,
                                              &w->pairs[i], error);
    pthread_mutex_unlock(&p->lock);
    w->pair_words = 0;
    return status;
}

static nd_status add_near(tlsh_proposer *p, tlsh_worker *w, uint32_t rank, nd_error *error) {
    uint32_t most = p->request->plan->max_compare;
    if (w->near_count > most) keep_nearest(w, most);
    for (size_t i = 0; i < w->near_count; i++) {
        if (w->pair_words == BATCH * PAIR_WORDS) ND_TRY(flush_pairs(p, w, error));
        w->pairs[w->pair_words++] = (uint64_t)rank << 32 | w->near[i] >> 32;
        w->pairs[w->pair_words++] = w->near[i] & UINT32_MAX;
    }
    return ND_OK;
}

static nd_status propose_rank(tlsh_proposer *p, tlsh_worker *w, uint32_t rank, nd_error *error) {
    const nd_tlsh_request *r = p->request;
    uint32_t document = nd_document_of(r->ranks, rank), before = count_before(&p->part, rank);
    unsigned char scratch[ND_TLSH_SKETCH_SIZE];
    const void *sketch;
    nd_tlsh digest;
    if (before == 0 || nd_fates_is_copy(r->fates, document)) return ND_OK;
    ND_TRY(nd_columns_sketch(r->columns, document, scratch, &sketch, error));
    if (!nd_tlsh_sketch_load(sketch, &digest)) return ND_OK;
    w->document = document;
    w->near_count = w->found = 0;
    w->farthest = UINT64_MAX;
    w->status = ND_OK;
    w->error = error;
    nd_tlsh_index_search_below(p->part.index, &digest, before, r->plan->distance, true, take_near,
                               w);
    ND_TRY(w->status);
    p->found[rank] += w->found;
    return add_near(p, w, rank, error);
}

/* ---- a part, in parallel */

static nd_status propose_run(void *context, uint32_t index, nd_error *error) {
    tlsh_proposer *p = context;
    nd_status status = ND_OK;
    while (status == ND_OK && !atomic_load(&p->failed)) {
        uint32_t from = atomic_fetch_add(&p->next, STRIDE), count = p->end - p->begin;
        if (from >= count) break;
        uint32_t end = count - from < STRIDE ? count : from + STRIDE;
        for (uint32_t i = from; status == ND_OK && i < end; i++)
            status = propose_rank(p, &p->workers[index], p->begin + i, error);
        if (status == ND_OK) status = nd_progress_poll(p->request->run->progress, error);
    }
    if (status != ND_OK) atomic_store(&p->failed, true);
    return status;
}

static nd_status search_rounds(tlsh_proposer *p, uint32_t first, nd_error *error) {
    const nd_run *run = p->request->run;
    uint64_t count = p->request->ranks->count;
    p->passed += first;
    for (uint64_t begin = first; begin < count; begin = p->end) {
        p->begin = (uint32_t)begin;
        p->end = (uint32_t)(count - begin < ROUND ? count : begin + ROUND);
        atomic_store(&p->next, 0);
        ND_TRY(nd_run_workers(&run->allocator, run->threads, propose_run, p, error));
        p->passed += p->end - p->begin;
        ND_TRY(nd_progress_report(run->progress, ND_STAGE_MATCH, p->passed, p->to_pass, error));
    }
    return ND_OK;
}

/* ---- parts */

/* How many documents have their digests in one index, which is made from an array of digests. */
static uint32_t documents_of_part(const nd_run *run) {
    enum { INDEX_BYTES = 40, BYTES = sizeof(nd_tlsh) + INDEX_BYTES + sizeof(uint32_t) };
    size_t most = nd_memory_share(&run->budget, ND_MEMORY_HAMMING_JOIN) / BYTES;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Reads digests from rank *next on, until there are `most`, and moves *next behind them. */
static nd_status read_digests(tlsh_proposer *p, nd_tlsh *digests, uint32_t most, uint32_t *next,
                              nd_error *error) {
    enum { PROGRESS_DOCUMENTS = 4096 };
    const nd_tlsh_request *r = p->request;
    tlsh_part *part = &p->part;
    for (; part->count < most && *next < r->ranks->count; ++*next) {
        uint32_t document = nd_document_of(r->ranks, *next);
        unsigned char scratch[ND_TLSH_SKETCH_SIZE];
        const void *sketch;
        if (*next % PROGRESS_DOCUMENTS == 0) ND_TRY(nd_progress_poll(r->run->progress, error));
        if (nd_fates_is_copy(r->fates, document)) continue;
        ND_TRY(nd_columns_sketch(r->columns, document, scratch, &sketch, error));
        if (!nd_tlsh_sketch_load(sketch, &digests[part->count])) continue;
        part->ranks[part->count++] = *next;
    }
    return ND_OK;
}

static nd_status make_part(tlsh_proposer *p, uint32_t most, uint32_t *next, nd_error *error) {
    const nd_allocator *a = &p->request->run->allocator;
    nd_tlsh *digests = nd_allocate(a, most, sizeof *digests);
    p->part.ranks = nd_allocate(a, most, sizeof *p->part.ranks);
    nd_status status = digests && p->part.ranks
                           ? read_digests(p, digests, most, next, error)
                           : nd_fail_memory(error, most * sizeof *digests, "digests");
    if (status == ND_OK)
        status = nd_tlsh_index_create(digests, p->part.count, a, &p->part.index, error);
    nd_release(a, digests);
    return status;
}

static void free_part(tlsh_proposer *p) {
    nd_tlsh_index_free(p->part.index);
    nd_release(&p->request->run->allocator, p->part.ranks);
    p->part = (tlsh_part){0};
}

static nd_status search_parts(tlsh_proposer *p, nd_error *error) {
    uint32_t count = p->request->ranks->count, most = documents_of_part(p->request->run);
    if (most > count) most = count;
    p->to_pass = most > 0 ? (count + (uint64_t)most - 1) / most * count : 0;
    for (uint32_t first = 0, next = 0; next < count; first = next) {
        nd_status status = make_part(p, most, &next, error);
        if (status == ND_OK) status = search_rounds(p, first, error);
        free_part(p);
        ND_TRY(status);
    }
    for (uint32_t i = 0; i < p->request->run->threads; i++)
        ND_TRY(flush_pairs(p, &p->workers[i], error));
    return ND_OK;
}

/* ---- the pairs */

/* Takes the first pairs of each later document: those of the nearest. */
static nd_status take_part(const tlsh_proposer *p, size_t part, nd_part_buffer *buffer,
                           nd_error *error) {
    uint32_t last = UINT32_MAX, taken = 0;
    ND_TRY(nd_external_sort_load_records(p->pairs, part, buffer, error));
    for (size_t i = 0; i < buffer->count; i++) {
        const uint64_t *pair = buffer->words + i * PAIR_WORDS;
        uint32_t later = (uint32_t)(pair[0] >> 32);
        taken = later == last ? taken : 0;
        last = later;
        if (taken++ < p->request->plan->max_compare)
            ND_TRY(nd_candidates_add_pair(p->out, later, (uint32_t)pair[1], error));
    }
    nd_external_sort_drop(p->pairs, part);
    return ND_OK;
}

static nd_status take_all(const tlsh_proposer *p, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = nd_external_sort_flush(p->pairs, error);
    for (size_t part = 0; status == ND_OK && part < nd_external_sort_parts(p->pairs); part++) {
        status = take_part(p, part, &buffer, error);
        if (status == ND_OK) status = nd_progress_poll(p->request->run->progress, error);
    }
    nd_part_buffer_free(&p->request->run->allocator, &buffer);
    return status;
}

static void count_left_out(const tlsh_proposer *p) {
    uint32_t most = p->request->plan->max_compare;
    for (uint32_t rank = 0; rank < p->request->ranks->count; rank++) {
        if (p->found[rank] <= most) continue;
        p->out->bounded_documents++;
        p->out->left_out += p->found[rank] - most;
    }
    for (uint32_t i = 0; i < p->request->run->threads; i++)
        p->out->kept_apart += p->workers[i].kept_apart;
}

/* ---- the stage */

static nd_status prepare(tlsh_proposer *p, nd_error *error) {
    const nd_tlsh_request *r = p->request;
    const nd_allocator *a = &r->run->allocator;
    const nd_external_sort_settings sorting = {
        .disk = r->run->space,
        .parts = (size_t)r->ranks->count / SORTED + 1,
        .memory_limit = nd_memory_share(&r->run->budget, ND_MEMORY_PAIRS),
        .words = PAIR_WORDS,
        .keys = PAIR_WORDS,
        .what = "pairs of digests"};
    ND_TRY(nd_candidates_init(p->out, r->run, r->ranks, error));
    ND_TRY(nd_external_sort_create_records(a, &sorting, &p->pairs, error));
    p->found = nd_allocate_zero(a, r->ranks->count, sizeof *p->found);
    p->workers = nd_allocate_zero(a, r->run->threads, sizeof *p->workers);
    if (!p->found || !p->workers)
        return nd_fail_memory(error, r->ranks->count * sizeof *p->found, "counts of neighbours");
    for (uint32_t i = 0; i < r->run->threads; i++) p->workers[i].shared = p;
    return ND_OK;
}

static void release(tlsh_proposer *p) {
    const nd_allocator *a = &p->request->run->allocator;
    for (uint32_t i = 0; p->workers && i < p->request->run->threads; i++)
        nd_release(a, p->workers[i].near);
    nd_release(a, p->workers);
    nd_release(a, p->found);
    nd_external_sort_free(p->pairs);
}

nd_status nd_propose_by_tlsh(const nd_tlsh_request *request, nd_candidates *out, nd_error *error) {
    tlsh_proposer p = {.request = request, .out = out};
    pthread_mutex_init(&p.lock, NULL);
    nd_status status = prepare(&p, error);
    if (status == ND_OK) status = search_parts(&p, error);
    if (status == ND_OK) status = take_all(&p, error);
    if (status == ND_OK) count_left_out(&p);
    release(&p);
    pthread_mutex_destroy(&p.lock);
    return status;
}
