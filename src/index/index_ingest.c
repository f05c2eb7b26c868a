#include "index/index_ingest.h"

#include "store/compaction.h"

nd_status nd_index_begin_ingest(nd_index_store *x, nd_progress *progress, nd_error *error) {
    ND_TRY(nd_index_store_begin_change(x, error));
    nd_status status = nd_index_store_end_merge(x, error);
    if (status == ND_OK) status = nd_index_store_flush_removed(x, error);
    if (status != ND_OK) {
        nd_index_store_end_change(x);
        return status;
    }
    nd_index_store_expect_random(x);
    nd_store_set_progress(x->store, progress);
    atomic_store(&x->ingesting, true);
    return ND_OK;
}

nd_status nd_index_begin_merge(nd_index_store *x, bool beside, nd_error *error) {
    return nd_store_begin_merge(x->store, beside, error);
}

nd_status nd_index_end_ingest_in_log(nd_index_store *x, nd_index_ingest_fn *add, void *context,
                                     const nd_ingest_mark *mark, nd_error *error) {
    nd_error failure;
    nd_status merged = nd_index_store_end_merge(x, error);
    if (merged != ND_OK) {
        nd_index_abandon_ingest(x);
        return merged;
    }
    nd_store *store = nd_index_store_begin_edit(x);
    uint32_t count = nd_store_document_count(store);
    nd_status status = add(context, store, &failure);
    if (status == ND_OK && mark) status = nd_store_mark_ingest(store, mark, &failure);
    if (status != ND_OK) nd_store_abandon_group(store, count, &failure);
    nd_index_store_end_edit(x);
    nd_store_set_progress(store, NULL);
    atomic_store(&x->ingesting, false);
    if (status == ND_OK) return nd_index_store_commit_change(x, error);
    nd_index_store_end_change(x);
    return nd_fail(error, status, "%s", failure.message);
}

nd_status nd_index_end_ingest(nd_index_store *x, nd_error *error) {
    nd_status status = nd_index_store_end_merges(x, error);
    nd_index_abandon_ingest(x);
    return status;
}

void nd_index_abandon_ingest(nd_index_store *x) {
    nd_store_give_up_merge(x->store);
    nd_store_set_progress(x->store, NULL);
    atomic_store(&x->ingesting, false);
    nd_index_store_end_change(x);
}
