#include "store/segment.h"

#include "base/bits.h"
#include "sketch/band_key.h"
#include "store/numbered_names.h"
#include "store/segment_format.h"

#include <string.h>

/* ---- opening */

static nd_status open_rows(nd_segment_part *p, nd_error *error) {
    ND_TRY(nd_sealed_section(p->file, ND_TAG_ROWS, &p->rows, error));
    ND_TRY(nd_sealed_section(p->file, ND_TAG_ROW_ENDS, &p->ends, error));
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
        return nd_segment_fail_part(s->file, begin, "the part", error);
    *p = (nd_segment_part){
        .name = {.file = nd_load_le64(bytes),
                 .documents = (uint32_t)documents,
                 .seal = {.size = nd_load_le64(bytes + 16), .hash = nd_load_le64(bytes + 24)}},
        .begin = begin};
    char *path = nd_state_file_path(&s->allocator, directory, ND_FILE_SEGMENT, p->name.file);
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
    ND_TRY(nd_sealed_section(s->file, ND_TAG_PARTS, &section, error));
    size_t count = (size_t)(section.size / ND_PART_SIZE);
    if (section.size % ND_PART_SIZE != ND_PARTS_HEAD || count == 0 || count > s->documents)
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
        ND_TRY(open_part(s, directory, bytes + ND_PARTS_HEAD + i * ND_PART_SIZE, begin, error));
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
    s->entries = s->documents;
    s->parts[s->part_count++] = (nd_segment_part){
        .name = {.file = name->file, .documents = name->documents, .seal = name->seal},
        .file = s->file};
    return s->numbered ? nd_numeric_ids_open(s->file, s->documents, &s->ids, error)
                       : open_rows(s->parts, error);
}

/* Opens the key tables, which lie one behind the other. */
static nd_status open_tables(nd_segment *s, nd_error *error) {
    uint32_t count = s->bands + !s->numbered;
    if (count > 0 && !nd_sealed_has(s->file, nd_tag_of_table(0, s->bands)))
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: its keys are in another form than this library reads: make the index "
                       "again",
                       nd_sealed_path(s->file));
    for (uint32_t t = 0; t < count; t++)
        ND_TRY(nd_key_table_open(s->file, nd_tag_of_table(t, s->bands), s->documents, s->entries,
                                 &s->tables[t], error));
    if (count == 0) return ND_OK;
    const nd_section *first = &s->tables[0].section, *last = &s->tables[count - 1].section,
                     all = {first->offset, last->offset + last->size - first->offset};
    nd_sealed_use_large_pages(s->file, &all);
    return ND_OK;
}

static nd_status open_all(nd_segment *s, const char *directory, const nd_manifest_segment *name,
                          nd_error *error) {
    char *path = nd_state_file_path(&s->allocator, directory, ND_FILE_SEGMENT, name->file);
    s->tables = nd_allocate_zero(&s->allocator, s->bands + 1, sizeof *s->tables);
    nd_status status = path && s->tables
                           ? nd_sealed_open(path, ND_SEALED_SEGMENT, &name->seal, &s->allocator,
                                            &s->file, error)
                           : nd_fail_memory(error, s->bands * sizeof *s->tables, "a segment");
    nd_release(&s->allocator, path);
    ND_TRY(status);
    ND_TRY(nd_sealed_has(s->file, ND_TAG_PARTS) ? open_parts(s, directory, error)
                                                : open_own_rows(s, name, error));
    ND_TRY(open_tables(s, error));
    return s->kind == ND_KIND_FINGERPRINTS
               ? nd_hamming_tables_open(s->file, &s->allocator, &s->hamming, error)
               : ND_OK;
}

nd_status nd_segment_open(const char *directory, const nd_manifest_segment *name,
                          const nd_index_settings *settings, const nd_allocator *allocator,
                          nd_segment **out, nd_error *error) {
    nd_segment *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a segment");
    *s = (nd_segment){.allocator = *allocator,
                      .kind = settings->kind,
                      .documents = name->documents,
                      .bands = settings->bands,
                      .exact = settings->exact != 0,
                      .numbered = settings->numbered > 0,
                      .bytes = name->seal.size};
    if (s->kind == ND_KIND_DOCUMENTS) s->sketch_size = nd_settings_layout(settings).sketch_size;
    nd_status status = open_all(s, directory, name, error);
    const nd_hamming_tables *h = &s->hamming;
    if (status == ND_OK && s->kind == ND_KIND_FINGERPRINTS &&
        (h->documents != s->documents || h->design.bits != settings->bits ||
         h->design.k != settings->k))
        status = nd_fail(error, ND_ERR_CORRUPT,
                         "%s: it does not have the fingerprints of its index",
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

bool nd_segment_is_linked(const nd_segment *s) { return s->parts[0].file != s->file; }

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

/* ---- reading */

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
    return nd_numeric_ids_get(&s->ids, document, number, error);
}

void nd_segment_expect_random(const nd_segment *s) {
    for (size_t p = 0; p < s->part_count; p++)
        nd_sealed_expect_random(s->parts[p].file, &s->parts[p].rows);
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
    uint64_t end = nd_load_le64(p), before_id = (uint64_t)s->sketch_size + ND_ROW_ID_LENGTH;
    if (begin > end || end > part->rows.size || end - begin < before_id)
        return nd_segment_fail_part(part->file, (uint32_t)row, "the row", error);
    ND_TRY(nd_sealed_view(part->file, &part->rows, begin, end - begin, &p, error));
    uint64_t id_length = nd_load_le32(p + s->sketch_size), rest = end - begin - before_id;
    if (s->exact ? id_length >= rest : id_length != rest)
        return nd_segment_fail_part(part->file, (uint32_t)row, "the row", error);
    *out = (nd_stored_document){
        .id = (const char *)p + before_id, .id_length = (size_t)id_length, .sketch = p};
    if (s->exact) out->set = p + before_id + id_length;
    out->set_size = (size_t)(rest - id_length);
    return ND_OK;
}

void nd_segment_prefetch_place(const nd_segment *s, uint32_t document) {
    const nd_segment_part *part = part_of(s, document);
    uint64_t row = document - part->begin;
    nd_sealed_prefetch(part->file, &part->ends, row * 8 - (row ? 8 : 0));
    nd_sealed_prefetch(part->file, &part->ends, row * 8);
}

/* The place is not verified: nothing depends on it but the lines that are prefetched. */
void nd_segment_prefetch_row(const nd_segment *s, uint32_t document) {
    enum { LINE = 64 };
    const nd_segment_part *part = part_of(s, document);
    const unsigned char *ends = nd_sealed_unverified(part->file, &part->ends);
    uint64_t row = document - part->begin, begin = row ? nd_load_le64(ends + row * 8 - 8) : 0;
    for (uint64_t at = 0; at <= s->sketch_size + LINE; at += LINE)
        nd_sealed_prefetch(part->file, &part->rows, begin + at);
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
        if (!nd_id_to_number(id, length, &value)) return ND_OK;
        ND_TRY(nd_numeric_ids_find(&s->ids, value, &entry, error));
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
        if (number >= s->documents)
            return nd_segment_fail_part(s->file, number, "the table of ids", error);
        ND_TRY(nd_segment_document(s, number, &d, error));
        if (d.id_length == length && (length == 0 || memcmp(d.id, id, length) == 0) &&
            fn(context, number))
            return ND_OK;
    }
    return ND_OK;
}
