#include "store/state_directory.h"

#include "base/format.h"
#include "io/file.h"
#include "storage/sealed_file.h"
#include "storage/write_ahead_log.h"
#include "store/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The owners that have files of a kind, as a bit each, and the files' kind in the sealed header. */
static const struct {
    uint32_t sealed; /* 0: a write-ahead log */
    unsigned owners;
} kinds[ND_FILE_KINDS] = {
    [ND_FILE_SEGMENT] = {ND_SEALED_SEGMENT, 1u << ND_OWNER_INDEX},
    [ND_FILE_TOMBSTONES] = {ND_SEALED_TOMBSTONES, 1u << ND_OWNER_INDEX},
    [ND_FILE_CLUSTERS] = {ND_SEALED_CLUSTERS, 1u << ND_OWNER_STREAM},
    [ND_FILE_LOG] = {0, 1u << ND_OWNER_INDEX | 1u << ND_OWNER_STREAM},
    [ND_FILE_LINES] = {ND_SEALED_LINES, 1u << ND_OWNER_LINES},
    [ND_FILE_LINE_RUN] = {ND_SEALED_LINE_RUN, 1u << ND_OWNER_LINES},
};

nd_status nd_state_is_free(const char *directory, nd_state_file_kind kind, uint64_t number,
                           const nd_allocator *allocator, bool *is_free, nd_error *error) {
    char *path = nd_state_file_path(allocator, directory, kind, number);
    char *unfinished = path ? nd_string_join(allocator, path, ND_UNFINISHED, "") : NULL;
    nd_status status = unfinished ? ND_OK : nd_fail_memory(error, strlen(directory), "a path");
    *is_free = status == ND_OK && nd_name_is_free(path) && nd_name_is_free(unfinished);
    nd_release(allocator, path);
    nd_release(allocator, unfinished);
    return status;
}

/* ---- entries of a directory */

typedef nd_status entry_fn(void *context, const char *path, const char *name, nd_error *error);

/* Calls fn for each entry. A directory that does not exist has none. */
static nd_status each_entry(const char *directory, entry_fn *fn, void *context, nd_error *error) {
    char path[ND_PATH_SIZE];
    DIR *opened = opendir(directory);
    if (!opened)
        return errno == ENOENT
                   ? ND_OK
                   : nd_fail_os(error, errno, "%s: cannot read this directory", directory);
    nd_status status = ND_OK;
    for (struct dirent *entry; status == ND_OK && (entry = readdir(opened));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        bool fits = nd_path_join(path, directory, entry->d_name);
        status = fits ? fn(context, path, entry->d_name, error)
                      : nd_fail_os(error, ENAMETOOLONG, "%s/%s", directory, entry->d_name);
    }
    closedir(opened);
    return status;
}

static bool is_file(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static bool is_empty_file(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0;
}

static bool is_directory(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Whether the owner has made this file. A file with its final name is recognised by its content. */
static bool is_own(const char *path, const char *name, nd_state_owner owner, nd_state_file *out) {
    if (!nd_state_parse_name(name, out) || !(kinds[out->kind].owners >> owner & 1) ||
        !is_file(path))
        return false;
    if (out->unfinished) return true;
    return kinds[out->kind].sealed ? nd_sealed_is(path, kinds[out->kind].sealed)
                                   : nd_wal_is(path, out->number);
}

/* ---- what a directory holds */

const char *nd_state_name(nd_state_kind kind) {
    static const char *const names[] = {"no index and no stream", "an index of documents",
                                        "an index of fingerprints", "a stream",
                                        "an index of lines"};
    return names[kind];
}

/* entry_fn; `context` is the nd_state_kind. */
static nd_status find_state(void *context, const char *path, const char *name, nd_error *error) {
    nd_state_file file;
    (void)error;
    if (!nd_state_parse_name(name, &file) || file.unfinished) return ND_OK;
    if (file.kind == ND_FILE_CLUSTERS && is_own(path, name, ND_OWNER_STREAM, &file))
        *(nd_state_kind *)context = ND_STATE_STREAM;
    if (file.kind == ND_FILE_LINES && is_own(path, name, ND_OWNER_LINES, &file))
        *(nd_state_kind *)context = ND_STATE_LINES;
    return ND_OK;
}

nd_status nd_state_find_kind(const char *directory, const nd_allocator *allocator,
                             nd_state_kind *kind, nd_error *error) {
    uint32_t version = nd_manifest_version(directory, allocator);
    *kind = version == 0   ? ND_STATE_NONE
            : version == 2 ? ND_STATE_FINGERPRINTS
                           : ND_STATE_DOCUMENTS;
    return version > 0 ? ND_OK : each_entry(directory, find_state, kind, error);
}

/* The newest file of a kind. */
typedef struct newest {
    nd_state_file_kind kind;
    uint64_t number;
} newest;

/* entry_fn */
static nd_status find_newer(void *context, const char *path, const char *name, nd_error *error) {
    newest *n = context;
    nd_state_file file;
    (void)path;
    (void)error;
    bool whole = nd_state_parse_name(name, &file) && file.kind == n->kind && !file.unfinished;
    if (whole && file.number > n->number) n->number = file.number;
    return ND_OK;
}

nd_status nd_state_find_newest(const char *directory, nd_state_file_kind kind, uint64_t *number,
                               nd_error *error) {
    newest n = {kind, *number};
    nd_status status = each_entry(directory, find_newer, &n, error);
    *number = n.number;
    return status;
}

/* ---- whether one can be made */

typedef struct obstacle {
    nd_state_owner owner;
    bool found;
    char name[256]; /* the first in byte order, so that it is the same on every machine */
} obstacle;

/* Whether an interrupted making may have left this entry. Nothing that it left has documents. */
static bool is_left(const char *path, const char *name, nd_state_owner owner) {
    nd_state_file file;
    if (is_own(path, name, owner, &file)) return true;
    if (strcmp(name, "lock") == 0) return is_empty_file(path);
    if (strcmp(name, "lost+found") == 0) return is_directory(path);
    if (owner == ND_OWNER_STREAM)
        return strcmp(name, "members") == 0 ? is_empty_file(path)
                                            : strcmp(name, "index") == 0 && is_directory(path);
    return owner == ND_OWNER_INDEX &&
           (strcmp(name, "manifest-0" ND_UNFINISHED) == 0 ||
            strcmp(name, "manifest-1" ND_UNFINISHED) == 0) &&
           is_file(path);
}

/* entry_fn */
static nd_status find_obstacle(void *context, const char *path, const char *name, nd_error *error) {
    obstacle *o = context;
    (void)error;
    if (is_left(path, name, o->owner) || (o->found && strcmp(name, o->name) >= 0)) return ND_OK;
    o->found = true;
    nd_format(o->name, sizeof o->name, "%s", name);
    return ND_OK;
}

static nd_status fail_taken(const char *directory, nd_state_kind kind, nd_state_owner owner,
                            nd_error *error) {
    static const char *const refusals[] = {[ND_OWNER_INDEX] = "an index cannot be made in it",
                                           [ND_OWNER_STREAM] = "a stream cannot be kept in it",
                                           [ND_OWNER_LINES] = "lines cannot be kept in it"};
    bool index = kind == ND_STATE_DOCUMENTS || kind == ND_STATE_FINGERPRINTS;
    return owner == ND_OWNER_INDEX && index
               ? nd_fail(error, ND_ERR_IO, "%s: there is an index already", directory)
               : nd_fail(error, ND_ERR_IO, "%s: %s; %s", directory, nd_state_name(kind),
                         refusals[owner]);
}

nd_status nd_state_check_free(const char *directory, nd_state_owner owner,
                              const nd_allocator *allocator, nd_error *error) {
    nd_state_kind kind;
    obstacle o = {.owner = owner};
    ND_TRY(nd_state_find_kind(directory, allocator, &kind, error));
    if (kind != ND_STATE_NONE) return fail_taken(directory, kind, owner, error);
    ND_TRY(each_entry(directory, find_obstacle, &o, error));
    if (!o.found) return ND_OK;
    return nd_fail(error, ND_ERR_IO,
                   "%s: not empty: it has \"%s\", and %s needs a directory of its own", directory,
                   o.name, owner == ND_OWNER_STREAM ? "a stream" : "an index");
}

/* ---- orphan files */

typedef struct cleaner {
    nd_state_owner owner;
    nd_state_uses_fn *uses;
    void *context;
    nd_file_disposal *disposal; /* NULL: none */
} cleaner;

/* entry_fn */
static nd_status remove_orphan(void *context, const char *path, const char *name, nd_error *error) {
    const cleaner *c = context;
    nd_state_file file;
    if (!nd_state_parse_name(name, &file) || (c->uses && c->uses(c->context, &file))) return ND_OK;
    if (!is_own(path, name, c->owner, &file)) return ND_OK;
    return c->disposal ? nd_file_disposal_remove(c->disposal, path, error)
                       : nd_file_remove(path, error);
}

nd_status nd_state_remove_orphans(const char *directory, nd_state_owner owner,
                                  nd_state_uses_fn *uses, void *context, nd_file_disposal *disposal,
                                  nd_error *error) {
    cleaner c = {owner, uses, context, disposal};
    nd_status status = each_entry(directory, remove_orphan, &c, error);
    if (disposal) nd_file_disposal_begin(disposal);
    return status;
}
