/* Steps of nd_dedup for a program that spreads it over many machines, which share no memory:
 * MinHash sketches, verified on shingle sets. nd_signatures makes keys, sketches and sets of texts;
 * the program brings together documents with equal keys. Equal arguments give equal results on
 * every machine. doc/internals/distributed.md shows the whole. */
#ifndef NEARDUP_DISTRIBUTED_H
#define NEARDUP_DISTRIBUTED_H

#include "neardup/similarity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What comparing needs of a document. `sketch`: the low 8 bits of each value of its signature;
 * `set`: its shingles, distinct, ascending and without 0, as nd_signed has them. */
typedef struct nd_sketched {
    const uint8_t *sketch;
    const uint64_t *set;
    size_t set_size; /* shingles */
} nd_sketched;

/* ---------------------------------------------------------------- pairs */

/* Compares one document after the other with other documents. Used by one thread at a time. */
typedef struct nd_set_verifier nd_set_verifier;

/* threshold: [0, 1], 0: every pair is a duplicate, and is measured; perms: 1 to 1024, bytes of a
 * sketch. `allocator` NULL: malloc. */
ND_API ND_MUST_CHECK nd_status nd_set_verifier_create(double threshold, uint32_t perms,
                                                      const nd_allocator *allocator,
                                                      nd_set_verifier **out, nd_error *error);
/* NULL is accepted. */
ND_API void nd_set_verifier_free(nd_set_verifier *verifier);

/* Returns whether two sketches allow a similarity of the threshold. A pair that reaches it is
 * refused at most once in 10^9. */
ND_API bool nd_set_verifier_near(const nd_set_verifier *verifier, const uint8_t *a,
                                 const uint8_t *b);

/* Takes the document with which the next ones are compared. Its sketch and set must stay valid
 * until then. */
ND_API void nd_set_verifier_begin(nd_set_verifier *verifier, const nd_sketched *document);

/* Compares a document with that of nd_set_verifier_begin: sketches, then sets. *duplicate: their
 * Jaccard similarity is at least the threshold, and *overlap is exact. ND_ERR_ARGUMENT: also a set
 * that is not distinct and ascending; sets are looked at if the sketches are near. */
ND_API ND_MUST_CHECK nd_status nd_set_verifier_compare(nd_set_verifier *verifier,
                                                       const nd_sketched *document, bool *duplicate,
                                                       nd_overlap *overlap, nd_error *error);

/* ---------------------------------------------------------------- large buckets */

/* What is assumed about a document of large buckets, before all documents are decided. */
typedef enum nd_assumed {
    ND_ASSUMED_UNKNOWN = 0, /* kept, if no document of its buckets removes it */
    ND_ASSUMED_KEPT,
    ND_ASSUMED_REMOVED,
    ND_ASSUMED_KNOWN /* kept, and known for certain: it is not compared with earlier ones */
} nd_assumed;

typedef struct nd_bucket_member {
    uint64_t document;       /* ascends from call to call */
    const uint32_t *buckets; /* numbers, from 0 without large gaps: a number takes 32 bytes */
    size_t bucket_count;
    nd_sketched sketched;
    nd_assumed assumed;
    uint32_t reserved;
} nd_bucket_member;

/* A duplicate among the members of the buckets. */
typedef struct nd_bucket_answer {
    bool found;
    bool listed;      /* the member is compared with later ones: it counts as kept */
    uint64_t earlier; /* `found`: the first listed document that it duplicates */
    nd_overlap overlap;
    uint64_t left_out; /* comparisons beyond max_compare */
} nd_bucket_answer;

/* Some large buckets, whose documents come in ascending order. A document is compared with those
 * before it that are listed, so the work is linear in the size of a bucket. */
typedef struct nd_large_buckets nd_large_buckets;

/* max_compare: most comparisons of a document. */
ND_API ND_MUST_CHECK nd_status nd_large_buckets_create(double threshold, uint32_t perms,
                                                       uint32_t max_compare,
                                                       const nd_allocator *allocator,
                                                       nd_large_buckets **out, nd_error *error);
/* NULL is accepted. */
ND_API void nd_large_buckets_free(nd_large_buckets *buckets);

/* Compares a member with the listed ones of its buckets, in ascending order up to the first
 * duplicate, and lists it if it counts as kept. Copies what it keeps. */
ND_API ND_MUST_CHECK nd_status nd_large_buckets_add(nd_large_buckets *buckets,
                                                    const nd_bucket_member *member,
                                                    nd_bucket_answer *answer, nd_error *error);

/* A duplicate of a member, in ascending order of `earlier`. Return false to stop
 * (ND_ERR_CANCELLED). */
typedef bool nd_bucket_pair_fn(void *context, uint64_t earlier, const nd_overlap *overlap);

/* Compares a member with all listed ones of its buckets, not only up to the first duplicate, and
 * lists it; what is assumed of it is ignored. *left_out: comparisons beyond max_compare. After a
 * failure the member is not listed. */
ND_API ND_MUST_CHECK nd_status nd_large_buckets_add_all(nd_large_buckets *buckets,
                                                        const nd_bucket_member *member,
                                                        nd_bucket_pair_fn *on_pair, void *context,
                                                        uint64_t *left_out, nd_error *error);

/* ---------------------------------------------------------------- decisions */

/* Two documents that are duplicates, earlier < later. */
typedef struct nd_edge {
    uint64_t later, earlier;
} nd_edge;

/* Decides documents by their edges: a document is removed if it has an edge to an earlier one that
 * is kept. */
typedef struct nd_edge_decider nd_edge_decider;

/* Documents are numbered from 0 to document_count - 1; one bit of memory each. */
ND_API ND_MUST_CHECK nd_status nd_edge_decider_create(uint64_t document_count,
                                                      const nd_allocator *allocator,
                                                      nd_edge_decider **out, nd_error *error);
/* NULL is accepted. */
ND_API void nd_edge_decider_free(nd_edge_decider *decider);

/* Takes the next edges, in the order of `later`, then of `earlier`. decides[i]: edge i removes its
 * later document, and names the first kept document that it duplicates. ND_ERR_ARGUMENT: the order
 * is another one, or a number is too high; no edge has been taken. */
ND_API ND_MUST_CHECK nd_status nd_edge_decider_take(nd_edge_decider *decider, const nd_edge *edges,
                                                    size_t count, bool *decides, nd_error *error);

#ifdef __cplusplus
}
#endif

#endif
