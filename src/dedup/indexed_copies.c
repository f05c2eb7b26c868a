#include "dedup/indexed_copies.h"

#include "sketch/band_key.h"
#include "store/band_lookup.h"

#include <string.h>

/* Keys that are looked up at once. They ascend, and are close together in the index. */
enum { LOOKUPS = 32 };

typedef struct finder {
    const nd_indexed_copies_request *request;
    const nd_store *store;
    nd_fates *fates;
    nd_lookup_context context;
    nd_band_lookup lookups[LOOKUPS];
    uint32_t documents[LOOKUPS]; /* of the run, by lookup */
    size_t count;
    uint32_t *bucket; /* documents of the index with one key */
    size_t bucket_capacity;
} finder;

/* Finds the first document of the index with the hash. *number UINT32_MAX: none. */
static nd_status find_equal(finder *f, size_t lookup, const void *hash, uint32_t *number,
                            nd_error *error) {
    size_t most = (size_t)f->context.totals[lookup], found;
    *number = UINT32_MAX;
    if (most == 0) return ND_OK;
    if (!nd_reserve(&f->request->run->allocator, &f->bucket, &f->bucket_capacity, most))
        return nd_fail_memory(error, most * sizeof *f->bucket, "documents of the index");
    ND_TRY(
        nd_store_bucket_documents(f->store, &f->context, lookup, most, f->bucket, &found, error));
    for (size_t i = 0; i < found && *number == UINT32_MAX; i++) {
        nd_stored_document stored;
        ND_TRY(nd_store_document(f->store, f->bucket[i], &stored, error));
        if (memcmp(stored.sketch, hash, ND_STORED_HASH) == 0) *number = f->bucket[i];
    }
    return ND_OK;
}

static nd_status decide(finder *f, size_t lookup, nd_error *error) {
    const nd_indexed_copies_request *r = f->request;
    uint32_t document = f->documents[lookup], number;
    uint8_t scratch[ND_STORED_HASH];
    const void *hash;
    ND_TRY(nd_columns_sketch(r->columns, document, scratch, &hash, error));
    ND_TRY(find_equal(f, lookup, hash, &number, error));
    if (number == UINT32_MAX) return ND_OK;
    const nd_verdict verdict = {
        .earlier = number, .later = nd_rank_of(r->ranks, document), .score = 1};
    return nd_fates_remove(f->fates, document, &verdict, error);
}

static nd_status decide_all(finder *f, nd_error *error) {
    ND_TRY(nd_store_look_up(f->store, &f->context, f->lookups, f->count, error));
    for (size_t i = 0; i < f->count; i++) ND_TRY(decide(f, i, error));
    f->count = 0;
    return ND_OK;
}

/* Whether the index decides the document. */
static bool is_open(const finder *f, uint32_t document) {
    const uint8_t *known = nd_index_update_known(f->request->update);
    return nd_fate_of(f->fates, document) == ND_FATE_KEPT &&
           !nd_is_protected(f->request->ranks, document) &&
           !(known && known[document >> 3] >> (document & 7) & 1);
}

static nd_status find_in_part(finder *f, size_t part, nd_part_buffer *buffer, nd_error *error) {
    ND_TRY(nd_key_sort_load(f->request->hash_keys, part, buffer, error));
    for (size_t i = 0; i < buffer->count; i++) {
        uint32_t document = (uint32_t)buffer->words[i];
        if (!is_open(f, document)) continue;
        f->lookups[f->count] = (nd_band_lookup){0, nd_band_number_of(part, buffer->words[i])};
        f->documents[f->count++] = document;
        if (f->count == LOOKUPS) ND_TRY(decide_all(f, error));
    }
    return decide_all(f, error);
}

nd_status nd_find_indexed_copies(const nd_indexed_copies_request *r, nd_fates *fates,
                                 nd_error *error) {
    finder f = {.request = r, .store = nd_index_update_store(r->update), .fates = fates};
    const nd_allocator *a = &r->run->allocator;
    size_t parts = nd_key_sort_parts(r->hash_keys);
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    nd_lookup_context_init(&f.context, a);
    f.context.hidden = nd_index_update_replaced(r->update);
    for (size_t part = 0; status == ND_OK && part < parts; part++) {
        status = find_in_part(&f, part, &buffer, error);
        if (status == ND_OK)
            status = nd_progress_report(r->run->progress, ND_STAGE_MATCH, part + 1, parts, error);
    }
    nd_part_buffer_free(a, &buffer);
    nd_lookup_context_free(&f.context);
    nd_release(a, f.bucket);
    return status;
}
