/* What nd_dedup or nd_pairs is going to do: the options, checked once, with everything chosen from
 * them. Const after nd_dedup_plan_make; every stage reads it. */
#ifndef ND_DEDUP_DEDUP_PLAN_H
#define ND_DEDUP_DEDUP_PLAN_H

#include "job/job_options.h"
#include "sketch/text_simhash.h"
#include "store/store.h"
#include "text/analyzer.h"

typedef enum nd_dedup_goal {
    ND_GOAL_DEDUP, /* which documents stay */
    ND_GOAL_PAIRS  /* every pair of duplicates */
} nd_dedup_goal;

/* Against which documents a document is compared. */
typedef enum nd_compare_mode {
    ND_COMPARE_UNTIL_FIRST, /* with the kept ones, until the first duplicate */
    ND_COMPARE_ALL          /* with all candidates: every duplicate pair is recorded */
} nd_compare_mode;

/* The measure that decides, and that results state. */
typedef enum nd_measure { ND_MEASURE_JACCARD, ND_MEASURE_COSINE, ND_MEASURE_DISTANCE } nd_measure;

typedef struct nd_dedup_plan {
    nd_dedup_goal goal;
    nd_compare_mode compare;
    bool by_component; /* of a connected component one document stays */
    nd_keep keep;
    const char *keep_field; /* NULL: priorities do not come from a field */
    uint32_t max_compare;

    nd_analyzer_options analyzer; /* of the shingles that are compared */
    nd_sketch sketch;
    size_t sketch_size; /* bytes per document */
    nd_plan bands;      /* MinHash: all of it; sentences: one band; fingerprints: no band */
    uint32_t sentences; /* per document */
    uint32_t k;         /* bits in which two near fingerprints may differ */
    nd_simhash_options simhash;
    nd_analyzer_options features; /* of fingerprints */
    bool counts_words;            /* fingerprints are made after the words have been counted */

    nd_verify verify;
    double threshold;
    nd_measure measure;
    bool estimated; /* what the measure states is an estimate of the sketches */
    bool has_sets;  /* packed shingle sets are kept, for the index and for verification */
} nd_dedup_plan;

/* `index`: the settings of the index that the run extends; NULL: there is none. ND_ERR_ARGUMENT:
 * options out of range, or that do not go together. Strings stay the caller's. */
nd_status nd_dedup_plan_make(nd_dedup_goal goal, const nd_job_options *options,
                             const nd_index_settings *index, nd_dedup_plan *plan, nd_error *error);

static inline bool nd_plan_has_fingerprints(const nd_dedup_plan *plan) {
    return plan->sketch == ND_SKETCH_SIMHASH;
}
static inline bool nd_plan_has_sentences(const nd_dedup_plan *plan) {
    return plan->sketch == ND_SKETCH_SENTENCES;
}

/* The analyzer of the features of fingerprints, and the SimHash of them. `words`: counts of all
 * documents' words, where the plan counts them. For one thread. The caller sets both pointers to
 * NULL before, and frees both in any case. */
nd_status nd_plan_simhash(const nd_dedup_plan *plan, nd_analyzer_outputs outputs,
                          const nd_count_min *words, const nd_allocator *allocator,
                          nd_analyzer **analyzer, nd_text_simhash **simhash, nd_error *error);

#endif
