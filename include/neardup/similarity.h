/* Sets and exact similarity; comparison of two texts, and their differences. */
#ifndef NEARDUP_SIMILARITY_H
#define NEARDUP_SIMILARITY_H

#include "neardup/sketch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a set: sorts `count` hashes ascending and drops repeats, in place. Returns how many remain.
 * O(count log count), no memory. */
ND_API size_t nd_set_make(uint64_t *hashes, size_t count);

typedef struct nd_overlap {
    uint64_t size_a, size_b; /* |A|, |B| */
    uint64_t intersection;   /* |A and B| */
} nd_overlap;

/* Returns the overlap of two sets. REQUIRES: nd_set_make made both. O(count_a + count_b). */
ND_API nd_overlap nd_set_overlap(const uint64_t *a, size_t count_a, const uint64_t *b,
                                 size_t count_b);

/* Returns the Jaccard similarity |A and B| / |A or B| (Jaccard 1901), 0 to 1; 1 for two empty sets.
 * An intersection above a size counts as this size, also in nd_containment. */
ND_API double nd_jaccard(nd_overlap overlap);

/* Returns the containment |A and B| / min(|A|, |B|), 0 to 1; 1 if a set is empty. */
ND_API double nd_containment(nd_overlap overlap);

/* Computes the overlap of the shingle sets of two texts of `length_a` and `length_b` bytes. It is
 * exact up to collisions of the 64-bit hashes: at most |A||B| / 2^64 are expected. Errors: as
 * nd_analyze. O(n log n), 8 bytes of memory per shingle. */
ND_API ND_MUST_CHECK nd_status nd_compare_texts(nd_analyzer *analyzer, const char *a,
                                                size_t length_a, const char *b, size_t length_b,
                                                nd_overlap *out, nd_error *error);

/* ---------------------------------------------------------------- comparison of two texts
 *
 * Every measure of this library for one pair of texts, and the passages that both share: to look at
 * a pair, and to explain the decision of a job. For many pairs use nd_dedup or nd_pairs. */

typedef struct nd_compare_options {
    size_t struct_size;
    /* NULL: the defaults. Only the features are stemmed: shingles and passages have all words as
     * they are. */
    const nd_analyzer_options *analyzer;
    /* Tokens per feature of the cosines and fingerprints, 1 to 64. 0, the default: 5 with ND_CHARS,
     * else 1. */
    uint32_t feature_ngram;
    uint32_t bits; /* of a fingerprint: 16, 32, 64 or 128, default 64 */
    /* Weights of the features, and words that are no features; both read with the analyzer's seed
     * and stem. Not with ND_CHARS; only for features of 1 token. NULL, the default: a feature
     * weighs 1 for each occurrence; no word is left out. */
    const nd_weights *table;
    const nd_stop_words *stop;
    double threshold, recall; /* of the plan (nd_plan_choose): default 0.8, 0.999 */
    uint32_t perms;           /* MinHash functions, 1 to 1024, default 128 */
    uint32_t bottom_k;        /* k of the bottom-k sketches, 2 to 65536, default 256 */
    uint32_t least_run;       /* least tokens of a shared run, at least 1, default 8 */
    /* Most tokens between two runs of one passage, in either text; default 4. */
    uint32_t gap;
    const nd_allocator *allocator; /* NULL: malloc */
    const char *const *differ_by;  /* as in nd_similarity_options (neardup/dedup.h) */
    size_t differ_by_count;
} nd_compare_options;

ND_API void nd_compare_options_init(nd_compare_options *options, size_t struct_size);

/* The values of one text alone. */
typedef struct nd_compared_text {
    size_t tokens;
    size_t shingles;  /* distinct ones */
    nd_estimate size; /* estimate of `shingles` by the bottom-k sketch */
    /* Of the features, as by nd_simhash_text; weighted by the table if there is one. */
    nd_fingerprint fingerprint;
} nd_compared_text;

/* A shared passage: bytes [a_begin, a_end) of text a and [b_begin, b_end) of text b. */
typedef struct nd_passage {
    size_t a_begin, a_end, b_begin, b_end;
    size_t tokens; /* shared tokens, without the tokens of the gaps */
} nd_passage;

/* The result of nd_compare. All pointers stay valid until nd_comparison_free.
 *
 * Passages. The search starts at the first token of a. At each token it takes the longest run of at
 * least least_run tokens that is also in b, of equally long runs the first in b. It goes on behind
 * the run, or, if there is none, at the next token. Runs that follow each other in both texts, with
 * at most `gap` tokens between them in each, are one passage. So passages ascend in a and share no
 * token there. In b they may come in any order and may overlap. Texts without tokens have no
 * passages. */
typedef struct nd_comparison {
    nd_compared_text a, b;
    uint64_t intersection, set_union; /* of the shingle sets, exact (nd_compare_texts) */
    double jaccard, containment;      /* nd_jaccard, nd_containment */
    double a_in_b, b_in_a;            /* share of the first set that is in the second */
    double cosine;                    /* of the features, each weighed by its occurrences; 0 to 1 */
    double weighted_cosine;           /* the same, also weighed by the table; NaN without one */
    uint32_t bits, distance;          /* of the two fingerprints: length, Hamming distance */
    double estimate;                  /* of the Jaccard similarity J by MinHash */
    double standard_error;            /* its bound, sqrt(J (1 - J) / perms) */
    /* By the bottom-k sketches; exact if both sets have fewer than k shingles. */
    nd_bottom_k_estimates bottom_k;
    nd_plan plan;
    /* nd_plan_probability(J): the probability that nd_dedup compares this pair. */
    double found;
    const nd_passage *passages;
    size_t passage_count;
    /* How `differ_by` keeps the texts apart, NUL-terminated: "the numbers differ: 5, 9", with the
     * first 6 that only one of the texts has. NULL: it does not. */
    const char *apart;
} nd_comparison;

/* Compares two texts; the caller frees *out. `options` NULL: the defaults. ND_ERR_INPUT: a text is
 * not UTF-8, with the text (a or b) and the byte offset. ND_ERR_ARGUMENT: an option is out of
 * range, options do not fit each other, or a text has 2^30 tokens or more. The time is linear in
 * the texts, plus about shingles * perms / 10 ns for the signatures. Takes about 60 bytes of memory
 * per token of a and 150 per token of b during the call. */
ND_API ND_MUST_CHECK nd_status nd_compare(const nd_compare_options *options, const char *a,
                                          size_t length_a, const char *b, size_t length_b,
                                          nd_comparison **out, nd_error *error);
ND_API void nd_comparison_free(nd_comparison *comparison);

/* ---------------------------------------------------------------- differences of two texts
 *
 * The tokens that must be removed from text a, and the tokens that must be inserted, to get the
 * tokens of text b. An analyzer makes the tokens. So texts that differ only in case, punctuation
 * and spacing have no differences. */

/* Bytes [a_begin, a_end) of text a stand where text b has bytes [b_begin, b_end). One of the two
 * may be empty: an insertion or a removal. It then lies at the end of the token before it. */
typedef struct nd_difference {
    size_t a_begin, a_end, b_begin, b_end;
    size_t a_tokens, b_tokens; /* in these bytes */
} nd_difference;

/* The result of nd_differences. All pointers stay valid until nd_difference_list_free. Differences
 * ascend in both texts, and at least one token is between two of them. The tokens before, between
 * and behind the differences are the same in both texts, one after the other. If an insertion or a
 * removal could have several places, it begins behind white space where that is possible. */
typedef struct nd_difference_list {
    const nd_difference *differences;
    size_t count;
    size_t a_tokens, b_tokens; /* of the texts */
    size_t same_tokens;        /* outside the differences, in each text */
    double same;               /* their share, 2 same_tokens / (a_tokens + b_tokens); 1 for none */
    /* No other list has more same tokens. (Tokens that share bytes, nd_token, change together and
     * are not counted as the same.) False: the bound on the work was reached. The list is then
     * right all the same, but tokens that both texts have may stand in its differences. */
    bool shortest;
} nd_difference_list;

/* Finds the differences of two texts (Myers 1986); the caller frees *out. ND_ERR_INPUT: a text is
 * not UTF-8, with the text (a or b) and the byte offset. ND_ERR_ARGUMENT: a text has 2^30 tokens or
 * more, or 4 GiB. Memory is of the analyzer's allocator.
 *
 * For two texts of n tokens that differ in d of them, the time is O(n + d^2) as a rule, and has a
 * bound: 2^27 comparisons of tokens and 16 per token. Up to this bound (d of about 20,000) the list
 * is the shortest. Beyond it, the texts are cut at runs of 32, 8, 3 tokens or 1 that occur once in
 * both. The same bound holds for all pieces of each such cut together; a piece without such a run
 * becomes one difference. Two texts of 50 MB that have only their frequent words in common take
 * about 15 seconds of one core. Takes at most 60 bytes of memory per token, and 60 more per token
 * of b if the bound is reached. */
ND_API ND_MUST_CHECK nd_status nd_differences(nd_analyzer *analyzer, const char *a, size_t length_a,
                                              const char *b, size_t length_b,
                                              nd_difference_list **out, nd_error *error);
ND_API void nd_difference_list_free(nd_difference_list *list);

#ifdef __cplusplus
}
#endif
#endif
