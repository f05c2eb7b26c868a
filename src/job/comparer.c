#include "job/comparer.h"

#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "match/packed_set.h"
#include "match/sketch_filter.h"
#include "text/analyzer.h"

#include <string.h>

/* Distinct shingles of a document that was compared lately, at the slot of its rank. */
typedef struct cached {
    uint32_t rank; /* UINT32_MAX: empty */
    uint32_t size;
    uint64_t *hashes;
} cached;

/* The cache has a slot for every so many bytes of its memory, and no document takes more than a part of it. */
enum { CACHE_SLOT_BYTES = 4096, CACHE_PARTS = 16 };

/* Sets of more shingles, those of large records, are sorted arrays: a hash table would take five times their memory. */
enum { LARGE_SET = ND_LARGE_RECORD / sizeof(uint64_t) };

struct nd_comparer {
    nd_job *job;
    nd_reader *reader;
    nd_analyzer *analyzer;
    nd_hash_set later_set, scratch_set;
    uint64_t *large; /* the later document's set, sorted, when it is large; else NULL */
    size_t large_size;
    uint32_t later;    /* whose set is in later_set or large; UINT32_MAX: none */
    uint32_t sketched; /* whose sketch is in later_sketch */
    uint8_t *later_sketch, *scratch;
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

nd_status nd_comparer_create(nd_job *job, nd_comparer **out, nd_error *error) {
    const nd_allocator *a = &job->allocator;
    nd_comparer *c = nd_allocate_zero(a, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "a comparer");
    c->job = job;
    c->later = c->sketched = UINT32_MAX;
    c->least_equal = nd_sketch_least_equal(job->options.threshold, job->plan.perms, job->options.verify == ND_VERIFY_NONE);
    /* What the band keys took is free while documents are compared. Where the job has sets they are not made again. */
    c->cache_limit = job->store ? 0 : nd_job_share(job, SHARE_BANDS) / job->threads;
    c->cache_slots = c->cache_limit / CACHE_SLOT_BYTES + 1;
    nd_hash_set_init(&c->later_set, a);
    nd_hash_set_init(&c->scratch_set, a);
    c->later_sketch = nd_allocate(a, job->plan.perms, 1);
    c->scratch = nd_allocate(a, job->plan.perms, 1);
    c->cache = nd_allocate_zero(a, c->cache_slots, sizeof *c->cache);
    nd_analyzer_options analyzer = {job->options.analyzer, job->options.ngram, job->options.seed};
    nd_status status = c->later_sketch && c->scratch && c->cache ? ND_OK : nd_fail_memory(error, c->cache_slots * sizeof *c->cache, "a comparer");
    for (size_t i = 0; c->cache && i < c->cache_slots; i++) c->cache[i].rank = UINT32_MAX;
    if (status == ND_OK) status = nd_reader_create(job->corpus, &c->reader, error);
    if (status == ND_OK) status = nd_analyzer_create(&analyzer, a, &c->analyzer, error);
    if (status != ND_OK) {
        nd_comparer_free(c);
        return status;
    }
    nd_analyzer_leave_out_text_hash(c->analyzer);
    *out = c;
    return ND_OK;
}

void nd_comparer_free(nd_comparer *c) {
    if (!c) return;
    if (c->reader) nd_comparer_rest(c);
    const nd_allocator *a = &c->job->allocator;
    nd_reader_free(c->reader);
    nd_analyzer_free(c->analyzer);
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
    ND_TRY(nd_job_set_of_rank(c->job, rank, &c->packed, &c->packed_capacity, &packed, &bytes, error));
    if (!nd_packed_set_count(packed, bytes, &count))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged", c->job->options.index, rank);
    if (!nd_reserve(&c->job->allocator, &c->unpacked, &c->unpacked_capacity, count))
        return nd_fail_memory(error, count * sizeof *c->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(packed, bytes, count, c->unpacked))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged", c->job->options.index, rank);
    *out = (nd_shingles){.hashes = c->unpacked, .count = count};
    return ND_OK;
}

/* Shingles of a document, valid until the next ones are asked for. Without repeats where the job has sets. */
static nd_status shingles_of(nd_comparer *c, uint32_t rank, nd_shingles *out, nd_error *error) {
    if (nd_job_has_sets(c->job)) return unpack_rank(c, rank, out, error);
    uint32_t document = nd_job_document(c->job, rank);
    const nd_document_entry *entry = nd_document_at(&c->job->documents, document);
    const char *text = NULL;
    size_t length = 0;
    ND_TRY(nd_reader_fetch_text(c->reader, nd_job_source_of(c->job, document), entry->place, entry->length, &text, &length, error));
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

/* Keeps a copy of a set, instead of what was in its slot and, for room, of what comes next under the hand. One that is too large, or that there is no memory for,
 * is not kept. */
static void keep_in_cache(nd_comparer *c, uint32_t rank, const uint64_t *hashes, size_t size) {
    cached *slot = &c->cache[rank % c->cache_slots];
    size_t bytes = size * sizeof *hashes;
    empty_slot(c, slot);
    if (bytes > c->cache_limit / CACHE_PARTS) return;
    while (c->cache_memory + bytes > c->cache_limit) empty_slot(c, &c->cache[c->cache_hand++ % c->cache_slots]);
    slot->hashes = nd_allocate(&c->job->allocator, size, sizeof *hashes);
    if (!slot->hashes) return;
    memcpy(slot->hashes, hashes, bytes);
    slot->size = (uint32_t)size;
    slot->rank = rank;
    c->cache_memory += bytes;
}

/* Distinct shingles of the earlier document, unpacked, or out of the cache, or made again and put there. */
static nd_status earlier_shingles(nd_comparer *c, uint32_t rank, const uint64_t **hashes, size_t *size, nd_error *error) {
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
    if (!c->large) return nd_fail_memory(error, shingles->count * sizeof *c->large, "a large shingle set");
    memcpy(c->large, shingles->hashes, shingles->count * sizeof *c->large);
    c->large_size = shingles->count;
    return sort_large(c, c->large, &c->large_size, error);
}

void nd_comparer_rest(nd_comparer *c) {
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
static nd_status large_overlap(nd_comparer *c, uint32_t earlier, nd_overlap *overlap, nd_error *error) {
    nd_shingles shingles;
    size_t size;
    ND_TRY(shingles_of(c, earlier, &shingles, error));
    size = shingles.count;
    ND_TRY(sort_large(c, shingles.hashes, &size, error));
    *overlap = nd_set_overlap(shingles.hashes, size, c->large, c->large_size);
    return ND_OK;
}

/* The overlap of two documents; where it falls short of the threshold its intersection may be any number that does. Threshold 0: always the true one. */
static nd_status overlap_of(nd_comparer *c, uint32_t earlier, uint32_t later, double threshold, nd_overlap *overlap, nd_error *error) {
    const uint64_t *hashes = NULL;
    size_t size = 0;
    ND_TRY(set_later(c, later, error));
    if (c->large) return large_overlap(c, earlier, overlap, error);
    ND_TRY(earlier_shingles(c, earlier, &hashes, &size, error));
    size_t least = nd_least_intersection(size, c->later_set.size, threshold);
    *overlap = (nd_overlap){size, c->later_set.size, nd_hash_set_overlap(&c->later_set, hashes, size, least)};
    return ND_OK;
}

/* ---- comparing */

static nd_status equal_bytes(nd_comparer *c, uint32_t earlier, uint32_t later, size_t *equal, nd_error *error) {
    uint32_t perms = c->job->plan.perms;
    if (c->sketched != later) {
        ND_TRY(nd_spool_read(&c->job->sketches, c->later_sketch, perms, (uint64_t)nd_job_document(c->job, later) * perms, error));
        c->sketched = later;
    }
    const void *sketch = NULL;
    nd_stored_document stored;
    if (nd_job_is_indexed(c->job, earlier)) {
        ND_TRY(nd_store_document(c->job->store, earlier, &stored, error));
        sketch = stored.sketch;
    } else ND_TRY(nd_spool_view(&c->job->sketches, perms, (uint64_t)nd_job_document(c->job, earlier) * perms, c->scratch, &sketch, error));
    *equal = nd_kernel_get()->count_equal(c->later_sketch, sketch, perms);
    return ND_OK;
}

nd_status nd_compare(nd_comparer *c, uint32_t earlier, uint32_t later, bool *duplicate, nd_verdict *verdict, nd_error *error) {
    size_t equal = 0;
    ND_TRY(equal_bytes(c, earlier, later, &equal, error));
    c->counts.candidates++;
    *duplicate = equal >= c->least_equal;
    if (!*duplicate) return ND_OK;
    if (c->job->options.verify == ND_VERIFY_NONE) {
        *verdict = (nd_verdict){earlier, later, 0, 0, (float)nd_sketch_estimate(equal, c->job->plan.perms)};
        return ND_OK;
    }
    nd_overlap overlap;
    ND_TRY(overlap_of(c, earlier, later, c->job->options.threshold, &overlap, error));
    c->counts.verified++;
    *duplicate = nd_jaccard(overlap) >= c->job->options.threshold;
    c->counts.rejected += !*duplicate;
    uint64_t set_union = overlap.size_a + overlap.size_b - overlap.intersection;
    *verdict = (nd_verdict){earlier, later, (uint32_t)overlap.intersection, (uint32_t)set_union, 0.0f};
    return ND_OK;
}

nd_status nd_compare_exactly(nd_comparer *c, uint32_t earlier, uint32_t later, nd_verdict *verdict, nd_error *error) {
    nd_overlap overlap;
    ND_TRY(overlap_of(c, earlier, later, 0.0, &overlap, error));
    uint64_t set_union = overlap.size_a + overlap.size_b - overlap.intersection;
    *verdict = (nd_verdict){earlier, later, (uint32_t)overlap.intersection, (uint32_t)set_union, 0.0f};
    return ND_OK;
}

nd_status nd_set_size(nd_comparer *c, uint32_t rank, uint32_t *size, nd_error *error) {
    ND_TRY(set_later(c, rank, error));
    *size = (uint32_t)(c->large ? c->large_size : c->later_set.size);
    return ND_OK;
}
