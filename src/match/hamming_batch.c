#include "match/hamming_batch.h"

#include "base/workers.h"
#include "match/hamming_costs.h"
#include "match/hamming_search.h"
#include "match/near_pairs.h"
#include "match/table_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MOST_ERRORS = 127,
#ifdef ND_TINY_LIMITS
    PART_KEYS = 32,
    KEYS = 40,
    COPIES = 48,
    LOT = 5
#else
    PART_KEYS = 1 << 14, /* about so many a part */
    KEYS = 1 << 15,      /* that are worked on at once */
    COPIES = 1 << 17,    /* of queries, likewise */
    LOT = 256            /* queries that a thread takes where they go one by one */
#endif
};

static const char what[] = "a batch of Hamming queries";

/* Numbers of `bits` bits with 0, 1, 2 ... of them set; [0, ends[e]) have at most e. */
typedef struct patterns {
    uint32_t *values;
    size_t capacity, ends[MOST_ERRORS + 1];
} patterns;

/* How a table is swept. The highest `part_bits` bits are the part's number; of the `depth` bits in which patterns are made, `outer_bits` lie in it and `inner_bits` behind it. */
typedef struct sweep_plan {
    unsigned depth, part_bits, outer_bits, inner_bits;
    double nanoseconds;
} sweep_plan;

typedef struct worker worker;

typedef struct sweeper {
    nd_allocator allocator;
    const nd_hamming_tables *tables;
    const nd_hamming_batch *batch;
    unsigned words; /* of a key */
    int errors[ND_HAMMING_MOST_TABLES];
    /* Of the table that is swept. */
    uint32_t table;
    sweep_plan plan;
    patterns outer, inner;
    /* The queries by the outer bits of their keys. */
    uint64_t *keys; /* NULL: they go one by one */
    uint32_t *numbers, *starts;
    size_t start_capacity;
    nd_turns turns;
    worker **workers; /* a thread's, once it has begun */
} sweeper;

/* ---- costs, nanoseconds: the same on all machines, since the order of the pairs depends on them */

static double pattern_count(unsigned bits, int errors) {
    double sum = 1, term = 1;
    for (int j = 1; j <= errors && (unsigned)j <= bits; j++) sum += term = term * (bits - (unsigned)j + 1) / j;
    return sum;
}

static sweep_plan plan_of(const nd_hamming_tables *t, uint32_t table, double queries, int errors) {
    const double key = 2, copy = 4, visit = 10, group = 30, comparison = t->design.bits > 64 ? 0.1 : 0.05;
    sweep_plan best = {.nanoseconds = INFINITY};
    unsigned bucket_bits = t->tables[table].bucket_bits, width = t->windows.widths[table], part_bits = 0;
    double keys = (double)t->keys;
    while (part_bits < bucket_bits && keys > ldexp(PART_KEYS, (int)part_bits)) part_bits++;
    for (unsigned depth = 0; depth <= width && depth <= bucket_bits; depth++) {
        unsigned outer = depth < part_bits ? depth : part_bits;
        double copies = queries * pattern_count(depth, errors);
        double cost = keys * key + ldexp(visit * pattern_count(outer, errors), (int)part_bits) + ldexp(group, (int)depth) +
                      copies * (copy + keys * ldexp(comparison, -(int)depth));
        if (cost < best.nanoseconds) best = (sweep_plan){depth, part_bits, outer, depth - outer, cost};
    }
    return best;
}

static bool is_swept(const sweeper *s) {
    const nd_hamming_tables *t = s->tables;
    nd_hamming_costs costs;
    if (s->batch->way != ND_BATCH_BY_COST) return s->batch->way == ND_BATCH_SWEPT;
    nd_hamming_costs_init(&costs);
    double queries = (double)s->batch->count, swept = 0, one = costs.query;
    for (uint32_t i = 0; i < t->windows.count; i++) {
        if (s->errors[i] < 0) continue;
        swept += plan_of(t, i, queries, s->errors[i]).nanoseconds;
        one += nd_hamming_table_cost_of(&costs, t->design.bits, (double)t->keys, t->tables[i].bucket_bits, t->windows.widths[i], s->errors[i])
                   .nanoseconds;
    }
    return swept < queries * one;
}

/* ---- getting ready for a table */

static nd_status make_patterns(const sweeper *s, unsigned bits, int most, patterns *p, nd_error *error) {
    size_t count = 0;
    for (int e = 0; e <= most; e++) {
        for (uint32_t value = 0; e <= (int)bits && value >> bits == 0; value++) {
            if (__builtin_popcount(value) != e) continue;
            if (!nd_reserve(&s->allocator, &p->values, &p->capacity, count + 1)) return nd_fail_memory(error, (count + 1) * sizeof *p->values, what);
            p->values[count++] = value;
        }
        p->ends[e] = count;
    }
    return ND_OK;
}

/* The `bits` bits of a key behind the first `skip` ones. */
static inline size_t bits_of(uint64_t head, unsigned skip, unsigned bits) { return bits ? (size_t)(head << skip >> (64 - bits)) : 0; }

/* Of each group the beginning, where starts[g + 1] has its count before; then it moves to starts[g], as starts[g + 1] is raised by what is put into it. */
static void sum_up(uint32_t *starts, size_t groups) {
    uint32_t sum = 0;
    for (size_t g = 0; g < groups; g++) {
        uint32_t here = starts[g + 1];
        starts[g + 1] = sum;
        sum += here;
    }
}

static nd_status sort_queries(sweeper *s, nd_error *error) {
    const nd_key_order *order = &s->tables->orders[s->table];
    unsigned bits = s->plan.outer_bits;
    if (!nd_reserve(&s->allocator, &s->starts, &s->start_capacity, ((size_t)1 << bits) + 1))
        return nd_fail_memory(error, sizeof *s->starts << bits, what);
    memset(s->starts, 0, (((size_t)1 << bits) + 1) * sizeof *s->starts);
    for (size_t i = 0; i < s->batch->count; i++) s->starts[bits_of(nd_key_of(order, s->batch->queries[i]).head, 0, bits) + 1]++;
    sum_up(s->starts, (size_t)1 << bits);
    for (size_t i = 0; i < s->batch->count; i++) {
        nd_key key = nd_key_of(order, s->batch->queries[i]);
        size_t to = s->starts[bits_of(key.head, 0, bits) + 1]++;
        s->keys[to * s->words] = key.head;
        if (s->words > 1) s->keys[to * s->words + 1] = key.tail;
        s->numbers[to] = (uint32_t)i;
    }
    return ND_OK;
}

/* ---- sweeping a part */

/* Keys with numbers, in groups. */
typedef struct grouped {
    uint64_t *keys;
    uint32_t *numbers, *starts;
    size_t key_capacity, number_capacity, start_capacity;
} grouped;

/* The next query that comes to a part: of the outer pattern, the place among those that have it. */
typedef struct visit {
    size_t pattern;
    uint32_t next;
} visit;

/* One thread's means. */
struct worker {
    sweeper *s;
    nd_pair_queue queue;
    nd_near_finder *finder;
    grouped keys, copies;
    struct lot_query {
        uint32_t place, copies;
    } * lot; /* queries that are copied at once */
    size_t lot_count, lot_capacity, copy_count;
    nd_hamming_prober *prober;
    uint32_t query;
};

static nd_status found_by_sweep(void *context, const nd_near_pair *pair, nd_error *error) {
    worker *w = context;
    const nd_hamming_tables *t = w->s->tables;
    uint32_t table = w->s->table;
    bool is_long = w->s->words > 1;
    nd_key key = {pair->b_key[0], is_long ? pair->b_key[1] : 0}, unlike = {key.head ^ pair->a_key[0], is_long ? key.tail ^ pair->a_key[1] : 0};
    if (!nd_hamming_is_first(&t->windows, w->s->errors, table, nd_key_fingerprint(&t->orders[table], unlike))) return ND_OK;
    uint64_t entry = pair->b;
    if (table > 0) {
        nd_fingerprint fingerprint = nd_key_fingerprint(&t->orders[table], key);
        ND_TRY(nd_fingerprint_table_find(&t->tables[0], nd_key_of(&t->orders[0], fingerprint), &entry, error));
        if (entry == UINT64_MAX)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: a table of fingerprints has one that the first has not", nd_sealed_path(t->file));
    }
    return nd_pair_queue_put(&w->queue, (nd_hamming_pair){pair->a, (uint32_t)entry, pair->distance}, error);
}

static nd_status reserve(const sweeper *s, grouped *g, size_t count, nd_error *error) {
    if (nd_reserve(&s->allocator, &g->keys, &g->key_capacity, (count + ND_NEAR_BEHIND) * s->words) &&
        nd_reserve(&s->allocator, &g->numbers, &g->number_capacity, count) &&
        nd_reserve(&s->allocator, &g->starts, &g->start_capacity, ((size_t)1 << s->plan.inner_bits) + 1))
        return ND_OK;
    return nd_fail_memory(error, count * (s->words + 1) * sizeof *g->keys, what);
}

/* The next queries of the part, as many as there is room for their copies. */
static nd_status take_lot(worker *w, size_t part, visit *v, nd_error *error) {
    const sweeper *s = w->s;
    const sweep_plan *p = &s->plan;
    int errors = s->errors[s->table];
    size_t base = part >> (p->part_bits - p->outer_bits);
    w->lot_count = w->copy_count = 0;
    for (; v->pattern < s->outer.ends[errors]; *v = (visit){v->pattern + 1, 0}) {
        uint32_t pattern = s->outer.values[v->pattern];
        size_t each = s->inner.ends[errors - __builtin_popcount(pattern)];
        const uint32_t *range = s->starts + (base ^ pattern);
        size_t room = w->copy_count < COPIES ? (COPIES - w->copy_count + each - 1) / each : 0, left = range[1] - range[0] - v->next;
        if (room > left) room = left;
        if (!nd_reserve(&s->allocator, &w->lot, &w->lot_capacity, w->lot_count + room)) return nd_fail_memory(error, room * sizeof *w->lot, what);
        for (size_t i = 0; i < room; i++) w->lot[w->lot_count++] = (struct lot_query){range[0] + v->next++, (uint32_t)each};
        w->copy_count += room * each;
        if (room < left) break;
    }
    return reserve(s, &w->copies, w->copy_count, error);
}

/* A copy of each query of the lot for each inner pattern, by groups. */
static void copy_lot(worker *w) {
    const sweeper *s = w->s;
    unsigned skip = s->plan.outer_bits, bits = s->plan.inner_bits, words = s->words;
    const uint32_t *inner = s->inner.values;
    uint32_t *starts = w->copies.starts;
    memset(starts, 0, (((size_t)1 << bits) + 1) * sizeof *starts);
    for (size_t i = 0; i < w->lot_count; i++) {
        size_t group = bits_of(s->keys[(size_t)w->lot[i].place * words], skip, bits);
        for (size_t p = 0; p < w->lot[i].copies; p++) starts[(group ^ inner[p]) + 1]++;
    }
    sum_up(starts, (size_t)1 << bits);
    for (size_t i = 0; i < w->lot_count; i++) {
        const uint64_t *key = s->keys + (size_t)w->lot[i].place * words;
        uint32_t number = s->numbers[w->lot[i].place];
        size_t group = bits_of(key[0], skip, bits);
        for (size_t p = 0; p < w->lot[i].copies; p++) {
            size_t to = starts[(group ^ inner[p]) + 1]++;
            for (unsigned k = 0; k < words; k++) w->copies.keys[to * words + k] = key[k];
            w->copies.numbers[to] = number;
        }
    }
    memset(w->copies.keys + w->copy_count * words, 0, ND_NEAR_BEHIND * words * sizeof(uint64_t));
}

/* The keys are in order. */
static void group_keys(worker *w, size_t count, uint64_t first_entry) {
    const sweeper *s = w->s;
    unsigned skip = s->plan.outer_bits, bits = s->plan.inner_bits;
    size_t group = 0;
    w->keys.starts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t own = bits_of(w->keys.keys[i * s->words], skip, bits); group < own;) w->keys.starts[++group] = (uint32_t)i;
        w->keys.numbers[i] = (uint32_t)(first_entry + i);
    }
    while (group >> bits == 0) w->keys.starts[++group] = (uint32_t)count;
    memset(w->keys.keys + count * s->words, 0, ND_NEAR_BEHIND * s->words * sizeof(uint64_t));
}

static nd_near_set group_at(const grouped *all, size_t group, unsigned words) {
    size_t begin = all->starts[group];
    return (nd_near_set){all->keys + begin * words, all->numbers + begin, all->starts[group + 1] - begin};
}

static nd_status sweep_part(worker *w, size_t part, nd_error *error) {
    const sweeper *s = w->s;
    const nd_fingerprint_table *table = &s->tables->tables[s->table];
    unsigned below = table->bucket_bits - s->plan.part_bits;
    nd_table_sweep sweep;
    ND_TRY(nd_table_sweep_begin(table, (uint64_t)part << below, ((uint64_t)part + 1) << below, &sweep, error));
    for (size_t count;;) {
        ND_TRY(reserve(s, &w->keys, sweep.end - sweep.entry < KEYS ? (size_t)(sweep.end - sweep.entry) : KEYS, error));
        ND_TRY(nd_table_sweep_next(&sweep, KEYS, w->keys.keys, &count, error));
        if (count == 0) return ND_OK;
        group_keys(w, count, sweep.entry - count);
        for (visit v = {0, 0};;) {
            ND_TRY(take_lot(w, part, &v, error));
            if (w->lot_count == 0) break;
            copy_lot(w);
            for (size_t g = 0; g >> s->plan.inner_bits == 0; g++) {
                nd_near_set queries = group_at(&w->copies, g, s->words), keys = group_at(&w->keys, g, s->words);
                ND_TRY(nd_near_between(w->finder, &queries, &keys, error));
            }
        }
    }
}

/* ---- one by one */

static nd_status found_by_search(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    worker *w = context;
    (void)more;
    return nd_pair_queue_put(&w->queue, (nd_hamming_pair){w->query, (uint32_t)hit->entry, hit->distance}, error);
}

static nd_status search_part(worker *w, size_t part, nd_error *error) {
    const nd_hamming_batch *b = w->s->batch;
    size_t end = b->count - part * LOT < LOT ? b->count : (part + 1) * LOT;
    for (size_t i = part * LOT; i < end; i++) {
        bool more = true;
        w->query = (uint32_t)i;
        ND_TRY(nd_hamming_search(w->s->tables, w->prober, b->queries[i], b->k, found_by_search, w, &more, error));
    }
    return ND_OK;
}

/* ---- the whole */

static void free_grouped(const sweeper *s, grouped *g) {
    nd_release(&s->allocator, g->keys);
    nd_release(&s->allocator, g->numbers);
    nd_release(&s->allocator, g->starts);
}

static void free_worker(worker *w) {
    if (!w) return;
    const sweeper *s = w->s;
    nd_near_finder_free(w->finder);
    nd_hamming_prober_free(w->prober);
    nd_release(&s->allocator, w->lot);
    free_grouped(s, &w->keys);
    free_grouped(s, &w->copies);
    nd_release(&s->allocator, w);
}

static nd_status make_worker(sweeper *s, worker **out, nd_error *error) {
    worker *w = *out = nd_allocate_zero(&s->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, what);
    w->s = s;
    w->queue.turns = &s->turns;
    w->queue.fn = s->batch->fn;
    w->queue.context = s->batch->context;
    if (!s->keys) return nd_hamming_prober_create(&s->allocator, &w->prober, error);
    const nd_near_settings near = {.bits = s->tables->design.bits, .k = s->batch->k, .fn = found_by_sweep, .context = w};
    return nd_near_finder_create(&near, &s->allocator, &w->finder, error);
}

static nd_status work(sweeper *s, uint32_t index, nd_error *error) {
    size_t parts = s->keys ? (size_t)1 << s->plan.part_bits : (s->batch->count + LOT - 1) / LOT;
    if (!s->workers[index]) ND_TRY(make_worker(s, &s->workers[index], error));
    worker *w = s->workers[index];
    for (size_t part; part = nd_turns_take(&s->turns), part < parts;) {
        if (atomic_load(&s->turns.failed)) return ND_OK;
        nd_pair_queue_begin(&w->queue, part);
        ND_TRY(s->keys ? sweep_part(w, part, error) : search_part(w, part, error));
        ND_TRY(nd_pair_queue_close_lot(&w->queue, true, error));
    }
    return nd_pair_queue_finish(&w->queue, error);
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    sweeper *s = context;
    nd_error own = {0};
    (void)error;
    nd_status status = work(s, index, &own);
    if (status != ND_OK) nd_turns_fail(&s->turns, status, &own);
    return ND_OK;
}

static nd_status run_turns(sweeper *s, nd_error *error) {
    nd_turns_init(&s->turns);
    nd_status status = nd_run_workers(&s->allocator, s->batch->threads, run_worker, s, error);
    if (status == ND_OK) status = nd_turns_result(&s->turns, error);
    nd_turns_free(&s->turns);
    return status;
}

static nd_status sweep_tables(sweeper *s, nd_error *error) {
    size_t count = s->batch->count;
    s->keys = nd_allocate(&s->allocator, count * s->words, sizeof *s->keys);
    s->numbers = nd_allocate(&s->allocator, count, sizeof *s->numbers);
    if (!s->keys || !s->numbers) return nd_fail_memory(error, count * (s->words + 1) * sizeof *s->keys, what);
    for (s->table = 0; s->table < s->tables->windows.count; s->table++) {
        int errors = s->errors[s->table];
        if (errors < 0) continue;
        s->plan = plan_of(s->tables, s->table, (double)count, errors);
        ND_TRY(make_patterns(s, s->plan.outer_bits, errors, &s->outer, error));
        ND_TRY(make_patterns(s, s->plan.inner_bits, errors, &s->inner, error));
        ND_TRY(sort_queries(s, error));
        ND_TRY(run_turns(s, error));
    }
    return ND_OK;
}

static nd_status check(const nd_hamming_tables *tables, const nd_hamming_batch *batch, nd_error *error) {
    nd_fingerprint mask = nd_fingerprint_mask(tables->design.bits);
    if (batch->threads < 1 || batch->threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 1 to %d, not %u", ND_MAX_WORKERS, batch->threads);
    if (batch->k > tables->design.k) return nd_fail(error, ND_ERR_ARGUMENT, "k must be at most %u, not %u", tables->design.k, batch->k);
    if (batch->count > UINT32_MAX) return nd_fail(error, ND_ERR_ARGUMENT, "a batch has fewer than 2^32 queries, not %zu", batch->count);
    for (size_t i = 0; i < batch->count; i++)
        if ((batch->queries[i].low & ~mask.low) || (batch->queries[i].high & ~mask.high))
            return nd_fail(error, ND_ERR_ARGUMENT, "query %zu has more than %u bits", i, tables->design.bits);
    return ND_OK;
}

nd_status nd_hamming_batch_run(const nd_hamming_tables *tables, const nd_hamming_batch *batch, const nd_allocator *allocator, nd_error *error) {
    sweeper s = {.allocator = *allocator, .tables = tables, .batch = batch, .words = tables->design.bits > 64 ? 2 : 1};
    ND_TRY(check(tables, batch, error));
    if (batch->count == 0) return ND_OK;
    for (uint32_t t = 0; t < tables->windows.count; t++) s.errors[t] = nd_hamming_ways(tables, batch->k)[t].errors;
    s.workers = nd_allocate_zero(allocator, batch->threads, sizeof(worker *));
    if (!s.workers) return nd_fail_memory(error, batch->threads * sizeof(worker *), what);
    nd_status status = is_swept(&s) ? sweep_tables(&s, error) : run_turns(&s, error);
    for (uint32_t i = 0; i < batch->threads; i++) free_worker(s.workers[i]);
    nd_release(allocator, s.workers);
    nd_release(allocator, s.keys);
    nd_release(allocator, s.numbers);
    nd_release(allocator, s.starts);
    nd_release(allocator, s.outer.values);
    nd_release(allocator, s.inner.values);
    return status;
}
