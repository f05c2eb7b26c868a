/* The public calls of an index: locks around the store, and the group commit.
 *
 * A change is made in memory and written to the log by one thread at a time. Then it is durable
 * when the log is synced behind it: who comes first to the lock `syncing` syncs all that has been
 * written by then, and those who waited for the lock meanwhile find that theirs is done. */
#include "index/index.h"

#include "base/argument.h"
#include "base/floats.h"
#include "io/file.h"
#include "job/job.h"
#include "text/analyzer.h"

#include <errno.h>
#include <string.h>

/* ---- creating and opening */

void nd_index_options_init(nd_index_options *options) {
    nd_job_options job;
    nd_job_options_init(&job);
    *options = (nd_index_options){.analyzer = job.analyzer,
                                  .ngram = job.ngram,
                                  .threshold = job.threshold,
                                  .recall = job.recall,
                                  .perms = job.perms,
                                  .seed = job.seed};
}

nd_status nd_index_make(const char *path, const nd_index_options *o, const nd_allocator *allocator,
                        nd_error *error) {
    nd_plan plan;
    ND_TRY(nd_plan_choose(o->threshold, o->recall, o->perms, &plan, error));
    nd_index_settings settings = {.analyzer = (uint32_t)o->analyzer,
                                  .ngram = o->ngram,
                                  .perms = o->perms,
                                  .bands = plan.bands,
                                  .rows = plan.rows,
                                  .exact = !o->sketch_only,
                                  .seed = o->seed,
                                  .threshold = o->threshold,
                                  .recall = o->recall};
    return nd_store_create(path, &settings, NULL, NULL, allocator, error);
}

nd_status nd_index_create(const char *path, const nd_index_options *options, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_index_options o;
    nd_index_options_init(&o);
    if (options) o = *options;
    ND_TRY(nd_need_path(path, error));
    nd_analyzer_options analyzer = {.kind = o.analyzer, .ngram = o.ngram, .seed = o.seed};
    ND_TRY(nd_analyzer_options_check(&analyzer, error));
    return nd_index_make(path, &o, NULL, error);
}

/* One that tells a thread that it has the lock already: a callback is told, and does not wait for
 * its caller. */
static void init_knowing(pthread_mutex_t *lock) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

nd_status nd_index_open(const char *path, nd_index_mode mode, const nd_allocator *allocator,
                        nd_index **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_allocator a = nd_allocator_or_default(allocator);
    ND_TRY(nd_need_path(path, error));
    ND_CHECK_ENUM(mode, "mode", ND_INDEX_READ, ND_INDEX_WRITE, error);
    ND_TRY(nd_need(out, "out", error));
    nd_index *x = nd_allocate_zero(&a, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index");
    x->allocator = a;
    x->mode = mode;
    pthread_rwlock_init(&x->view, NULL);
    init_knowing(&x->writer);
    init_knowing(&x->syncing);
    x->path = nd_string_join(&a, path, "", "");
    nd_status status = x->path
                           ? nd_store_open(path,
                                           mode == ND_INDEX_WRITE ? ND_STORE_WRITE : ND_STORE_READ,
                                           &a, &x->store, error)
                           : nd_fail_memory(error, strlen(path), "a path");
    if (status != ND_OK) {
        nd_index_close(x);
        return status;
    }
    x->settings = nd_store_state(x->store)->settings;
    nd_store_share(x->store, &x->view);
    *out = x;
    return ND_OK;
}

void nd_index_close(nd_index *x) {
    ND_DEFAULT_FLOATS;
    if (!x) return;
    nd_error ignored;
    nd_status status = x->store && x->mode == ND_INDEX_WRITE && x->sync != ND_SYNC_OFF
                           ? nd_index_sync(x, &ignored)
                           : ND_OK;
    (void)status; /* as the header says */
    nd_store_close(x->store);
    pthread_mutex_destroy(&x->syncing);
    pthread_mutex_destroy(&x->writer);
    pthread_rwlock_destroy(&x->view);
    nd_allocator a = x->allocator;
    nd_release(&a, x->path);
    nd_release(&a, x);
}

nd_status nd_index_refresh(nd_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    if (x->mode == ND_INDEX_WRITE) return ND_OK;
    nd_store *newest;
    ND_TRY(nd_store_open(x->path, ND_STORE_READ, &x->allocator, &newest, error));
    if (memcmp(&nd_store_state(newest)->settings, &x->settings, sizeof x->settings) != 0) {
        nd_store_close(newest);
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: another index has taken its place", x->path);
    }
    nd_store_close(x->store);
    x->store = newest;
    nd_store_share(newest, &x->view);
    return ND_OK;
}

nd_status nd_index_check_documents(const char *path, const nd_index_settings *settings,
                                   nd_error *error) {
    if (settings->bits)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: an index of fingerprints, not of documents",
                       path);
    if (settings->analyzer != ND_SEGMENT) return ND_OK;
    return nd_fail(
        error, ND_ERR_ARGUMENT,
        "%s: the index of a stream with the analyzer segment, which that stream alone uses", path);
}

nd_status nd_index_check_hashes(const char *path, const nd_index_settings *s,
                                const nd_job_options *o, nd_error *error) {
    if (s->analyzer != (uint32_t)o->analyzer)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with analyzer %s, not %s", path,
                       nd_analyzer_name((nd_analyzer_kind)s->analyzer),
                       nd_analyzer_name(o->analyzer));
    if (s->seed != o->seed)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with seed %llu, not %llu", path,
                       (unsigned long long)s->seed, (unsigned long long)o->seed);
    return ND_OK;
}

void nd_index_set_sync(nd_index *x, nd_sync sync) {
    bool known = sync == ND_SYNC_BATCH || sync == ND_SYNC_OFF;
    atomic_store(&x->sync, known ? (int)sync : ND_SYNC_EACH);
}

static void describe_documents(const nd_index_settings *s, nd_index_info *out) {
    out->options = (nd_index_options){(nd_analyzer_kind)s->analyzer,
                                      s->ngram,
                                      s->threshold,
                                      s->recall,
                                      s->perms,
                                      s->seed,
                                      !s->exact};
    out->plan = (nd_plan){s->perms, s->bands, s->rows, s->threshold, s->recall};
}

static void describe_fingerprints(const nd_index_settings *s, const nd_store *store,
                                  nd_index_info *out) {
    uint32_t begin, most = 0;
    out->hamming = (nd_hamming_options){s->bits, s->k, s->numbered != 0, s->memory};
    for (size_t i = 0; i < nd_store_segments(store); i++) {
        const nd_segment *segment = nd_store_segment(store, i, &begin);
        out->table_bytes += nd_hamming_table_bytes(&segment->hamming);
        out->place_bytes += nd_hamming_document_bytes(&segment->hamming);
        if (segment->documents > most)
            nd_hamming_design_name(&segment->hamming.design, out->design, sizeof out->design);
        if (segment->documents > most) most = segment->documents;
    }
}

void nd_index_describe(nd_index *x, nd_index_info *out) {
    pthread_rwlock_rdlock(&x->view);
    const nd_manifest *state = nd_store_state(x->store);
    *out = (nd_index_info){.documents = nd_store_live(x->store),
                           .removed = nd_store_numbers(x->store) - nd_store_live(x->store),
                           .segments = state->segment_count,
                           .log_documents = nd_store_log_documents(x->store),
                           .generation = state->generation,
                           .bytes = nd_store_bytes(x->store),
                           .format = state->settings.bits ? 2 : 1};
    if (state->settings.bits) describe_fingerprints(&state->settings, x->store, out);
    else describe_documents(&state->settings, out);
    pthread_rwlock_unlock(&x->view);
}

/* ---- searching */

static uint32_t default_max_compare(void) {
    nd_job_options defaults;
    nd_job_options_init(&defaults);
    return defaults.max_compare;
}

nd_status nd_searcher_create(nd_index *x, nd_searcher **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_index_check_documents(x->path, &x->settings, error));
    ND_TRY(
        nd_searcher_make_for_texts(&x->settings, default_max_compare(), &x->allocator, out, error));
    nd_searcher_bind(*out, x);
    return ND_OK;
}

nd_status nd_index_make_searcher(nd_index *x, nd_searcher **out, nd_error *error) {
    ND_TRY(nd_searcher_make(&x->settings, default_max_compare(), &x->allocator, out, error));
    nd_searcher_bind(*out, x);
    return ND_OK;
}

nd_status nd_search(nd_searcher *searcher, const char *text, size_t length, nd_search_kind kind,
                    const nd_match **matches, size_t *count, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(searcher, "searcher", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_CHECK_ENUM(kind, "kind", ND_SEARCH_ALL, ND_SEARCH_FIRST, error);
    ND_TRY(nd_need(matches, "matches", error));
    ND_TRY(nd_need(count, "count", error));
    nd_index *x = nd_searcher_index(searcher);
    ND_TRY(nd_searcher_take(searcher, text, length, error));
    pthread_rwlock_rdlock(&x->view);
    nd_status status = nd_searcher_search(searcher, x->store, kind, UINT32_MAX, error);
    pthread_rwlock_unlock(&x->view);
    ND_TRY(status);
    *matches = nd_searcher_found(searcher)->matches;
    *count = nd_searcher_found(searcher)->count;
    return ND_OK;
}

/* ---- durability */

static nd_status sync_up_to(nd_index *x, uint64_t change, nd_error *error) {
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

nd_status nd_index_sync(nd_index *x, nd_error *error) {
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_store_check_process(x->store, error));
    return sync_up_to(x, atomic_load(&x->written), error);
}

void nd_index_begin_state(nd_index *x) { pthread_mutex_lock(&x->syncing); }

nd_status nd_index_end_state(nd_index *x, nd_status status) {
    if (status == ND_OK) x->synced = atomic_load(&x->written);
    pthread_mutex_unlock(&x->syncing);
    return status;
}

/* Under `writer`: changes in the log go to a segment where there are many. */
static nd_status flush_if_full(nd_index *x, nd_error *error) {
    if (!nd_store_is_full(x->store)) return ND_OK;
    nd_index_begin_state(x);
    return nd_index_end_state(x, nd_store_merge(x->store, false, error));
}

static nd_status begin_writing(nd_index *x, nd_error *error) {
    if (x->mode != ND_INDEX_WRITE)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: opened for reading", x->path);
    /* Before any lock is taken, which another thread may have had when the process was forked. */
    ND_TRY(nd_store_check_process(x->store, error));
    if (atomic_load(&x->sync_failed)) return sync_up_to(x, UINT64_MAX, error);
    if (pthread_mutex_lock(&x->writer) != EDEADLK) return ND_OK;
    return nd_fail(error, ND_ERR_BUSY,
                   "%s: a callback of a call that changes this index cannot change it, too",
                   x->path);
}

/* The flush comes before the change, so that where it fails there is no change. */
nd_status nd_index_begin_change(nd_index *x, nd_error *error) {
    ND_TRY(begin_writing(x, error));
    nd_status status = flush_if_full(x, error);
    if (status != ND_OK) pthread_mutex_unlock(&x->writer);
    return status;
}

nd_status nd_index_end_change(nd_index *x, nd_status status, bool changed, nd_error *error) {
    uint64_t change = 0;
    if (status == ND_OK && changed) {
        status = nd_store_commit(x->store, error);
        change = atomic_fetch_add(&x->written, 1) + 1;
    }
    pthread_mutex_unlock(&x->writer);
    if (status != ND_OK || !changed || atomic_load(&x->sync) != ND_SYNC_EACH) return status;
    return sync_up_to(x, change, error);
}

/* ---- changing */

/* A document that is added, and, after nd_searcher_search, what has become of it. */
typedef struct addition {
    nd_searcher *searcher; /* has taken the document */
    const char *id;
    size_t id_length;
    bool from_text; /* its set is packed only when it is added */
    bool replace;
    bool added;
    uint32_t replaced; /* number of the document with the same id; UINT32_MAX: none */
} addition;

static nd_status find_evidence(nd_index *x, addition *a, nd_error *error) {
    ND_TRY(nd_store_find_id(x->store, a->id, a->id_length, &a->replaced, error));
    if (a->replaced != UINT32_MAX && !a->replace)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: it has a document with the id \"%.*s\" already",
                       x->path, nd_shown_length(a->id, a->id_length, ND_SHOWN_ID), a->id);
    ND_TRY(nd_searcher_search(a->searcher, x->store, ND_SEARCH_FIRST, a->replaced, error));
    a->added = nd_searcher_found(a->searcher)->count == 0;
    return a->added && a->from_text ? nd_searcher_pack(a->searcher, error) : ND_OK;
}

static nd_status add(nd_index *x, addition *a, nd_error *error) {
    a->replaced = UINT32_MAX;
    ND_TRY(nd_index_begin_change(x, error));
    nd_status status = find_evidence(x, a, error);
    pthread_rwlock_wrlock(&x->view);
    if (status == ND_OK && a->replaced != UINT32_MAX)
        status = nd_store_remove(x->store, a->replaced, error);
    if (status == ND_OK && a->added) {
        nd_stored_document document = nd_searcher_found(a->searcher)->document;
        document.id = a->id ? a->id : "";
        document.id_length = a->id_length;
        nd_error failure;
        status = nd_store_add(x->store, &document, &failure);
        if (status != ND_OK && a->replaced != UINT32_MAX) nd_store_give_up(x->store, &failure);
        if (status != ND_OK) nd_fail(error, status, "%s", failure.message);
    }
    pthread_rwlock_unlock(&x->view);
    return nd_index_end_change(x, status, a->added || a->replaced != UINT32_MAX, error);
}

nd_status nd_index_add(nd_index *x, nd_searcher *searcher, const char *id, size_t id_length,
                       const char *text, size_t length, bool replace, bool *added,
                       const nd_match **evidence, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(searcher, "searcher", error));
    ND_TRY(nd_need_array(id, id_length, "id", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_TRY(nd_need(added, "added", error));
    if (nd_searcher_index(searcher) != x)
        return nd_fail(error, ND_ERR_ARGUMENT, "the searcher is of another index");
    ND_TRY(nd_searcher_take(searcher, text, length, error));
    addition a = {.searcher = searcher,
                  .id = id,
                  .id_length = id_length,
                  .from_text = true,
                  .replace = replace};
    ND_TRY(add(x, &a, error));
    *added = a.added;
    if (evidence) *evidence = a.added ? NULL : nd_searcher_found(searcher)->matches;
    return ND_OK;
}

nd_status nd_index_add_document(nd_index *x, nd_searcher *searcher,
                                const nd_stored_document *document, bool *added,
                                const nd_match **evidence, nd_error *error) {
    nd_searcher_take_document(searcher, document);
    addition a = {.searcher = searcher, .id = document->id, .id_length = document->id_length};
    ND_TRY(add(x, &a, error));
    *added = a.added;
    *evidence = a.added ? NULL : nd_searcher_found(searcher)->matches;
    return ND_OK;
}

nd_status nd_index_remove(nd_index *x, const char *id, size_t id_length, bool *found,
                          nd_error *error) {
    ND_DEFAULT_FLOATS;
    uint32_t number = UINT32_MAX;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need_array(id, id_length, "id", error));
    ND_TRY(nd_need(found, "found", error));
    ND_TRY(nd_index_begin_change(x, error));
    nd_status status = nd_store_find_id(x->store, id, id_length, &number, error);
    bool there = status == ND_OK && number != UINT32_MAX;
    pthread_rwlock_wrlock(&x->view);
    if (there) status = nd_store_remove(x->store, number, error);
    pthread_rwlock_unlock(&x->view);
    ND_TRY(nd_index_end_change(x, status, there, error));
    *found = there;
    return ND_OK;
}

nd_status nd_index_compact(nd_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(begin_writing(x, error));
    nd_index_begin_state(x);
    nd_status status = nd_index_end_state(x, nd_store_merge(x->store, true, error));
    pthread_mutex_unlock(&x->writer);
    return status;
}

nd_status nd_index_check(nd_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    pthread_rwlock_rdlock(&x->view);
    nd_status status = nd_store_check(x->store, error);
    pthread_rwlock_unlock(&x->view);
    return status;
}
