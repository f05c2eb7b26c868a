/* What changes an index: documents and removals to the log, the log to a segment, and one state to
 * the next. */
#include "base/limits.h"
#include "io/file.h"
#include "io/external_sort.h"
#include "store/store_inside.h"

#include <string.h>

/* What the log may hold before a flush is due (fingerprints in it are scanned by each query); and
 * memory for the sorts of one. */
enum {
    FULL_BYTES = ND_LIMIT(48 << 20, 20000),
    FULL_FINGERPRINTS = ND_LIMIT(16384, 64),
    SORT_MEMORY = ND_LIMIT(32 << 20, 4096),
};

/* ---- failure */

static nd_status still_good(const nd_store *s, nd_error *error) {
    if (s->failure.status != ND_OK)
        return nd_fail(error, s->failure.status, "%s", s->failure.message);
    return s->mode == ND_STORE_WRITE
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "%s: opened for reading", s->directory);
}

void nd_store_give_up(nd_store *s, const nd_error *failure) { s->failure = *failure; }

static nd_status spoil(nd_store *s, nd_status status, const nd_error *failure, nd_error *error) {
    if (status == ND_OK) return ND_OK;
    nd_store_give_up(s, failure);
    return nd_fail(error, status, "%s", failure->message);
}

/* ---- the log */

nd_status nd_store_add(nd_store *s, const nd_stored_document *document, nd_error *error) {
    const nd_index_settings *set = &s->state.settings;
    size_t size = nd_stored_size(document, set->perms, set->bands);
    nd_error failure;
    ND_TRY(still_good(s, error));
    if (nd_store_numbers(s) == UINT32_MAX - 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: more than %u documents", s->directory,
                       UINT32_MAX - 1);
    if (size > ND_LOG_MAX_RECORD)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: a document of %zu bytes is too large",
                       s->directory, size);
    if (!nd_reserve(&s->allocator, &s->record, &s->record_capacity, size))
        return nd_fail_memory(error, size, "a document");
    nd_stored_write(document, set->perms, set->bands, s->record);
    ND_TRY(nd_memory_table_add(s->recent, document, error));
    return spoil(s, nd_log_append(s->log, ND_LOG_ADD, s->record, size, &failure), &failure, error);
}

nd_status nd_store_remove(nd_store *s, uint32_t number, nd_error *error) {
    unsigned char payload[4];
    nd_error failure;
    ND_TRY(still_good(s, error));
    if (number >= nd_store_numbers(s) || nd_store_is_removed(s, number))
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: no document %u", s->directory, number);
    ND_TRY(nd_store_mark_removed(s, number, error));
    nd_store_le32(payload, number);
    return spoil(s, nd_log_append(s->log, ND_LOG_REMOVE, payload, sizeof payload, &failure),
                 &failure, error);
}

nd_status nd_store_commit(nd_store *s, nd_error *error) {
    nd_error failure;
    ND_TRY(still_good(s, error));
    return spoil(s, nd_log_commit(s->log, &failure), &failure, error);
}

nd_status nd_store_sync(nd_store *s, nd_error *error) {
    return s->log ? nd_log_sync(s->log, error) : ND_OK;
}

bool nd_store_is_full(const nd_store *s) {
    if (s->log && s->state.settings.bits && nd_memory_table_count(s->recent) >= FULL_FINGERPRINTS)
        return true;
    return s->log && nd_memory_table_bytes(s->recent) + nd_log_size(s->log) / 2 > FULL_BYTES;
}

/* ---- files */

/* nd_state_uses_fn: the state names it, or one of its segments does. */
static bool uses(void *context, const nd_state_file *file) {
    const nd_store *s = context;
    const nd_manifest *state = &s->state;
    if (file->kind == ND_FILE_LOG) return file->number == state->log;
    if (file->kind == ND_FILE_REMOVED) return file->number == state->removed;
    for (size_t i = 0; i < state->segment_count; i++)
        if (state->segments[i].file == file->number ||
            nd_segment_has_part(s->segments[i], file->number))
            return true;
    return false;
}

nd_status nd_store_remove_waste(nd_store *s, nd_error *error) {
    return nd_state_remove_waste(s->directory, false, uses, s, error);
}

/* The path, a new string of the store's allocator, and the number of a file of the next state, and
 * of no other, whether that state comes to be or not. Numbers whose names something else has are
 * passed over. */
static nd_status new_file(nd_store *s, nd_manifest *next, nd_state_file_kind kind, uint64_t *file,
                          char **path, nd_error *error) {
    for (bool is_free = false; !is_free;) {
        *file = next->next_file++;
        s->state.next_file = next->next_file;
        ND_TRY(nd_state_is_free(s->directory, kind, *file, &s->allocator, &is_free, error));
    }
    *path = nd_state_path(&s->allocator, s->directory, kind, *file);
    return *path ? ND_OK : nd_fail_memory(error, strlen(s->directory), "a path");
}

static nd_status create_log(nd_store *s, nd_manifest *state, nd_error *error) {
    nd_log *log = NULL;
    char *path;
    ND_TRY(new_file(s, state, ND_FILE_LOG, &state->log, &path, error));
    nd_status status = nd_log_create(path, state->log, &s->allocator, &log, error);
    nd_log_close(log);
    nd_release(&s->allocator, path);
    return status;
}

static nd_status add_first(nd_store *s, nd_manifest *state, nd_store_first_fn *first, void *context,
                           nd_error *error) {
    nd_manifest_segment segment = {0};
    char *path;
    ND_TRY(new_file(s, state, ND_FILE_SEGMENT, &segment.file, &path, error));
    nd_status status = first(context, path, &segment, error);
    nd_release(&s->allocator, path);
    ND_TRY(status);
    return segment.documents > 0 ? nd_manifest_add_segment(state, &segment, error) : ND_OK;
}

nd_status nd_store_begin(nd_store *s, nd_manifest *state, nd_store_first_fn *first, void *context,
                         nd_error *error) {
    ND_TRY(nd_store_remove_waste(s, error));
    state->generation = 1;
    state->next_file = 1;
    if (first) ND_TRY(add_first(s, state, first, context, error));
    ND_TRY(create_log(s, state, error));
    return nd_manifest_write(s->directory, state, error);
}

/* ---- tombstones of the next state */

/* Where the documents of a segment stood in the last state; UINT32_MAX: it is new, and none of them
 * is removed. */
static uint32_t old_begin(const nd_store *s, uint64_t file) {
    if (s->linked && file == s->linked) return s->linked_begin;
    for (size_t i = 0; i < s->state.segment_count; i++)
        if (s->state.segments[i].file == file) return s->begins[i];
    return UINT32_MAX;
}

/* Counts the removed documents of each segment that stays. Returns all of them. */
static uint32_t count_removed(const nd_store *s, nd_manifest *next) {
    uint32_t all = 0;
    for (size_t i = 0; i < next->segment_count; i++) {
        nd_manifest_segment *m = &next->segments[i];
        uint32_t begin = old_begin(s, m->file);
        m->removed = 0;
        for (uint32_t d = 0; begin != UINT32_MAX && d < m->documents; d++)
            m->removed += nd_store_is_removed(s, begin + d);
        all += m->removed;
    }
    return all;
}

static nd_status write_removed_bits(const nd_store *s, const nd_manifest *next, nd_sealed_writer *w,
                                    nd_error *error) {
    uint8_t bits = 0;
    uint32_t number = 0;
    ND_TRY(nd_sealed_begin(w, ND_TAG_REMOVED, error));
    for (size_t i = 0; i < next->segment_count; i++) {
        uint32_t begin = old_begin(s, next->segments[i].file);
        for (uint32_t d = 0; d < next->segments[i].documents; d++) {
            if (begin != UINT32_MAX && nd_store_is_removed(s, begin + d))
                bits |= (uint8_t)(1u << (number & 7));
            if (++number % 8 != 0) continue;
            ND_TRY(nd_sealed_write(w, &bits, 1, error));
            bits = 0;
        }
    }
    return number % 8 != 0 ? nd_sealed_write(w, &bits, 1, error) : ND_OK;
}

static nd_status write_removed(nd_store *s, nd_manifest *next, nd_error *error) {
    next->removed = 0;
    next->removed_seal = (nd_seal){0};
    if (count_removed(s, next) == 0) return ND_OK;
    char *path;
    ND_TRY(new_file(s, next, ND_FILE_REMOVED, &next->removed, &path, error));
    nd_sealed_writer *w = NULL;
    nd_status status = nd_sealed_writer_create(path, ND_SEALED_REMOVED, &s->allocator, &w, error);
    if (status == ND_OK) status = write_removed_bits(s, next, w, error);
    if (status == ND_OK) status = nd_sealed_finish(w, &next->removed_seal, error);
    nd_sealed_writer_free(w);
    nd_release(&s->allocator, path);
    return status;
}

nd_status nd_store_change_state(nd_store *s, nd_manifest *next, nd_error *error) {
    nd_error failure;
    next->generation = s->state.generation + 1;
    ND_TRY(write_removed(s, next, error));
    ND_TRY(create_log(s, next, error));
    nd_status status = nd_manifest_write(s->directory, next, &failure);
    if (status == ND_OK) status = nd_store_load(s, next, &failure);
    if (status == ND_OK) status = nd_store_remove_waste(s, &failure);
    return spoil(s, status, &failure, error);
}

/* ---- the log to a segment */

/* The next live document at or after d. */
static uint32_t next_live(const nd_memory_table *table, uint32_t d) {
    while (d < nd_memory_table_count(table) && nd_memory_table_is_removed(table, d)) d++;
    return d;
}

static nd_status put_documents(const nd_store *s, nd_segment_writer *w, nd_error *error) {
    nd_stored_document document;
    uint32_t place = 0;
    for (uint32_t d = next_live(s->recent, 0); d < nd_memory_table_count(s->recent);
         d = next_live(s->recent, d + 1)) {
        nd_memory_table_document(s->recent, d, &document);
        ND_TRY(nd_segment_put_document(w, &document, error));
        if (s->state.settings.bits == 0) continue;
        nd_fingerprint fingerprint = nd_stored_fingerprint(&document, s->state.settings.bits);
        ND_TRY(nd_segment_put_fingerprints(w, &fingerprint, place++, 1, error));
    }
    return ND_OK;
}

static nd_status put_band(const nd_store *s, nd_segment_writer *w, uint32_t band,
                          nd_part_sorter *sorter, nd_part_buffer *buffer, nd_error *error) {
    uint32_t place = 0;
    for (uint32_t d = next_live(s->recent, 0); d < nd_memory_table_count(s->recent);
         d = next_live(s->recent, d + 1)) {
        uint64_t number = nd_memory_table_key(s->recent, d, band);
        ND_TRY(nd_part_sorter_push(sorter, (size_t)(number >> 32), number << 32 | place++, error));
    }
    for (size_t part = 0; part < nd_part_sorter_parts(sorter); part++) {
        ND_TRY(nd_part_sorter_load(sorter, part, 0, buffer, error));
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
        nd_part_sorter *sorter = NULL;
        status = nd_part_sorter_create(&s->allocator, &s->disk, (size_t)1 << ND_BAND_PART_BITS,
                                       SORT_MEMORY, "band keys", &sorter, error);
        if (status == ND_OK) status = put_band(s, w, band, sorter, &buffer, error);
        nd_part_sorter_free(sorter);
    }
    nd_part_buffer_free(&s->allocator, &buffer);
    return status;
}

nd_status nd_store_segment_path(nd_store *s, char **path, uint64_t *file, nd_error *error) {
    ND_TRY(still_good(s, error));
    return new_file(s, &s->state, ND_FILE_SEGMENT, file, path, error);
}

static nd_status write_recent(nd_store *s, nd_manifest_segment *segment, nd_error *error) {
    char *path;
    ND_TRY(nd_store_segment_path(s, &path, &segment->file, error));
    nd_segment_writer *w = NULL;
    nd_status status = nd_segment_writer_create(path, &s->state.settings, segment->documents,
                                                &s->disk, SORT_MEMORY, &s->allocator, &w, error);
    if (status == ND_OK) status = put_documents(s, w, error);
    if (status == ND_OK) status = put_bands(s, w, error);
    if (status == ND_OK) status = nd_segment_finish(w, &segment->seal, error);
    nd_segment_writer_free(w);
    nd_release(&s->allocator, path);
    return status;
}

/* ---- batches */

/* Bytes in a state: name and range, and behind them, of a finished one, 1 and 0. */
enum { UNFINISHED_SIZE = 16, FINISHED_SIZE = 24 };

nd_batch_mark nd_store_batch(const nd_store *s) { return s->batch; }

static void put_range(const nd_batch_mark *mark, unsigned char *to) {
    nd_store_le64(to, mark->batch);
    nd_store_le32(to + 8, mark->begin);
    nd_store_le32(to + 12, mark->end);
}

static nd_batch_mark get_range(const unsigned char *from) {
    return (nd_batch_mark){nd_load_le64(from), nd_load_le32(from + 8), nd_load_le32(from + 12),
                           false};
}

nd_batch_mark nd_store_pending(const nd_store *s) {
    const nd_manifest *state = &s->state;
    if (state->pending_size != UNFINISHED_SIZE && state->pending_size != FINISHED_SIZE)
        return (nd_batch_mark){0};
    nd_batch_mark mark = get_range(state->pending);
    mark.finished = state->pending_size == FINISHED_SIZE;
    return mark.begin <= mark.end && mark.end <= nd_store_segment_numbers(s) ? mark
                                                                             : (nd_batch_mark){0};
}

nd_status nd_store_set_pending(nd_manifest *state, const nd_batch_mark *mark, nd_error *error) {
    unsigned char bytes[FINISHED_SIZE];
    if (mark->end == 0) return nd_manifest_set_pending(state, NULL, 0, error);
    put_range(mark, bytes);
    nd_store_le64(bytes + UNFINISHED_SIZE, 1);
    return nd_manifest_set_pending(state, bytes, mark->finished ? FINISHED_SIZE : UNFINISHED_SIZE,
                                   error);
}

bool nd_store_read_batch(const unsigned char *payload, size_t size, nd_batch_mark *out) {
    if (size != ND_BATCH_RECORD_SIZE) return false;
    *out = get_range(payload);
    out->finished = true;
    return out->begin <= out->end;
}

nd_status nd_store_mark_batch(nd_store *s, const nd_batch_mark *mark, nd_error *error) {
    unsigned char payload[ND_BATCH_RECORD_SIZE];
    nd_error failure;
    ND_TRY(still_good(s, error));
    put_range(mark, payload);
    ND_TRY(spoil(s, nd_log_append(s->log, ND_LOG_BATCH, payload, sizeof payload, &failure),
                 &failure, error));
    s->batch = *mark;
    return ND_OK;
}

/* ---- the next state */

/* The number that a number of now has when the log has become a segment, without what is removed in
 * it. */
static uint32_t flushed(const nd_store *s, uint32_t number) {
    uint32_t to = nd_store_segment_numbers(s), recent = nd_memory_table_count(s->recent);
    if (number <= to) return number;
    uint32_t behind = number - to;
    for (uint32_t d = 0; d < behind && d < recent; d++)
        to += !nd_memory_table_is_removed(s->recent, d);
    return behind > recent ? to + (behind - recent) : to;
}

/* The next state: the last one, what is in the log as a segment, and one more that the caller has
 * made (or NULL). `mark`: of the batch then, in the numbers of now. */
static nd_status next_state(nd_store *s, const nd_manifest_segment *more, const nd_batch_mark *mark,
                            nd_manifest *next, nd_error *error) {
    nd_manifest_segment recent = {.documents = nd_memory_table_live(s->recent)};
    nd_batch_mark moved = {mark->batch, flushed(s, mark->begin), flushed(s, mark->end),
                           mark->finished};
    if (recent.documents > 0) ND_TRY(write_recent(s, &recent, error));
    ND_TRY(nd_manifest_copy(&s->state, next, error));
    ND_TRY(nd_store_set_pending(next, &moved, error));
    if (recent.documents > 0) ND_TRY(nd_manifest_add_segment(next, &recent, error));
    return more ? nd_manifest_add_segment(next, more, error) : ND_OK;
}

nd_status nd_store_flush(nd_store *s, nd_error *error) {
    ND_TRY(still_good(s, error));
    if (nd_memory_table_count(s->recent) == 0 && s->removed_since_count == 0) return ND_OK;
    nd_manifest next;
    nd_manifest_init(&next, &s->allocator);
    nd_status status = next_state(s, NULL, &s->batch, &next, error);
    if (status == ND_OK) status = nd_store_change_state(s, &next, error);
    nd_manifest_free(&next);
    return status;
}

nd_status nd_store_settle(nd_store *s, nd_error *error) {
    return nd_memory_table_live(s->recent) < nd_memory_table_count(s->recent)
               ? nd_store_flush(s, error)
               : ND_OK;
}

nd_status nd_store_publish(nd_store *s, const nd_manifest_segment *segment,
                           const nd_batch_mark *mark, nd_error *error) {
    static const nd_batch_mark none = {0};
    ND_TRY(still_good(s, error));
    nd_manifest next;
    nd_manifest_init(&next, &s->allocator);
    nd_status status = next_state(s, segment, mark ? mark : &none, &next, error);
    if (status == ND_OK) status = nd_store_change_state(s, &next, error);
    nd_manifest_free(&next);
    return status;
}
