#include "stream/stream_index.h"

#include "base/bits.h"
#include "io/file.h"
#include "store/state_directory.h"
#include "store/store_create.h"
#include "store/store_open.h"

nd_status nd_stream_index_clear(const char *directory, const nd_allocator *allocator,
                                nd_error *error) {
    nd_state_kind there;
    char *path = nd_string_join(allocator, directory, "/index", "");
    if (!path) return nd_fail_memory(error, strlen(directory), "a path");
    nd_status status = nd_state_find_kind(path, allocator, &there, error);
    if (status == ND_OK)
        status = there == ND_STATE_DOCUMENTS
                     ? nd_store_remove_empty(path, allocator, error)
                     : nd_state_check_free(path, ND_OWNER_INDEX, allocator, error);
    nd_release(allocator, path);
    return status;
}

static nd_status open_index(nd_stream_index *x, const char *path, nd_error *error) {
    ND_TRY(nd_index_open(path, ND_INDEX_WRITE, &x->allocator, &x->index, error));
    nd_index_set_sync(x->index, ND_SYNC_BATCH);
    ND_TRY(nd_store_filter_keys(x->index->shared.store, error));
    return nd_index_make_searcher(x->index, &x->searcher, error);
}

nd_status nd_stream_index_create(nd_stream_index *x, const char *directory,
                                 const nd_index_parts *parts, const nd_allocator *allocator,
                                 nd_error *error) {
    x->allocator = *allocator;
    char *path = nd_string_join(allocator, directory, "/index", "");
    if (!path) return nd_fail_memory(error, strlen(directory), "a path");
    nd_status status = nd_index_make(path, parts, allocator, error);
    x->created = status == ND_OK;
    if (status == ND_OK) status = open_index(x, path, error);
    nd_release(allocator, path);
    return status;
}

nd_status nd_stream_index_open(nd_stream_index *x, const char *directory,
                               const nd_allocator *allocator, nd_error *error) {
    x->allocator = *allocator;
    char *path = nd_string_join(allocator, directory, "/index", "");
    if (!path) return nd_fail_memory(error, strlen(directory), "a path");
    nd_status status = open_index(x, path, error);
    nd_release(allocator, path);
    return status;
}

void nd_stream_index_close(nd_stream_index *x) {
    if (!x->index) return;
    nd_index_searcher_free(x->searcher);
    nd_index_close(x->index);
    nd_release(&x->allocator, x->forgotten);
    x->index = NULL;
}

void nd_stream_index_remove(nd_stream_index *x, const char *directory) {
    nd_stream_index_close(x);
    char path[ND_PATH_SIZE];
    if (x->created && nd_path_join(path, directory, "index")) nd_store_remove_unused(path);
}

/* ---- forgotten clusters */

/* nd_cluster_expired_fn */
static nd_status note_forgotten(void *context, const char *id, size_t length, nd_error *error) {
    nd_stream_index *x = context;
    if (!nd_reserve(&x->allocator, &x->forgotten, &x->forgotten_capacity,
                    x->forgotten_size + 8 + length))
        return nd_fail_memory(error, length, "ids of a stream");
    nd_store_le64((unsigned char *)x->forgotten + x->forgotten_size, length);
    if (length > 0) memcpy(x->forgotten + x->forgotten_size + 8, id, length);
    x->forgotten_size += 8 + length;
    return ND_OK;
}

nd_status nd_stream_index_remove_forgotten(nd_stream_index *x, nd_error *error) {
    for (size_t at = 0; at < x->forgotten_size;) {
        bool found;
        size_t length = (size_t)nd_load_le64((unsigned char *)x->forgotten + at);
        ND_TRY(nd_index_remove(x->index, x->forgotten + at + 8, length, &found, error));
        at += 8 + length;
    }
    x->forgotten_size = 0;
    return ND_OK;
}

nd_status nd_stream_index_reconcile(nd_stream_index *x, nd_clusters *clusters, nd_error *error) {
    nd_store *store = x->index->shared.store;
    nd_clusters_on_expired(clusters, note_forgotten, x);
    for (uint32_t number = 0; number < nd_store_document_count(store); number++) {
        nd_id_digits digits;
        nd_stored_document document;
        if (nd_store_is_removed(store, number)) continue;
        ND_TRY(nd_store_id(store, number, &digits, &document, error));
        if (!nd_clusters_has(clusters, document.id, document.id_length))
            ND_TRY(note_forgotten(x, document.id, document.id_length, error));
    }
    return nd_stream_index_remove_forgotten(x, error);
}

/* ---- deciding */

/* Whether the index still has a document with the arrival's id, of a forgotten cluster. REQUIRES:
 * no cluster has this id. */
static nd_status is_forgotten(const nd_stream_index *x, const nd_arrival *a, bool *forgotten,
                              nd_error *error) {
    uint32_t number = UINT32_MAX;
    if (x->forgotten_size > 0)
        ND_TRY(nd_store_find_id(x->index->shared.store, a->id, a->id_length, &number, error));
    *forgotten = number != UINT32_MAX;
    return ND_OK;
}

nd_status nd_stream_index_decide(nd_stream_index *x, const nd_clusters *clusters,
                                 nd_prepared_arrival *prepared, bool *stale, nd_error *error) {
    const nd_match *evidence;
    bool added;
    nd_arrival *a = &prepared->arrival;
    a->kind = ND_ARRIVAL_JOINS;
    a->similarity = 1;
    if (nd_clusters_has(clusters, a->id, a->id_length)) { /* its first document, sent again */
        *stale = false;
        a->leader = a->id;
        a->leader_length = a->id_length;
        return ND_OK;
    }
    ND_TRY(is_forgotten(x, a, stale, error));
    if (*stale) return ND_OK;
    prepared->document.id = a->id;
    prepared->document.id_length = a->id_length;
    ND_TRY(nd_index_add_document(x->index, x->searcher, &prepared->document, &added, &evidence,
                                 error));
    if (added) {
        a->kind = ND_ARRIVAL_FOUNDS;
        return ND_OK;
    }
    a->leader = evidence->id;
    a->leader_length = evidence->id_length;
    a->similarity = evidence->jaccard;
    *stale = !nd_clusters_has(clusters, a->leader, a->leader_length);
    return ND_OK;
}
