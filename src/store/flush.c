#include "store/flush.h"

#include "base/limits.h"
#include "io/external_sort.h"
#include "sketch/band_key.h"
#include "store/segment_writer.h"
#include "store/store_files.h"
#include "store/store_inside.h"
#include "store/store_state.h"

/* Bytes of memory for each sort, and for the keys of bands that are read together. */
enum { SORT_MEMORY = ND_LIMIT(32 << 20, 4096), COLUMN_MEMORY = ND_LIMIT(8 << 20, 256) };

/* A store, and the documents that leave it with the next state. */
typedef struct leaver {
    nd_store *store;
    const uint8_t *leaving; /* bit n: document n leaves; NULL: none does */
    bool none;              /* no document of the memtable leaves it or has been removed */
} leaver;

static leaver leaver_of(nd_store *s, const uint8_t *leaving) {
    bool removed = nd_memtable_live_count(s->memtable) < nd_memtable_count(s->memtable);
    return (leaver){.store = s, .leaving = leaving, .none = !leaving && !removed};
}

/* ---- the memtable to a segment */

static bool stays(const leaver *l, uint32_t d) {
    if (l->none) return true;
    uint32_t number = nd_store_segment_numbers(l->store) + d;
    if (l->leaving && l->leaving[number >> 3] >> (number & 7) & 1) return false;
    return !nd_memtable_is_removed(l->store->memtable, d);
}

/* The first document of the memtable from d on that stays. */
static uint32_t next_staying(const leaver *l, uint32_t d) {
    while (d < nd_memtable_count(l->store->memtable) && !stays(l, d)) d++;
    return d;
}

static uint32_t count_staying(const leaver *l) {
    uint32_t count = 0, end = nd_memtable_count(l->store->memtable);
    for (uint32_t d = 0; d < end; d++) count += stays(l, d);
    return count;
}

static nd_status put_documents(const leaver *l, nd_segment_writer *w, nd_error *error) {
    const nd_store *s = l->store;
    const nd_index_settings *set = &s->state.settings;
    nd_stored_document document;
    uint32_t number = 0; /* in the segment */
    for (uint32_t d = next_staying(l, 0); d < nd_memtable_count(s->memtable);
         d = next_staying(l, d + 1)) {
        nd_memtable_document(s->memtable, d, &document);
        ND_TRY(nd_segment_put_document(w, &document, error));
        if (set->kind != ND_KIND_FINGERPRINTS) continue;
        nd_fingerprint fingerprint = nd_stored_fingerprint(&document, set->bits);
        ND_TRY(nd_segment_put_fingerprints(w, &fingerprint, number++, 1, error));
    }
    return ND_OK;
}

/* Copies the keys of bands from `first` on: columns[b * rows + number] for band first + b. A row is
 * read once for all of them, because rows are far apart in memory. */
static void gather_keys(const leaver *l, uint32_t first, uint32_t bands, uint32_t rows,
                        uint64_t *columns) {
    const nd_memtable *table = l->store->memtable;
    const nd_row_layout layout = nd_settings_layout(&l->store->state.settings);
    uint32_t number = 0; /* in the segment */
    for (uint32_t d = next_staying(l, 0); d < nd_memtable_count(table);
         d = next_staying(l, d + 1), number++) {
        size_t size;
        const unsigned char *row = nd_memtable_row(table, d, &size);
        for (uint32_t b = 0; b < bands; b++)
            columns[(size_t)b * rows + number] = nd_row_key(row, &layout, first + b);
    }
}

static nd_status put_band(const uint64_t *keys, uint32_t rows, nd_segment_writer *w,
                          nd_external_sort *sorter, nd_part_buffer *buffer, nd_error *error) {
    for (uint32_t number = 0; number < rows; number++)
        ND_TRY(nd_external_sort_push(sorter, (size_t)(keys[number] >> 32),
                                     keys[number] << 32 | number, error));
    for (size_t part = 0; part < nd_external_sort_parts(sorter); part++) {
        ND_TRY(nd_external_sort_load_records(sorter, part, buffer, error));
        ND_TRY(nd_segment_put_words(w, part, buffer->words, buffer->count, error));
    }
    return ND_OK;
}

static nd_status sort_band(nd_store *s, const uint64_t *keys, uint32_t rows, nd_segment_writer *w,
                           nd_part_buffer *buffer, nd_error *error) {
    nd_external_sort *sorter = NULL;
    nd_status status = nd_external_sort_create(&s->allocator, &s->disk,
                                               (size_t)1 << ND_BAND_PART_BITS, SORT_MEMORY,
                                               "band keys", &sorter, error);
    if (status == ND_OK) status = put_band(keys, rows, w, sorter, buffer, error);
    nd_external_sort_free(sorter);
    return status;
}

static nd_status put_bands(const leaver *l, uint32_t rows, nd_segment_writer *w, nd_error *error) {
    nd_store *s = l->store;
    uint32_t bands = s->state.settings.bands,
             together = (uint32_t)(COLUMN_MEMORY / sizeof(uint64_t) / rows);
    if (bands == 0) return ND_OK;
    together = together == 0 ? 1 : together > bands ? bands : together;
    nd_part_buffer buffer = {0};
    uint64_t *columns = nd_allocate(&s->allocator, (size_t)rows * together, sizeof *columns);
    if (!columns)
        return nd_fail_memory(error, (size_t)rows * together * sizeof *columns, "band keys");
    nd_status status = ND_OK;
    for (uint32_t band = 0; status == ND_OK && band < bands; band++) {
        uint32_t at = band % together, left = bands - band;
        if (at == 0) gather_keys(l, band, left < together ? left : together, rows, columns);
        status = sort_band(s, columns + (size_t)at * rows, rows, w, &buffer, error);
    }
    nd_release(&s->allocator, columns);
    nd_part_buffer_free(&s->allocator, &buffer);
    return status;
}

nd_status nd_store_segment_path(nd_store *s, char **path, uint64_t *file, nd_error *error) {
    ND_TRY(nd_store_check_writable(s, error));
    if (s->in_memory)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: it cannot have segments", s->directory);
    return nd_store_new_file(s, &s->state, ND_FILE_SEGMENT, file, path, error);
}

static nd_status write_memtable(const leaver *l, nd_manifest_segment *segment, nd_error *error) {
    nd_store *s = l->store;
    char *path;
    ND_TRY(nd_store_segment_path(s, &path, &segment->file, error));
    const nd_segment_request request = {.path = path,
                                        .settings = &s->state.settings,
                                        .documents = segment->documents,
                                        .disk = &s->disk,
                                        .memory_limit = SORT_MEMORY,
                                        .read_soon = true,
                                        .allocator = &s->allocator};
    nd_segment_writer *w = NULL;
    nd_status status = nd_segment_writer_create(&request, &w, error);
    if (status == ND_OK) status = put_documents(l, w, error);
    if (status == ND_OK) status = put_bands(l, segment->documents, w, error);
    if (status == ND_OK) status = nd_segment_finish(w, &segment->seal, error);
    nd_segment_writer_free(w);
    nd_release(&s->allocator, path);
    return status;
}

/* ---- the next state */

/* The number that a document will have when the documents of the memtable that do not stay are
 * gone. */
static uint32_t flushed(const leaver *l, uint32_t number) {
    uint32_t to = nd_store_segment_numbers(l->store),
             recent = nd_memtable_count(l->store->memtable);
    if (number <= to) return number;
    uint32_t behind = number - to;
    for (uint32_t d = 0; d < behind && d < recent; d++) to += stays(l, d);
    return behind > recent ? to + (behind - recent) : to;
}

static nd_ingest_mark flushed_mark(const leaver *l, const nd_ingest_mark *mark) {
    return (nd_ingest_mark){.batch = mark->batch,
                            .begin = flushed(l, mark->begin),
                            .end = flushed(l, mark->end),
                            .finished = mark->finished};
}

/* Makes the next state: the segments of the last one, the memtable as a segment, and the caller's
 * segment (or NULL). */
static nd_status make_next(const leaver *l, const nd_manifest_segment *more,
                           const nd_ingest_mark *mark, nd_manifest *next, nd_error *error) {
    nd_manifest_segment recent = {.documents = count_staying(l)};
    const nd_ingest_mark moved = flushed_mark(l, mark);
    if (recent.documents > 0) ND_TRY(write_memtable(l, &recent, error));
    ND_TRY(nd_manifest_copy(&l->store->state, next, error));
    ND_TRY(nd_ingest_mark_set(next, &moved, error));
    if (recent.documents > 0) ND_TRY(nd_manifest_add_segment(next, &recent, error));
    return more ? nd_manifest_add_segment(next, more, error) : ND_OK;
}

/* Keys of a published segment did not come through the memtable, so the filter lacks them. */
static void drop_filter(nd_store *s) {
    nd_store_exclude_readers(s);
    nd_store_drop_filter(s);
    nd_store_admit_readers(s);
}

static nd_status install_next(const leaver *l, const nd_manifest_segment *more,
                              const nd_ingest_mark *mark, nd_error *error) {
    nd_next_state next = {.leaving = l->leaving};
    nd_manifest_init(&next.manifest, &l->store->allocator);
    nd_status status = make_next(l, more, mark, &next.manifest, error);
    if (status == ND_OK && more) drop_filter(l->store);
    if (status == ND_OK) status = nd_store_install(l->store, &next, error);
    nd_manifest_free(&next.manifest);
    return status;
}

/* ---- a store in memory */

static nd_status copy_staying(const leaver *l, uint32_t bands, uint64_t *keys, nd_memtable *to,
                              nd_error *error) {
    const nd_memtable *from = l->store->memtable;
    nd_stored_document document;
    for (uint32_t d = next_staying(l, 0); d < nd_memtable_count(from); d = next_staying(l, d + 1)) {
        nd_memtable_document(from, d, &document);
        for (uint32_t b = 0; b < bands; b++) keys[b] = nd_memtable_key(from, d, b);
        document.keys = keys;
        ND_TRY(nd_memtable_add(to, &document, error));
    }
    return ND_OK;
}

/* Replaces the memtable by one of the documents that stay. */
static nd_status flush_in_memory(const leaver *l, const nd_ingest_mark *mark, nd_error *error) {
    nd_store *s = l->store;
    const nd_row_layout layout = nd_settings_layout(&s->state.settings);
    nd_memtable *fresh = NULL;
    uint64_t *keys = nd_allocate(&s->allocator, layout.bands, sizeof *keys);
    if (!keys) return nd_fail_memory(error, layout.bands * sizeof *keys, "band keys");
    nd_status status = nd_memtable_create(&layout, count_staying(l), &s->allocator, &fresh, error);
    if (status == ND_OK) status = copy_staying(l, layout.bands, keys, fresh, error);
    nd_release(&s->allocator, keys);
    if (status != ND_OK) {
        nd_memtable_free(fresh);
        return status;
    }
    nd_store_exclude_readers(s);
    s->mark = flushed_mark(l, mark);
    nd_memtable_free(s->memtable);
    s->memtable = fresh;
    s->state.generation++;
    nd_store_admit_readers(s);
    return ND_OK;
}

/* ---- doors */

nd_status nd_store_flush(nd_store *s, nd_error *error) {
    const leaver l = leaver_of(s, NULL);
    ND_TRY(nd_store_check_writable(s, error));
    if (s->in_memory)
        return nd_memtable_live_count(s->memtable) < nd_memtable_count(s->memtable)
                   ? flush_in_memory(&l, &s->mark, error)
                   : ND_OK;
    if (nd_memtable_count(s->memtable) == 0 && s->tombstones.added_count == 0) return ND_OK;
    return install_next(&l, NULL, &s->mark, error);
}

nd_status nd_store_flush_removed(nd_store *s, nd_error *error) {
    return nd_memtable_live_count(s->memtable) < nd_memtable_count(s->memtable)
               ? nd_store_flush(s, error)
               : ND_OK;
}

nd_status nd_store_publish(nd_store *s, const nd_manifest_segment *segment,
                           const nd_ingest_mark *mark, nd_error *error) {
    return nd_store_publish_and_remove(s, segment, mark, (nd_store_numbers){0}, error);
}

/* A new bitmap of numbers; NULL if there are none. */
static nd_status make_bits(const nd_store *s, nd_store_numbers of, uint8_t **out, nd_error *error) {
    size_t size = nd_store_document_count(s) / 8 + 1;
    *out = NULL;
    if (of.count == 0) return ND_OK;
    uint8_t *bits = nd_allocate_zero(&s->allocator, size, 1);
    if (!bits) return nd_fail_memory(error, size, "removed documents");
    for (size_t i = 0; i < of.count; i++)
        bits[of.numbers[i] >> 3] |= (uint8_t)(1u << (of.numbers[i] & 7));
    *out = bits;
    return ND_OK;
}

nd_status nd_store_publish_and_remove(nd_store *s, const nd_manifest_segment *segment,
                                      const nd_ingest_mark *mark, nd_store_numbers removed,
                                      nd_error *error) {
    static const nd_ingest_mark none = {0};
    uint8_t *leaving;
    ND_TRY(nd_store_check_writable(s, error));
    if (!mark) mark = &none;
    if (s->in_memory && segment)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: it cannot have segments", s->directory);
    ND_TRY(make_bits(s, removed, &leaving, error));
    const leaver l = leaver_of(s, leaving);
    nd_status status = s->in_memory ? flush_in_memory(&l, mark, error)
                                    : install_next(&l, segment, mark, error);
    nd_release(&s->allocator, leaving);
    return status;
}
