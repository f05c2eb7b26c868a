#include "store/store_state.h"

#include "store/recovery.h"
#include "store/store_files.h"
#include "store/store_inside.h"

#include <string.h>

/* ---- opening the files of a state */

/* The open files of a state that has not replaced the store's yet. */
typedef struct opened {
    nd_segment **segments;
    uint32_t *begins;
    nd_tombstones tombstones;
    nd_memtable *memtable; /* the store's, if it has one, which is then cleared */
} opened;

static nd_segment *already_open(const nd_store *s, const nd_manifest_segment *wanted) {
    for (size_t i = 0; i < s->state.segment_count; i++)
        if (s->segments && s->state.segments[i].file == wanted->file) return s->segments[i];
    return NULL;
}

static bool is_in(nd_segment *const *segments, size_t count, const nd_segment *segment) {
    for (size_t i = 0; segments && i < count; i++)
        if (segments[i] == segment) return true;
    return false;
}

/* Closes the segments of a list, except those that another list has, too. */
static void close_segments(const nd_allocator *a, nd_segment **segments, size_t count,
                           nd_segment *const *except, size_t except_count) {
    for (size_t i = 0; segments && i < count; i++)
        if (!is_in(except, except_count, segments[i])) nd_segment_close(segments[i]);
    nd_release(a, segments);
}

static nd_status open_tombstones(const nd_store *s, const nd_manifest *state, opened *o,
                                 nd_error *error) {
    uint32_t removed = 0;
    if (!state->removed) return ND_OK;
    for (size_t i = 0; i < state->segment_count; i++) removed += state->segments[i].removed;
    char *path = nd_state_file_path(&s->allocator, s->directory, ND_FILE_TOMBSTONES,
                                    state->removed);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_status status = nd_tombstones_open(path, &state->removed_seal,
                                          o->begins[state->segment_count], removed, &s->allocator,
                                          &o->tombstones, error);
    nd_release(&s->allocator, path);
    return status;
}

static nd_status open_files(const nd_store *s, const nd_manifest *state, opened *o,
                            nd_error *error) {
    size_t count = state->segment_count;
    o->segments = nd_allocate_zero(&s->allocator, count + 1, sizeof *o->segments);
    o->begins = nd_allocate_zero(&s->allocator, count + 1, sizeof *o->begins);
    if (!o->segments || !o->begins)
        return nd_fail_memory(error, (count + 1) * sizeof *o->segments, "segments");
    for (size_t i = 0; i < count; i++) {
        const nd_manifest_segment *m = &state->segments[i];
        o->begins[i + 1] = o->begins[i] + m->documents;
        o->segments[i] = already_open(s, m);
        if (o->segments[i]) continue;
        ND_TRY(nd_segment_open(s->directory, m, &state->settings, &s->allocator, &o->segments[i],
                               error));
    }
    ND_TRY(open_tombstones(s, state, o, error));
    const nd_row_layout layout = nd_settings_layout(&state->settings);
    o->memtable = s->memtable;
    return s->memtable ? ND_OK : nd_memtable_create(&layout, 0, &s->allocator, &o->memtable, error);
}

/* Frees the open state, except the memtable and the segments that another list has, too. */
static void unload(nd_store *s, nd_segment *const *except, size_t except_count) {
    const nd_allocator *a = &s->allocator;
    close_segments(a, s->segments, s->state.segment_count, except, except_count);
    nd_release(a, s->begins);
    nd_tombstones_close(&s->tombstones, a);
    nd_wal_close(s->log);
    nd_manifest_free(&s->state);
}

void nd_store_unload(nd_store *s) {
    unload(s, NULL, 0);
    nd_memtable_free(s->memtable);
}

static void replace_state(nd_store *s, nd_manifest *state, const opened *o) {
    unload(s, o->segments, state->segment_count);
    s->state = *state;
    nd_manifest_init(state, &s->allocator);
    s->segments = o->segments;
    s->begins = o->begins;
    s->tombstones = o->tombstones;
    s->memtable = o->memtable;
    nd_memtable_clear(s->memtable);
    s->mark = nd_ingest_mark_of(&s->state, nd_store_segment_numbers(s));
    s->log = NULL;
}

/* ---- the filter of keys */

static nd_status filter_segment(nd_key_filter *f, const nd_segment *segment, nd_error *error) {
    for (uint32_t band = 0; band < f->bands; band++)
        ND_TRY(nd_key_filter_add_table(f, band, &segment->tables[band], error));
    return ND_OK;
}

/* Begins an empty filter for the segments. Without memory for it there is none. */
static void begin_filter(nd_store *s, nd_segment *const *segments, size_t count) {
    uint64_t entries = 0;
    nd_error ignored;
    for (size_t i = 0; i < count; i++) entries += segments[i]->entries;
    if (nd_key_filter_create(s->state.settings.bands, entries, &s->allocator, &s->filter,
                             &ignored) != ND_OK)
        s->filter = NULL;
}

nd_status nd_store_update_filter(nd_store *s, nd_segment *const *segments, size_t count,
                                 nd_error *error) {
    if (!s->filters_keys || (s->filter && !nd_key_filter_is_full(s->filter))) return ND_OK;
    nd_store_drop_filter(s);
    begin_filter(s, segments, count);
    for (size_t i = 0; s->filter && i < count; i++) {
        nd_status status = filter_segment(s->filter, segments[i], error);
        if (status == ND_OK) continue;
        nd_store_drop_filter(s);
        return status;
    }
    return ND_OK;
}

void nd_store_filter_memtable(nd_store *s) {
    uint32_t count = nd_memtable_count(s->memtable);
    for (uint32_t d = 0; s->filter && d < count; d++)
        for (uint32_t band = 0; band < s->filter->bands; band++)
            nd_key_filter_add(s->filter, band, nd_memtable_key(s->memtable, d, band));
}

void nd_store_drop_filter(nd_store *s) {
    nd_key_filter_free(s->filter);
    s->filter = NULL;
}

/* ---- loading a state */

nd_status nd_store_load(nd_store *s, nd_manifest *state, nd_error *error) {
    const nd_allocator *a = &s->allocator;
    opened o = {0};
    nd_status status = open_files(s, state, &o, error);
    nd_store_exclude_readers(s); /* they read the filter, too */
    if (status == ND_OK)
        status = nd_store_update_filter(s, o.segments, state->segment_count, error);
    if (status != ND_OK) {
        nd_store_admit_readers(s);
        close_segments(a, o.segments, state->segment_count, s->segments, s->state.segment_count);
        nd_release(a, o.begins);
        nd_tombstones_close(&o.tombstones, a);
        return status;
    }
    replace_state(s, state, &o);
    status = nd_store_recover(s, error);
    nd_store_filter_memtable(s);
    nd_store_admit_readers(s);
    return status;
}

/* ---- installing a new state */

/* The number in the last state of a segment's first document. UINT32_MAX: the segment is new. */
static uint32_t old_begin(const nd_store *s, uint64_t file) {
    for (size_t i = 0; i < s->state.segment_count; i++)
        if (s->state.segments[i].file == file) return s->begins[i];
    return UINT32_MAX;
}

/* Whether a document of the last state is removed in the next. */
static bool is_left_out(const nd_store *s, const nd_next_state *next, uint32_t number) {
    if (next->leaving && next->leaving[number >> 3] >> (number & 7) & 1) return true;
    return nd_store_is_removed(s, number);
}

/* Counts the removed documents of each segment, and returns the sum. */
static uint32_t count_removed(const nd_store *s, nd_next_state *next) {
    uint32_t all = 0;
    for (size_t i = 0; i < next->manifest.segment_count; i++) {
        nd_manifest_segment *m = &next->manifest.segments[i];
        uint32_t begin = old_begin(s, m->file);
        m->removed = 0;
        for (uint32_t d = 0; begin != UINT32_MAX && d < m->documents; d++)
            m->removed += is_left_out(s, next, begin + d);
        all += m->removed;
    }
    return all;
}

static nd_status put_tombstones(const nd_store *s, const nd_next_state *next,
                                nd_tombstone_writer *w, nd_error *error) {
    for (size_t i = 0; i < next->manifest.segment_count; i++) {
        const nd_manifest_segment *m = &next->manifest.segments[i];
        uint32_t begin = old_begin(s, m->file);
        for (uint32_t d = 0; d < m->documents; d++) {
            bool removed = begin != UINT32_MAX && is_left_out(s, next, begin + d);
            ND_TRY(nd_tombstone_writer_put(w, removed, error));
        }
    }
    return ND_OK;
}

static nd_status write_tombstones(nd_store *s, nd_next_state *next, nd_error *error) {
    nd_manifest *m = &next->manifest;
    m->removed = 0;
    m->removed_seal = (nd_seal){0};
    if (count_removed(s, next) == 0) return ND_OK;
    char *path;
    ND_TRY(nd_store_new_file(s, m, ND_FILE_TOMBSTONES, &m->removed, &path, error));
    nd_tombstone_writer *w = NULL;
    nd_status status = nd_tombstone_writer_create(path, &s->allocator, &w, error);
    if (status == ND_OK) status = put_tombstones(s, next, w, error);
    if (status == ND_OK) status = nd_tombstone_writer_finish(w, &m->removed_seal, error);
    nd_tombstone_writer_free(w);
    nd_release(&s->allocator, path);
    return status;
}

nd_status nd_store_install(nd_store *s, nd_next_state *next, nd_error *error) {
    nd_error failure;
    next->manifest.generation = s->state.generation + 1;
    ND_TRY(write_tombstones(s, next, error));
    ND_TRY(nd_store_new_log(s, &next->manifest, error));
    nd_status status = nd_manifest_write(s->directory, &next->manifest, &failure);
    if (status == ND_OK) status = nd_store_load(s, &next->manifest, &failure);
    if (status == ND_OK) status = nd_store_remove_orphans(s, &failure);
    return nd_store_end_step(s, status, &failure, error);
}

/* ---- one segment for several */

/* Names the merged segment in place of the others. */
static nd_status name_merged(const nd_store *s, nd_segment_range range,
                             const nd_manifest_segment *merged, nd_manifest *next,
                             nd_error *error) {
    ND_TRY(nd_manifest_copy(&s->state, next, error));
    nd_manifest_segment *all = next->segments, *to = &all[range.first];
    uint32_t removed = 0;
    for (size_t g = range.first; g < range.end; g++) removed += all[g].removed;
    *to = *merged;
    to->removed = removed;
    memmove(to + 1, all + range.end, (next->segment_count - range.end) * sizeof *all);
    next->segment_count -= range.end - range.first - 1;
    next->generation++;
    return ND_OK;
}

/* Puts an open segment in place of the others, which it closes. */
static void put_merged(nd_store *s, nd_segment_range range, nd_segment *merged, nd_manifest *next) {
    size_t behind = s->state.segment_count - range.end;
    for (size_t g = range.first; g < range.end; g++) nd_segment_close(s->segments[g]);
    s->segments[range.first] = merged;
    memmove(s->segments + range.first + 1, s->segments + range.end, behind * sizeof *s->segments);
    memmove(s->begins + range.first + 1, s->begins + range.end, (behind + 1) * sizeof *s->begins);
    nd_manifest_free(&s->state);
    s->state = *next;
    nd_manifest_init(next, &s->allocator);
}

static nd_status replace_segments(nd_store *s, nd_segment_range range,
                                  const nd_manifest_segment *merged, nd_manifest *next,
                                  nd_error *error) {
    nd_segment *segment;
    nd_error failure;
    ND_TRY(name_merged(s, range, merged, next, error));
    ND_TRY(nd_segment_open(s->directory, &next->segments[range.first], &s->state.settings,
                           &s->allocator, &segment, error));
    nd_status status = nd_manifest_write(s->directory, next, &failure);
    if (status != ND_OK) {
        nd_segment_close(segment);
        return nd_store_end_step(s, status, &failure, error);
    }
    nd_store_exclude_readers(s);
    put_merged(s, range, segment, next);
    nd_store_admit_readers(s);
    return nd_store_end_step(s, nd_store_remove_orphans(s, &failure), &failure, error);
}

nd_status nd_store_replace_segments(nd_store *s, nd_segment_range range,
                                    const nd_manifest_segment *merged, nd_error *error) {
    nd_manifest next;
    nd_manifest_init(&next, &s->allocator);
    nd_status status = replace_segments(s, range, merged, &next, error);
    nd_manifest_free(&next);
    return status;
}
