/* The plan of a run of nd_dedup or nd_pairs: its options, checked once, and every choice that
 * follows from them. Const after nd_dedup_plan_make; every stage reads it. */
#ifndef ND_DEDUP_DEDUP_PLAN_H
#define ND_DEDUP_DEDUP_PLAN_H

#include "dedup/dedup_parts.h"
#include "sketch/text_simhash.h"
#include "store/store.h"
#include "text/analyzer.h"

typedef enum nd_dedup_goal {
    ND_GOAL_DEDUP, /* find the documents to keep */
    ND_GOAL_PAIRS  /* find every pair of duplicates */
} nd_dedup_goal;

/* The documents with which a document is compared. */
typedef enum nd_compare_mode {
    ND_COMPARE_UNTIL_FIRST, /* with the kept candidates, until the first duplicate */
    ND_COMPARE_ALL          /* with all candidates: every duplicate pair is recorded */
} nd_compare_mode;

/* The number that decides, and that the results state. */
typedef enum nd_decided_by {
    ND_BY_JACCARD,
    ND_BY_CONTAINMENT,
    ND_BY_COSINE,
    ND_BY_DISTANCE
} nd_decided_by;

typedef struct nd_dedup_plan {
    nd_dedup_goal goal;
    nd_compare_mode compare;
    bool by_component; /* one document of each connected component is kept */
    nd_keep keep;
    const char *keep_field; /* NULL: priorities do not come from a field */
    const char *losses_by;  /* NULL: losses are not counted by a field */
    uint32_t max_compare;

    nd_analyzer_options analyzer; /* makes the shingles that are compared */
    nd_sketch sketch;
    size_t sketch_size; /* bytes per document */
    /* Sketches have 4 bits of each MinHash value, not 8: they only filter, and no index keeps them.
     */
    bool half_sketches;
    /* MinHash: bands and rows; sentences, anchors: one band; fingerprints, digests: no band. */
    nd_plan bands;
    nd_anchor_plan anchors; /* in place of sketches; 0 anchors: there are none */
    uint32_t sentences;     /* sentences per document */
    uint32_t k;             /* bits in which two near fingerprints may differ */
    uint32_t distance;      /* most distance of two near digests */
    nd_simhash_options simhash;
    nd_analyzer_options features; /* makes the features of fingerprints */
    bool counts_words;            /* fingerprints are made after all words have been counted */

    nd_verify verify;
    double threshold;
    nd_decided_by measure;
    bool estimated;               /* the measure is an estimate made from the sketches */
    const char *const *differ_by; /* lists that keep texts apart; NULL: none */
    size_t differ_by_count;
    bool has_sets; /* packed shingle sets are kept, for the index and for verification */
    bool exact;    /* only identical documents are duplicates, by `equal`; no pair is compared */
    nd_equal equal;
} nd_dedup_plan;

/* Makes the plan. Strings stay the caller's. `index`: the settings of the index to which the run
 * adds; NULL: there is none. ND_ERR_ARGUMENT: an option is out of range, or two options exclude
 * each other. */
nd_status nd_dedup_plan_make(nd_dedup_goal goal, const nd_dedup_parts *options,
                             const nd_index_settings *index, nd_dedup_plan *plan, nd_error *error);

static inline bool nd_plan_has_fingerprints(const nd_dedup_plan *plan) {
    return plan->sketch == ND_SKETCH_SIMHASH;
}
static inline bool nd_plan_has_digests(const nd_dedup_plan *plan) {
    return plan->sketch == ND_SKETCH_TLSH;
}
/* Whether candidates are the pairs of near sketches, instead of pairs that share a key. */
static inline bool nd_plan_has_distances(const nd_dedup_plan *plan) {
    return nd_plan_has_fingerprints(plan) || nd_plan_has_digests(plan);
}
static inline bool nd_plan_has_sentences(const nd_dedup_plan *plan) {
    return plan->sketch == ND_SKETCH_SENTENCES;
}

static inline bool nd_plan_has_anchors(const nd_dedup_plan *plan) {
    return plan->anchors.anchors > 0;
}

/* Makes the analyzer for the features of fingerprints, and the SimHash that uses it, for one
 * thread. `words`: the word counts of all documents, if the plan counts words. The caller sets both
 * pointers to NULL before the call, and frees both in any case. */
nd_status nd_plan_simhash(const nd_dedup_plan *plan, nd_analyzer_outputs outputs,
                          const nd_count_min *words, const nd_allocator *allocator,
                          nd_analyzer **analyzer, nd_text_simhash **simhash, nd_error *error);

#endif
