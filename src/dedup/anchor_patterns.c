#include "dedup/anchor_patterns.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A pattern with more documents has a large bucket. */
enum { MOST_PAIRED = ND_LIMIT(64, 2) };

/* A common document. */
typedef struct patterned {
    uint64_t key;  /* nd_anchor_key */
    uint64_t hash; /* of its common anchors, and of how many are needed */
    uint32_t document;
} patterned;

typedef struct pattern_maker {
    nd_anchor_table *table;
    const uint32_t *sizes;
    patterned *documents; /* the common ones */
    size_t count, capacity;
    uint64_t *leads; /* common anchor << 32 | pattern */
    size_t lead_count, lead_capacity;
} pattern_maker;

static nd_status fail_memory(size_t bytes, nd_error *error) {
    return nd_fail_memory(error, bytes, "patterns of anchors");
}

/* ---- common documents */

/* Two different patterns share a hash with a probability of 2^-64. */
static uint64_t hash_of(const nd_anchor_table *t, uint32_t document) {
    uint64_t hash = nd_mix64(t->needed[document]);
    for (uint32_t i = t->common_begins[document]; i < t->common_begins[document + 1]; i++)
        hash = nd_mix64(hash ^ t->commons[i]);
    return hash;
}

static int by_pattern(const void *a, const void *b) {
    const patterned *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->document < y->document ? -1 : x->document > y->document;
}

static nd_status find_common(pattern_maker *m, nd_error *error) {
    const nd_anchor_table *t = m->table;
    for (uint32_t d = 0; d < t->count; d++) {
        uint32_t common = t->common_begins[d + 1] - t->common_begins[d];
        if (common == 0 || common < t->needed[d]) continue;
        if (!nd_reserve(&t->allocator, &m->documents, &m->capacity, m->count + 1))
            return fail_memory(sizeof *m->documents, error);
        m->documents[m->count++] = (patterned){nd_anchor_key(t, t->first + d), hash_of(t, d), d};
    }
    if (m->count > 0) qsort(m->documents, m->count, sizeof *m->documents, by_pattern);
    return ND_OK;
}

/* ---- patterns */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Adds the rarest common anchors of the last pattern as leads to it. */
static nd_status add_leads(pattern_maker *m, nd_error *error) {
    nd_anchor_table *t = m->table;
    uint32_t pattern = (uint32_t)t->pattern_count - 1,
             document = t->members[t->patterns[pattern].begin], begin = t->common_begins[document],
             count = t->common_begins[document + 1] - begin;
    if (!nd_reserve(&t->allocator, &m->leads, &m->lead_capacity, m->lead_count + count))
        return fail_memory(count * sizeof *m->leads, error);
    uint64_t *leads = m->leads + m->lead_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t anchor = t->commons[begin + i];
        leads[i] = (uint64_t)m->sizes[anchor] << 32 | anchor;
    }
    qsort(leads, count, sizeof *leads, by_value);
    count -= t->needed[document] - 1;
    for (uint32_t i = 0; i < count; i++) leads[i] = leads[i] << 32 | pattern;
    m->lead_count += count;
    return ND_OK;
}

/* Adds the pattern of members[begin, end). */
static nd_status add_pattern(pattern_maker *m, const nd_ranks *ranks, size_t begin, size_t end,
                             nd_candidates *out, nd_error *error) {
    nd_anchor_table *t = m->table;
    nd_anchor_pattern pattern = {(uint32_t)begin, (uint32_t)(end - begin), ND_NO_BUCKET,
                                 m->documents[begin].key};
    if (!nd_reserve(&t->allocator, &t->patterns, &t->pattern_capacity, t->pattern_count + 1))
        return fail_memory(sizeof *t->patterns, error);
    if (pattern.count > MOST_PAIRED) {
        pattern.bucket = out->large_buckets;
        ND_TRY(nd_candidates_add_bucket(out, NULL, 0, error));
        for (size_t i = begin; i < end; i++)
            out->own[nd_rank_of(ranks, t->first + t->members[i])] = pattern.bucket;
    }
    t->patterns[t->pattern_count++] = pattern;
    return add_leads(m, error);
}

/* Sorts the leads by anchor. */
static nd_status list_leads(pattern_maker *m, nd_error *error) {
    nd_anchor_table *t = m->table;
    const nd_allocator *a = &t->allocator;
    t->led = nd_allocate(a, m->lead_count, sizeof *t->led);
    t->led_begins = nd_allocate_zero(a, (size_t)t->common_count + 1, sizeof *t->led_begins);
    if (!t->led || !t->led_begins) return fail_memory(m->lead_count * sizeof *t->led, error);
    for (size_t i = 0; i < m->lead_count; i++) t->led_begins[m->leads[i] >> 32]++;
    uint32_t end = 0;
    for (uint32_t c = 0; c <= t->common_count; c++) t->led_begins[c] = end += t->led_begins[c];
    for (size_t i = m->lead_count; i-- > 0;)
        t->led[--t->led_begins[m->leads[i] >> 32]] = (uint32_t)m->leads[i];
    return ND_OK;
}

static bool are_alike(const patterned *a, const patterned *b) {
    return a->key == b->key && a->hash == b->hash;
}

static nd_status add_all(pattern_maker *m, const nd_ranks *ranks, nd_candidates *out,
                         nd_error *error) {
    nd_anchor_table *t = m->table;
    ND_TRY(find_common(m, error));
    t->members = nd_allocate(&t->allocator, m->count, sizeof *t->members);
    if (!t->members) return fail_memory(m->count * sizeof *t->members, error);
    for (size_t i = 0; i < m->count; i++) t->members[i] = m->documents[i].document;
    for (size_t begin = 0, end; begin < m->count; begin = end) {
        for (end = begin; end < m->count && are_alike(&m->documents[end], &m->documents[begin]);)
            end++;
        ND_TRY(add_pattern(m, ranks, begin, end, out, error));
    }
    return list_leads(m, error);
}

nd_status nd_anchor_patterns_add(nd_anchor_table *table, const uint32_t *sizes,
                                 const nd_ranks *ranks, nd_candidates *out, nd_error *error) {
    pattern_maker m = {.table = table, .sizes = sizes};
    nd_status status = add_all(&m, ranks, out, error);
    nd_release(&table->allocator, m.documents);
    nd_release(&table->allocator, m.leads);
    return status;
}
