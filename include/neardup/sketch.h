/* Sketches: MinHash, bottom-k, SimHash, longest sentences; and LSH bands over MinHash. */
#ifndef NEARDUP_SKETCH_H
#define NEARDUP_SKETCH_H

#include "neardup/terms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- MinHash */

/* MinHash (Broder 1997) with `perms` permutations. They are f = ceil(perms / 4) hash functions of
 * one family, version 3, each in at most four orders:
 *
 *     u_j(x) = (a_j * lo(m) + hi(m)) mod 2^32,  m = mix64(x xor key)            0 <= j < f
 *     v_i(x) = u_j(x) xor c_k,  i = k f + j,  c = 0, 2^32 - 1, 2^31, 2^31 - 1    0 <= i < perms
 *
 * lo and hi are the two halves of the mixed 64-bit hash. The a_j are distinct modulo the power of
 * two at or above f. Each v_i alone is a uniform function, because hi is uniform. Two functions are
 * independent, except for the few low bits that their a_j share. Estimates stay unbiased for sets
 * of millions, because shingles that agree in all values agree in 64 bits, not in 32.
 *
 * So a signature has four values of each function: of the element with the least u_j, of the one
 * with the greatest, of the least with the top bit, and of the greatest without it. Only a quarter
 * of the functions are computed (min-max hash takes the first two: Ji, Li, Yan, Tian, Zhang 2013).
 *
 * The four are of different elements, unless at most one element of the union has the top bit set,
 * or at most one has it unset. Of n >= 2 elements in the union, two values are of one element with
 * probability p = 0, n / 2^n or 2 / 2^n. If J is the Jaccard similarity, both agree with
 * probability J^2 + J (1 - J) (p n - 1) / (n - 1). That is at most the J^2 of independent
 * permutations, except for two of the six pairs of values at n = 3.
 *
 * Immutable: thread-safe. */
typedef struct nd_minhash nd_minhash;

/* `perms`: 1 to 1024 values. `seed`: any value; only signatures of one seed and one perms can be
 * compared. `allocator` NULL: malloc. The caller frees *out. Takes 1 KiB of memory. */
ND_API ND_MUST_CHECK nd_status nd_minhash_create(uint32_t perms, uint64_t seed,
                                                 const nd_allocator *allocator, nd_minhash **out,
                                                 nd_error *error);
ND_API void nd_minhash_free(nd_minhash *minhash);
ND_API uint32_t nd_minhash_perms(const nd_minhash *minhash);

/* Sets signature[i], 0 <= i < perms, to the minimum of v_i over the set, UINT32_MAX for the empty
 * set. Repeats and order of the `count` hashes do not matter. `hashes` may be NULL if `count` is 0.
 * O(count * perms). For all documents of an input use nd_signatures. */
ND_API void nd_minhash_sign(const nd_minhash *minhash, const uint64_t *hashes, size_t count,
                            uint32_t *signature);

/* Signs `sets` sets. Set s is hashes[starts[s] .. starts[s + 1]); its signature begins at
 * signatures[s * perms]. `starts` has sets + 1 entries, ascending. O(sum of the counts * perms). */
ND_API void nd_minhash_sign_batch(const nd_minhash *minhash, const uint64_t *hashes,
                                  const size_t *starts, size_t sets, uint32_t *signatures);

/* Returns the share of equal values of two signatures: an unbiased estimate of the Jaccard
 * similarity J. Its standard error is at most sqrt(J (1 - J) / perms). For a perms that 4 divides,
 * and n >= 2 elements in the union, it is sqrt((n - 4 + n (n + 2) / 2^n) / (n - 1)) times that.
 * Returns 0 if perms is 0. */
ND_API double nd_minhash_estimate(const uint32_t *a, const uint32_t *b, uint32_t perms);

/* ---------------------------------------------------------------- bottom-k */

/* A bottom-k sketch (Broder 1997), family version 1: the k smallest values of one hash function
 * over a set, v(x) = mix64(x xor key) with key = mix64(seed + C2) (base/hash.h). v is a bijection,
 * so distinct elements have distinct values. Unlike a MinHash signature, the sketch estimates the
 * size of its set and how much of the set another set contains; it can grow with its set; and two
 * sketches merge to the sketch of the union. Estimates are exact for sets of fewer than k elements;
 * otherwise each has a standard error of some 1 / sqrt(k), which is estimated, too. A sketch takes
 * 16 k bytes. Thread-compatible. */
typedef struct nd_bottom_k nd_bottom_k;

/* `k`: 2 to 65536 values; below some tens the errors are rough. `seed`: any value. `allocator`
 * NULL: malloc. The caller frees *out. */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_create(uint32_t k, uint64_t seed,
                                                  const nd_allocator *allocator, nd_bottom_k **out,
                                                  nd_error *error);
ND_API void nd_bottom_k_free(nd_bottom_k *sketch);
/* Adds `count` elements, such as nd_shingles.hashes. Repeats and order do not matter. O(count),
 * plus O(log k) for each value among the k smallest so far. */
ND_API void nd_bottom_k_add(nd_bottom_k *sketch, const uint64_t *hashes, size_t count);
/* Makes `into` the sketch of the union of both sets: bit for bit the sketch that gets all elements
 * by nd_bottom_k_add. The set of `from` does not change. ND_ERR_ARGUMENT: k or seed differ. O(k log
 * k). */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_merge(nd_bottom_k *into, nd_bottom_k *from,
                                                 nd_error *error);
/* Returns the number of values, at most k, and sets *values to them, ascending, for storing. They
 * stay valid until the sketch is added to, merged, loaded or freed. O(k log k) after additions. */
ND_API size_t nd_bottom_k_values(nd_bottom_k *sketch, const uint64_t **values);
/* Replaces the values of the sketch by `count` stored values. ND_ERR_INPUT: more than k, or not
 * strictly ascending; the message has the index. O(count). */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_load(nd_bottom_k *sketch, const uint64_t *values,
                                                size_t count, nd_error *error);

/* An estimate and its standard error, both from the same sketch. The error is 0 in two cases: the
 * value is exact; or the value is a share, and 0 or all of a sample of k; then the true share may
 * well be 3 / k away. */
typedef struct nd_estimate {
    double value, error;
} nd_estimate;

/* Estimates the number of distinct elements. With the k-th smallest value v and u = v / 2^64, the
 * estimate D = (k - 1) / u is unbiased (Haldane 1945; Beyer, Haas, Reinwald, Sismanis, Gemulla
 * 2007). For the true D, its variance is D (D - k + 1) / (k - 2); D (D - k + 1) / (k - 1) estimates
 * it without bias from the estimated D. The error is the root of that, at most about D / sqrt(k).
 * O(k log k) after additions, else O(1). */
ND_API nd_estimate nd_bottom_k_size(nd_bottom_k *sketch);

/* Estimates about two sets A and B from their sketches. The k smallest values of both sketches
 * together are a sample of the union without replacement: c of them are in both sets, n_a in A, n_b
 * in B. u and D are as in nd_bottom_k_size, of the union.
 *
 *     a share p = c / n                 error sqrt(p (1 - p) (1 - u) / (n - 1))
 *         (Jaccard: n = k; A in B: n = n_a; B in A: n = n_b)
 *     the intersection I = p D,         error sqrt(D^2 p (p - (c - 1) (k - 2) / (k - 1)^2) - I)
 *         with the p of Jaccard
 *
 * All estimates are unbiased, a containment under the condition n > 0. So are the squares of the
 * errors, to one part in D (Beyer et al. 2007; Cohen and Kaplan 2007). If n = 1, a containment has
 * the error 0.5; if n = 0, it is 0.5 with the error 0.5. An empty set is contained in every set,
 * and two empty sets are equal. */
typedef struct nd_bottom_k_estimates {
    nd_estimate jaccard;
    nd_estimate intersection; /* number of elements */
    nd_estimate set_union;
    nd_estimate a_in_b; /* |A and B| / |A| */
    nd_estimate b_in_a; /* |A and B| / |B| */
} nd_bottom_k_estimates;

/* Fills *out. `a` and `b` may be the same sketch. ND_ERR_ARGUMENT: k or seed differ. O(k); after
 * additions O(k log k). */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_estimate(nd_bottom_k *a, nd_bottom_k *b,
                                                    nd_bottom_k_estimates *out, nd_error *error);

/* ---------------------------------------------------------------- permutations of a matrix */

/* MinHash as textbooks introduce it (Broder 1997; Leskovec, Rajaraman, Ullman 2014, ch. 3), to
 * explain and to test: the rows of a characteristic matrix are permuted; the value of a set is the
 * position of its first row after that. Over all permutations, the probability that two sets have
 * equal values is exactly their Jaccard similarity. nd_minhash instead uses hash functions, because
 * nobody can permute all possible rows. */

/* Draws `count` permutations of 0 .. rows-1 one after the other, by the shuffle of Fisher and Yates
 * (1938) and the stream of `seed` (doc/internals/formats.md, "MinHash"). permutations[p * rows + r]
 * is the position of row r in permutation p. O(rows * count). */
ND_API void nd_permutations_draw(uint32_t rows, uint32_t count, uint64_t seed,
                                 uint32_t *permutations);

/* Signs the sets of a matrix. Set s has row r if matrix[r * sets + s] is not 0. The signature of
 * set s begins at signatures[s * count] and has a value per permutation: the least position of the
 * set's rows, UINT32_MAX for the empty set. nd_minhash_estimate compares two of them.
 * `permutations`: as nd_permutations_draw makes them. ND_ERR_ARGUMENT: more than 65536 rows, or an
 * entry makes no permutation; the message has the permutation and the row. O(rows * sets * count).
 */
ND_API ND_MUST_CHECK nd_status nd_permutations_sign(const uint8_t *matrix, uint32_t rows,
                                                    uint32_t sets, const uint32_t *permutations,
                                                    uint32_t count, uint32_t *signatures,
                                                    nd_error *error);

/* ---------------------------------------------------------------- longest sentences */

/* A signature leaves out sentences of fewer tokens, because unrelated texts share many of them. In
 * four corpora of real texts, 36 to 100 % of the sentences of at most 2 tokens also stand in
 * unrelated texts, 28 to 71 % of the sentences of 5 tokens, and 20 to 42 % of the sentences of 6.
 * Sentences of 7 to 15 tokens do so as often, since templates have long sentences, too. At most one
 * text in 170 there has no sentence of 6 tokens. */
#define ND_SENTENCE_LEAST_TOKENS 6

/* Makes the longest-sentences signature of a text, as search engines have used it for news: hashes
 * of its n longest different sentences (nd_sentences), the longest first, of equally long ones the
 * earlier first. The length of a sentence is its number of tokens by the analyzer; its hash is
 * nd_shingles.text_hash[0], so case, spacing and punctuation do not matter. Texts that share a hash
 * are candidates for duplicates. The signature survives moved paragraphs and other text around the
 * article. It does not survive a change in all n sentences, nor other line breaks, since a line
 * break ends a sentence.
 *
 * `n`: 1 to 64. `hashes` has room for n. *count is the number of hashes, below n if the text has
 * fewer different sentences of ND_SENTENCE_LEAST_TOKENS. The analyzer's ngram does not matter.
 * Errors: as nd_analyze. O(length + sentences * n). */
ND_API ND_MUST_CHECK nd_status nd_sentence_signature(nd_analyzer *analyzer, const char *text,
                                                     size_t length, uint32_t n, uint64_t *hashes,
                                                     uint32_t *count, nd_error *error);

/* ---------------------------------------------------------------- SimHash */

/* A fingerprint of 16, 32, 64 or 128 bits. Bit i is bit i of `low` for i < 64, else bit i - 64 of
 * `high`. Bits beyond its length are 0. */
typedef struct nd_fingerprint {
    uint64_t low, high;
} nd_fingerprint;

/* Returns the Hamming distance: the number of bits that differ, 0 to 128. */
ND_API uint32_t nd_distance(nd_fingerprint a, nd_fingerprint b);
ND_API bool nd_is_within(nd_fingerprint a, nd_fingerprint b, uint32_t k);

/* Writes bits / 4 lower-case hexadecimal digits, the highest bits first, and a NUL. `bits`: 16, 32,
 * 64 or 128; any other number writes bits / 4 digits, at most 32. */
ND_API void nd_fingerprint_format(nd_fingerprint fingerprint, uint32_t bits, char text[33]);
/* Reads such digits, in either case, from `length` bytes. ND_ERR_INPUT: not bits / 4 hexadecimal
 * digits; the message has the byte. */
ND_API ND_MUST_CHECK nd_status nd_fingerprint_parse(const char *text, size_t length, uint32_t bits,
                                                    nd_fingerprint *out, nd_error *error);

/* SimHash (Charikar 2002), family version 1. A feature is a 64-bit number, such as a hash of
 * nd_shingles, with a weight. Each feature adds its weight to sum i if bit i of its mixed hash is
 * 1, and subtracts it otherwise; bit i of the fingerprint is 1 if sum i is above 0. The mixed hash
 * of x has 128 bits: mix64(x + C0) is its low half, mix64(x + C1) its high half (base/hash.h). So a
 * shorter fingerprint is the low part of a longer one. Weights are rounded to the nearest multiple
 * of 1/4096 and summed exactly, so the order of the features does not matter. If the angle between
 * two feature vectors is a, each bit differs with probability a / pi. Thread-compatible. */
typedef struct nd_simhash nd_simhash;

/* `bits`: 16, 32, 64 or 128. `allocator` NULL: malloc. The caller frees *out, about 2 KiB. */
ND_API ND_MUST_CHECK nd_status nd_simhash_create(uint32_t bits, const nd_allocator *allocator,
                                                 nd_simhash **out, nd_error *error);
ND_API void nd_simhash_free(nd_simhash *simhash);
/* Adds `count` features with their weights (NULL: each has the weight 1). A weight is -2^18 to
 * 2^18; the magnitudes of all weights of a fingerprint sum to less than 2^50. ND_ERR_ARGUMENT:
 * otherwise; then no feature is added. O(count). */
ND_API ND_MUST_CHECK nd_status nd_simhash_add(nd_simhash *simhash, const uint64_t *features,
                                              const double *weights, size_t count, nd_error *error);
/* Returns the fingerprint of all features since the last call, and begins the next one. Without
 * features, or if all sums are 0, it is 0. */
ND_API nd_fingerprint nd_simhash_finish(nd_simhash *simhash);

/* ---------------------------------------------------------------- SimHash of texts */

typedef struct nd_simhash_options {
    size_t struct_size;
    uint32_t bits;          /* 16, 32, 64 or 128, default 64 */
    nd_weighting weighting; /* default ND_WEIGHTING_TF */
    /* For ND_WEIGHTING_TABLE, read with the analyzer's seed; otherwise ignored */
    const nd_weights *table;
    /* Words that are no features, read with the analyzer's seed and stem; NULL: none. Only for
     * ND_WORDS or ND_SEGMENT with ngram 1, and not with ND_WEIGHTING_LEVELS. A text of stop words
     * alone has the fingerprint 0. */
    const nd_stop_words *stop;
} nd_simhash_options;

ND_API void nd_simhash_options_init(nd_simhash_options *options, size_t struct_size);

/* Computes the fingerprint of a text of `length` bytes. `options` NULL: the defaults. ND_ERR_INPUT:
 * the text is not UTF-8, with the byte offset; with ND_WEIGHTING_LEVELS also a malformed item, with
 * its number. ND_ERR_ARGUMENT: an option is out of range, or does not fit the analyzer. O(length),
 * plus some hundred nanoseconds; for many texts use nd_fingerprints. */
ND_API ND_MUST_CHECK nd_status nd_simhash_text(nd_analyzer *analyzer,
                                               const nd_simhash_options *options, const char *text,
                                               size_t length, nd_fingerprint *out, nd_error *error);

/* ---------------------------------------------------------------- LSH bands */

/* LSH banding (Broder 1997; Leskovec, Rajaraman, Ullman 2014, ch. 3): two documents become
 * candidates if all `rows` values of at least one of the `bands` bands agree. So P(found | s) = 1 -
 * (1 - s^rows)^bands for the similarity s, or a little more: the four values of a function are in
 * different bands, which agree together less often than independent ones would. (If the values are
 * of different elements, their agreements are negatively associated, and so are those of bands:
 * Joag-Dev, Proschan 1983. For the few elements of which two values may be of one, it is tested.)
 */
typedef struct nd_plan {
    uint32_t perms, bands, rows; /* bands * rows <= perms, rows <= ceil(perms / 4) */
    uint32_t reserved;
    double threshold; /* lowest similarity of the wanted pairs */
    double recall;    /* least wanted P(found | threshold) */
} nd_plan;

/* Chooses the most selective plan that keeps the promise: the largest `rows` up to ceil(perms / 4)
 * for which perms / rows bands reach `recall` at `threshold`. All bands that fit are used.
 * `threshold`: (0, 1]. `recall`: (0, 1). `perms`: 1 to 1024. ND_ERR_ARGUMENT: out of range; or even
 * one row per band does not reach the recall, and the message has the highest possible recall.
 * O(perms). */
ND_API ND_MUST_CHECK nd_status nd_plan_choose(double threshold, double recall, uint32_t perms,
                                              nd_plan *out, nd_error *error);

/* Returns 1 - (1 - similarity^rows)^bands: the probability of finding a pair, or less. A similarity
 * below 0 counts as 0, above 1 as 1; NaN returns NaN. */
ND_API double nd_plan_probability(const nd_plan *plan, double similarity);

/* ---------------------------------------------------------------- anchors */

/* How candidates for a containment are found: a document has `anchors` anchors, which are a uniform
 * sample of its set of shingles; a shorter document has all of them. It becomes a candidate for a
 * text that has at least `least` of them. If the text has the share x of the document's set,
 * P(found | x) is at least P(Bin(anchors, x) >= least). */
typedef struct nd_anchor_plan {
    uint32_t anchors, least;
    double threshold; /* lowest containment of the wanted pairs */
    double recall;    /* least wanted P(found | threshold) */
} nd_anchor_plan;

/* Chooses the plan: 32 anchors, or as many times twice as many, up to 1024, as make candidates with
 * less than 0.71 of the threshold unlikely; and the largest `least` that keeps the promise.
 * `threshold`: (0, 1]. `recall`: (0, 1); below 0.9 the plan is that of 0.9. ND_ERR_ARGUMENT: out of
 * range; or even 1 of 1024 anchors does not reach the recall, and the message has the highest
 * possible recall. */
ND_API ND_MUST_CHECK nd_status nd_anchor_plan_choose(double threshold, double recall,
                                                     nd_anchor_plan *out, nd_error *error);

/* Returns P(Bin(anchors, containment) >= least): the probability of finding a pair, or less. A
 * containment below 0 counts as 0, above 1 as 1. REQUIRES: a plan of nd_anchor_plan_choose. */
ND_API double nd_anchor_plan_probability(const nd_anchor_plan *plan, double containment);

/* ---------------------------------------------------------------- kinds of sketches */

/* How candidates for duplicates are found.
 *
 * ND_SKETCH_MINHASH    By bands of MinHash signatures: a pair at the threshold is found with the
 *                      probability `recall`, a more similar pair with a higher one.
 * ND_SKETCH_SIMHASH    By fingerprints: all pairs whose fingerprints differ in at most k bits,
 *                      except pairs that max_compare leaves out.
 * ND_SKETCH_SENTENCES  By longest sentences (nd_sentence_signature): all pairs that share a
 *                      sentence, except pairs that max_compare leaves out. MinHash signatures are
 *                      made, too; they are compared before the texts.
 * ND_SKETCH_TLSH       By TLSH digests of 128 buckets (neardup/tlsh.h): all pairs whose digests are
 *                      within a distance, except pairs that max_compare leaves out. A text without
 *                      a digest is a duplicate of its exact copies alone. The time grows with the
 *                      square of the documents. */
typedef enum nd_sketch {
    ND_SKETCH_MINHASH = 0,
    ND_SKETCH_SIMHASH,
    ND_SKETCH_SENTENCES,
    ND_SKETCH_TLSH
} nd_sketch;

#ifdef __cplusplus
}
#endif
#endif
