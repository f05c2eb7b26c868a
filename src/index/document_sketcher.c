#include "index/document_sketcher.h"

#include "similarity/packed_set.h"
#include "sketch/band_key.h"
#include "sketch/minhash.h"
#include "text/analyzer.h"

#include <string.h>

struct nd_document_sketcher {
    nd_allocator allocator;
    nd_index_settings settings;
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    nd_hash_set set;
    uint32_t *signature;
    uint8_t *sketch;
    uint64_t *keys;
    uint64_t *shingles; /* of the set, in any order */
    size_t shingle_count;
    uint64_t *scratch;
    unsigned char *packed;
    size_t shingle_capacity, scratch_capacity, packed_capacity;
    nd_sketched_document document;
};

nd_status nd_document_sketcher_create(const nd_index_settings *settings,
                                      const nd_dictionary *dictionary,
                                      const nd_allocator *allocator, nd_document_sketcher **out,
                                      nd_error *error) {
    uint32_t perms = settings->sketch_size;
    nd_document_sketcher *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a searcher");
    s->allocator = *allocator;
    s->settings = *settings;
    nd_hash_set_init(&s->set, allocator);
    s->signature = nd_allocate(allocator, perms, sizeof *s->signature);
    s->sketch = nd_allocate(allocator, perms, 1);
    s->keys = nd_allocate(allocator, settings->bands, sizeof *s->keys);
    const nd_analyzer_options options = {.kind = (nd_analyzer_kind)settings->analyzer,
                                         .ngram = settings->ngram,
                                         .seed = settings->seed,
                                         .dictionary = dictionary};
    nd_status status = s->signature && s->sketch && s->keys
                           ? nd_analyzer_create_for(ND_SHINGLES_ALONE, &options, allocator,
                                                    &s->analyzer, error)
                           : nd_fail_memory(error, perms * sizeof *s->signature, "a searcher");
    if (status == ND_OK)
        status = nd_minhash_create(perms, settings->seed, allocator, &s->minhash, error);
    if (status != ND_OK) {
        nd_document_sketcher_free(s);
        return status;
    }
    *out = s;
    return ND_OK;
}

void nd_document_sketcher_free(nd_document_sketcher *s) {
    if (!s) return;
    nd_allocator a = s->allocator;
    nd_analyzer_free(s->analyzer);
    nd_minhash_free(s->minhash);
    nd_hash_set_free(&s->set);
    void *const parts[] = {s->signature, s->sketch, s->keys, s->shingles, s->scratch, s->packed, s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&a, parts[i]);
}

static nd_status make_set(nd_document_sketcher *s, const nd_shingles *shingles, nd_error *error) {
    nd_packed_set_narrow(shingles->hashes, shingles->count);
    ND_TRY(nd_hash_set_make(&s->set, shingles->hashes, shingles->count, error));
    size_t count = s->set.size; /* nd_hash_set_make has moved the distinct ones to the front */
    if (!nd_reserve(&s->allocator, &s->shingles, &s->shingle_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->shingles, "a shingle set");
    memcpy(s->shingles, shingles->hashes, count * sizeof *s->shingles);
    s->shingle_count = count;
    s->document.set = &s->set;
    return ND_OK;
}

nd_status nd_document_sketch(nd_document_sketcher *s, const char *text, size_t length,
                             const nd_sketched_document **out, nd_error *error) {
    const nd_index_settings *set = &s->settings;
    nd_shingles shingles;
    ND_TRY(nd_analyze(s->analyzer, text, length, &shingles, error));
    nd_minhash_sign(s->minhash, shingles.hashes, shingles.count, s->signature);
    nd_minhash_sketch(s->signature, set->sketch_size, s->sketch);
    for (uint32_t b = 0; b < set->bands; b++)
        s->keys[b] = nd_band_number(nd_band_key(s->signature + b * set->rows, set->rows));
    s->document = (nd_sketched_document){.sketch = s->sketch, .keys = s->keys};
    if (set->exact) ND_TRY(make_set(s, &shingles, error));
    *out = &s->document;
    return ND_OK;
}

nd_status nd_document_pack(nd_document_sketcher *s, nd_stored_document *out, nd_error *error) {
    *out = (nd_stored_document){.sketch = s->sketch, .keys = s->keys};
    if (!s->settings.exact) return ND_OK;
    size_t count = s->shingle_count, size = nd_packed_set_size(count);
    if (!nd_reserve(&s->allocator, &s->packed, &s->packed_capacity, size) ||
        !nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, count))
        return nd_fail_memory(error, size, "a shingle set");
    nd_packed_set_pack(s->shingles, nd_packed_set_sort(s->shingles, s->scratch, count), s->packed);
    out->set = s->packed;
    out->set_size = size;
    return ND_OK;
}
