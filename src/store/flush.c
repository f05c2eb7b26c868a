#include "store/flush.h"

#include "base/limits.h"
#include "io/external_sort.h"
#include "sketch/band_key.h"
#include "store/segment_writer.h"
#include "store/store_files.h"
#include "store/store_inside.h"
#include "store/store_state.h"

/* Bytes of memory for each sort. */
enum { SORT_MEMORY = ND_LIMIT(32 << 20, 4096) };

/* ---- the memtable to a segment */

/* The first document from d on that is not removed. */
static uint32_t next_live(const nd_memtable *table, uint32_t d) {
    while (d < nd_memtable_count(table) && nd_memtable_is_removed(table, d)) d++;
    return d;
}

static nd_status put_documents(const nd_store *s, nd_segment_writer *w, nd_error *error) {
    const nd_index_settings *set = &s->state.settings;
    nd_stored_document document;
    uint32_t number = 0; /* in the segment */
    for (uint32_t d = next_live(s->memtable, 0); d < nd_memtable_count(s->memtable);
         d = next_live(s->memtable, d + 1)) {
        nd_memtable_document(s->memtable, d, &document);
        ND_TRY(nd_segment_put_document(w, &document, error));
        if (set->kind != ND_KIND_FINGERPRINTS) continue;
        nd_fingerprint fingerprint = nd_stored_fingerprint(&document, set->bits);
        ND_TRY(nd_segment_put_fingerprints(w, &fingerprint, number++, 1, error));
    }
    return ND_OK;
}

static nd_status put_band(const nd_store *s, nd_segment_writer *w, uint32_t band,
                          nd_external_sort *sorter, nd_part_buffer *buffer, nd_error *error) {
    uint32_t number = 0; /* in the segment */
    for (uint32_t d = next_live(s->memtable, 0); d < nd_memtable_count(s->memtable);
         d = next_live(s->memtable, d + 1)) {
        uint64_t key = nd_memtable_key(s->memtable, d, band);
        ND_TRY(nd_external_sort_push(sorter, (size_t)(key >> 32), key << 32 | number++, error));
    }
    for (size_t part = 0; part < nd_external_sort_parts(sorter); part++) {
        ND_TRY(nd_external_sort_load(sorter, part, 0, buffer, error));
        for (size_t i = 0; i < buffer->count; i++)
            ND_TRY(nd_segment_put_key(w, nd_band_number_of(part, buffer->words[i]),
                                      (uint32_t)buffer->words[i], error));
    }
    return ND_OK;
}

static nd_status put_bands(nd_store *s, nd_segment_writer *w, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (uint32_t band = 0; status == ND_OK && band < s->state.settings.bands; band++) {
        nd_external_sort *sorter = NULL;
        status = nd_external_sort_create(&s->allocator, &s->disk, (size_t)1 << ND_BAND_PART_BITS,
                                         SORT_MEMORY, "band keys", &sorter, error);
        if (status == ND_OK) status = put_band(s, w, band, sorter, &buffer, error);
        nd_external_sort_free(sorter);
    }
    nd_part_buffer_free(&s->allocator, &buffer);
    return status;
}

nd_status nd_store_segment_path(nd_store *s, char **path, uint64_t *file, nd_error *error) {
    ND_TRY(nd_store_check_writable(s, error));
    if (s->in_memory)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: it cannot have segments", s->directory);
    return nd_store_new_file(s, &s->state, ND_FILE_SEGMENT, file, path, error);
}

static nd_status write_memtable(nd_store *s, nd_manifest_segment *segment, nd_error *error) {
    char *path;
    ND_TRY(nd_store_segment_path(s, &path, &segment->file, error));
    const nd_segment_request request = {.path = path,
                                        .settings = &s->state.settings,
                                        .documents = segment->documents,
                                        .disk = &s->disk,
                                        .memory_limit = SORT_MEMORY,
                                        .allocator = &s->allocator};
    nd_segment_writer *w = NULL;
    nd_status status = nd_segment_writer_create(&request, &w, error);
    if (status == ND_OK) status = put_documents(s, w, error);
    if (status == ND_OK) status = put_bands(s, w, error);
    if (status == ND_OK) status = nd_segment_finish(w, &segment->seal, error);
    nd_segment_writer_free(w);
    nd_release(&s->allocator, path);
    return status;
}

/* ---- the next state */

/* The number that a document will have when removed documents of the memtable are gone. */
static uint32_t flushed(const nd_store *s, uint32_t number) {
    uint32_t to = nd_store_segment_numbers(s), recent = nd_memtable_count(s->memtable);
    if (number <= to) return number;
    uint32_t behind = number - to;
    for (uint32_t d = 0; d < behind && d < recent; d++)
        to += !nd_memtable_is_removed(s->memtable, d);
    return behind > recent ? to + (behind - recent) : to;
}

static nd_ingest_mark flushed_mark(const nd_store *s, const nd_ingest_mark *mark) {
    return (nd_ingest_mark){.batch = mark->batch,
                            .begin = flushed(s, mark->begin),
                            .end = flushed(s, mark->end),
                            .finished = mark->finished};
}

/* Makes the next state: the segments of the last one, the memtable as a segment, and the caller's
 * segment (or NULL). */
static nd_status make_next(nd_store *s, const nd_manifest_segment *more, const nd_ingest_mark *mark,
                           nd_manifest *next, nd_error *error) {
    nd_manifest_segment recent = {.documents = nd_memtable_live_count(s->memtable)};
    const nd_ingest_mark moved = flushed_mark(s, mark);
    if (recent.documents > 0) ND_TRY(write_memtable(s, &recent, error));
    ND_TRY(nd_manifest_copy(&s->state, next, error));
    ND_TRY(nd_ingest_mark_set(next, &moved, error));
    if (recent.documents > 0) ND_TRY(nd_manifest_add_segment(next, &recent, error));
    return more ? nd_manifest_add_segment(next, more, error) : ND_OK;
}

static nd_status install_next(nd_store *s, const nd_manifest_segment *more,
                              const nd_ingest_mark *mark, nd_error *error) {
    nd_next_state next = {.linked = 0};
    nd_manifest_init(&next.manifest, &s->allocator);
    nd_status status = make_next(s, more, mark, &next.manifest, error);
    if (status == ND_OK) status = nd_store_install(s, &next, error);
    nd_manifest_free(&next.manifest);
    return status;
}

/* ---- a store in memory */

static nd_status copy_live(const nd_memtable *from, uint32_t bands, uint64_t *keys, nd_memtable *to,
                           nd_error *error) {
    nd_stored_document document;
    for (uint32_t d = next_live(from, 0); d < nd_memtable_count(from); d = next_live(from, d + 1)) {
        nd_memtable_document(from, d, &document);
        for (uint32_t b = 0; b < bands; b++) keys[b] = nd_memtable_key(from, d, b);
        document.keys = keys;
        ND_TRY(nd_memtable_add(to, &document, error));
    }
    return ND_OK;
}

/* Replaces the memtable by one without removed documents. */
static nd_status flush_in_memory(nd_store *s, const nd_ingest_mark *mark, nd_error *error) {
    const nd_row_layout layout = nd_settings_layout(&s->state.settings);
    nd_memtable *fresh = NULL;
    uint64_t *keys = nd_allocate(&s->allocator, layout.bands, sizeof *keys);
    if (!keys) return nd_fail_memory(error, layout.bands * sizeof *keys, "band keys");
    nd_status status = nd_memtable_create(&layout, &s->allocator, &fresh, error);
    if (status == ND_OK) status = copy_live(s->memtable, layout.bands, keys, fresh, error);
    nd_release(&s->allocator, keys);
    if (status != ND_OK) {
        nd_memtable_free(fresh);
        return status;
    }
    nd_store_exclude_readers(s);
    s->mark = flushed_mark(s, mark);
    nd_memtable_free(s->memtable);
    s->memtable = fresh;
    s->state.generation++;
    nd_store_admit_readers(s);
    return ND_OK;
}

/* ---- doors */

nd_status nd_store_flush(nd_store *s, nd_error *error) {
    ND_TRY(nd_store_check_writable(s, error));
    if (s->in_memory)
        return nd_memtable_live_count(s->memtable) < nd_memtable_count(s->memtable)
                   ? flush_in_memory(s, &s->mark, error)
                   : ND_OK;
    if (nd_memtable_count(s->memtable) == 0 && s->tombstones.added_count == 0) return ND_OK;
    return install_next(s, NULL, &s->mark, error);
}

nd_status nd_store_flush_removed(nd_store *s, nd_error *error) {
    return nd_memtable_live_count(s->memtable) < nd_memtable_count(s->memtable)
               ? nd_store_flush(s, error)
               : ND_OK;
}

nd_status nd_store_publish(nd_store *s, const nd_manifest_segment *segment,
                           const nd_ingest_mark *mark, nd_error *error) {
    static const nd_ingest_mark none = {0};
    ND_TRY(nd_store_check_writable(s, error));
    if (!mark) mark = &none;
    if (s->in_memory && segment)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: it cannot have segments", s->directory);
    return s->in_memory ? flush_in_memory(s, mark, error) : install_next(s, segment, mark, error);
}
