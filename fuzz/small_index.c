/* The small index on disk: see small_index.h. */
#include "small_index.h"

#include "small_content.h"

#include "store/manifest.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- replaced system calls: nothing here outlives the process, and no other process writes */

int __wrap_fsync(int fd);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)wanted, (void)left;
    return 0;
}

/* ---- its directory */

static const char *directory;
static small_file files[16]; /* sorted by name */
static size_t file_count;
static nd_manifest state;

void small_index_lay(const small_file *changed, const void *bytes, size_t size) {
    target_directory_clear();
    for (size_t f = 0; f < file_count; f++)
        if (&files[f] != changed)
            target_directory_put(files[f].name, files[f].bytes, files[f].size);
    if (bytes) target_directory_put(changed->name, bytes, size);
}

const small_file *small_index_segment(size_t segment) {
    for (size_t f = 0; f < file_count; f++)
        if (strncmp(files[f].name, "segment-", 8) == 0 &&
            small_index_number(&files[f]) == state.segments[segment].file)
            return &files[f];
    target_fail("%s: there is no segment %zu", directory, segment);
}

const small_file *small_index_file(const char *prefix) {
    for (size_t f = 0; f < file_count; f++)
        if (strncmp(files[f].name, prefix, strlen(prefix)) == 0) return &files[f];
    target_fail("%s: there is no file %s", directory, prefix);
}

uint64_t small_index_number(const small_file *file) {
    return strtoull(strrchr(file->name, '-') + 1, NULL, 10);
}

void small_index_lay_sealed(const small_file *changed, const void *bytes, size_t size,
                            const nd_seal *seal) {
    nd_error error;
    nd_manifest updated;
    small_index_lay(changed, bytes, size);
    if (nd_manifest_copy(&state, &updated, &error) != ND_OK) target_fail("%s", error.message);
    uint64_t number = small_index_number(changed);
    if (updated.removed == number) updated.removed_seal = *seal;
    for (size_t i = 0; i < updated.segment_count; i++)
        if (updated.segments[i].file == number) updated.segments[i].seal = *seal;
    if (nd_manifest_write(directory, &updated, &error) != ND_OK) target_fail("%s", error.message);
    nd_manifest_free(&updated);
}

/* ---- its use */

/* The check has found the index sound: nothing may fail from now on. */
static bool whole;

bool small_fine(nd_status status, const nd_error *error) {
    if (status == ND_OK) return true;
    if (error->status != status)
        target_fail("status %d, and %d in the error: %s", (int)status, (int)error->status,
                    error->message);
    if (strlen(error->message) < 5 || strchr(error->message, '\n'))
        target_fail("status %d with the message \"%s\"", (int)status, error->message);
    if (whole)
        target_fail("an index that was found whole fails: status %d: %s", (int)status,
                    error->message);
    return false;
}

void small_checked(nd_status status, const nd_error *error) { whole = small_fine(status, error); }

bool small_is_whole(void) { return whole; }

void small_index_use(void) {
    whole = false;
    small_content_use(directory);
}

/* ---- its making */

void small_index_make(void) {
    nd_error error;
    bool repair;
    whole = true;
    directory = target_directory_make();
    small_content_make(directory);
    nd_manifest_init(&state, &nd_allocator_default);
    small_fine(nd_manifest_read(directory, &nd_allocator_default, &state, &repair, &error), &error);
    file_count = target_directory_load(files, sizeof files / sizeof *files);
    if (state.segment_count != 2 || state.segments[0].documents != small_content_first())
        target_fail("%s: not the small index that is wanted", directory);
}
