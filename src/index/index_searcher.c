#include "index/index_searcher.h"

#include "base/argument.h"
#include "base/floats.h"

nd_status nd_index_searcher_make(nd_index_store *index, uint32_t max_compare,
                                 const nd_allocator *allocator, nd_index_searcher **out,
                                 nd_error *error) {
    nd_index_searcher *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a searcher");
    s->allocator = *allocator;
    s->index = index;
    nd_status status = nd_document_search_create(&index->settings, max_compare, allocator,
                                                 &s->search, error);
    if (status == ND_OK) *out = s;
    else nd_index_searcher_free(s);
    return status;
}

nd_status nd_index_searcher_make_for_texts(nd_index_store *index, uint32_t max_compare,
                                           const nd_dictionary *dictionary,
                                           const nd_allocator *allocator, nd_index_searcher **out,
                                           nd_error *error) {
    nd_index_searcher *s = NULL;
    ND_TRY(nd_index_searcher_make(index, max_compare, allocator, &s, error));
    nd_status status = nd_document_sketcher_create(&index->settings, dictionary, allocator,
                                                   &s->sketcher, error);
    if (status == ND_OK) *out = s;
    else nd_index_searcher_free(s);
    return status;
}

void nd_index_searcher_free(nd_index_searcher *s) {
    if (!s) return;
    nd_document_sketcher_free(s->sketcher);
    nd_document_search_free(s->search);
    nd_allocator allocator = s->allocator;
    nd_release(&allocator, s);
}

uint64_t nd_index_searcher_left_out(const nd_index_searcher *s) {
    return nd_document_search_result(s->search)->left_out;
}

nd_status nd_index_search(nd_index_searcher *searcher, const char *text, size_t length,
                          nd_search_kind kind, const nd_match **matches, size_t *count,
                          nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(searcher, "searcher", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_CHECK_ENUM(kind, "kind", ND_SEARCH_ALL, ND_SEARCH_FIRST, error);
    ND_TRY(nd_need(matches, "matches", error));
    ND_TRY(nd_need(count, "count", error));
    nd_sketched_document document;
    ND_TRY(nd_document_sketcher_sketch(searcher->sketcher, text, length, &document, error));
    const nd_store *store = nd_index_store_begin_read(searcher->index);
    nd_status status = nd_document_search_look_up(searcher->search, store, &document, 1, error);
    if (status == ND_OK)
        status = nd_document_search_find(searcher->search, store, 0, kind, UINT32_MAX, error);
    nd_index_store_end_read(searcher->index);
    ND_TRY(status);
    *matches = nd_document_search_result(searcher->search)->matches;
    *count = nd_document_search_result(searcher->search)->count;
    return ND_OK;
}
