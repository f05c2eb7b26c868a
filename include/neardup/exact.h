/* The job that finds identical documents, and nothing else: nd_exact. It reads each text once,
 * makes no shingles and no sketches, and compares no pairs. */
#ifndef NEARDUP_EXACT_H
#define NEARDUP_EXACT_H

#include "neardup/dedup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which texts are identical. Each of these finds all that the one before it finds, except in texts
 * without tokens.
 *
 * ND_EQUAL_BYTES   Texts of the same bytes. Of JSON and CSV the bytes of the text itself, however
 *                  it is escaped or quoted; fields beside the text do not count.
 * ND_EQUAL_TEXT    Texts of the same characters after normalisation to form C (NFC) when each run
 *                  of white space (the Unicode property White_Space) is one space, and white space
 *                  at both ends is left out. Upper and lower case differ, and so does punctuation.
 * ND_EQUAL_TOKENS  Texts of the same tokens in the same order, as nd_dedup finds exact copies: case
 *                  and punctuation do not count. Texts without tokens, such as "!", are
 *                  identical if they have the same characters after NFC. */
typedef enum nd_equal { ND_EQUAL_BYTES = 0, ND_EQUAL_TEXT, ND_EQUAL_TOKENS } nd_equal;

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
} nd_exact_options;

/* Removes documents that are identical to a document before them, in the order of priority: the
 * order of input, the longest text first, or by a field. The evidence of a removed document is the
 * first document that is identical to it.
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
