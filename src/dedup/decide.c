/* Stage "decide": the fate of each document, in the order of rank.
 *
 * Greedy. A document is removed exactly when it is a duplicate of a document kept before it, and
 * the first such is its evidence. Documents are taken in blocks. In parallel each document of a
 * block is compared, in ascending order, with its candidates before the block, whose fate is known,
 * and, when none of them decides it, with its candidates inside the block, as if they were all
 * kept, until the first duplicate. Then, in order, one thread settles the rest: where the duplicate
 * found inside the block was kept it is the evidence, for all before it were found to be none;
 * where not, the search goes on behind it, which is rare. So nearly all comparing is parallel, and
 * the answer is that of taking one document after the other.
 *
 * All pairs (nd_pairs, ND_GROUP_COMPONENT). Every document counts as kept and every duplicate is
 * recorded: there is nothing to settle.
 *
 * Candidates out of small buckets, and near fingerprints that are not too many, are always
 * compared. Those that only wide buckets propose, or that are too many, are compared in ascending
 * order up to max_compare a document, and what that leaves out is counted. */
#include "job/job.h"

#include "base/radix_sort.h"
#include "base/workers.h"
#include "base/union_find.h"
#include "dedup/pair_verifier.h"
#include "dedup/posting_lists.h"
#include "dedup/candidate_merge.h"

#include <stdlib.h>
#include <string.h>

/* Documents that a worker takes at a time. */
enum { STRIDE = 16 };

/* What the parallel part found of a document. */
typedef struct outcome {
    bool removed;         /* by a document before the block: final */
    bool found;           /* verdict.earlier, inside the block, is a duplicate */
    uint32_t tried_below; /* candidates inside the block below this rank have been compared, whether
                             they are kept or not */
    uint32_t wide_used;   /* comparisons with members of wide buckets before the block */
    uint64_t left_out;
    nd_verdict verdict;
} outcome;

/* The verdicts that a worker found, all-pairs mode. */
typedef struct found_pairs {
    nd_verdict *list;
    size_t count, capacity;
} found_pairs;

typedef struct decider decider;

typedef struct decide_worker {
    decider *shared;
    nd_comparer *comparer;
    nd_candidate_list *lists;
    size_t list_capacity;
    found_pairs found;
} decide_worker;

/* Where a document stands among the members of its wide bucket in the block: bucket_members[begin,
 * place) are before it. */
typedef struct bucket_place {
    uint32_t begin, place;
} bucket_place;

/* Documents that are decided together, the ranks [begin, end), with their candidates. */
typedef struct block {
    uint32_t begin, end;
    nd_part_buffer pairs, memberships, by_bucket; /* by_bucket: bucket << 32 | rank */
    uint32_t *earlier;                            /* of the pairs, each once */
    uint32_t *bucket_members;                     /* ranks of by_bucket */
    bucket_place *places;                         /* for each membership */
    uint32_t *pair_begin;       /* for each document of the block and one more: its first pair */
    uint32_t *membership_begin; /* the same for memberships */
    size_t earlier_capacity, member_capacity, place_capacity;
} block;

struct decider {
    nd_job *job;
    bool all_pairs;
    nd_wide_lists wide;
    decide_worker *workers;
    block *blocks; /* one a thread: their candidates are loaded together */
    size_t first_part;
    const block *block; /* the one that is decided */
    outcome *outcomes;
    atomic_uint next;
    atomic_bool failed;
};

/* ---- the candidates of a block */

/* Sorted words with the rank in the upper half: where each rank of the block begins. */
static void index_by_rank(const block *x, const uint64_t *words, size_t count, uint32_t *begin) {
    size_t i = 0;
    for (uint32_t rank = x->begin; rank < x->end; rank++) {
        begin[rank - x->begin] = (uint32_t)i;
        while (i < count && words[i] >> 32 == rank) i++;
    }
    begin[x->end - x->begin] = (uint32_t)i;
}

static nd_status load_pairs(nd_job *job, block *x, size_t part, nd_error *error) {
    ND_TRY(nd_part_sorter_load(job->pairs, part, 0, &x->pairs, error));
    size_t unique = 0;
    for (size_t i = 0; i < x->pairs.count; i++)
        if (i == 0 || x->pairs.words[i] != x->pairs.words[i - 1])
            x->pairs.words[unique++] = x->pairs.words[i];
    x->pairs.count = unique;
    if (!nd_reserve(&job->allocator, &x->earlier, &x->earlier_capacity, unique))
        return nd_fail_memory(error, unique * 4, "candidate pairs");
    for (size_t i = 0; i < unique; i++) x->earlier[i] = (uint32_t)x->pairs.words[i];
    index_by_rank(x, x->pairs.words, unique, x->pair_begin);
    return ND_OK;
}

/* Memberships by rank, and the same by bucket, so that a document finds the members of its wide
 * buckets that stand before it in the block. */
static nd_status load_memberships(nd_job *job, block *x, size_t part, nd_error *error) {
    ND_TRY(nd_part_sorter_load(job->memberships, part, 0, &x->memberships, error));
    size_t count = x->memberships.count;
    nd_part_buffer *b = &x->by_bucket;
    if (!nd_reserve(&job->allocator, &b->words, &b->capacity, count) ||
        !nd_reserve(&job->allocator, &b->scratch, &b->scratch_capacity, count) ||
        !nd_reserve(&job->allocator, &x->bucket_members, &x->member_capacity, count) ||
        !nd_reserve(&job->allocator, &x->places, &x->place_capacity, count))
        return nd_fail_memory(error, count * 24, "wide buckets");
    /* Bucket in the upper half, the membership's index in the lower: memberships ascend by rank, so
     * the index keeps that order. */
    for (size_t i = 0; i < count; i++) b->words[i] = x->memberships.words[i] << 32 | i;
    nd_radix_sort(b->words, b->scratch, count, 32);
    uint32_t begin = 0;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t membership = (uint32_t)b->words[p];
        if (b->words[p] >> 32 != b->words[begin] >> 32) begin = p;
        x->places[membership] = (bucket_place){begin, p};
        x->bucket_members[p] = (uint32_t)(x->memberships.words[membership] >> 32);
    }
    b->count = count;
    index_by_rank(x, x->memberships.words, count, x->membership_begin);
    return ND_OK;
}

/* The candidates of as many blocks as there are threads. */
static nd_status load_run(void *context, uint32_t index, nd_error *error) {
    decider *d = context;
    nd_job *job = d->job;
    block *x = &d->blocks[index];
    size_t part = d->first_part + index;
    uint64_t begin = (uint64_t)part * ND_DECIDE_BLOCK, end = begin + ND_DECIDE_BLOCK;
    if (begin >= job->documents.count) return ND_OK;
    x->begin = job->base + (uint32_t)begin;
    x->end = job->base + (uint32_t)(end < job->documents.count ? end : job->documents.count);
    ND_TRY(load_pairs(job, x, part, error));
    return load_memberships(job, x, part, error);
}

/* ---- the candidates of a document */

/* Room for the lists of a document. */
static nd_status reserve_lists(decide_worker *w, uint32_t rank, nd_error *error) {
    const block *x = w->shared->block;
    size_t buckets = x->membership_begin[rank - x->begin + 1] -
                     x->membership_begin[rank - x->begin];
    if (nd_reserve(&w->shared->job->allocator, &w->lists, &w->list_capacity, 1 + buckets))
        return ND_OK;
    return nd_fail_memory(error, buckets * sizeof *w->lists, "a document's candidates");
}

static void add_list(nd_candidate_list *lists, size_t *count, const uint32_t *begin,
                     const uint32_t *end, bool wide) {
    if (begin < end) lists[(*count)++] = (nd_candidate_list){begin, end, wide};
}

/* First pair of a document whose earlier member lies in the block. */
static uint32_t first_inside(const decider *d, uint32_t rank) {
    uint32_t i = d->block->pair_begin[rank - d->block->begin],
             end = d->block->pair_begin[rank - d->block->begin + 1];
    while (i < end && d->block->earlier[i] < d->block->begin) i++;
    return i;
}

/* Candidates before the block. *truncated: kept members of wide buckets that their lists no longer
 * hold, and near fingerprints that are too many. */
static size_t lists_before(const decider *d, uint32_t rank, nd_candidate_list *lists,
                           uint64_t *truncated) {
    size_t count = 0;
    uint32_t k = rank - d->block->begin;
    add_list(lists, &count, d->block->earlier + d->block->pair_begin[k],
             d->block->earlier + first_inside(d, rank),
             nd_has_many_neighbours(&d->job->neighbours, rank));
    *truncated = nd_neighbours_left_out(&d->job->neighbours, rank);
    for (uint32_t m = d->block->membership_begin[k]; m < d->block->membership_begin[k + 1]; m++) {
        const nd_wide_list *list = &d->wide.lists[(uint32_t)d->block->memberships.words[m]];
        add_list(lists, &count, list->members, list->members + list->count, true);
        *truncated += list->left_out;
    }
    return count;
}

/* Candidates inside the block, kept or not. */
static size_t lists_inside(const decider *d, uint32_t rank, nd_candidate_list *lists) {
    size_t count = 0;
    uint32_t k = rank - d->block->begin;
    add_list(lists, &count, d->block->earlier + first_inside(d, rank),
             d->block->earlier + d->block->pair_begin[k + 1],
             nd_has_many_neighbours(&d->job->neighbours, rank));
    for (uint32_t m = d->block->membership_begin[k]; m < d->block->membership_begin[k + 1]; m++) {
        add_list(lists, &count, d->block->bucket_members + d->block->places[m].begin,
                 d->block->bucket_members + d->block->places[m].place, true);
    }
    return count;
}

/* ---- in parallel */

static nd_status record(decide_worker *w, const nd_verdict *verdict, nd_error *error) {
    found_pairs *f = &w->found;
    if (!nd_reserve(&w->shared->job->allocator, &f->list, &f->capacity, f->count + 1))
        return nd_fail_memory(error, sizeof *verdict, "pairs");
    f->list[f->count++] = *verdict;
    return ND_OK;
}

static bool is_kept(const nd_job *job, uint32_t rank) {
    return nd_job_is_indexed(job, rank) ||
           nd_document_at(&job->documents, nd_job_document(job, rank))->fate == ND_FATE_KEPT;
}

/* Against documents before the block. */
static nd_status search_before(decide_worker *w, uint32_t rank, outcome *o, nd_error *error) {
    decider *d = w->shared;
    uint64_t truncated;
    ND_TRY(reserve_lists(w, rank, error));
    size_t count = lists_before(d, rank, w->lists, &truncated);
    uint32_t candidate;
    bool only_wide, duplicate;
    while (nd_candidate_next(w->lists, &count, &candidate, &only_wide)) {
        if (!d->all_pairs && !is_kept(d->job, candidate)) continue;
        if (only_wide && o->wide_used == d->job->options.max_compare) {
            o->left_out += 1 + nd_candidates_drop_wide(w->lists, &count);
            continue;
        }
        o->wide_used += only_wide;
        ND_TRY(nd_comparer_decide(w->comparer, candidate, rank, &duplicate, &o->verdict, error));
        if (!duplicate) continue;
        if (d->all_pairs) ND_TRY(record(w, &o->verdict, error));
        else o->removed = true;
        if (o->removed) return ND_OK;
    }
    o->left_out += truncated;
    return ND_OK;
}

/* Against documents of the block that stand before it: in all-pairs mode for good, in greedy mode
 * on the guess that they are kept. */
static nd_status search_inside(decide_worker *w, uint32_t rank, outcome *o, nd_error *error) {
    decider *d = w->shared;
    size_t count = lists_inside(d, rank, w->lists);
    uint32_t candidate, used = o->wide_used;
    bool only_wide, duplicate;
    while (nd_candidate_next(w->lists, &count, &candidate, &only_wide)) {
        if (only_wide && used == d->job->options.max_compare) {
            if (!d->all_pairs) {
                o->tried_below = candidate;
                return ND_OK;
            }
            o->left_out += 1 + nd_candidates_drop_wide(w->lists, &count);
            continue;
        }
        used += only_wide;
        nd_verdict verdict;
        ND_TRY(nd_comparer_decide(w->comparer, candidate, rank, &duplicate, &verdict, error));
        if (!duplicate) continue;
        if (d->all_pairs) {
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

static nd_status search_run(void *context, uint32_t index, nd_error *error) {
    decider *d = context;
    decide_worker *w = &d->workers[index];
    while (!atomic_load(&d->failed)) {
        uint32_t from = atomic_fetch_add(&d->next, STRIDE);
        if (from >= d->block->end - d->block->begin) break;
        for (uint32_t k = from; k < from + STRIDE && k < d->block->end - d->block->begin; k++) {
            outcome *o = &d->outcomes[k];
            *o = (outcome){.tried_below = d->block->begin + k};
            bool candidates = d->block->pair_begin[k] < d->block->pair_begin[k + 1] ||
                              d->block->membership_begin[k] < d->block->membership_begin[k + 1];
            if (!candidates ||
                nd_job_is_known(d->job, nd_job_document(d->job, d->block->begin + k)))
                continue;
            nd_status status = search_before(w, d->block->begin + k, o, error);
            if (status == ND_OK && !o->removed)
                status = search_inside(w, d->block->begin + k, o, error);
            nd_comparer_rest(w->comparer);
            if (status != ND_OK) {
                atomic_store(&d->failed, true);
                return status;
            }
        }
    }
    return ND_OK;
}

/* ---- in order */

/* The duplicate inside the block that removes a document, if any: *removed, o->verdict. */
static nd_status settle_inside(decider *d, uint32_t rank, outcome *o, bool *removed,
                               nd_error *error) {
    decide_worker *w = &d->workers[0];
    ND_TRY(reserve_lists(w, rank, error));
    size_t count = lists_inside(d, rank, w->lists);
    uint32_t candidate, guess = o->found ? o->verdict.earlier : UINT32_MAX, used = o->wide_used;
    bool only_wide;
    *removed = false;
    while (nd_candidate_next(w->lists, &count, &candidate, &only_wide)) {
        if (!is_kept(d->job, candidate)) continue;
        if (only_wide && used == d->job->options.max_compare) {
            o->left_out += 1 + nd_candidates_drop_wide(w->lists, &count);
            continue;
        }
        used += only_wide;
        *removed = candidate == guess;
        if (candidate >= o->tried_below)
            ND_TRY(nd_comparer_decide(w->comparer, candidate, rank, removed, &o->verdict, error));
        if (*removed) return ND_OK;
    }
    return ND_OK;
}

static nd_status remove_document(decider *d, uint32_t rank, const nd_verdict *verdict,
                                 nd_error *error) {
    nd_job *job = d->job;
    nd_document_entry *entry = nd_document_at(&job->documents, nd_job_document(job, rank));
    entry->fate = ND_FATE_REMOVED;
    entry->link = (uint32_t)(job->verdicts.size / sizeof *verdict);
    return nd_spool_append(&job->verdicts, verdict, sizeof *verdict, error);
}

static nd_status settle_block(decider *d, nd_error *error) {
    nd_job *job = d->job;
    for (uint32_t rank = d->block->begin; rank < d->block->end; rank++) {
        uint32_t k = rank - d->block->begin;
        outcome *o = &d->outcomes[k];
        bool removed = o->removed;
        bool known = nd_job_is_known(job, nd_job_document(job, rank));
        if (!d->all_pairs && !known && !removed &&
            d->block->pair_begin[k] + d->block->membership_begin[k] <
                d->block->pair_begin[k + 1] + d->block->membership_begin[k + 1])
            ND_TRY(settle_inside(d, rank, o, &removed, error));
        nd_comparer_rest(d->workers[0].comparer);
        if (removed) ND_TRY(remove_document(d, rank, &o->verdict, error));
        else if (o->left_out > 0) {
            job->summary.bounded_documents++;
            job->summary.bounded_comparisons +=
                o->left_out < rank ? o->left_out
                                   : rank; /* members of several buckets count several times */
        }
        for (uint32_t m = d->block->membership_begin[k]; m < d->block->membership_begin[k + 1]; m++)
            ND_TRY(nd_wide_lists_decided(&d->wide, (uint32_t)d->block->memberships.words[m], rank,
                                         !removed, error));
    }
    return ND_OK;
}

static int by_later(const void *a, const void *b) {
    const nd_verdict *x = a, *y = b;
    if (x->later != y->later) return x->later < y->later ? -1 : 1;
    return x->earlier < y->earlier ? -1 : x->earlier > y->earlier;
}

/* All-pairs mode: what the workers found, in order. */
static nd_status store_pairs(decider *d, nd_error *error) {
    found_pairs *all = &d->workers[0].found;
    for (uint32_t i = 1; i < d->job->threads; i++) {
        found_pairs *f = &d->workers[i].found;
        if (f->count == 0) continue;
        if (!nd_reserve(&d->job->allocator, &all->list, &all->capacity, all->count + f->count))
            return nd_fail_memory(error, f->count * sizeof *f->list, "pairs");
        memcpy(all->list + all->count, f->list, f->count * sizeof *f->list);
        all->count += f->count;
        f->count = 0;
    }
    if (all->count > 0) qsort(all->list, all->count, sizeof *all->list, by_later);
    nd_status status = nd_spool_append(&d->job->found_pairs, all->list,
                                       all->count * sizeof *all->list, error);
    all->count = 0;
    return status;
}

static nd_status decide_block(decider *d, nd_error *error) {
    nd_job *job = d->job;
    atomic_store(&d->next, 0);
    ND_TRY(nd_run_workers(&job->allocator, job->threads, search_run, d, error));
    if (d->all_pairs) ND_TRY(store_pairs(d, error));
    ND_TRY(settle_block(d, error));
    uint32_t decided = d->block->end - job->base;
    if (!d->all_pairs && !job->order) ND_TRY(nd_job_report(job->reporter, decided, error));
    if (job->store && !job->order) ND_TRY(nd_job_checkpoint(job, decided, error));
    return nd_progress_tell(&job->progress, ND_STAGE_DECIDE, decided, job->documents.count, error);
}

static nd_status decide_blocks(decider *d, nd_error *error) {
    nd_job *job = d->job;
    size_t parts = (size_t)((job->documents.count + ND_DECIDE_BLOCK - 1) / ND_DECIDE_BLOCK);
    for (d->first_part = 0; d->first_part < parts; d->first_part += job->threads) {
        ND_TRY(nd_run_workers(&job->allocator, job->threads, load_run, d, error));
        for (size_t i = 0; i < job->threads && d->first_part + i < parts; i++) {
            d->block = &d->blocks[i];
            ND_TRY(decide_block(d, error));
        }
    }
    return ND_OK;
}

/* ---- connected components */

/* Every pair found joins its two documents; the first of a component is kept, and the others are
 * removed, each with its similarity to the kept one, which is computed where the two were no pair.
 */
typedef struct components {
    decider *decider;
    uint32_t *parent;   /* union-find over the ranks */
    uint32_t rank;      /* of the document that is settled next */
    nd_verdict verdict; /* of it with the first of its component, where they are a pair */
    bool direct;
} components;

/* nd_found_pair_fn */
static nd_status join_pair(void *context, const nd_verdict *pair, nd_error *error) {
    (void)error;
    nd_union_find_join(((components *)context)->parent, pair->earlier, pair->later);
    return ND_OK;
}

/* Settles the documents before `end`; pairs with them as the later one have all been seen. */
static nd_status settle_components(components *c, uint32_t end, nd_error *error) {
    for (; c->rank < end; c->rank++, c->direct = false) {
        uint32_t root = nd_union_find_root(c->parent, c->rank);
        if (root == c->rank) continue;
        if (!c->direct) {
            c->verdict = (nd_verdict){0};
            ND_TRY(nd_comparer_measure(c->decider->workers[0].comparer, root, c->rank, &c->verdict,
                                       error));
        }
        ND_TRY(remove_document(c->decider, c->rank, &c->verdict, error));
    }
    return ND_OK;
}

/* nd_found_pair_fn: pairs come in the order of the later document. */
static nd_status take_component_pair(void *context, const nd_verdict *pair, nd_error *error) {
    components *c = context;
    ND_TRY(settle_components(c, pair->later, error));
    if (pair->earlier != nd_union_find_root(c->parent, pair->later)) return ND_OK;
    c->direct = true;
    c->verdict = *pair;
    return ND_OK;
}

static nd_status remove_by_component(decider *d, nd_error *error) {
    nd_job *job = d->job;
    uint32_t count = (uint32_t)job->documents.count;
    components c = {.decider = d, .parent = nd_allocate(&job->allocator, count, sizeof *c.parent)};
    if (!c.parent) return nd_fail_memory(error, count * sizeof *c.parent, "components");
    nd_union_find_init(c.parent, count);
    nd_status status = nd_found_pairs_each(job, join_pair, &c, error);
    if (status == ND_OK) status = nd_found_pairs_each(job, take_component_pair, &c, error);
    if (status == ND_OK) status = settle_components(&c, count, error);
    nd_release(&job->allocator, c.parent);
    return status;
}

/* ---- the stage */

/* The lists of wide buckets begin with their documents of the index. */
static nd_status take_wide_indexed(decider *d, nd_error *error) {
    nd_job *job = d->job;
    for (size_t i = 0; i < job->wide_indexed_count;) {
        const uint32_t *head = job->wide_indexed + i;
        ND_TRY(nd_wide_lists_begin(&d->wide, head[0], head + 3, head[2], head[1], error));
        i += 3 + (size_t)head[2];
    }
    nd_release(&job->allocator, job->wide_indexed);
    job->wide_indexed = NULL;
    return ND_OK;
}

static nd_status prepare_decider(decider *d, nd_error *error) {
    nd_job *job = d->job;
    const nd_allocator *a = &job->allocator;
    ND_TRY(nd_wide_lists_init(&d->wide, a, job->bucket_sizes, job->wide_buckets,
                              job->options.max_compare, error));
    ND_TRY(take_wide_indexed(d, error));
    nd_release(a, job->bucket_sizes);
    job->bucket_sizes = NULL;
    d->workers = nd_allocate_zero(a, job->threads, sizeof *d->workers);
    d->outcomes = nd_allocate(a, ND_DECIDE_BLOCK, sizeof *d->outcomes);
    d->blocks = nd_allocate_zero(a, job->threads, sizeof *d->blocks);
    if (!d->workers || !d->outcomes || !d->blocks)
        return nd_fail_memory(error, ND_DECIDE_BLOCK * sizeof *d->outcomes, "a block");
    for (uint32_t i = 0; i < job->threads; i++) {
        decide_worker *w = &d->workers[i];
        block *x = &d->blocks[i];
        x->pair_begin = nd_allocate(a, ND_DECIDE_BLOCK + 1, sizeof *x->pair_begin);
        x->membership_begin = nd_allocate(a, ND_DECIDE_BLOCK + 1, sizeof *x->membership_begin);
        if (!x->pair_begin || !x->membership_begin)
            return nd_fail_memory(error, ND_DECIDE_BLOCK * sizeof *x->pair_begin, "a block");
        w->shared = d;
        ND_TRY(nd_comparer_create(job, &w->comparer, error));
    }
    return ND_OK;
}

static void release_decider(decider *d) {
    nd_job *job = d->job;
    const nd_allocator *a = &job->allocator;
    for (uint32_t i = 0; d->workers && i < job->threads; i++) {
        decide_worker *w = &d->workers[i];
        if (w->comparer) {
            const nd_comparison_counts *counts = nd_comparer_counts(w->comparer);
            job->summary.candidates += counts->candidates;
            job->summary.verified += counts->verified;
            job->summary.rejected += counts->rejected;
        }
        nd_comparer_free(w->comparer);
        nd_release(a, w->lists);
        nd_release(a, w->found.list);
    }
    nd_release(a, d->workers);
    nd_release(a, d->outcomes);
    for (uint32_t i = 0; d->blocks && i < job->threads; i++) {
        block *x = &d->blocks[i];
        nd_release(a, x->pair_begin);
        nd_release(a, x->membership_begin);
        nd_release(a, x->earlier);
        nd_release(a, x->bucket_members);
        nd_release(a, x->places);
        nd_part_buffer_free(a, &x->pairs);
        nd_part_buffer_free(a, &x->memberships);
        nd_part_buffer_free(a, &x->by_bucket);
    }
    nd_release(a, d->blocks);
    nd_wide_lists_free(&d->wide);
}

nd_status nd_job_decide(nd_job *job, nd_error *error) {
    bool by_component = job->task == ND_TASK_DEDUP && job->options.group == ND_GROUP_COMPONENT;
    decider d = {.job = job, .all_pairs = by_component || job->task == ND_TASK_PAIRS};
    nd_status status = prepare_decider(&d, error);
    if (status == ND_OK) status = decide_blocks(&d, error);
    if (status == ND_OK && by_component) status = remove_by_component(&d, error);
    release_decider(&d);
    nd_part_sorter_free(job->pairs);
    nd_part_sorter_free(job->memberships);
    job->pairs = job->memberships = NULL;
    nd_first_neighbours_free(&job->neighbours);
    return status;
}
