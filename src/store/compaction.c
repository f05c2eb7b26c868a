#include "store/compaction.h"

#include "base/limits.h"
#include "store/flush.h"
#include "store/segment_writer.h"
#include "store/store_inside.h"
#include "store/store_state.h"

#include <string.h>

/* A segment of n documents has the level floor(log4(n)). When the last TIER segments or more have
 * no higher level than the last one, they are merged into one. So n documents are in at most TIER -
 * 1 segments per level. Small segments are copied together; of large ones the tables alone are
 * merged, into a linked segment over the rows where they are (O'Neil et al., "The log-structured
 * merge-tree", 1996; rows apart from keys as in Lu et al., "WiscKey", 2016). */
enum { TIER = 4 };

/* Segments are copied if they have fewer documents together than COPIED_DOCUMENTS; if more than
 * half of these are removed; and if they have more than MOST_PARTS parts, so that the files of an
 * index stay few. SORT_MEMORY: bytes of memory for each sort. */
enum {
    SORT_MEMORY = ND_LIMIT(32 << 20, 4096),
    COPIED_DOCUMENTS = ND_LIMIT(1 << 16, 8),
    MOST_PARTS = ND_LIMIT(64, 9),
};

/* The merge of the segments [first, end) of a store into one. */
typedef struct merger {
    nd_store *store;
    size_t first, end;
    bool linked; /* the new segment is linked: removed documents keep their numbers there */
    /* For each segment, the number in the new one of each of its documents, UINT32_MAX if it is
     * removed. NULL: none is removed, and the numbers follow the segment's begin. */
    uint32_t **moved;
    uint32_t *begins;   /* for each segment, its first number in the new one */
    uint32_t documents; /* of the new segment */
    uint32_t live;
    nd_key_cursor *cursors; /* one per segment */
    uint64_t *heads;        /* keys of the cursors' entries; UINT64_MAX: there is none */
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

static nd_status number_documents(merger *m, nd_error *error) {
    nd_store *s = m->store;
    const nd_allocator *a = &s->allocator;
    size_t count = m->end - m->first;
    m->moved = nd_allocate_zero(a, count, sizeof *m->moved);
    m->begins = nd_allocate_zero(a, count, sizeof *m->begins);
    m->cursors = nd_allocate(a, count, sizeof *m->cursors);
    m->heads = nd_allocate(a, count, sizeof *m->heads);
    if (!m->moved || !m->begins || !m->cursors || !m->heads)
        return nd_fail_memory(error, count * sizeof *m->cursors, "merging segments");
    for (size_t g = m->first; g < m->end; g++) {
        uint32_t all = s->segments[g]->documents, live = live_of(s, g), number = m->documents;
        m->begins[g - m->first] = number;
        m->documents += m->linked ? all : live;
        if (live == all) continue;
        uint32_t *moved = m->moved[g - m->first] = nd_allocate(a, all, sizeof *moved);
        if (!moved) return nd_fail_memory(error, all * sizeof *moved, "merging segments");
        for (uint32_t d = 0; d < all; d++) {
            bool removed = nd_store_is_removed(s, s->begins[g] + d);
            moved[d] = removed ? UINT32_MAX : number;
            number += m->linked || !removed;
        }
    }
    return ND_OK;
}

/* The number of a document in the new segment. UINT32_MAX: it is removed. */
static uint32_t moved_document(const merger *m, size_t g, uint32_t document) {
    const uint32_t *moved = m->moved[g - m->first];
    return moved ? moved[document] : m->begins[g - m->first] + document;
}

/* Asks whether to go on, once in INTERVAL of the items that are done one by one. */
static nd_status ask(const merger *m, uint32_t done, nd_error *error) {
    enum { INTERVAL = 4096 };
    return done % INTERVAL == 0 ? nd_progress_poll(m->store->disk.progress, error) : ND_OK;
}

static nd_status copy_rows(const merger *m, nd_segment_writer *w, nd_error *error) {
    nd_stored_document document;
    nd_id_digits digits;
    for (size_t g = m->first; g < m->end; g++) {
        for (uint32_t d = 0; d < m->store->segments[g]->documents; d++) {
            ND_TRY(ask(m, d, error));
            if (moved_document(m, g, d) == UINT32_MAX) continue;
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
    uint32_t number = moved_document(c->merger, c->segment, document);
    return number == UINT32_MAX
               ? ND_OK
               : nd_segment_put_fingerprints(c->writer, &fingerprint, number, 1, error);
}

static nd_status copy_fingerprints(const merger *m, nd_segment_writer *w, nd_error *error) {
    for (size_t g = m->first; g < m->end; g++) {
        fingerprint_copy c = {.merger = m, .writer = w, .segment = g};
        ND_TRY(nd_hamming_each(&m->store->segments[g]->hamming, copy_fingerprint, &c, error));
    }
    return ND_OK;
}

/* Moves the cursor of segment first + i to the next entry whose document is not removed. */
static nd_status advance(const merger *m, size_t i, nd_error *error) {
    const nd_segment *segment = m->store->segments[m->first + i];
    nd_key_cursor *cursor = &m->cursors[i];
    bool more;
    do {
        ND_TRY(nd_key_cursor_next(cursor, &more, error));
        if (more && cursor->document >= segment->documents)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: a band names a document that is not there",
                           nd_sealed_path(segment->file));
    } while (more && moved_document(m, m->first + i, cursor->document) == UINT32_MAX);
    m->heads[i] = more ? cursor->key : UINT64_MAX;
    return ND_OK;
}

/* Returns the first of the least heads, without branches that depend on keys. */
static size_t least_of(const uint64_t *heads, size_t count) {
    size_t least = 0;
    uint64_t key = heads[0];
    for (size_t i = 1; i < count; i++) {
        bool below = heads[i] < key;
        least = below ? i : least;
        key = below ? heads[i] : key;
    }
    return least;
}

/* Merges table number `table` of all segments. Equal keys come in the order of segments, which is
 * the order of documents. */
static nd_status merge_table(const merger *m, uint32_t table, nd_segment_writer *w,
                             nd_error *error) {
    size_t count = m->end - m->first;
    for (size_t i = 0; i < count; i++) {
        nd_key_cursor_begin(&m->store->segments[m->first + i]->tables[table], &m->cursors[i]);
        ND_TRY(advance(m, i, error));
    }
    uint64_t keys[ND_PUT_KEYS];
    uint32_t documents[ND_PUT_KEYS], put = 0, waiting = 0;
    for (; put < m->live; put++) {
        size_t i = least_of(m->heads, count);
        if (m->heads[i] == UINT64_MAX) break;
        if (waiting == ND_PUT_KEYS) {
            ND_TRY(nd_segment_put_keys(w, keys, documents, waiting, error));
            waiting = 0;
        }
        ND_TRY(ask(m, put, error));
        keys[waiting] = m->heads[i];
        documents[waiting++] = moved_document(m, m->first + i, m->cursors[i].document);
        ND_TRY(advance(m, i, error));
    }
    ND_TRY(nd_segment_put_keys(w, keys, documents, waiting, error));
    for (size_t i = 0; i < count; i++)
        if (m->heads[i] != UINT64_MAX || put < m->live)
            return nd_fail(error, ND_ERR_CORRUPT,
                           "%s: a table does not have the documents of its segment",
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
    const nd_linked_request request = {.path = path,
                                       .settings = &s->state.settings,
                                       .parts = parts,
                                       .part_count = count,
                                       .entries = m->live,
                                       .allocator = &s->allocator};
    nd_status status = nd_segment_writer_create_linked(&request, out, error);
    nd_release(&s->allocator, parts);
    return status;
}

static nd_status write_to(const merger *m, const char *path, nd_segment_writer **w,
                          nd_error *error) {
    nd_store *s = m->store;
    const nd_segment_request request = {.path = path,
                                        .settings = &s->state.settings,
                                        .documents = m->documents,
                                        .disk = &s->disk,
                                        .memory_limit = SORT_MEMORY,
                                        .allocator = &s->allocator};
    uint32_t bands = s->state.settings.bands;
    ND_TRY(m->linked ? create_linked(m, path, w, error)
                     : nd_segment_writer_create(&request, w, error));
    if (!m->linked) ND_TRY(copy_rows(m, *w, error));
    if (s->state.settings.kind == ND_KIND_FINGERPRINTS) return copy_fingerprints(m, *w, error);
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

/* The number that a document of the store gets, when removed documents are gone from the merged
 * segments. */
static uint32_t moved_number(const merger *m, uint32_t number) {
    const nd_store *s = m->store;
    uint32_t dropped = 0, end = number < s->begins[m->end] ? number : s->begins[m->end];
    for (uint32_t n = s->begins[m->first]; n < end && !m->linked; n++)
        dropped += nd_store_is_removed(s, n);
    return number - dropped;
}

/* Puts the merged segment, if it has documents, in place of the segments that it was made of. */
static nd_status make_next(merger *m, const nd_manifest_segment *merged, nd_manifest *next,
                           nd_error *error) {
    ND_TRY(nd_manifest_copy(&m->store->state, next, error));
    size_t after = next->segment_count - m->end;
    nd_manifest_segment *to = next->segments + m->first;
    if (m->documents > 0) *to++ = *merged;
    memmove(to, next->segments + m->end, after * sizeof *to);
    next->segment_count = (size_t)(to - next->segments) + after;
    nd_ingest_mark mark = m->store->mark;
    mark.begin = moved_number(m, mark.begin);
    mark.end = moved_number(m, mark.end);
    return nd_ingest_mark_set(next, &mark, error);
}

static nd_status replace_merged(merger *m, const nd_manifest_segment *merged, nd_error *error) {
    nd_store *s = m->store;
    nd_next_state next = {.linked = m->linked ? merged->file : 0,
                          .linked_begin = s->begins[m->first]};
    nd_manifest_init(&next.manifest, &s->allocator);
    nd_status status = make_next(m, merged, &next.manifest, error);
    if (status == ND_OK) status = nd_store_install(s, &next, error);
    nd_manifest_free(&next.manifest);
    return status;
}

typedef enum merge_way { MERGE_LINKED_IF_LARGE, MERGE_COPIED } merge_way;

static nd_status merge_range(nd_store *s, size_t first, size_t end, merge_way way,
                             nd_error *error) {
    merger m = {.store = s, .first = first, .end = end};
    nd_manifest_segment merged = {0};
    uint32_t all = s->begins[end] - s->begins[first];
    for (size_t g = first; g < end; g++) m.live += live_of(s, g);
    m.linked = way == MERGE_LINKED_IF_LARGE && s->state.settings.kind == ND_KIND_DOCUMENTS &&
               all >= COPIED_DOCUMENTS && m.live > all / 2 && parts_of(&m) <= MOST_PARTS;
    nd_status status = number_documents(&m, error);
    if (status == ND_OK && m.documents > 0) status = write_merged(&m, &merged, error);
    if (status == ND_OK) status = replace_merged(&m, &merged, error);
    for (size_t i = 0; m.moved && i < end - first; i++) nd_release(&s->allocator, m.moved[i]);
    nd_release(&s->allocator, m.moved);
    nd_release(&s->allocator, m.begins);
    nd_release(&s->allocator, m.cursors);
    nd_release(&s->allocator, m.heads);
    return status;
}

static unsigned level(const nd_store *s, size_t segment) {
    unsigned level = 0;
    for (uint32_t n = s->state.segments[segment].documents; n >= 4; n /= 4) level++;
    return level;
}

/* The first of the last segments, which have no higher level than the very last. */
static size_t first_of_level(const nd_store *s) {
    size_t end = s->state.segment_count, first = end;
    while (first > 0 && level(s, first - 1) <= level(s, end - 1)) first--;
    return first;
}

static bool is_compact(const nd_store *s) {
    return s->state.segment_count == 0 ||
           (s->state.segment_count == 1 && s->state.segments[0].removed == 0 &&
            !nd_segment_is_linked(s->segments[0]));
}

nd_status nd_store_compact_levels(nd_store *s, nd_error *error) {
    ND_TRY(nd_store_flush(s, error));
    for (size_t first; first = first_of_level(s), s->state.segment_count - first >= TIER;)
        ND_TRY(merge_range(s, first, s->state.segment_count, MERGE_LINKED_IF_LARGE, error));
    return ND_OK;
}

nd_status nd_store_compact_all(nd_store *s, nd_error *error) {
    ND_TRY(nd_store_flush(s, error));
    return is_compact(s) ? ND_OK : merge_range(s, 0, s->state.segment_count, MERGE_COPIED, error);
}
