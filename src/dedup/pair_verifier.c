#include "dedup/pair_verifier.h"

#include "base/radix_sort.h"
#include "dedup/compared_sets.h"
#include "dedup/verdict_measure.h"
#include "kernel/kernel.h"
#include "similarity/ordered_set.h"
#include "similarity/packed_set.h"
#include "similarity/tf_vector.h"
#include "sketch/fingerprint.h"
#include "sketch/minhash.h"
#include "sketch/minhash_filter.h"
#include "sketch/tlsh_sketch.h"
#include "text/analyzer.h"

#include <string.h>

/* Sets of more shingles come from large records. They are sorted arrays, because a hash table would
 * take five times the memory. */
enum { LARGE_SET = ND_LARGE_RECORD / sizeof(uint64_t) };

struct nd_pair_verifier {
    const nd_verifier_plan *shared;
    const nd_dedup_plan *plan; /* shared->plan */
    nd_allocator allocator;
    nd_record_reader *reader;
    nd_analyzer *analyzer;
    nd_shingle_reader later_shingles, earlier_shingles; /* each goes forward */
    nd_ordered_set later_set;
    nd_ordered_set earlier_alone; /* the shingles of the earlier document that are not in it */
    uint64_t *large;              /* the later document's set, sorted, if it is large; else NULL */
    size_t large_size;
    uint32_t later;    /* the rank of later_set, large or later_vector; UINT32_MAX: none */
    uint32_t sketched; /* the rank of later_sketch */
    uint8_t *later_sketch, *scratch;
    nd_text_simhash *simhash; /* for the cosine; else NULL */
    nd_tf_vector later_vector, scratch_vector;
    uint64_t *unpacked; /* an unpacked set, if the plan has sets */
    nd_set_buffer packed;
    size_t unpacked_capacity;
    size_t least_equal; /* a pair is verified if its sketches have at least so many equal bytes */
    nd_compared_sets *compared; /* earlier documents */
    nd_comparison_counts counts;
    nd_pair_sample *sample; /* NULL: none is wanted */
};

static nd_status create_analyzer(nd_pair_verifier *c, nd_error *error) {
    if (c->plan->verify == ND_VERIFY_COSINE)
        return nd_plan_simhash(c->plan, ND_SHINGLES_ALONE, c->shared->words, &c->allocator,
                               &c->analyzer, &c->simhash, error);
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, &c->plan->analyzer, &c->allocator,
                                  &c->analyzer, error);
}

/* Bytes of compared sets that a thread keeps, at most: its share of 64 MiB. More would save time
 * only where memory is free at once: with 1 GB of text, all sets are 190 MB, and new memory for
 * these takes as long as reading texts again. With an index the sets are stored, and unpacking one
 * is cheap, so none is kept. */
static size_t compared_memory(const nd_verifier_plan *shared) {
    const size_t most = (size_t)64 << 20;
    if (shared->documents.store) return 0;
    size_t memory = nd_memory_share(&shared->run->budget, ND_MEMORY_VERIFIED);
    return (memory < most ? memory : most) / shared->run->threads;
}

static nd_status allocate_buffers(nd_pair_verifier *c, nd_error *error) {
    const nd_allocator *a = &c->allocator;
    size_t documents = (size_t)c->shared->documents.columns->count;
    nd_ordered_set_init(&c->later_set, a);
    nd_ordered_set_init(&c->earlier_alone, a);
    c->later_sketch = nd_allocate(a, c->plan->sketch_size, 1);
    c->scratch = nd_allocate(a, c->plan->sketch_size, 1);
    if (!c->later_sketch || !c->scratch)
        return nd_fail_memory(error, 2 * c->plan->sketch_size, "a comparer");
    return nd_compared_sets_create(a, compared_memory(c->shared), documents, &c->compared, error);
}

nd_status nd_pair_verifier_create(const nd_verifier_plan *shared, nd_pair_verifier **out,
                                  nd_error *error) {
    const nd_dedup_plan *plan = shared->plan;
    nd_pair_verifier *c = nd_allocate_zero(&shared->run->allocator, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "a comparer");
    c->shared = shared;
    c->plan = plan;
    c->allocator = shared->run->allocator;
    c->later_shingles.spool = c->earlier_shingles.spool = shared->documents.columns->shingles;
    c->later = c->sketched = UINT32_MAX;
    if (!nd_plan_has_distances(plan) && !nd_plan_has_anchors(plan))
        c->least_equal = nd_sketch_required_matches(
            plan->threshold, plan->bands.perms,
            plan->verify == ND_VERIFY_NONE ? ND_SKETCH_DECIDES : ND_SKETCH_FILTERS);
    nd_status status = allocate_buffers(c, error);
    if (status == ND_OK)
        status = nd_record_reader_create(shared->documents.columns->corpus, &c->reader, error);
    if (status == ND_OK) status = create_analyzer(c, error);
    if (status != ND_OK) {
        nd_pair_verifier_free(c);
        return status;
    }
    *out = c;
    return ND_OK;
}

void nd_pair_verifier_free(nd_pair_verifier *c) {
    if (!c) return;
    if (c->reader) nd_pair_verifier_rest(c);
    const nd_allocator *a = &c->allocator;
    nd_record_reader_free(c->reader);
    nd_text_simhash_free(c->simhash);
    nd_analyzer_free(c->analyzer);
    nd_tf_vector_free(a, &c->later_vector);
    nd_tf_vector_free(a, &c->scratch_vector);
    nd_ordered_set_free(&c->later_set);
    nd_ordered_set_free(&c->earlier_alone);
    nd_compared_sets_free(c->compared);
    nd_release(a, c->later_sketch);
    nd_release(a, c->scratch);
    nd_shingle_reader_free(&c->later_shingles);
    nd_shingle_reader_free(&c->earlier_shingles);
    nd_release(a, c->unpacked);
    nd_release(a, c->packed.bytes);
    const nd_allocator own = c->allocator;
    nd_release(&own, c);
}

const nd_comparison_counts *nd_pair_verifier_counts(const nd_pair_verifier *c) {
    return &c->counts;
}

void nd_pair_verifier_sample(nd_pair_verifier *c, nd_pair_sample *sample) { c->sample = sample; }

/* ---- shingles, unpacked, kept from reading, or made again */

static nd_status fail_damaged(const nd_pair_verifier *c, uint32_t rank, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged", c->shared->index,
                   rank);
}

static nd_status unpack_rank(nd_pair_verifier *c, uint32_t rank, nd_shingles *out,
                             nd_error *error) {
    nd_set_buffer *packed = &c->packed;
    size_t count;
    ND_TRY(nd_ranked_set(&c->shared->documents, rank, packed, error));
    if (!nd_packed_set_count(packed->set, packed->size, &count))
        return fail_damaged(c, rank, error);
    if (!nd_reserve(&c->allocator, &c->unpacked, &c->unpacked_capacity, count))
        return nd_fail_memory(error, count * sizeof *c->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(packed->set, packed->size, count, c->unpacked))
        return fail_damaged(c, rank, error);
    *out = (nd_shingles){.hashes = c->unpacked, .count = count};
    return ND_OK;
}

/* Gets the shingles of a document, valid until the next call: the kept ones, if there are any. They
 * have no repeats if the plan has sets. */
static nd_status shingles_of(nd_pair_verifier *c, uint32_t rank, nd_shingle_reader *kept,
                             nd_shingles *out, nd_error *error) {
    const nd_ranked *documents = &c->shared->documents;
    if (c->plan->has_sets) return unpack_rank(c, rank, out, error);
    const char *text = NULL;
    size_t length = 0;
    uint32_t document = nd_document_of(documents->ranks, rank);
    ND_TRY(nd_shingle_reader_find(kept, document, &out->hashes, &out->count, error));
    if (out->hashes) return ND_OK;
    ND_TRY(nd_columns_text(documents->columns, c->reader, document, &text, &length, error));
    return nd_analyze(c->analyzer, text, length, out, error);
}

/* Sorts hashes and removes repeats. */
static nd_status sort_large(nd_pair_verifier *c, uint64_t *hashes, size_t *count, nd_error *error) {
    uint64_t *scratch = nd_allocate(&c->allocator, *count, sizeof *scratch);
    if (!scratch) return nd_fail_memory(error, *count * sizeof *scratch, "a large shingle set");
    nd_radix_sort(hashes, scratch, *count, 0);
    nd_release(&c->allocator, scratch);
    size_t size = 0;
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || hashes[i] != hashes[i - 1]) hashes[size++] = hashes[i];
    *count = size;
    return ND_OK;
}

/* Gets the shingles of the earlier document as shingles_of does, or kept ones of a comparison
 * before: none of these is large, and the caller must not change them. If the later document is
 * large, they are no kept ones. */
static nd_status earlier_shingles(nd_pair_verifier *c, uint32_t rank, nd_shingles *out,
                                  nd_error *error) {
    bool keeps = !c->plan->has_sets && !c->large;
    *out = (nd_shingles){0};
    if (keeps) out->hashes = nd_compared_sets_find(c->compared, rank, &out->count);
    if (out->hashes) return ND_OK;
    ND_TRY(shingles_of(c, rank, &c->earlier_shingles, out, error));
    if (keeps && out->count <= LARGE_SET)
        nd_compared_sets_keep(c->compared, rank, out->hashes, out->count);
    return ND_OK;
}

static nd_status set_large(nd_pair_verifier *c, const uint64_t *hashes, size_t count,
                           nd_error *error) {
    c->large = nd_allocate(&c->allocator, count, sizeof *c->large);
    if (!c->large) return nd_fail_memory(error, count * sizeof *c->large, "a large shingle set");
    memcpy(c->large, hashes, count * sizeof *c->large);
    c->large_size = count;
    return sort_large(c, c->large, &c->large_size, error);
}

void nd_pair_verifier_rest(nd_pair_verifier *c) {
    if (c->later_vector.scratch_capacity > LARGE_SET ||
        c->scratch_vector.scratch_capacity > LARGE_SET) {
        c->later = UINT32_MAX;
        nd_tf_vector_free(&c->allocator, &c->later_vector);
        nd_tf_vector_free(&c->allocator, &c->scratch_vector);
    }
    if (c->large) c->later = UINT32_MAX;
    nd_release(&c->allocator, c->large);
    c->large = NULL;
    nd_record_reader_release(c->reader);
}

static nd_status set_later(nd_pair_verifier *c, uint32_t rank, nd_error *error) {
    if (c->later == rank) return ND_OK;
    nd_pair_verifier_rest(c);
    c->later = UINT32_MAX;
    nd_shingles shingles;
    ND_TRY(shingles_of(c, rank, &c->later_shingles, &shingles, error));
    if (shingles.count > LARGE_SET) ND_TRY(set_large(c, shingles.hashes, shingles.count, error));
    else ND_TRY(nd_ordered_set_make(&c->later_set, shingles.hashes, shingles.count, error));
    c->later = rank;
    return ND_OK;
}

/* The overlap with the later document as a sorted array. Sorts the earlier one's shingles, too. */
static nd_status large_overlap(nd_pair_verifier *c, const nd_shingles *earlier, nd_overlap *overlap,
                               nd_error *error) {
    size_t size = earlier->count;
    ND_TRY(sort_large(c, earlier->hashes, &size, error));
    *overlap = nd_set_overlap(earlier->hashes, size, c->large, c->large_size);
    return ND_OK;
}

static nd_status overlap_of(nd_pair_verifier *c, uint32_t earlier, uint32_t later,
                            nd_overlap *overlap, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(set_later(c, later, error));
    ND_TRY(earlier_shingles(c, earlier, &shingles, error));
    if (!c->large && shingles.count > LARGE_SET)
        ND_TRY(set_large(c, c->later_set.values, c->later_set.size, error));
    if (c->large) return large_overlap(c, &shingles, overlap, error);
    return nd_ordered_set_compare(&c->later_set, &c->earlier_alone, shingles.hashes, shingles.count,
                                  overlap, error);
}

/* ---- cosines of vectors */

static nd_status vector_of(nd_pair_verifier *c, uint32_t rank, nd_tf_vector *vector,
                           nd_error *error) {
    nd_shingles shingles;
    ND_TRY(shingles_of(c, rank, &c->later_shingles, &shingles, error));
    return nd_tf_vector_make(c->simhash, &c->allocator, &shingles, vector, error);
}

static nd_status cosine_of(nd_pair_verifier *c, uint32_t earlier, uint32_t later, double *cosine,
                           nd_error *error) {
    nd_tf_vector *a = &c->scratch_vector, *b = &c->later_vector;
    if (c->later != later) {
        nd_pair_verifier_rest(c);
        c->later = UINT32_MAX;
        ND_TRY(vector_of(c, later, b, error));
        c->later = later;
    }
    size_t words;
    const uint64_t *kept = nd_compared_sets_find(c->compared, earlier, &words);
    if (kept) {
        *cosine = nd_tf_vector_cosine(kept, words / 2, b->words, b->count);
        return ND_OK;
    }
    ND_TRY(vector_of(c, earlier, a, error));
    *cosine = nd_tf_vector_cosine(a->words, a->count, b->words, b->count);
    nd_compared_sets_keep(c->compared, earlier, a->words, 2 * a->count);
    return ND_OK;
}

/* ---- comparing */

/* Compares the sketches, if there are any. *near: they do not exclude that the pair is a duplicate;
 * if the texts are not compared, the pair is one. */
static nd_status compare_sketches(nd_pair_verifier *c, nd_verdict *v, bool *near, nd_error *error) {
    const nd_ranked *documents = &c->shared->documents;
    size_t size = c->plan->sketch_size;
    const void *sketch = NULL;
    *near = true;
    if (size == 0) return ND_OK;
    if (c->sketched != v->later) {
        ND_TRY(nd_spool_read(&documents->columns->sketches, c->later_sketch, size,
                             (uint64_t)nd_document_of(documents->ranks, v->later) * size, error));
        c->sketched = v->later;
    }
    ND_TRY(nd_ranked_sketch(documents, v->earlier, c->scratch, &sketch, error));
    if (nd_plan_has_fingerprints(c->plan)) {
        v->distance = nd_distance(nd_fingerprint_load(c->later_sketch, size),
                                  nd_fingerprint_load(sketch, size));
        *near = v->distance <= c->plan->k;
        return ND_OK;
    }
    if (nd_plan_has_digests(c->plan)) {
        v->distance = nd_tlsh_sketch_distance(c->later_sketch, sketch);
        *near = v->distance <= c->plan->distance;
        return ND_OK;
    }
    if (c->plan->half_sketches) {
        *near = nd_half_sketch_matches(c->later_sketch, sketch, c->plan->bands.perms) >=
                c->least_equal;
        return ND_OK;
    }
    size_t equal = nd_kernel_get()->count_equal(c->later_sketch, sketch, size);
    *near = equal >= c->least_equal;
    v->score = nd_sketch_estimate(equal, c->plan->bands.perms);
    return ND_OK;
}

/* Compares the texts. The measure is exact for pairs below the threshold, too, because it is
 * counted; to stop counting early saves nothing that can be measured. */
static nd_status compare_texts(nd_pair_verifier *c, nd_verdict *v, bool *duplicate,
                               nd_error *error) {
    if (c->simhash) {
        double cosine;
        ND_TRY(cosine_of(c, v->earlier, v->later, &cosine, error));
        *duplicate = cosine >= c->plan->threshold;
        v->score = cosine;
        return ND_OK;
    }
    nd_overlap overlap;
    ND_TRY(overlap_of(c, v->earlier, v->later, &overlap, error));
    bool contains = nd_plan_has_anchors(c->plan);
    *duplicate = (contains ? nd_containment(overlap) : nd_jaccard(overlap)) >= c->plan->threshold;
    v->counted = 1;
    v->intersection = (uint32_t)overlap.intersection;
    v->set_union = (uint32_t)(overlap.size_a + overlap.size_b - overlap.intersection);
    if (contains)
        v->smaller = (uint32_t)(overlap.size_a < overlap.size_b ? overlap.size_a : overlap.size_b);
    return ND_OK;
}

/* Counts a pair that the measure decided, and takes it into the sample. */
static nd_status take_pair(nd_pair_verifier *c, const nd_verdict *v, bool duplicate,
                           nd_error *error) {
    nd_sampled_pair pair = nd_verdict_sampled(c->plan, v,
                                              duplicate ? ND_SAMPLE_DUPLICATE : ND_SAMPLE_REJECTED);
    nd_comparison_counts_take(&c->counts, pair.similarity, duplicate);
    return c->sample ? nd_pair_sample_add(c->sample, &pair, error) : ND_OK;
}

/* Whether the pair differs in numbers or listed words. With an index there are none. */
static bool are_apart(const nd_pair_verifier *c, uint32_t earlier, uint32_t later) {
    const nd_ranked *d = &c->shared->documents;
    return d->columns->differ_keys &&
           nd_columns_differ(d->columns, nd_document_of(d->ranks, earlier),
                             nd_document_of(d->ranks, later));
}

nd_status nd_pair_verify(nd_pair_verifier *c, uint32_t earlier, uint32_t later, bool *duplicate,
                         nd_verdict *verdict, nd_error *error) {
    *verdict = (nd_verdict){.earlier = earlier, .later = later};
    if (are_apart(c, earlier, later)) {
        *duplicate = false;
        c->counts.kept_apart++;
        return ND_OK;
    }
    ND_TRY(compare_sketches(c, verdict, duplicate, error));
    c->counts.candidates++;
    if (c->plan->verify == ND_VERIFY_NONE) return take_pair(c, verdict, *duplicate, error);
    if (!*duplicate) return ND_OK;
    ND_TRY(compare_texts(c, verdict, duplicate, error));
    c->counts.verified++;
    c->counts.rejected += !*duplicate;
    return take_pair(c, verdict, *duplicate, error);
}

nd_status nd_pair_measure(nd_pair_verifier *c, uint32_t earlier, uint32_t later,
                          nd_verdict *verdict, nd_error *error) {
    bool ignored;
    *verdict = (nd_verdict){.earlier = earlier, .later = later};
    ND_TRY(compare_sketches(c, verdict, &ignored, error));
    return c->plan->verify == ND_VERIFY_NONE ? ND_OK : compare_texts(c, verdict, &ignored, error);
}

static nd_status set_size(nd_pair_verifier *c, uint32_t rank, uint32_t *size, nd_error *error) {
    ND_TRY(set_later(c, rank, error));
    *size = (uint32_t)(c->large ? c->large_size : c->later_set.size);
    return ND_OK;
}

nd_status nd_measure_copies(const nd_dedup_plan *plan, nd_pair_verifier *c, uint32_t rank,
                            nd_verdict *verdict, nd_error *error) {
    *verdict = (nd_verdict){.earlier = rank, .later = rank, .score = 1};
    if (!c || plan->verify != ND_VERIFY_EXACT) return ND_OK;
    uint32_t size = 0;
    ND_TRY(set_size(c, rank, &size, error));
    verdict->counted = 1;
    verdict->intersection = verdict->set_union = size;
    if (nd_plan_has_anchors(plan)) verdict->smaller = size;
    return ND_OK;
}
