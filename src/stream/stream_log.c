/* Two buffers of records: callers append to one while the log's thread writes the other. */
#include "stream/stream_log.h"

#include "base/async_task.h"
#include "base/bits.h"

/* Records, each as length (64 bits) and bytes. */
typedef struct records {
    unsigned char *bytes;
    size_t size, capacity;
} records;

enum { RECORD_HEAD = 8 };

struct nd_stream_log {
    nd_allocator allocator;
    nd_async_task *background;
    nd_wal *log;     /* the thread's while a sync goes on */
    records written; /* the thread's while a sync goes on */
    records next;    /* for the next sync */
    uint64_t size;   /* bytes of the log before the sync that goes on */
    nd_index *index; /* of the sync that goes on, not owned; NULL: none */
    nd_stream_synced_fn *fn;
    void *context;
};

nd_status nd_stream_log_create(nd_wal *log, const nd_allocator *allocator, nd_stream_log **out,
                               nd_error *error) {
    nd_stream_log *l = nd_allocate_zero(allocator, 1, sizeof *l);
    nd_status status = l ? nd_async_task_create(allocator, &l->background, error)
                         : nd_fail_memory(error, sizeof *l, "a log");
    if (status != ND_OK) {
        nd_release(allocator, l);
        nd_wal_close(log);
        return status;
    }
    l->allocator = *allocator;
    l->log = log;
    l->size = nd_wal_size(log);
    *out = l;
    return ND_OK;
}

nd_status nd_stream_log_add(nd_stream_log *l, const nd_arrival *a, nd_error *error) {
    records *r = &l->next;
    size_t size = nd_arrival_size(a);
    if (!nd_reserve(&l->allocator, &r->bytes, &r->capacity, r->size + RECORD_HEAD + size))
        return nd_fail_memory(error, size, "a stream");
    nd_store_le64(r->bytes + r->size, size);
    nd_arrival_store(a, r->bytes + r->size + RECORD_HEAD);
    r->size += RECORD_HEAD + size;
    return ND_OK;
}

/* nd_async_task_fn; `context` is the log. */
static nd_status write_records(void *context, nd_error *error) {
    nd_stream_log *l = context;
    records *r = &l->written;
    if (l->index) ND_TRY(nd_index_sync(l->index, error));
    for (size_t at = 0, size; at < r->size; at += RECORD_HEAD + size) {
        size = (size_t)nd_load_le64(r->bytes + at);
        ND_TRY(nd_wal_append(l->log, ND_STREAM_RECORD, r->bytes + at + RECORD_HEAD, size, error));
    }
    r->size = 0;
    ND_TRY(nd_wal_commit_and_sync(l->log, error));
    if (l->fn) l->fn(l->context);
    return ND_OK;
}

nd_status nd_stream_log_wait(nd_stream_log *l, nd_error *error) {
    ND_TRY(nd_async_task_wait(l->background, error));
    l->size = nd_wal_size(l->log);
    return ND_OK;
}

/* Gives the collected records to the next sync, which calls fn (NULL: no call). */
static nd_status prepare_sync(nd_stream_log *l, nd_index *index, nd_stream_synced_fn *fn,
                              void *context, nd_error *error) {
    ND_TRY(nd_stream_log_wait(l, error));
    if (index) ND_TRY(nd_index_seal_added(index, error));
    records empty = l->written;
    l->written = l->next;
    l->next = empty;
    l->index = index;
    l->fn = fn;
    l->context = context;
    return ND_OK;
}

nd_status nd_stream_log_begin_sync(nd_stream_log *l, nd_index *index, nd_stream_synced_fn *fn,
                                   void *context, nd_error *error) {
    ND_TRY(prepare_sync(l, index, fn, context, error));
    nd_async_task_start(l->background, write_records, l);
    return ND_OK;
}

nd_status nd_stream_log_sync(nd_stream_log *l, nd_index *index, nd_error *error) {
    ND_TRY(prepare_sync(l, index, NULL, NULL, error));
    ND_TRY(nd_async_task_run(l->background, write_records, l, error));
    return nd_stream_log_wait(l, error);
}

uint64_t nd_stream_log_size(const nd_stream_log *l) { return l->size; }

void nd_stream_log_close(nd_stream_log *l) {
    if (!l) return;
    nd_async_task_free(l->background);
    nd_wal_close(l->log);
    nd_allocator allocator = l->allocator;
    nd_release(&allocator, l->written.bytes);
    nd_release(&allocator, l->next.bytes);
    nd_release(&allocator, l);
}
