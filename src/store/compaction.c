/* Merging segments, and checking all of an index.
 *
 * Levels: a segment of n documents has the level floor(log4(n)). When the last TIER segments or
 * more are of no higher level than the last one, they become one. So n documents are in at most
 * TIER - 1 segments a level. Small segments are copied together; of large ones the tables alone are
 * merged, in a linked segment over the rows where they are (O'Neil et al., "The log-structured
 * merge-tree", 1996; rows apart from keys as in Lu et al., "WiscKey", 2016). */
#include "base/limits.h"
#include "similarity/packed_set.h"
#include "store/store_inside.h"

#include <string.h>

enum { TIER = 4 };

/* Segments of fewer documents together are copied, and those that would get more parts: the files
 * of an index stay few. So are those that are half removed. */
enum {
    SORT_MEMORY = ND_LIMIT(32 << 20, 4096),
    COPIED_DOCUMENTS = ND_LIMIT(1 << 16, 8),
    MOST_PARTS = ND_LIMIT(64, 9),
};

/* The segments [first, end) of a store, to become one. */
typedef struct merger {
    nd_store *store;
    size_t first, end;
    bool linked; /* documents keep their numbers, and removed ones their places */
    /* Of each segment: the place of a document in the new one, UINT32_MAX of a removed one; NULL:
     * none is removed, and they follow the segment's begin. */
    uint32_t **places;
    uint32_t *begins;   /* of each segment in the new one */
    uint32_t documents; /* of the new one */
    uint32_t live;
    nd_key_cursor *cursors; /* one a segment */
    bool *more;
} merger;

static uint32_t live_of(const nd_store *s, size_t segment) {
    uint32_t live = 0;
    for (uint32_t d = 0; d < s->segments[segment]->documents; d++)
        live += !nd_store_is_removed(s, s->begins[segment] + d);
    return live;
}

static size_t parts_of(const merger *m) {
    size_t parts = 0;
    for (size_t g = m->first; g < m->end; g++) parts += m->store->segments[g]->part_count;
    return parts;
}

static nd_status place_documents(merger *m, nd_error *error) {
    nd_store *s = m->store;
    const nd_allocator *a = &s->allocator;
    size_t count = m->end - m->first;
    m->places = nd_allocate_zero(a, count, sizeof *m->places);
    m->begins = nd_allocate_zero(a, count, sizeof *m->begins);
    m->cursors = nd_allocate(a, count, sizeof *m->cursors);
    m->more = nd_allocate(a, count, sizeof *m->more);
    if (!m->places || !m->begins || !m->cursors || !m->more)
        return nd_fail_memory(error, count * sizeof *m->cursors, "merging segments");
    for (size_t g = m->first; g < m->end; g++) {
        uint32_t all = s->segments[g]->documents, live = live_of(s, g), place = m->documents;
        m->begins[g - m->first] = place;
        m->documents += m->linked ? all : live;
        if (live == all) continue;
        uint32_t *places = m->places[g - m->first] = nd_allocate(a, all, sizeof *places);
        if (!places) return nd_fail_memory(error, all * sizeof *places, "merging segments");
        for (uint32_t d = 0; d < all; d++) {
            bool removed = nd_store_is_removed(s, s->begins[g] + d);
            places[d] = removed ? UINT32_MAX : place;
            place += m->linked || !removed;
        }
    }
    return ND_OK;
}

/* UINT32_MAX: removed. */
static uint32_t place_of(const merger *m, size_t g, uint32_t document) {
    const uint32_t *places = m->places[g - m->first];
    return places ? places[document] : m->begins[g - m->first] + document;
}

/* Now and then, of what is done one by one. */
static nd_status ask(const merger *m, uint32_t done, nd_error *error) {
    enum { ASKED = 4096 };
    return done % ASKED == 0 ? nd_progress_ask(m->store->disk.progress, error) : ND_OK;
}

static nd_status copy_rows(const merger *m, nd_segment_writer *w, nd_error *error) {
    nd_stored_document document;
    nd_id_digits digits;
    for (size_t g = m->first; g < m->end; g++) {
        for (uint32_t d = 0; d < m->store->segments[g]->documents; d++) {
            ND_TRY(ask(m, d, error));
            if (place_of(m, g, d) == UINT32_MAX) continue;
            ND_TRY(nd_segment_row(m->store->segments[g], d, &digits, &document, error));
            ND_TRY(nd_segment_put_document(w, &document, error));
        }
    }
    return ND_OK;
}

typedef struct fingerprint_copy {
    const merger *merger;
    nd_segment_writer *writer;
    size_t segment;
    uint32_t done;
} fingerprint_copy;

static nd_status copy_fingerprint(void *context, nd_fingerprint fingerprint, uint32_t document,
                                  nd_error *error) {
    fingerprint_copy *c = context;
    ND_TRY(ask(c->merger, c->done++, error));
    uint32_t place = place_of(c->merger, c->segment, document);
    return place == UINT32_MAX
               ? ND_OK
               : nd_segment_put_fingerprints(c->writer, &fingerprint, place, 1, error);
}

static nd_status copy_fingerprints(const merger *m, nd_segment_writer *w, nd_error *error) {
    for (size_t g = m->first; g < m->end; g++) {
        fingerprint_copy c = {.merger = m, .writer = w, .segment = g};
        ND_TRY(nd_hamming_each(&m->store->segments[g]->hamming, copy_fingerprint, &c, error));
    }
    return ND_OK;
}

/* The next entry of a segment's table whose document stays. */
static nd_status advance(const merger *m, size_t g, nd_key_cursor *cursor, bool *more,
                         nd_error *error) {
    do {
        ND_TRY(nd_key_cursor_next(cursor, more, error));
        if (*more && cursor->document >= m->store->segments[g]->documents)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: a band names a document that is not there",
                           nd_sealed_path(m->store->segments[g]->file));
    } while (*more && place_of(m, g, cursor->document) == UINT32_MAX);
    return ND_OK;
}

/* Equal keys go in the order of segments, which is that of documents. */
static nd_status merge_table(const merger *m, uint32_t table, nd_segment_writer *w,
                             nd_error *error) {
    size_t count = m->end - m->first;
    uint32_t put = 0;
    for (size_t i = 0; i < count; i++) {
        m->cursors[i] = nd_key_cursor_begin(&m->store->segments[m->first + i]->tables[table]);
        ND_TRY(advance(m, m->first + i, &m->cursors[i], &m->more[i], error));
    }
    for (;;) {
        size_t least = count;
        for (size_t i = 0; i < count; i++)
            if (m->more[i] && (least == count || m->cursors[i].key < m->cursors[least].key))
                least = i;
        if (put == m->live || least == count) break;
        ND_TRY(ask(m, put++, error));
        ND_TRY(nd_segment_put_key(w, m->cursors[least].key,
                                  place_of(m, m->first + least, m->cursors[least].document),
                                  error));
        ND_TRY(advance(m, m->first + least, &m->cursors[least], &m->more[least], error));
    }
    for (size_t i = 0; i < count; i++)
        if (m->more[i] || put < m->live)
            return nd_fail(error, ND_ERR_CORRUPT,
                           "%s: a table has not the documents that are there",
                           nd_sealed_path(m->store->segments[m->first + i]->file));
    return ND_OK;
}

static nd_status create_linked(const merger *m, const char *path, nd_segment_writer **out,
                               nd_error *error) {
    nd_store *s = m->store;
    size_t count = parts_of(m), used = 0;
    nd_manifest_segment *parts = nd_allocate(&s->allocator, count, sizeof *parts);
    if (!parts) return nd_fail_memory(error, count * sizeof *parts, "merging segments");
    for (size_t g = m->first; g < m->end; g++)
        for (size_t p = 0; p < s->segments[g]->part_count; p++)
            parts[used++] = s->segments[g]->parts[p].name;
    nd_status status = nd_segment_writer_create_linked(path, &s->state.settings, parts, count,
                                                       m->live, &s->allocator, out, error);
    nd_release(&s->allocator, parts);
    return status;
}

static nd_status write_to(const merger *m, const char *path, nd_segment_writer **w,
                          nd_error *error) {
    nd_store *s = m->store;
    uint32_t bands = s->state.settings.bands;
    if (m->linked) ND_TRY(create_linked(m, path, w, error));
    else
        ND_TRY(nd_segment_writer_create(path, &s->state.settings, m->documents, &s->disk,
                                        SORT_MEMORY, &s->allocator, w, error));
    if (!m->linked) ND_TRY(copy_rows(m, *w, error));
    if (s->state.settings.bits) return copy_fingerprints(m, *w, error);
    for (uint32_t table = 0; table < bands + m->linked; table++)
        ND_TRY(merge_table(m, table, *w, error));
    return ND_OK;
}

static nd_status write_merged(merger *m, nd_manifest_segment *merged, nd_error *error) {
    char *path;
    nd_segment_writer *w = NULL;
    merged->documents = m->documents;
    ND_TRY(nd_store_segment_path(m->store, &path, &merged->file, error));
    nd_status status = write_to(m, path, &w, error);
    if (status == ND_OK) status = nd_segment_finish(w, &merged->seal, error);
    nd_segment_writer_free(w);
    nd_release(&m->store->allocator, path);
    return status;
}

/* A number, after removed documents of what is merged have fallen out before it. */
static uint32_t moved(const merger *m, uint32_t number) {
    const nd_store *s = m->store;
    uint32_t dropped = 0, end = number < s->begins[m->end] ? number : s->begins[m->end];
    for (uint32_t n = s->begins[m->first]; n < end && !m->linked; n++)
        dropped += nd_store_is_removed(s, n);
    return number - dropped;
}

/* The next state, with the merged segment, if anything is left of it, in place of what it was made
 * of. */
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
        nd_batch_mark mark = s->batch;
        mark.begin = moved(m, mark.begin);
        mark.end = moved(m, mark.end);
        status = nd_store_set_pending(&next, &mark, error);
        s->linked = m->linked ? merged->file : 0;
        s->linked_begin = s->begins[m->first];
        if (status == ND_OK) status = nd_store_change_state(s, &next, error);
        s->linked = 0;
    }
    nd_manifest_free(&next);
    return status;
}

static nd_status merge_range(nd_store *s, size_t first, size_t end, bool copied, nd_error *error) {
    merger m = {.store = s, .first = first, .end = end};
    nd_manifest_segment merged = {0};
    uint32_t all = s->begins[end] - s->begins[first];
    for (size_t g = first; g < end; g++) m.live += live_of(s, g);
    m.linked = !copied && !s->state.settings.bits && all >= COPIED_DOCUMENTS && m.live > all / 2 &&
               parts_of(&m) <= MOST_PARTS;
    nd_status status = place_documents(&m, error);
    if (status == ND_OK && m.documents > 0) status = write_merged(&m, &merged, error);
    if (status == ND_OK) status = replace_merged(&m, &merged, error);
    for (size_t i = 0; m.places && i < end - first; i++) nd_release(&s->allocator, m.places[i]);
    nd_release(&s->allocator, m.places);
    nd_release(&s->allocator, m.begins);
    nd_release(&s->allocator, m.cursors);
    nd_release(&s->allocator, m.more);
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

static bool is_compact(const nd_store *s) {
    return s->state.segment_count == 0 ||
           (s->state.segment_count == 1 && s->state.segments[0].removed == 0 &&
            s->segments[0]->parts[0].file == s->segments[0]->file);
}

nd_status nd_store_merge(nd_store *s, bool all, nd_error *error) {
    ND_TRY(nd_store_flush(s, error));
    if (all) return is_compact(s) ? ND_OK : merge_range(s, 0, s->state.segment_count, true, error);
    for (size_t first; first = first_of_level(s), s->state.segment_count - first >= TIER;)
        ND_TRY(merge_range(s, first, s->state.segment_count, false, error));
    return ND_OK;
}

/* ---- checking */

static nd_status check_id(const nd_store *s, uint32_t number, nd_error *error) {
    nd_stored_document document;
    nd_id_digits digits;
    uint32_t found;
    ND_TRY(nd_store_id(s, number, &digits, &document, error));
    ND_TRY(nd_store_find_id(s, document.id, document.id_length, &found, error));
    if (found != number)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: documents %u and %u have one id", s->directory,
                       number, found);
    return ND_OK;
}

/* They ascend, those of removed documents too: so each is there once, and nothing need be looked
 * up. */
static nd_status check_numbers(const nd_store *s, nd_error *error) {
    uint32_t last = 0, id;
    for (uint32_t number = 0; number < nd_store_numbers(s); number++, last = id) {
        ND_TRY(nd_store_id_number(s, number, &id, error));
        if (number > 0 && id <= last)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: ids do not ascend: %u stands behind %u",
                           s->directory, id, last);
    }
    return ND_OK;
}

static nd_status check_ids(const nd_store *s, nd_error *error) {
    if (s->state.settings.numbered) return check_numbers(s, error);
    for (uint32_t number = 0; number < nd_store_numbers(s); number++)
        if (!nd_store_is_removed(s, number)) ND_TRY(check_id(s, number, error));
    return ND_OK;
}

/* Reading the log counts the sets' values alone. */
static nd_status check_recent_sets(const nd_store *s, nd_error *error) {
    uint64_t *values = NULL;
    size_t capacity = 0;
    nd_status status = ND_OK;
    for (uint32_t d = 0;
         status == ND_OK && s->state.settings.exact && d < nd_memory_table_count(s->recent); d++) {
        nd_stored_document document;
        size_t count = 0;
        nd_memory_table_document(s->recent, d, &document);
        bool fine = nd_packed_set_count(document.set, document.set_size, &count);
        if (!nd_reserve(&s->allocator, &values, &capacity, count))
            status = nd_fail_memory(error, count * sizeof *values, "a set");
        else if (!fine || !nd_packed_set_unpack(document.set, document.set_size, count, values))
            status = nd_fail(error, ND_ERR_CORRUPT,
                             "%s/log-%llu: the set of document %u of it is damaged", s->directory,
                             (unsigned long long)s->state.log, d);
    }
    nd_release(&s->allocator, values);
    return status;
}

static nd_status no_record(void *context, uint16_t type, const unsigned char *payload, size_t size,
                           nd_error *error) {
    (void)context, (void)type, (void)payload, (void)size, (void)error;
    return ND_OK;
}

/* Whether another state has taken the place of the one that is open. */
static bool is_superseded(const nd_store *s) {
    nd_manifest state;
    bool unlike;
    nd_manifest_init(&state, &s->allocator);
    bool newer = nd_manifest_read(s->directory, &s->allocator, &state, &unlike, NULL) == ND_OK &&
                 state.generation > s->state.generation;
    nd_manifest_free(&state);
    return newer;
}

/* Read anew. A reader's may have gone meanwhile. */
static nd_status check_log(const nd_store *s, nd_error *error) {
    char *path = nd_index_path(&s->allocator, s->directory, "log", s->state.log);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_log_tail tail;
    nd_status status = nd_log_read(path, s->state.log, no_record, NULL, &s->allocator, &tail,
                                   error);
    nd_release(&s->allocator, path);
    return status == ND_ERR_IO && s->mode == ND_STORE_READ && is_superseded(s) ? ND_OK : status;
}

nd_status nd_store_check(const nd_store *s, nd_error *error) {
    ND_TRY(nd_manifest_check(s->directory, &s->allocator, error));
    for (size_t g = 0; g < s->state.segment_count; g++) {
        ND_TRY(nd_segment_check(s->segments[g], error));
        uint32_t removed = 0;
        for (uint32_t d = 0; d < s->segments[g]->documents; d++)
            removed += nd_store_is_removed(s, s->begins[g] + d) &&
                       !nd_removed_bit(&s->removed_since, s->begins[g] + d);
        if (removed != s->state.segments[g].removed)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: %u documents are removed, not %u",
                           nd_sealed_path(s->segments[g]->file), removed,
                           s->state.segments[g].removed);
    }
    ND_TRY(check_ids(s, error));
    ND_TRY(check_recent_sets(s, error));
    return check_log(s, error);
}
