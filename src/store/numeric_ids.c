#include "store/numeric_ids.h"

#include "base/bits.h"
#include "store/segment_format.h"

enum { LEAST_BITS = 2, MOST_BITS = 32, BITS_SIZE = 4 };

static nd_key key_of(uint32_t number, unsigned bits) {
    return (nd_key){(uint64_t)number << (64 - bits), 0};
}

static unsigned bucket_bits(unsigned bits, uint32_t documents) {
    return nd_ef_table_bucket_bits(bits, documents, ND_EF_PROBED);
}

static unsigned bits_of(uint32_t greatest) {
    unsigned bits = LEAST_BITS;
    while (bits < MOST_BITS && greatest >> bits > 0) bits++;
    return bits;
}

/* ---- writing */

static nd_status put_run(nd_id_run run, unsigned bits, nd_ef_table_writer *table, nd_error *error) {
    enum { BATCH = 512 };
    uint64_t keys[BATCH];
    while (run.count > 0) {
        uint32_t count = run.count < BATCH ? run.count : BATCH;
        for (uint32_t i = 0; i < count; i++) keys[i] = key_of(run.first + i, bits).head;
        ND_TRY(nd_ef_table_put_all(table, keys, count, error));
        run = (nd_id_run){run.first + count, run.count - count};
    }
    return ND_OK;
}

static nd_status put_runs(const nd_id_runs *runs, unsigned bits, nd_ef_table_writer *table,
                          nd_error *error) {
    nd_id_run_cursor cursor = nd_id_run_cursor_begin(runs);
    nd_id_run run = {0, 0};
    nd_status status;
    do {
        status = nd_id_run_cursor_next(&cursor, &run, error);
        if (status == ND_OK) status = put_run(run, bits, table, error);
    } while (status == ND_OK && run.count > 0);
    nd_id_run_cursor_free(&cursor);
    return status == ND_OK ? nd_ef_table_finish(table, error) : status;
}

nd_status nd_numeric_ids_write(nd_sealed_writer *file, const nd_id_runs *runs, uint32_t documents,
                               uint32_t last, const nd_allocator *allocator, nd_error *error) {
    unsigned char word[BITS_SIZE];
    unsigned bits = bits_of(last);
    nd_ef_table_writer *table;
    nd_store_le32(word, bits);
    ND_TRY(nd_sealed_begin(file, ND_TAG_NUMBER_BITS, error));
    ND_TRY(nd_sealed_write(file, word, sizeof word, error));
    ND_TRY(nd_ef_table_writer_create(file, ND_TAG_NUMBERS, bits, bucket_bits(bits, documents),
                                     allocator, &table, error));
    nd_status status = put_runs(runs, bits, table, error);
    nd_ef_table_writer_free(table);
    return status;
}

/* ---- reading */

static nd_status look_up(const nd_numeric_ids *ids, uint32_t document, uint32_t *number,
                         nd_error *error) {
    nd_key key;
    ND_TRY(nd_ef_table_key(&ids->table, document, &key, error));
    *number = (uint32_t)(key.head >> (64 - ids->bits));
    return ND_OK;
}

/* Numbers ascend: if the last one is as far from the first as there are documents, no number
 * between them is missing. */
static nd_status find_dense(nd_numeric_ids *ids, uint32_t documents, nd_error *error) {
    uint32_t last;
    ND_TRY(look_up(ids, 0, &ids->first, error));
    ND_TRY(look_up(ids, documents - 1, &last, error));
    ids->dense = last - ids->first == documents - 1;
    return ND_OK;
}

nd_status nd_numeric_ids_open(const nd_sealed_file *file, uint32_t documents, nd_numeric_ids *out,
                              nd_error *error) {
    nd_section section;
    const unsigned char *word;
    ND_TRY(nd_sealed_section(file, ND_TAG_NUMBER_BITS, &section, error));
    if (section.size != BITS_SIZE)
        return nd_segment_fail_part(file, 0, "the bits of the id", error);
    ND_TRY(nd_sealed_view(file, &section, 0, BITS_SIZE, &word, error));
    out->bits = nd_load_le32(word);
    if (out->bits < LEAST_BITS || out->bits > MOST_BITS)
        return nd_segment_fail_part(file, 0, "the bits of the id", error);
    ND_TRY(nd_ef_table_open(file, ND_TAG_NUMBERS, out->bits, bucket_bits(out->bits, documents),
                            documents, &out->table, error));
    return find_dense(out, documents, error);
}

nd_status nd_numeric_ids_get(const nd_numeric_ids *ids, uint32_t document, uint32_t *number,
                             nd_error *error) {
    if (!ids->dense) return look_up(ids, document, number, error);
    *number = ids->first + document;
    return ND_OK;
}

nd_status nd_numeric_ids_find(const nd_numeric_ids *ids, uint32_t number, uint64_t *document,
                              nd_error *error) {
    *document = UINT64_MAX;
    if (bits_of(number) > ids->bits) return ND_OK;
    return nd_ef_table_find(&ids->table, key_of(number, ids->bits), document, error);
}
