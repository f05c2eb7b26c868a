#include "dedup/pair_verifier.h"

#include "base/radix_sort.h"
#include "job/simhash_pass.h"
#include "kernel/kernel.h"
#include "similarity/packed_set.h"
#include "sketch/minhash_filter.h"
#include "similarity/tf_vector.h"
#include "text/analyzer.h"

#include <string.h>

/* Distinct shingles of a document that was compared lately, or its vector's words, at the slot of
 * its rank. */
typedef struct cached {
    uint32_t rank; /* UINT32_MAX: empty */
    uint32_t size;
    uint64_t *hashes;
} cached;

/* The cache has a slot for every so many bytes of its memory, but no more than there are documents;
 * and no document takes more than a part of it. */
enum { CACHE_SLOT_BYTES = 4096, CACHE_PARTS = 16 };

/* Sets of more shingles, those of large records, are sorted arrays: a hash table would take five
 * times their memory. */
enum { LARGE_SET = ND_LARGE_RECORD / sizeof(uint64_t) };

struct nd_comparer {
    nd_job *job;
    nd_reader *reader;
    nd_analyzer *analyzer;
    nd_hash_set later_set, scratch_set;
    uint64_t *large; /* the later document's set, sorted, when it is large; else NULL */
    size_t large_size;
    uint32_t later;    /* whose set is in later_set or large, or whose vector in later_vector;
                          UINT32_MAX: none */
    uint32_t sketched; /* whose sketch is in later_sketch */
    uint8_t *later_sketch, *scratch;
    nd_text_simhash *simhash; /* of the cosine; else NULL */
    nd_feature_vector later_vector, scratch_vector;
    uint64_t *unpacked; /* a set, where the job has sets */
    unsigned char *packed;
    size_t unpacked_capacity, packed_capacity;
    size_t least_equal; /* equal bytes of two sketches from which on a pair is looked at */
    cached *cache;
    size_t cache_slots;
    size_t cache_memory, cache_limit; /* bytes of hashes */
    size_t cache_hand;                /* slot from which the next is emptied for room */
    nd_comparison_counts counts;
};

static nd_status create_analyzer(nd_comparer *c, nd_error *error) {
    const nd_job_options *o = &c->job->options;
    if (o->verify == ND_VERIFY_COSINE)
        return nd_job_text_simhash(c->job, ND_SHINGLES_ALONE, &c->analyzer, &c->simhash, error);
    nd_analyzer_options analyzer = nd_job_analyzer(o, o->ngram);
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, &analyzer, &c->job->allocator, &c->analyzer,
                                  error);
}

nd_status nd_comparer_create(nd_job *job, nd_comparer **out, nd_error *error) {
    const nd_allocator *a = &job->allocator;
    nd_comparer *c = nd_allocate_zero(a, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "a comparer");
    c->job = job;
    c->later = c->sketched = UINT32_MAX;
    if (!nd_job_has_fingerprints(job))
        c->least_equal = nd_sketch_least_equal(
            job->options.threshold, job->plan.perms,
            job->options.verify == ND_VERIFY_NONE ? ND_SKETCH_DECIDES : ND_SKETCH_FILTERS);
    /* What the band keys took is free while documents are compared. Where the job has sets they are
     * not made again. */
    c->cache_limit = job->store ? 0 : nd_job_share(job, SHARE_BANDS) / job->threads;
    c->cache_slots = c->cache_limit / CACHE_SLOT_BYTES + 1;
    if (c->cache_slots > job->documents.count + 1)
        c->cache_slots = (size_t)job->documents.count + 1;
    nd_hash_set_init(&c->later_set, a);
    nd_hash_set_init(&c->scratch_set, a);
    c->later_sketch = nd_allocate(a, job->sketch_size, 1);
    c->scratch = nd_allocate(a, job->sketch_size, 1);
    c->cache = nd_allocate_zero(a, c->cache_slots, sizeof *c->cache);
    nd_status status = c->later_sketch && c->scratch && c->cache
                           ? ND_OK
                           : nd_fail_memory(error, c->cache_slots * sizeof *c->cache, "a comparer");
    for (size_t i = 0; c->cache && i < c->cache_slots; i++) c->cache[i].rank = UINT32_MAX;
    if (status == ND_OK) status = nd_reader_create(job->corpus, &c->reader, error);
    if (status == ND_OK) status = create_analyzer(c, error);
    if (status != ND_OK) {
        nd_comparer_free(c);
        return status;
    }
    *out = c;
    return ND_OK;
}

void nd_comparer_free(nd_comparer *c) {
    if (!c) return;
    if (c->reader) nd_comparer_rest(c);
    const nd_allocator *a = &c->job->allocator;
    nd_reader_free(c->reader);
    nd_text_simhash_free(c->simhash);
    nd_analyzer_free(c->analyzer);
    nd_feature_vector_free(a, &c->later_vector);
    nd_feature_vector_free(a, &c->scratch_vector);
    nd_hash_set_free(&c->later_set);
    nd_hash_set_free(&c->scratch_set);
    for (size_t i = 0; c->cache && i < c->cache_slots; i++) nd_release(a, c->cache[i].hashes);
    nd_release(a, c->cache);
    nd_release(a, c->later_sketch);
    nd_release(a, c->scratch);
    nd_release(a, c->unpacked);
    nd_release(a, c->packed);
    nd_release(a, c);
}

const nd_comparison_counts *nd_comparer_counts(const nd_comparer *c) { return &c->counts; }

/* ---- shingles, unpacked or made again */

static nd_status unpack_rank(nd_comparer *c, uint32_t rank, nd_shingles *out, nd_error *error) {
    const unsigned char *packed;
    size_t bytes, count;
    ND_TRY(
        nd_job_set_of_rank(c->job, rank, &c->packed, &c->packed_capacity, &packed, &bytes, error));
    if (!nd_packed_set_count(packed, bytes, &count))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       c->job->options.index, rank);
    if (!nd_reserve(&c->job->allocator, &c->unpacked, &c->unpacked_capacity, count))
        return nd_fail_memory(error, count * sizeof *c->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(packed, bytes, count, c->unpacked))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       c->job->options.index, rank);
    *out = (nd_shingles){.hashes = c->unpacked, .count = count};
    return ND_OK;
}

/* Shingles of a document, valid until the next ones are asked for. Without repeats where the job
 * has sets. */
static nd_status shingles_of(nd_comparer *c, uint32_t rank, nd_shingles *out, nd_error *error) {
    if (nd_job_has_sets(c->job)) return unpack_rank(c, rank, out, error);
    uint32_t document = nd_job_document(c->job, rank);
    const nd_document_entry *entry = nd_document_at(&c->job->documents, document);
    const char *text = NULL;
    size_t length = 0;
    ND_TRY(nd_reader_fetch_text(c->reader, nd_job_source_of(c->job, document), entry->place,
                                entry->length, &text, &length, error));
    return nd_analyze(c->analyzer, text, length, out, error);
}

/* Sorts hashes and drops repeats. */
static nd_status sort_large(nd_comparer *c, uint64_t *hashes, size_t *count, nd_error *error) {
    uint64_t *scratch = nd_allocate(&c->job->allocator, *count, sizeof *scratch);
    if (!scratch) return nd_fail_memory(error, *count * sizeof *scratch, "a large shingle set");
    nd_radix_sort(hashes, scratch, *count, 0);
    nd_release(&c->job->allocator, scratch);
    size_t size = 0;
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || hashes[i] != hashes[i - 1]) hashes[size++] = hashes[i];
    *count = size;
    return ND_OK;
}

static void empty_slot(nd_comparer *c, cached *slot) {
    nd_release(&c->job->allocator, slot->hashes);
    c->cache_memory -= slot->size * sizeof *slot->hashes;
    *slot = (cached){.rank = UINT32_MAX};
}

/* Keeps a copy of a set, instead of what was in its slot and, for room, of what comes next under
 * the hand. One that is too large, or that there is no memory for, is not kept. */
static void keep_in_cache(nd_comparer *c, uint32_t rank, const uint64_t *hashes, size_t size) {
    cached *slot = &c->cache[rank % c->cache_slots];
    size_t bytes = size * sizeof *hashes;
    empty_slot(c, slot);
    if (bytes > c->cache_limit / CACHE_PARTS) return;
    while (c->cache_memory + bytes > c->cache_limit)
        empty_slot(c, &c->cache[c->cache_hand++ % c->cache_slots]);
    slot->hashes = nd_allocate(&c->job->allocator, size, sizeof *hashes);
    if (!slot->hashes) return;
    memcpy(slot->hashes, hashes, bytes);
    slot->size = (uint32_t)size;
    slot->rank = rank;
    c->cache_memory += bytes;
}

/* Distinct shingles of the earlier document, unpacked, or out of the cache, or made again and put
 * there. */
static nd_status earlier_shingles(nd_comparer *c, uint32_t rank, const uint64_t **hashes,
                                  size_t *size, nd_error *error) {
    nd_shingles shingles;
    if (nd_job_has_sets(c->job)) {
        ND_TRY(unpack_rank(c, rank, &shingles, error));
        *hashes = shingles.hashes;
        *size = shingles.count;
        return ND_OK;
    }
    const cached *slot = &c->cache[rank % c->cache_slots];
    if (slot->rank == rank) {
        *hashes = slot->hashes;
        *size = slot->size;
        return ND_OK;
    }
    ND_TRY(shingles_of(c, rank, &shingles, error));
    *hashes = shingles.hashes;
    *size = shingles.count;
    if (shingles.count > LARGE_SET) return sort_large(c, shingles.hashes, size, error);
    ND_TRY(nd_hash_set_make(&c->scratch_set, shingles.hashes, shingles.count, error));
    *size = c->scratch_set.size;
    keep_in_cache(c, rank, *hashes, *size);
    return ND_OK;
}

static nd_status set_large(nd_comparer *c, const nd_shingles *shingles, nd_error *error) {
    c->large = nd_allocate(&c->job->allocator, shingles->count, sizeof *c->large);
    if (!c->large)
        return nd_fail_memory(error, shingles->count * sizeof *c->large, "a large shingle set");
    memcpy(c->large, shingles->hashes, shingles->count * sizeof *c->large);
    c->large_size = shingles->count;
    return sort_large(c, c->large, &c->large_size, error);
}

void nd_comparer_rest(nd_comparer *c) {
    if (c->later_vector.scratch_capacity > LARGE_SET ||
        c->scratch_vector.scratch_capacity > LARGE_SET) {
        c->later = UINT32_MAX;
        nd_feature_vector_free(&c->job->allocator, &c->later_vector);
        nd_feature_vector_free(&c->job->allocator, &c->scratch_vector);
    }
    if (c->large) c->later = UINT32_MAX;
    nd_release(&c->job->allocator, c->large);
    c->large = NULL;
    nd_reader_let_go(c->reader);
}

static nd_status set_later(nd_comparer *c, uint32_t rank, nd_error *error) {
    if (c->later == rank) return ND_OK;
    nd_comparer_rest(c);
    c->later = UINT32_MAX;
    nd_shingles shingles;
    ND_TRY(shingles_of(c, rank, &shingles, error));
    if (shingles.count > LARGE_SET) ND_TRY(set_large(c, &shingles, error));
    else ND_TRY(nd_hash_set_make(&c->later_set, shingles.hashes, shingles.count, error));
    c->later = rank;
    return ND_OK;
}

/* With a large later document: both sets sorted and merged. */
static nd_status large_overlap(nd_comparer *c, uint32_t earlier, nd_overlap *overlap,
                               nd_error *error) {
    nd_shingles shingles;
    size_t size;
    ND_TRY(shingles_of(c, earlier, &shingles, error));
    size = shingles.count;
    ND_TRY(sort_large(c, shingles.hashes, &size, error));
    *overlap = nd_set_overlap(shingles.hashes, size, c->large, c->large_size);
    return ND_OK;
}

/* The overlap of two documents; where it falls short of the threshold its intersection may be any
 * number that does. Threshold 0: always the true one. */
static nd_status overlap_of(nd_comparer *c, uint32_t earlier, uint32_t later, double threshold,
                            nd_overlap *overlap, nd_error *error) {
    const uint64_t *hashes = NULL;
    size_t size = 0;
    ND_TRY(set_later(c, later, error));
    if (c->large) return large_overlap(c, earlier, overlap, error);
    ND_TRY(earlier_shingles(c, earlier, &hashes, &size, error));
    size_t least = nd_least_intersection(size, c->later_set.size, threshold);
    *overlap = (nd_overlap){size, c->later_set.size,
                            nd_hash_set_overlap(&c->later_set, hashes, size, least)};
    return ND_OK;
}

/* ---- cosines of vectors */

static nd_status vector_of(nd_comparer *c, uint32_t rank, nd_feature_vector *vector,
                           nd_error *error) {
    nd_shingles shingles;
    ND_TRY(shingles_of(c, rank, &shingles, error));
    return nd_feature_vector_make(c->simhash, &c->job->allocator, &shingles, vector, error);
}

static nd_status cosine_of(nd_comparer *c, uint32_t earlier, uint32_t later, double *cosine,
                           nd_error *error) {
    nd_feature_vector *a = &c->scratch_vector, *b = &c->later_vector;
    if (c->later != later) {
        nd_comparer_rest(c);
        c->later = UINT32_MAX;
        ND_TRY(vector_of(c, later, b, error));
        c->later = later;
    }
    const cached *slot = &c->cache[earlier % c->cache_slots];
    if (slot->rank == earlier) {
        *cosine = nd_feature_cosine(slot->hashes, slot->size / 2, b->words, b->count);
        return ND_OK;
    }
    ND_TRY(vector_of(c, earlier, a, error));
    *cosine = nd_feature_cosine(a->words, a->count, b->words, b->count);
    keep_in_cache(c, earlier, a->words, 2 * a->count);
    return ND_OK;
}

/* ---- comparing */

/* Whether the sketches leave it open that the pair is a duplicate; where nothing follows, whether
 * it is one. */
static nd_status compare_sketches(nd_comparer *c, nd_verdict *v, bool *near, nd_error *error) {
    nd_job *job = c->job;
    size_t size = job->sketch_size;
    if (c->sketched != v->later) {
        ND_TRY(nd_spool_read(&job->sketches, c->later_sketch, size,
                             (uint64_t)nd_job_document(job, v->later) * size, error));
        c->sketched = v->later;
    }
    const void *sketch = NULL;
    nd_stored_document stored;
    if (nd_job_is_indexed(job, v->earlier)) {
        ND_TRY(nd_store_document(job->store, v->earlier, &stored, error));
        sketch = stored.sketch;
    } else
        ND_TRY(nd_spool_view(&job->sketches, size,
                             (uint64_t)nd_job_document(job, v->earlier) * size, c->scratch, &sketch,
                             error));
    if (nd_job_has_fingerprints(job)) {
        v->distance = nd_distance(nd_fingerprint_of_sketch(c->later_sketch, size),
                                  nd_fingerprint_of_sketch(sketch, size));
        *near = v->distance <= job->options.k;
        return ND_OK;
    }
    size_t equal = nd_kernel_get()->count_equal(c->later_sketch, sketch, size);
    *near = equal >= c->least_equal;
    v->score = nd_sketch_estimate(equal, job->plan.perms);
    return ND_OK;
}

/* What the texts say. Below the threshold it may be any number that is; 0: always the true one. */
static nd_status compare_texts(nd_comparer *c, double threshold, nd_verdict *v, bool *duplicate,
                               nd_error *error) {
    if (c->simhash) {
        double cosine;
        ND_TRY(cosine_of(c, v->earlier, v->later, &cosine, error));
        *duplicate = cosine >= threshold;
        v->score = cosine;
        return ND_OK;
    }
    nd_overlap overlap;
    ND_TRY(overlap_of(c, v->earlier, v->later, threshold, &overlap, error));
    *duplicate = nd_jaccard(overlap) >= threshold;
    v->counted = 1;
    v->intersection = (uint32_t)overlap.intersection;
    v->set_union = (uint32_t)(overlap.size_a + overlap.size_b - overlap.intersection);
    return ND_OK;
}

nd_status nd_comparer_decide(nd_comparer *c, uint32_t earlier, uint32_t later, bool *duplicate,
                             nd_verdict *verdict, nd_error *error) {
    *verdict = (nd_verdict){.earlier = earlier, .later = later};
    ND_TRY(compare_sketches(c, verdict, duplicate, error));
    c->counts.candidates++;
    if (!*duplicate || c->job->options.verify == ND_VERIFY_NONE) return ND_OK;
    ND_TRY(compare_texts(c, c->job->options.threshold, verdict, duplicate, error));
    c->counts.verified++;
    c->counts.rejected += !*duplicate;
    return ND_OK;
}

nd_status nd_comparer_measure(nd_comparer *c, uint32_t earlier, uint32_t later, nd_verdict *verdict,
                              nd_error *error) {
    bool ignored;
    *verdict = (nd_verdict){.earlier = earlier, .later = later};
    ND_TRY(compare_sketches(c, verdict, &ignored, error));
    return c->job->options.verify == ND_VERIFY_NONE
               ? ND_OK
               : compare_texts(c, 0.0, verdict, &ignored, error);
}

nd_status nd_set_size(nd_comparer *c, uint32_t rank, uint32_t *size, nd_error *error) {
    ND_TRY(set_later(c, rank, error));
    *size = (uint32_t)(c->large ? c->large_size : c->later_set.size);
    return ND_OK;
}
