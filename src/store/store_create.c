#include "store/store_create.h"

#include "io/file.h"
#include "store/state_directory.h"
#include "store/store_files.h"
#include "store/store_inside.h"
#include "store/store_lock.h"
#include "store/store_open.h"

#include <string.h>
#include <unistd.h>

static nd_status add_first(nd_store *s, nd_manifest *state, nd_first_segment_fn *first,
                           void *context, nd_error *error) {
    nd_manifest_segment segment = {0};
    char *path;
    ND_TRY(nd_store_new_file(s, state, ND_FILE_SEGMENT, &segment.file, &path, error));
    nd_status status = first(context, path, &segment, error);
    nd_release(&s->allocator, path);
    ND_TRY(status);
    return segment.documents > 0 ? nd_manifest_add_segment(state, &segment, error) : ND_OK;
}

/* Writes the first state: its segment, its log, and last its manifest. */
static nd_status write_first_state(nd_store *s, nd_manifest *state, nd_first_segment_fn *first,
                                   void *context, nd_error *error) {
    ND_TRY(nd_store_remove_orphans(s, error));
    state->generation = 1;
    state->next_file = 1;
    if (first) ND_TRY(add_first(s, state, first, context, error));
    ND_TRY(nd_store_new_log(s, state, error));
    return nd_manifest_write(s->directory, state, error);
}

/* Allocates nothing, since memory may have run out. */
static void remove_all(const char *directory, nd_process_lock *lock, bool made) {
    char path[ND_PATH_SIZE];
    nd_manifest_remove(directory);
    nd_status status = nd_state_remove_orphans(directory, ND_OWNER_INDEX, NULL, NULL, NULL, NULL);
    (void)status; /* the next making of an index there recognises what is left */
    if (nd_path_join(path, directory, "lock")) nd_process_lock_remove(lock, path);
    nd_process_lock_release(lock);
    if (made) rmdir(directory);
}

nd_status nd_store_create(const char *directory, const nd_index_settings *settings,
                          nd_first_segment_fn *first, void *context, const nd_allocator *allocator,
                          nd_error *error) {
    nd_store s = {.allocator = nd_allocator_or_default(allocator), .lock = ND_PROCESS_LOCK_NONE};
    bool made = false, begun = false;
    s.directory = nd_string_join(&s.allocator, directory, "", "");
    if (!s.directory) return nd_fail_memory(error, strlen(directory), "a path");
    nd_manifest state;
    nd_manifest_init(&state, &s.allocator);
    state.settings = *settings;
    nd_status status = nd_state_check_free(directory, ND_OWNER_INDEX, &s.allocator, error);
    if (status == ND_OK) status = nd_directory_create(directory, &made, &s.allocator, error);
    if (status == ND_OK) status = nd_store_lock_take(directory, &s.allocator, &s.lock, error);
    /* Again, since another process may have made one before this one had the lock. */
    if (status == ND_OK)
        status = nd_state_check_free(directory, ND_OWNER_INDEX, &s.allocator, error);
    begun = status == ND_OK;
    if (status == ND_OK) status = write_first_state(&s, &state, first, context, error);
    nd_manifest_free(&state);
    if (status != ND_OK && begun) remove_all(directory, &s.lock, made);
    else if (status != ND_OK && made) rmdir(directory);
    nd_process_lock_release(&s.lock);
    nd_release(&s.allocator, s.directory);
    return status;
}

nd_status nd_store_remove_empty(const char *directory, const nd_allocator *allocator,
                                nd_error *error) {
    nd_store *s;
    ND_TRY(nd_store_open(directory, ND_STORE_WRITE, allocator, &s, error));
    uint32_t documents = nd_store_document_count(s);
    if (documents == 0) remove_all(directory, &s->lock, true);
    nd_store_close(s);
    return documents == 0 ? ND_OK
                          : nd_fail(error, ND_ERR_IO,
                                    "%s: there is an index already, with documents", directory);
}

void nd_store_remove_unused(const char *directory) {
    nd_process_lock lock = ND_PROCESS_LOCK_NONE;
    char path[ND_PATH_SIZE];
    bool locked = nd_path_join(path, directory, "lock") &&
                  nd_process_lock_acquire(path, &lock, NULL) == ND_OK;
    if (locked) remove_all(directory, &lock, true);
}
