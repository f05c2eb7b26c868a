#include "store/band_lookup.h"

#include "store/store_inside.h"

#include <string.h>

void nd_lookup_context_init(nd_lookup_context *probe, const nd_allocator *allocator) {
    *probe = (nd_lookup_context){.allocator = *allocator};
}

void nd_lookup_context_free(nd_lookup_context *probe) {
    nd_release(&probe->allocator, probe->totals);
    nd_release(&probe->allocator, probe->ranges);
    nd_lookup_context_init(probe, &probe->allocator);
}

/* Looks up a few ascending keys of one band in a segment. *close false: they are too far apart, and
 * nothing was looked up. */
static nd_status look_up_close(const nd_segment *segment, const nd_lookup_context *p, bool *close,
                               nd_key_range *ranges, nd_error *error) {
    uint64_t keys[ND_CLOSE_LOOKUPS];
    for (size_t i = 0; i < p->count; i++) keys[i] = p->lookups[i].key;
    ND_TRY(nd_key_table_find_close(&segment->tables[p->lookups[0].band], keys, p->count, close,
                                   ranges, error));
    for (size_t i = 0; *close && i < p->count; i++) p->totals[i] += ranges[i].end - ranges[i].begin;
    return ND_OK;
}

/* Looks up keys in the segments [first, end), in three rounds: prefetch the lines of the
 * directories, then the entries, then read both. So the waits of all lookups for memory overlap. */
static nd_status look_up_apart(const nd_store *s, size_t first, size_t end, nd_lookup_context *p,
                               nd_error *error) {
    const nd_band_lookup *l = p->lookups;
    size_t n = p->count;
    for (size_t g = first; g < end; g++)
        for (size_t i = 0; i < n; i++)
            nd_key_table_prefetch(&s->segments[g]->tables[l[i].band], l[i].key);
    for (size_t g = first; g < end; g++)
        for (size_t i = 0; i < n; i++)
            ND_TRY(nd_key_table_locate(&s->segments[g]->tables[l[i].band], l[i].key,
                                       &p->ranges[g * n + i], error));
    for (size_t g = first; g < end; g++) {
        for (size_t i = 0; i < n; i++) {
            nd_key_range *range = &p->ranges[g * n + i];
            ND_TRY(nd_key_table_find(&s->segments[g]->tables[l[i].band], l[i].key, *range, range,
                                     error));
            p->totals[i] += range->end - range->begin;
        }
    }
    return ND_OK;
}

static nd_status look_up_in_segments(const nd_store *s, nd_lookup_context *p, nd_error *error) {
    size_t segments = s->state.segment_count, n = p->count;
    bool one_band = n > 1 && n <= ND_CLOSE_LOOKUPS && p->lookups[0].band == p->lookups[n - 1].band,
         close;
    if (!one_band) return look_up_apart(s, 0, segments, p, error);
    for (size_t g = 0; g < segments; g++) {
        ND_TRY(look_up_close(s->segments[g], p, &close, p->ranges + g * n, error));
        if (!close) ND_TRY(look_up_apart(s, g, g + 1, p, error));
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
    for (size_t i = 0; i < count; i++)
        nd_memtable_prefetch(s->memtable, lookups[i].band, lookups[i].key);
    ND_TRY(look_up_in_segments(s, p, error));
    for (size_t i = 0; i < count; i++) {
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
