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
    PART_KEYS = ND_LIMIT(1 << 13, 32), /* about so many per part */
    KEYS = ND_LIMIT(1 << 15, 70),      /* unpacked at once */
    QUERIES = ND_LIMIT(128, 5), /* that a kernel probes with the same pattern of errors at once */
    CROWDED = ND_LIMIT(512, 8), /* keys of a probe above which its queries wait to be joined */
    WAITING = ND_LIMIT(1 << 12, 24), /* queries that wait at most */
    MOST_ERRORS = 32
};

static const char what[] = "a batch of Hamming queries";

/* How a table is scanned. */
typedef struct scan_plan {
    nd_hamming_table_cost cost; /* of a query, with the depths of its probes */
    unsigned part_bits;         /* highest bits that a part shares; no wide probe crosses parts */
    double nanoseconds;
} scan_plan;

/* Patterns of errors, those with fewer errors first: behind[e] is the end of those with e. */
typedef struct patterns {
    uint32_t *values;
    size_t capacity, behind[MOST_ERRORS + 1];
} patterns;

/* The keys of queries, or of late hits, sorted by part. */
typedef struct sorted_keys {
    uint64_t *heads, *tails; /* tails: with keys of two words */
    uint32_t *numbers;       /* of their queries, in the batch */
    uint32_t *parts;         /* where the keys of each part begin, and the end of the last */
    size_t head_capacity, tail_capacity, number_capacity, part_capacity;
} sorted_keys;

/* Hits of other tables than the first, which is scanned last and gives their entries. */
typedef struct late_hits {
    uint64_t *keys;    /* in the first table */
    uint32_t *queries; /* their numbers in the batch */
    size_t count, key_capacity, query_capacity;
    size_t found; /* by the scan of the first table */
} late_hits;

typedef struct batch_search {
    const nd_hamming_batch *batch;
    nd_allocator allocator;
    const nd_kernel *kernel;
    const nd_hamming_tables *tables;
    size_t count;   /* of queries */
    unsigned words; /* of a key */
    uint32_t k;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_block_join *join; /* for crowded probes */
    /* For the table that is scanned: */
    uint32_t table;
    scan_plan plan;
    patterns across;    /* in the part_bits */
    patterns within;    /* in the bits behind them */
    uint64_t *unsorted; /* keys of the queries, as given */
    sorted_keys queries;
    late_hits late;
    sorted_keys late_sorted; /* for the first table */
    nd_table_scan scan;
    uint16_t *starts; /* of the buckets of the unpacked keys */
    size_t start_capacity;
    uint32_t keys[KEYS + ND_PROBES_BEHIND]; /* 32 bits of each */
    uint64_t found[QUERIES * (CROWDED + 1)];
    /* Crowded probes: begin << 48 | end << 32 | query. */
    uint64_t waiting[WAITING], wait_scratch[WAITING];
    size_t wait_count;
    /* The queries and the keys of one crowded probe, and their numbers. */
    uint64_t joined[2 * (WAITING + ND_BLOCK_PADDING)], crowd[2 * (KEYS + ND_BLOCK_PADDING)];
    uint32_t joined_numbers[WAITING], key_numbers[KEYS]; /* key_numbers: 0, 1, ... */
    nd_hamming_hit hits[ND_BATCH_HITS];                  /* not reported yet */
    size_t hit_count;
} batch_search;

/* ---- costs in nanoseconds
 *
 * All machines use the same costs, because the order of the hits depends on them. */

static scan_plan plan_of(const nd_hamming_tables *t, uint32_t table, double queries, int errors) {
    const double key = 0.25, look = 2.5, near = 0.1;
    const nd_hamming_costs in_cache = {.look = {look, look, look, look},
                                       .key = {near, near, near, near}};
    const double keys = (double)t->keys;
    const nd_probed_table probed = {.bits = t->design.bits,
                                    .keys = keys,
                                    .tables = 1,
                                    .bucket_bits = t->tables[table].bucket_bits,
                                    .width = t->windows.widths[table]};
    scan_plan plan = {.cost = nd_hamming_table_cost_of(&in_cache, &probed, errors)};
    while (plan.part_bits < plan.cost.depth - plan.cost.wide &&
           keys > ldexp(PART_KEYS, (int)plan.part_bits))
        plan.part_bits++;
    plan.nanoseconds = keys * key + queries * plan.cost.nanoseconds;
    return plan;
}

bool nd_hamming_batch_pays(const nd_hamming_tables *t, size_t count, uint32_t k) {
    const nd_probe_plan *plans = nd_hamming_probe_plans(t, k);
    nd_hamming_costs costs;
    nd_hamming_costs_init(&costs);
    double queries = (double)count, scanned = 0, one = costs.query;
    for (uint32_t i = 0; i < t->windows.count; i++) {
        int errors = plans[i].errors;
        if (errors < 0) continue;
        const nd_probed_table probed = {.bits = t->design.bits,
                                        .keys = (double)t->keys,
                                        .tables = t->windows.count,
                                        .bucket_bits = t->tables[i].bucket_bits,
                                        .width = t->windows.widths[i]};
        scanned += plan_of(t, i, queries, errors).nanoseconds;
        one += nd_hamming_table_cost_of(&costs, &probed, errors).nanoseconds;
    }
    return scanned < queries * one;
}

/* ---- preparing for a table */

/* Lists all patterns of at most `errors` errors in `bits` bits. */
static nd_status make_patterns(const batch_search *s, patterns *p, unsigned bits, int errors,
                               nd_error *error) {
    size_t count = 0;
    for (unsigned e = 0; e <= (unsigned)errors; p->behind[e++] = count)
        for (uint64_t value = (UINT64_C(1) << e) - 1; e <= bits && value >> bits == 0;) {
            if (!nd_reserve(&s->allocator, &p->values, &p->capacity, count + 1))
                return nd_fail_memory(error, (count + 1) * sizeof *p->values, what);
            p->values[count++] = (uint32_t)value;
            if (value == 0) break;
            /* The next higher number with as many 1 bits: the highest bit of the lowest run moves
             * up by one, the rest of the run to the bottom. */
            uint64_t lowest = value & -value, next = value + lowest;
            value = next | ((value ^ next) / lowest >> 2);
        }
    return ND_OK;
}

static inline size_t part_of(uint64_t head, unsigned bits) {
    return bits ? (size_t)(head >> (64 - bits)) : 0;
}

/* Sorts keys by the part that has their own window value. numbers: NULL for 0, 1, ... */
static nd_status sort_keys(const batch_search *s, const uint64_t *keys, const uint32_t *numbers,
                           size_t count, sorted_keys *out, nd_error *error) {
    const unsigned bits = s->plan.part_bits, words = s->words;
    const size_t parts = (size_t)1 << bits;
    const nd_allocator *a = &s->allocator;
    uint32_t sum = 0;
    if (!nd_reserve(a, &out->parts, &out->part_capacity, parts + 1) ||
        !nd_reserve(a, &out->heads, &out->head_capacity, count) ||
        !nd_reserve(a, &out->tails, &out->tail_capacity, words > 1 ? count : 0) ||
        !nd_reserve(a, &out->numbers, &out->number_capacity, count))
        return nd_fail_memory(error, count * words * sizeof *keys + parts * sizeof *out->parts,
                              what);
    memset(out->parts, 0, (parts + 1) * sizeof *out->parts);
    for (size_t i = 0; i < count; i++) out->parts[part_of(keys[i * words], bits) + 1]++;
    /* parts[p + 1] becomes where part p begins; the copying moves it on to where p ends. */
    for (size_t p = 0; p < parts; p++) {
        uint32_t here = out->parts[p + 1];
        out->parts[p + 1] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t *key = keys + i * words;
        size_t to = out->parts[part_of(*key, bits) + 1]++;
        out->heads[to] = key[0];
        if (words > 1) out->tails[to] = key[1];
        out->numbers[to] = numbers ? numbers[i] : (uint32_t)i;
    }
    return ND_OK;
}

static void free_sorted(sorted_keys *keys, const nd_allocator *allocator) {
    void *const owned[] = {keys->heads, keys->tails, keys->numbers, keys->parts};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nd_release(allocator, owned[i]);
}

static nd_key sorted_key(const batch_search *s, const sorted_keys *keys, size_t i) {
    return (nd_key){keys->heads[i], s->words > 1 ? keys->tails[i] : 0};
}

/* ---- hits */

static nd_status report_hits(batch_search *s, nd_error *error) {
    size_t count = s->hit_count;
    s->hit_count = 0;
    return count > 0 ? s->batch->fn(s->batch->context, s->hits, count, error) : ND_OK;
}

/* Adds a hit, of which the first table has the key as `entry`. */
static nd_status add_hit(batch_search *s, uint32_t query, uint32_t distance, nd_key key,
                         uint64_t entry, nd_error *error) {
    s->hits[s->hit_count] = (nd_hamming_hit){
        .tables = s->tables,
        .query = query,
        .fingerprint = nd_key_fingerprint(&s->tables->orders[0], key),
        .distance = distance,
        .entry = entry};
    return ++s->hit_count == ND_BATCH_HITS ? report_hits(s, error) : ND_OK;
}

/* Adds a late hit whose entry has been found. */
static nd_status add_found(batch_search *s, uint32_t query, nd_key key, uint64_t entry,
                           nd_error *error) {
    nd_fingerprint differ = nd_fingerprint_xor(nd_key_fingerprint(&s->tables->orders[0], key),
                                               s->batch->queries[query]);
    return add_hit(s, query, nd_fingerprint_weight(differ), key, entry, error);
}

static nd_status fail_missing(const batch_search *s, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT,
                   "%s: damaged: a table of fingerprints has one that the first has not",
                   nd_sealed_path(s->tables->file));
}

/* Looks up the late hits in the first table. */
static nd_status look_up_late_hits(batch_search *s, nd_error *error) {
    const nd_hamming_tables *t = s->tables;
    late_hits *late = &s->late;
    for (size_t first = 0, some; first < late->count; first += some) {
        nd_key keys[ND_BATCH_HITS];
        uint64_t entries[ND_BATCH_HITS];
        some = late->count - first < ND_BATCH_HITS ? late->count - first : ND_BATCH_HITS;
        for (size_t i = 0; i < some; i++) {
            const uint64_t *key = late->keys + (first + i) * s->words;
            keys[i] = (nd_key){key[0], s->words > 1 ? key[1] : 0};
        }
        ND_TRY(nd_ef_table_find_all(&t->tables[0], keys, some, entries, error));
        for (size_t i = 0; i < some; i++) {
            if (entries[i] == UINT64_MAX) return fail_missing(s, error);
            ND_TRY(add_found(s, late->queries[first + i], keys[i], entries[i], error));
        }
    }
    late->count = 0;
    return ND_OK;
}

static nd_status add_late_hit(batch_search *s, uint32_t query, nd_key key, nd_error *error) {
    late_hits *late = &s->late;
    if (late->count == s->count) ND_TRY(look_up_late_hits(s, error));
    if (!nd_reserve(&s->allocator, &late->keys, &late->key_capacity,
                    (late->count + 1) * s->words) ||
        !nd_reserve(&s->allocator, &late->queries, &late->query_capacity, late->count + 1))
        return nd_fail_memory(error, (late->count + 1) * s->words * sizeof *late->keys, what);
    uint64_t *to = late->keys + late->count * s->words;
    to[0] = key.head;
    if (s->words > 1) to[1] = key.tail;
    late->queries[late->count++] = query;
    return ND_OK;
}

/* Adds the pair of a query and a key, one of the unpacked ones, if they are near each other and
 * this table reports it. */
static nd_status add_pair(batch_search *s, size_t query, size_t number, const uint64_t *words,
                          nd_error *error) {
    const nd_hamming_tables *t = s->tables;
    const nd_bit_order *order = &t->orders[s->table];
    const nd_key key = {words[0], s->words > 1 ? words[1] : 0},
                 own = sorted_key(s, &s->queries, query),
                 differ = {key.head ^ own.head, key.tail ^ own.tail};
    const uint32_t query_number = s->queries.numbers[query],
                   distance = nd_popcount(differ.head) + nd_popcount(differ.tail);
    if (distance > s->k ||
        !nd_hamming_is_first(&t->windows, s->errors, s->table, nd_key_fingerprint(order, differ)))
        return ND_OK;
    return s->table == 0
               ? add_hit(s, query_number, distance, key, s->scan.unpacked + number, error)
               : add_late_hit(s, query_number,
                              nd_key_of(&t->orders[0], nd_key_fingerprint(order, key)), error);
}

/* nd_block_pair_fn; `context` is the batch_search. */
static nd_status add_joined(void *context, const nd_block_pair *pair, nd_error *error) {
    return add_pair(context, pair->a, pair->b, pair->b_key, error);
}

/* ---- crowded probes */

/* Joins the keys of each crowded probe with all queries that wait for it. */
static nd_status join_waiting(batch_search *s, nd_error *error) {
    nd_radix_sort(s->waiting, s->wait_scratch, s->wait_count, 32);
    for (size_t i = 0; i < s->wait_count;) {
        uint64_t range = s->waiting[i] >> 32, begin = range >> 16, end = range & 0xffff;
        nd_block_set queries = {s->joined, s->joined_numbers, 0},
                     keys = {s->crowd, s->key_numbers + begin, end - begin};
        size_t bucket = nd_table_scan_bucket(&s->scan, s->starts, begin);
        ND_TRY(nd_table_scan_keys(&s->scan, s->starts, bucket, begin, keys.count, s->crowd, error));
        for (; i < s->wait_count && s->waiting[i] >> 32 == range; i++, queries.count++) {
            uint32_t query = (uint32_t)s->waiting[i];
            uint64_t *key = s->joined + queries.count * s->words;
            key[0] = s->queries.heads[query];
            if (s->words > 1) key[1] = s->queries.tails[query];
            s->joined_numbers[queries.count] = query;
        }
        ND_TRY(nd_block_join_between(s->join, &queries, &keys, error));
    }
    s->wait_count = 0;
    return ND_OK;
}

static nd_status add_waiting(batch_search *s, const nd_key_probes *places, size_t query,
                             nd_error *error) {
    nd_key_probe range = nd_key_probe_of(places);
    uint32_t first = nd_key_probe_first(range, s->queries.heads[query]);
    uint64_t begin = places->starts[first], end = places->starts[first + range.span];
    s->waiting[s->wait_count++] = begin << 48 | end << 32 | query;
    return s->wait_count == WAITING ? join_waiting(s, error) : ND_OK;
}

/* ---- scanning */

static nd_key_probes places_of(const batch_search *s) {
    const unsigned bits = s->tables->tables[s->table].bucket_bits;
    return (nd_key_probes){.keys = s->keys,
                           .starts = s->starts,
                           .above = s->plan.part_bits,
                           .bits = bits - s->plan.part_bits,
                           .wide = bits - s->plan.cost.depth,
                           .low = nd_table_scan_low(s->scan.table),
                           .crowded = CROWDED};
}

/* Probes the unpacked keys with `count` queries. */
static nd_status probe(batch_search *s, const nd_key_probes *places, size_t first, size_t count,
                       nd_error *error) {
    const nd_key_probe range = nd_key_probe_of(places);
    const uint64_t *heads = s->queries.heads;
    size_t found = s->kernel->near32_probes(places, heads + first, count, s->k, s->found);
    for (size_t i = 0; i < found; i++) {
        size_t query = first + (size_t)(s->found[i] >> 32);
        uint32_t number = (uint32_t)s->found[i], bucket = nd_key_probe_first(range, heads[query]);
        uint64_t key[2];
        if (number == ND_CROWDED) {
            ND_TRY(add_waiting(s, places, query, error));
            continue;
        }
        ND_TRY(nd_table_scan_keys(&s->scan, s->starts, bucket, number, 1, key, error));
        ND_TRY(add_pair(s, query, number, key, error));
    }
    return ND_OK;
}

/* Probes the unpacked keys of a part with all queries that come into question: those of each part
 * whose bits differ from this part's by a pattern of errors. The errors that are left go into the
 * bits behind. */
static nd_status answer_part(batch_search *s, size_t part, nd_error *error) {
    nd_key_probes places = places_of(s);
    const unsigned narrow = places.wide, wide = narrow + s->plan.cost.wide;
    for (size_t u = 0; u < s->across.behind[s->errors[s->table]]; u++) {
        const uint32_t *ends = s->queries.parts + (part ^ s->across.values[u]);
        int left = s->errors[s->table] - (int)nd_popcount(s->across.values[u]);
        for (size_t first = ends[0], count; first < ends[1]; first += count) {
            count = ends[1] - first < QUERIES ? ends[1] - first : QUERIES;
            for (size_t v = 0; v < s->within.behind[left]; v++) {
                places.pattern = s->within.values[v] << wide;
                places.wide = (int)nd_popcount(s->within.values[v]) < left ? wide : narrow;
                ND_TRY(probe(s, &places, first, count, error));
            }
        }
    }
    return join_waiting(s, error);
}

/* Compares the key of a late hit with an unpacked key that is like it in 32 bits, or looks it up if
 * its bucket is crowded. */
static nd_status try_late_hit(batch_search *s, size_t late, size_t bucket, uint32_t number,
                              nd_error *error) {
    const nd_key key = sorted_key(s, &s->late_sorted, late);
    uint64_t words[2], entry = s->scan.unpacked + number;
    bool same;
    if (number == ND_CROWDED) {
        ND_TRY(nd_ef_table_find(s->scan.table, key, &entry, error));
        same = entry >= s->scan.unpacked && entry < s->scan.entry;
    } else {
        ND_TRY(nd_table_scan_keys(&s->scan, s->starts, bucket, number, 1, words, error));
        same = words[0] == key.head && (s->words == 1 || words[1] == key.tail);
    }
    if (!same) return ND_OK;
    s->late.found++;
    return add_found(s, s->late_sorted.numbers[late], key, entry, error);
}

/* Finds the late hits whose keys are among the unpacked ones. */
static nd_status find_late_hits(batch_search *s, size_t part, nd_error *error) {
    const nd_key_probes places = places_of(s);
    const nd_key_probe range = nd_key_probe_of(&places);
    const uint64_t *heads = s->late_sorted.heads;
    const uint32_t *ends = s->late_sorted.parts + part;
    for (size_t first = ends[0], count; first < ends[1]; first += count) {
        count = ends[1] - first < QUERIES ? ends[1] - first : QUERIES;
        size_t found = s->kernel->near32_probes(&places, heads + first, count, 0, s->found);
        for (size_t i = 0; i < found; i++) {
            size_t late = first + (size_t)(s->found[i] >> 32);
            ND_TRY(try_late_hit(s, late, nd_key_probe_first(range, heads[late]),
                                (uint32_t)s->found[i], error));
        }
    }
    return ND_OK;
}

static nd_status scan_part(batch_search *s, size_t part, nd_error *error) {
    const nd_ef_table *table = &s->tables->tables[s->table];
    unsigned below = table->bucket_bits - s->plan.part_bits;
    ND_TRY(nd_table_scan_begin(table, (uint64_t)part << below, ((uint64_t)part + 1) << below,
                               &s->scan, error));
    for (size_t count;;) {
        ND_TRY(nd_table_scan_next(&s->scan, KEYS, s->keys, s->starts, &count, error));
        if (count == 0) return ND_OK;
        ND_TRY(answer_part(s, part, error));
        if (s->table == 0) ND_TRY(find_late_hits(s, part, error));
    }
}

static nd_status scan_table(batch_search *s, nd_error *error) {
    const nd_hamming_table_cost *cost = &s->plan.cost;
    s->plan = plan_of(s->tables, s->table, (double)s->count, s->errors[s->table]);
    size_t starts = ((size_t)1 << (s->tables->tables[s->table].bucket_bits - s->plan.part_bits)) +
                    1 + ND_ENDS_BEHIND;
    if (!nd_reserve(&s->allocator, &s->starts, &s->start_capacity, starts))
        return nd_fail_memory(error, starts * sizeof *s->starts, what);
    ND_TRY(make_patterns(s, &s->across, s->plan.part_bits, s->errors[s->table], error));
    ND_TRY(make_patterns(s, &s->within, cost->depth - cost->wide - s->plan.part_bits,
                         s->errors[s->table], error));
    nd_keys_of(&s->tables->orders[s->table], s->batch->queries, s->count, s->unsorted);
    ND_TRY(sort_keys(s, s->unsorted, NULL, s->count, &s->queries, error));
    if (s->table == 0)
        ND_TRY(sort_keys(s, s->late.keys, s->late.queries, s->late.count, &s->late_sorted, error));
    for (size_t part = 0; part >> s->plan.part_bits == 0; part++) ND_TRY(scan_part(s, part, error));
    return ND_OK;
}

/* ---- the whole */

static nd_status check(const nd_hamming_batch *batch, nd_error *error) {
    const nd_hamming_design *design = &batch->tables->design;
    if (batch->k > design->k)
        return nd_fail(error, ND_ERR_ARGUMENT, "k must be at most %u, not %u", design->k, batch->k);
    if (batch->count > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "a batch has fewer than 2^32 queries, not %zu",
                       batch->count);
    for (size_t i = 0; i < batch->count; i++)
        if (!nd_fingerprint_fits(batch->queries[i], design->bits))
            return nd_fail(error, ND_ERR_ARGUMENT, "query %zu has more than %u bits", i,
                           design->bits);
    return ND_OK;
}

static nd_status scan_tables(batch_search *s, nd_error *error) {
    const nd_block_join_settings near = {
        .bits = s->tables->design.bits, .k = s->k, .fn = add_joined, .context = s};
    for (uint32_t i = 0; i < KEYS; i++) s->key_numbers[i] = i;
    ND_TRY(nd_block_join_create(&near, &s->allocator, &s->join, error));
    s->unsorted = nd_allocate(&s->allocator, s->count * s->words, sizeof *s->unsorted);
    if (!s->unsorted) return nd_fail_memory(error, s->count * s->words * sizeof *s->unsorted, what);
    for (s->table = s->tables->windows.count; s->table-- > 0;)
        if (s->errors[s->table] >= 0) ND_TRY(scan_table(s, error));
    if (s->errors[0] < 0) ND_TRY(look_up_late_hits(s, error));
    else if (s->late.found < s->late.count) return fail_missing(s, error);
    return report_hits(s, error);
}

nd_status nd_hamming_batch_search(const nd_hamming_batch *batch, const nd_allocator *allocator,
                                  nd_error *error) {
    const nd_hamming_tables *tables = batch->tables;
    ND_TRY(check(batch, error));
    if (batch->count == 0) return ND_OK;
    batch_search *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, what);
    s->batch = batch;
    s->allocator = *allocator;
    s->kernel = nd_kernel_get();
    s->tables = tables;
    s->count = batch->count;
    s->words = tables->design.bits > 64 ? 2 : 1;
    s->k = batch->k;
    for (uint32_t i = 0; i < tables->windows.count; i++)
        s->errors[i] = nd_hamming_probe_plans(tables, s->k)[i].errors;
    nd_status status = scan_tables(s, error);
    nd_block_join_free(s->join);
    free_sorted(&s->queries, allocator);
    free_sorted(&s->late_sorted, allocator);
    void *const owned[] = {s->unsorted,
                           s->late.keys,
                           s->late.queries,
                           s->starts,
                           s->across.values,
                           s->within.values,
                           s};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nd_release(allocator, owned[i]);
    return status;
}
