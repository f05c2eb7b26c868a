#include "hamming/hamming_tables.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "storage/bit_writer.h"
#include "io/external_sort.h"
#include "hamming/hamming_planner.h"

#include <inttypes.h>

enum {
    TAG_HEAD = ND_TAG_HAMMING,
    TAG_LISTS = ND_TAG_HAMMING + 5,
    TAG_TABLES = TAG_LISTS + ND_DOCUMENT_LIST_TAGS,
    TAG_DENSE = ND_TAG_HAMMING + 512,
    DENSE_TAGS = 16,
    HEAD_SIZE = 48
};

enum {
    PART_KEYS = ND_LIMIT(1 << 15, 64),
    MOST_PART_BITS = ND_LIMIT(12, 3),
    BATCH = ND_LIMIT(1024, 8) /* keys */
};

static uint32_t tag_of_table(uint32_t table) {
    return TAG_TABLES + table * (uint32_t)ND_EF_TABLE_TAGS;
}

static uint32_t tag_of_dense(uint32_t table) { return TAG_DENSE + table * (uint32_t)DENSE_TAGS; }

static unsigned bucket_bits_of(const nd_hamming_design *design, uint64_t documents) {
    return nd_ef_table_bucket_bits(design->bits, documents,
                                   design->kind == ND_HAMMING_SCAN ? ND_EF_SCANNED : ND_EF_PROBED);
}

/* ---- writing
 *
 * An external sort for each table sorts its keys. Two of them live at a time: the distinct keys
 * that one returns in order are also pushed to the sort of the next table.
 *
 * The first sort is filled alone, so it may use all memory. It is then emptied part by part, and
 * its memory goes to the second sort and to the lists of documents, which need no more than the
 * first one had. If the first sort did not fit in memory, it is all on the disk by then. After the
 * first sort, each sort has three eighths of the memory, the lists of documents two eighths, and
 * the dense runs three eighths. */

struct nd_hamming_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    nd_temp_space *disk;
    size_t memory_limit;
    nd_hamming_design design;
    nd_hamming_windows windows;
    uint64_t documents, keys;
    uint64_t put;
    unsigned part_bits, words; /* of a key */
    nd_bit_order *orders;
    nd_external_sort *sorter; /* of the table that is being written */
    nd_external_sort *filled; /* of the next table; NULL: there is none */
    nd_dense_writer *dense;   /* of the written table; NULL: it can have no dense runs */
    nd_part_buffer buffer;
    nd_document_lists_writer lists;
    /* Scratch for a batch of keys: too large for the stack of a small thread. */
    uint64_t batch_keys[BATCH * 2], batch_records[BATCH * 3];
};

/* words: of a record. Records of the first sort are a key and its document, else keys alone. */
static nd_status create_sorter(const nd_hamming_writer *w, unsigned words, size_t memory_limit,
                               nd_external_sort **out, nd_error *error) {
    const nd_external_sort_settings sorting = {.disk = w->disk,
                                               .parts = (size_t)1 << w->part_bits,
                                               .memory_limit = memory_limit,
                                               .words = words,
                                               .keys = words,
                                               .what = "fingerprints"};
    return nd_external_sort_create_records(&w->allocator, &sorting, out, error);
}

static nd_status begin_writer(nd_hamming_writer *w, nd_error *error) {
    w->orders = nd_allocate(&w->allocator, w->windows.count, sizeof *w->orders);
    if (!w->orders)
        return nd_fail_memory(error, w->windows.count * sizeof *w->orders, "Hamming tables");
    for (uint32_t t = 0; t < w->windows.count; t++)
        nd_bit_order_init(&w->orders[t], w->design.bits, w->windows.masks[t]);
    while (w->part_bits < MOST_PART_BITS && w->part_bits < w->design.bits &&
           w->documents >> w->part_bits > PART_KEYS)
        w->part_bits++;
    return create_sorter(w, w->words + 1, w->memory_limit, &w->filled, error);
}

nd_status nd_hamming_writer_create(const nd_hamming_writer_settings *settings,
                                   const nd_allocator *allocator, nd_hamming_writer **out,
                                   nd_error *error) {
    const uint64_t documents = settings->documents;
    ND_TRY(nd_hamming_design_check(settings->design, error));
    if (documents < 1 || documents > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "Hamming tables are of 1 to 2^32 - 1 documents, not of %" PRIu64, documents);
    nd_hamming_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "Hamming tables");
    w->allocator = *allocator;
    w->file = settings->file;
    w->disk = settings->disk;
    w->memory_limit = settings->memory_limit;
    w->design = *settings->design;
    w->documents = documents;
    w->words = w->design.bits > 64 ? 2 : 1;
    nd_hamming_windows_of(&w->design, &w->windows);
    nd_document_lists_writer_init(&w->lists, documents, allocator, w->disk,
                                  settings->memory_limit / 4);
    nd_status status = begin_writer(w, error);
    if (status != ND_OK) {
        nd_hamming_writer_free(w);
        return status;
    }
    *out = w;
    return ND_OK;
}

void nd_hamming_writer_free(nd_hamming_writer *w) {
    if (!w) return;
    nd_allocator allocator = w->allocator;
    nd_part_buffer_free(&allocator, &w->buffer);
    nd_external_sort_free(w->sorter);
    nd_external_sort_free(w->filled);
    nd_dense_writer_free(w->dense);
    nd_document_lists_writer_free(&w->lists);
    nd_release(&allocator, w->orders);
    nd_release(&allocator, w);
}

nd_status nd_hamming_put(nd_hamming_writer *w, const nd_fingerprint *fingerprints,
                         uint32_t document, size_t count, nd_error *error) {
    const unsigned words = w->words;
    if (count > w->documents - w->put || document > w->documents - count)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "document %u and those behind it are not of %" PRIu64, document,
                       w->documents);
    for (size_t i = 0; i < count; i++)
        if (!nd_fingerprint_fits(fingerprints[i], w->design.bits))
            return nd_fail(error, ND_ERR_ARGUMENT, "a fingerprint has more than %u bits",
                           w->design.bits);
    w->put += count;
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < BATCH ? count - first : BATCH;
        nd_keys_of(&w->orders[0], fingerprints + first, some, w->batch_keys);
        for (size_t i = 0; i < some; i++) {
            uint64_t *record = w->batch_records + i * (words + 1);
            for (unsigned word = 0; word < words; word++)
                record[word] = w->batch_keys[i * words + word];
            record[words] = document + first + i;
        }
        ND_TRY(nd_external_sort_push_all(w->filled, w->part_bits, w->batch_records, some, error));
    }
    return ND_OK;
}

/* Whether records i and j of the first sort have the same key. */
static bool equal_keys(const nd_hamming_writer *w, size_t i, size_t j) {
    const unsigned words = w->words;
    const uint64_t *a = w->buffer.words + i * (words + 1), *b = w->buffer.words + j * (words + 1);
    return a[0] == b[0] && (words == 1 || a[1] == b[1]);
}

/* Lists the documents of records [first, end) of the first sort, which have the same key. */
static nd_status list_entry(nd_hamming_writer *w, size_t first, size_t end, nd_error *error) {
    const unsigned each = w->words + 1;
    const uint64_t *document = w->buffer.words + w->words;
    if (end - first == 1) return nd_document_lists_put(&w->lists, document[first * each], error);
    ND_TRY(nd_document_lists_begin_group(&w->lists, error));
    for (size_t i = first; i < end; i++)
        ND_TRY(nd_document_lists_put_member(&w->lists, document[i * each], error));
    return ND_OK;
}

/* Moves the documents of a loaded part of the first sort to the lists, and reduces its records to
 * the distinct keys. Equal keys are in one part. */
static nd_status list_documents(nd_hamming_writer *w, nd_error *error) {
    const unsigned words = w->words;
    uint64_t *keys = w->buffer.words;
    size_t distinct = 0;
    for (size_t first = 0, end; first < w->buffer.count; first = end, distinct++) {
        for (end = first + 1; end < w->buffer.count && equal_keys(w, first, end);) end++;
        ND_TRY(list_entry(w, first, end, error));
        for (unsigned word = 0; word < words; word++)
            keys[distinct * words + word] = keys[first * (words + 1) + word];
    }
    w->buffer.count = distinct;
    return ND_OK;
}

/* Pushes the keys of table t to the sort of the next table. */
static nd_status push_keys(nd_hamming_writer *w, uint32_t t, nd_error *error) {
    for (size_t first = 0, some; first < w->buffer.count; first += some) {
        some = w->buffer.count - first < BATCH ? w->buffer.count - first : BATCH;
        nd_keys_reorder(&w->orders[t], &w->orders[t + 1], w->buffer.words + first * w->words, some,
                        w->batch_keys);
        ND_TRY(nd_external_sort_push_all(w->filled, w->part_bits, w->batch_keys, some, error));
    }
    return ND_OK;
}

/* Puts the distinct keys of a part of table t to the writers, and pushes them to the sort of the
 * next table. */
static nd_status put_part(nd_hamming_writer *w, uint32_t t, nd_ef_table_writer *table,
                          nd_error *error) {
    nd_dense_current *dense = w->dense ? nd_dense_current_of(w->dense) : NULL;
    ND_TRY(nd_ef_table_put_all(table, w->buffer.words, w->buffer.count, error));
    for (size_t i = 0; dense && i < w->buffer.count; i++) {
        const uint64_t *words = w->buffer.words + i * w->words;
        ND_TRY(
            nd_dense_put(w->dense, dense, (nd_key){words[0], w->words > 1 ? words[1] : 0}, error));
    }
    return w->filled ? push_keys(w, t, error) : ND_OK;
}

static nd_status put_table(nd_hamming_writer *w, uint32_t t, nd_ef_table_writer *table,
                           nd_error *error) {
    for (size_t part = 0; part < nd_external_sort_parts(w->sorter); part++) {
        ND_TRY(nd_external_sort_load_records(w->sorter, part, &w->buffer, error));
        nd_external_sort_drop(w->sorter, part);
        if (t == 0) ND_TRY(list_documents(w, error));
        ND_TRY(put_part(w, t, table, error));
    }
    w->keys = nd_ef_table_count(table);
    return nd_ef_table_finish(table, error);
}

/* Sorts and writes the dense runs of a table, when the sort of the table has given back its memory.
 */
static nd_status write_dense(nd_hamming_writer *w, nd_error *error) {
    nd_status status = w->dense ? nd_dense_finish(w->dense, error) : ND_OK;
    nd_dense_writer_free(w->dense);
    w->dense = NULL;
    return status;
}

static nd_status write_table(nd_hamming_writer *w, uint32_t t, nd_error *error) {
    nd_ef_table_writer *table = NULL;
    unsigned bucket_bits = bucket_bits_of(&w->design, w->documents);
    const size_t share = w->memory_limit / 8 * 3;
    if (t == 0) ND_TRY(nd_external_sort_flush(w->filled, error));
    w->sorter = w->filled;
    w->filled = NULL;
    if (t + 1 < w->windows.count) ND_TRY(create_sorter(w, w->words, share, &w->filled, error));
    const nd_dense_writer_settings dense = {.file = w->file,
                                            .tag = tag_of_dense(t),
                                            .bits = w->design.bits,
                                            .window = w->windows.masks[t],
                                            .disk = w->disk,
                                            .memory_limit = share};
    if (nd_dense_applies(w->design.bits, w->windows.widths[t], bucket_bits))
        ND_TRY(nd_dense_writer_create(&dense, &w->allocator, &w->dense, error));
    nd_status status = nd_ef_table_writer_create(w->file, tag_of_table(t), w->design.bits,
                                                 bucket_bits, &w->allocator, &table, error);
    if (status == ND_OK) status = put_table(w, t, table, error);
    nd_ef_table_writer_free(table);
    nd_external_sort_free(w->sorter);
    w->sorter = NULL;
    return status == ND_OK ? write_dense(w, error) : status;
}

nd_status nd_hamming_finish(nd_hamming_writer *w, nd_error *error) {
    unsigned char head[HEAD_SIZE];
    if (w->put != w->documents)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "Hamming tables were given %" PRIu64 " documents, not %" PRIu64, w->put,
                       w->documents);
    for (uint32_t t = 0; t < w->windows.count; t++) ND_TRY(write_table(w, t, error));
    ND_TRY(nd_document_lists_finish(&w->lists, w->file, TAG_LISTS, error));
    const uint32_t numbers[] = {(uint32_t)w->design.kind, w->design.bits,   w->design.k,
                                w->design.blocks,         w->design.chosen, w->windows.count};
    for (size_t i = 0; i < 6; i++) nd_store_le32(head + i * 4, numbers[i]);
    nd_store_le64(head + 24, w->keys);
    nd_store_le64(head + 32, w->documents);
    nd_store_le64(head + 40, bucket_bits_of(&w->design, w->documents));
    ND_TRY(nd_sealed_begin(w->file, TAG_HEAD, error));
    return nd_sealed_write(w->file, head, HEAD_SIZE, error);
}

/* ---- reading */

static nd_status damaged(const nd_hamming_tables *t, const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s", nd_sealed_path(t->file), what);
}

static nd_status read_head(nd_hamming_tables *t, uint64_t *bucket_bits, nd_error *error) {
    nd_section section;
    const unsigned char *p;
    ND_TRY(nd_sealed_section(t->file, TAG_HEAD, &section, error));
    ND_TRY(nd_sealed_view(t->file, &section, 0, HEAD_SIZE, &p, error));
    t->design = (nd_hamming_design){.kind = (nd_hamming_design_kind)nd_load_le32(p),
                                    .bits = nd_load_le32(p + 4),
                                    .k = nd_load_le32(p + 8),
                                    .blocks = nd_load_le32(p + 12),
                                    .chosen = nd_load_le32(p + 16)};
    t->keys = nd_load_le64(p + 24);
    t->documents = nd_load_le64(p + 32);
    *bucket_bits = nd_load_le64(p + 40);
    if (nd_hamming_design_check(&t->design, NULL) != ND_OK)
        return damaged(t, "it has no design of Hamming search", error);
    nd_hamming_windows_of(&t->design, &t->windows);
    bool fits = t->windows.count == nd_load_le32(p + 20) && t->documents >= 1 &&
                t->documents <= UINT32_MAX && t->keys >= 1 && t->keys <= t->documents &&
                *bucket_bits == bucket_bits_of(&t->design, t->documents);
    return fits ? ND_OK
                : damaged(t, "the numbers of its Hamming tables do not fit each other", error);
}

static nd_status choose_plans(nd_hamming_tables *t, const nd_allocator *allocator,
                              nd_error *error) {
    nd_hamming_costs costs;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_hamming_costs_init(&costs);
    t->plans = nd_allocate(allocator, (t->design.k + 1) * (size_t)t->windows.count,
                           sizeof *t->plans);
    if (!t->plans) return nd_fail_memory(error, sizeof *t->plans, "Hamming tables");
    nd_probe_plan *plan = t->plans;
    for (uint32_t k = 0; k <= t->design.k; k++) {
        nd_hamming_errors(&t->design, k, errors);
        for (uint32_t i = 0; i < t->windows.count; i++) {
            const nd_probed_table table = {.bits = t->design.bits,
                                           .keys = (double)t->keys,
                                           .tables = t->windows.count,
                                           .bucket_bits = t->tables[i].bucket_bits,
                                           .width = t->windows.widths[i]};
            nd_hamming_table_cost cost = nd_hamming_table_cost_of(&costs, &table, errors[i]);
            *plan++ = (nd_probe_plan){errors[i], cost.depth, table.bucket_bits - cost.depth,
                                      cost.wide};
        }
    }
    return ND_OK;
}

static nd_status open_tables(nd_hamming_tables *t, const nd_allocator *allocator, nd_error *error) {
    uint64_t bucket_bits;
    ND_TRY(read_head(t, &bucket_bits, error));
    if (!nd_sealed_has(t->file, TAG_LISTS))
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: its lists of documents are in another form than this library reads: "
                       "make the index again",
                       nd_sealed_path(t->file));
    t->orders = nd_allocate_zero(allocator, t->windows.count, sizeof *t->orders);
    t->tables = nd_allocate_zero(allocator, t->windows.count, sizeof *t->tables);
    t->dense = nd_allocate_zero(allocator, t->windows.count, sizeof *t->dense);
    t->verified = nd_allocate_zero(allocator, 2, sizeof *t->verified);
    if (!t->orders || !t->tables || !t->dense || !t->verified)
        return nd_fail_memory(error, t->windows.count * sizeof *t->orders, "Hamming tables");
    for (uint32_t i = 0; i < t->windows.count; i++) {
        nd_bit_order_init(&t->orders[i], t->design.bits, t->windows.masks[i]);
        ND_TRY(nd_ef_table_open(t->file, tag_of_table(i), t->design.bits, (unsigned)bucket_bits,
                                t->keys, &t->tables[i], error));
        const nd_dense_source dense = {.file = t->file,
                                       .tag = tag_of_dense(i),
                                       .bits = t->design.bits,
                                       .window = t->windows.masks[i],
                                       .keys = t->keys,
                                       .k = t->design.k};
        ND_TRY(nd_dense_open(&dense, allocator, &t->dense[i], error));
    }
    ND_TRY(choose_plans(t, allocator, error));
    return nd_document_lists_open(t->file, TAG_LISTS, t->keys, t->documents, &t->lists, error);
}

nd_status nd_hamming_tables_open(const nd_sealed_file *file, const nd_allocator *allocator,
                                 nd_hamming_tables *out, nd_error *error) {
    nd_hamming_tables t = {.file = file};
    nd_sealed_use_large_pages(file, NULL);
    nd_status status = open_tables(&t, allocator, error);
    if (status == ND_OK) *out = t;
    else nd_hamming_tables_close(&t, allocator);
    return status;
}

void nd_hamming_tables_close(nd_hamming_tables *t, const nd_allocator *allocator) {
    for (uint32_t i = 0; t->dense && i < t->windows.count; i++)
        nd_dense_close(&t->dense[i], allocator);
    nd_release(allocator, t->orders);
    nd_release(allocator, t->tables);
    nd_release(allocator, t->dense);
    nd_release(allocator, t->plans);
    nd_release(allocator, t->verified);
    *t = (nd_hamming_tables){0};
}

nd_status nd_hamming_each(const nd_hamming_tables *t, nd_hamming_document_fn *fn, void *context,
                          nd_error *error) {
    nd_ef_cursor cursor = nd_ef_cursor_begin(&t->tables[0]);
    bool more;
    for (uint64_t entry = 0; entry < t->keys; entry++) {
        uint64_t slot, end;
        ND_TRY(nd_ef_cursor_next(&cursor, &more, error));
        ND_TRY(nd_document_lists_slots(&t->lists, entry, &slot, &end, error));
        for (; slot < end; slot++) {
            uint32_t document;
            ND_TRY(nd_document_lists_at(&t->lists, slot, &document, error));
            ND_TRY(fn(context, nd_key_fingerprint(&t->orders[0], cursor.key), document, error));
        }
    }
    return ND_OK;
}

static uint64_t bytes_of(const nd_ef_table *t) {
    return t->heads.size + t->directory.size + t->samples.size + t->tails.size;
}

uint64_t nd_hamming_table_bytes(const nd_hamming_tables *t) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < t->windows.count; i++)
        bytes += bytes_of(&t->tables[i]) + nd_dense_bytes(&t->dense[i]);
    return bytes;
}

/* ---- checking */

/* A checksum of a set in any order, for sets of the same size. */
typedef struct set_sum {
    uint64_t first, second;
} set_sum;

static inline void add_to_sum(set_sum *sum, nd_fingerprint f) {
    sum->first += nd_mix64(f.low ^ nd_mix64(f.high + ND_HASH_C0));
    sum->second += nd_mix64(f.low + nd_mix64(f.high ^ ND_HASH_C1));
}

/* nd_hamming_document_fn; `context` is the set_sum. */
static nd_status add_document(void *context, nd_fingerprint fingerprint, uint32_t document,
                              nd_error *error) {
    (void)fingerprint, (void)error;
    add_to_sum(context, (nd_fingerprint){document, 0});
    return ND_OK;
}

/* Checks that each document is there once. */
static nd_status check_documents(const nd_hamming_tables *t, nd_error *error) {
    set_sum there = {0, 0}, all = {0, 0};
    ND_TRY(nd_hamming_each(t, add_document, &there, error));
    for (uint64_t d = 0; d < t->documents; d++) add_to_sum(&all, (nd_fingerprint){d, 0});
    return there.first == all.first && there.second == all.second
               ? ND_OK
               : damaged(t, "its fingerprints are not one of each document", error);
}

static nd_status sum_table(const nd_hamming_tables *t, uint32_t i, set_sum *sum, nd_error *error) {
    nd_ef_cursor cursor = nd_ef_cursor_begin(&t->tables[i]);
    *sum = (set_sum){0, 0};
    for (bool more;;) {
        ND_TRY(nd_ef_cursor_next(&cursor, &more, error));
        if (!more) return ND_OK;
        add_to_sum(sum, nd_key_fingerprint(&t->orders[i], cursor.key));
    }
}

/* Checks that all tables have the same fingerprints. Each table is a set, because its keys ascend
 * strictly, and all have the same number of keys. The sums of two 64-bit hashes over different sets
 * agree by chance once in 2^128; the same holds for the documents above. Damaged bytes are found by
 * the hashes of the pages: this check finds tables that were written with different fingerprints.
 */
static nd_status compare_tables(const nd_hamming_tables *t, nd_error *error) {
    set_sum first, other;
    ND_TRY(sum_table(t, 0, &first, error));
    for (uint32_t i = 1; i < t->windows.count; i++) {
        ND_TRY(sum_table(t, i, &other, error));
        if (other.first != first.first || other.second != first.second)
            return damaged(t, "one of its tables has other fingerprints than the first", error);
    }
    return ND_OK;
}

nd_status nd_hamming_tables_check(const nd_hamming_tables *t, nd_error *error) {
    ND_TRY(check_documents(t, error));
    for (uint32_t i = 0; i < t->windows.count; i++) ND_TRY(nd_ef_table_check(&t->tables[i], error));
    ND_TRY(compare_tables(t, error));
    for (uint32_t i = 0; i < t->windows.count; i++)
        if (t->dense[i].count > 0)
            ND_TRY(nd_dense_check(&t->dense[i], &t->tables[i], &t->orders[i], error));
    return ND_OK;
}
