#include "store/segment.h"

#include "io/part_sorter.h"
#include "io/spool.h"
#include "match/packed_set.h"

#include <string.h>

#define KIND UINT32_C(1)

enum { TAG_SETS = 1, TAG_SET_ENDS, TAG_IDS, TAG_ID_ENDS, TAG_SKETCHES, TAG_ID_TABLE, TAG_BANDS = 16 };

uint64_t nd_id_hash(const char *id, size_t length) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    return nd_mix64(nd_hash_token(&key, id, length));
}

/* ---- writing */

typedef enum column { COLUMN_SETS, COLUMN_IDS, COLUMN_SKETCHES, COLUMN_BANDS } column;

struct nd_segment_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    uint32_t documents, perms, bands;
    bool exact;
    column column;           /* COLUMN_BANDS + b: band b */
    uint32_t given;          /* documents of the column */
    uint64_t position;       /* bytes of the column, where it has ends */
    nd_spool ends;           /* of the column */
    nd_part_sorter *id_keys; /* band_key.h's parts of one band */
    nd_key_table_writer *table;
    nd_scratch_disk *disk;
    size_t memory_limit;
};

static nd_status begin_column(nd_segment_writer *w, nd_error *error) {
    w->given = 0;
    w->position = 0;
    uint32_t tag = w->column == COLUMN_SETS       ? TAG_SETS
                   : w->column == COLUMN_IDS      ? TAG_IDS
                   : w->column == COLUMN_SKETCHES ? TAG_SKETCHES
                                                  : TAG_BANDS + (w->column - COLUMN_BANDS);
    ND_TRY(nd_sealed_begin(w->file, tag, error));
    if (w->column < COLUMN_BANDS) return ND_OK;
    return nd_key_table_writer_create(w->file, w->documents, w->documents, &w->allocator, &w->table, error);
}

static nd_status write_ends(nd_segment_writer *w, uint32_t tag, nd_error *error) {
    ND_TRY(nd_sealed_begin(w->file, tag, error));
    ND_TRY(nd_sealed_write_spool(w->file, &w->ends, error));
    nd_spool_free(&w->ends);
    nd_spool_init(&w->ends, &w->allocator, w->disk, w->memory_limit / 4, "the ends of a column");
    return ND_OK;
}

/* A column that has all its documents is ended, and the next begun. */
static nd_status next_column(nd_segment_writer *w, nd_error *error) {
    if (w->given < w->documents) return ND_OK;
    if (w->column == COLUMN_SETS) ND_TRY(write_ends(w, TAG_SET_ENDS, error));
    if (w->column == COLUMN_IDS) ND_TRY(write_ends(w, TAG_ID_ENDS, error));
    if (w->column >= COLUMN_BANDS) {
        ND_TRY(nd_key_table_finish(w->table, error));
        nd_key_table_writer_free(w->table);
        w->table = NULL;
    }
    w->column++;
    return w->column < COLUMN_BANDS + w->bands ? begin_column(w, error) : ND_OK;
}

nd_status nd_segment_writer_create(const char *path, const nd_index_settings *settings, uint32_t documents, nd_scratch_disk *disk,
                                   size_t memory_limit, const nd_allocator *allocator, nd_segment_writer **out, nd_error *error) {
    nd_segment_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a segment's writer");
    *w = (nd_segment_writer){.allocator = *allocator,
                             .documents = documents,
                             .perms = settings->perms,
                             .bands = settings->bands,
                             .exact = settings->exact != 0,
                             .disk = disk,
                             .memory_limit = memory_limit};
    nd_spool_init(&w->ends, allocator, disk, memory_limit / 4, "the ends of a column");
    w->column = w->exact ? COLUMN_SETS : COLUMN_IDS;
    nd_status status = nd_sealed_writer_create(path, KIND, allocator, &w->file, error);
    if (status == ND_OK)
        status = nd_part_sorter_create(allocator, disk, (size_t)1 << ND_BAND_PART_BITS, memory_limit / 2, "id hashes", &w->id_keys, error);
    if (status == ND_OK) status = begin_column(w, error);
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
    nd_part_sorter_free(w->id_keys);
    nd_spool_free(&w->ends);
    nd_sealed_writer_free(w->file);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

/* A value of a column with ends. */
static nd_status put(nd_segment_writer *w, const void *bytes, size_t size, nd_error *error) {
    unsigned char end[8];
    ND_TRY(nd_sealed_write(w->file, bytes, size, error));
    w->position += size;
    nd_store_le64(end, w->position);
    ND_TRY(nd_spool_append(&w->ends, end, sizeof end, error));
    w->given++;
    return next_column(w, error);
}

nd_status nd_segment_put_set(nd_segment_writer *w, const unsigned char *packed, size_t size, nd_error *error) { return put(w, packed, size, error); }

nd_status nd_segment_put_id(nd_segment_writer *w, const char *id, size_t length, nd_error *error) {
    uint64_t key = nd_id_hash(id, length);
    ND_TRY(nd_part_sorter_push(w->id_keys, nd_band_part(0, key), nd_band_word(key, w->given), error));
    return put(w, id, length, error);
}

nd_status nd_segment_put_sketch(nd_segment_writer *w, const uint8_t *sketch, nd_error *error) {
    ND_TRY(nd_sealed_write(w->file, sketch, w->perms, error));
    w->given++;
    return next_column(w, error);
}

nd_status nd_segment_put_key(nd_segment_writer *w, uint64_t key, uint32_t document, nd_error *error) {
    ND_TRY(nd_key_table_put(w->table, key, document, error));
    w->given++;
    return next_column(w, error);
}

static nd_status write_id_table(nd_segment_writer *w, nd_error *error) {
    nd_part_buffer buffer = {0};
    ND_TRY(nd_sealed_begin(w->file, TAG_ID_TABLE, error));
    nd_status status = nd_key_table_writer_create(w->file, w->documents, w->documents, &w->allocator, &w->table, error);
    for (size_t part = 0; status == ND_OK && part < nd_part_sorter_parts(w->id_keys); part++) {
        status = nd_part_sorter_load(w->id_keys, part, 0, &buffer, error);
        for (size_t i = 0; status == ND_OK && i < buffer.count; i++)
            status = nd_key_table_put(w->table, nd_band_number_of(part, buffer.words[i]), (uint32_t)buffer.words[i], error);
    }
    nd_part_buffer_free(&w->allocator, &buffer);
    return status == ND_OK ? nd_key_table_finish(w->table, error) : status;
}

nd_status nd_segment_finish(nd_segment_writer *w, nd_seal *seal, nd_error *error) {
    if (w->column != COLUMN_BANDS + w->bands) return nd_fail(error, ND_ERR_ARGUMENT, "a segment's columns are not complete");
    ND_TRY(write_id_table(w, error));
    return nd_sealed_finish(w->file, seal, error);
}

/* ---- reading */

static nd_status corrupt(const nd_segment *s, uint32_t document, const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: %s of document %u of it is damaged", nd_sealed_path(s->file), what, document);
}

/* A section of `each` bytes a document. */
static nd_status open_column(const nd_segment *s, uint32_t tag, uint64_t each, nd_section *out, nd_error *error) {
    ND_TRY(nd_sealed_section(s->file, tag, out, error));
    if (out->size != each * s->documents)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: section %u has %llu bytes, not %llu", nd_sealed_path(s->file), tag, (unsigned long long)out->size,
                       (unsigned long long)(each * s->documents));
    return ND_OK;
}

static nd_status open_columns(nd_segment *s, nd_error *error) {
    ND_TRY(nd_sealed_section(s->file, TAG_IDS, &s->ids, error));
    ND_TRY(open_column(s, TAG_ID_ENDS, 8, &s->id_ends, error));
    ND_TRY(open_column(s, TAG_SKETCHES, s->perms, &s->sketches, error));
    if (s->exact) {
        ND_TRY(nd_sealed_section(s->file, TAG_SETS, &s->sets, error));
        ND_TRY(open_column(s, TAG_SET_ENDS, 8, &s->set_ends, error));
    }
    ND_TRY(nd_key_table_open(s->file, TAG_ID_TABLE, s->documents, s->documents, &s->id_table, error));
    for (uint32_t b = 0; b < s->bands; b++) ND_TRY(nd_key_table_open(s->file, TAG_BANDS + b, s->documents, s->documents, &s->tables[b], error));
    return ND_OK;
}

nd_status nd_segment_open(const char *path, const nd_index_settings *settings, uint32_t documents, const nd_seal *seal, const nd_allocator *allocator,
                          nd_segment **out, nd_error *error) {
    nd_segment *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a segment");
    *s = (nd_segment){
        .allocator = *allocator, .documents = documents, .perms = settings->perms, .bands = settings->bands, .exact = settings->exact != 0};
    s->tables = nd_allocate_zero(allocator, s->bands, sizeof *s->tables);
    nd_status status = s->tables ? nd_sealed_open(path, KIND, seal, allocator, &s->file, error)
                                 : nd_fail_memory(error, s->bands * sizeof *s->tables, "a segment");
    if (status == ND_OK) status = open_columns(s, error);
    if (status != ND_OK) {
        nd_segment_close(s);
        return status;
    }
    *out = s;
    return ND_OK;
}

void nd_segment_close(nd_segment *s) {
    if (!s) return;
    nd_sealed_close(s->file);
    nd_allocator allocator = s->allocator;
    nd_release(&allocator, s->tables);
    nd_release(&allocator, s);
}

/* A value of a column with ends. */
static nd_status value_at(const nd_segment *s, const nd_section *ends, const nd_section *values, uint32_t document, const unsigned char **out,
                          size_t *size, nd_error *error) {
    const unsigned char *p;
    uint64_t begin = 0;
    ND_TRY(nd_sealed_view(s->file, ends, (uint64_t)document * 8 - (document ? 8 : 0), document ? 16 : 8, &p, error));
    if (document) {
        begin = nd_load_le64(p);
        p += 8;
    }
    uint64_t end = nd_load_le64(p);
    if (begin > end || end > values->size) return corrupt(s, document, "a column", error);
    *size = (size_t)(end - begin);
    return nd_sealed_view(s->file, values, begin, end - begin, out, error);
}

nd_status nd_segment_id(const nd_segment *s, uint32_t document, const char **id, size_t *length, nd_error *error) {
    const unsigned char *bytes;
    ND_TRY(value_at(s, &s->id_ends, &s->ids, document, &bytes, length, error));
    *id = (const char *)bytes;
    return ND_OK;
}

nd_status nd_segment_sketch(const nd_segment *s, uint32_t document, const uint8_t **sketch, nd_error *error) {
    return nd_sealed_view(s->file, &s->sketches, (uint64_t)document * s->perms, s->perms, sketch, error);
}

nd_status nd_segment_set(const nd_segment *s, uint32_t document, const unsigned char **packed, size_t *size, nd_error *error) {
    return value_at(s, &s->set_ends, &s->sets, document, packed, size, error);
}

nd_status nd_segment_find_id(const nd_segment *s, const char *id, size_t length, bool (*fn)(void *context, uint32_t document), void *context,
                             nd_error *error) {
    uint64_t key = nd_band_number(nd_id_hash(id, length));
    nd_key_range range;
    ND_TRY(nd_key_table_locate(&s->id_table, key, &range, error));
    ND_TRY(nd_key_table_find(&s->id_table, key, range, &range, error));
    for (uint64_t i = range.begin; i < range.end; i++) {
        uint32_t document;
        const char *there;
        size_t size;
        ND_TRY(nd_key_table_documents(&s->id_table, i, 1, &document, error));
        if (document >= s->documents) return corrupt(s, document, "the table of ids", error);
        ND_TRY(nd_segment_id(s, document, &there, &size, error));
        if (size == length && (length == 0 || memcmp(there, id, length) == 0) && fn(context, document)) return ND_OK;
    }
    return ND_OK;
}

/* ---- checking */

static nd_status check_values(const nd_segment *s, nd_error *error) {
    uint64_t *values = NULL;
    size_t capacity = 0;
    nd_status status = ND_OK;
    for (uint32_t d = 0; status == ND_OK && d < s->documents; d++) {
        const unsigned char *packed;
        const char *id;
        size_t size, count = 0;
        status = nd_segment_id(s, d, &id, &size, error);
        if (status != ND_OK || !s->exact) continue;
        status = nd_segment_set(s, d, &packed, &size, error);
        if (status != ND_OK) continue;
        if (!nd_packed_set_count(packed, size, &count)) status = corrupt(s, d, "the set", error);
        else if (!nd_reserve(&s->allocator, &values, &capacity, count)) status = nd_fail_memory(error, count * sizeof *values, "a set");
        else if (!nd_packed_set_unpack(packed, size, count, values)) status = corrupt(s, d, "the set", error);
    }
    nd_release(&s->allocator, values);
    return status;
}

/* Each document once in a table; the table of ids with the hash of its id. `seen`: a bit a document, zeros. */
static nd_status check_table(const nd_segment *s, const nd_key_table *table, const char *name, uint8_t *seen, nd_error *error) {
    nd_key_cursor cursor = nd_key_cursor_begin(table);
    for (;;) {
        bool more;
        ND_TRY(nd_key_cursor_next(&cursor, &more, error));
        if (!more) return ND_OK;
        uint32_t d = cursor.document;
        if (d >= s->documents || seen[d >> 3] >> (d & 7) & 1) return corrupt(s, d, name, error);
        seen[d >> 3] |= (uint8_t)(1u << (d & 7));
        if (table != &s->id_table) continue;
        const char *id;
        size_t length;
        ND_TRY(nd_segment_id(s, d, &id, &length, error));
        if (nd_band_number(nd_id_hash(id, length)) != cursor.key) return corrupt(s, d, name, error);
    }
}

nd_status nd_segment_check(const nd_segment *s, nd_error *error) {
    ND_TRY(nd_sealed_check(s->file, error));
    ND_TRY(check_values(s, error));
    size_t bytes = (size_t)s->documents / 8 + 1;
    uint8_t *seen = nd_allocate(&s->allocator, bytes, 1);
    if (!seen) return nd_fail_memory(error, bytes, "checking a segment");
    memset(seen, 0, bytes);
    nd_status status = check_table(s, &s->id_table, "the table of ids", seen, error);
    for (uint32_t b = 0; status == ND_OK && b < s->bands; b++) {
        memset(seen, 0, bytes);
        status = check_table(s, &s->tables[b], "a band", seen, error);
    }
    nd_release(&s->allocator, seen);
    return status;
}
