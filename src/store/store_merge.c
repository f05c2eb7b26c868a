/* Merging segments, and checking all of an index.
 *
 * Levels: a segment of n documents has the level floor(log4(n)). When the last TIER segments or more are of no higher level than the last one, they become one. So n documents are in at most
 * TIER - 1 segments a level, and each document is written again about once a level. */
#include "store/store_inside.h"

#include <string.h>

enum { TIER = 4 };

#ifdef ND_TINY_LIMITS
enum { SORT_MEMORY = 4096 };
#else
enum { SORT_MEMORY = 32 << 20 };
#endif

/* The segments [first, end) of a store, to become one. */
typedef struct merger {
    nd_store *store;
    size_t first, end;
    uint32_t **places; /* of each segment: place of a document in the new one; NULL: none was removed, and they follow the segment's begin */
    uint32_t *begins;  /* place of each segment's first document that stays */
    uint32_t documents;
} merger;

static uint32_t live_of(const nd_store *s, size_t segment) {
    uint32_t live = 0;
    for (uint32_t d = 0; d < s->segments[segment]->documents; d++) live += !nd_store_is_removed(s, s->begins[segment] + d);
    return live;
}

static nd_status place_documents(merger *m, nd_error *error) {
    nd_store *s = m->store;
    const nd_allocator *a = &s->allocator;
    m->places = nd_allocate_zero(a, m->end - m->first, sizeof *m->places);
    m->begins = nd_allocate_zero(a, m->end - m->first, sizeof *m->begins);
    if (!m->places || !m->begins) return nd_fail_memory(error, (m->end - m->first) * sizeof *m->places, "merging segments");
    for (size_t g = m->first; g < m->end; g++) {
        uint32_t count = s->segments[g]->documents, live = live_of(s, g), place = m->documents;
        m->begins[g - m->first] = place;
        m->documents += live;
        if (live == count) continue;
        uint32_t *places = m->places[g - m->first] = nd_allocate(a, count, sizeof *places);
        if (!places) return nd_fail_memory(error, count * sizeof *places, "merging segments");
        for (uint32_t d = 0; d < count; d++) places[d] = nd_store_is_removed(s, s->begins[g] + d) ? UINT32_MAX : place++;
    }
    return ND_OK;
}

/* UINT32_MAX: removed. */
static uint32_t place_of(const merger *m, size_t g, uint32_t document) {
    const uint32_t *places = m->places[g - m->first];
    return places ? places[document] : m->begins[g - m->first] + document;
}

static nd_status copy_document(const merger *m, size_t g, uint32_t d, int column, nd_segment_writer *w, nd_error *error) {
    const nd_segment *from = m->store->segments[g];
    const void *bytes = NULL;
    size_t size;
    if (column == 0) {
        ND_TRY(nd_segment_set(from, d, (const unsigned char **)&bytes, &size, error));
        return nd_segment_put_set(w, bytes, size, error);
    }
    if (column == 1) {
        ND_TRY(nd_segment_id(from, d, (const char **)&bytes, &size, error));
        return nd_segment_put_id(w, bytes, size, error);
    }
    ND_TRY(nd_segment_sketch(from, d, (const uint8_t **)&bytes, error));
    return nd_segment_put_sketch(w, bytes, error);
}

static nd_status copy_columns(const merger *m, nd_segment_writer *w, nd_error *error) {
    for (int column = m->store->state.settings.exact ? 0 : 1; column < 3; column++)
        for (size_t g = m->first; g < m->end; g++)
            for (uint32_t d = 0; d < m->store->segments[g]->documents; d++)
                if (place_of(m, g, d) != UINT32_MAX) ND_TRY(copy_document(m, g, d, column, w, error));
    return ND_OK;
}

/* The next entry of a segment's band whose document stays. */
static nd_status advance(const merger *m, size_t g, nd_key_cursor *cursor, bool *more, nd_error *error) {
    do {
        ND_TRY(nd_key_cursor_next(cursor, more, error));
        if (*more && cursor->document >= m->store->segments[g]->documents)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: a band names a document that is not there", nd_sealed_path(m->store->segments[g]->file));
    } while (*more && place_of(m, g, cursor->document) == UINT32_MAX);
    return ND_OK;
}

/* Equal keys go in the order of segments, which is that of documents. */
static nd_status merge_band(const merger *m, uint32_t band, nd_key_cursor *cursors, bool *more, nd_segment_writer *w, nd_error *error) {
    size_t count = m->end - m->first;
    for (size_t i = 0; i < count; i++) {
        cursors[i] = nd_key_cursor_begin(&m->store->segments[m->first + i]->tables[band]);
        ND_TRY(advance(m, m->first + i, &cursors[i], &more[i], error));
    }
    for (;;) {
        size_t least = count;
        for (size_t i = 0; i < count; i++)
            if (more[i] && (least == count || cursors[i].key < cursors[least].key)) least = i;
        if (least == count) return ND_OK;
        ND_TRY(nd_segment_put_key(w, cursors[least].key, place_of(m, m->first + least, cursors[least].document), error));
        ND_TRY(advance(m, m->first + least, &cursors[least], &more[least], error));
    }
}

static nd_status merge_bands(const merger *m, nd_segment_writer *w, nd_error *error) {
    const nd_allocator *a = &m->store->allocator;
    size_t count = m->end - m->first;
    nd_key_cursor *cursors = nd_allocate(a, count, sizeof *cursors);
    bool *more = nd_allocate(a, count, sizeof *more);
    nd_status status = cursors && more ? ND_OK : nd_fail_memory(error, count * sizeof *cursors, "merging segments");
    for (uint32_t band = 0; status == ND_OK && band < m->store->state.settings.bands; band++) status = merge_band(m, band, cursors, more, w, error);
    nd_release(a, cursors);
    nd_release(a, more);
    return status;
}

static nd_status write_merged(merger *m, nd_manifest_segment *merged, nd_error *error) {
    nd_store *s = m->store;
    char *path;
    merged->documents = m->documents;
    ND_TRY(nd_store_segment_path(s, &path, &merged->file, error));
    nd_segment_writer *w = NULL;
    nd_status status = nd_segment_writer_create(path, &s->state.settings, m->documents, &s->disk, SORT_MEMORY, &s->allocator, &w, error);
    if (status == ND_OK) status = copy_columns(m, w, error);
    if (status == ND_OK) status = merge_bands(m, w, error);
    if (status == ND_OK) status = nd_segment_finish(w, &merged->seal, error);
    nd_segment_writer_free(w);
    nd_release(&s->allocator, path);
    return status;
}

/* A number, after removed documents of what is merged have fallen out before it. */
static uint32_t moved(const merger *m, uint32_t number) {
    const nd_store *s = m->store;
    uint32_t dropped = 0, end = number < s->begins[m->end] ? number : s->begins[m->end];
    for (uint32_t n = s->begins[m->first]; n < end; n++) dropped += nd_store_is_removed(s, n);
    return number - dropped;
}

/* The next state, with the merged segment, if anything is left of it, in place of what it was made of. */
static nd_status replace_merged(merger *m, const nd_manifest_segment *merged, nd_error *error) {
    nd_store *s = m->store;
    nd_manifest next;
    nd_manifest_init(&next, &s->allocator);
    nd_status status = nd_manifest_copy(&s->state, &next, error);
    size_t after = next.segment_count - m->end;
    if (status == ND_OK) {
        nd_manifest_segment *to = next.segments + m->first;
        if (m->documents > 0) *to++ = *merged;
        memmove(to, next.segments + m->end, after * sizeof *to);
        next.segment_count = (size_t)(to - next.segments) + after;
        nd_unfinished u = nd_store_unfinished(s);
        u.begin = moved(m, u.begin);
        u.end = moved(m, u.end);
        status = nd_store_set_unfinished(&next, &u, error);
        if (status == ND_OK) status = nd_store_change_state(s, &next, error);
    }
    nd_manifest_free(&next);
    return status;
}

static nd_status merge_range(nd_store *s, size_t first, size_t end, nd_error *error) {
    merger m = {.store = s, .first = first, .end = end};
    nd_manifest_segment merged = {0};
    nd_status status = place_documents(&m, error);
    if (status == ND_OK && m.documents > 0) status = write_merged(&m, &merged, error);
    if (status == ND_OK) status = replace_merged(&m, &merged, error);
    for (size_t i = 0; m.places && i < end - first; i++) nd_release(&s->allocator, m.places[i]);
    nd_release(&s->allocator, m.places);
    nd_release(&s->allocator, m.begins);
    return status;
}

static unsigned level(const nd_store *s, size_t segment) {
    unsigned level = 0;
    for (uint32_t n = s->state.segments[segment].documents; n >= 4; n /= 4) level++;
    return level;
}

/* First of the segments that are of no higher level than the last. */
static size_t first_of_level(const nd_store *s) {
    size_t end = s->state.segment_count, first = end;
    while (first > 0 && level(s, first - 1) <= level(s, end - 1)) first--;
    return first;
}

nd_status nd_store_merge(nd_store *s, bool all, nd_error *error) {
    ND_TRY(nd_store_flush(s, error));
    size_t end = s->state.segment_count;
    bool clean = end == 1 && s->state.segments[0].removed == 0;
    if (all) return end > 0 && !clean ? merge_range(s, 0, end, error) : ND_OK;
    for (size_t first; end = s->state.segment_count, first = first_of_level(s), end - first >= TIER;) ND_TRY(merge_range(s, first, end, error));
    return ND_OK;
}

/* ---- checking */

static nd_status check_id(const nd_store *s, uint32_t number, nd_error *error) {
    const char *id;
    size_t length;
    uint32_t found;
    ND_TRY(nd_store_id(s, number, &id, &length, error));
    ND_TRY(nd_store_find_id(s, id, length, &found, error));
    if (found != number) return nd_fail(error, ND_ERR_CORRUPT, "%s: documents %u and %u have one id", s->directory, number, found);
    return ND_OK;
}

static nd_status no_record(void *context, uint16_t type, const unsigned char *payload, size_t size, nd_error *error) {
    (void)context, (void)type, (void)payload, (void)size, (void)error;
    return ND_OK;
}

/* Whether another state has taken the place of the one that is open. */
static bool is_superseded(const nd_store *s) {
    nd_manifest state;
    bool unlike;
    nd_manifest_init(&state, &s->allocator);
    bool newer = nd_manifest_read(s->directory, &s->allocator, &state, &unlike, NULL) == ND_OK && state.generation > s->state.generation;
    nd_manifest_free(&state);
    return newer;
}

/* Read anew. A reader's may have gone meanwhile. */
static nd_status check_log(const nd_store *s, nd_error *error) {
    char *path = nd_index_path(&s->allocator, s->directory, "log", s->state.log);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    uint64_t end;
    bool torn;
    nd_status status = nd_log_read(path, s->state.log, no_record, NULL, &end, &torn, &s->allocator, error);
    nd_release(&s->allocator, path);
    return status == ND_ERR_IO && s->mode == ND_STORE_READ && is_superseded(s) ? ND_OK : status;
}

nd_status nd_store_check(const nd_store *s, nd_error *error) {
    ND_TRY(nd_manifest_check(s->directory, &s->allocator, error));
    for (size_t g = 0; g < s->state.segment_count; g++) {
        ND_TRY(nd_segment_check(s->segments[g], error));
        uint32_t removed = 0;
        for (uint32_t d = 0; d < s->segments[g]->documents; d++)
            removed += nd_store_is_removed(s, s->begins[g] + d) && !nd_removed_bit(&s->removed_since, s->begins[g] + d);
        if (removed != s->state.segments[g].removed)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: %u documents are removed, not %u", nd_sealed_path(s->segments[g]->file), removed,
                           s->state.segments[g].removed);
    }
    for (uint32_t number = 0; number < nd_store_numbers(s); number++)
        if (!nd_store_is_removed(s, number)) ND_TRY(check_id(s, number, error));
    return check_log(s, error);
}
