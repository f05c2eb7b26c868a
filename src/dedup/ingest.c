#include "dedup/ingest.h"

#include "base/hash.h"
#include "corpus/batch_ids.h"
#include "dedup/document_traits.h"
#include "dedup/ranks.h"
#include "dedup/repeat_filter.h"
#include "similarity/packed_sets.h"
#include "sketch/anchors.h"
#include "sketch/band_key.h"
#include "sketch/minhash.h"
#include "sketch/sentence_signature.h"
#include "sketch/tlsh_sketch.h"
#include "terms/count_min_buffer.h"
#include "text/analyzer.h"
#include "text/differ_by.h"
#include "text/document_hash.h"
#include "warc/uri_host.h"

#include <string.h>

typedef struct ingest_plan {
    nd_allocator allocator;
    const nd_dedup_plan *plan;
    const nd_minhash *minhash;  /* NULL: fingerprints, digests, anchors, or no sketches */
    nd_count_min *words;        /* NULL: words are not counted. All threads add to it */
    nd_repeat_filter *filter;   /* NULL: no shingles are kept. All threads add to it */
    nd_shingle_spool *shingles; /* the same */
    nd_key_sort *band_keys;     /* NULL: there are none. Each thread has writers of its own */
    nd_key_sort *text_hash_order, *id_hash_order;
} ingest_plan;

/* The results that emitting writes. */
typedef struct ingest_result {
    const nd_dedup_plan *plan;
    nd_ingested *out;
    bool has[ND_NAMED_KINDS]; /* of hosts: the first document is of an archive */
} ingest_result;

/* A document in the batch of a block. */
typedef struct entry {
    const nd_raw_record *record;
    uint64_t text_hash[2];
    uint64_t priority;
    uint64_t differ_key; /* text/differ_by.h; 0: nothing keeps texts apart */
    nd_batch_id id;
    size_t key_start, key_count; /* the keys: batch->keys[key_start, +key_count) */
    size_t set_length;
    nd_shingle_range shingles;
    /* Names of its classes: batch->names[name_start, +name_length). */
    size_t name_start[ND_NAMED_KINDS], name_length[ND_NAMED_KINDS];
    bool id_given, is_protected, without_digest;
    uint8_t traits;
} entry;

typedef struct batch {
    entry *entries;
    size_t count, entry_capacity;
    uint32_t first; /* document number of the first entry; set when the batch is emitted */
    uint8_t *sketches;
    size_t sketch_capacity;
    uint64_t *keys; /* band keys, hashes of sentences, or anchors */
    size_t key_count, key_capacity;
    nd_batch_ids ids;
    nd_packed_sets sets;
    char *names; /* of classes */
    size_t name_size, name_capacity;
} batch;

typedef struct ingest_worker {
    nd_document_hasher *hasher; /* NULL: the plan compares more than identical documents */
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;     /* NULL: no fingerprints, or a second reading makes them */
    nd_count_min_buffer *counter; /* NULL: words are not counted */
    uint32_t *signature;
    nd_anchor_sampler *sampler; /* NULL: no anchors */
    nd_differ_by *differ_by;    /* NULL: nothing keeps texts apart */
    nd_shingle_writer shingles; /* its spool is NULL: none are kept */
    nd_key_writer *band_keys;   /* NULL: there are none */
    nd_key_writer *text_hash_order, *id_hash_order;
    nd_numbered_key *numbered; /* the keys of a batch for one of the writers */
    size_t numbered_count, numbered_capacity;
} ingest_worker;

/* ---- mapping a document */

static void reset_batch(void *own) {
    batch *b = own;
    b->count = b->key_count = b->ids.size = b->sets.size = b->name_size = 0;
}

static nd_status reserve_keys(const ingest_plan *p, batch *b, size_t count, nd_error *error) {
    if (nd_reserve(&p->allocator, &b->keys, &b->key_capacity, b->key_count + count)) return ND_OK;
    return nd_fail_memory(error, count * sizeof *b->keys, "the columns of a block");
}

static nd_status add_signature(const ingest_plan *p, ingest_worker *w, batch *b,
                               const nd_shingles *shingles, nd_error *error) {
    const nd_plan *bands = &p->plan->bands;
    nd_minhash_sign(p->minhash, shingles->hashes, shingles->count, w->signature);
    uint8_t *sketch = b->sketches + b->count * p->plan->sketch_size;
    if (p->plan->half_sketches) nd_minhash_half_sketch(w->signature, bands->perms, sketch);
    else nd_minhash_sketch(w->signature, bands->perms, sketch);
    if (nd_plan_has_sentences(p->plan)) return ND_OK;
    ND_TRY(reserve_keys(p, b, bands->bands, error));
    for (uint32_t band = 0; band < bands->bands; band++)
        b->keys[b->key_count++] = nd_band_key(w->signature + band * bands->rows, bands->rows);
    return ND_OK;
}

static nd_status add_anchors(const ingest_plan *p, ingest_worker *w, batch *b,
                             const nd_shingles *shingles, nd_error *error) {
    uint32_t found;
    const uint64_t *anchors = nd_anchors_sample(w->sampler, shingles->hashes, shingles->count,
                                                p->plan->anchors.anchors, &found);
    ND_TRY(reserve_keys(p, b, found, error));
    memcpy(b->keys + b->key_count, anchors, found * sizeof *anchors);
    b->key_count += found;
    return ND_OK;
}

/* Adds the hashes of sentences as keys. If several sentences agree in the bits of a key, one key is
 * enough. */
static nd_status add_sentences(const ingest_plan *p, ingest_worker *w, batch *b,
                               const nd_document *document, nd_error *error) {
    uint32_t found;
    ND_TRY(reserve_keys(p, b, p->plan->sentences, error));
    uint64_t *keys = b->keys + b->key_count;
    ND_TRY(nd_sentence_signature(w->analyzer, document->text, document->length, p->plan->sentences,
                                 keys, &found, error));
    size_t count = 0;
    for (uint32_t i = 0; i < found; i++) {
        bool is_new = true;
        for (size_t j = 0; j < count; j++)
            is_new = is_new && nd_band_number(keys[j]) != nd_band_number(keys[i]);
        keys[count] = keys[i];
        count += is_new;
    }
    b->key_count += count;
    return ND_OK;
}

/* Adds the hash as the sketch and the key that an index keeps. */
static nd_status add_hash(const ingest_plan *p, batch *b, const uint64_t hash[2], nd_error *error) {
    if (p->plan->sketch_size == 0) return ND_OK;
    ND_TRY(reserve_keys(p, b, 1, error));
    b->keys[b->key_count++] = hash[0];
    nd_stored_hash_write(hash, b->sketches + b->count * ND_STORED_HASH);
    return ND_OK;
}

/* Adds the signature, the fingerprint or the anchors. If words are counted first, counts the
 * document's words instead. */
static nd_status add_sketch(const ingest_plan *p, ingest_worker *w, batch *b, nd_shingles *shingles,
                            nd_error *error) {
    size_t size = p->plan->sketch_size;
    if (nd_plan_has_digests(p->plan)) return ND_OK; /* of the text, not of its shingles */
    if (nd_plan_has_anchors(p->plan)) return add_anchors(p, w, b, shingles, error);
    if (!nd_plan_has_fingerprints(p->plan)) return add_signature(p, w, b, shingles, error);
    if (w->simhash) {
        nd_fingerprint fingerprint;
        ND_TRY(nd_text_simhash_of_shingles(w->simhash, shingles, &fingerprint, error));
        memcpy(b->sketches + b->count * size, &fingerprint, size);
        return ND_OK;
    }
    return nd_count_min_buffer_add_document(w->counter, shingles->hashes,
                                            shingles->tokens > 0 ? shingles->count : 0, error);
}

/* Texts that are kept apart are no exact copies, even if their tokens are the same: "1.2", "1 2".
 */
static nd_status set_difference(ingest_worker *w, const nd_document *document, entry *e,
                                nd_error *error) {
    if (!w->differ_by) return ND_OK;
    ND_TRY(nd_differ_by_key(w->differ_by, document->text, document->length, &e->differ_key, error));
    e->text_hash[0] ^= e->differ_key;
    return ND_OK;
}

/* Appends the name of a class. */
static nd_status add_name(const ingest_plan *p, batch *b, nd_span name, nd_named_kind kind,
                          entry *e, nd_error *error) {
    e->name_start[kind] = b->name_size;
    e->name_length[kind] = name.length;
    if (name.length == 0) return ND_OK;
    if (!nd_reserve(&p->allocator, &b->names, &b->name_capacity, b->name_size + name.length))
        return nd_fail_memory(error, name.length, "the classes of a block");
    memcpy(b->names + b->name_size, name.bytes, name.length);
    b->name_size += name.length;
    return ND_OK;
}

/* Appends the host of a document of WARC, in lower case. */
static nd_status add_host(const ingest_plan *p, batch *b, const nd_document *document, entry *e,
                          nd_error *error) {
    ND_TRY(add_name(p, b, nd_uri_host(document->uri), ND_NAMED_HOST, e, error));
    for (size_t i = e->name_start[ND_NAMED_HOST]; i < b->name_size; i++)
        if (b->names[i] >= 'A' && b->names[i] <= 'Z') b->names[i] = (char)(b->names[i] | 0x20);
    return ND_OK;
}

/* Keeps the shingles if the document will likely be compared with an earlier one. */
static void keep_shingles(const ingest_plan *p, ingest_worker *w, const batch *b,
                          const nd_shingles *shingles, entry *e) {
    if (p->filter &&
        nd_repeat_filter_add(p->filter, b->keys + e->key_start, e->key_count, e->text_hash[0]))
        e->shingles = nd_shingle_writer_add(&w->shingles, shingles->hashes, shingles->count);
}

static nd_status map_document(const void *plan, void *worker, void *own, const nd_scan_item *item,
                              nd_error *error) {
    const ingest_plan *p = plan;
    const nd_document *document = item->document;
    ingest_worker *w = worker;
    batch *b = own;
    nd_shingles shingles = {0};
    size_t key_start = b->key_count;
    if (nd_plan_has_sentences(p->plan)) ND_TRY(add_sentences(p, w, b, document, error));
    ND_TRY(w->hasher ? nd_document_hash(w->hasher, document->text, document->length,
                                        shingles.text_hash, error)
                     : nd_analyze(w->analyzer, document->text, document->length, &shingles, error));
    if (!nd_reserve(&p->allocator, &b->entries, &b->entry_capacity, b->count + 1) ||
        !nd_reserve(&p->allocator, &b->sketches, &b->sketch_capacity,
                    (b->count + 1) * p->plan->sketch_size))
        return nd_fail_memory(error, p->plan->sketch_size, "the columns of a block");
    ND_TRY(w->hasher ? add_hash(p, b, shingles.text_hash, error)
                     : add_sketch(p, w, b, &shingles, error));
    entry *e = &b->entries[b->count];
    *e = (entry){.record = item->record,
                 .text_hash = {shingles.text_hash[0], shingles.text_hash[1]},
                 .priority = nd_priority_of(p->plan, document),
                 .key_start = key_start,
                 .key_count = b->key_count - key_start,
                 .id_given = document->id != NULL};
    if (nd_plan_has_digests(p->plan))
        e->without_digest = !nd_tlsh_sketch_make(document->text, document->length,
                                                 b->sketches + b->count * p->plan->sketch_size);
    ND_TRY(set_difference(w, document, e, error));
    if (p->filter)
        nd_repeat_filter_prefetch(p->filter, b->keys + e->key_start, e->key_count, e->text_hash[0]);
    if (p->plan->goal == ND_GOAL_DEDUP) {
        e->is_protected = document->is_protected;
        e->traits = nd_traits_of(document->text, document->length);
        ND_TRY(add_host(p, b, document, e, error));
        ND_TRY(add_name(p, b, document->label, ND_NAMED_FIELD, e, error));
    }
    ND_TRY(nd_batch_ids_add(&b->ids, item, &p->allocator, &e->id, error));
    keep_shingles(p, w, b, &shingles, e);
    if (p->plan->has_sets)
        ND_TRY(nd_packed_sets_add(&b->sets, &p->allocator, shingles.hashes, shingles.count,
                                  &e->set_length, error));
    b->count++;
    return ND_OK;
}

static void destroy_batch(const void *plan, void *own) {
    const nd_allocator *a = &((const ingest_plan *)plan)->allocator;
    batch *b = own;
    nd_release(a, b->entries);
    nd_release(a, b->sketches);
    nd_release(a, b->keys);
    nd_release(a, b->names);
    nd_batch_ids_free(&b->ids, a);
    nd_packed_sets_free(&b->sets, a);
}

/* ---- workers */

static void destroy_worker(const void *plan, void *worker) {
    const nd_allocator *a = &((const ingest_plan *)plan)->allocator;
    ingest_worker *w = worker;
    if (!w) return;
    nd_release(a, w->numbered);
    nd_release(a, w->signature);
    nd_release(a, w->sampler);
    nd_count_min_buffer_free(w->counter);
    nd_text_simhash_free(w->simhash);
    nd_analyzer_free(w->analyzer);
    nd_differ_by_free(w->differ_by);
    nd_document_hasher_free(w->hasher);
    nd_shingle_writer_end(&w->shingles);
    nd_release(a, w);
}

static nd_status create_writers(const ingest_plan *p, ingest_worker *w, nd_error *error) {
    if (p->band_keys) ND_TRY(nd_key_writer_create(p->band_keys, &w->band_keys, error));
    ND_TRY(nd_key_writer_create(p->text_hash_order, &w->text_hash_order, error));
    return nd_key_writer_create(p->id_hash_order, &w->id_hash_order, error);
}

static nd_status create_worker(const void *plan, void **worker, nd_error *error) {
    const ingest_plan *p = plan;
    const nd_allocator *a = &p->allocator;
    ingest_worker *w = *worker = nd_allocate_zero(a, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    w->shingles.spool = p->shingles;
    ND_TRY(create_writers(p, w, error));
    if (p->plan->exact)
        return nd_document_hasher_create(p->plan->equal, &p->plan->analyzer, a, &w->hasher, error);
    if (p->plan->differ_by)
        ND_TRY(nd_differ_by_create(p->plan->differ_by, p->plan->differ_by_count, a, &w->differ_by,
                                   error));
    if (p->words) ND_TRY(nd_count_min_buffer_create(p->words, a, &w->counter, error));
    if (nd_plan_has_fingerprints(p->plan))
        return nd_plan_simhash(p->plan, ND_SHINGLES_AND_TEXT_HASH, NULL, a, &w->analyzer,
                               &w->simhash, error);
    if (nd_plan_has_anchors(p->plan)) {
        w->sampler = nd_allocate(a, 1, sizeof *w->sampler);
        if (!w->sampler) return nd_fail_memory(error, sizeof *w->sampler, "anchors");
    }
    w->signature = nd_allocate(a, p->plan->bands.perms, sizeof *w->signature);
    if (!w->signature)
        return nd_fail_memory(error, p->plan->bands.perms * sizeof *w->signature, "a signature");
    return nd_analyzer_create_for(ND_SHINGLES_AND_TEXT_HASH, &p->plan->analyzer, a, &w->analyzer,
                                  error);
}

/* ---- emitting, in the order of input */

static nd_status emit_name(nd_named_classes *out, const char *name, size_t length,
                           nd_error *error) {
    static const char nameless[] = "(none)";
    uint32_t number;
    out->named += length > 0;
    ND_TRY(nd_class_table_find(&out->names, length > 0 ? name : nameless,
                               length > 0 ? length : sizeof nameless - 1, &number, error));
    return nd_spool_append(&out->numbers, &number, sizeof number, error);
}

static nd_status emit_classes(const ingest_result *r, const batch *b, const entry *e,
                              nd_error *error) {
    ND_TRY(nd_spool_append(&r->out->traits, &e->traits, 1, error));
    for (unsigned kind = 0; kind < ND_NAMED_KINDS; kind++)
        if (r->has[kind])
            ND_TRY(emit_name(&r->out->named[kind], b->names + e->name_start[kind],
                             e->name_length[kind], error));
    return ND_OK;
}

/* Makes room for the bits of all documents up to one. */
static nd_status cover_documents(nd_ingested *out, uint32_t document, nd_error *error) {
    size_t before = out->protected_capacity, need = document / 8 + 1;
    if (!nd_reserve(&out->columns.allocator, &out->protected_bits, &out->protected_capacity, need))
        return nd_fail_memory(error, need, "the protected documents");
    memset(out->protected_bits + before, 0, out->protected_capacity - before);
    return ND_OK;
}

static nd_status emit_protection(nd_ingested *out, uint32_t document, nd_error *error) {
    ND_TRY(cover_documents(out, document, error));
    out->protected_bits[document / 8] |= (uint8_t)(1u << document % 8);
    out->protected_count++;
    return ND_OK;
}

static nd_status emit_document(const ingest_result *r, const batch *b, size_t source, size_t i,
                               nd_error *error) {
    nd_ingested *out = r->out;
    const entry *e = &b->entries[i];
    uint32_t document = (uint32_t)out->columns.count;
    ND_TRY(nd_columns_add_record(&out->columns, source, e->record, error));
    ND_TRY(nd_spool_append(&out->text_hashes, e->text_hash, sizeof e->text_hash, error));
    if (out->columns.shingles)
        ND_TRY(nd_shingle_spool_enter(out->columns.shingles, document, e->shingles, error));
    if (r->plan->differ_by) ND_TRY(nd_columns_add_differ_key(&out->columns, e->differ_key, error));
    if (r->plan->goal == ND_GOAL_DEDUP) ND_TRY(emit_classes(r, b, e, error));
    if (e->is_protected) ND_TRY(emit_protection(out, document, error));
    out->without_digest += e->without_digest;
    if (r->plan->keep != ND_KEEP_FIRST)
        ND_TRY(nd_spool_append(&out->priorities, &e->priority, 8, error));
    return nd_columns_add_id(&out->columns, e->record->line, b->ids.bytes + e->id.start,
                             e->id.length, error);
}

static nd_status emit_sets(nd_columns *columns, const batch *b, nd_error *error) {
    uint64_t end = columns->sets.size;
    ND_TRY(nd_spool_append(&columns->sets, b->sets.bytes, b->sets.size, error));
    for (size_t i = 0; i < b->count; i++) {
        end += b->entries[i].set_length;
        ND_TRY(nd_spool_append(&columns->set_ends, &end, sizeof end, error));
    }
    return ND_OK;
}

static nd_status emit_batch(void *result, void *own, const nd_block *block, nd_error *error) {
    ingest_result *r = result;
    batch *b = own;
    nd_columns *columns = &r->out->columns;
    b->first = (uint32_t)columns->count;
    if (columns->count == 0)
        r->has[ND_NAMED_HOST] = nd_corpus_source(columns->corpus, block->source)->format ==
                                ND_FORMAT_WARC;
    if (!r->plan->counts_words)
        ND_TRY(nd_spool_append(&columns->sketches, b->sketches, b->count * columns->sketch_size,
                               error));
    if (r->plan->has_sets) ND_TRY(emit_sets(columns, b, error));
    for (size_t i = 0; i < b->count; i++) ND_TRY(emit_document(r, b, block->source, i, error));
    return ND_OK;
}

/* ---- settling: the keys of a batch, once its documents have numbers */

static nd_status reserve_numbered(const ingest_plan *p, ingest_worker *w, size_t count,
                                  nd_error *error) {
    w->numbered_count = 0;
    if (nd_reserve(&p->allocator, &w->numbered, &w->numbered_capacity, count)) return ND_OK;
    return nd_fail_memory(error, count * sizeof *w->numbered, "the keys of a block");
}

static void add_numbered(ingest_worker *w, uint32_t band, uint64_t key, uint32_t document) {
    w->numbered[w->numbered_count++] = (nd_numbered_key){(uint32_t)nd_band_part(band, key),
                                                         (uint32_t)key, document};
}

static nd_status write_numbered(const ingest_worker *w, nd_key_writer *to, nd_error *error) {
    return nd_key_writer_add(to, w->numbered, w->numbered_count, error);
}

static nd_status write_band_keys(const ingest_plan *p, ingest_worker *w, const batch *b,
                                 nd_error *error) {
    bool one_band = p->plan->bands.bands == 1;
    ND_TRY(reserve_numbered(p, w, b->key_count, error));
    for (size_t i = 0; i < b->count; i++) {
        const entry *e = &b->entries[i];
        for (size_t k = 0; k < e->key_count; k++)
            add_numbered(w, one_band ? 0 : (uint32_t)k, b->keys[e->key_start + k],
                         b->first + (uint32_t)i);
    }
    return write_numbered(w, w->band_keys, error);
}

static nd_status write_hashes(const ingest_plan *p, ingest_worker *w, const batch *b,
                              nd_error *error) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    ND_TRY(reserve_numbered(p, w, b->count, error));
    for (size_t i = 0; i < b->count; i++)
        add_numbered(w, 0, b->entries[i].text_hash[0], b->first + (uint32_t)i);
    ND_TRY(write_numbered(w, w->text_hash_order, error));
    w->numbered_count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *e = &b->entries[i];
        if (e->id_given)
            add_numbered(w, 0,
                         nd_mix64(nd_hash_token(&key, b->ids.bytes + e->id.start, e->id.length)),
                         b->first + (uint32_t)i);
    }
    return write_numbered(w, w->id_hash_order, error);
}

static nd_status settle_batch(const void *plan, void *worker, void *own, nd_error *error) {
    const ingest_plan *p = plan;
    ingest_worker *w = worker;
    if (w->band_keys) ND_TRY(write_band_keys(p, w, own, error));
    return write_hashes(p, w, own, error);
}

/* ---- the stage */

static nd_status create_sorter(const nd_run *run, uint32_t bands, nd_memory_store store,
                               const char *what, nd_key_sort **out, nd_error *error) {
    const nd_key_sort_settings settings = {.disk = run->space,
                                           .parts = (size_t)bands << ND_BAND_PART_BITS,
                                           .memory_limit = nd_memory_share(&run->budget, store),
                                           .writers = run->threads,
                                           .what = what};
    return nd_key_sort_create(&run->allocator, &settings, out, error);
}

static nd_status create_sorters(const nd_run *run, const nd_dedup_plan *plan, nd_ingested *out,
                                nd_error *error) {
    if (plan->bands.bands > 0)
        ND_TRY(create_sorter(run, plan->bands.bands,
                             nd_plan_has_anchors(plan) ? ND_MEMORY_SKETCHES : ND_MEMORY_BAND_KEYS,
                             "band keys", &out->band_keys, error));
    ND_TRY(create_sorter(run, 1, ND_MEMORY_TEXT_HASH_ORDER, "text hashes", &out->text_hash_order,
                         error));
    return create_sorter(run, 1, ND_MEMORY_ID_HASH_ORDER, "id hashes", &out->id_hash_order, error);
}

static nd_status prepare(const nd_run *run, const nd_dedup_plan *plan, nd_corpus *corpus,
                         nd_ingested *out, nd_error *error) {
    const nd_memory_budget *b = &run->budget;
    nd_spool_init(&out->text_hashes, &run->allocator, run->space,
                  nd_memory_share(b, ND_MEMORY_TEXT_HASHES), "text hashes");
    /* The numbers of named classes take up to eight ninths. */
    size_t classes = nd_memory_share(b, ND_MEMORY_CLASSES);
    nd_spool_init(&out->traits, &run->allocator, run->space, classes / 9, "classes");
    for (unsigned kind = 0; kind < ND_NAMED_KINDS; kind++) {
        nd_spool_init(&out->named[kind].numbers, &run->allocator, run->space, classes / 9 * 4,
                      kind == ND_NAMED_HOST ? "hosts" : "values of a field");
        out->named[kind].names.allocator = run->allocator;
    }
    nd_spool_init(&out->priorities, &run->allocator, run->space,
                  nd_memory_share(b, ND_MEMORY_PRIORITIES), "priorities");
    ND_TRY(nd_columns_init(&out->columns, run, corpus, plan->sketch_size, error));
    if (plan->counts_words) ND_TRY(nd_count_min_create(&run->allocator, &out->words, error));
    return create_sorters(run, plan, out, error);
}

/* Whether pairs are compared by shingles that nobody else keeps. */
static bool keeps_shingles(const nd_dedup_plan *plan) {
    return plan->verify == ND_VERIFY_EXACT && plan->bands.bands > 0 && !plan->has_sets &&
           !nd_plan_has_anchors(plan);
}

static nd_status begin_shingles(const nd_run *run, nd_ingested *out, nd_repeat_filter **filter,
                                nd_error *error) {
    ND_TRY(nd_shingle_spool_create(&run->allocator, run->space,
                                   nd_memory_share(&run->budget, ND_MEMORY_SHINGLES),
                                   &out->columns.shingles, error));
    return nd_repeat_filter_create(&run->allocator,
                                   nd_memory_share(&run->budget, ND_MEMORY_REPEATS), filter, error);
}

nd_status nd_ingest(const nd_run *run, const nd_input_options *input, const nd_dedup_plan *plan,
                    nd_corpus *corpus, nd_ingested *out, nd_error *error) {
    nd_minhash *minhash = NULL;
    nd_repeat_filter *filter = NULL;
    *out = (nd_ingested){0};
    nd_status status = prepare(run, plan, corpus, out, error);
    if (status == ND_OK && !plan->exact && !nd_plan_has_distances(plan) &&
        !nd_plan_has_anchors(plan))
        status = nd_minhash_create(plan->bands.perms, plan->analyzer.seed, &run->allocator,
                                   &minhash, error);
    if (status == ND_OK && keeps_shingles(plan)) status = begin_shingles(run, out, &filter, error);
    const ingest_plan shared = {.allocator = run->allocator,
                                .plan = plan,
                                .minhash = minhash,
                                .words = out->words,
                                .filter = filter,
                                .shingles = out->columns.shingles,
                                .band_keys = out->band_keys,
                                .text_hash_order = out->text_hash_order,
                                .id_hash_order = out->id_hash_order};
    ingest_result result = {
        .plan = plan, .out = out, .has[ND_NAMED_FIELD] = plan->losses_by != NULL};
    const nd_scan_stage stage = {.plan = &shared,
                                 .result = &result,
                                 .create_worker = create_worker,
                                 .map = map_document,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(batch),
                                 .reset = reset_batch,
                                 .emit = emit_batch,
                                 .settle = settle_batch,
                                 .destroy_batch = destroy_batch};
    if (status == ND_OK) status = nd_run_scan(run, input, corpus, &stage, &out->counts, error);
    if (status == ND_OK && out->protected_count > 0 && out->columns.count > 0)
        status = cover_documents(out, (uint32_t)out->columns.count - 1, error);
    if (status == ND_OK) status = nd_columns_finish(&out->columns, error);
    if (out->columns.shingles) nd_shingle_spool_finish(out->columns.shingles);
    nd_repeat_filter_free(filter);
    nd_minhash_free(minhash);
    return status;
}

void nd_ingested_free(nd_ingested *in) {
    nd_key_sort_free(in->band_keys);
    nd_key_sort_free(in->text_hash_order);
    nd_key_sort_free(in->id_hash_order);
    nd_spool_free(&in->text_hashes);
    nd_spool_free(&in->traits);
    for (unsigned kind = 0; kind < ND_NAMED_KINDS; kind++) {
        nd_spool_free(&in->named[kind].numbers);
        nd_class_table_free(&in->named[kind].names);
    }
    nd_release(&in->columns.allocator, in->protected_bits);
    nd_spool_free(&in->priorities);
    nd_count_min_free(in->words);
    nd_columns_free(&in->columns);
}
