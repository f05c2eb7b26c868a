/* Greedy deciding, in parallel, with the result of deciding one document after the other.
 *
 * Documents are decided in blocks. First, in parallel, each document of the block is compared with
 * its candidates before the block. Their fates are known, so a duplicate among them that is kept
 * removes the document. If there is none, the document is compared with its candidates inside the
 * block, as if all of them were kept, in ascending order up to the first duplicate.
 *
 * Then one thread resolves the block in order. If the duplicate found inside the block is kept, it
 * is the evidence, because all candidates before it were compared and are no duplicates. If it is
 * not kept, the search goes on with the candidates behind it. That is rare, so nearly all comparing
 * is parallel. The block is reported while the next one is compared.
 *
 * If all pairs are compared, there is nothing to resolve. */
#include "dedup/decide.h"

#include "base/workers.h"
#include "dedup/candidate_blocks.h"

#include <stdlib.h>
#include <string.h>

/* A worker takes its share of a quarter of the documents that are left, but at least LEAST. Many at
 * once are cheaper: the worker reads their stored shingles from front to back, without those of
 * other workers between them. Few at the end let all workers end together. (Guided
 * self-scheduling: Polychronopoulos and Kuck, 1987.) */
enum { LEAST = 16 };

/* The result of the parallel part for a document. */
typedef struct outcome {
    bool removed;         /* a document before the block removes it; final */
    bool found;           /* verdict.earlier, inside the block, is its duplicate */
    uint32_t tried_below; /* candidates inside the block with a lower rank have been compared,
                             whether they are kept or not */
    uint32_t large_used;  /* comparisons with members of large buckets that are before the block */
    uint64_t left_out;
    nd_verdict verdict;
} outcome;

/* The pairs that a worker found, if all pairs are compared. */
typedef struct found_pairs {
    nd_verdict *list;
    size_t count, capacity;
} found_pairs;

typedef struct decider decider;

typedef struct decide_worker {
    decider *shared;
    nd_pair_verifier *verifier;
    nd_candidate_list *lists;
    size_t list_capacity;
    found_pairs found;
    nd_pair_sample sample;
} decide_worker;

struct decider {
    const nd_decide_request *request;
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_ranks *ranks;
    const nd_candidates *candidates;
    nd_fates *fates;          /* written only by the resolving thread */
    nd_decide_counts *counts; /* the same */
    nd_postings kept;         /* kept members of large buckets; the same */
    decide_worker *workers;
    nd_candidate_block *blocks; /* one per thread; all of them are loaded in parallel */
    size_t first_part;
    const nd_candidate_block *block; /* the block that is decided now */
    uint32_t decided;                /* documents whose fates are final */
    uint32_t reported;               /* of these; only the first worker reports */
    outcome *outcomes;
    atomic_uint next;
    atomic_bool failed;
};

/* ---- in parallel */

static bool compares_all(const decider *d) { return d->plan->compare == ND_COMPARE_ALL; }

static nd_status reserve_lists(decide_worker *w, uint32_t rank, nd_error *error) {
    const uint64_t *postings;
    size_t buckets = nd_candidate_block_buckets(w->shared->block, rank, &postings);
    if (nd_reserve(&w->shared->run->allocator, &w->lists, &w->list_capacity, 1 + buckets))
        return ND_OK;
    return nd_fail_memory(error, buckets * sizeof *w->lists, "a document's candidates");
}

static nd_status record(decide_worker *w, const nd_verdict *verdict, nd_error *error) {
    found_pairs *f = &w->found;
    if (!nd_reserve(&w->shared->run->allocator, &f->list, &f->capacity, f->count + 1))
        return nd_fail_memory(error, sizeof *verdict, "pairs");
    f->list[f->count++] = *verdict;
    return ND_OK;
}

static bool is_kept(const decider *d, uint32_t rank) {
    return nd_rank_is_indexed(d->ranks, rank) ||
           nd_fate_of(d->fates, nd_document_of(d->ranks, rank)) == ND_FATE_KEPT;
}

static bool is_marked(const decider *d, const uint8_t *bits, uint32_t rank) {
    uint32_t document = nd_document_of(d->ranks, rank);
    return bits[document >> 3] >> (document & 7) & 1;
}

static bool is_known(const decider *d, uint32_t rank) {
    return d->request->known && is_marked(d, d->request->known, rank);
}

/* Whether a pair is left to another run (nd_decide_request.only). */
static bool is_passed_over(const decider *d, uint32_t earlier, uint32_t later) {
    const uint8_t *only = d->request->only;
    return only && !is_marked(d, only, earlier) && !is_marked(d, only, later);
}

/* Compares a document with its candidates before the block. */
static nd_status search_before(decide_worker *w, uint32_t rank, outcome *o, nd_error *error) {
    decider *d = w->shared;
    uint64_t truncated;
    ND_TRY(reserve_lists(w, rank, error));
    size_t count = nd_candidates_before(d->block, d->candidates, &d->kept, rank, w->lists,
                                        &truncated);
    uint32_t candidate;
    bool only_large, duplicate;
    while (nd_candidate_next(w->lists, &count, &candidate, &only_large)) {
        if (!compares_all(d) && !is_kept(d, candidate)) continue;
        if (only_large && o->large_used == d->plan->max_compare) {
            o->left_out += 1 + nd_candidates_drop_large(w->lists, &count);
            continue;
        }
        o->large_used += only_large;
        if (is_passed_over(d, candidate, rank)) continue;
        ND_TRY(nd_pair_verify(w->verifier, candidate, rank, &duplicate, &o->verdict, error));
        if (!duplicate) continue;
        if (compares_all(d)) ND_TRY(record(w, &o->verdict, error));
        else o->removed = true;
        if (o->removed) return ND_OK;
    }
    o->left_out += truncated;
    return ND_OK;
}

/* Compares a document with its candidates inside the block. The result is final if all pairs are
 * compared; otherwise it assumes that all these candidates are kept. */
static nd_status search_inside(decide_worker *w, uint32_t rank, outcome *o, nd_error *error) {
    decider *d = w->shared;
    size_t count = nd_candidates_inside(d->block, d->candidates, rank, w->lists);
    uint32_t candidate, used = o->large_used;
    bool only_large, duplicate;
    while (nd_candidate_next(w->lists, &count, &candidate, &only_large)) {
        if (only_large && used == d->plan->max_compare) {
            if (!compares_all(d)) {
                o->tried_below = candidate;
                return ND_OK;
            }
            o->left_out += 1 + nd_candidates_drop_large(w->lists, &count);
            continue;
        }
        used += only_large;
        if (is_passed_over(d, candidate, rank)) continue;
        nd_verdict verdict;
        ND_TRY(nd_pair_verify(w->verifier, candidate, rank, &duplicate, &verdict, error));
        if (!duplicate) continue;
        if (compares_all(d)) {
            ND_TRY(record(w, &verdict, error));
            continue;
        }
        o->found = true;
        o->verdict = verdict;
        o->tried_below = candidate + 1;
        return ND_OK;
    }
    o->tried_below = rank;
    return ND_OK;
}

static nd_status search(decide_worker *w, uint32_t rank, outcome *o, nd_error *error) {
    const decider *d = w->shared;
    *o = (outcome){.tried_below = rank};
    if (!nd_candidate_block_has(d->block, rank) || is_known(d, rank)) return ND_OK;
    nd_status status = search_before(w, rank, o, error);
    if (status == ND_OK && !o->removed) status = search_inside(w, rank, o, error);
    nd_pair_verifier_rest(w->verifier);
    return status;
}

/* Reports the block before. It is the work of one thread, so the others compare meanwhile. */
static nd_status report_decided(decider *d, nd_error *error) {
    if (!d->request->report || d->reported == d->decided) return ND_OK;
    d->reported = d->decided;
    return d->request->report(d->request->context, d->decided, error);
}

/* Takes the next documents of the block: [*begin, *end) of `count`, empty if there are no more. */
static void take_documents(decider *d, uint32_t count, uint32_t *begin, uint32_t *end) {
    *begin = atomic_load(&d->next);
    do {
        uint32_t left = count - *begin, share = left / 4 / d->run->threads,
                 taken = share > LEAST ? share : LEAST;
        *end = *begin + (taken < left ? taken : left);
    } while (!atomic_compare_exchange_weak(&d->next, begin, *end));
}

static nd_status search_documents(decide_worker *w, nd_error *error) {
    decider *d = w->shared;
    uint32_t first = d->block->begin, begin, end;
    while (!atomic_load(&d->failed)) {
        take_documents(d, d->block->end - first, &begin, &end);
        if (begin == end) break;
        for (uint32_t k = begin; k < end; k++) ND_TRY(search(w, first + k, &d->outcomes[k], error));
    }
    return ND_OK;
}

/* nd_worker_fn */
static nd_status search_run(void *context, uint32_t index, nd_error *error) {
    decider *d = context;
    nd_status status = index == 0 ? report_decided(d, error) : ND_OK;
    if (status == ND_OK) status = search_documents(&d->workers[index], error);
    if (status != ND_OK) atomic_store(&d->failed, true);
    return status;
}

/* ---- resolving, in order, on one thread */

/* Decides a document among its candidates inside the block, whose fates are known now. *removed: a
 * candidate removes it, and o->verdict is of the first such candidate. */
static nd_status resolve_inside(decider *d, uint32_t rank, outcome *o, bool *removed,
                                nd_error *error) {
    decide_worker *w = &d->workers[0];
    ND_TRY(reserve_lists(w, rank, error));
    size_t count = nd_candidates_inside(d->block, d->candidates, rank, w->lists);
    uint32_t candidate, guess = o->found ? o->verdict.earlier : UINT32_MAX, used = o->large_used;
    bool only_large;
    *removed = false;
    while (nd_candidate_next(w->lists, &count, &candidate, &only_large)) {
        if (!is_kept(d, candidate)) continue;
        if (only_large && used == d->plan->max_compare) {
            o->left_out += 1 + nd_candidates_drop_large(w->lists, &count);
            continue;
        }
        used += only_large;
        *removed = candidate == guess;
        if (candidate >= o->tried_below)
            ND_TRY(nd_pair_verify(w->verifier, candidate, rank, removed, &o->verdict, error));
        if (*removed) return ND_OK;
    }
    return ND_OK;
}

/* Counts the comparisons that were left out. Members of several buckets count several times, so a
 * document counts at most as many as there are ranks before it. */
static void count_bounded(decider *d, uint32_t rank, uint64_t left_out) {
    if (left_out == 0) return;
    d->counts->bounded_documents++;
    d->counts->bounded_comparisons += left_out < rank ? left_out : rank;
}

static nd_status resolve(decider *d, uint32_t rank, nd_error *error) {
    outcome *o = &d->outcomes[rank - d->block->begin];
    const uint64_t *postings;
    bool removed = o->removed;
    if (!compares_all(d) && !removed && nd_candidate_block_has(d->block, rank) &&
        !is_known(d, rank))
        ND_TRY(resolve_inside(d, rank, o, &removed, error));
    nd_pair_verifier_rest(d->workers[0].verifier);
    bool spared = removed && nd_is_protected(d->ranks, nd_document_of(d->ranks, rank));
    d->counts->spared += spared;
    if (removed && !spared)
        ND_TRY(nd_fates_remove(d->fates, nd_document_of(d->ranks, rank), &o->verdict, error));
    else if (!spared) count_bounded(d, rank, o->left_out);
    size_t buckets = nd_candidate_block_buckets(d->block, rank, &postings);
    for (size_t b = 0; b < buckets; b++)
        ND_TRY(
            nd_postings_decide(&d->kept, (uint32_t)postings[b], rank, !removed || spared, error));
    return ND_OK;
}

static int by_later(const void *a, const void *b) {
    const nd_verdict *x = a, *y = b;
    if (x->later != y->later) return x->later < y->later ? -1 : 1;
    return x->earlier < y->earlier ? -1 : x->earlier > y->earlier;
}

/* Moves the pairs of all workers to the fates, in order. */
static nd_status store_pairs(decider *d, nd_error *error) {
    found_pairs *all = &d->workers[0].found;
    for (uint32_t i = 1; i < d->run->threads; i++) {
        found_pairs *f = &d->workers[i].found;
        if (f->count == 0) continue;
        if (!nd_reserve(&d->run->allocator, &all->list, &all->capacity, all->count + f->count))
            return nd_fail_memory(error, f->count * sizeof *f->list, "pairs");
        memcpy(all->list + all->count, f->list, f->count * sizeof *f->list);
        all->count += f->count;
        f->count = 0;
    }
    if (all->count > 0) qsort(all->list, all->count, sizeof *all->list, by_later);
    nd_status status = nd_fates_add_pairs(d->fates, all->list, all->count, error);
    all->count = 0;
    return status;
}

/* ---- blocks */

static nd_status decide_block(decider *d, nd_error *error) {
    const nd_run *run = d->run;
    atomic_store(&d->next, 0);
    ND_TRY(nd_run_workers(&run->allocator, run->threads, search_run, d, error));
    if (compares_all(d)) ND_TRY(store_pairs(d, error));
    for (uint32_t rank = d->block->begin; rank < d->block->end; rank++)
        ND_TRY(resolve(d, rank, error));
    d->decided = d->block->end - d->ranks->base;
    if (d->request->decided) ND_TRY(d->request->decided(d->request->context, d->decided, error));
    return nd_progress_report(run->progress, ND_STAGE_DECIDE, d->decided, d->ranks->count, error);
}

static nd_status load_run(void *context, uint32_t index, nd_error *error) {
    decider *d = context;
    return nd_candidate_block_load(&d->blocks[index], d->candidates, d->ranks->count,
                                   d->first_part + index, error);
}

static nd_status decide_blocks(decider *d, nd_error *error) {
    const nd_run *run = d->run;
    size_t parts = ((size_t)d->ranks->count + ND_DECIDE_BLOCK - 1) / ND_DECIDE_BLOCK;
    for (d->first_part = 0; d->first_part < parts; d->first_part += run->threads) {
        ND_TRY(nd_run_workers(&run->allocator, run->threads, load_run, d, error));
        for (size_t i = 0; i < run->threads && d->first_part + i < parts; i++) {
            d->block = &d->blocks[i];
            ND_TRY(decide_block(d, error));
        }
    }
    return report_decided(d, error);
}

/* ---- the stage */

/* Begins the posting list of each large bucket with its documents of the index, because all of them
 * are kept. */
static nd_status begin_lists(decider *d, nd_error *error) {
    const nd_candidates *c = d->candidates;
    ND_TRY(nd_postings_init(&d->kept, &d->run->allocator, c->bucket_sizes, c->large_buckets,
                            d->plan->max_compare, error));
    for (size_t i = 0; i < c->indexed_count; i++) {
        const nd_indexed_bucket *b = &c->indexed[i];
        const nd_posting_start start = {.bucket = b->bucket,
                                        .ranks = c->indexed_members + b->begin,
                                        .count = b->count,
                                        .left_out = b->left_out};
        ND_TRY(nd_postings_begin(&d->kept, &start, error));
    }
    return ND_OK;
}

/* Gives a worker a sample of its own. */
static void sample_pairs(const decider *d, decide_worker *w) {
    w->sample = (nd_pair_sample){.allocator = d->run->allocator, .most = d->request->sample->most};
    nd_pair_verifier_sample(w->verifier, &w->sample);
}

static nd_status merge_samples(decider *d, nd_error *error) {
    for (uint32_t i = 0; i < d->run->threads && d->request->sample; i++)
        ND_TRY(nd_pair_sample_merge(d->request->sample, &d->workers[i].sample, error));
    return ND_OK;
}

static nd_status prepare(decider *d, nd_error *error) {
    const nd_allocator *a = &d->run->allocator;
    ND_TRY(begin_lists(d, error));
    d->workers = nd_allocate_zero(a, d->run->threads, sizeof *d->workers);
    d->outcomes = nd_allocate(a, ND_DECIDE_BLOCK, sizeof *d->outcomes);
    d->blocks = nd_allocate_zero(a, d->run->threads, sizeof *d->blocks);
    if (!d->workers || !d->outcomes || !d->blocks)
        return nd_fail_memory(error, ND_DECIDE_BLOCK * sizeof *d->outcomes, "a block");
    for (uint32_t i = 0; i < d->run->threads; i++) {
        d->workers[i].shared = d;
        ND_TRY(nd_candidate_block_init(&d->blocks[i], a, error));
        ND_TRY(nd_pair_verifier_create(d->request->verifier, &d->workers[i].verifier, error));
        if (d->request->sample) sample_pairs(d, &d->workers[i]);
    }
    return ND_OK;
}

static void release(decider *d) {
    const nd_allocator *a = &d->run->allocator;
    for (uint32_t i = 0; d->workers && i < d->run->threads; i++) {
        decide_worker *w = &d->workers[i];
        if (w->verifier)
            nd_comparison_counts_add(&d->counts->comparisons, nd_pair_verifier_counts(w->verifier));
        nd_pair_sample_free(&w->sample);
        nd_pair_verifier_free(w->verifier);
        nd_release(a, w->lists);
        nd_release(a, w->found.list);
    }
    for (uint32_t i = 0; d->blocks && i < d->run->threads; i++)
        nd_candidate_block_free(&d->blocks[i], a);
    nd_release(a, d->workers);
    nd_release(a, d->outcomes);
    nd_release(a, d->blocks);
    nd_postings_free(&d->kept);
}

nd_status nd_decide(const nd_decide_request *request, const nd_candidates *candidates,
                    nd_fates *fates, nd_decide_counts *counts, nd_error *error) {
    const nd_verifier_plan *verifier = request->verifier;
    decider d = {.request = request,
                 .run = verifier->run,
                 .plan = verifier->plan,
                 .ranks = verifier->documents.ranks,
                 .candidates = candidates,
                 .fates = fates,
                 .counts = counts};
    *counts = (nd_decide_counts){0};
    nd_status status = prepare(&d, error);
    if (status == ND_OK) status = decide_blocks(&d, error);
    if (status == ND_OK) status = merge_samples(&d, error);
    release(&d);
    return status;
}
