#include "store/segment_writer.h"

#include "base/bits.h"
#include "base/limits.h"
#include "hamming/hamming_planner.h"
#include "hamming/hamming_tables.h"
#include "io/external_sort.h"
#include "io/spool.h"
#include "sketch/band_key.h"
#include "store/numbered_names.h"
#include "store/key_table.h"
#include "store/numeric_ids.h"
#include "store/segment_format.h"
#include "store/stored_id.h"

#include <inttypes.h>

/* Hamming tables of at least LARGE fingerprints are designed for PLANNED times as many, so that
 * small segments of tests can have several tables. */
enum {
    LARGE = ND_LIMIT(1, 12),
    PLANNED = ND_LIMIT(1, 1024),
};

struct nd_segment_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    nd_index_kind kind;
    bool numbered; /* ids are numbers */
    uint32_t documents, entries, bands;
    uint32_t sketch_size;       /* bytes of a row's sketch; 0: fingerprints are in their tables */
    uint32_t rows;              /* written so far */
    uint64_t position;          /* bytes of the rows */
    nd_spool ends;              /* byte at which each row ends */
    nd_external_sort *id_keys;  /* with band_key.h's parts of one band; NULL in a linked segment */
    nd_key_table_writer *table; /* number `tables`, which has `keys` entries; NULL between two */
    uint32_t tables, keys;
    nd_hamming_writer *hamming;
    nd_id_runs numbers;
    uint32_t last_number;
};

/* On failure *out must be freed, too. */
static nd_status make(const char *path, const nd_index_settings *settings,
                      const nd_allocator *allocator, nd_segment_writer **out, nd_error *error) {
    nd_segment_writer *w = *out = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a segment's writer");
    *w = (nd_segment_writer){.allocator = *allocator,
                             .kind = settings->kind,
                             .numbered = settings->numbered > 0,
                             .bands = settings->bands};
    if (w->kind == ND_KIND_DOCUMENTS) w->sketch_size = nd_settings_layout(settings).sketch_size;
    return nd_sealed_writer_create(path, ND_SEALED_SEGMENT, allocator, &w->file, error);
}

static nd_status begin_fingerprints(nd_segment_writer *w, const nd_segment_request *r,
                                    nd_error *error) {
    const nd_index_settings *s = r->settings;
    double planned = r->documents < LARGE ? r->documents : (double)r->documents * PLANNED;
    nd_hamming_design design = nd_hamming_choose(planned, s->bits, s->k, (double)s->memory, NULL);
    size_t memory = w->numbered ? r->memory_limit / 8 * 7 : r->memory_limit / 2;
    const nd_hamming_writer_settings tables = {.file = w->file,
                                               .design = &design,
                                               .documents = r->documents,
                                               .disk = r->disk,
                                               .memory_limit = memory};
    return nd_hamming_writer_create(&tables, r->allocator, &w->hamming, error);
}

static nd_status begin_rows(nd_segment_writer *w, const nd_segment_request *r, nd_error *error) {
    if (w->numbered) {
        nd_id_runs_init(&w->numbers, r->allocator, r->disk, r->memory_limit / 8);
        return ND_OK;
    }
    nd_spool_init(&w->ends, r->allocator, r->disk, r->memory_limit / 4, "the ends of rows");
    ND_TRY(nd_external_sort_create(r->allocator, r->disk, (size_t)1 << ND_BAND_PART_BITS,
                                   r->memory_limit / 2, "id hashes", &w->id_keys, error));
    return nd_sealed_begin(w->file, ND_TAG_ROWS, error);
}

nd_status nd_segment_writer_create(const nd_segment_request *r, nd_segment_writer **out,
                                   nd_error *error) {
    nd_segment_writer *w;
    nd_status status = make(r->path, r->settings, r->allocator, &w, error);
    if (status == ND_OK) {
        if (r->read_soon) nd_sealed_keep_cached(w->file);
        w->documents = w->entries = r->documents;
        if (w->kind == ND_KIND_FINGERPRINTS) status = begin_fingerprints(w, r, error);
    }
    if (status == ND_OK) status = begin_rows(w, r, error);
    if (status != ND_OK) {
        nd_segment_writer_free(w);
        return status;
    }
    *out = w;
    return ND_OK;
}

static nd_status write_parts(nd_segment_writer *w, const nd_linked_request *r, nd_error *error) {
    unsigned char bytes[ND_PART_SIZE] = {0};
    ND_TRY(nd_sealed_begin(w->file, ND_TAG_PARTS, error));
    nd_store_le64(bytes, r->entries);
    ND_TRY(nd_sealed_write(w->file, bytes, ND_PARTS_HEAD, error));
    for (size_t i = 0; i < r->part_count; i++) {
        nd_store_le64(bytes, r->parts[i].file);
        nd_store_le64(bytes + 8, r->parts[i].documents);
        nd_store_le64(bytes + 16, r->parts[i].seal.size);
        nd_store_le64(bytes + 24, r->parts[i].seal.hash);
        ND_TRY(nd_sealed_write(w->file, bytes, ND_PART_SIZE, error));
    }
    return ND_OK;
}

nd_status nd_segment_writer_create_linked(const nd_linked_request *r, nd_segment_writer **out,
                                          nd_error *error) {
    nd_segment_writer *w;
    nd_status status = make(r->path, r->settings, r->allocator, &w, error);
    if (status == ND_OK) {
        for (size_t i = 0; i < r->part_count; i++) w->documents += r->parts[i].documents;
        w->entries = r->entries;
        w->rows = w->documents; /* the parts have them */
        status = write_parts(w, r, error);
    }
    if (status != ND_OK) {
        nd_segment_writer_free(w);
        return status;
    }
    *out = w;
    return ND_OK;
}

void nd_segment_writer_free(nd_segment_writer *w) {
    if (!w) return;
    nd_key_table_writer_free(w->table);
    nd_hamming_writer_free(w->hamming);
    nd_id_runs_free(&w->numbers);
    nd_external_sort_free(w->id_keys);
    nd_spool_free(&w->ends);
    nd_sealed_writer_free(w->file);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

nd_status nd_segment_put_numbers(nd_segment_writer *w, nd_id_run run, nd_error *error) {
    if (run.count > w->documents - w->rows)
        return nd_fail(error, ND_ERR_ARGUMENT, "a segment was given more than its %u documents",
                       w->documents);
    if (w->rows > 0 && run.first <= w->last_number)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "ids that are numbers do not ascend: %" PRIu32 " after %" PRIu32, run.first,
                       w->last_number);
    w->last_number = run.first + run.count - 1;
    ND_TRY(nd_id_runs_add(&w->numbers, run, error));
    w->rows += run.count;
    return w->rows < w->documents ? ND_OK
                                  : nd_numeric_ids_write(w->file, &w->numbers, w->documents,
                                                         w->last_number, &w->allocator, error);
}

static nd_status put_number_of(nd_segment_writer *w, const nd_stored_document *d, nd_error *error) {
    uint32_t number;
    if (!nd_id_to_number(d->id, d->id_length, &number))
        return nd_fail(error, ND_ERR_ARGUMENT, "an id is not a number");
    return nd_segment_put_numbers(w, (nd_id_run){number, 1}, error);
}

nd_status nd_segment_put_document(nd_segment_writer *w, const nd_stored_document *d,
                                  nd_error *error) {
    unsigned char word[8];
    if (w->rows == w->documents)
        return nd_fail(error, ND_ERR_ARGUMENT, "a segment was given more than its %u documents",
                       w->documents);
    if (w->numbered) return put_number_of(w, d, error);
    uint64_t hash = nd_id_hash(d->id, d->id_length);
    ND_TRY(nd_external_sort_push(w->id_keys, nd_band_part(0, hash), nd_band_word(hash, w->rows),
                                 error));
    ND_TRY(nd_sealed_write(w->file, d->sketch, w->sketch_size, error));
    nd_store_le32(word, (uint32_t)d->id_length);
    ND_TRY(nd_sealed_write(w->file, word, ND_ROW_ID_LENGTH, error));
    ND_TRY(nd_sealed_write(w->file, d->id, d->id_length, error));
    ND_TRY(nd_sealed_write(w->file, d->set, d->set_size, error));
    w->position += w->sketch_size + ND_ROW_ID_LENGTH + d->id_length + d->set_size;
    nd_store_le64(word, w->position);
    ND_TRY(nd_spool_append(&w->ends, word, sizeof word, error));
    if (++w->rows < w->documents) return ND_OK;
    ND_TRY(nd_sealed_begin(w->file, ND_TAG_ROW_ENDS, error));
    return nd_sealed_write_spool(w->file, &w->ends, error);
}

nd_status nd_segment_put_fingerprints(nd_segment_writer *w, const nd_fingerprint *fingerprints,
                                      uint32_t document, size_t count, nd_error *error) {
    return nd_hamming_put(w->hamming, fingerprints, document, count, error);
}

nd_status nd_segment_put_keys(nd_segment_writer *w, const uint64_t *keys, const uint32_t *documents,
                              size_t count, nd_error *error) {
    if (count == 0) return ND_OK;
    if (!w->table) {
        ND_TRY(nd_sealed_begin(w->file, nd_tag_of_table(w->tables, w->bands), error));
        ND_TRY(nd_key_table_writer_create(w->file, w->documents, w->entries, &w->allocator,
                                          &w->table, error));
    }
    ND_TRY(nd_key_table_put(w->table, keys, documents, count, error));
    w->keys += (uint32_t)count;
    if (w->keys < w->entries) return ND_OK;
    ND_TRY(nd_key_table_finish(w->table, error));
    nd_key_table_writer_free(w->table);
    w->table = NULL;
    w->keys = 0;
    w->tables++;
    return ND_OK;
}

nd_status nd_segment_put_words(nd_segment_writer *w, size_t part, const uint64_t *words,
                               size_t count, nd_error *error) {
    uint64_t keys[ND_PUT_KEYS];
    uint32_t documents[ND_PUT_KEYS];
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < ND_PUT_KEYS ? count - done : ND_PUT_KEYS;
        for (size_t i = 0; i < n; i++) {
            keys[i] = nd_band_number_of(part, words[done + i]);
            documents[i] = (uint32_t)words[done + i];
        }
        ND_TRY(nd_segment_put_keys(w, keys, documents, n, error));
    }
    return ND_OK;
}

static nd_status put_id_keys(nd_segment_writer *w, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < nd_external_sort_parts(w->id_keys); part++) {
        status = nd_external_sort_load_records(w->id_keys, part, &buffer, error);
        if (status == ND_OK)
            status = nd_segment_put_words(w, part, buffer.words, buffer.count, error);
    }
    nd_part_buffer_free(&w->allocator, &buffer);
    return status;
}

nd_status nd_segment_finish(nd_segment_writer *w, nd_seal *seal, nd_error *error) {
    if (w->id_keys && w->rows == w->documents && w->tables == w->bands)
        ND_TRY(put_id_keys(w, error));
    if (w->rows != w->documents || w->tables != w->bands + !w->numbered)
        return nd_fail(error, ND_ERR_ARGUMENT, "a segment's tables are not complete");
    if (w->hamming) ND_TRY(nd_hamming_finish(w->hamming, error));
    return nd_sealed_finish(w->file, seal, error);
}
