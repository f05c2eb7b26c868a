#include "store/store_check.h"

#include "similarity/packed_set.h"
#include "store/numbered_names.h"
#include "store/segment_check.h"
#include "store/store_inside.h"

#include <string.h>

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

/* Checks that numeric ids ascend, removed documents included. Then each is there once, and none
 * need be looked up. */
static nd_status check_numbers(const nd_store *s, nd_error *error) {
    uint32_t last = 0, id;
    for (uint32_t number = 0; number < nd_store_document_count(s); number++, last = id) {
        ND_TRY(nd_store_numeric_id(s, number, &id, error));
        if (number > 0 && id <= last)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: ids do not ascend: %u stands behind %u",
                           s->directory, id, last);
    }
    return ND_OK;
}

static nd_status check_ids(const nd_store *s, nd_error *error) {
    if (s->state.settings.numbered) return check_numbers(s, error);
    for (uint32_t number = 0; number < nd_store_document_count(s); number++)
        if (!nd_store_is_removed(s, number)) ND_TRY(check_id(s, number, error));
    return ND_OK;
}

/* Checks the sets of the memtable, of which recovery only counts the values. */
static nd_status check_memtable_sets(const nd_store *s, nd_error *error) {
    uint64_t *values = NULL;
    size_t capacity = 0;
    nd_status status = ND_OK;
    for (uint32_t d = 0;
         status == ND_OK && s->state.settings.exact && d < nd_memtable_count(s->memtable); d++) {
        nd_stored_document document;
        size_t count = 0;
        nd_memtable_document(s->memtable, d, &document);
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

/* nd_wal_record_fn */
static nd_status ignore_record(void *context, uint16_t type, const unsigned char *payload,
                               size_t size, nd_error *error) {
    (void)context, (void)type, (void)payload, (void)size, (void)error;
    return ND_OK;
}

/* Whether a writer has installed a newer state than the open one. */
static bool is_superseded(const nd_store *s) {
    nd_manifest state;
    bool repair;
    nd_manifest_init(&state, &s->allocator);
    bool newer = nd_manifest_read(s->directory, &s->allocator, &state, &repair, NULL) == ND_OK &&
                 state.generation > s->state.generation;
    nd_manifest_free(&state);
    return newer;
}

/* Reads the log again. For a reader it may be gone, if a newer state has replaced it. */
static nd_status check_log(const nd_store *s, nd_error *error) {
    char *path = nd_state_file_path(&s->allocator, s->directory, ND_FILE_LOG, s->state.log);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_wal_tail tail;
    nd_status status = nd_wal_read(path, s->state.log, ignore_record, NULL, &s->allocator, &tail,
                                   error);
    nd_release(&s->allocator, path);
    return status == ND_ERR_IO && s->mode == ND_STORE_READ && is_superseded(s) ? ND_OK : status;
}

nd_status nd_store_check(const nd_store *s, nd_error *error) {
    if (!s->in_memory) ND_TRY(nd_manifest_check(s->directory, &s->allocator, error));
    for (size_t g = 0; g < s->state.segment_count; g++) {
        ND_TRY(nd_segment_check(s->segments[g], error));
        uint32_t removed = 0;
        for (uint32_t d = 0; d < s->segments[g]->documents; d++)
            removed += nd_store_is_removed(s, s->begins[g] + d) &&
                       !nd_tombstones_added(&s->tombstones, s->begins[g] + d);
        if (removed != s->state.segments[g].removed)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: %u documents are removed, not %u",
                           nd_sealed_path(s->segments[g]->file), removed,
                           s->state.segments[g].removed);
    }
    ND_TRY(check_ids(s, error));
    ND_TRY(check_memtable_sets(s, error));
    return s->in_memory ? ND_OK : check_log(s, error);
}
