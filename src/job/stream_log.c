#include "job/stream_log.h"

#include "base/bits.h"

#include <pthread.h>

/* One after the other: length, 64 bits, and bytes. */
typedef struct records {
    unsigned char *bytes;
    size_t size, capacity;
} records;

enum { RECORD_HEAD = 8 };

struct nd_stream_log {
    nd_allocator allocator;
    nd_log *log;   /* while the thread works it is the thread's, */
    records given; /* and so are these */
    records next;
    uint64_t size; /* of the log, before what is on its way */
    bool started;  /* the thread, with the first sync that is begun */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    bool working, ending;
    nd_stream_synced_fn *fn;
    void *context;
    nd_error failure;
};

nd_status nd_stream_log_create(nd_log *log, const nd_allocator *allocator, nd_stream_log **out, nd_error *error) {
    nd_stream_log *l = nd_allocate_zero(allocator, 1, sizeof *l);
    if (!l) {
        nd_log_close(log);
        return nd_fail_memory(error, sizeof *l, "a log");
    }
    l->allocator = *allocator;
    l->log = log;
    l->size = nd_log_size(log);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    *out = l;
    return ND_OK;
}

nd_status nd_stream_log_add(nd_stream_log *l, const nd_arrival *a, nd_error *error) {
    records *r = &l->next;
    size_t size = nd_arrival_size(a);
    if (!nd_reserve(&l->allocator, &r->bytes, &r->capacity, r->size + RECORD_HEAD + size)) return nd_fail_memory(error, size, "a stream");
    nd_store_le64(r->bytes + r->size, size);
    nd_arrival_store(a, r->bytes + r->size + RECORD_HEAD);
    r->size += RECORD_HEAD + size;
    return ND_OK;
}

static nd_status write_records(nd_log *log, records *r, nd_error *error) {
    for (size_t at = 0, size; at < r->size; at += RECORD_HEAD + size) {
        size = (size_t)nd_load_le64(r->bytes + at);
        ND_TRY(nd_log_append(log, ND_STREAM_RECORD, r->bytes + at + RECORD_HEAD, size, error));
    }
    r->size = 0;
    return nd_log_commit(log, true, error);
}

/* ---- the thread */

static void *work(void *argument) {
    nd_stream_log *l = argument;
    pthread_mutex_lock(&l->lock);
    for (;;) {
        while (!l->working && !l->ending) pthread_cond_wait(&l->changed, &l->lock);
        if (!l->working) break;
        pthread_mutex_unlock(&l->lock);
        nd_error failure;
        nd_status status = write_records(l->log, &l->given, &failure);
        if (status == ND_OK) l->fn(l->context);
        pthread_mutex_lock(&l->lock);
        if (status != ND_OK) l->failure = failure;
        l->working = false;
        pthread_cond_signal(&l->changed);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

nd_status nd_stream_log_wait(nd_stream_log *l, nd_error *error) {
    pthread_mutex_lock(&l->lock);
    while (l->working) pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
    if (l->failure.status != ND_OK) return nd_fail(error, l->failure.status, "%s", l->failure.message);
    l->size = nd_log_size(l->log);
    return ND_OK;
}

nd_status nd_stream_log_sync(nd_stream_log *l, nd_error *error) {
    ND_TRY(nd_stream_log_wait(l, error));
    write_records(l->log, &l->next, &l->failure);
    return nd_stream_log_wait(l, error);
}

nd_status nd_stream_log_begin_sync(nd_stream_log *l, nd_stream_synced_fn *fn, void *context, nd_error *error) {
    ND_TRY(nd_stream_log_wait(l, error));
    l->started = l->started || pthread_create(&l->thread, NULL, work, l) == 0;
    if (!l->started) {
        ND_TRY(nd_stream_log_sync(l, error));
        fn(context);
        return ND_OK;
    }
    pthread_mutex_lock(&l->lock);
    records written = l->given;
    l->given = l->next;
    l->next = written;
    l->fn = fn;
    l->context = context;
    l->working = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    return ND_OK;
}

uint64_t nd_stream_log_size(const nd_stream_log *l) { return l->size; }

void nd_stream_log_close(nd_stream_log *l) {
    if (!l) return;
    pthread_mutex_lock(&l->lock);
    l->ending = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    if (l->started) pthread_join(l->thread, NULL);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    nd_log_close(l->log);
    nd_allocator allocator = l->allocator;
    nd_release(&allocator, l->given.bytes);
    nd_release(&allocator, l->next.bytes);
    nd_release(&allocator, l);
}
