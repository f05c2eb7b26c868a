#include "store/recovery.h"

#include "base/bits.h"
#include "store/numbered_names.h"
#include "store/store_commit.h"
#include "store/store_inside.h"

#include <string.h>

static nd_status replay_add(nd_store *s, const unsigned char *payload, size_t size,
                            nd_error *error) {
    nd_stored_document document;
    const nd_row_layout layout = nd_settings_layout(&s->state.settings);
    if (!nd_row_read(payload, size, &layout, s->keys, &document))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: a document in its log is damaged", s->directory);
    return nd_memtable_add(s->memtable, &document, error);
}

static nd_status replay_mark(nd_store *s, const unsigned char *payload, size_t size,
                             nd_error *error) {
    nd_ingest_mark mark;
    if (!nd_ingest_mark_read(payload, size, &mark) || mark.end > nd_store_document_count(s))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the mark of a batch in its log is damaged",
                       s->directory);
    s->mark = mark;
    return ND_OK;
}

/* nd_wal_record_fn */
static nd_status replay(void *context, uint16_t type, const unsigned char *payload, size_t size,
                        nd_error *error) {
    nd_store *s = context;
    if (type == ND_LOG_ADD) return replay_add(s, payload, size, error);
    if (type == ND_LOG_INGEST) return replay_mark(s, payload, size, error);
    if (type != ND_LOG_REMOVE || size != 4)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: a record in its log has an unknown type",
                       s->directory);
    uint32_t number = nd_load_le32(payload);
    if (number >= nd_store_document_count(s) || nd_store_is_removed(s, number))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: its log removes document %u, which is not there",
                       s->directory, number);
    return nd_store_mark_removed(s, number, error);
}

nd_status nd_store_recover(nd_store *s, nd_error *error) {
    uint32_t bands = s->state.settings.bands;
    if (!s->keys) s->keys = nd_allocate(&s->allocator, bands, sizeof *s->keys);
    if (!s->keys) return nd_fail_memory(error, bands * sizeof *s->keys, "band keys");
    char *path = nd_state_file_path(&s->allocator, s->directory, ND_FILE_LOG, s->state.log);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_wal_tail tail;
    nd_status status = nd_wal_read(path, s->state.log, replay, s, &s->allocator, &tail, error);
    if (status == ND_OK && s->mode == ND_STORE_WRITE)
        status = nd_wal_open(path, s->state.log, tail, &s->allocator, &s->log, error);
    nd_release(&s->allocator, path);
    return status;
}
