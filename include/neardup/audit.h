/* The job that checks a configuration of nd_dedup and nd_pairs on the caller's own documents: how
 * many duplicates it misses, and how many documents it removes wrongly. */
#ifndef NEARDUP_AUDIT_H
#define NEARDUP_AUDIT_H

#include "neardup/dedup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pair of duplicates that the configuration does not find. a is a document of the sample. All
 * pointers are valid during the call. */
typedef struct nd_missed_pair {
    uint64_t document_a, document_b; /* numbers in the order of input, from 0 */
    const char *id_a, *id_b;
    size_t id_a_length, id_b_length;
    const char *source_a, *source_b; /* as in nd_decision */
    uint64_t line_a, line_b;
    double jaccard; /* exact */
    uint64_t intersection, set_union;
    /* Exact copies are found always, so a pair stands for the pairs of all copies of both
     * documents: for so many of nd_audit_result.missed. */
    uint64_t pairs;
    bool remains;       /* nd_dedup keeps both documents */
    double containment; /* exact */
} nd_missed_pair;

/* Called once per missed pair, in the order of a, then of b, from one thread at a time. A pair of
 * two documents of the sample comes once; a precedes b. If only copies of a document are in the
 * sample, the first of all its copies by priority stands for them. Return false to cancel. */
typedef bool nd_missed_fn(void *context, const nd_missed_pair *pair);

typedef struct nd_audit_options {
    size_t struct_size;
    const nd_input_options *input;           /* not NULL */
    const nd_similarity_options *similarity; /* NULL: the defaults; so are the next ones */
    const nd_survivor_options *survivors;
    const nd_resources *resources;
    /* Documents of the sample: 1 to 2^31 - 1, default 1000; all documents, if there are fewer. */
    uint64_t sample;
    uint64_t seed;           /* of the sample; default 0 */
    nd_missed_fn *on_missed; /* NULL: not wanted */
    void *context;           /* of on_missed */
} nd_audit_options;

ND_API void nd_audit_options_init(nd_audit_options *options, size_t struct_size);

/* A share of a sample, and the interval that has the same share of all documents with 95 percent
 * confidence. It is the share itself if the sample has all documents. Nothing was counted: the
 * share is 1, and the interval [0, 1]. */
typedef struct nd_audit_share {
    double share, low, high;
} nd_audit_share;

typedef struct nd_audit_result {
    size_t struct_size; /* set by the caller */
    uint64_t documents, sampled;
    /* Pairs of a document of the sample and any other document whose exact similarity by `measure`
     * reaches the threshold. A pair of two documents of the sample counts twice. */
    uint64_t true_pairs;
    uint64_t copies; /* of true_pairs: exact copies, token by token, which are found always */
    uint64_t found, missed;
    /* At most so many comparisons of nd_pairs max_compare left out, with pairs of all documents.
     * More than 0: missed pairs may be among them, which the plan does not miss. */
    uint64_t bounded_comparisons;
    nd_audit_share recall; /* found / true_pairs */
    /* The recall that the plan promises for pairs of these similarities; ND_SKETCH_SIMHASH,
     * ND_SKETCH_SENTENCES and ND_SKETCH_TLSH promise none: 0. */
    double promised;
    /* Documents of the sample that nd_dedup removes. Of these, documents whose exact similarity
     * with their evidence is below the threshold. */
    uint64_t removed, wrong;
    nd_audit_share precision; /* 1 - wrong / removed */
    /* Documents of the sample that nd_dedup keeps. Of these, documents with a duplicate that it
     * keeps, too. */
    uint64_t kept, left;
    nd_audit_share clean; /* 1 - left / kept */
} nd_audit_result;

/* Measures what nd_pairs and nd_dedup answer with these options, on a random sample: every document
 * of the sample is compared exactly, as sets of shingles, with every document of the input.
 *
 * The sample is drawn without replacement; equal seeds draw the same numbers of documents. The true
 * pairs of the sample are then looked up in the answers of the run itself: the same candidates, the
 * same comparisons and the same bound max_compare. nd_pairs compares only pairs with a document of
 * the sample; where max_compare leaves comparisons out, it is in the order of survivors->keep. A
 * true pair is one by `threshold` and `analyzer`, whatever `sketch` and `verify` are: with
 * ND_VERIFY_COSINE, too, it is a Jaccard similarity. ND_GROUP_COMPONENT removes documents by
 * chains, so a removal may be wrong by this measure.
 *
 * Intervals. The pairs of one document depend on each other, so documents count, not pairs: recall
 * is a ratio of two totals over sampled documents. Its variance is by the jackknife over documents
 * (Wolter, Introduction to Variance Estimation, 2nd ed. 2007, chapter 4), with the correction for a
 * finite population. The share and its variance give the number of independent trials that would
 * be as precise, as Korn and Graubard have it (Survey Methodology 24, 1998); the score interval
 * with continuity correction (Newcombe, Statistics in Medicine 17, 1998, method 4) is of that
 * number, with a quantile of Student's distribution. It never leaves [0, 1]. If nothing was missed
 * there is no variance; then each document with true pairs is a trial, or fewer if their numbers of
 * pairs differ (Kish, Survey Sampling, 1965), so the interval is somewhat wider than by the rule of
 * three. Where 30 documents of the sample have true pairs, and a few of them nearly all, intervals
 * of 95 percent have the share as seldom as 4 times in 5; with 130 such documents, 93 times in 100.
 * No sample tells of groups of duplicates of which it has no document: a group should have more
 * than documents / sample members to be seen.
 *
 * `result` is not NULL. Sets these members of `summary` (NULL: not wanted): all that nd_dedup sets
 * while it reads, matches and decides; the time of ND_STAGE_WRITE is that of the exact comparison,
 * which the progress calls so, too. Errors: as nd_dedup. Time: that of nd_dedup, one more pass over
 * the texts, and the comparisons of similar pairs; linear in the documents. If the shingles of the
 * sample take more than 40 percent of the memory, it is one more pass for each such part. */
ND_API ND_MUST_CHECK nd_status nd_audit(const nd_audit_options *options, nd_audit_result *result,
                                        nd_job_summary *summary, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
