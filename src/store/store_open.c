#include "store/store_open.h"

#include "io/file.h"
#include "store/compaction.h"
#include "store/state_directory.h"
#include "store/store_files.h"
#include "store/store_inside.h"
#include "store/store_lock.h"
#include "store/store_state.h"

#include <string.h>

/* Fails if there is no index. This comes before the lock, so that no lock file is made there. */
static nd_status find_index(const nd_store *s, nd_error *error) {
    nd_manifest state;
    bool repair;
    nd_manifest_init(&state, &s->allocator);
    nd_status status = nd_manifest_read(s->directory, &s->allocator, &state, &repair, error);
    nd_manifest_free(&state);
    return status;
}

/* If the directory holds a stream, or lines, says so. */
static nd_status fail_no_index(const nd_store *s, nd_status status, nd_error *error) {
    nd_state_kind kind;
    if (status != ND_ERR_IO ||
        nd_state_find_kind(s->directory, &s->allocator, &kind, NULL) != ND_OK ||
        (kind != ND_STATE_STREAM && kind != ND_STATE_LINES))
        return status;
    return nd_fail(error, ND_ERR_IO, "%s: %s, not %s", s->directory, nd_state_name(kind),
                   kind == ND_STATE_LINES ? "one of documents" : "an index");
}

/* Opens the newest state. If some of its files are gone, a writer has installed another state
 * meanwhile, and the newest one is tried again. */
static nd_status open_newest(nd_store *s, nd_error *error) {
    for (uint64_t tried = 0;;) {
        nd_manifest state;
        nd_error failure;
        bool repair;
        ND_TRY(nd_manifest_read(s->directory, &s->allocator, &state, &repair, error));
        uint64_t generation = state.generation;
        /* A writer writes the manifest again even if its two files are equal: a writer that was
         * killed may have left them in memory only. */
        nd_status status = s->mode == ND_STORE_WRITE
                               ? nd_manifest_write(s->directory, &state, &failure)
                               : ND_OK;
        if (status == ND_OK) status = nd_store_load(s, &state, &failure);
        nd_manifest_free(&state);
        if (status == ND_OK) return ND_OK;
        if (status != ND_ERR_IO || generation == tried) return nd_fail_as(error, &failure);
        tried = generation;
    }
}

/* Creates a store without its files. */
static nd_status create(const char *directory, nd_store_mode mode, const nd_allocator *allocator,
                        nd_store **out, nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_store *s = nd_allocate_zero(&memory, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "an index");
    s->allocator = memory;
    s->mode = mode;
    s->lock = ND_PROCESS_LOCK_NONE;
    nd_manifest_init(&s->state, &memory);
    s->directory = nd_string_join(&memory, directory, "", "");
    s->disk.directory = s->directory;
    if (!s->directory) {
        nd_release(&memory, s);
        return nd_fail_memory(error, strlen(directory), "an index");
    }
    *out = s;
    return ND_OK;
}

nd_status nd_store_open(const char *directory, nd_store_mode mode, const nd_allocator *allocator,
                        nd_store **out, nd_error *error) {
    nd_store *s = NULL;
    nd_status status = ND_OK;
    ND_TRY(create(directory, mode, allocator, &s, error));
    if (mode == ND_STORE_WRITE) status = find_index(s, error);
    if (status == ND_OK && mode == ND_STORE_WRITE)
        status = nd_store_lock_take(directory, &s->allocator, &s->lock, error);
    if (status == ND_OK && mode == ND_STORE_WRITE)
        status = nd_file_disposal_create(&s->allocator, &s->disposal, error);
    if (status == ND_OK) status = open_newest(s, error);
    if (status == ND_OK && mode == ND_STORE_WRITE) status = nd_store_remove_orphans(s, error);
    if (status != ND_OK) {
        status = fail_no_index(s, status, error);
        nd_store_close(s);
        return status;
    }
    *out = s;
    return ND_OK;
}

nd_status nd_store_open_in_memory(const nd_index_settings *settings, const nd_allocator *allocator,
                                  nd_store **out, nd_error *error) {
    nd_store *s = NULL;
    const nd_row_layout layout = nd_settings_layout(settings);
    ND_TRY(create("an index in memory", ND_STORE_WRITE, allocator, &s, error));
    s->in_memory = true;
    s->state.settings = *settings;
    s->state.generation = 1;
    s->begins = nd_allocate_zero(&s->allocator, 1, sizeof *s->begins);
    nd_status status = s->begins
                           ? nd_memtable_create(&layout, 0, &s->allocator, &s->memtable, error)
                           : nd_fail_memory(error, sizeof *s->begins, "segments");
    if (status != ND_OK) {
        nd_store_close(s);
        return status;
    }
    *out = s;
    return ND_OK;
}

nd_status nd_store_filter_keys(nd_store *s, nd_error *error) {
    s->filters_keys = s->state.settings.bands > 0;
    ND_TRY(nd_store_update_filter(s, s->segments, s->state.segment_count, error));
    nd_store_filter_memtable(s);
    return ND_OK;
}

bool nd_store_is_in_memory(const nd_store *s) { return s->in_memory; }

void nd_store_close(nd_store *s) {
    if (!s) return;
    nd_allocator a = s->allocator;
    nd_store_give_up_merge(s);
    nd_store_unload(s);
    nd_key_filter_free(s->filter);
    nd_file_disposal_free(s->disposal);
    nd_process_lock_release(&s->lock);
    nd_release(&a, s->directory);
    nd_release(&a, s->keys);
    nd_release(&a, s);
}

nd_status nd_store_check_process(const nd_store *s, nd_error *error) {
    return nd_process_lock_check(&s->lock, s->directory, error);
}

void nd_store_set_view_lock(nd_store *s, pthread_rwlock_t *view) { s->view = view; }
