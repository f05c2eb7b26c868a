#include "store/store_commit.h"

#include "base/bits.h"
#include "base/limits.h"
#include "store/store_inside.h"

/* Bounds of the memtable and its log, in bytes, and of fingerprints in it, which every query scans
 * one by one. */
enum {
    FULL_BYTES = ND_LIMIT(48 << 20, 20000),
    FULL_FINGERPRINTS = ND_LIMIT(16384, 64),
};

void nd_store_abandon_group(nd_store *s, uint32_t count, const nd_error *failure) {
    if (s->in_memory) nd_memtable_take_back(s->memtable, count);
    else if (nd_store_document_count(s) > count) s->failure = *failure;
}

/* Adds the keys of the document that was added last. If it is taken back, its keys stay: a filter
 * may have more keys than the store. */
static void add_to_filter(nd_store *s, const nd_stored_document *document) {
    for (uint32_t band = 0; s->filter && band < s->filter->bands; band++)
        nd_key_filter_add(s->filter, band, document->keys[band]);
}

/* Appends a record to the log. A failure ends all changes. */
static nd_status append(nd_store *s, uint16_t type, const void *payload, size_t size,
                        nd_error *error) {
    nd_error failure;
    if (s->in_memory) return ND_OK;
    return nd_store_end_step(s, nd_wal_append(s->log, type, payload, size, &failure), &failure,
                             error);
}

nd_status nd_store_add(nd_store *s, const nd_stored_document *document, nd_error *error) {
    const nd_row_layout layout = nd_settings_layout(&s->state.settings);
    size_t size = nd_row_size(document, &layout);
    ND_TRY(nd_store_check_writable(s, error));
    if (nd_store_document_count(s) == UINT32_MAX - 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: more than %u documents", s->directory,
                       UINT32_MAX - 1);
    if (size > ND_WAL_MAX_RECORD)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: a document of %zu bytes is too large",
                       s->directory, size);
    if (s->in_memory) return nd_memtable_add(s->memtable, document, error);
    ND_TRY(nd_memtable_add(s->memtable, document, error));
    add_to_filter(s, document);
    uint32_t number = nd_memtable_count(s->memtable) - 1;
    const unsigned char *row = nd_memtable_row(s->memtable, number, &size);
    nd_status status = append(s, ND_LOG_ADD, row, size, error);
    if (status != ND_OK) nd_memtable_take_back(s->memtable, number);
    return status;
}

nd_status nd_store_mark_removed(nd_store *s, uint32_t number, nd_error *error) {
    uint32_t recent = nd_store_segment_numbers(s);
    if (number < recent) return nd_tombstones_add(&s->tombstones, number, &s->allocator, error);
    nd_memtable_remove(s->memtable, number - recent);
    return ND_OK;
}

/* Checks that a document can be removed, and makes room for its mark. */
static nd_status prepare_removal(nd_store *s, uint32_t number, nd_error *error) {
    ND_TRY(nd_store_check_writable(s, error));
    if (number >= nd_store_document_count(s) || nd_store_is_removed(s, number))
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: no document %u", s->directory, number);
    return number < nd_store_segment_numbers(s)
               ? nd_tombstones_reserve(&s->tombstones, number, &s->allocator, error)
               : ND_OK;
}

nd_status nd_store_remove(nd_store *s, uint32_t number, nd_error *error) {
    unsigned char payload[4];
    ND_TRY(prepare_removal(s, number, error));
    nd_store_le32(payload, number);
    ND_TRY(append(s, ND_LOG_REMOVE, payload, sizeof payload, error));
    return nd_store_mark_removed(s, number, error);
}

nd_status nd_store_replace(nd_store *s, uint32_t number, const nd_stored_document *document,
                           nd_error *error) {
    uint32_t count = nd_memtable_count(s->memtable);
    ND_TRY(prepare_removal(s, number, error));
    ND_TRY(nd_store_add(s, document, error));
    nd_status status = nd_store_remove(s, number, error);
    if (status != ND_OK) nd_memtable_take_back(s->memtable, count);
    return status;
}

nd_ingest_mark nd_store_ingest_mark(const nd_store *s) { return s->mark; }

nd_status nd_store_mark_ingest(nd_store *s, const nd_ingest_mark *mark, nd_error *error) {
    unsigned char payload[ND_INGEST_MARK_SIZE];
    ND_TRY(nd_store_check_writable(s, error));
    nd_ingest_mark_write(mark, payload);
    ND_TRY(append(s, ND_LOG_INGEST, payload, sizeof payload, error));
    s->mark = *mark;
    return ND_OK;
}

static nd_status end_group(nd_store *s, nd_status (*end)(nd_wal *, nd_error *), nd_error *error) {
    nd_error failure;
    ND_TRY(nd_store_check_writable(s, error));
    if (s->in_memory) return ND_OK;
    return nd_store_end_step(s, end(s->log, &failure), &failure, error);
}

nd_status nd_store_commit(nd_store *s, nd_error *error) {
    return end_group(s, nd_wal_commit, error);
}

nd_status nd_store_seal(nd_store *s, nd_error *error) { return end_group(s, nd_wal_seal, error); }

bool nd_store_has_uncommitted(const nd_store *s) { return s->log && nd_wal_has_group(s->log); }

nd_status nd_store_sync(nd_store *s, nd_error *error) {
    return s->log ? nd_wal_sync(s->log, error) : ND_OK;
}

bool nd_store_is_full(const nd_store *s) {
    uint32_t count = nd_memtable_count(s->memtable);
    if (s->in_memory) return count - nd_memtable_live_count(s->memtable) > count / 2;
    if (!s->log) return false;
    if (s->state.settings.kind == ND_KIND_FINGERPRINTS && count >= FULL_FINGERPRINTS) return true;
    return nd_memtable_bytes(s->memtable) + nd_wal_size(s->log) / 2 > FULL_BYTES;
}
