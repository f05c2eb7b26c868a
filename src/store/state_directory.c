#include "store/state_directory.h"

#include "base/format.h"
#include "io/file.h"
#include "storage/sealed_file.h"
#include "storage/write_ahead_log.h"
#include "store/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names */

enum { OF_INDEX = 1, OF_STREAM = 2, MOST_DIGITS = 19 };

static const struct {
    const char *name;
    uint32_t sealed; /* 0: a log */
    unsigned of;
} kinds[ND_FILE_KINDS] = {
    [ND_FILE_SEGMENT] = {"segment", ND_SEALED_SEGMENT, OF_INDEX},
    [ND_FILE_REMOVED] = {"removed", ND_SEALED_REMOVED, OF_INDEX},
    [ND_FILE_CLUSTERS] = {"clusters", ND_SEALED_CLUSTERS, OF_STREAM},
    [ND_FILE_LOG] = {"log", 0, OF_INDEX | OF_STREAM},
};

/* "7", as it is written: without zeros before it. */
static bool read_number(const char *text, uint64_t *number, const char **rest) {
    size_t digits = strspn(text, "0123456789");
    *number = 0;
    if (digits == 0 || digits > MOST_DIGITS || text[0] == '0') return false;
    for (size_t i = 0; i < digits; i++) *number = *number * 10 + (uint64_t)(text[i] - '0');
    *rest = text + digits;
    return true;
}

bool nd_state_file_of(const char *name, nd_state_file *out) {
    for (size_t k = 0; k < ND_FILE_KINDS; k++) {
        size_t length = strlen(kinds[k].name);
        const char *rest;
        if (strncmp(name, kinds[k].name, length) != 0 || name[length] != '-' ||
            !read_number(name + length + 1, &out->number, &rest))
            continue;
        out->kind = (nd_state_file_kind)k;
        out->unfinished = strcmp(rest, ND_UNFINISHED) == 0;
        return out->unfinished || *rest == '\0';
    }
    return false;
}

char *nd_state_path(const nd_allocator *allocator, const char *directory, nd_state_file_kind kind,
                    uint64_t number) {
    return nd_index_path(allocator, directory, kinds[kind].name, number);
}

nd_status nd_state_is_free(const char *directory, nd_state_file_kind kind, uint64_t number,
                           const nd_allocator *allocator, bool *is_free, nd_error *error) {
    char *path = nd_state_path(allocator, directory, kind, number);
    char *unfinished = path ? nd_string_join(allocator, path, ND_UNFINISHED, "") : NULL;
    nd_status status = unfinished ? ND_OK : nd_fail_memory(error, strlen(directory), "a path");
    *is_free = status == ND_OK && nd_name_is_free(path) && nd_name_is_free(unfinished);
    nd_release(allocator, path);
    nd_release(allocator, unfinished);
    return status;
}

/* ---- entries of a directory */

typedef nd_status entry_fn(void *context, const char *path, const char *name, nd_error *error);

/* Of a directory that is not there, none. */
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

/* A numbered file that an index or a stream has made: one that is whole, by what is in it. */
static bool is_own(const char *path, const char *name, unsigned of, nd_state_file *out) {
    if (!nd_state_file_of(name, out) || !(kinds[out->kind].of & of) || !is_file(path)) return false;
    if (out->unfinished) return true;
    return kinds[out->kind].sealed ? nd_sealed_is(path, kinds[out->kind].sealed)
                                   : nd_log_is(path, out->number);
}

/* ---- what a directory holds */

const char *nd_state_name(nd_state_kind kind) {
    static const char *const names[] = {"no index and no stream", "an index of documents",
                                        "an index of fingerprints", "a stream"};
    return names[kind];
}

/* entry_fn; `context` is a bool. */
static nd_status find_clusters(void *context, const char *path, const char *name, nd_error *error) {
    nd_state_file file;
    (void)error;
    if (nd_state_file_of(name, &file) && file.kind == ND_FILE_CLUSTERS &&
        is_own(path, name, OF_STREAM, &file) && !file.unfinished)
        *(bool *)context = true;
    return ND_OK;
}

nd_status nd_state_find(const char *directory, const nd_allocator *allocator, nd_state_kind *kind,
                        nd_error *error) {
    bool stream = false;
    uint32_t version = nd_manifest_version(directory, allocator);
    *kind = version == 0   ? ND_STATE_NONE
            : version == 1 ? ND_STATE_DOCUMENTS
                           : ND_STATE_FINGERPRINTS;
    if (version > 0) return ND_OK;
    ND_TRY(each_entry(directory, find_clusters, &stream, error));
    if (stream) *kind = ND_STATE_STREAM;
    return ND_OK;
}

/* ---- whether one can be made */

typedef struct obstacle {
    bool stream, found;
    char name[256]; /* the first by its bytes, so that it is the same on every machine */
} obstacle;

/* What a making that died may have left: it has no documents yet. */
static bool is_left(const char *path, const char *name, bool stream) {
    nd_state_file file;
    if (is_own(path, name, stream ? OF_STREAM : OF_INDEX, &file)) return true;
    if (strcmp(name, "lock") == 0) return is_empty_file(path);
    if (strcmp(name, "lost+found") == 0) return is_directory(path);
    if (stream)
        return strcmp(name, "members") == 0 ? is_empty_file(path)
                                            : strcmp(name, "index") == 0 && is_directory(path);
    return (strcmp(name, "manifest-0" ND_UNFINISHED) == 0 ||
            strcmp(name, "manifest-1" ND_UNFINISHED) == 0) &&
           is_file(path);
}

/* entry_fn */
static nd_status find_obstacle(void *context, const char *path, const char *name, nd_error *error) {
    obstacle *o = context;
    (void)error;
    if (is_left(path, name, o->stream) || (o->found && strcmp(name, o->name) >= 0)) return ND_OK;
    o->found = true;
    nd_format(o->name, sizeof o->name, "%s", name);
    return ND_OK;
}

static nd_status refuse_kind(const char *directory, nd_state_kind kind, bool stream,
                             nd_error *error) {
    if (stream)
        return nd_fail(error, ND_ERR_IO, "%s: %s; a stream cannot be kept in it", directory,
                       nd_state_name(kind));
    if (kind != ND_STATE_STREAM)
        return nd_fail(error, ND_ERR_IO, "%s: there is an index already", directory);
    return nd_fail(error, ND_ERR_IO, "%s: %s; an index cannot be made in it", directory,
                   nd_state_name(kind));
}

nd_status nd_state_check_free(const char *directory, bool stream, const nd_allocator *allocator,
                              nd_error *error) {
    nd_state_kind kind;
    obstacle o = {.stream = stream};
    ND_TRY(nd_state_find(directory, allocator, &kind, error));
    if (kind != ND_STATE_NONE) return refuse_kind(directory, kind, stream, error);
    ND_TRY(each_entry(directory, find_obstacle, &o, error));
    if (!o.found) return ND_OK;
    return nd_fail(error, ND_ERR_IO,
                   "%s: not empty: it has \"%s\", and %s needs a directory of its own", directory,
                   o.name, stream ? "a stream" : "an index");
}

/* ---- waste */

typedef struct cleaner {
    unsigned of;
    nd_state_uses_fn *uses;
    void *context;
} cleaner;

/* entry_fn */
static nd_status remove_if_waste(void *context, const char *path, const char *name,
                                 nd_error *error) {
    const cleaner *c = context;
    nd_state_file file;
    if (!nd_state_file_of(name, &file) ||
        (!file.unfinished && c->uses && c->uses(c->context, &file)))
        return ND_OK;
    return is_own(path, name, c->of, &file) ? nd_file_remove(path, error) : ND_OK;
}

nd_status nd_state_remove_waste(const char *directory, bool stream, nd_state_uses_fn *uses,
                                void *context, nd_error *error) {
    cleaner c = {stream ? OF_STREAM : OF_INDEX, uses, context};
    return each_entry(directory, remove_if_waste, &c, error);
}
