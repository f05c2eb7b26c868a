#include "hamming/hamming_batch_search.h"

#include "base/limits.h"
#include "hamming/hamming_planner.h"
#include "hamming/block_join.h"
#include "base/radix_sort.h"
#include "hamming/table_scan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    PART_KEYS = ND_LIMIT(1 << 13, 32), /* about so many a part */
    KEYS = ND_LIMIT(1 << 15, 70),      /* that are worked on at once */
    QUERIES = ND_LIMIT(128, 5), /* that look at the same pattern of errors, one after the other */
    CROWDED = ND_LIMIT(
        512, 8), /* a place with more keys than that is looked at by many queries together */
    LOOKS = ND_LIMIT(1 << 12, 24), /* of those, that wait for it */
    MOST_ERRORS = 32
};

static const char what[] = "a batch of Hamming queries";

/* How a table is swept: the places, and the highest bits that a part agrees in, no wide place of
 * which lies in two. */
typedef struct sweep_plan {
    nd_hamming_table_cost cost;
    unsigned part_bits;
    double nanoseconds;
} sweep_plan;

/* Patterns of errors, those with fewer first: behind[e] is behind the last one with e. */
typedef struct patterns {
    uint32_t *values;
    size_t capacity, behind[MOST_ERRORS + 1];
} patterns;

typedef struct sweeper {
    nd_allocator allocator;
    const nd_kernel *kernel;
    const nd_hamming_tables *tables;
    const nd_fingerprint *given;
    size_t count;
    unsigned words; /* of a key */
    uint32_t k;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_hamming_hits_fn *fn;
    void *context;
    nd_block_join *finder; /* for crowded places */
    /* Of the table that is swept. */
    uint32_t table;
    sweep_plan plan;
    patterns across, within;      /* in the bits that a part agrees in; in those behind them */
    uint64_t *unsorted, *queries; /* their keys */
    uint32_t *numbers;            /* of the sorted ones, by their parts */
    uint32_t *parts;              /* where the queries of each begin, and of one behind */
    uint16_t *starts;             /* of the buckets of the keys that are worked on */
    size_t part_capacity, start_capacity;
    uint64_t first_entry; /* of the keys that are worked on */
    uint64_t keys[2 * (KEYS + ND_PLACES_BEHIND)];
    uint32_t key_numbers[KEYS]; /* 0, 1, ... */
    uint64_t found[QUERIES * (CROWDED + 1)];
    uint64_t looks[LOOKS],
        look_scratch[LOOKS]; /* at crowded places: begin << 48 | end << 32 | query */
    size_t look_count;
    uint64_t lookers[2 * (LOOKS + ND_BLOCK_PADDING)]; /* the queries of one place */
    uint32_t looker_numbers[LOOKS];
    nd_hamming_hit hits[ND_BATCH_HITS]; /* that are not told so far; of another table than the first
                                           the entries are still missing */
    nd_key hit_keys[ND_BATCH_HITS];     /* theirs in the first table */
    size_t hit_count;
} sweeper;

/* ---- costs, nanoseconds: the same on all machines, since the order of the hits depends on them */

static sweep_plan plan_of(const nd_hamming_tables *t, uint32_t table, double queries, int errors) {
    const double key = 1, near = t->design.bits > 64 ? 0.3 : 0.15;
    const nd_hamming_costs in_cache = {.look = {2, 2, 2, 2}, .key = {near, near, near, near}};
    unsigned bucket_bits = t->tables[table].bucket_bits;
    double keys = (double)t->keys;
    sweep_plan plan = {.cost = nd_hamming_table_cost_of(&in_cache, t->design.bits, keys, 1,
                                                        bucket_bits, t->windows.widths[table],
                                                        errors, true)};
    while (plan.part_bits < plan.cost.depth - plan.cost.wide &&
           keys > ldexp(PART_KEYS, (int)plan.part_bits))
        plan.part_bits++;
    plan.nanoseconds = keys * key + queries * plan.cost.nanoseconds;
    return plan;
}

bool nd_hamming_batch_pays(const nd_hamming_tables *t, size_t count, uint32_t k) {
    const nd_probe_plan *ways = nd_hamming_probe_plans(t, k);
    nd_hamming_costs costs;
    nd_hamming_costs_init(&costs);
    double queries = (double)count, swept = 0, one = costs.query;
    for (uint32_t i = 0; i < t->windows.count; i++) {
        int errors = ways[i].errors;
        if (errors < 0) continue;
        swept += plan_of(t, i, queries, errors).nanoseconds;
        one += nd_hamming_table_cost_of(&costs, t->design.bits, (double)t->keys, t->windows.count,
                                        t->tables[i].bucket_bits, t->windows.widths[i], errors,
                                        true)
                   .nanoseconds;
    }
    return swept < queries * one;
}

/* ---- getting ready for a table */

/* All patterns of at most `errors` errors in `bits` bits. */
static nd_status make_patterns(const sweeper *s, patterns *p, unsigned bits, int errors,
                               nd_error *error) {
    size_t count = 0;
    for (unsigned e = 0; e <= (unsigned)errors; p->behind[e++] = count)
        for (uint64_t value = (UINT64_C(1) << e) - 1; e <= bits && value >> bits == 0;) {
            if (!nd_reserve(&s->allocator, &p->values, &p->capacity, count + 1))
                return nd_fail_memory(error, (count + 1) * sizeof *p->values, what);
            p->values[count++] = (uint32_t)value;
            if (value == 0) break;
            /* The next higher number with as many ones: its lowest run moves up by one, the rest of
             * it to the bottom. */
            uint64_t lowest = value & -value, next = value + lowest;
            value = next | ((value ^ next) / lowest >> 2);
        }
    return ND_OK;
}

static inline size_t part_of(uint64_t head, unsigned bits) {
    return bits ? (size_t)(head >> (64 - bits)) : 0;
}

__attribute__((always_inline)) static inline void sort_words(sweeper *s, unsigned words) {
    const unsigned bits = s->plan.part_bits;
    uint32_t *parts = s->parts, sum = 0;
    const size_t count = (size_t)1 << bits;
    memset(parts, 0, (count + 1) * sizeof *parts);
    for (size_t i = 0; i < s->count; i++) parts[part_of(s->unsorted[i * words], bits) + 1]++;
    for (size_t p = 0; p < count; p++) { /* parts[p + 1] is where p begins, until its queries have
                                            moved it to where it ends */
        uint32_t here = parts[p + 1];
        parts[p + 1] = sum;
        sum += here;
    }
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t *key = s->unsorted + i * words;
        size_t to = parts[part_of(*key, bits) + 1]++;
        for (unsigned w = 0; w < words; w++) s->queries[to * words + w] = key[w];
        s->numbers[to] = (uint32_t)i;
    }
}

/* By the part that each would be in. */
static nd_status sort_queries(sweeper *s, nd_error *error) {
    size_t parts = ((size_t)1 << s->plan.part_bits) + 1;
    if (!nd_reserve(&s->allocator, &s->parts, &s->part_capacity, parts))
        return nd_fail_memory(error, parts * sizeof *s->parts, what);
    nd_keys_of(&s->tables->orders[s->table], s->given, s->count, s->unsorted);
    if (s->words == 1) sort_words(s, 1);
    else sort_words(s, 2);
    return ND_OK;
}

/* ---- hits */

static nd_status tell_hits(sweeper *s, nd_error *error) {
    size_t count = s->hit_count;
    const nd_hamming_tables *t = s->tables;
    s->hit_count = 0;
    if (s->table > 0) {
        uint64_t entries[ND_BATCH_HITS];
        ND_TRY(nd_fingerprint_table_find_all(&t->tables[0], s->hit_keys, count, entries, error));
        for (size_t i = 0; i < count; i++) {
            if (entries[i] == UINT64_MAX)
                return nd_fail(
                    error, ND_ERR_CORRUPT,
                    "%s: damaged: a table of fingerprints has one that the first has not",
                    nd_sealed_path(t->file));
            s->hits[i].entry = entries[i];
        }
    }
    return count > 0 ? s->fn(s->context, s->hits, count, error) : ND_OK;
}

/* A query and a key that are near each other. */
static nd_status note_hit(sweeper *s, size_t query, size_t number, nd_error *error) {
    const nd_hamming_tables *t = s->tables;
    const nd_bit_order *order = &t->orders[s->table];
    const uint64_t *a = s->queries + query * s->words, *b = s->keys + number * s->words;
    const nd_key key = {b[0], s->words > 1 ? b[1] : 0},
                 differ = {a[0] ^ b[0], s->words > 1 ? a[1] ^ b[1] : 0};
    nd_fingerprint fingerprint = nd_key_fingerprint(order, key),
                   unlike = nd_key_fingerprint(order, differ);
    if (!nd_hamming_is_first(&t->windows, s->errors, s->table, unlike)) return ND_OK;
    s->hits[s->hit_count] = (nd_hamming_hit){
        t, s->numbers[query], fingerprint, nd_fingerprint_weight(unlike), s->first_entry + number};
    if (s->table > 0) s->hit_keys[s->hit_count] = nd_key_of(&t->orders[0], fingerprint);
    return ++s->hit_count == ND_BATCH_HITS ? tell_hits(s, error) : ND_OK;
}

/* nd_block_pair_fn; `context` is the sweeper. */
static nd_status take_pair(void *context, const nd_block_pair *pair, nd_error *error) {
    return note_hit(context, pair->a, pair->b, error);
}

/* ---- crowded places */

/* Each place that queries wait for, with all of these. */
static nd_status look_together(sweeper *s, nd_error *error) {
    nd_radix_sort(s->looks, s->look_scratch, s->look_count, 32);
    for (size_t i = 0; i < s->look_count;) {
        uint64_t place = s->looks[i] >> 32, begin = place >> 16, end = place & 0xffff;
        nd_block_set queries = {s->lookers, s->looker_numbers, 0},
                     keys = {s->keys + begin * s->words, s->key_numbers + begin, end - begin};
        for (; i < s->look_count && s->looks[i] >> 32 == place; i++, queries.count++) {
            uint32_t query = (uint32_t)s->looks[i];
            memcpy(s->lookers + queries.count * s->words, s->queries + (size_t)query * s->words,
                   s->words * sizeof *s->queries);
            s->looker_numbers[queries.count] = query;
        }
        ND_TRY(nd_block_join_between(s->finder, &queries, &keys, error));
    }
    s->look_count = 0;
    return ND_OK;
}

static nd_status note_look(sweeper *s, const nd_key_places *places, size_t query, nd_error *error) {
    nd_key_place place = nd_key_place_of(places);
    uint32_t first = nd_key_place_first(place, s->queries[query * s->words]);
    uint64_t begin = places->starts[first], end = places->starts[first + place.span];
    s->looks[s->look_count++] = begin << 48 | end << 32 | query;
    return s->look_count == LOOKS ? look_together(s, error) : ND_OK;
}

/* ---- sweeping */

static nd_status look(sweeper *s, const nd_key_places *places, size_t first, size_t count,
                      nd_error *error) {
    const uint64_t *queries = s->queries + first * s->words;
    size_t found = s->words == 1
                       ? s->kernel->near64_places(places, queries, count, s->k, s->found)
                       : s->kernel->near128_places(places, queries, count, s->k, s->found);
    for (size_t i = 0; i < found; i++) {
        size_t query = first + (size_t)(s->found[i] >> 32);
        uint32_t key = (uint32_t)s->found[i];
        ND_TRY(key == ND_CROWDED ? note_look(s, places, query, error)
                                 : note_hit(s, query, key, error));
    }
    return ND_OK;
}

/* All queries that look into a part: those of its own bits, and of these with errors. What errors
 * are left a query has in the bits behind. */
static nd_status answer_part(sweeper *s, size_t part, nd_error *error) {
    const sweep_plan *plan = &s->plan;
    const unsigned bucket_bits = s->tables->tables[s->table].bucket_bits,
                   narrow = bucket_bits - plan->cost.depth, wide = narrow + plan->cost.wide;
    nd_key_places places = {.keys = s->keys,
                            .starts = s->starts,
                            .above = plan->part_bits,
                            .bits = bucket_bits - plan->part_bits,
                            .crowded = CROWDED};
    for (size_t u = 0; u < s->across.behind[s->errors[s->table]]; u++) {
        size_t of = part ^ s->across.values[u];
        int left = s->errors[s->table] - (int)nd_ones(s->across.values[u]);
        for (size_t first = s->parts[of], end = s->parts[of + 1], count; first < end;
             first += count) {
            count = end - first < QUERIES ? end - first : QUERIES;
            for (size_t v = 0; v < s->within.behind[left]; v++) {
                places.pattern = s->within.values[v] << wide;
                places.wide = (int)nd_ones(s->within.values[v]) < left ? wide : narrow;
                ND_TRY(look(s, &places, first, count, error));
            }
        }
    }
    return look_together(s, error);
}

static nd_status sweep_part(sweeper *s, size_t part, nd_error *error) {
    const nd_fingerprint_table *table = &s->tables->tables[s->table];
    unsigned below = table->bucket_bits - s->plan.part_bits;
    nd_table_scan sweep;
    ND_TRY(nd_table_scan_begin(table, (uint64_t)part << below, ((uint64_t)part + 1) << below,
                               &sweep, error));
    for (size_t count;;) {
        s->first_entry = sweep.entry;
        ND_TRY(nd_table_scan_next(&sweep, KEYS, s->keys, s->starts, &count, error));
        if (count == 0) return ND_OK;
        ND_TRY(answer_part(s, part, error));
    }
}

static nd_status sweep_table(sweeper *s, nd_error *error) {
    const nd_hamming_table_cost *cost = &s->plan.cost;
    s->plan = plan_of(s->tables, s->table, (double)s->count, s->errors[s->table]);
    size_t starts = ((size_t)1 << (s->tables->tables[s->table].bucket_bits - s->plan.part_bits)) +
                    1 + ND_ENDS_BEHIND;
    if (!nd_reserve(&s->allocator, &s->starts, &s->start_capacity, starts))
        return nd_fail_memory(error, starts * sizeof *s->starts, what);
    ND_TRY(make_patterns(s, &s->across, s->plan.part_bits, s->errors[s->table], error));
    ND_TRY(make_patterns(s, &s->within, cost->depth - cost->wide - s->plan.part_bits,
                         s->errors[s->table], error));
    ND_TRY(sort_queries(s, error));
    for (size_t part = 0; part >> s->plan.part_bits == 0; part++)
        ND_TRY(sweep_part(s, part, error));
    return tell_hits(s, error);
}

/* ---- the whole */

static nd_status check(const nd_hamming_tables *tables, const nd_fingerprint *queries, size_t count,
                       uint32_t k, nd_error *error) {
    if (k > tables->design.k)
        return nd_fail(error, ND_ERR_ARGUMENT, "k must be at most %u, not %u", tables->design.k, k);
    if (count > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "a batch has fewer than 2^32 queries, not %zu",
                       count);
    for (size_t i = 0; i < count; i++)
        if (!nd_fingerprint_fits(queries[i], tables->design.bits))
            return nd_fail(error, ND_ERR_ARGUMENT, "query %zu has more than %u bits", i,
                           tables->design.bits);
    return ND_OK;
}

static nd_status sweep(sweeper *s, nd_error *error) {
    const nd_block_join_settings near = {
        .bits = s->tables->design.bits, .k = s->k, .fn = take_pair, .context = s};
    for (uint32_t i = 0; i < KEYS; i++) s->key_numbers[i] = i;
    ND_TRY(nd_block_join_create(&near, &s->allocator, &s->finder, error));
    s->unsorted = nd_allocate(&s->allocator, s->count * s->words, sizeof *s->unsorted);
    s->queries = nd_allocate(&s->allocator, s->count * s->words, sizeof *s->queries);
    s->numbers = nd_allocate(&s->allocator, s->count, sizeof *s->numbers);
    if (!s->unsorted || !s->queries || !s->numbers)
        return nd_fail_memory(error, s->count * s->words * sizeof *s->queries, what);
    for (s->table = 0; s->table < s->tables->windows.count; s->table++)
        if (s->errors[s->table] >= 0) ND_TRY(sweep_table(s, error));
    return ND_OK;
}

nd_status nd_hamming_batch(const nd_hamming_tables *tables, const nd_fingerprint *queries,
                           size_t count, uint32_t k, nd_hamming_hits_fn *fn, void *context,
                           const nd_allocator *allocator, nd_error *error) {
    ND_TRY(check(tables, queries, count, k, error));
    if (count == 0) return ND_OK;
    sweeper *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, what);
    s->allocator = *allocator;
    s->kernel = nd_kernel_get();
    s->tables = tables;
    s->given = queries;
    s->count = count;
    s->words = tables->design.bits > 64 ? 2 : 1;
    s->k = k;
    s->fn = fn;
    s->context = context;
    for (uint32_t i = 0; i < tables->windows.count; i++)
        s->errors[i] = nd_hamming_probe_plans(tables, k)[i].errors;
    nd_status status = sweep(s, error);
    nd_block_join_free(s->finder);
    void *const owned[] = {s->unsorted, s->queries,       s->numbers,       s->parts,
                           s->starts,   s->across.values, s->within.values, s};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nd_release(allocator, owned[i]);
    return status;
}
