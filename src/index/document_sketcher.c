#include "index/document_sketcher.h"

#include "similarity/packed_sets.h"
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
    nd_shingles shingles;  /* of the last text */
    nd_packed_sets packed; /* the set of the last text */
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
    nd_release(&a, s->signature);
    nd_release(&a, s->sketch);
    nd_release(&a, s->keys);
    nd_packed_sets_free(&s->packed, &a);
    nd_release(&a, s);
}

nd_analyzer *nd_document_sketcher_analyzer(nd_document_sketcher *s) { return s->analyzer; }

/* Makes sketch and keys. */
static void sketch(nd_document_sketcher *s, const nd_shingles *shingles, nd_stored_document *out) {
    const nd_index_settings *set = &s->settings;
    s->shingles = *shingles;
    nd_minhash_sign(s->minhash, s->shingles.hashes, s->shingles.count, s->signature);
    nd_minhash_sketch(s->signature, set->sketch_size, s->sketch);
    for (uint32_t b = 0; b < set->bands; b++)
        s->keys[b] = nd_band_number(nd_band_key(s->signature + b * set->rows, set->rows));
    *out = (nd_stored_document){.sketch = s->sketch, .keys = s->keys};
}

/* Sorts the shingles in place. */
static nd_status pack(nd_document_sketcher *s, nd_stored_document *out, nd_error *error) {
    if (!s->settings.exact) return ND_OK;
    s->packed.size = 0;
    ND_TRY(nd_packed_sets_add(&s->packed, &s->allocator, s->shingles.hashes, s->shingles.count,
                              &out->set_size, error));
    out->set = s->packed.bytes;
    return ND_OK;
}

nd_status nd_document_sketcher_make(nd_document_sketcher *s, const nd_shingles *shingles,
                                    nd_stored_document *out, nd_error *error) {
    sketch(s, shingles, out);
    return pack(s, out, error);
}

nd_status nd_document_sketcher_sketch(nd_document_sketcher *s, const char *text, size_t length,
                                      nd_sketched_document *out, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(nd_analyze(s->analyzer, text, length, &shingles, error));
    sketch(s, &shingles, &out->stored);
    out->shingles = s->settings.exact ? s->shingles.hashes : NULL;
    out->shingle_count = s->settings.exact ? s->shingles.count : 0;
    return ND_OK;
}

nd_status nd_document_sketcher_pack(nd_document_sketcher *s, nd_sketched_document *document,
                                    nd_error *error) {
    return pack(s, &document->stored, error);
}
