#include "hamming/dense_buckets.h"

#include "base/limits.h"
#include "io/external_sort.h"

enum {
    TAG_LIST, /* tags, from the base tag on */
    TAG_HALVES = 4,
    HEAD_SIZE = 24,
    RUN_SIZE = 16,
    HALVES = 2,
    SAMPLED = 256, /* keys of a run from which the varying bits are estimated */
    MOST_BITS = 128
};

enum {
    PART_KEYS = ND_LIMIT(1 << 15, 64),
    MOST_PART_BITS = ND_LIMIT(12, 3),
    MEMORY = ND_LIMIT(8 << 20, 0) /* bytes of each spool */
};

static uint32_t tag_of_half(uint32_t tag, unsigned half) {
    return tag + TAG_HALVES + half * (uint32_t)ND_EF_TABLE_TAGS;
}

/* ---- shared by writer and reader */

static inline nd_fingerprint without(nd_fingerprint all, nd_fingerprint these) {
    return (nd_fingerprint){all.low & ~these.low, all.high & ~these.high};
}

static nd_fingerprint drop_lowest(nd_fingerprint mask, uint32_t count) {
    for (; count > 0; count--) {
        if (mask.low) mask.low &= mask.low - 1;
        else mask.high &= mask.high - 1;
    }
    return mask;
}

/* The first half of the bits outside of a window: the upper half of those that vary, and the upper
 * half of the others. Together they are the larger half. */
static nd_fingerprint first_half(uint32_t bits, nd_fingerprint window, nd_fingerprint varied) {
    nd_fingerprint others = without(without(nd_fingerprint_mask(bits), window), varied);
    uint32_t count = nd_fingerprint_weight(varied),
             dropped = (count + nd_fingerprint_weight(others)) / 2;
    return nd_fingerprint_or(drop_lowest(varied, count / 2),
                             drop_lowest(others, dropped - count / 2));
}

static void init_orders(nd_bit_order orders[HALVES], uint32_t bits, nd_fingerprint window,
                        nd_fingerprint half, nd_fingerprint varied) {
    nd_fingerprint halves[HALVES] = {half,
                                     without(without(nd_fingerprint_mask(bits), window), half)};
    for (unsigned h = 0; h < HALVES; h++)
        nd_bit_order_init_parts(&orders[h], bits,
                                (nd_fingerprint[]){window, nd_fingerprint_and(halves[h], varied),
                                                   without(halves[h], varied)},
                                3);
}

static unsigned run_bits_of(uint64_t runs) {
    return runs > 1 ? 64 - (unsigned)__builtin_clzll(runs - 1) : 0;
}

/* Bits of the keys in the halves' tables: up to 64, or 128. */
static uint32_t key_bits_of(uint32_t bits, uint32_t width, unsigned run_bits) {
    uint32_t key_bits = run_bits + bits - width;
    return key_bits > 64 ? 128 : key_bits;
}

__extension__ typedef unsigned __int128 wide_key;

static inline wide_key wide(nd_key key) { return (wide_key)key.head << 64 | key.tail; }
static inline nd_key narrow(wide_key key) { return (nd_key){(uint64_t)(key >> 64), (uint64_t)key}; }

/* Replaces the window, the first `width` bits of a key, by the number of the run. */
static inline nd_key put_number(nd_key key, uint32_t width, unsigned run_bits, uint64_t number) {
    nd_key out = narrow(wide(key) << width >> run_bits);
    if (run_bits) out.head |= number << (64 - run_bits);
    return out;
}

/* ---- writing */

struct nd_dense_writer {
    nd_allocator allocator;
    nd_dense_writer_settings settings;
    uint32_t width;
    nd_bit_order order, orders[HALVES]; /* of the table; of the halves' tables */
    nd_fingerprint varied;
    nd_dense_current current;
    nd_spool run_spool, key_spool;
    uint64_t runs, run_keys; /* dense runs so far, and their keys */
};

nd_status nd_dense_writer_create(const nd_dense_writer_settings *settings,
                                 const nd_allocator *allocator, nd_dense_writer **out,
                                 nd_error *error) {
    nd_dense_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "dense runs of fingerprints");
    w->allocator = *allocator;
    w->settings = *settings;
    nd_bit_order_init(&w->order, settings->bits, settings->window);
    w->width = w->order.width;
    w->current.mask = ~UINT64_C(0) << (64 - w->width);
    nd_spool_init(&w->run_spool, allocator, settings->disk, MEMORY, "dense runs of fingerprints");
    nd_spool_init(&w->key_spool, allocator, settings->disk, MEMORY,
                  "keys of dense runs of fingerprints");
    *out = w;
    return ND_OK;
}

void nd_dense_writer_free(nd_dense_writer *w) {
    if (!w) return;
    nd_spool_free(&w->run_spool);
    nd_spool_free(&w->key_spool);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

nd_dense_current *nd_dense_current_of(nd_dense_writer *w) { return &w->current; }

nd_status nd_dense_flush(nd_dense_writer *w, nd_error *error) {
    size_t size = w->current.waiting * sizeof *w->current.keys;
    w->current.waiting = 0;
    return nd_spool_append(&w->key_spool, w->current.keys, size, error);
}

nd_status nd_dense_end_run(nd_dense_writer *w, nd_error *error) {
    const nd_dense_run *run = &w->current.run;
    w->runs++;
    w->run_keys += run->end - run->first;
    ND_TRY(nd_spool_append(&w->run_spool, run, sizeof *run, error));
    return nd_dense_flush(w, error);
}

/* Adds to varied[bit] how many of a run's keys differ from its majority in this bit: estimated from
 * a sample of the keys. */
static nd_status count_varied(nd_dense_writer *w, uint64_t first, uint64_t keys,
                              uint64_t varied[MOST_BITS], nd_error *error) {
    uint64_t step = keys > SAMPLED ? keys / SAMPLED : 1, sampled = 0, ones[MOST_BITS] = {0};
    for (uint64_t i = 0; i < keys; i += step, sampled++) {
        nd_key key;
        ND_TRY(nd_spool_read(&w->key_spool, &key, sizeof key, (first + i) * sizeof key, error));
        nd_fingerprint fingerprint = nd_key_fingerprint(&w->order, key);
        for (unsigned bit = 0; bit < 64; bit++) {
            ones[bit] += fingerprint.low >> bit & 1;
            ones[64 + bit] += fingerprint.high >> bit & 1;
        }
    }
    for (unsigned bit = 0; bit < MOST_BITS; bit++)
        varied[bit] += (ones[bit] * 2 < sampled ? ones[bit] : sampled - ones[bit]) * step;
    return ND_OK;
}

/* Finds the bits that vary at least half as much as the bit that varies most. */
static nd_status find_varied(nd_dense_writer *w, nd_error *error) {
    uint64_t varied[MOST_BITS] = {0}, first = 0, most = 0;
    for (uint64_t number = 0; number < w->runs; number++) {
        nd_dense_run run;
        ND_TRY(nd_spool_read(&w->run_spool, &run, sizeof run, number * sizeof run, error));
        ND_TRY(count_varied(w, first, run.end - run.first, varied, error));
        first += run.end - run.first;
    }
    for (unsigned bit = 0; bit < MOST_BITS; bit++) most = varied[bit] > most ? varied[bit] : most;
    for (unsigned bit = 0; bit < MOST_BITS; bit++)
        if (varied[bit] > 0 && varied[bit] * 2 >= most)
            *(bit < 64 ? &w->varied.low : &w->varied.high) |= UINT64_C(1) << bit % 64;
    return ND_OK;
}

static nd_status write_list(nd_dense_writer *w, nd_error *error) {
    unsigned char bytes[HEAD_SIZE];
    nd_sealed_writer *file = w->settings.file;
    ND_TRY(nd_sealed_begin(file, w->settings.tag + TAG_LIST, error));
    nd_store_le64(bytes, w->run_keys);
    nd_store_le64(bytes + 8, w->varied.low);
    nd_store_le64(bytes + 16, w->varied.high);
    ND_TRY(nd_sealed_write(file, bytes, HEAD_SIZE, error));
    for (uint64_t i = 0; i < w->runs; i++) {
        nd_dense_run run;
        ND_TRY(nd_spool_read(&w->run_spool, &run, sizeof run, i * sizeof run, error));
        nd_store_le64(bytes, run.window);
        nd_store_le32(bytes + 8, (uint32_t)run.first);
        nd_store_le32(bytes + 12, (uint32_t)(run.end - run.first));
        ND_TRY(nd_sealed_write(file, bytes, RUN_SIZE, error));
    }
    return ND_OK;
}

/* Sorts the keys of all dense runs for the table of one half. */
typedef struct half_sort {
    nd_external_sort *sorter;
    nd_part_buffer buffer;
    nd_spool_cursor keys;
    nd_ef_table_writer *table;
    unsigned run_bits, part_bits, words; /* words of a key */
} half_sort;

static nd_status push_keys(nd_dense_writer *w, unsigned half, half_sort *s, nd_error *error) {
    for (uint64_t number = 0; number < w->runs; number++) {
        nd_dense_run run;
        ND_TRY(nd_spool_read(&w->run_spool, &run, sizeof run, number * sizeof run, error));
        for (uint64_t i = run.first; i < run.end; i++) {
            const void *piece;
            nd_key key;
            ND_TRY(nd_spool_next(&s->keys, sizeof key, &piece, error));
            memcpy(&key, piece, sizeof key);
            key = put_number(nd_key_of(&w->orders[half], nd_key_fingerprint(&w->order, key)),
                             w->width, s->run_bits, number);
            uint64_t record[] = {key.head, key.tail};
            ND_TRY(nd_external_sort_push_record(
                s->sorter, s->part_bits ? (size_t)(key.head >> (64 - s->part_bits)) : 0, record,
                error));
        }
    }
    return ND_OK;
}

static nd_status put_sorted(half_sort *s, nd_error *error) {
    for (size_t part = 0; part < nd_external_sort_parts(s->sorter); part++) {
        ND_TRY(nd_external_sort_load_records(s->sorter, part, &s->buffer, error));
        nd_external_sort_drop(s->sorter, part);
        for (size_t i = 0; i < s->buffer.count; i++) {
            const uint64_t *record = s->buffer.words + i * s->words;
            ND_TRY(nd_ef_table_put(s->table, (nd_key){record[0], s->words > 1 ? record[1] : 0},
                                   NULL, error));
        }
    }
    return nd_ef_table_finish(s->table, error);
}

static nd_status sort_half(nd_dense_writer *w, unsigned half, half_sort *s, nd_error *error) {
    uint32_t key_bits = key_bits_of(w->settings.bits, w->width, s->run_bits);
    s->words = key_bits > 64 ? 2 : 1;
    while (s->part_bits < MOST_PART_BITS && s->part_bits < key_bits &&
           w->run_keys >> s->part_bits > PART_KEYS)
        s->part_bits++;
    const nd_external_sort_settings sorting = {.disk = w->settings.disk,
                                               .parts = (size_t)1 << s->part_bits,
                                               .memory_limit = w->settings.memory_limit,
                                               .words = s->words,
                                               .keys = s->words,
                                               .what = "fingerprints"};
    ND_TRY(nd_external_sort_create_records(&w->allocator, &sorting, &s->sorter, error));
    ND_TRY(push_keys(w, half, s, error));
    ND_TRY(nd_ef_table_writer_create(w->settings.file, tag_of_half(w->settings.tag, half), key_bits,
                                     nd_ef_table_bucket_bits(key_bits, w->run_keys, ND_EF_PROBED),
                                     &w->allocator, &s->table, error));
    return put_sorted(s, error);
}

nd_status nd_dense_finish(nd_dense_writer *w, nd_error *error) {
    const uint32_t bits = w->settings.bits;
    const nd_fingerprint window = w->settings.window;
    bool dense = w->current.run.end - w->current.run.first >= ND_DENSE_LEAST;
    nd_status status = dense ? nd_dense_end_run(w, error) : ND_OK;
    if (status != ND_OK || w->runs == 0) return status;
    ND_TRY(find_varied(w, error));
    init_orders(w->orders, bits, window, first_half(bits, window, w->varied), w->varied);
    status = write_list(w, error);
    for (unsigned half = 0; half < HALVES && status == ND_OK; half++) {
        half_sort s = {.keys.spool = &w->key_spool, .run_bits = run_bits_of(w->runs)};
        status = sort_half(w, half, &s, error);
        nd_ef_table_writer_free(s.table);
        nd_external_sort_free(s.sorter);
        nd_part_buffer_free(&w->allocator, &s.buffer);
        nd_release(&w->allocator, s.keys.bytes);
    }
    return status;
}

/* ---- reading */

static nd_status damaged(const nd_dense_runs *r, const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s", nd_sealed_path(r->file), what);
}

static nd_status read_list(nd_dense_runs *r, const nd_dense_source *source, nd_error *error) {
    const unsigned char *p;
    const uint32_t bits = source->bits;
    ND_TRY(nd_sealed_section(r->file, source->tag + TAG_LIST, &r->list, error));
    ND_TRY(nd_sealed_view(r->file, &r->list, 0, HEAD_SIZE, &p, error));
    r->keys = nd_load_le64(p);
    nd_fingerprint varied = {nd_load_le64(p + 8), nd_load_le64(p + 16)},
                   others = without(nd_fingerprint_mask(bits), source->window);
    r->count = (r->list.size - HEAD_SIZE) / RUN_SIZE;
    r->run_bits = run_bits_of(r->count);
    bool fits = nd_dense_applies(bits, r->width, 0) &&
                r->list.size == HEAD_SIZE + r->count * RUN_SIZE && r->count >= 1 &&
                r->count <= r->keys / 2 && r->keys <= r->table_keys && r->run_bits <= r->width &&
                nd_fingerprint_weight(without(varied, others)) == 0;
    if (!fits) return damaged(r, "the numbers of its dense runs do not fit each other", error);
    r->half = first_half(bits, source->window, varied);
    init_orders(r->orders, bits, source->window, r->half, varied);
    return ND_OK;
}

static nd_status choose_plans(nd_dense_runs *r, uint32_t bits, uint32_t k,
                              const nd_allocator *allocator, nd_error *error) {
    nd_hamming_costs costs;
    nd_hamming_costs_init(&costs);
    const uint32_t rest = bits - r->width, widths[HALVES] = {(rest + 1) / 2, rest / 2};
    r->plans = nd_allocate_zero(allocator, k + 1, sizeof *r->plans);
    if (!r->plans) return nd_fail_memory(error, (k + 1) * sizeof *r->plans, "Hamming tables");
    for (uint32_t left = 0; left <= k; left++) {
        nd_hamming_design halves = {
            .kind = ND_HAMMING_WINDOWS, .bits = rest, .k = left, .blocks = HALVES, .chosen = 1};
        int errors[ND_HAMMING_MOST_TABLES];
        double nanoseconds = costs.query;
        nd_hamming_errors(&halves, left, errors);
        for (unsigned half = 0; half < HALVES; half++) {
            unsigned bucket_bits = r->tables[half].bucket_bits;
            const nd_probed_table table = {.bits = rest,
                                           .keys = (double)r->keys / (double)r->count,
                                           .tables = HALVES,
                                           .bucket_bits = bucket_bits - r->run_bits,
                                           .width = widths[half],
                                           .only_narrow = true};
            nd_hamming_table_cost cost = nd_hamming_table_cost_of(&costs, &table, errors[half]);
            unsigned depth = cost.depth + r->run_bits;
            r->plans[left].halves[half] = (nd_probe_plan){
                .errors = errors[half], .depth = depth, .shift = bucket_bits - depth};
            nanoseconds += cost.nanoseconds;
        }
        r->plans[left].least = (uint64_t)(nanoseconds / costs.key[1]);
    }
    return ND_OK;
}

static nd_status open_runs(nd_dense_runs *r, const nd_dense_source *source,
                           const nd_allocator *allocator, nd_error *error) {
    ND_TRY(read_list(r, source, error));
    uint32_t key_bits = key_bits_of(source->bits, r->width, r->run_bits);
    unsigned bucket_bits = nd_ef_table_bucket_bits(key_bits, r->keys, ND_EF_PROBED);
    for (unsigned half = 0; half < HALVES; half++)
        ND_TRY(nd_ef_table_open(r->file, tag_of_half(source->tag, half), key_bits, bucket_bits,
                                r->keys, &r->tables[half], error));
    return choose_plans(r, source->bits, source->k, allocator, error);
}

nd_status nd_dense_open(const nd_dense_source *source, const nd_allocator *allocator,
                        nd_dense_runs *out, nd_error *error) {
    nd_dense_runs r = {.file = source->file,
                       .table_keys = source->keys,
                       .width = nd_fingerprint_weight(source->window)};
    *out = (nd_dense_runs){0};
    if (!nd_sealed_has(source->file, source->tag + TAG_LIST)) return ND_OK;
    nd_status status = open_runs(&r, source, allocator, error);
    if (status == ND_OK) *out = r;
    else nd_dense_close(&r, allocator);
    return status;
}

void nd_dense_close(nd_dense_runs *r, const nd_allocator *allocator) {
    nd_release(allocator, r->plans);
    *r = (nd_dense_runs){0};
}

nd_status nd_dense_run_at(const nd_dense_runs *r, uint64_t number, nd_dense_run *out,
                          nd_error *error) {
    const unsigned char *p;
    ND_TRY(nd_sealed_view(r->file, &r->list, HEAD_SIZE + number * RUN_SIZE, RUN_SIZE, &p, error));
    *out = (nd_dense_run){nd_load_le64(p), nd_load_le32(p + 8),
                          (uint64_t)nd_load_le32(p + 8) + nd_load_le32(p + 12)};
    bool fits = out->first < out->end && out->end <= r->table_keys &&
                (r->width == 64 || out->window << r->width == 0);
    return fits ? ND_OK : damaged(r, "a dense run", error);
}

nd_status nd_dense_find(const nd_dense_runs *r, uint64_t entry, uint64_t *number, nd_error *error) {
    uint64_t begin = 0, end = r->count;
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        nd_dense_run run;
        ND_TRY(nd_dense_run_at(r, middle, &run, error));
        if (run.first < entry) begin = middle + 1;
        else end = middle;
    }
    *number = begin;
    return ND_OK;
}

nd_status nd_dense_bucket_end(const nd_dense_runs *r, const nd_ef_table *table, uint64_t bucket,
                              uint64_t before, uint64_t *end, nd_error *error) {
    uint64_t known_bucket = bucket / ND_EF_TABLE_SAMPLED * ND_EF_TABLE_SAMPLED,
             known_entry = before, first = 0, behind = r->count;
    while (first < behind) {
        uint64_t middle = first + (behind - first) / 2;
        nd_dense_run run;
        ND_TRY(nd_dense_run_at(r, middle, &run, error));
        uint64_t here = table->bucket_bits ? run.window >> (64 - table->bucket_bits) : 0;
        if (here <= bucket) first = middle + 1;
        else behind = middle;
        if (here < known_bucket || here > bucket) continue;
        known_bucket = here;
        known_entry = run.end;
    }
    return nd_ef_table_bucket_end(table, bucket, known_bucket, known_entry, end, error);
}

nd_key nd_dense_key(const nd_dense_runs *r, unsigned half, uint64_t number,
                    nd_fingerprint fingerprint) {
    return put_number(nd_key_of(&r->orders[half], fingerprint), r->width, r->run_bits, number);
}

nd_fingerprint nd_dense_fingerprint(const nd_dense_runs *r, unsigned half, const nd_dense_run *run,
                                    nd_key key) {
    nd_key whole = narrow(wide(key) << r->run_bits >> r->width);
    whole.head |= run->window;
    return nd_key_fingerprint(&r->orders[half], whole);
}

static uint64_t table_bytes(const nd_ef_table *t) {
    return t->heads.size + t->directory.size + t->samples.size + t->tails.size;
}

uint64_t nd_dense_bytes(const nd_dense_runs *r) {
    return r->list.size + table_bytes(&r->tables[0]) + table_bytes(&r->tables[1]);
}

/* ---- checking */

/* The table ascends, so if the first and the last entry of a run have its window, all have it. */
static nd_status check_list(const nd_dense_runs *r, const nd_ef_table *table, nd_error *error) {
    const uint64_t mask = ~UINT64_C(0) << (64 - r->width);
    uint64_t keys = 0, end = 0;
    for (uint64_t number = 0; number < r->count; number++) {
        nd_dense_run run;
        nd_key first, last;
        ND_TRY(nd_dense_run_at(r, number, &run, error));
        ND_TRY(nd_ef_table_key(table, run.first, &first, error));
        ND_TRY(nd_ef_table_key(table, run.end - 1, &last, error));
        if (run.first < end || (first.head & mask) != run.window ||
            (last.head & mask) != run.window)
            return damaged(r, "a dense run", error);
        keys += run.end - run.first;
        end = run.end;
    }
    return keys == r->keys ? ND_OK : damaged(r, "the number of keys in its dense runs", error);
}

/* The half's table has as many distinct keys as the runs. So if each of them is in its run, none is
 * missing. */
static nd_status check_half(const nd_dense_runs *r, unsigned half, const nd_ef_table *table,
                            const nd_bit_order *order, nd_error *error) {
    nd_ef_cursor cursor = nd_ef_cursor_begin(&r->tables[half]);
    ND_TRY(nd_ef_table_check(&r->tables[half], error));
    for (bool more;;) {
        ND_TRY(nd_ef_cursor_next(&cursor, &more, error));
        if (!more) return ND_OK;
        nd_dense_run run;
        uint64_t entry, number = r->run_bits ? cursor.key.head >> (64 - r->run_bits) : 0;
        if (number >= r->count)
            return damaged(r, "a table of dense runs has a key of no run", error);
        ND_TRY(nd_dense_run_at(r, number, &run, error));
        ND_TRY(nd_ef_table_find(table,
                                nd_key_of(order, nd_dense_fingerprint(r, half, &run, cursor.key)),
                                &entry, error));
        if (entry < run.first || entry >= run.end)
            return damaged(r, "a table of dense runs has a key that is not in its run", error);
    }
}

nd_status nd_dense_check(const nd_dense_runs *r, const nd_ef_table *table,
                         const nd_bit_order *order, nd_error *error) {
    ND_TRY(check_list(r, table, error));
    for (unsigned half = 0; half < HALVES; half++) ND_TRY(check_half(r, half, table, order, error));
    return ND_OK;
}
