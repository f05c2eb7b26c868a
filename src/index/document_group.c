#include "index/document_group.h"

#include <string.h>

void nd_document_group_free(nd_document_group *g, const nd_allocator *a) {
    nd_release(a, g->sketches);
    nd_release(a, g->keys);
    nd_release(a, g->shingles);
}

void nd_document_group_empty(nd_document_group *g) { g->count = g->shingle_count = 0; }

bool nd_document_group_is_full(const nd_document_group *g) {
    return g->count == ND_GROUP_DOCUMENTS || g->shingle_count >= ND_GROUP_SHINGLES;
}

nd_status nd_document_group_add(nd_document_group *g, const nd_index_settings *s,
                                const nd_sketched_document *d, const nd_allocator *a,
                                nd_error *error) {
    size_t perms = s->sketch_size, bands = s->bands, count = g->count + 1;
    if (!nd_reserve(a, &g->sketches, &g->sketch_capacity, count * perms) ||
        !nd_reserve(a, &g->keys, &g->key_capacity, count * bands) ||
        !nd_reserve(a, &g->shingles, &g->shingle_capacity, g->shingle_count + d->shingle_count))
        return nd_fail_memory(error, d->shingle_count * sizeof *g->shingles, "a group of texts");
    memcpy(g->sketches + g->count * perms, d->stored.sketch, perms);
    memcpy(g->keys + g->count * bands, d->stored.keys, bands * sizeof *g->keys);
    if (d->shingle_count > 0)
        memcpy(g->shingles + g->shingle_count, d->shingles, d->shingle_count * sizeof *g->shingles);
    g->documents[g->count] = (nd_sketched_document){.shingle_count = d->shingle_count};
    g->shingle_at[g->count++] = g->shingle_count;
    g->shingle_count += d->shingle_count;
    return ND_OK;
}

const nd_sketched_document *nd_document_group_documents(nd_document_group *g,
                                                        const nd_index_settings *s) {
    for (size_t i = 0; i < g->count; i++) {
        nd_sketched_document *d = &g->documents[i];
        d->stored = (nd_stored_document){.sketch = g->sketches + i * s->sketch_size,
                                         .keys = g->keys + i * s->bands};
        d->shingles = g->shingles ? g->shingles + g->shingle_at[i] : NULL;
    }
    return g->documents;
}
