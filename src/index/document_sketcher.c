#include "index/document_sketcher.h"

#include "similarity/packed_set.h"
#include "sketch/band_key.h"
#include "sketch/minhash.h"
#include "text/analyzer.h"

struct nd_document_sketcher {
    nd_allocator allocator;
    nd_index_settings settings;
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    uint32_t *signature;
    uint8_t *sketch;
    uint64_t *keys;
    uint64_t *scratch;     /* for sorting shingles */
    unsigned char *packed; /* with 8 readable bytes behind the set */
    size_t scratch_capacity, packed_capacity;
};

nd_status nd_document_sketcher_create(const nd_index_settings *settings,
                                      const nd_dictionary *dictionary,
                                      const nd_allocator *allocator, nd_document_sketcher **out,
                                      nd_error *error) {
    nd_document_sketcher *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a sketcher");
    s->allocator = *allocator;
    s->settings = *settings;
    s->signature = nd_allocate(allocator, settings->perms, sizeof *s->signature);
    s->sketch = nd_allocate(allocator, settings->perms, 1);
    s->keys = nd_allocate(allocator, settings->bands, sizeof *s->keys);
    const nd_analyzer_options options = {.kind = (nd_analyzer_kind)settings->analyzer,
                                         .ngram = settings->ngram,
                                         .seed = settings->seed,
                                         .dictionary = dictionary};
    nd_status status = s->signature && s->sketch && s->keys
                           ? ND_OK
                           : nd_fail_memory(error, settings->perms * sizeof *s->signature,
                                            "a sketcher");
    if (status == ND_OK) status = nd_analyzer_create(&options, allocator, &s->analyzer, error);
    if (status == ND_OK)
        status = nd_minhash_create(settings->perms, settings->seed, allocator, &s->minhash, error);
    if (status != ND_OK) {
        nd_document_sketcher_free(s);
        return status;
    }
    nd_analyzer_leave_out_text_hash(s->analyzer);
    *out = s;
    return ND_OK;
}

void nd_document_sketcher_free(nd_document_sketcher *s) {
    if (!s) return;
    nd_allocator allocator = s->allocator;
    nd_analyzer_free(s->analyzer);
    nd_minhash_free(s->minhash);
    nd_release(&allocator, s->signature);
    nd_release(&allocator, s->sketch);
    nd_release(&allocator, s->keys);
    nd_release(&allocator, s->scratch);
    nd_release(&allocator, s->packed);
    nd_release(&allocator, s);
}

nd_status nd_document_sketcher_sketch(nd_document_sketcher *s, const char *text, size_t length,
                                      nd_stored_document *out, nd_shingles *shingles,
                                      nd_error *error) {
    const nd_index_settings *set = &s->settings;
    ND_TRY(nd_analyze(s->analyzer, text, length, shingles, error));
    nd_minhash_sign(s->minhash, shingles->hashes, shingles->count, s->signature);
    nd_minhash_sketch(s->signature, set->perms, s->sketch);
    for (uint32_t b = 0; b < set->bands; b++)
        s->keys[b] = nd_band_number(nd_band_key(s->signature + b * set->rows, set->rows));
    if (set->exact) nd_packed_set_narrow(shingles->hashes, shingles->count);
    *out = (nd_stored_document){.sketch = s->sketch, .keys = s->keys};
    return ND_OK;
}

nd_status nd_document_sketcher_pack(nd_document_sketcher *s, uint64_t *shingles, size_t count,
                                    nd_stored_document *out, nd_error *error) {
    enum { BEHIND = 8 }; /* bytes that unpacking a set may read behind it */
    if (!s->settings.exact) return ND_OK;
    if (!nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->scratch, "a shingle set");
    count = nd_packed_set_sort(shingles, s->scratch, count);
    size_t size = nd_packed_set_size(count);
    if (!nd_reserve(&s->allocator, &s->packed, &s->packed_capacity, size + BEHIND))
        return nd_fail_memory(error, size, "a shingle set");
    nd_packed_set_pack(shingles, count, s->packed);
    out->set = s->packed;
    out->set_size = size;
    return ND_OK;
}

nd_status nd_document_sketcher_make(nd_document_sketcher *s, const char *text, size_t length,
                                    nd_stored_document *out, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(nd_document_sketcher_sketch(s, text, length, out, &shingles, error));
    return nd_document_sketcher_pack(s, shingles.hashes, shingles.count, out, error);
}
