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
    FEW = 4,    /* queries of a range that are copied at a stroke */
    AHEAD = 16, /* groups for whose queries the memory is asked before */
#ifdef ND_TINY_LIMITS
    PART_KEYS = 32,
    KEYS = 40,
    COPIES = 24,
    LONG = 6,
    LOT = 5
#else
    PART_KEYS = 1 << 14, /* about so many a part */
    KEYS = 1 << 15,      /* that are worked on at once */
    COPIES = 1 << 11,    /* of queries, likewise */
    LONG = 1 << 8,       /* a range that is not copied */
    LOT = 256            /* queries that a thread takes where they go one by one */
#endif
};

static const char what[] = "a batch of Hamming queries";

/* How a table is swept: by the highest `depth` bits, in parts that agree in `part_bits`. */
typedef struct sweep_plan {
    unsigned depth, part_bits;
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
    uint32_t *patterns; /* of errors in `depth` bits */
    size_t pattern_count, pattern_capacity;
    /* The queries by the highest bits of their keys. */
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
    const double key = 2, range = 2, copy = 2, group = 30, comparison = t->design.bits > 64 ? 0.1 : 0.05;
    sweep_plan best = {.nanoseconds = INFINITY};
    unsigned bucket_bits = t->tables[table].bucket_bits, width = t->windows.widths[table], part_bits = 0;
    double keys = (double)t->keys;
    while (part_bits < bucket_bits && keys > ldexp(PART_KEYS, (int)part_bits)) part_bits++;
    for (unsigned depth = 0; depth <= width && depth <= bucket_bits; depth++) {
        double patterns = pattern_count(depth, errors), groups = ldexp(1, (int)depth);
        double cost = keys * key + groups * (group + patterns * range) + queries * patterns * (copy + keys / groups * comparison);
        if (cost < best.nanoseconds) best = (sweep_plan){depth, part_bits, cost};
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

static nd_status make_patterns(sweeper *s, nd_error *error) {
    unsigned depth = s->plan.depth;
    int errors = s->errors[s->table];
    s->pattern_count = 0;
    for (uint32_t value = 0; value >> depth == 0; value++) {
        if ((int)nd_ones(value) > errors) continue;
        if (!nd_reserve(&s->allocator, &s->patterns, &s->pattern_capacity, s->pattern_count + 1))
            return nd_fail_memory(error, (s->pattern_count + 1) * sizeof *s->patterns, what);
        s->patterns[s->pattern_count++] = value;
    }
    return ND_OK;
}

static inline size_t highest(uint64_t head, unsigned bits) { return bits ? (size_t)(head >> (64 - bits)) : 0; }

static nd_status sort_queries(sweeper *s, nd_error *error) {
    const nd_key_order *order = &s->tables->orders[s->table];
    unsigned depth = s->plan.depth;
    size_t groups = (size_t)1 << depth;
    if (!nd_reserve(&s->allocator, &s->starts, &s->start_capacity, groups + 1 + AHEAD))
        return nd_fail_memory(error, sizeof *s->starts << depth, what);
    memset(s->starts, 0, (groups + 1 + AHEAD) * sizeof *s->starts);
    for (size_t i = 0; i < s->batch->count; i++) s->starts[highest(nd_key_of(order, s->batch->queries[i]).head, depth) + 1]++;
    uint32_t sum = 0;
    for (size_t g = 0; g < groups; g++) { /* starts[g + 1] is where g begins, until its queries have moved it to where it ends */
        uint32_t here = s->starts[g + 1];
        s->starts[g + 1] = sum;
        sum += here;
    }
    for (size_t i = 0; i < s->batch->count; i++) {
        nd_key key = nd_key_of(order, s->batch->queries[i]);
        size_t to = s->starts[highest(key.head, depth) + 1]++;
        s->keys[to * s->words] = key.head;
        if (s->words > 1) s->keys[to * s->words + 1] = key.tail;
        s->numbers[to] = (uint32_t)i;
    }
    return ND_OK;
}

/* ---- sweeping a part */

/* One thread's means. */
struct worker {
    sweeper *s;
    nd_pair_queue queue;
    nd_near_finder *finder;
    uint64_t first_entry, first_place;                    /* of the keys, and of the queries, that are worked on */
    uint64_t keys[2 * (KEYS + ND_NEAR_BEHIND)];           /* of the table */
    uint64_t copies[2 * (COPIES + FEW + ND_NEAR_BEHIND)]; /* of queries */
    uint32_t places[KEYS], numbers[COPIES + FEW];         /* 0, 1, ...; of the copies, places among the queries */
    uint32_t *ends;                                       /* of the groups of the keys */
    size_t end_capacity;
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
    uint64_t entry = w->first_entry + pair->b;
    if (table > 0) {
        nd_fingerprint fingerprint = nd_key_fingerprint(&t->orders[table], key);
        ND_TRY(nd_fingerprint_table_find(&t->tables[0], nd_key_of(&t->orders[0], fingerprint), &entry, error));
        if (entry == UINT64_MAX)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: a table of fingerprints has one that the first has not", nd_sealed_path(t->file));
    }
    return nd_pair_queue_put(&w->queue, (nd_hamming_pair){w->s->numbers[w->first_place + pair->a], (uint32_t)entry, pair->distance}, error);
}

static nd_status flush(worker *w, size_t *count, const nd_near_set *keys, nd_error *error) {
    nd_near_set queries = {w->copies, w->numbers, *count};
    w->first_place = 0;
    *count = 0;
    return nd_near_between(w->finder, &queries, keys, error);
}

/* A long range, as it stands. */
static nd_status answer_range(worker *w, size_t begin, size_t length, const nd_near_set *keys, nd_error *error) {
    const sweeper *s = w->s;
    for (size_t count; length > 0; begin += count, length -= count) {
        count = length < KEYS ? length : KEYS;
        nd_near_set queries = {s->keys + begin * s->words, w->places, count};
        w->first_place = begin;
        ND_TRY(nd_near_between(w->finder, &queries, keys, error));
    }
    return ND_OK;
}

/* All queries that have a group's bits but for the errors against its keys. They are in ranges, and mostly some in each. */
static nd_status answer_group(worker *w, size_t group, const nd_near_set *keys, nd_error *error) {
    const sweeper *s = w->s;
    const unsigned words = s->words;
    size_t count = 0;
    for (size_t p = 0; p < s->pattern_count; p++) {
        const uint32_t *range = s->starts + (group ^ s->patterns[p]);
        size_t begin = range[0], length = range[1] - begin;
        const uint64_t *from = s->keys + begin * words;
        __builtin_prefetch(s->keys + range[AHEAD] * words);
        if (length > LONG) {
            ND_TRY(answer_range(w, begin, length, keys, error));
            continue;
        }
        if (count + length > COPIES) ND_TRY(flush(w, &count, keys, error));
        uint64_t *to = w->copies + count * words;
        if (length > FEW) memcpy(to, from, length * words * sizeof *from);
        else if (words == 1) memcpy(to, from, FEW * sizeof *from);
        else memcpy(to, from, 2 * FEW * sizeof *from);
        for (size_t i = 0; i < FEW; i++) w->numbers[count + i] = (uint32_t)(begin + i);
        for (size_t i = FEW; i < length; i++) w->numbers[count + i] = (uint32_t)(begin + i);
        count += length;
    }
    return flush(w, &count, keys, error);
}

/* Where the groups of `count` keys end, from group `first` on. */
static void find_ends(const worker *w, size_t count, size_t first, size_t groups) {
    unsigned depth = w->s->plan.depth, words = w->s->words;
    memset(w->ends, 0, groups * sizeof *w->ends);
    for (size_t i = 0; i < count; i++) w->ends[highest(w->keys[i * words], depth) - first] = (uint32_t)i + 1;
    for (size_t g = 1; g < groups; g++)
        if (w->ends[g] == 0) w->ends[g] = w->ends[g - 1];
}

static nd_status sweep_part(worker *w, size_t part, nd_error *error) {
    const sweeper *s = w->s;
    const nd_fingerprint_table *table = &s->tables->tables[s->table];
    unsigned depth = s->plan.depth, part_bits = s->plan.part_bits, below = table->bucket_bits - part_bits;
    size_t groups = depth > part_bits ? (size_t)1 << (depth - part_bits) : 1, first = depth > part_bits ? part * groups : part >> (part_bits - depth);
    nd_table_sweep sweep;
    if (!nd_reserve(&s->allocator, &w->ends, &w->end_capacity, groups)) return nd_fail_memory(error, groups * sizeof *w->ends, what);
    ND_TRY(nd_table_sweep_begin(table, (uint64_t)part << below, ((uint64_t)part + 1) << below, &sweep, error));
    for (size_t count;;) {
        w->first_entry = sweep.entry;
        ND_TRY(nd_table_sweep_next(&sweep, KEYS, w->keys, &count, error));
        if (count == 0) return ND_OK;
        find_ends(w, count, first, groups);
        for (size_t g = 0, begin = 0; g < groups; begin = w->ends[g], g++) {
            nd_near_set keys = {w->keys + begin * s->words, w->places + begin, w->ends[g] - begin};
            if (keys.count > 0) ND_TRY(answer_group(w, first + g, &keys, error));
        }
    }
}

/* ---- one by one */

static nd_status found_by_search(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    worker *w = context;
    (void)more;
    return nd_pair_queue_put(&w->queue, (nd_hamming_pair){w->query + (uint32_t)hit->query, (uint32_t)hit->entry, hit->distance}, error);
}

static nd_status search_part(worker *w, size_t part, nd_error *error) {
    const nd_hamming_batch *b = w->s->batch;
    size_t first = part * LOT, count = b->count - first < LOT ? b->count - first : LOT;
    w->query = (uint32_t)first;
    return nd_hamming_search_all(w->s->tables, w->prober, b->queries + first, count, b->k, found_by_search, w, error);
}

/* ---- the whole */

static void free_worker(worker *w) {
    if (!w) return;
    nd_allocator allocator = w->s->allocator;
    nd_near_finder_free(w->finder);
    nd_hamming_prober_free(w->prober);
    nd_release(&allocator, w->ends);
    nd_release(&allocator, w);
}

static nd_status make_worker(sweeper *s, worker **out, nd_error *error) {
    worker *w = *out = nd_allocate_zero(&s->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, what);
    w->s = s;
    w->queue.turns = &s->turns;
    w->queue.fn = s->batch->fn;
    w->queue.context = s->batch->context;
    if (!s->keys) return nd_hamming_prober_create(&s->allocator, &w->prober, error);
    for (uint32_t i = 0; i < KEYS; i++) w->places[i] = i;
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
    s->keys = nd_allocate_zero(&s->allocator, (count + ND_NEAR_BEHIND) * s->words, sizeof *s->keys);
    s->numbers = nd_allocate(&s->allocator, count, sizeof *s->numbers);
    if (!s->keys || !s->numbers) return nd_fail_memory(error, count * (s->words + 1) * sizeof *s->keys, what);
    for (s->table = 0; s->table < s->tables->windows.count; s->table++) {
        int errors = s->errors[s->table];
        if (errors < 0) continue;
        s->plan = plan_of(s->tables, s->table, (double)count, errors);
        ND_TRY(make_patterns(s, error));
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
    nd_release(allocator, s.patterns);
    return status;
}
