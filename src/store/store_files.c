#include "store/store_files.h"

#include "store/state_directory.h"
#include "store/store_inside.h"

#include <string.h>

nd_status nd_store_new_file(nd_store *s, nd_manifest *next, nd_state_file_kind kind, uint64_t *file,
                            char **path, nd_error *error) {
    for (bool is_free = false; !is_free;) {
        *file = next->next_file++;
        s->state.next_file = next->next_file;
        ND_TRY(nd_state_is_free(s->directory, kind, *file, &s->allocator, &is_free, error));
    }
    *path = nd_state_file_path(&s->allocator, s->directory, kind, *file);
    return *path ? ND_OK : nd_fail_memory(error, strlen(s->directory), "a path");
}

nd_status nd_store_new_log(nd_store *s, nd_manifest *next, nd_error *error) {
    nd_wal *log = NULL;
    char *path;
    ND_TRY(nd_store_new_file(s, next, ND_FILE_LOG, &next->log, &path, error));
    nd_status status = nd_wal_create(path, next->log, &s->allocator, &log, error);
    nd_wal_close(log);
    nd_release(&s->allocator, path);
    return status;
}

/* nd_state_uses_fn: the state names the file, or it is a part of a linked segment, or a merge
 * writes it. */
static bool uses(void *context, const nd_state_file *file) {
    const nd_store *s = context;
    const nd_manifest *state = &s->state;
    if (file->kind == ND_FILE_SEGMENT && file->number == s->merging) return true;
    if (file->unfinished) return false;
    if (file->kind == ND_FILE_LOG) return file->number == state->log;
    if (file->kind == ND_FILE_TOMBSTONES) return file->number == state->removed;
    for (size_t i = 0; i < state->segment_count; i++)
        if (state->segments[i].file == file->number ||
            nd_segment_has_part(s->segments[i], file->number))
            return true;
    return false;
}

nd_status nd_store_remove_orphans(nd_store *s, nd_error *error) {
    return nd_state_remove_orphans(s->directory, ND_OWNER_INDEX, uses, s, s->disposal, error);
}
