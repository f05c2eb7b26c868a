#include "match/hamming_batch.h"

#include "match/hamming_costs.h"
#include "match/near_pairs.h"
#include "match/table_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    FEW = 4,          /* queries of a range that are copied at a stroke */
    AHEAD = 16,       /* groups for whose queries the memory is asked before */
    NEIGHBOURS = 8,   /* keys */
    COARSE_BITS = 10, /* of the first of two steps of sorting */
#ifdef ND_TINY_LIMITS
    PART_KEYS = 32,
    KEYS = 70,
    COPIES = 24,
    LONG = 6
#else
    PART_KEYS = 1 << 13, /* about so many a part */
    KEYS = 1 << 15,      /* that are worked on at once */
    COPIES = 1 << 11,    /* of queries, likewise */
    LONG = 1 << 8        /* a range that is not copied */
#endif
};

static const char what[] = "a batch of Hamming queries";

/* How a table is swept: by the highest `depth` bits, in parts that agree in `part_bits`. */
typedef struct sweep_plan {
    unsigned depth, part_bits;
    double nanoseconds;
} sweep_plan;

/* Queries in a table's order. */
typedef struct sorted {
    uint64_t *keys;
    uint32_t *numbers;
} sorted;

typedef struct sweeper {
    nd_allocator allocator;
    const nd_hamming_tables *tables;
    const nd_fingerprint *given;
    size_t count;
    unsigned words; /* of a key */
    int errors[ND_HAMMING_MOST_TABLES];
    nd_hamming_hits_fn *fn;
    void *context;
    nd_near_finder *finder;
    /* Of the table that is swept. */
    uint32_t table;
    sweep_plan plan;
    uint32_t *patterns; /* of errors in `depth` bits */
    size_t pattern_count, pattern_capacity;
    sorted queries, scratch; /* by the highest `depth` bits of their keys */
    uint32_t *starts;        /* of the groups of queries */
    uint32_t *ends;          /* of the groups of the keys that are worked on */
    size_t start_capacity, end_capacity;
    uint64_t first_entry, first_place;                    /* of the keys, and of the queries, that are worked on */
    uint64_t keys[2 * (KEYS + ND_UNPACK_BEHIND)];         /* of the table */
    uint64_t copies[2 * (COPIES + FEW + ND_NEAR_BEHIND)]; /* of queries */
    uint32_t places[KEYS], numbers[COPIES + FEW];         /* 0, 1, ...; of the copies, places among the queries */
    nd_hamming_hit hits[ND_BATCH_HITS]; /* that are not told so far; of another table than the first the entries are still missing */
    nd_key hit_keys[ND_BATCH_HITS];     /* theirs in the first table */
    size_t hit_count;
} sweeper;

/* ---- costs, nanoseconds: the same on all machines, since the order of the hits depends on them */

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

bool nd_hamming_batch_pays(const nd_hamming_tables *t, size_t count, uint32_t k) {
    const nd_hamming_way *ways = nd_hamming_ways(t, k);
    nd_hamming_costs costs;
    nd_hamming_costs_init(&costs);
    double queries = (double)count, swept = 0, one = costs.query;
    for (uint32_t i = 0; i < t->windows.count; i++) {
        int errors = ways[i].errors;
        if (errors < 0) continue;
        swept += plan_of(t, i, queries, errors).nanoseconds;
        one += nd_hamming_table_cost_of(&costs, t->design.bits, (double)t->keys, t->tables[i].bucket_bits, t->windows.widths[i], errors, true)
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

/* Queries [begin, end) by `bits` bits of their heads behind the highest `above`, which agree: from `from` to `to`, stable. starts[g], of groups and one behind: where group g begins. */
__attribute__((always_inline)) static inline void distribute_words(const sorted *from, const sorted *to, size_t begin, size_t end, unsigned words,
                                                                   unsigned above, unsigned bits, uint32_t *starts) {
    size_t groups = (size_t)1 << bits;
    uint32_t sum = (uint32_t)begin;
    memset(starts, 0, (groups + 1) * sizeof *starts);
    for (size_t i = begin; i < end; i++) starts[highest(from->keys[i * words] << above, bits) + 1]++;
    for (size_t g = 0; g < groups; g++) { /* starts[g + 1] is where g begins, until its queries have moved it to where it ends */
        uint32_t here = starts[g + 1];
        starts[g + 1] = sum;
        sum += here;
    }
    for (size_t i = begin; i < end; i++) {
        size_t place = starts[highest(from->keys[i * words] << above, bits) + 1]++;
        for (unsigned w = 0; w < words; w++) to->keys[place * words + w] = from->keys[i * words + w];
        to->numbers[place] = from->numbers[i];
    }
    starts[0] = (uint32_t)begin;
}

static void distribute(const sorted *from, const sorted *to, size_t begin, size_t end, unsigned words, unsigned above, unsigned bits,
                       uint32_t *starts) {
    if (words == 1) distribute_words(from, to, begin, end, 1, above, bits, starts);
    else distribute_words(from, to, begin, end, 2, above, bits, starts);
}

static void copy_sorted(const sorted *from, const sorted *to, size_t begin, size_t end, unsigned words) {
    memcpy(to->keys + begin * words, from->keys + begin * words, (end - begin) * words * sizeof *from->keys);
    memcpy(to->numbers + begin, from->numbers + begin, (end - begin) * sizeof *from->numbers);
}

/* In two steps, each of which keeps within the caches. */
static nd_status sort_queries(sweeper *s, nd_error *error) {
    const unsigned words = s->words, depth = s->plan.depth, coarse = depth < COARSE_BITS ? depth : COARSE_BITS, fine = depth - coarse;
    size_t groups = (size_t)1 << depth;
    uint32_t coarse_starts[(1 << COARSE_BITS) + 1];
    if (!nd_reserve(&s->allocator, &s->starts, &s->start_capacity, groups + 1 + AHEAD))
        return nd_fail_memory(error, sizeof *s->starts << depth, what);
    nd_keys_of(&s->tables->orders[s->table], s->given, s->count, s->scratch.keys);
    for (size_t i = 0; i < s->count; i++) s->scratch.numbers[i] = (uint32_t)i;
    distribute(&s->scratch, &s->queries, 0, s->count, words, 0, coarse, coarse_starts);
    for (size_t g = 0; g >> coarse == 0; g++) {
        size_t begin = coarse_starts[g], end = coarse_starts[g + 1];
        copy_sorted(&s->queries, &s->scratch, begin, end, words);
        distribute(&s->scratch, &s->queries, begin, end, words, coarse, fine, s->starts + (g << fine));
    }
    for (size_t i = 0; i <= AHEAD; i++) s->starts[groups + i] = (uint32_t)s->count;
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
                return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: a table of fingerprints has one that the first has not", nd_sealed_path(t->file));
            s->hits[i].entry = entries[i];
        }
    }
    return count > 0 ? s->fn(s->context, s->hits, count, error) : ND_OK;
}

/* nd_near_fn; `context` is the sweeper. */
static nd_status take_pair(void *context, const nd_near_pair *pair, nd_error *error) {
    sweeper *s = context;
    const nd_hamming_tables *t = s->tables;
    bool is_long = s->words > 1;
    nd_key key = {pair->b_key[0], is_long ? pair->b_key[1] : 0}, unlike = {key.head ^ pair->a_key[0], is_long ? key.tail ^ pair->a_key[1] : 0};
    if (!nd_hamming_is_first(&t->windows, s->errors, s->table, nd_key_fingerprint(&t->orders[s->table], unlike))) return ND_OK;
    nd_fingerprint fingerprint = nd_key_fingerprint(&t->orders[s->table], key);
    s->hits[s->hit_count] = (nd_hamming_hit){t, s->queries.numbers[s->first_place + pair->a], fingerprint, pair->distance, s->first_entry + pair->b};
    if (s->table > 0) s->hit_keys[s->hit_count] = nd_key_of(&t->orders[0], fingerprint);
    return ++s->hit_count == ND_BATCH_HITS ? tell_hits(s, error) : ND_OK;
}

/* ---- sweeping a part */

static nd_status flush(sweeper *s, size_t *count, const nd_near_set *keys, nd_error *error) {
    nd_near_set queries = {s->copies, s->numbers, *count};
    s->first_place = 0;
    *count = 0;
    return nd_near_between(s->finder, &queries, keys, error);
}

/* A long range, as it stands. */
static nd_status answer_range(sweeper *s, size_t begin, size_t length, const nd_near_set *keys, nd_error *error) {
    for (size_t count; length > 0; begin += count, length -= count) {
        count = length < KEYS ? length : KEYS;
        nd_near_set queries = {s->queries.keys + begin * s->words, s->places, count};
        s->first_place = begin;
        ND_TRY(nd_near_between(s->finder, &queries, keys, error));
    }
    return ND_OK;
}

/* All queries that have a group's bits but for the errors against its keys. They are in ranges, and mostly some in each. */
__attribute__((always_inline)) static inline nd_status answer_group(sweeper *s, size_t group, const nd_near_set *keys, unsigned words,
                                                                    nd_error *error) {
    const uint32_t *const patterns = s->patterns, *const starts = s->starts;
    const uint64_t *const queries = s->queries.keys;
    size_t count = 0;
    for (size_t p = 0, end = s->pattern_count; p < end; p++) {
        const uint32_t *range = starts + (group ^ patterns[p]);
        uint32_t begin = range[0];
        size_t length = range[1] - begin;
        __builtin_prefetch(queries + (size_t)range[AHEAD] * words);
        if (__builtin_expect(length > LONG, 0)) {
            ND_TRY(answer_range(s, begin, length, keys, error));
            continue;
        }
        if (__builtin_expect(count + length > COPIES, 0)) ND_TRY(flush(s, &count, keys, error));
        const uint64_t *from = queries + (size_t)begin * words;
        uint64_t *to = s->copies + count * words;
        uint32_t *numbers = s->numbers + count;
        memcpy(to, from, FEW * words * sizeof *from);
        for (uint32_t i = 0; i < FEW; i++) numbers[i] = begin + i;
        if (__builtin_expect(length > FEW, 0)) {
            memcpy(to, from, length * words * sizeof *from);
            for (uint32_t i = FEW; i < length; i++) numbers[i] = begin + i;
        }
        count += length;
    }
    return flush(s, &count, keys, error);
}

/* Where the groups of `count` keys end, from group `first` on. Mostly some neighbours are of the same. */
static void find_ends(const sweeper *s, size_t count, size_t first, size_t groups) {
    const unsigned depth = s->plan.depth, words = s->words;
    const uint64_t *keys = s->keys;
    uint32_t *ends = s->ends;
    memset(ends, 0, groups * sizeof *ends);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = count - begin < NEIGHBOURS ? count : begin + NEIGHBOURS;
        size_t i = highest(keys[begin * words], depth) == highest(keys[(end - 1) * words], depth) ? end - 1 : begin;
        for (; i < end; i++) ends[highest(keys[i * words], depth) - first] = (uint32_t)i + 1;
    }
    for (size_t g = 1; g < groups; g++)
        if (ends[g] == 0) ends[g] = ends[g - 1];
}

static nd_status sweep_part(sweeper *s, size_t part, nd_error *error) {
    const nd_fingerprint_table *table = &s->tables->tables[s->table];
    unsigned depth = s->plan.depth, part_bits = s->plan.part_bits, below = table->bucket_bits - part_bits;
    size_t groups = depth > part_bits ? (size_t)1 << (depth - part_bits) : 1, first = depth > part_bits ? part * groups : part >> (part_bits - depth);
    nd_table_sweep sweep;
    if (!nd_reserve(&s->allocator, &s->ends, &s->end_capacity, groups)) return nd_fail_memory(error, groups * sizeof *s->ends, what);
    ND_TRY(nd_table_sweep_begin(table, (uint64_t)part << below, ((uint64_t)part + 1) << below, &sweep, error));
    for (size_t count;;) {
        s->first_entry = sweep.entry;
        ND_TRY(nd_table_sweep_next(&sweep, KEYS, s->keys, &count, error));
        if (count == 0) return ND_OK;
        find_ends(s, count, first, groups);
        for (size_t g = 0, begin = 0; g < groups; begin = s->ends[g], g++) {
            nd_near_set keys = {s->keys + begin * s->words, s->places + begin, s->ends[g] - begin};
            if (keys.count == 0) continue;
            ND_TRY(s->words == 1 ? answer_group(s, first + g, &keys, 1, error) : answer_group(s, first + g, &keys, 2, error));
        }
    }
}

/* ---- the whole */

static nd_status sweep_table(sweeper *s, nd_error *error) {
    s->plan = plan_of(s->tables, s->table, (double)s->count, s->errors[s->table]);
    ND_TRY(make_patterns(s, error));
    ND_TRY(sort_queries(s, error));
    for (size_t part = 0; part >> s->plan.part_bits == 0; part++) ND_TRY(sweep_part(s, part, error));
    return tell_hits(s, error);
}

static nd_status check(const nd_hamming_tables *tables, const nd_fingerprint *queries, size_t count, uint32_t k, nd_error *error) {
    if (k > tables->design.k) return nd_fail(error, ND_ERR_ARGUMENT, "k must be at most %u, not %u", tables->design.k, k);
    if (count > UINT32_MAX) return nd_fail(error, ND_ERR_ARGUMENT, "a batch has fewer than 2^32 queries, not %zu", count);
    for (size_t i = 0; i < count; i++)
        if (!nd_fingerprint_fits(queries[i], tables->design.bits))
            return nd_fail(error, ND_ERR_ARGUMENT, "query %zu has more than %u bits", i, tables->design.bits);
    return ND_OK;
}

static nd_status reserve_sorted(const sweeper *s, sorted *queries, nd_error *error) {
    size_t words = (s->count + ND_NEAR_BEHIND) * s->words;
    queries->keys = nd_allocate_zero(&s->allocator, words, sizeof *queries->keys);
    queries->numbers = nd_allocate(&s->allocator, s->count, sizeof *queries->numbers);
    return queries->keys && queries->numbers ? ND_OK : nd_fail_memory(error, words * sizeof *queries->keys, what);
}

static nd_status sweep(sweeper *s, uint32_t k, nd_error *error) {
    const nd_near_settings near = {.bits = s->tables->design.bits, .k = k, .fn = take_pair, .context = s};
    for (uint32_t i = 0; i < KEYS; i++) s->places[i] = i;
    ND_TRY(nd_near_finder_create(&near, &s->allocator, &s->finder, error));
    ND_TRY(reserve_sorted(s, &s->queries, error));
    ND_TRY(reserve_sorted(s, &s->scratch, error));
    for (s->table = 0; s->table < s->tables->windows.count; s->table++)
        if (s->errors[s->table] >= 0) ND_TRY(sweep_table(s, error));
    return ND_OK;
}

nd_status nd_hamming_batch(const nd_hamming_tables *tables, const nd_fingerprint *queries, size_t count, uint32_t k, nd_hamming_hits_fn *fn,
                           void *context, const nd_allocator *allocator, nd_error *error) {
    ND_TRY(check(tables, queries, count, k, error));
    if (count == 0) return ND_OK;
    sweeper *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, what);
    s->allocator = *allocator;
    s->tables = tables;
    s->given = queries;
    s->count = count;
    s->words = tables->design.bits > 64 ? 2 : 1;
    s->fn = fn;
    s->context = context;
    for (uint32_t i = 0; i < tables->windows.count; i++) s->errors[i] = nd_hamming_ways(tables, k)[i].errors;
    nd_status status = sweep(s, k, error);
    nd_near_finder_free(s->finder);
    void *const parts[] = {s->queries.keys, s->queries.numbers, s->scratch.keys, s->scratch.numbers, s->starts, s->ends, s->patterns, s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(allocator, parts[i]);
    return status;
}
