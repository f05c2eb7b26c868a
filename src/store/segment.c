#include "store/segment.h"

#include "base/limits.h"
#include "io/file.h"
#include "io/external_sort.h"
#include "io/spool.h"
#include "hamming/hamming_planner.h"
#include "similarity/packed_set.h"
#include "store/state_directory.h"

#include <inttypes.h>
#include <string.h>

enum {
    TAG_ROWS = 1,
    TAG_ROW_ENDS,
    TAG_PARTS,
    TAG_ID_TABLE,
    TAG_NUMBERS,
    TAG_NUMBER_BITS = 9,
    TAG_BANDS = 16
};

enum { PARTS_HEAD = 8, PART_SIZE = 32 };

/* From so many fingerprints on the tables are those for PLANNED times as many: so small segments
 * can have several. */
enum {
    LARGE = ND_LIMIT(1, 12),
    PLANNED = ND_LIMIT(1, 1024),
};

/* Where a row has what: the sketch, the id's length and bytes, and the set up to its end. */
enum { ID_LENGTH = 4 };

uint64_t nd_id_hash(const char *id, size_t length) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    return nd_mix64(nd_hash_token(&key, id, length));
}

/* ---- ids that are numbers */

enum { LEAST_NUMBER_BITS = 2, MOST_NUMBER_BITS = 32, NUMBER_BITS_SIZE = 4 };

size_t nd_id_of_number(uint64_t number, nd_id_digits *digits) {
    size_t length = 1, i;
    for (uint64_t rest = number; rest > 9; rest /= 10) length++;
    for (i = length; i > 0; number /= 10) digits->bytes[--i] = (char)('0' + number % 10);
    return length;
}

bool nd_id_to_number(const char *id, size_t length, uint32_t *number) {
    uint64_t value = 0;
    if (length < 1 || length > 10 || (length > 1 && id[0] == '0')) return false;
    for (size_t i = 0; i < length; i++) {
        if (id[i] < '0' || id[i] > '9') return false;
        value = value * 10 + (uint64_t)(id[i] - '0');
    }
    *number = (uint32_t)value;
    return value < UINT32_MAX;
}

/* As keys of a table they are spread over as many bits as the greatest has. */
static nd_key number_key(uint32_t number, unsigned bits) {
    return (nd_key){(uint64_t)number << (64 - bits), 0};
}

static unsigned number_bucket_bits(unsigned bits, uint32_t documents) {
    return nd_fingerprint_table_bucket_bits(bits, documents, ND_EF_PROBED);
}

static unsigned bits_of_number(uint32_t greatest) {
    unsigned bits = LEAST_NUMBER_BITS;
    while (bits < MOST_NUMBER_BITS && greatest >> bits > 0) bits++;
    return bits;
}

static uint32_t tag_of_table(uint32_t table, uint32_t bands) {
    return table < bands ? TAG_BANDS + table : TAG_ID_TABLE;
}

/* ---- writing */

struct nd_segment_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    uint32_t documents, entries, perms, bands;
    uint32_t rows;     /* given so far */
    uint64_t position; /* bytes of them */
    nd_spool ends;
    nd_part_sorter *id_keys;    /* band_key.h's parts of one band; NULL: linked */
    nd_key_table_writer *table; /* number `tables`, which has `given` entries; NULL: between two */
    uint32_t tables, given;
    bool fingerprints, numbered;
    nd_hamming_writer *hamming;
    nd_number_runs numbers;
    uint32_t last_number;
};

/* *out is to be freed on failure too. */
static nd_status make(const char *path, const nd_index_settings *settings, uint32_t documents,
                      uint32_t entries, const nd_allocator *allocator, nd_segment_writer **out,
                      nd_error *error) {
    nd_segment_writer *w = *out = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a segment's writer");
    *w = (nd_segment_writer){.allocator = *allocator,
                             .documents = documents,
                             .entries = entries,
                             .perms = settings->perms,
                             .bands = settings->bands};
    if (settings->bits) w->perms = 0; /* fingerprints stand in their tables */
    w->fingerprints = settings->bits > 0;
    w->numbered = settings->numbered > 0;
    return nd_sealed_writer_create(path, ND_SEALED_SEGMENT, allocator, &w->file, error);
}

nd_status nd_segment_writer_create(const char *path, const nd_index_settings *settings,
                                   uint32_t documents, nd_scratch_disk *disk, size_t memory_limit,
                                   const nd_allocator *allocator, nd_segment_writer **out,
                                   nd_error *error) {
    nd_segment_writer *w;
    nd_status status = make(path, settings, documents, documents, allocator, &w, error);
    if (status == ND_OK && settings->bits) {
        double planned = documents < LARGE ? documents : (double)documents * PLANNED;
        nd_hamming_design design = nd_hamming_choose(planned, settings->bits, settings->k,
                                                     (double)settings->memory, NULL);
        size_t share = w->numbered ? memory_limit / 8 * 7 : memory_limit / 2;
        const nd_hamming_writer_settings tables = {.file = w->file,
                                                   .design = &design,
                                                   .documents = documents,
                                                   .disk = disk,
                                                   .memory_limit = share};
        status = nd_hamming_writer_create(&tables, allocator, &w->hamming, error);
    }
    if (status == ND_OK && w->numbered) {
        nd_number_runs_init(&w->numbers, allocator, disk, memory_limit / 8);
    } else if (status == ND_OK) {
        nd_spool_init(&w->ends, allocator, disk, memory_limit / 4, "the ends of rows");
        status = nd_part_sorter_create(allocator, disk, (size_t)1 << ND_BAND_PART_BITS,
                                       memory_limit / 2, "id hashes", &w->id_keys, error);
    }
    if (status == ND_OK && !w->numbered) status = nd_sealed_begin(w->file, TAG_ROWS, error);
    if (status != ND_OK) {
        nd_segment_writer_free(w);
        return status;
    }
    *out = w;
    return ND_OK;
}

static nd_status write_parts(nd_segment_writer *w, const nd_manifest_segment *parts, size_t count,
                             nd_error *error) {
    unsigned char bytes[PART_SIZE] = {0};
    ND_TRY(nd_sealed_begin(w->file, TAG_PARTS, error));
    nd_store_le64(bytes, w->entries);
    ND_TRY(nd_sealed_write(w->file, bytes, PARTS_HEAD, error));
    for (size_t i = 0; i < count; i++) {
        nd_store_le64(bytes, parts[i].file);
        nd_store_le64(bytes + 8, parts[i].documents);
        nd_store_le64(bytes + 16, parts[i].seal.size);
        nd_store_le64(bytes + 24, parts[i].seal.hash);
        ND_TRY(nd_sealed_write(w->file, bytes, PART_SIZE, error));
    }
    return ND_OK;
}

nd_status nd_segment_writer_create_linked(const char *path, const nd_index_settings *settings,
                                          const nd_manifest_segment *parts, size_t part_count,
                                          uint32_t entries, const nd_allocator *allocator,
                                          nd_segment_writer **out, nd_error *error) {
    nd_segment_writer *w;
    uint32_t documents = 0;
    for (size_t i = 0; i < part_count; i++) documents += parts[i].documents;
    nd_status status = make(path, settings, documents, entries, allocator, &w, error);
    if (status == ND_OK) status = write_parts(w, parts, part_count, error);
    if (status != ND_OK) {
        nd_segment_writer_free(w);
        return status;
    }
    w->rows = documents;
    *out = w;
    return ND_OK;
}

void nd_segment_writer_free(nd_segment_writer *w) {
    if (!w) return;
    nd_key_table_writer_free(w->table);
    nd_hamming_writer_free(w->hamming);
    nd_number_runs_free(&w->numbers);
    nd_part_sorter_free(w->id_keys);
    nd_spool_free(&w->ends);
    nd_sealed_writer_free(w->file);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

static nd_status put_run(nd_number_run run, unsigned bits, nd_fingerprint_table_writer *table,
                         nd_error *error) {
    enum { LOT = 512 };
    uint64_t keys[LOT];
    while (run.count > 0) {
        uint32_t count = run.count < LOT ? run.count : LOT;
        for (uint32_t i = 0; i < count; i++) keys[i] = number_key(run.first + i, bits).head;
        ND_TRY(nd_fingerprint_table_put_all(table, keys, count, error));
        run = (nd_number_run){run.first + count, run.count - count};
    }
    return ND_OK;
}

static nd_status put_runs(nd_segment_writer *w, unsigned bits, nd_fingerprint_table_writer *table,
                          nd_error *error) {
    nd_number_cursor cursor = nd_number_cursor_begin(&w->numbers);
    nd_number_run run = {0, 0};
    nd_status status;
    do {
        status = nd_number_cursor_next(&cursor, &run, error);
        if (status == ND_OK) status = put_run(run, bits, table, error);
    } while (status == ND_OK && run.count > 0);
    nd_number_cursor_free(&cursor);
    return status == ND_OK ? nd_fingerprint_table_finish(table, error) : status;
}

static nd_status write_numbers(nd_segment_writer *w, nd_error *error) {
    unsigned char word[NUMBER_BITS_SIZE];
    unsigned bits = bits_of_number(w->last_number);
    nd_fingerprint_table_writer *table;
    nd_store_le32(word, bits);
    ND_TRY(nd_sealed_begin(w->file, TAG_NUMBER_BITS, error));
    ND_TRY(nd_sealed_write(w->file, word, sizeof word, error));
    ND_TRY(nd_fingerprint_table_writer_create(w->file, TAG_NUMBERS, bits,
                                              number_bucket_bits(bits, w->documents), &w->allocator,
                                              &table, error));
    nd_status status = put_runs(w, bits, table, error);
    nd_fingerprint_table_writer_free(table);
    return status;
}

nd_status nd_segment_put_numbers(nd_segment_writer *w, nd_number_run run, nd_error *error) {
    if (run.count > w->documents - w->rows)
        return nd_fail(error, ND_ERR_ARGUMENT, "a segment was given more than its %u documents",
                       w->documents);
    if (w->rows > 0 && run.first <= w->last_number)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "ids that are numbers do not ascend: %" PRIu32 " after %" PRIu32, run.first,
                       w->last_number);
    w->last_number = run.first + run.count - 1;
    ND_TRY(nd_number_runs_add(&w->numbers, run, error));
    w->rows += run.count;
    return w->rows < w->documents ? ND_OK : write_numbers(w, error);
}

static nd_status put_number_of(nd_segment_writer *w, const nd_stored_document *d, nd_error *error) {
    uint32_t number;
    if (!nd_id_to_number(d->id, d->id_length, &number))
        return nd_fail(error, ND_ERR_ARGUMENT, "an id is no number");
    return nd_segment_put_numbers(w, (nd_number_run){number, 1}, error);
}

nd_status nd_segment_put_document(nd_segment_writer *w, const nd_stored_document *d,
                                  nd_error *error) {
    unsigned char word[8];
    if (w->rows == w->documents)
        return nd_fail(error, ND_ERR_ARGUMENT, "a segment was given more than its %u documents",
                       w->documents);
    if (w->numbered) return put_number_of(w, d, error);
    uint64_t hash = nd_id_hash(d->id, d->id_length);
    ND_TRY(
        nd_part_sorter_push(w->id_keys, nd_band_part(0, hash), nd_band_word(hash, w->rows), error));
    ND_TRY(nd_sealed_write(w->file, d->sketch, w->perms, error));
    nd_store_le32(word, (uint32_t)d->id_length);
    ND_TRY(nd_sealed_write(w->file, word, ID_LENGTH, error));
    ND_TRY(nd_sealed_write(w->file, d->id, d->id_length, error));
    ND_TRY(nd_sealed_write(w->file, d->set, d->set_size, error));
    w->position += w->perms + ID_LENGTH + d->id_length + d->set_size;
    nd_store_le64(word, w->position);
    ND_TRY(nd_spool_append(&w->ends, word, sizeof word, error));
    if (++w->rows < w->documents) return ND_OK;
    ND_TRY(nd_sealed_begin(w->file, TAG_ROW_ENDS, error));
    return nd_sealed_write_spool(w->file, &w->ends, error);
}

nd_status nd_segment_put_fingerprints(nd_segment_writer *w, const nd_fingerprint *fingerprints,
                                      uint32_t document, size_t count, nd_error *error) {
    return nd_hamming_put(w->hamming, fingerprints, document, count, error);
}

nd_status nd_segment_put_key(nd_segment_writer *w, uint64_t key, uint32_t document,
                             nd_error *error) {
    if (!w->table) {
        ND_TRY(nd_sealed_begin(w->file, tag_of_table(w->tables, w->bands), error));
        ND_TRY(nd_key_table_writer_create(w->file, w->documents, w->entries, &w->allocator,
                                          &w->table, error));
    }
    ND_TRY(nd_key_table_put(w->table, key, document, error));
    if (++w->given < w->entries) return ND_OK;
    ND_TRY(nd_key_table_finish(w->table, error));
    nd_key_table_writer_free(w->table);
    w->table = NULL;
    w->given = 0;
    w->tables++;
    return ND_OK;
}

static nd_status put_id_keys(nd_segment_writer *w, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < nd_part_sorter_parts(w->id_keys); part++) {
        status = nd_part_sorter_load(w->id_keys, part, 0, &buffer, error);
        for (size_t i = 0; status == ND_OK && i < buffer.count; i++)
            status = nd_segment_put_key(w, nd_band_number_of(part, buffer.words[i]),
                                        (uint32_t)buffer.words[i], error);
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

/* ---- reading */

static nd_status corrupt(const nd_sealed_file *file, uint32_t document, const char *what,
                         nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: %s of document %u of it is damaged",
                   nd_sealed_path(file), what, document);
}

/* The number of a document, looked up. */
static nd_status look_up_number(const nd_segment *s, uint32_t document, uint32_t *number,
                                nd_error *error) {
    nd_key key;
    ND_TRY(nd_fingerprint_table_keys(&s->numbers, document, 1, &key, error));
    *number = (uint32_t)(key.head >> (64 - s->number_bits));
    return ND_OK;
}

/* They ascend: where the last is as far from the first as there are documents, none between is
 * missing. */
static nd_status find_dense(nd_segment *s, nd_error *error) {
    uint32_t last;
    ND_TRY(look_up_number(s, 0, &s->first_number, error));
    ND_TRY(look_up_number(s, s->documents - 1, &last, error));
    s->dense = last - s->first_number == s->documents - 1;
    return ND_OK;
}

static nd_status open_numbers(nd_segment *s, const nd_manifest_segment *name, nd_error *error) {
    nd_section section;
    const unsigned char *word;
    s->entries = s->documents;
    s->parts[s->part_count++] = (nd_segment_part){
        .name = {name->file, name->documents, 0, name->seal}, .file = s->file};
    ND_TRY(nd_sealed_section(s->file, TAG_NUMBER_BITS, &section, error));
    if (section.size != NUMBER_BITS_SIZE) return corrupt(s->file, 0, "the bits of the id", error);
    ND_TRY(nd_sealed_view(s->file, &section, 0, NUMBER_BITS_SIZE, &word, error));
    s->number_bits = nd_load_le32(word);
    if (s->number_bits < LEAST_NUMBER_BITS || s->number_bits > MOST_NUMBER_BITS)
        return corrupt(s->file, 0, "the bits of the id", error);
    ND_TRY(nd_fingerprint_table_open(s->file, TAG_NUMBERS, s->number_bits,
                                     number_bucket_bits(s->number_bits, s->documents), s->documents,
                                     &s->numbers, error));
    return find_dense(s, error);
}

static nd_status open_rows(nd_segment_part *p, nd_error *error) {
    ND_TRY(nd_sealed_section(p->file, TAG_ROWS, &p->rows, error));
    ND_TRY(nd_sealed_section(p->file, TAG_ROW_ENDS, &p->ends, error));
    if (p->ends.size != (uint64_t)p->name.documents * 8)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: it has rows of %llu documents, not of %u",
                       nd_sealed_path(p->file), (unsigned long long)p->ends.size / 8,
                       p->name.documents);
    return ND_OK;
}

static nd_status open_part(nd_segment *s, const char *directory, const unsigned char *bytes,
                           uint32_t begin, nd_error *error) {
    nd_segment_part *p = &s->parts[s->part_count];
    uint64_t documents = nd_load_le64(bytes + 8);
    if (documents == 0 || documents > s->documents - begin)
        return corrupt(s->file, begin, "the part", error);
    *p = (nd_segment_part){.name = {nd_load_le64(bytes),
                                    (uint32_t)documents,
                                    0,
                                    {nd_load_le64(bytes + 16), nd_load_le64(bytes + 24)}},
                           .begin = begin};
    char *path = nd_index_path(&s->allocator, directory, "segment", p->name.file);
    if (!path) return nd_fail_memory(error, strlen(directory), "a path");
    nd_status status = nd_sealed_open(path, ND_SEALED_SEGMENT, &p->name.seal, &s->allocator,
                                      &p->file, error);
    nd_release(&s->allocator, path);
    ND_TRY(status);
    s->part_count++;
    return open_rows(p, error);
}

static nd_status open_parts(nd_segment *s, const char *directory, nd_error *error) {
    nd_section section;
    const unsigned char *bytes;
    uint32_t begin = 0;
    ND_TRY(nd_sealed_section(s->file, TAG_PARTS, &section, error));
    size_t count = (size_t)(section.size / PART_SIZE);
    if (section.size % PART_SIZE != PARTS_HEAD || count == 0 || count > s->documents)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: its list of parts is damaged",
                       nd_sealed_path(s->file));
    ND_TRY(nd_sealed_view(s->file, &section, 0, section.size, &bytes, error));
    uint64_t entries = nd_load_le64(bytes);
    if (entries == 0 || entries > s->documents)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: its list of parts is damaged",
                       nd_sealed_path(s->file));
    s->entries = (uint32_t)entries;
    s->parts = nd_allocate_zero(&s->allocator, count, sizeof *s->parts);
    if (!s->parts) return nd_fail_memory(error, count * sizeof *s->parts, "a segment's parts");
    for (size_t i = 0; i < count; i++) {
        ND_TRY(open_part(s, directory, bytes + PARTS_HEAD + i * PART_SIZE, begin, error));
        begin += s->parts[i].name.documents;
    }
    return begin == s->documents
               ? ND_OK
               : nd_fail(error, ND_ERR_CORRUPT, "%s: its parts have %u documents, not %u",
                         nd_sealed_path(s->file), begin, s->documents);
}

static nd_status open_own_rows(nd_segment *s, const nd_manifest_segment *name, nd_error *error) {
    s->parts = nd_allocate_zero(&s->allocator, 1, sizeof *s->parts);
    if (!s->parts) return nd_fail_memory(error, sizeof *s->parts, "a segment");
    if (s->numbered) return open_numbers(s, name, error);
    s->entries = s->documents;
    s->parts[s->part_count++] = (nd_segment_part){
        .name = {name->file, name->documents, 0, name->seal}, .file = s->file};
    return open_rows(s->parts, error);
}

static nd_status open_all(nd_segment *s, const char *directory, const nd_manifest_segment *name,
                          nd_error *error) {
    char *path = nd_index_path(&s->allocator, directory, "segment", name->file);
    s->tables = nd_allocate_zero(&s->allocator, s->bands + 1, sizeof *s->tables);
    nd_status status = path && s->tables
                           ? nd_sealed_open(path, ND_SEALED_SEGMENT, &name->seal, &s->allocator,
                                            &s->file, error)
                           : nd_fail_memory(error, s->bands * sizeof *s->tables, "a segment");
    nd_release(&s->allocator, path);
    ND_TRY(status);
    ND_TRY(nd_sealed_has(s->file, TAG_PARTS) ? open_parts(s, directory, error)
                                             : open_own_rows(s, name, error));
    for (uint32_t t = 0; t < s->bands + !s->numbered; t++)
        ND_TRY(nd_key_table_open(s->file, tag_of_table(t, s->bands), s->documents, s->entries,
                                 &s->tables[t], error));
    return s->fingerprints ? nd_hamming_tables_open(s->file, &s->allocator, &s->hamming, error)
                           : ND_OK;
}

nd_status nd_segment_open(const char *directory, const nd_manifest_segment *name,
                          const nd_index_settings *settings, const nd_allocator *allocator,
                          nd_segment **out, nd_error *error) {
    nd_segment *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a segment");
    *s = (nd_segment){.allocator = *allocator,
                      .documents = name->documents,
                      .perms = settings->bits ? 0 : settings->perms,
                      .bands = settings->bands,
                      .exact = settings->exact != 0,
                      .fingerprints = settings->bits > 0,
                      .numbered = settings->numbered > 0,
                      .bytes = name->seal.size};
    nd_status status = open_all(s, directory, name, error);
    const nd_hamming_tables *h = &s->hamming;
    if (status == ND_OK && s->fingerprints &&
        (h->documents != s->documents || h->design.bits != settings->bits ||
         h->design.k != settings->k))
        status = nd_fail(error, ND_ERR_CORRUPT, "%s: it has not the fingerprints of its index",
                         nd_sealed_path(s->file));
    if (status != ND_OK) {
        nd_segment_close(s);
        return status;
    }
    *out = s;
    return ND_OK;
}

void nd_segment_close(nd_segment *s) {
    if (!s) return;
    for (size_t i = 0; i < s->part_count; i++)
        if (s->parts[i].file != s->file) nd_sealed_close(s->parts[i].file);
    nd_hamming_tables_close(&s->hamming, &s->allocator);
    nd_sealed_close(s->file);
    nd_allocator allocator = s->allocator;
    nd_release(&allocator, s->parts);
    nd_release(&allocator, s->tables);
    nd_release(&allocator, s);
}

bool nd_segment_has_part(const nd_segment *s, uint64_t file) {
    for (size_t i = 0; i < s->part_count; i++)
        if (s->parts[i].name.file == file) return true;
    return false;
}

uint64_t nd_segment_bytes(const nd_segment *s) {
    uint64_t bytes = s->bytes;
    for (size_t i = 0; i < s->part_count; i++)
        if (s->parts[i].file != s->file) bytes += s->parts[i].name.seal.size;
    return bytes;
}

static const nd_segment_part *part_of(const nd_segment *s, uint32_t document) {
    size_t low = 0, high = s->part_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->parts[middle].begin <= document) low = middle;
        else high = middle;
    }
    return &s->parts[low];
}

nd_status nd_segment_number(const nd_segment *s, uint32_t document, uint32_t *number,
                            nd_error *error) {
    if (!s->dense) return look_up_number(s, document, number, error);
    *number = s->first_number + document;
    return ND_OK;
}

nd_status nd_segment_document(const nd_segment *s, uint32_t document, nd_stored_document *out,
                              nd_error *error) {
    const nd_segment_part *part = part_of(s, document);
    const unsigned char *p;
    uint64_t row = document - part->begin, begin = 0;
    ND_TRY(
        nd_sealed_view(part->file, &part->ends, row * 8 - (row ? 8 : 0), row ? 16 : 8, &p, error));
    if (row) {
        begin = nd_load_le64(p);
        p += 8;
    }
    uint64_t end = nd_load_le64(p), before_id = (uint64_t)s->perms + ID_LENGTH;
    if (begin > end || end > part->rows.size || end - begin < before_id)
        return corrupt(part->file, (uint32_t)row, "the row", error);
    ND_TRY(nd_sealed_view(part->file, &part->rows, begin, end - begin, &p, error));
    uint64_t id_length = nd_load_le32(p + s->perms), rest = end - begin - before_id;
    if (s->exact ? id_length >= rest : id_length != rest)
        return corrupt(part->file, (uint32_t)row, "the row", error);
    *out = (nd_stored_document){
        .id = (const char *)p + before_id, .id_length = (size_t)id_length, .sketch = p};
    if (s->exact) out->set = p + before_id + id_length;
    out->set_size = (size_t)(rest - id_length);
    return ND_OK;
}

nd_status nd_segment_row(const nd_segment *s, uint32_t document, nd_id_digits *digits,
                         nd_stored_document *out, nd_error *error) {
    uint32_t number;
    if (!s->numbered) return nd_segment_document(s, document, out, error);
    ND_TRY(nd_segment_number(s, document, &number, error));
    *out = (nd_stored_document){.id = digits->bytes, .id_length = nd_id_of_number(number, digits)};
    return ND_OK;
}

nd_status nd_segment_find_id(const nd_segment *s, const char *id, size_t length,
                             bool (*fn)(void *context, uint32_t document), void *context,
                             nd_error *error) {
    if (s->numbered) {
        uint32_t value;
        uint64_t entry;
        if (!nd_id_to_number(id, length, &value) || bits_of_number(value) > s->number_bits)
            return ND_OK;
        ND_TRY(nd_fingerprint_table_find(&s->numbers, number_key(value, s->number_bits), &entry,
                                         error));
        if (entry != UINT64_MAX) fn(context, (uint32_t)entry);
        return ND_OK;
    }
    const nd_key_table *table = &s->tables[s->bands];
    uint64_t key = nd_band_number(nd_id_hash(id, length));
    nd_key_range range;
    ND_TRY(nd_key_table_locate(table, key, &range, error));
    ND_TRY(nd_key_table_find(table, key, range, &range, error));
    for (uint64_t i = range.begin; i < range.end; i++) {
        uint32_t number;
        nd_stored_document d;
        ND_TRY(nd_key_table_documents(table, i, 1, &number, error));
        if (number >= s->documents) return corrupt(s->file, number, "the table of ids", error);
        ND_TRY(nd_segment_document(s, number, &d, error));
        if (d.id_length == length && (length == 0 || memcmp(d.id, id, length) == 0) &&
            fn(context, number))
            return ND_OK;
    }
    return ND_OK;
}

/* ---- checking */

static nd_status check_rows(const nd_segment *s, nd_error *error) {
    uint64_t *values = NULL;
    size_t capacity = 0;
    nd_status status = ND_OK;
    for (uint32_t number = 0; status == ND_OK && number < s->documents; number++) {
        nd_stored_document d;
        size_t count = 0;
        status = nd_segment_document(s, number, &d, error);
        if (status != ND_OK || !s->exact) continue;
        if (!nd_packed_set_count(d.set, d.set_size, &count))
            status = corrupt(s->file, number, "the set", error);
        else if (!nd_reserve(&s->allocator, &values, &capacity, count))
            status = nd_fail_memory(error, count * sizeof *values, "a set");
        else if (!nd_packed_set_unpack(d.set, d.set_size, count, values))
            status = corrupt(s->file, number, "the set", error);
    }
    nd_release(&s->allocator, values);
    return status;
}

/* Each document at most once in a table, which has `entries`; the table of ids with the key of its
 * id. `seen`: a bit a document, zeros. */
static nd_status check_table(const nd_segment *s, const nd_key_table *table, const char *name,
                             uint8_t *seen, nd_error *error) {
    nd_key_cursor cursor = nd_key_cursor_begin(table);
    for (;;) {
        bool more;
        ND_TRY(nd_key_cursor_next(&cursor, &more, error));
        if (!more) return ND_OK;
        uint32_t number = cursor.document;
        if (number >= s->documents || seen[number >> 3] >> (number & 7) & 1)
            return corrupt(s->file, number, name, error);
        seen[number >> 3] |= (uint8_t)(1u << (number & 7));
        if (table != &s->tables[s->bands]) continue;
        nd_stored_document d;
        ND_TRY(nd_segment_document(s, number, &d, error));
        if (nd_band_number(nd_id_hash(d.id, d.id_length)) != cursor.key)
            return corrupt(s->file, number, name, error);
    }
}

/* All tables have the same documents. */
static nd_status check_tables(const nd_segment *s, uint8_t *seen, uint8_t *found, nd_error *error) {
    size_t bytes = (size_t)s->documents / 8 + 1;
    ND_TRY(check_table(s, &s->tables[s->bands], "the table of ids", found, error));
    for (uint32_t b = 0; b < s->bands; b++) {
        memset(seen, 0, bytes);
        ND_TRY(check_table(s, &s->tables[b], "a band", seen, error));
        if (memcmp(seen, found, bytes) != 0)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: its tables have unlike documents",
                           nd_sealed_path(s->file));
    }
    return ND_OK;
}

nd_status nd_segment_check(const nd_segment *s, nd_error *error) {
    ND_TRY(nd_sealed_check(s->file, error));
    for (size_t i = 0; i < s->part_count; i++)
        if (s->parts[i].file != s->file) ND_TRY(nd_sealed_check(s->parts[i].file, error));
    if (s->fingerprints) ND_TRY(nd_hamming_tables_check(&s->hamming, error));
    if (s->numbered) return nd_fingerprint_table_check(&s->numbers, error);
    ND_TRY(check_rows(s, error));
    size_t bytes = (size_t)s->documents / 8 + 1;
    uint8_t *seen = nd_allocate_zero(&s->allocator, 2 * bytes, 1);
    if (!seen) return nd_fail_memory(error, 2 * bytes, "checking a segment");
    nd_status status = check_tables(s, seen, seen + bytes, error);
    nd_release(&s->allocator, seen);
    return status;
}
