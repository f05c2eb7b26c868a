/* The job that finds identical documents, and nothing else: nd_exact. It reads each text once,
 * makes no shingles and no sketches, and compares no pairs. */
#ifndef NEARDUP_EXACT_H
#define NEARDUP_EXACT_H

#include "neardup/dedup.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nd_exact_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    nd_equal by;                   /* default ND_EQUAL_BYTES */
    uint32_t reserved;
    /* ND_EQUAL_TOKENS: what a token is, with its seed; ngram has no effect. No stems. NULL: the
     * defaults; so are the next ones. */
    const nd_analyzer_options *analyzer;
    /* As of nd_dedup. Identical documents form the same groups either way, so `group` has no
     * effect. */
    const nd_survivor_options *survivors;
    /* As of nd_dedup. Of the measure all tables have `jaccard`, which is 1, and `removed` has no
     * counts of shingles. */
    const nd_output_options *outputs;
    const nd_resources *resources;
    /* An index of ND_CONTENT_HASHES, made with the same `by`; with ND_EQUAL_TOKENS also with the
     * same kind of analyzer and seed. NULL: none. Its documents come before all others, and the
     * kept documents are added to it, as nd_dedup does. */
    const nd_index_use *index;
} nd_exact_options;

/* Removes documents that are identical to a document before them, in the order of priority: the
 * order of input, the longest text first, or by a field. The evidence of a removed document is the
 * first document that is identical to it: of the index, if there is one, and then of the input.
 *
 * Texts are compared by 128-bit hashes. Two different texts have the same hash with a probability
 * of about 2^-126: among 10^12 documents there is one such pair with a probability below 10^-13.
 * Of ND_EQUAL_TOKENS the tokens are hashed to 64 bits first, so two texts that differ in one token
 * have the same hash with a probability of 2^-64. The hashes have no secret: who knows them can
 * make texts that collide.
 *
 * `summary` NULL: not wanted; `exact_copies` and `removed` are the same. Errors as of nd_dedup.
 * Time: one reading of the input, and a copy of what is kept. Memory: nd_resources; what does not
 * fit goes to temporary files. */
ND_API ND_MUST_CHECK nd_status nd_exact(const nd_exact_options *options, nd_job_summary *summary,
                                        nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
