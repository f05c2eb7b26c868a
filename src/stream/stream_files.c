#include "stream/stream_files.h"

#include "stream/clusters_file.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/limits.h"
#include "io/file.h"
#include "store/state_directory.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 2, TAG_SETTINGS = 8, SETTINGS_SIZE = 152, MEMBER_HEAD = 12 };
enum {
    LOG_LEAST = ND_LIMIT(64 << 20, 4096),
    MEMBERS_WAITING = ND_LIMIT(1 << 20, 256),
};

static bool writes(const nd_stream_files *f) { return f->mode == ND_INDEX_WRITE; }

/* ---- names */

static char *path_of(const nd_stream_files *f, const char *name, nd_error *error) {
    char *path = nd_string_join(&f->allocator, f->directory, "/", name);
    if (!path) nd_fail_memory(error, strlen(f->directory), "a path");
    return path;
}

static char *numbered(const nd_stream_files *f, nd_state_file_kind kind, uint64_t number,
                      nd_error *error) {
    char *path = nd_state_file_path(&f->allocator, f->directory, kind, number);
    if (!path) nd_fail_memory(error, strlen(f->directory), "a path");
    return path;
}

/* Sets f->number to the highest number of a state; without states it stays. */
static nd_status find_state(nd_stream_files *f, nd_error *error) {
    return nd_state_find_newest(f->directory, ND_FILE_CLUSTERS, &f->number, error);
}

/* nd_state_uses_fn */
static bool uses(void *context, const nd_state_file *file) {
    return !file->unfinished && file->number == ((const nd_stream_files *)context)->number;
}

static nd_status remove_orphans(nd_stream_files *f, nd_error *error) {
    return nd_state_remove_orphans(f->directory, ND_OWNER_STREAM, uses, f, f->disposal, error);
}

/* The number of the next state and its log: the first whose names are both free. */
static nd_status next_number(const nd_stream_files *f, uint64_t *number, nd_error *error) {
    static const nd_state_file_kind kinds[] = {ND_FILE_CLUSTERS, ND_FILE_LOG};
    bool is_free[2] = {false, false};
    for (*number = f->number; !is_free[0] || !is_free[1];) {
        ++*number;
        for (size_t k = 0; k < 2; k++)
            ND_TRY(nd_state_is_free(f->directory, kinds[k], *number, &f->allocator, &is_free[k],
                                    error));
    }
    return ND_OK;
}

/* ---- settings */

static nd_status write_settings(const nd_stream_files *f, const nd_stream_settings *s,
                                nd_sealed_writer *file, nd_error *error) {
    unsigned char p[SETTINGS_SIZE];
    const uint32_t words[] = {VERSION,  s->sketch, s->mode, s->analyzer,  s->ngram,
                              s->perms, s->k,      s->bits, s->weighting, s->icu};
    for (size_t i = 0; i < 10; i++) nd_store_le32(p + 4 * i, words[i]);
    nd_store_le64(p + 40, s->seed);
    nd_store_double(p + 48, s->threshold);
    nd_store_double(p + 56, s->recall);
    nd_store_double(p + 64, s->expire);
    nd_store_le64(p + 72, s->table);
    nd_store_le64(p + 80, s->dictionary);
    nd_store_le64(p + 88, s->stop);
    nd_store_le64(p + 96, f->on_disk);
    nd_store_le64(p + 104, f->hash);
    memcpy(p + 112, s->stem, sizeof s->stem);
    ND_TRY(nd_sealed_begin(file, TAG_SETTINGS, error));
    return nd_sealed_write(file, p, sizeof p, error);
}

static nd_status read_settings(nd_stream_files *f, const nd_sealed_file *file,
                               nd_stream_settings *s, nd_error *error) {
    nd_section section;
    const unsigned char *p;
    ND_TRY(nd_sealed_section(file, TAG_SETTINGS, &section, error));
    ND_TRY(nd_sealed_view(file, &section, 0, SETTINGS_SIZE, &p, error));
    uint32_t version = nd_load_le32(p);
    if (version != VERSION)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: in version %u of the format, of %s neardup: this one reads version %d",
                       nd_sealed_path(file), version, version < VERSION ? "an older" : "a newer",
                       VERSION);
    *s = (nd_stream_settings){.sketch = nd_load_le32(p + 4),
                              .mode = nd_load_le32(p + 8),
                              .analyzer = nd_load_le32(p + 12),
                              .ngram = nd_load_le32(p + 16),
                              .perms = nd_load_le32(p + 20),
                              .k = nd_load_le32(p + 24),
                              .bits = nd_load_le32(p + 28),
                              .weighting = nd_load_le32(p + 32),
                              .icu = nd_load_le32(p + 36),
                              .seed = nd_load_le64(p + 40),
                              .threshold = nd_load_double(p + 48),
                              .recall = nd_load_double(p + 56),
                              .expire = nd_load_double(p + 64),
                              .table = nd_load_le64(p + 72),
                              .dictionary = nd_load_le64(p + 80),
                              .stop = nd_load_le64(p + 88)};
    memcpy(s->stem, p + 112, sizeof s->stem);
    f->on_disk = nd_load_le64(p + 96);
    f->hash = nd_load_le64(p + 104);
    return ND_OK;
}

/* ---- opening */

static nd_status lock_stream(nd_stream_files *f, nd_error *error) {
    char *path = path_of(f, "lock", error);
    if (!path) return ND_ERR_MEMORY;
    nd_status status = nd_process_lock_acquire(path, &f->lock, error);
    nd_release(&f->allocator, path);
    return status == ND_ERR_BUSY
               ? nd_fail(error, status, "%s: another process writes to this stream", f->directory)
               : status;
}

/* Called before the lock is taken, so that no lock file appears where there is no stream. */
static nd_status check_state(const nd_stream_files *f, nd_error *error) {
    nd_sealed_file *state = NULL;
    char *path = numbered(f, ND_FILE_CLUSTERS, f->number, error);
    if (!path) return ND_ERR_MEMORY;
    nd_status status = nd_sealed_open(path, ND_SEALED_CLUSTERS, NULL, &f->allocator, &state, error);
    if (status == ND_OK) nd_sealed_close(state);
    nd_release(&f->allocator, path);
    return status == ND_ERR_IO ? ND_OK : status; /* IO: another writer has replaced it */
}

static nd_status check_free(const nd_stream_files *f, nd_error *error) {
    return nd_state_check_free(f->directory, ND_OWNER_STREAM, &f->allocator, error);
}

/* Takes the lock of the stream, or creates a directory for a new one. Another process may change
 * the directory until the lock is taken, so it is read again then. */
static nd_status begin_writing(nd_stream_files *f, nd_error *error) {
    ND_TRY(find_state(f, error));
    ND_TRY(f->number > 0 ? check_state(f, error) : check_free(f, error));
    if (f->number == 0)
        ND_TRY(nd_directory_create(f->directory, &f->created_directory, &f->allocator, error));
    ND_TRY(lock_stream(f, error));
    ND_TRY(find_state(f, error));
    if (f->number == 0) ND_TRY(check_free(f, error));
    f->creating = f->number == 0;
    return f->creating ? remove_orphans(f, error) : ND_OK;
}

static nd_status fail_no_stream(const nd_stream_files *f, nd_error *error) {
    nd_state_kind kind;
    ND_TRY(nd_state_find_kind(f->directory, &f->allocator, &kind, error));
    if (kind == ND_STATE_NONE)
        return nd_fail(error, ND_ERR_IO, "%s: no stream is there", f->directory);
    return nd_fail(error, ND_ERR_IO, "%s: %s, not a stream", f->directory, nd_state_name(kind));
}

static nd_status open_members(nd_stream_files *f, nd_error *error) {
    char *path = path_of(f, "members", error);
    if (!path) return ND_ERR_MEMORY;
    uint64_t size = 0;
    nd_status status = ND_OK;
    struct stat s;
    bool none = stat(path, &s) != 0 && errno == ENOENT;
    if (!none || writes(f))
        status = none ? nd_file_create(path, &f->members, error)
                      : nd_file_open(path, writes(f) ? ND_OPEN_READ_WRITE : ND_OPEN_READ,
                                     &f->members, error);
    if (status == ND_OK && f->members >= 0) status = nd_file_size(f->members, &size, path, error);
    if (status == ND_OK && size < f->on_disk)
        status = nd_fail(error, ND_ERR_CORRUPT, "%s: cut off at byte %" PRIu64, path, size);
    if (status == ND_OK && writes(f) && size > f->on_disk)
        status = nd_file_resize(f->members, f->on_disk, path, error);
    nd_release(&f->allocator, path);
    return status;
}

static nd_status open_state(nd_stream_files *f, nd_stream_state *out, nd_error *error) {
    ND_TRY(writes(f) ? begin_writing(f, error) : find_state(f, error));
    out->missing = f->number == 0;
    if (out->missing) return f->creating ? ND_OK : fail_no_stream(f, error);
    char *path = numbered(f, ND_FILE_CLUSTERS, f->number, error);
    if (!path) return ND_ERR_MEMORY;
    struct stat s;
    nd_status status = nd_sealed_open(path, ND_SEALED_CLUSTERS, NULL, &f->allocator, &out->file,
                                      error);
    if (stat(path, &s) == 0) f->state_bytes = (uint64_t)s.st_size;
    nd_release(&f->allocator, path);
    if (status == ND_OK) status = read_settings(f, out->file, &out->settings, error);
    return status == ND_OK ? open_members(f, error) : status;
}

nd_status nd_stream_files_open(nd_stream_files *f, const char *directory, nd_index_mode mode,
                               const nd_allocator *allocator, nd_stream_state *out,
                               nd_error *error) {
    *f = (nd_stream_files){
        .allocator = *allocator, .mode = mode, .lock = ND_PROCESS_LOCK_NONE, .members = -1};
    *out = (nd_stream_state){.file = NULL};
    f->directory = nd_string_join(allocator, directory, "", "");
    if (!f->directory) return nd_fail_memory(error, strlen(directory), "a path");
    if (writes(f)) ND_TRY(nd_file_disposal_create(allocator, &f->disposal, error));
    nd_status status = open_state(f, out, error);
    if (status != ND_OK) {
        nd_sealed_close(out->file);
        out->file = NULL;
    }
    return status;
}

/* Removes the files of a stream whose creation has failed. Allocates nothing: lack of memory may be
 * why it failed. */
static void remove_all(nd_stream_files *f) {
    char path[ND_PATH_SIZE];
    nd_status status = nd_state_remove_orphans(f->directory, ND_OWNER_STREAM, NULL, NULL, NULL,
                                               NULL);
    (void)status; /* whoever creates a stream there next removes the rest */
    if (nd_path_join(path, f->directory, "members")) nd_file_remove(path, NULL);
    if (nd_path_join(path, f->directory, "lock")) nd_process_lock_remove(&f->lock, path);
}

void nd_stream_files_close(nd_stream_files *f) {
    nd_stream_log_close(f->log);
    nd_file_disposal_free(f->disposal);
    nd_file_close(f->members);
    if (f->creating) remove_all(f);
    nd_process_lock_release(&f->lock);
    if (f->created_directory) rmdir(f->directory);
    nd_release(&f->allocator, f->waiting);
    nd_release(&f->allocator, f->directory);
}

void nd_stream_files_keep(nd_stream_files *f) { f->creating = f->created_directory = false; }

bool nd_stream_files_are_outdated(nd_stream_files *f) {
    uint64_t before = f->number;
    return f->directory && find_state(f, NULL) == ND_OK && f->number != before;
}

/* ---- the log */

typedef struct replay {
    nd_wal_record_fn *fn;
    void *context;
    const char *path;
} replay;

/* nd_wal_record_fn */
static nd_status replay_record(void *context, uint16_t type, const unsigned char *payload,
                               size_t size, nd_error *error) {
    const replay *r = context;
    if (type != ND_STREAM_RECORD)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: a record of unknown type %u", r->path,
                       type);
    return r->fn(r->context, type, payload, size, error);
}

static nd_status begin_log(nd_stream_files *f, uint64_t number, nd_error *error) {
    char *path = numbered(f, ND_FILE_LOG, number, error);
    if (!path) return ND_ERR_MEMORY;
    nd_wal *log;
    nd_stream_log_close(f->log);
    f->log = NULL;
    nd_status status = nd_wal_create(path, number, &f->allocator, &log, error);
    if (status == ND_OK) status = nd_stream_log_create(log, &f->allocator, &f->log, error);
    nd_release(&f->allocator, path);
    return status;
}

nd_status nd_stream_files_replay(nd_stream_files *f, nd_wal_record_fn *fn, void *context,
                                 nd_error *error) {
    nd_wal_tail tail;
    char *path = numbered(f, ND_FILE_LOG, f->number, error);
    if (!path) return ND_ERR_MEMORY;
    replay r = {fn, context, path};
    nd_status status = nd_wal_read(path, f->number, replay_record, &r, &f->allocator, &tail, error);
    nd_wal *log;
    if (status == ND_OK && writes(f))
        status = nd_wal_open(path, f->number, tail, &f->allocator, &log, error);
    if (status == ND_OK && writes(f))
        status = nd_stream_log_create(log, &f->allocator, &f->log, error);
    /* The writer that renamed the state may have died before the name was durable. */
    if (status == ND_OK && writes(f)) status = nd_sync_directory_of(path, &f->allocator, error);
    nd_release(&f->allocator, path);
    return status == ND_OK && writes(f) ? remove_orphans(f, error) : status;
}

bool nd_stream_files_should_save(const nd_stream_files *f) {
    return nd_stream_log_size(f->log) > LOG_LEAST + f->state_bytes;
}

uint64_t nd_stream_files_bytes(const nd_stream_files *f) {
    return f->state_bytes + f->on_disk + f->waiting_size +
           (f->log ? nd_stream_log_size(f->log) : 0);
}

/* ---- members */

static nd_status write_members(nd_stream_files *f, nd_error *error) {
    ND_TRY(nd_file_write_at(f->members, f->waiting, f->waiting_size, f->on_disk, "members", error));
    f->on_disk += f->waiting_size;
    f->waiting_size = 0;
    return ND_OK;
}

/* The hash of the members so far, and one more. */
static uint64_t hash_member(uint64_t hash, const char *record, size_t size) {
    const nd_hash_key key = nd_hash_key_of(0);
    return nd_mix64(hash ^ nd_hash_token(&key, record, size));
}

/* A member: founded (64 bits) | length of the id (32) | id. */
nd_status nd_stream_files_add_member(nd_stream_files *f, uint64_t founded, const char *id,
                                     size_t length, nd_error *error) {
    size_t size = f->waiting_size + MEMBER_HEAD + length;
    if (!nd_reserve(&f->allocator, &f->waiting, &f->waiting_capacity, size))
        return nd_fail_memory(error, size, "members");
    nd_store_le64(f->waiting + f->waiting_size, founded);
    nd_store_le32(f->waiting + f->waiting_size + 8, (uint32_t)length);
    if (length > 0) memcpy(f->waiting + f->waiting_size + MEMBER_HEAD, id, length);
    f->hash = hash_member(f->hash, f->waiting + f->waiting_size, size - f->waiting_size);
    f->waiting_size = size;
    return writes(f) && size > MEMBERS_WAITING ? write_members(f, error) : ND_OK;
}

bool nd_stream_next_member(const char *bytes, size_t size, size_t *at, uint64_t *founded,
                           const char **id, size_t *length) {
    const unsigned char *record = (const unsigned char *)bytes + *at;
    if (size - *at < MEMBER_HEAD || nd_load_le32(record + 8) > size - *at - MEMBER_HEAD)
        return false;
    *founded = nd_load_le64(record);
    *length = nd_load_le32(record + 8);
    *id = bytes + *at + MEMBER_HEAD;
    *at += MEMBER_HEAD + *length;
    return true;
}

static nd_status check_members(const nd_stream_files *f, const char *bytes, size_t size,
                               nd_error *error) {
    uint64_t founded, hash = 0;
    const char *id;
    size_t at = 0, length;
    for (size_t from = 0; nd_stream_next_member(bytes, size, &at, &founded, &id, &length);
         from = at)
        hash = hash_member(hash, bytes + from, at - from);
    return at == size && hash == f->hash
               ? ND_OK
               : nd_fail(error, ND_ERR_CORRUPT, "%s/members: damaged", f->directory);
}

nd_status nd_stream_files_members(const nd_stream_files *f, char **bytes, size_t *size,
                                  nd_error *error) {
    *size = (size_t)f->on_disk + f->waiting_size;
    *bytes = nd_allocate(&f->allocator, *size + 1, 1);
    if (!*bytes) return nd_fail_memory(error, *size, "members");
    nd_status status = f->on_disk > 0 ? nd_file_read_at(f->members, *bytes, (size_t)f->on_disk, 0,
                                                        "members", error)
                                      : ND_OK;
    if (f->waiting_size > 0) memcpy(*bytes + f->on_disk, f->waiting, f->waiting_size);
    if (status == ND_OK) status = check_members(f, *bytes, *size, error);
    if (status != ND_OK) nd_release(&f->allocator, *bytes);
    return status;
}

/* ---- saving */

/* The file becomes the state when it gets its name. That comes last, so its log, still empty, is
 * there by then. */
static nd_status write_state(nd_stream_files *f, uint64_t number, nd_sealed_writer *file,
                             const nd_stream_settings *settings, const nd_clusters *clusters,
                             nd_error *error) {
    nd_seal seal;
    ND_TRY(nd_clusters_save(clusters, file, error));
    ND_TRY(write_settings(f, settings, file, error));
    ND_TRY(begin_log(f, number, error));
    ND_TRY(nd_sealed_finish(file, &seal, error));
    f->state_bytes = seal.size;
    f->number = number;
    return ND_OK;
}

nd_status nd_stream_files_save(nd_stream_files *f, const nd_stream_settings *settings,
                               const nd_clusters *clusters, nd_error *error) {
    uint64_t number;
    nd_sealed_writer *file = NULL;
    if (f->members < 0) ND_TRY(open_members(f, error));
    ND_TRY(write_members(f, error));
    ND_TRY(nd_file_sync(f->members, "members", error));
    ND_TRY(next_number(f, &number, error));
    char *path = numbered(f, ND_FILE_CLUSTERS, number, error);
    if (!path) return ND_ERR_MEMORY;
    nd_status status = nd_sealed_writer_create(path, ND_SEALED_CLUSTERS, &f->allocator, &file,
                                               error);
    if (status == ND_OK) status = write_state(f, number, file, settings, clusters, error);
    nd_sealed_writer_free(file);
    nd_release(&f->allocator, path);
    return status == ND_OK ? remove_orphans(f, error) : status;
}
