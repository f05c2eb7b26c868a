/* Stage "read": records to columns, stored document by document. */
#include "job/simhash_pass.h"
#include "job/record_pass.h"
#include "sketch/band_key.h"
#include "similarity/packed_set.h"
#include "sketch/minhash.h"
#include "terms/count_min_buffer.h"

#include <math.h>
#include <string.h>

/* A document in the columns of a block. */
typedef struct column_entry {
    uint32_t record; /* index in the block */
    uint64_t text_hash[2];
    uint64_t priority;
    size_t id_start, id_length;  /* in the block's id bytes */
    size_t key_start, key_count; /* in its keys */
    size_t set_length;
    bool id_given;
} column_entry;

/* What a worker makes of a block. */
typedef struct columns {
    column_entry *entries;
    size_t count, entry_capacity;
    uint8_t *sketches;
    size_t sketch_capacity;
    uint64_t *keys; /* of bands, or sentences */
    size_t key_count, key_capacity;
    char *ids;
    size_t id_size, id_capacity;
    nd_id_buffer id; /* scratch */
    unsigned char *sets;
    size_t set_size, set_capacity;
} columns;

typedef struct ingest_worker {
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;    /* NULL: no fingerprints, or not yet */
    nd_feature_counter *counter; /* of words, where these are counted */
    uint32_t *signature;
    uint64_t *scratch; /* as many words as shingles */
    size_t scratch_capacity;
} ingest_worker;

/* ---- columns of a block */

static nd_status add_id(nd_job *job, columns *c, column_entry *entry, const nd_block *block,
                        const nd_document *document, nd_error *error) {
    ND_TRY(nd_document_id(job, block, entry->record, document, &c->id, error));
    if (!nd_reserve(&job->allocator, &c->ids, &c->id_capacity, c->id_size + c->id.length))
        return nd_fail_memory(error, c->id.length, "ids");
    if (c->id.length > 0) memcpy(c->ids + c->id_size, c->id.id, c->id.length);
    entry->id_given = document->id != NULL;
    entry->id_start = c->id_size;
    entry->id_length = c->id.length;
    c->id_size += c->id.length;
    return ND_OK;
}

/* The shingles are of no more use then. */
static nd_status add_set(nd_job *job, ingest_worker *w, columns *c, column_entry *entry,
                         nd_shingles *shingles, nd_error *error) {
    if (!nd_reserve(&job->allocator, &w->scratch, &w->scratch_capacity, shingles->count))
        return nd_fail_memory(error, shingles->count * sizeof *w->scratch, "a shingle set");
    nd_packed_set_narrow(shingles->hashes, shingles->count);
    size_t count = nd_packed_set_sort(shingles->hashes, w->scratch, shingles->count),
           size = nd_packed_set_size(count);
    if (!nd_reserve(&job->allocator, &c->sets, &c->set_capacity, c->set_size + size))
        return nd_fail_memory(error, size, "shingle sets");
    nd_packed_set_pack(shingles->hashes, count, c->sets + c->set_size);
    entry->set_length = size;
    c->set_size += size;
    return ND_OK;
}

/* Priorities as integers of which the greatest is taken first. */
static uint64_t ordered_double(double value) {
    uint64_t bits;
    value += 0.0; /* -0 and 0 are one value */
    memcpy(&bits, &value, 8);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t priority_of(const nd_job_options *options, const nd_document *document) {
    if (options->keep == ND_KEEP_LONGEST) return document->length;
    if (!document->has_priority || isnan(document->priority))
        return 0; /* below every number: ordered_double gives at least 2^52 */
    uint64_t ordered = ordered_double(document->priority);
    return options->keep == ND_KEEP_MIN ? ~ordered : ordered;
}

static void begin_columns(void *made) {
    columns *c = made;
    c->count = c->key_count = c->id_size = c->set_size = 0;
}

static nd_status reserve_keys(const nd_job *job, columns *c, size_t count, nd_error *error) {
    if (nd_reserve(&job->allocator, &c->keys, &c->key_capacity, c->key_count + count)) return ND_OK;
    return nd_fail_memory(error, count * sizeof *c->keys, "the columns of a block");
}

static nd_status add_signature(nd_job *job, ingest_worker *w, columns *c,
                               const nd_shingles *shingles, nd_error *error) {
    const nd_plan *plan = &job->plan;
    nd_minhash_sign(job->minhash, shingles->hashes, shingles->count, w->signature);
    nd_minhash_sketch(w->signature, plan->perms, c->sketches + c->count * plan->perms);
    if (nd_job_has_sentences(job)) return ND_OK;
    ND_TRY(reserve_keys(job, c, plan->bands, error));
    for (uint32_t band = 0; band < plan->bands; band++)
        c->keys[c->key_count++] = nd_band_key(w->signature + band * plan->rows, plan->rows);
    return ND_OK;
}

/* Sentences as keys. Of those that agree in the bits of a key one is enough. */
static nd_status add_sentences(nd_job *job, ingest_worker *w, columns *c,
                               const nd_document *document, nd_error *error) {
    uint32_t found;
    ND_TRY(reserve_keys(job, c, job->options.sentences, error));
    uint64_t *keys = c->keys + c->key_count;
    ND_TRY(nd_sentence_signature(w->analyzer, document->text, document->length,
                                 job->options.sentences, keys, &found, error));
    size_t count = 0;
    for (uint32_t i = 0; i < found; i++) {
        bool is_new = true;
        for (size_t j = 0; j < count; j++)
            is_new = is_new && nd_band_number(keys[j]) != nd_band_number(keys[i]);
        keys[count] = keys[i];
        count += is_new;
    }
    c->key_count += count;
    return ND_OK;
}

/* What the sketch is made of; the shingles are of no more use then, but where it is a signature. */
static nd_status add_sketch(nd_job *job, ingest_worker *w, columns *c, nd_shingles *shingles,
                            nd_error *error) {
    if (!nd_job_has_fingerprints(job)) return add_signature(job, w, c, shingles, error);
    if (w->simhash) {
        nd_fingerprint fingerprint;
        ND_TRY(nd_text_simhash_of(w->simhash, shingles, &fingerprint, error));
        memcpy(c->sketches + c->count * job->sketch_size, &fingerprint, job->sketch_size);
        return ND_OK;
    }
    return nd_feature_counter_add(w->counter, shingles->hashes,
                                  shingles->tokens > 0 ? shingles->count : 0, error);
}

static nd_status add_document(void *context, void *worker, void *made, const nd_block *block,
                              size_t record, const nd_document *document, nd_error *error) {
    nd_job *job = context;
    ingest_worker *w = worker;
    columns *c = made;
    nd_shingles shingles;
    size_t key_start = c->key_count;
    if (nd_job_has_sentences(job)) ND_TRY(add_sentences(job, w, c, document, error));
    ND_TRY(nd_analyze(w->analyzer, document->text, document->length, &shingles, error));
    if (!nd_reserve(&job->allocator, &c->entries, &c->entry_capacity, c->count + 1) ||
        !nd_reserve(&job->allocator, &c->sketches, &c->sketch_capacity,
                    (c->count + 1) * job->sketch_size))
        return nd_fail_memory(error, job->sketch_size, "the columns of a block");
    ND_TRY(add_sketch(job, w, c, &shingles, error));
    column_entry *entry = &c->entries[c->count];
    *entry = (column_entry){.record = (uint32_t)record,
                            .text_hash = {shingles.text_hash[0], shingles.text_hash[1]}};
    entry->key_start = key_start;
    entry->key_count = c->key_count - key_start;
    entry->priority = priority_of(&job->options, document);
    ND_TRY(add_id(job, c, entry, block, document, error));
    if (nd_job_has_sets(job)) ND_TRY(add_set(job, w, c, entry, &shingles, error));
    c->count++;
    return ND_OK;
}

/* ---- storing, one block at a time */

/* Where key number i of a document goes. */
static size_t part_of_key(const nd_job *job, size_t i, uint64_t key) {
    return nd_band_part(nd_job_has_sentences(job) ? 0 : (uint32_t)i, key);
}

/* Band keys go to as many places as there are bands: those of the document after the next are
 * fetched meanwhile. */
enum { AHEAD = 2 };

static void prefetch_keys(const nd_job *job, const columns *c, size_t i) {
    if (i >= c->count) return;
    const uint64_t *keys = c->keys + c->entries[i].key_start;
    for (size_t k = 0; k < c->entries[i].key_count; k++)
        nd_part_sorter_prefetch(job->bands, part_of_key(job, k, keys[k]));
}

static nd_status store_document(nd_job *job, const columns *c, const nd_block *block, size_t i,
                                nd_error *error) {
    const column_entry *entry = &c->entries[i];
    const nd_raw_record *record = &block->records[entry->record];
    uint32_t document = (uint32_t)job->documents.count;
    ND_TRY(nd_document_add(&job->documents, record->offset, record->length, error));
    const uint64_t *keys = c->keys + entry->key_start;
    for (size_t k = 0; k < entry->key_count; k++)
        ND_TRY(nd_part_sorter_push(job->bands, part_of_key(job, k, keys[k]),
                                   nd_band_word(keys[k], document), error));
    ND_TRY(nd_part_sorter_push(job->hash_order, (size_t)(entry->text_hash[0] >> 56),
                               entry->text_hash[0] << 32 | document, error));
    ND_TRY(nd_spool_append(&job->hashes, entry->text_hash, sizeof entry->text_hash, error));
    if (job->options.keep != ND_KEEP_FIRST)
        ND_TRY(nd_spool_append(&job->priorities, &entry->priority, 8, error));
    const char *id = c->ids + entry->id_start;
    if (entry->id_given) {
        static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
        uint64_t hash = nd_mix64(nd_hash_token(&key, id, entry->id_length));
        ND_TRY(
            nd_part_sorter_push(job->id_order, (size_t)(hash >> 56), hash << 32 | document, error));
    }
    ND_TRY(nd_spool_append(&job->ids, &record->line, 8, error));
    ND_TRY(nd_spool_append(&job->ids, id, entry->id_length, error));
    return nd_spool_append(&job->id_ends, &job->ids.size, 8, error);
}

static nd_status store_sets(nd_job *job, const columns *c, nd_error *error) {
    uint64_t end = job->sets.size;
    ND_TRY(nd_spool_append(&job->sets, c->sets, c->set_size, error));
    for (size_t i = 0; i < c->count; i++) {
        end += c->entries[i].set_length;
        ND_TRY(nd_spool_append(&job->set_ends, &end, sizeof end, error));
    }
    return ND_OK;
}

static nd_status store_columns(void *context, void *made, const nd_block *block, nd_error *error) {
    nd_job *job = context;
    const columns *c = made;
    nd_source *source = nd_corpus_source(job->corpus, block->source);
    if (source->first_document == UINT64_MAX) source->first_document = job->documents.count;
    if (!job->counts)
        ND_TRY(nd_spool_append(&job->sketches, c->sketches, c->count * job->sketch_size, error));
    if (nd_job_has_sets(job)) ND_TRY(store_sets(job, c, error));
    for (size_t i = 0; i < c->count; i++) {
        prefetch_keys(job, c, i + AHEAD);
        ND_TRY(store_document(job, c, block, i, error));
    }
    return ND_OK;
}

static void free_columns(void *context, void *made) {
    const nd_allocator *a = &((nd_job *)context)->allocator;
    columns *c = made;
    nd_release(a, c->entries);
    nd_release(a, c->sketches);
    nd_release(a, c->keys);
    nd_release(a, c->ids);
    nd_release(a, c->sets);
    nd_release(a, c->id.bytes);
}

/* ---- workers */

static void end_worker(void *context, void *worker) {
    const nd_allocator *a = &((nd_job *)context)->allocator;
    ingest_worker *w = worker;
    if (!w) return;
    nd_release(a, w->signature);
    nd_release(a, w->scratch);
    nd_feature_counter_free(w->counter);
    nd_text_simhash_free(w->simhash);
    nd_analyzer_free(w->analyzer);
    nd_release(a, w);
}

static nd_status begin_worker(void *context, void **worker, nd_error *error) {
    nd_job *job = context;
    ingest_worker *w = *worker = nd_allocate_zero(&job->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    if (job->counts)
        ND_TRY(nd_feature_counter_create(job->counts, &job->allocator, &w->counter, error));
    if (nd_job_has_fingerprints(job))
        return nd_job_text_simhash(job, ND_SHINGLES_AND_TEXT_HASH, &w->analyzer, &w->simhash,
                                   error);
    w->signature = nd_allocate(&job->allocator, job->plan.perms, sizeof *w->signature);
    if (!w->signature)
        return nd_fail_memory(error, job->plan.perms * sizeof *w->signature, "a signature");
    nd_analyzer_options analyzer = nd_job_analyzer(&job->options, job->options.ngram);
    return nd_analyzer_create(&analyzer, &job->allocator, &w->analyzer, error);
}

/* ---- the stage */

static nd_status make_sorters(nd_job *job, nd_error *error) {
    size_t parts = (size_t)job->plan.bands << ND_BAND_PART_BITS;
    if (parts > 0)
        ND_TRY(nd_part_sorter_create(&job->allocator, &job->disk, parts,
                                     nd_job_share(job, SHARE_BANDS), "band keys", &job->bands,
                                     error));
    ND_TRY(nd_part_sorter_create(&job->allocator, &job->disk, 256, nd_job_share(job, SHARE_HASHES),
                                 "text hashes", &job->hash_order, error));
    return nd_part_sorter_create(&job->allocator, &job->disk, 256, nd_job_share(job, SHARE_HASHES),
                                 "id hashes", &job->id_order, error);
}

nd_status nd_job_ingest(nd_job *job, nd_error *error) {
    job->documents.allocator = job->allocator;
    nd_spool_init(&job->sketches, &job->allocator, &job->disk, nd_job_share(job, SHARE_SKETCHES),
                  "sketches");
    nd_spool_init(&job->hashes, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES),
                  "text hashes");
    nd_spool_init(&job->ids, &job->allocator, &job->disk, nd_job_share(job, SHARE_IDS), "ids");
    nd_spool_init(&job->id_ends, &job->allocator, &job->disk, nd_job_share(job, SHARE_IDS / 2),
                  "ids");
    nd_spool_init(&job->priorities, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES),
                  "priorities");
    nd_spool_init(&job->verdicts, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES),
                  "verdicts");
    nd_spool_init(&job->found_pairs, &job->allocator, &job->disk, nd_job_share(job, SHARE_HASHES),
                  "pairs");
    nd_spool_init(&job->sets, &job->allocator, &job->disk, job->set_memory, "shingle sets");
    nd_spool_init(&job->set_ends, &job->allocator, &job->disk, nd_job_share(job, SHARE_IDS / 2),
                  "shingle sets");
    if (nd_job_has_fingerprints(job) && nd_counts_words(&job->options))
        ND_TRY(nd_feature_counts_create(&job->allocator, &job->counts, error));
    ND_TRY(make_sorters(job, error));
    for (size_t s = 0; s < nd_corpus_sources(job->corpus); s++)
        nd_corpus_source(job->corpus, s)->first_document = UINT64_MAX;
    nd_record_pass pass = {job,           job,          sizeof(columns), begin_worker, end_worker,
                           begin_columns, add_document, store_columns,   free_columns};
    nd_status status = nd_record_pass_run(&pass, error);
    if (status == ND_OK && nd_job_has_sets(job))
        status = nd_spool_append(&job->sets, (const char[8]){0}, 8,
                                 error); /* unpacking reads them */
    job->summary.documents = job->documents.count;
    uint64_t next = job->documents.count;
    for (size_t s = nd_corpus_sources(job->corpus); s-- > 0;) {
        nd_source *source = nd_corpus_source(job->corpus, s);
        if (source->first_document == UINT64_MAX) source->first_document = next;
        next = source->first_document;
    }
    return status;
}
