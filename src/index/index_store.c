#include "index/index_store.h"

#include "io/file.h"
#include "io/memory_limit.h"
#include "store/compaction.h"

#include <errno.h>
#include <string.h>

/* ---- opening */

/* Makes a mutex that returns an error to a thread that holds it already. So a callback fails
 * instead of waiting for its own caller. */
static void init_checked(pthread_mutex_t *lock) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static nd_status init(nd_index_store *x, const char *path, nd_index_mode mode,
                      const nd_allocator *allocator, nd_error *error) {
    *x = (nd_index_store){.allocator = *allocator, .mode = mode};
    x->path = nd_string_join(allocator, path, "", "");
    if (!x->path) return nd_fail_memory(error, strlen(path), "a path");
    pthread_rwlock_init(&x->view, NULL);
    init_checked(&x->writer);
    init_checked(&x->syncing);
    return ND_OK;
}

static void destroy(nd_index_store *x) {
    nd_store_close(x->store);
    pthread_mutex_destroy(&x->syncing);
    pthread_mutex_destroy(&x->writer);
    pthread_rwlock_destroy(&x->view);
    nd_release(&x->allocator, x->path);
}

/* Ends the opening: frees *x if `status` is a failure, else completes *x. */
static nd_status adopt_store(nd_index_store *x, nd_status status) {
    if (status != ND_OK) {
        destroy(x);
        return status;
    }
    x->settings = nd_store_state(x->store)->settings;
    nd_store_set_view_lock(x->store, &x->view);
    return ND_OK;
}

static nd_status check_kind(const nd_index_store *x, nd_index_kind kind, nd_error *error) {
    static const char *const names[] = {
        [ND_KIND_DOCUMENTS] = "documents", [ND_KIND_FINGERPRINTS] = "fingerprints"};
    if (x->settings.kind == kind) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: an index of %s, not of %s", x->path,
                   names[x->settings.kind], names[kind]);
}

nd_status nd_index_store_open(const char *path, nd_index_kind kind, nd_index_mode mode,
                              const nd_allocator *allocator, nd_index_store *x, nd_error *error) {
    nd_store_mode way = mode == ND_INDEX_WRITE ? ND_STORE_WRITE : ND_STORE_READ;
    ND_TRY(init(x, path, mode, allocator, error));
    ND_TRY(adopt_store(x, nd_store_open(path, way, allocator, &x->store, error)));
    nd_status status = check_kind(x, kind, error);
    if (status != ND_OK) destroy(x);
    return status;
}

nd_status nd_index_store_open_in_memory(const nd_index_settings *settings,
                                        const nd_allocator *allocator, nd_index_store *x,
                                        nd_error *error) {
    ND_TRY(init(x, "an index in memory", ND_INDEX_WRITE, allocator, error));
    return adopt_store(x, nd_store_open_in_memory(settings, allocator, &x->store, error));
}

static nd_status end_writing(nd_index_store *x, nd_error *error) {
    ND_TRY(nd_store_check_process(x->store, error));
    if (x->sync != ND_SYNC_OFF) ND_TRY(nd_index_store_sync(x, error));
    return nd_index_store_end_merge(x, error);
}

void nd_index_store_close(nd_index_store *x) {
    nd_error ignored;
    nd_status status = x->mode == ND_INDEX_WRITE ? end_writing(x, &ignored) : ND_OK;
    (void)status; /* as the header says */
    destroy(x);
}

void nd_index_store_set_sync(nd_index_store *x, nd_sync sync) {
    bool known = sync == ND_SYNC_BATCH || sync == ND_SYNC_OFF;
    atomic_store(&x->sync, known ? (int)sync : ND_SYNC_EACH);
}

nd_status nd_index_store_refresh(nd_index_store *x, nd_error *error) {
    if (x->mode == ND_INDEX_WRITE) return ND_OK;
    nd_store *newest;
    ND_TRY(nd_store_open(x->path, ND_STORE_READ, &x->allocator, &newest, error));
    if (!nd_index_settings_equal(&nd_store_state(newest)->settings, &x->settings)) {
        nd_store_close(newest);
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: another index has taken its place", x->path);
    }
    nd_store_close(x->store);
    x->store = newest;
    nd_store_set_view_lock(newest, &x->view);
    return ND_OK;
}

/* ---- views */

const nd_store *nd_index_store_begin_read(nd_index_store *x) {
    pthread_rwlock_rdlock(&x->view);
    return x->store;
}

void nd_index_store_expect_random(nd_index_store *x) {
    const nd_store *store = nd_index_store_begin_read(x);
    uint32_t begin;
    uint64_t bytes = 0;
    for (size_t g = 0; g < nd_store_segment_count(store); g++)
        bytes += nd_segment_bytes(nd_store_segment(store, g, &begin));
    bool fits = bytes <= nd_memory_limit() / 2;
    for (size_t g = 0; !fits && g < nd_store_segment_count(store); g++)
        nd_segment_expect_random(nd_store_segment(store, g, &begin));
    nd_index_store_end_read(x);
}

void nd_index_store_end_read(nd_index_store *x) { pthread_rwlock_unlock(&x->view); }

nd_store *nd_index_store_begin_edit(nd_index_store *x) {
    pthread_rwlock_wrlock(&x->view);
    return x->store;
}

void nd_index_store_end_edit(nd_index_store *x) { pthread_rwlock_unlock(&x->view); }

/* ---- durability */

static nd_status sync_up_to(nd_index_store *x, uint64_t change, nd_error *error) {
    if (pthread_mutex_lock(&x->syncing) == EDEADLK)
        return nd_fail(error, ND_ERR_BUSY,
                       "%s: a callback of a call that makes this index durable cannot do that, too",
                       x->path);
    if (x->synced < change && x->sync_failure.status == ND_OK) {
        uint64_t written = atomic_load(&x->written);
        if (nd_store_sync(x->store, &x->sync_failure) == ND_OK) x->synced = written;
        else atomic_store(&x->sync_failed, true);
    }
    nd_status status = x->synced >= change
                           ? ND_OK
                           : nd_fail(error, x->sync_failure.status, "%s", x->sync_failure.message);
    pthread_mutex_unlock(&x->syncing);
    return status;
}

nd_status nd_index_store_sync(nd_index_store *x, nd_error *error) {
    ND_TRY(nd_store_check_process(x->store, error));
    return sync_up_to(x, atomic_load(&x->written), error);
}

/* Runs a step that may replace the log. Then the new state is durable, with all that was written
 * before it. */
static nd_status replace_log(nd_index_store *x, nd_status (*step)(nd_store *, nd_error *),
                             nd_error *error) {
    pthread_mutex_lock(&x->syncing);
    uint64_t log = nd_store_state(x->store)->log;
    nd_status status = step(x->store, error);
    bool replaced = nd_store_state(x->store)->log != log;
    if (status == ND_OK && replaced) x->synced = atomic_load(&x->written);
    pthread_mutex_unlock(&x->syncing);
    return status;
}

/* ---- changes */

static nd_status lock_writer(nd_index_store *x, nd_error *error) {
    if (x->mode != ND_INDEX_WRITE)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: opened for reading", x->path);
    /* This comes before any lock is taken: if the process was forked, another thread may have held
     * the lock then. */
    ND_TRY(nd_store_check_process(x->store, error));
    if (atomic_load(&x->sync_failed)) return sync_up_to(x, UINT64_MAX, error);
    /* A callback of the job may run on any thread, so it fails here. Otherwise it would wait for
     * its own job. */
    if (atomic_load(&x->ingesting))
        return nd_fail(error, ND_ERR_BUSY, "%s: a job adds its documents to this index", x->path);
    if (pthread_mutex_lock(&x->writer) != EDEADLK) return ND_OK;
    return nd_fail(error, ND_ERR_BUSY,
                   "%s: a callback of a call that changes this index cannot change it, too",
                   x->path);
}

nd_status nd_index_store_begin_change(nd_index_store *x, nd_error *error) {
    ND_TRY(lock_writer(x, error));
    nd_status status = nd_store_should_end_merge(x->store) ? nd_index_store_end_merge(x, error)
                                                           : ND_OK;
    if (status == ND_OK && nd_store_is_full(x->store))
        status = nd_index_store_compact_levels(x, error);
    if (status != ND_OK) pthread_mutex_unlock(&x->writer);
    return status;
}

/* Ends the group of the log, and the change. Returns which one it is. */
static nd_status end_group(nd_index_store *x, nd_status (*end)(nd_store *, nd_error *),
                           uint64_t *change, nd_error *error) {
    const uint64_t ended = nd_store_has_uncommitted(x->store); /* 0: nothing has to be synced */
    nd_status status = end(x->store, error);
    *change = atomic_fetch_add(&x->written, ended) + ended;
    pthread_mutex_unlock(&x->writer);
    return status;
}

nd_status nd_index_store_commit_change(nd_index_store *x, nd_error *error) {
    uint64_t change;
    nd_status status = end_group(x, nd_store_commit, &change, error);
    return status == ND_OK && atomic_load(&x->sync) == ND_SYNC_EACH ? sync_up_to(x, change, error)
                                                                    : status;
}

void nd_index_store_end_change(nd_index_store *x) { pthread_mutex_unlock(&x->writer); }

nd_status nd_index_store_seal_ended(nd_index_store *x, nd_error *error) {
    uint64_t change;
    ND_TRY(lock_writer(x, error));
    return end_group(x, nd_store_seal, &change, error);
}

nd_status nd_index_store_flush_removed(nd_index_store *x, nd_error *error) {
    return replace_log(x, nd_store_flush_removed, error);
}

nd_status nd_index_store_compact_levels(nd_index_store *x, nd_error *error) {
    return replace_log(x, nd_store_compact_levels, error);
}

nd_status nd_index_store_end_merge(nd_index_store *x, nd_error *error) {
    return nd_store_end_merge(x->store, error); /* the log stays, so syncs may go on */
}

void nd_index_store_give_up_merge(nd_index_store *x) {
    pthread_mutex_lock(&x->writer);
    nd_store_give_up_merge(x->store);
    pthread_mutex_unlock(&x->writer);
}

nd_status nd_index_store_end_merges(nd_index_store *x, nd_error *error) {
    return replace_log(x, nd_store_end_merges, error);
}

nd_status nd_index_store_publish(nd_index_store *x, const nd_index_publication *p,
                                 nd_error *error) {
    const nd_store_numbers removed = {p->removed, p->removed_count};
    pthread_mutex_lock(&x->syncing);
    nd_status status = nd_store_publish_and_remove(x->store, p->segment, p->mark, removed, error);
    if (status == ND_OK) x->synced = atomic_load(&x->written);
    pthread_mutex_unlock(&x->syncing);
    return status;
}

nd_status nd_index_store_compact_all(nd_index_store *x, nd_error *error) {
    ND_TRY(lock_writer(x, error));
    nd_status status = replace_log(x, nd_store_compact_all, error);
    pthread_mutex_unlock(&x->writer);
    return status;
}

nd_status nd_index_store_remove_id(nd_index_store *x, const char *id, size_t length, bool *found,
                                   nd_error *error) {
    uint32_t number = UINT32_MAX;
    ND_TRY(nd_index_store_begin_change(x, error));
    nd_status status = nd_store_find_id(x->store, id, length, &number, error);
    bool there = status == ND_OK && number != UINT32_MAX;
    if (there) {
        nd_store *store = nd_index_store_begin_edit(x);
        status = nd_store_remove(store, number, error);
        nd_index_store_end_edit(x);
    }
    if (status == ND_OK && there) {
        ND_TRY(nd_index_store_commit_change(x, error));
    } else {
        nd_index_store_end_change(x);
        ND_TRY(status);
    }
    *found = there;
    return ND_OK;
}
