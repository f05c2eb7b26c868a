#include "store/segment_merge.h"

#include "base/limits.h"
#include "store/flush.h"
#include "store/segment_writer.h"
#include "store/store_inside.h"

/* Segments are copied if they have fewer documents together than COPIED_DOCUMENTS; if more than
 * half of these are removed; and if they have more than MOST_PARTS parts, so that the files of an
 * index stay few. SORT_MEMORY: bytes of memory for each sort. */
enum {
    SORT_MEMORY = ND_LIMIT(32 << 20, 4096),
    COPIED_DOCUMENTS = ND_LIMIT(1 << 16, 8),
    MOST_PARTS = ND_LIMIT(64, 9),
};

/* ---- making a merge */

static size_t count_of(const nd_segment_merge *m) { return m->range.end - m->range.first; }

/* Documents that the state does not remove. Those that the log removes stay in a linked segment: if
 * the log is lost, they are there. Segments are copied when the log removes none. */
static uint32_t live_of(const nd_store *s, size_t segment) {
    const nd_manifest_segment *m = &s->state.segments[segment];
    return m->documents - m->removed;
}

static bool is_removed_by_state(const nd_store *s, uint32_t number) {
    return nd_tombstones_has(&s->tombstones, number) &&
           !nd_tombstones_added(&s->tombstones, number);
}

bool nd_segment_range_links(const nd_store *s, nd_segment_range range) {
    uint64_t all = 0, live = 0;
    size_t parts = 0;
    if (s->state.settings.kind != ND_KIND_DOCUMENTS) return false;
    for (size_t g = range.first; g < range.end; g++) {
        all += s->segments[g]->documents;
        parts += s->segments[g]->part_count;
        live += live_of(s, g);
    }
    return all >= COPIED_DOCUMENTS && live > all / 2 && parts <= MOST_PARTS;
}

/* Numbers the documents of the range's segment i. */
static nd_status number_segment(const nd_store *s, nd_segment_merge *m, size_t i, nd_error *error) {
    size_t g = m->range.first + i;
    uint32_t all = s->segments[g]->documents, live = live_of(s, g), number = m->merged.documents;
    m->begins[i] = number;
    m->live += live;
    m->merged.documents += m->linked ? all : live;
    if (live == all) return ND_OK;
    m->removed[i] = nd_allocate_zero(&m->allocator, (size_t)all / 8 + 1, 1);
    if (!m->linked) m->moved[i] = nd_allocate(&m->allocator, all, sizeof *m->moved[i]);
    if (!m->removed[i] || (!m->linked && !m->moved[i]))
        return nd_fail_memory(error, all * sizeof *m->moved[i], "merging segments");
    for (uint32_t d = 0; d < all; d++) {
        bool removed = is_removed_by_state(s, s->begins[g] + d);
        if (removed) m->removed[i][d >> 3] |= (uint8_t)(1u << (d & 7));
        if (!m->linked) m->moved[i][d] = number;
        number += !removed;
    }
    return ND_OK;
}

nd_status nd_segment_merge_init(nd_store *s, nd_segment_range range, bool linked,
                                nd_segment_merge *m, nd_error *error) {
    size_t count = range.end - range.first;
    *m = (nd_segment_merge){.allocator = s->allocator,
                            .settings = s->state.settings,
                            .disk = &s->disk,
                            .range = range,
                            .linked = linked};
    m->segments = nd_allocate(&m->allocator, count, sizeof *m->segments);
    m->removed = nd_allocate_zero(&m->allocator, count, sizeof *m->removed);
    m->moved = nd_allocate_zero(&m->allocator, count, sizeof *m->moved);
    m->begins = nd_allocate_zero(&m->allocator, count, sizeof *m->begins);
    m->inputs = nd_allocate(&m->allocator, count, sizeof *m->inputs);
    if (!m->segments || !m->removed || !m->moved || !m->begins || !m->inputs)
        return nd_fail_memory(error, count * sizeof *m->inputs, "merging segments");
    for (size_t i = 0; i < count; i++) {
        m->segments[i] = s->segments[range.first + i];
        ND_TRY(number_segment(s, m, i, error));
    }
    return m->merged.documents == 0 ? ND_OK
                                    : nd_store_segment_path(s, &m->path, &m->merged.file, error);
}

void nd_segment_merge_free(nd_segment_merge *m) {
    const nd_allocator *a = &m->allocator;
    for (size_t i = 0; i < count_of(m); i++) {
        if (m->removed) nd_release(a, m->removed[i]);
        if (m->moved) nd_release(a, m->moved[i]);
    }
    void *const parts[] = {m->segments, m->path, m->removed, m->moved, m->begins, m->inputs};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(a, parts[i]);
}

/* ---- writing it */

/* The number in the new segment of a document of segment i of the range. UINT32_MAX: it is removed.
 */
static uint32_t moved_document(const nd_segment_merge *m, size_t i, uint32_t document) {
    const uint8_t *removed = m->removed[i];
    if (removed && removed[document >> 3] >> (document & 7) & 1) return UINT32_MAX;
    return m->moved[i] ? m->moved[i][document] : m->begins[i] + document;
}

/* Asks whether to go on, once in INTERVAL of the items that are done one by one. */
static nd_status ask(const nd_segment_merge *m, uint32_t done, nd_error *error) {
    enum { INTERVAL = 4096 };
    if (done % INTERVAL != 0) return ND_OK;
    if (atomic_load(&m->stopped)) return nd_fail(error, ND_ERR_CANCELLED, "a merge is given up");
    return nd_progress_poll(m->disk->progress, error);
}

static nd_status copy_rows(const nd_segment_merge *m, nd_segment_writer *w, nd_error *error) {
    nd_stored_document document;
    nd_id_digits digits;
    for (size_t i = 0; i < count_of(m); i++) {
        for (uint32_t d = 0; d < m->segments[i]->documents; d++) {
            ND_TRY(ask(m, d, error));
            if (moved_document(m, i, d) == UINT32_MAX) continue;
            ND_TRY(nd_segment_row(m->segments[i], d, &digits, &document, error));
            ND_TRY(nd_segment_put_document(w, &document, error));
        }
    }
    return ND_OK;
}

typedef struct fingerprint_copy {
    const nd_segment_merge *merge;
    nd_segment_writer *writer;
    size_t segment;
    uint32_t done;
} fingerprint_copy;

static nd_status copy_fingerprint(void *context, nd_fingerprint fingerprint, uint32_t document,
                                  nd_error *error) {
    fingerprint_copy *c = context;
    ND_TRY(ask(c->merge, c->done++, error));
    uint32_t number = moved_document(c->merge, c->segment, document);
    return number == UINT32_MAX
               ? ND_OK
               : nd_segment_put_fingerprints(c->writer, &fingerprint, number, 1, error);
}

static nd_status copy_fingerprints(const nd_segment_merge *m, nd_segment_writer *w,
                                   nd_error *error) {
    for (size_t i = 0; i < count_of(m); i++) {
        fingerprint_copy c = {.merge = m, .writer = w, .segment = i};
        ND_TRY(nd_hamming_each(&m->segments[i]->hamming, copy_fingerprint, &c, error));
    }
    return ND_OK;
}

static nd_status put_merged(const nd_segment_merge *m, nd_key_merge *keys, nd_segment_writer *w,
                            nd_error *error) {
    uint32_t put = 0, asked = 0;
    for (nd_key_entries next;; put += next.count) {
        ND_TRY(ask(m, asked, error));
        asked += ND_CURSOR_ENTRIES;
        ND_TRY(nd_key_merge_next(keys, &next, error));
        if (next.count > m->live - put || (next.count == 0 && put < m->live))
            return nd_fail(error, ND_ERR_CORRUPT,
                           "%s, or a segment behind it: a table does not have the documents of its "
                           "segment",
                           nd_sealed_path(m->segments[0]->file));
        if (next.count == 0) return ND_OK;
        ND_TRY(nd_segment_put_keys(w, next.keys, next.documents, next.count, error));
    }
}

/* Merges table number `table` of all segments. The order of segments is that of documents. */
static nd_status merge_table(const nd_segment_merge *m, uint32_t table, nd_segment_writer *w,
                             nd_error *error) {
    nd_key_merge *keys = NULL;
    for (size_t i = 0; i < count_of(m); i++)
        m->inputs[i] = (nd_key_input){&m->segments[i]->tables[table], m->begins[i], m->moved[i],
                                      m->removed[i]};
    nd_status status = nd_key_merge_create(m->inputs, count_of(m), &m->allocator, &keys, error);
    if (status == ND_OK) status = put_merged(m, keys, w, error);
    nd_key_merge_free(keys);
    return status;
}

static nd_status create_linked(const nd_segment_merge *m, nd_segment_writer **out,
                               nd_error *error) {
    size_t count = 0, used = 0;
    for (size_t i = 0; i < count_of(m); i++) count += m->segments[i]->part_count;
    nd_manifest_segment *parts = nd_allocate(&m->allocator, count, sizeof *parts);
    if (!parts) return nd_fail_memory(error, count * sizeof *parts, "merging segments");
    for (size_t i = 0; i < count_of(m); i++)
        for (size_t p = 0; p < m->segments[i]->part_count; p++)
            parts[used++] = m->segments[i]->parts[p].name;
    const nd_linked_request request = {.path = m->path,
                                       .settings = &m->settings,
                                       .parts = parts,
                                       .part_count = count,
                                       .entries = m->live,
                                       .allocator = &m->allocator};
    nd_status status = nd_segment_writer_create_linked(&request, out, error);
    nd_release(&m->allocator, parts);
    return status;
}

static nd_status write_to(const nd_segment_merge *m, nd_segment_writer **w, nd_error *error) {
    const nd_segment_request request = {.path = m->path,
                                        .settings = &m->settings,
                                        .documents = m->merged.documents,
                                        .disk = m->disk,
                                        .memory_limit = SORT_MEMORY,
                                        .allocator = &m->allocator};
    ND_TRY(m->linked ? create_linked(m, w, error) : nd_segment_writer_create(&request, w, error));
    if (!m->linked) ND_TRY(copy_rows(m, *w, error));
    if (m->settings.kind == ND_KIND_FINGERPRINTS) return copy_fingerprints(m, *w, error);
    for (uint32_t table = 0; table < m->settings.bands + m->linked; table++)
        ND_TRY(merge_table(m, table, *w, error));
    return ND_OK;
}

nd_status nd_segment_merge_run(void *context, nd_error *error) {
    nd_segment_merge *m = context;
    nd_segment_writer *w = NULL;
    nd_status status = write_to(m, &w, error);
    if (status == ND_OK) status = nd_segment_finish(w, &m->merged.seal, error);
    nd_segment_writer_free(w);
    return status;
}
