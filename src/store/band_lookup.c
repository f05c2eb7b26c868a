#include "store/band_lookup.h"

#include "store/store_inside.h"

#include <string.h>

void nd_lookup_context_init(nd_lookup_context *probe, const nd_allocator *allocator) {
    *probe = (nd_lookup_context){.allocator = *allocator};
}

void nd_lookup_context_free(nd_lookup_context *probe) {
    nd_release(&probe->allocator, probe->keys);
    nd_release(&probe->allocator, probe->totals);
    nd_release(&probe->allocator, probe->ranges);
    nd_release(&probe->allocator, probe->likely);
    nd_release(&probe->allocator, probe->passed);
    nd_lookup_context_init(probe, &probe->allocator);
}

/* Looks up the lookups [begin, end), ascending keys of one band, in one segment. */
static nd_status look_up_ascending(const nd_segment *segment, const nd_lookup_context *p,
                                   size_t begin, size_t end, nd_key_range *ranges,
                                   nd_error *error) {
    const nd_key_table *table = &segment->tables[p->lookups[begin].band];
    ND_TRY(nd_key_table_find_ascending(table, p->keys + begin, end - begin, ranges + begin, error));
    for (size_t i = begin; i < end; i++) p->totals[i] += ranges[i].end - ranges[i].begin;
    return ND_OK;
}

/* Looks up keys band by band, so that one table after the other is read from its beginning to its
 * end.
 */
static nd_status look_up_bands(const nd_store *s, nd_lookup_context *p, nd_error *error) {
    size_t end;
    if (!nd_reserve(&p->allocator, &p->keys, &p->key_capacity, p->count))
        return nd_fail_memory(error, p->count * sizeof *p->keys, "looking up band keys");
    for (size_t i = 0; i < p->count; i++) p->keys[i] = p->lookups[i].key;
    for (size_t begin = 0; begin < p->count; begin = end) {
        for (end = begin + 1; end < p->count && p->lookups[end].band == p->lookups[begin].band;)
            end++;
        for (size_t g = 0; g < s->state.segment_count; g++)
            ND_TRY(
                look_up_ascending(s->segments[g], p, begin, end, p->ranges + g * p->count, error));
    }
    return ND_OK;
}

/* Lists in p->passed the lookups of keys that a segment may have. */
static size_t filter_lookups(const nd_store *s, nd_lookup_context *p) {
    const nd_key_filter *f = s->filter;
    size_t found = 0;
    for (size_t i = 0; f && i < p->count; i++)
        if (p->lookups[i].band < f->bands)
            nd_key_filter_prefetch(f, p->lookups[i].band, p->lookups[i].key);
    for (size_t i = 0; i < p->count; i++) {
        const nd_band_lookup *l = &p->lookups[i];
        p->passed[found] = (uint32_t)i;
        found += !f || l->band >= f->bands || nd_key_filter_may_have(f, l->band, l->key);
    }
    return found;
}

static void prefetch_lines(const nd_store *s, const nd_lookup_context *p, size_t passed,
                           size_t segment) {
    if (segment == s->state.segment_count) return;
    const nd_key_table *tables = s->segments[segment]->tables;
    for (size_t i = 0; i < passed; i++) {
        const nd_band_lookup *l = &p->lookups[p->passed[i]];
        nd_key_table_prefetch(&tables[l->band], l->key);
    }
}

/* Finds the segments that may have the keys, and lists them in p->likely. Lines of one segment are
 * prefetched while the lines of the one before are read. So about as many lines are on their way
 * from memory as a processor can wait for at once, some dozens. */
static size_t find_likely(const nd_store *s, nd_lookup_context *p) {
    size_t found = 0, passed = filter_lookups(s, p);
    prefetch_lines(s, p, passed, 0);
    for (size_t g = 0; g < s->state.segment_count; g++) {
        const nd_key_table *tables = s->segments[g]->tables;
        prefetch_lines(s, p, passed, g + 1);
        for (size_t i = 0; i < passed; i++) {
            const nd_band_lookup *l = &p->lookups[p->passed[i]];
            p->likely[found] = (nd_likely_range){(uint32_t)g, p->passed[i]};
            found += nd_key_table_may_have(&tables[l->band], l->key);
        }
    }
    return found;
}

static inline const nd_key_table *likely_table(const nd_store *s, const nd_lookup_context *p,
                                               size_t j) {
    const nd_likely_range at = p->likely[j];
    return &s->segments[at.segment]->tables[p->lookups[at.lookup].band];
}

static inline nd_key_range *likely_range(const nd_lookup_context *p, size_t j) {
    return &p->ranges[p->likely[j].segment * p->count + p->likely[j].lookup];
}

/* Looks up keys of many bands, in rounds: leaves out the keys that no segment has, if the store has
 * a filter of them; finds the few tables that may have a key, by one line of
 * memory each; finds their buckets; prefetches the entries; reads these. So the waits for memory
 * overlap. */
static nd_status look_up_apart(const nd_store *s, nd_lookup_context *p, nd_error *error) {
    const nd_band_lookup *l = p->lookups;
    size_t all = p->count * s->state.segment_count;
    if (!nd_reserve(&p->allocator, &p->likely, &p->likely_capacity, all) ||
        !nd_reserve(&p->allocator, &p->passed, &p->passed_capacity, p->count))
        return nd_fail_memory(error, all * sizeof *p->likely, "looking up band keys");
    size_t found = find_likely(s, p);
    memset(p->ranges, 0, all * sizeof *p->ranges);
    for (size_t j = 0; j < found; j++)
        ND_TRY(nd_key_table_locate(likely_table(s, p, j), l[p->likely[j].lookup].key,
                                   likely_range(p, j), error));
    for (size_t j = 0; j < found; j++)
        nd_key_table_prefetch_entries(likely_table(s, p, j), *likely_range(p, j));
    for (size_t j = 0; j < found; j++) {
        nd_key_range *range = likely_range(p, j);
        ND_TRY(nd_key_table_find(likely_table(s, p, j), l[p->likely[j].lookup].key, *range, range,
                                 error));
        p->totals[p->likely[j].lookup] += range->end - range->begin;
    }
    return ND_OK;
}

nd_status nd_store_look_up(const nd_store *s, nd_lookup_context *p, const nd_band_lookup *lookups,
                           size_t count, nd_error *error) {
    size_t segments = s->state.segment_count;
    if (!nd_reserve(&p->allocator, &p->totals, &p->total_capacity, count) ||
        !nd_reserve(&p->allocator, &p->ranges, &p->range_capacity, count * segments))
        return nd_fail_memory(error, count * segments * sizeof *p->ranges, "looking up band keys");
    p->lookups = lookups;
    p->count = count;
    if (count == 0) return ND_OK;
    memset(p->totals, 0, count * sizeof *p->totals);
    size_t recent = nd_memtable_count(s->memtable) > 0 ? count : 0; /* lookups in the memtable */
    for (size_t i = 0; i < recent; i++)
        nd_memtable_prefetch(s->memtable, lookups[i].band, lookups[i].key);
    bool alone = count == 1 || lookups[0].band != lookups[1].band;
    if (segments > 0) ND_TRY(alone ? look_up_apart(s, p, error) : look_up_bands(s, p, error));
    for (size_t i = 0; i < recent; i++) {
        const nd_band_lookup *l = &lookups[i];
        for (uint32_t d = nd_memtable_find(s->memtable, l->band, l->key); d != UINT32_MAX;
             d = nd_memtable_next(s->memtable, l->band, d))
            p->totals[i]++;
    }
    return ND_OK;
}

/* Reads the documents of a bucket, up to `most`. */
typedef struct bucket_reader {
    const nd_store *store;
    const uint8_t *hidden;
    uint32_t *numbers;
    size_t most, count;
} bucket_reader;

static void add_number(bucket_reader *r, uint32_t number) {
    bool hidden = r->hidden && r->hidden[number >> 3] >> (number & 7) & 1;
    if (!hidden) r->numbers[r->count++] = number;
}

static nd_status read_segment(bucket_reader *r, size_t g, uint32_t band, nd_key_range range,
                              nd_error *error) {
    enum { STEP = 64 };
    const nd_store *s = r->store;
    while (range.begin < range.end && r->count < r->most) {
        uint32_t documents[STEP];
        size_t step = range.end - range.begin < STEP ? (size_t)(range.end - range.begin) : STEP;
        ND_TRY(nd_key_table_documents(&s->segments[g]->tables[band], range.begin, step, documents,
                                      error));
        for (size_t i = 0; i < step && r->count < r->most; i++) {
            if (documents[i] >= s->segments[g]->documents)
                return nd_fail(error, ND_ERR_CORRUPT,
                               "%s: a band names a document that is not there",
                               nd_sealed_path(s->segments[g]->file));
            uint32_t number = s->begins[g] + documents[i];
            if (!nd_store_is_removed(s, number)) add_number(r, number);
        }
        range.begin += step;
    }
    return ND_OK;
}

static void read_memtable(bucket_reader *r, const nd_band_lookup *l) {
    const nd_memtable *recent = r->store->memtable;
    for (uint32_t d = nd_memtable_find(recent, l->band, l->key);
         d != UINT32_MAX && r->count < r->most; d = nd_memtable_next(recent, l->band, d))
        add_number(r, nd_store_segment_numbers(r->store) + d);
}

nd_status nd_store_bucket_documents(const nd_store *s, const nd_lookup_context *p, size_t i,
                                    size_t most, uint32_t *numbers, size_t *count,
                                    nd_error *error) {
    const nd_band_lookup *l = &p->lookups[i];
    bucket_reader r = {.store = s, .hidden = p->hidden, .numbers = numbers, .most = most};
    for (size_t g = 0; g < s->state.segment_count; g++)
        ND_TRY(read_segment(&r, g, l->band, p->ranges[g * p->count + i], error));
    read_memtable(&r, l);
    *count = r.count;
    return ND_OK;
}
