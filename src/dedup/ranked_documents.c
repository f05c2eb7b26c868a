#include "dedup/ranked_documents.h"

nd_status nd_ranked_id(const nd_ranked *r, uint32_t rank, nd_id_buffer *buffer, nd_error *error) {
    if (!nd_rank_is_indexed(r->ranks, rank))
        return nd_columns_id(r->columns, nd_document_of(r->ranks, rank), buffer, error);
    nd_stored_document document;
    ND_TRY(nd_store_document(r->store, rank, &document, error));
    buffer->source = "";
    buffer->line = 0;
    buffer->id = document.id;
    buffer->length = document.id_length;
    return ND_OK;
}

nd_status nd_ranked_sketch(const nd_ranked *r, uint32_t rank, void *scratch, const void **sketch,
                           nd_error *error) {
    if (!nd_rank_is_indexed(r->ranks, rank))
        return nd_columns_sketch(r->columns, nd_document_of(r->ranks, rank), scratch, sketch,
                                 error);
    nd_stored_document document;
    ND_TRY(nd_store_document(r->store, rank, &document, error));
    *sketch = document.sketch;
    return ND_OK;
}

nd_status nd_ranked_set(const nd_ranked *r, uint32_t rank, nd_set_buffer *buffer, nd_error *error) {
    if (!nd_rank_is_indexed(r->ranks, rank))
        return nd_columns_set(r->columns, nd_document_of(r->ranks, rank), buffer, error);
    nd_stored_document document;
    ND_TRY(nd_store_document(r->store, rank, &document, error));
    buffer->set = document.set;
    buffer->size = document.set_size;
    return ND_OK;
}
