/* neardup.h: near-duplicate text detection. This header is the whole contract of libneardup.
 *
 * The way of a document:
 *
 *     text -> nd_analyze -> shingle set -> nd_minhash_sign -> signature -> bands -> candidates
 *          -> exact Jaccard similarity -> decision
 *
 * Each step is a call of its own. nd_dedup() and nd_pairs() run the whole way over any number of
 * documents in bounded memory.
 *
 * Errors. A function that can fail returns nd_status and takes an nd_error of the caller (NULL: no
 * message wanted). After a failure the outputs are unchanged, unless the comment says otherwise.
 * The library never prints and never exits.
 *
 * Arguments. A value outside its range is ND_ERR_ARGUMENT: a number (NaN and infinities, too), an
 * unknown constant of an enum, a pointer that is NULL where the comment does not allow it. A text,
 * an id or an array may be NULL where its length is 0. A function without a status needs its
 * pointers, except that X_free takes NULL; its comment says what it does with numbers out of range.
 *
 * Memory. nd_X_create makes a handle, and nd_X_free frees it. Pointers inside a structure belong to
 * the handle that filled it, and are valid as long as the comment says. All heap memory of the
 * library comes from the given nd_allocator (NULL, or a function without one: malloc, realloc,
 * free). Memory that simdjson, zstd, isa-l, zlib, ICU and libstemmer take for themselves does not;
 * nor does memory that the C library takes to read directories, to sort (qsort), to start threads.
 *
 * Threads. Different threads may use different handles at once. One handle may be shared only where
 * its comment says so. Every call runs on a thread with a stack of 128 KiB, and leaves 16 KiB of it
 * to a callback. Threads that the library starts have stacks of the system's size.
 *
 * Text is UTF-8, given with its length in bytes. It may contain NUL, and needs no terminator.
 *
 * Sameness. Every result is a function of its arguments: the same on every processor, instruction
 * set and byte order, and at any number of threads. The locale, the rounding mode and the treatment
 * of subnormal numbers of the host program change nothing: the library formats as in the C locale,
 * and computes in the default floating-point environment, in which it calls back, too. It restores
 * the host's environment when it returns. */
#ifndef NEARDUP_H
#define NEARDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ND_VERSION_MAJOR 0
#define ND_VERSION_MINOR 1
#define ND_VERSION_PATCH 0

/* The Unicode version of the tables behind every analyzer. */
#define ND_UNICODE_VERSION "15.0.0"

#if defined(__GNUC__)
#define ND_API __attribute__((visibility("default")))
#define ND_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ND_API
#define ND_MUST_CHECK
#endif

/* ---------------------------------------------------------------- status and error */

typedef enum nd_status {
    ND_OK = 0,
    ND_ERR_ARGUMENT,    /* a parameter outside its range: the message names it and the range */
    ND_ERR_MEMORY,      /* the allocator returned NULL, or a size would overflow */
    ND_ERR_IO,          /* a system call failed: the message has the path and the system's reason */
    ND_ERR_INPUT,       /* bad data: the message has file and line, or the byte */
    ND_ERR_UNSUPPORTED, /* this build lacks the library that the request needs: the message names it
                         */
    ND_ERR_CANCELLED,   /* a callback asked to stop */
    ND_ERR_CORRUPT, /* a file of an index is damaged, cut off, or not what it should be: the message
                       names it and the byte */
    ND_ERR_BUSY     /* another process writes to the index */
} nd_status;

/* Owned by the caller. On success it is not touched; on failure `status` is what the function
 * returned and `message` is one printable line, as nd_printable makes it: what comes of foreign
 * ids, paths and texts is escaped, and of a message that is too long the middle is left out, so
 * that place and reason stay. The system's reasons are in English, whatever the locale. */
typedef struct nd_error {
    nd_status status;
    char message[1000];
} nd_error;

/* Makes one line that a terminal only prints of any bytes, such as an id in a warning: valid UTF-8
 * without control characters (C0, DEL, C1), line and paragraph separators (U+2028, U+2029) and
 * bidirectional controls, with which a text could move the cursor, forge lines or turn them round.
 * These are written \n \r \t \x1b \u0085 \u202e, and each byte that is not UTF-8 \xff; a backslash
 * stays as it is, so that a printable line comes out unchanged. Writes at most `size` bytes with
 * the NUL. A longer line keeps beginning and end, whole characters of both, with " ... " between
 * them (`size` up to 12: the beginning alone). Returns the bytes written without the NUL. `out`
 * must not overlap `text`. O(length). */
ND_API size_t nd_printable(const char *text, size_t length, char *out, size_t size);

/* "0.1.0". Static. */
ND_API const char *nd_version(void);

/* What this build was made with, e.g. "simdjson isa-l icu libstemmer zlib zstd", space-separated;
 * "" for the bare core. Static. */
ND_API const char *nd_features(void);

/* The instruction set that the kernels use now: "generic", "avx2", "avx512" or "neon". Environment
 * ND_DISABLE_CPU (a comma-separated list of those names) switches sets off; it is read once.
 * Static. */
ND_API const char *nd_instruction_set(void);

/* Writes a file as every job writes its outputs. A regular file, or one that is not there yet, is
 * replaced as a whole: written under a temporary name beside it, synced, renamed, and the directory
 * synced. The new file has the permissions of the old one, without the set-user-ID and set-group-ID
 * bits. A symbolic link stays, and the file behind it is replaced. "-" is standard output; it,
 * /dev/fd/N, a device or a pipe is written in place. A name that ends in .gz or .zst is compressed;
 * one that ends as other compressed files do (.xz) is ND_ERR_ARGUMENT. `bytes` may be NULL where
 * `size` is 0. ND_ERR_IO: the name and the system's reason; then a file that was there is as it
 * was. */
ND_API ND_MUST_CHECK nd_status nd_write_file(const char *path, const void *bytes, size_t size,
                                             nd_error *error);

/* ---------------------------------------------------------------- allocator */

/* Caller's memory functions, with the semantics of malloc, realloc and free; they may be called
 * from several threads at once. */
typedef struct nd_allocator {
    void *context; /* handed to each call */
    void *(*allocate)(void *context, size_t size);
    void *(*reallocate)(void *context, void *memory, size_t size);
    void (*release)(void *context, void *memory);
} nd_allocator;

/* ---------------------------------------------------------------- text to shingles */

/* How a text becomes tokens. A text is normalised (NFC) and case-folded (Unicode full case folding)
 * first. ND_WORDS  a token is a maximal run of word characters (UTS #18 \w: Alphabetic, M, Nd,
 * Join_Control, Pc); in scripts written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer,
 * Myanmar) each character with the marks and join controls behind it is a token. Those with nothing
 * before them in a token are no part of one, so that emoji sequences have no tokens. ND_CHARS  a
 * token is one code point; a run of white space and punctuation counts as one space, and is dropped
 * at both ends. ND_SEGMENT  as ND_WORDS, but where tokens of scripts written without spaces follow
 * each other they are put together to words: by a dictionary, with the letters and digits that
 * touch them, along the path of greatest probability through the graph of its words (of equally
 * probable ones that whose first word is longest); what it does not have by ICU (UAX #29, word
 * boundaries), or, in a build without ICU, not at all. The result depends on the dictionary and on
 * ICU's version, so it is not for what is stored: an index refuses it, and a stream those that it
 * was not made with. A run of more than 4,096 tokens is cut there. */
typedef enum nd_analyzer_kind { ND_WORDS = 0, ND_CHARS = 1, ND_SEGMENT = 2 } nd_analyzer_kind;

/* A dictionary of words in scripts without spaces, for ND_SEGMENT. Immutable: any number of
 * threads. */
typedef struct nd_dictionary nd_dictionary;

/* Reads a dictionary of one word a line (doc/internals/formats.md, "Dictionaries"): the word, its
 * frequency (0 to 4294967295; 0: it is no word; without one: 1) and a tag that is not used, with
 * blanks or tabs between them, as jieba has it. gzip and Zstandard are known by their first bytes,
 * "-" is standard input; a line has at most 1 MiB, a Zstandard window 8 MiB, in this and in other
 * lists and tables; blank lines and lines that begin with '#' do not count. A word is of tokens of
 * ND_WORDS, at most 64, with nothing between them; case makes no difference; one that comes more
 * than once has the sum of its frequencies. One without any character of a script without spaces
 * ("C++") is left out, for it is never looked for. ND_ERR_INPUT names file and line, and what was
 * expected there: a malformed line, a frequency out of range, a word that has something other than
 * letters and digits; or there is no word at all. ND_ERR_IO: not there. `allocator` NULL: malloc;
 * else it is copied. Time O(size); memory at most 43 bytes for each different beginning of a word,
 * and half as much again while it grows. */
ND_API ND_MUST_CHECK nd_status nd_dictionary_read(const char *path, const nd_allocator *allocator,
                                                  nd_dictionary **out, nd_error *error);
/* When no analyzer and no job uses it any more. NULL is accepted. */
ND_API void nd_dictionary_free(nd_dictionary *dictionary);

typedef struct nd_analyzer_options {
    nd_analyzer_kind kind; /* default ND_WORDS */
    uint32_t ngram;        /* tokens a shingle, 1 to 64, default 5 */
    uint64_t seed; /* key of the token and shingle hashes, default 1; a secret one defends against
                      made-up collisions */
    const char *stem; /* a language of Snowball, "english": folded tokens are replaced by their
                         stems; ND_WORDS only. NULL, the default: none */
    const nd_dictionary *dictionary; /* ND_SEGMENT only; used as long as the analyzer is there.
                                        NULL, the default: none */
} nd_analyzer_options;

ND_API void nd_analyzer_options_init(nd_analyzer_options *options);

/* An analyzer holds the tables for its options and the scratch memory for one text. One thread at a
 * time. */
typedef struct nd_analyzer nd_analyzer;

/* `options` NULL: the defaults. `allocator` NULL: malloc; else it is copied. ND_ERR_ARGUMENT: out
 * of range; for an unknown language the message lists the known ones. ND_ERR_UNSUPPORTED: stems, in
 * a build without libstemmer; ND_SEGMENT without a dictionary, in a build without ICU. Stems come
 * from the libstemmer that is linked, so results with stems may change with its version. A word of
 * more than 255 bytes is its own stem. */
ND_API ND_MUST_CHECK nd_status nd_analyzer_create(const nd_analyzer_options *options,
                                                  const nd_allocator *allocator, nd_analyzer **out,
                                                  nd_error *error);
ND_API void nd_analyzer_free(nd_analyzer *analyzer);

/* The shingles of one text. A text with fewer than ngram tokens is one shingle of all of them; a
 * text without tokens (empty, only punctuation or emoji) is one shingle of its NFC characters, so
 * that it equals only a text with the same characters. So count is at least 1. */
typedef struct nd_shingles {
    uint64_t *hashes; /* one 64-bit hash a shingle in the order of the text, repeated where the text
                         repeats; the caller may reorder them */
    size_t count;     /* of hashes, at least 1 */
    size_t tokens;    /* of the text, 0 or more */
    uint64_t text_hash[2]; /* 128-bit hash of the token sequence: equal for texts that differ only
                              in case, punctuation and spacing */
} nd_shingles;

/* Fills *out; out->hashes lives until the next call with this analyzer. Time O(length).
 * ND_ERR_INPUT: not UTF-8, with the byte offset. */
ND_API ND_MUST_CHECK nd_status nd_analyze(nd_analyzer *analyzer, const char *text, size_t length,
                                          nd_shingles *out, nd_error *error);

/* A token: folded, as UTF-8 (not terminated; valid during the call), and its place, the bytes
 * [begin, end) of the text that it is made of, always whole characters. Tokenised alone they give
 * this token (ND_SEGMENT: or the tokens that it was put together of). Places ascend. They
 * overlap in two cases only, in which several tokens share bytes. A character may fold to several
 * tokens (ND_CHARS: "\u00df" to "s" and "s"). And a base character is composed (NFC) together with
 * the characters after it that may combine with it: each token made of any of them has the bytes of
 * all of them. With words the second case joins only tokens that no language writes side by side.
 * The space of ND_CHARS has the run of white space and punctuation for which it stands, which alone
 * is dropped. */
typedef struct nd_token {
    const char *text;
    size_t length;
    size_t begin, end;
} nd_token;

/* Receives each token. Return false to stop. */
typedef bool nd_token_fn(void *context, const nd_token *token);

/* The tokens that nd_analyze would hash, in order. Made for looking; nd_analyze is the fast way.
 * Errors as nd_analyze, and ND_ERR_CANCELLED when `fn` returned false. */
ND_API ND_MUST_CHECK nd_status nd_tokenize(nd_analyzer *analyzer, const char *text, size_t length,
                                           nd_token_fn *fn, void *context, nd_error *error);

/* Position of the first byte that is not part of valid UTF-8 (RFC 3629: no surrogates, no overlong
 * forms, at most U+10FFFF), or `length`. */
ND_API size_t nd_utf8_valid_prefix(const char *text, size_t length);

/* ---------------------------------------------------------------- sentences */

/* Receives each sentence: the bytes from `begin` to before `end`. Return false to stop. */
typedef bool nd_sentence_fn(void *context, size_t begin, size_t end);

/* Cuts a text into sentences, in order, by the default rules of UAX #29 with the project's own
 * tables (Unicode 15.0.0): the marks that end a sentence in any script, and each line break and
 * paragraph separator. Every byte is in one sentence: what closes it, the spaces behind and the
 * line break belong to it. An empty text has none. By these rules a full stop before a lower-case
 * letter ends nothing, one before a capital does even in "Mr. Brown"; and of Thai, Lao, Khmer and
 * Tibetan they know no mark, so that there line breaks alone are left, and marks of others.
 * O(length), no memory. ND_ERR_INPUT: not UTF-8, with the byte; the sentences before it were given.
 * ND_ERR_CANCELLED: `fn` returned false. */
ND_API ND_MUST_CHECK nd_status nd_sentences(const char *text, size_t length, nd_sentence_fn *fn,
                                            void *context, nd_error *error);

/* ---------------------------------------------------------------- sets and exact similarity */

/* Sorts `hashes` ascending and drops repeats, in place; returns how many remain. O(count log count)
 * or better. */
ND_API size_t nd_set_make(uint64_t *hashes, size_t count);

typedef struct nd_overlap {
    uint64_t size_a, size_b; /* |A|, |B| */
    uint64_t intersection;   /* |A and B| */
} nd_overlap;

/* Overlap of two sets made by nd_set_make. O(count_a + count_b). */
ND_API nd_overlap nd_set_overlap(const uint64_t *a, size_t count_a, const uint64_t *b,
                                 size_t count_b);

/* Jaccard similarity |A and B| / |A or B|, in [0, 1]; two empty sets: 1. An intersection above a
 * size counts as that size, here and below. */
ND_API double nd_jaccard(nd_overlap overlap);

/* Containment |A and B| / min(|A|, |B|), in [0, 1]; an empty set is contained in every set: 1. */
ND_API double nd_containment(nd_overlap overlap);

/* Exact overlap of the shingle sets of two texts. Exact up to collisions of the 64-bit hashes: at
 * most |A||B| / 2^64 expected. Errors as nd_analyze. */
ND_API ND_MUST_CHECK nd_status nd_compare_texts(nd_analyzer *analyzer, const char *a,
                                                size_t length_a, const char *b, size_t length_b,
                                                nd_overlap *out, nd_error *error);

/* ---------------------------------------------------------------- MinHash */

/* MinHash (Broder 1997) with `perms` hash functions of one family, version 1:
 *
 *     v_i(x) = (a_i * lo(m) + hi(m)) mod 2^32,  m = mix64(x xor key)
 *
 * The a_i are distinct modulo the power of two at or above perms; lo and hi are the two halves of
 * the mixed 64-bit hash. Every v_i is a uniform function by itself (hi alone makes it so). Any two
 * are independent, except for the few low bits that a_i and a_j share. Sets of millions stay
 * unbiased, because shingles that agree in all values agree in 64 bits, not 32.
 *
 * Immutable after creation: any number of threads. */
typedef struct nd_minhash nd_minhash;

/* perms: 1 to 1024. */
ND_API ND_MUST_CHECK nd_status nd_minhash_create(uint32_t perms, uint64_t seed,
                                                 const nd_allocator *allocator, nd_minhash **out,
                                                 nd_error *error);
ND_API void nd_minhash_free(nd_minhash *minhash);
ND_API uint32_t nd_minhash_perms(const nd_minhash *minhash);

/* signature[i] = min over the set of v_i; an empty set gives UINT32_MAX everywhere. Repeats and
 * order do not matter. O(count * perms). */
ND_API void nd_minhash_sign(const nd_minhash *minhash, const uint64_t *hashes, size_t count,
                            uint32_t *signature);

/* `sets` sets at once: set s is hashes[starts[s] .. starts[s+1]), its signature is signatures[s *
 * perms ...]. `starts` has sets + 1 entries. */
ND_API void nd_minhash_sign_batch(const nd_minhash *minhash, const uint64_t *hashes,
                                  const size_t *starts, size_t sets, uint32_t *signatures);

/* Share of equal values: an unbiased estimate of the Jaccard similarity with standard error sqrt(J
 * (1 - J) / perms). perms 0: 0. */
ND_API double nd_minhash_estimate(const uint32_t *a, const uint32_t *b, uint32_t perms);

/* ---------------------------------------------------------------- bottom-k */

/* A bottom-k sketch, family version 1: of a set, the k smallest values of one hash function (Broder
 * 1997), v(x) = mix64(x xor key) with key = mix64(seed + C2) (base/hash.h). v is a bijection, so
 * distinct elements have distinct values. Unlike a signature the sketch tells how large its set is
 * and how much of it is in another one, it grows with its set, and the sketches of two sets give
 * that of their union. What is estimated is exact where the sets have fewer than k elements; else,
 * with the estimated standard error (below), of some 1 / sqrt(k). Takes 16 bytes times k. One
 * thread at a time. */
typedef struct nd_bottom_k nd_bottom_k;

/* k: 2 to 65536; below some tens the errors say little. */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_create(uint32_t k, uint64_t seed,
                                                  const nd_allocator *allocator, nd_bottom_k **out,
                                                  nd_error *error);
ND_API void nd_bottom_k_free(nd_bottom_k *sketch);
/* Adds elements, such as those of nd_shingles. Repeats and order do not matter. O(count) and, for
 * what is among the k smallest so far, O(log k) each. */
ND_API void nd_bottom_k_add(nd_bottom_k *sketch, const uint64_t *hashes, size_t count);
/* Makes `into` the sketch of the union: the same, to the bit, as if everything had been added to
 * it. ND_ERR_ARGUMENT: k or seed are not the same. O(k log k). */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_merge(nd_bottom_k *into, nd_bottom_k *from,
                                                 nd_error *error);
/* The values of the sketch, ascending, and their number, at most k: what is to be stored. *values
 * lives until the sketch is added to, merged, loaded or freed. */
ND_API size_t nd_bottom_k_values(nd_bottom_k *sketch, const uint64_t **values);
/* Puts stored values in the place of what the sketch holds. ND_ERR_INPUT: more than k, or not
 * ascending without repeats; the message names the place. */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_load(nd_bottom_k *sketch, const uint64_t *values,
                                                size_t count, nd_error *error);

/* An estimate and its standard error, estimated from the same sketch. 0: what is said is exact, or
 * it is a share of which k values have shown nothing or nothing else: then the true one may well be
 * 3 / k away. */
typedef struct nd_estimate {
    double value, error;
} nd_estimate;

/* The number of distinct elements. With the k-th smallest value v and u = v / 2^64: D = (k - 1) /
 * u, unbiased (Haldane 1945; Beyer, Haas, Reinwald, Sismanis, Gemulla 2007), error sqrt(D (D - k +
 * 1) / (k - 1)), the square root of the unbiased estimate of its variance D (D - k + 1) / (k - 2),
 * that is, D / sqrt(k) at most about. */
ND_API nd_estimate nd_bottom_k_size(nd_bottom_k *sketch);

/* What two sketches say of their sets. The k smallest values of both together are a sample without
 * replacement of the union: c of them are in both, n_a in A and n_b in B; with u and D of the union
 * as above: a share p = c / n (Jaccard: n = k; A in B: n = n_a; B in A: n = n_b)       error sqrt(p
 * (1 - p) (1 - u) / (n - 1)) the intersection I = p D, p that of Jaccard error sqrt(D^2 p (p - (c -
 * 1) (k - 2) / (k - 1)^2) - I) All are unbiased, a containment given that n > 0, and so, to one
 * part in D, are the squares of the errors (Beyer et al. 2007; Cohen and Kaplan 2007). A
 * containment for which a single element was seen has error 0.5, and is 0.5 where none was. An
 * empty set is contained in every set, and two empty sets are equal. */
typedef struct nd_bottom_k_estimates {
    nd_estimate jaccard;
    nd_estimate intersection; /* elements */
    nd_estimate set_union;
    nd_estimate a_in_b; /* |A and B| / |A| */
    nd_estimate b_in_a; /* |A and B| / |B| */
} nd_bottom_k_estimates;

/* ND_ERR_ARGUMENT: k or seed are not the same. `a` and `b` may be one. O(k), after what sorting is
 * left to do. */
ND_API ND_MUST_CHECK nd_status nd_bottom_k_estimate(nd_bottom_k *a, nd_bottom_k *b,
                                                    nd_bottom_k_estimates *out, nd_error *error);

/* ---------------------------------------------------------------- permutations of a matrix */

/* MinHash as textbooks begin with it (Broder 1997; Leskovec, Rajaraman, Ullman, ch. 3): the rows of
 * a characteristic matrix are permuted, and a set's value is the place at which its first row then
 * stands. Two sets have equal values with the probability of their Jaccard similarity, over all
 * permutations exactly. Made for explaining and testing; a hash function is what stands for a
 * permutation of all the rows that there may be. */

/* `count` permutations of 0 .. rows-1, drawn from a seed one after the other: by Fisher and Yates
 * from the stream of doc/internals/formats.md, "MinHash". permutations[p * rows + r] is the place
 * of row r in permutation p. O(rows * count). */
ND_API void nd_permutations_draw(uint32_t rows, uint32_t count, uint64_t seed,
                                 uint32_t *permutations);

/* The signatures of the sets of a matrix: matrix[r * sets + s] is not 0 when set s has row r.
 * Signature s is signatures[s * count] and so on, one value a permutation: the least place of the
 * set's rows, UINT32_MAX for the empty set; nd_minhash_estimate compares two. `permutations` are
 * given as nd_permutations_draw makes them. ND_ERR_ARGUMENT: more than 65536 rows, or what is given
 * is no permutation of 0 .. rows-1; the message names the permutation and the row. O(rows * sets *
 * count). */
ND_API ND_MUST_CHECK nd_status nd_permutations_sign(const uint8_t *matrix, uint32_t rows,
                                                    uint32_t sets, const uint32_t *permutations,
                                                    uint32_t count, uint32_t *signatures,
                                                    nd_error *error);

/* ---------------------------------------------------------------- longest sentences */

/* The tokens that a sentence must have to be in a signature. Many shorter ones stand in texts that
 * have nothing to do with each other: in four corpora of real texts 36 to 100 % of those of two
 * tokens and fewer, 28 to 71 % of those of 5, 20 to 42 % of those of 6; up to 15 longer ones are
 * not rarer, since templates have long sentences, too. At most one text in 170 there has no
 * sentence of 6. */
#define ND_SENTENCE_LEAST_TOKENS 6

/* The longest-sentences signature, as search engines have used it for news: hashes of the n longest
 * sentences (nd_sentences) by the analyzer's tokens, the longest first, of equally long ones the
 * earlier first, each different one once. A sentence is hashed as its sequence of tokens, so that
 * case, spacing and punctuation do not matter (nd_shingles.text_hash[0]). Two texts that share one
 * hash are candidates for duplicates. It stays when paragraphs are moved and when there is
 * something else around the article; it is lost when all of the n sentences are changed, and when
 * lines are broken elsewhere, since a line break ends a sentence. n: 1 to 64. `hashes` has room for
 * n, *count says how many there are: fewer than n where the text has no more sentences of
 * ND_SENTENCE_LEAST_TOKENS. The analyzer's ngram does not matter. Errors as nd_analyze. O(length +
 * sentences * n). */
ND_API ND_MUST_CHECK nd_status nd_sentence_signature(nd_analyzer *analyzer, const char *text,
                                                     size_t length, uint32_t n, uint64_t *hashes,
                                                     uint32_t *count, nd_error *error);

/* ---------------------------------------------------------------- SimHash */

/* A fingerprint of 16, 32, 64 or 128 bits: bit i is bit i of `low` for i < 64, else bit i - 64 of
 * `high`. Bits that it does not have are 0. */
typedef struct nd_fingerprint {
    uint64_t low, high;
} nd_fingerprint;

/* Hamming distance: the number of bits that differ. */
ND_API uint32_t nd_distance(nd_fingerprint a, nd_fingerprint b);
ND_API bool nd_is_within(nd_fingerprint a, nd_fingerprint b, uint32_t k);

/* bits / 4 lower-case hexadecimal digits, the highest bits first, and a NUL. bits: 16, 32, 64 or
 * 128; of another number bits / 4 digits, but at most 32. */
ND_API void nd_fingerprint_format(nd_fingerprint fingerprint, uint32_t bits, char text[33]);
/* The same, read; digits of either case. ND_ERR_INPUT: other than bits / 4 digits. */
ND_API ND_MUST_CHECK nd_status nd_fingerprint_parse(const char *text, size_t length, uint32_t bits,
                                                    nd_fingerprint *out, nd_error *error);

/* SimHash (Charikar 2002), family version 1. Features are 64-bit hashes (those of nd_shingles, or
 * any distinct numbers), each with a weight. Bit i of the fingerprint is 1 when the sum over the
 * features of weight * (bit i of the feature's mixed hash ? +1 : -1) is above 0. The mixed hash of
 * x has 128 bits: the low half is mix64(x + C0), the high half mix64(x + C1) (base/hash.h). So a
 * fingerprint of 16 or 32 bits is the lower part of the one of 64 bits, and that one is the lower
 * part of the one of 128 bits. Weights are taken to the nearest multiple of 1/4096, and sums are
 * exact: order and grouping of the features do not matter. For two feature vectors with the angle a
 * between them, each bit differs with probability a / pi. One thread at a time. */
typedef struct nd_simhash nd_simhash;

/* bits: 16, 32, 64 or 128. */
ND_API ND_MUST_CHECK nd_status nd_simhash_create(uint32_t bits, const nd_allocator *allocator,
                                                 nd_simhash **out, nd_error *error);
ND_API void nd_simhash_free(nd_simhash *simhash);
/* Adds features, `weights` NULL: each of weight 1. A weight is from -2^18 to 2^18, and all together
 * have a sum of magnitudes below 2^50 (ND_ERR_ARGUMENT, and nothing is added). O(count). */
ND_API ND_MUST_CHECK nd_status nd_simhash_add(nd_simhash *simhash, const uint64_t *features,
                                              const double *weights, size_t count, nd_error *error);
/* The fingerprint of what was added; what is added next begins another. Without features, and where
 * all sums are 0: 0. */
ND_API nd_fingerprint nd_simhash_finish(nd_simhash *simhash);

/* ---------------------------------------------------------------- weights of words */

/* What words weigh, read from a table (doc/internals/formats.md, "Weight tables"): the one that
 * nd_idf writes, or two columns, a word and its weight. Immutable: any number of threads. */
typedef struct nd_weights nd_weights;

/* Reads a table; gzip and Zstandard are known by their first bytes, "-" is standard input. `seed`:
 * that of the analyzers whose features will be looked up. A term that is not one word of ND_WORDS
 * (it is several, or none) can never be met and is left out; but not where it is one of ND_SEGMENT
 * (tokens with nothing between them). A weight is from 0 to 2^18, and is taken to the nearest
 * multiple of 1/4096, whatever the locale. ND_ERR_INPUT names file and line, and what was expected
 * there: a malformed line, a weight out of range, a word that has a weight already (also in other
 * case). ND_ERR_IO: not there. `allocator` NULL: malloc; else it is copied. Time O(size); memory at
 * most 43 bytes a word, and half as much again while it grows. */
ND_API ND_MUST_CHECK nd_status nd_weights_read(const char *path, uint64_t seed,
                                               const nd_allocator *allocator, nd_weights **out,
                                               nd_error *error);
ND_API void nd_weights_free(nd_weights *weights);

/* The weight of a feature: a shingle of one word. One that the table does not have is as rare as
 * can be: with documents counted ln(documents + 1), else the largest weight of the table. A
 * multiple of 1/4096. O(1). A table that was counted (nd_idf) is for analyzers of the kind and with
 * the stem that it says. */
ND_API double nd_weights_of(const nd_weights *weights, uint64_t feature);

typedef struct nd_weights_info {
    uint64_t words;     /* that have a weight */
    uint64_t segments;  /* that have one, too, and are met by ND_SEGMENT alone */
    uint64_t left_out;  /* terms that are not one word */
    uint64_t documents; /* counted for the table; 0: it does not say */
    uint64_t seed;
    double absent;    /* weight of a word that the table does not have */
    const char *stem; /* language of the stems that were counted, in memory of the weights; NULL:
                         none, or the table does not say */
    bool segmented;   /* it was counted with ND_SEGMENT */
} nd_weights_info;

ND_API void nd_weights_describe(const nd_weights *weights, nd_weights_info *out);

/* Words that say nothing about a text, read from a list. Immutable: any number of threads. */
typedef struct nd_stop_words nd_stop_words;

/* Reads a list of one word a line, in any case; gzip and Zstandard are known by their first bytes,
 * "-" is standard input. Blanks around a word, blank lines and lines that begin with '#' do not
 * count; a word may come more than once. `seed` and `stem` (NULL: none): those of the analyzers
 * whose features will be left out; with a stem a word stands for itself and for its stem.
 * ND_ERR_INPUT: a line that is not one word of ND_SEGMENT, with file and line; a list with a line
 * that is not one of ND_WORDS is an error with that. ND_ERR_IO: not there. ND_ERR_ARGUMENT,
 * ND_ERR_UNSUPPORTED: the stem, as with nd_analyzer_create. `allocator` NULL: malloc; else it is
 * copied. Time O(size); memory 16 to 32 bytes a word, and twice as much with a stem. */
ND_API ND_MUST_CHECK nd_status nd_stop_words_read(const char *path, uint64_t seed, const char *stem,
                                                  const nd_allocator *allocator,
                                                  nd_stop_words **out, nd_error *error);
/* NULL is accepted. */
ND_API void nd_stop_words_free(nd_stop_words *stop);

/* Whether a feature, a shingle of one word, is one of them. O(1). */
ND_API bool nd_stop_words_has(const nd_stop_words *stop, uint64_t feature);

/* ---------------------------------------------------------------- SimHash of texts */

/* How the features of a text are weighted; a feature is a shingle of the analyzer. A text without
 * tokens has one feature of weight 1 in any case.
 *
 * ND_WEIGHTING_TF       1 for each occurrence.
 * ND_WEIGHTING_NONE     1, however often the feature occurs.
 * ND_WEIGHTING_TABLE    The table's weight for each occurrence. Only for ND_WORDS or ND_SEGMENT
 *                       with ngram 1.
 * ND_WEIGHTING_LEVELS   The text is a list of items word(weight), separated by white space. Each
 *                       item is a feature with the given weight, a decimal number from 0 to 2^18.
 *                       The analyzer gives the seed. An item of one token is the same feature as
 *                       that token with ngram 1.
 * ND_WEIGHTING_COUNTED  ln((documents + 1) / (documents that have the word + 1)) for each
 *                       occurrence, counted over the job's own input, which is read twice. Counts
 *                       take 32 MiB; a count may be too high, by about one per million words of
 *                       the input. Only for single words of ND_WORDS or ND_SEGMENT, in nd_dedup
 *                       and nd_pairs. */
typedef enum nd_weighting {
    ND_WEIGHTING_TF = 0,
    ND_WEIGHTING_NONE,
    ND_WEIGHTING_TABLE,
    ND_WEIGHTING_LEVELS,
    ND_WEIGHTING_COUNTED
} nd_weighting;

typedef struct nd_simhash_options {
    uint32_t bits;           /* 16, 32, 64 or 128, default 64 */
    nd_weighting weighting;  /* default ND_WEIGHTING_TF */
    const nd_weights *table; /* of ND_WEIGHTING_TABLE, read with the analyzer's seed */
    /* Features that are left out, read with the analyzer's seed and stem; ND_WORDS or ND_SEGMENT
     * with ngram 1 only, not ND_WEIGHTING_LEVELS. A text of nothing else has the fingerprint 0.
     * NULL: none. */
    const nd_stop_words *stop;
} nd_simhash_options;

ND_API void nd_simhash_options_init(nd_simhash_options *options);

/* The fingerprint of one text. `options` NULL: the defaults. ND_ERR_INPUT: not UTF-8, with the
 * byte; with ND_WEIGHTING_LEVELS also an item that is none, with its number. ND_ERR_ARGUMENT:
 * options out of range, or that do not go with the analyzer's. O(length) and some hundred
 * nanoseconds; for many texts there is nd_fingerprints. */
ND_API ND_MUST_CHECK nd_status nd_simhash_text(nd_analyzer *analyzer,
                                               const nd_simhash_options *options, const char *text,
                                               size_t length, nd_fingerprint *out, nd_error *error);

/* ---------------------------------------------------------------- keywords
 *
 * The terms of a text that weigh most, a term being a word of ND_WORDS or ND_SEGMENT, folded, as it
 * stands in the text, or its stem. It weighs as often as it occurs times its rarity (tf-idf: Salton
 * and Buckley, "Term-weighting approaches in automatic text retrieval", 1988). */

/* Of a text or a document. */
typedef struct nd_keyword {
    const char *term; /* UTF-8, not terminated; valid during the call */
    size_t length;
    double weight; /* above 0, a multiple of 1/4096 */
} nd_keyword;

/* What a term weighs each time that it occurs.
 *
 * ND_WEIGHTING_TF       1.
 * ND_WEIGHTING_TABLE    The table's weight.
 * ND_WEIGHTING_COUNTED  ln((documents + 1) / (documents that have the term + 1)), counted over the
 *                       job's own input as for nd_dedup; the input is read twice. nd_keywords only.
 */
typedef struct nd_keywords_options {
    uint32_t top;            /* keywords a text, at most: at least 1, default 20 */
    nd_weighting weighting;  /* default ND_WEIGHTING_COUNTED */
    const nd_weights *table; /* of ND_WEIGHTING_TABLE, read with the analyzer's seed */
    const nd_stop_words
        *stop; /* words that are none, read with the analyzer's seed and stem; NULL: none */
} nd_keywords_options;

ND_API void nd_keywords_options_init(nd_keywords_options *options);

/* Receives a keyword. Return false to stop. */
typedef bool nd_keyword_fn(void *context, const nd_keyword *keyword);

/* Tells fn the keywords of one text, heaviest first, equal ones in bytewise order; what weighs 0 is
 * none. The analyzer is of ND_WORDS or ND_SEGMENT with ngram 1. ND_ERR_INPUT: not UTF-8, with the
 * byte. ND_ERR_ARGUMENT: options out of range, or that do not go with the analyzer's.
 * ND_ERR_CANCELLED: `fn` returned false. O(length); for many texts there is nd_keywords. */
ND_API ND_MUST_CHECK nd_status nd_keywords_text(nd_analyzer *analyzer,
                                                const nd_keywords_options *options,
                                                const char *text, size_t length, nd_keyword_fn *fn,
                                                void *context, nd_error *error);

/* ---------------------------------------------------------------- plan: bands and rows */

/* LSH banding (Broder 1997; Leskovec, Rajaraman, Ullman ch. 3): two documents become candidates
 * when all `rows` values of at least one of `bands` bands agree: P(found | s) = 1 - (1 -
 * s^rows)^bands. */
typedef struct nd_plan {
    uint32_t perms, bands, rows; /* bands * rows <= perms */
    double threshold;            /* similarity from which on pairs are wanted */
    double recall;               /* wanted P(found | threshold) */
} nd_plan;

/* The most selective plan that keeps the promise: the largest `rows` for which perms / rows bands
 * reach `recall` at `threshold`; all bands that fit are used. threshold in (0, 1], recall in (0,
 * 1), perms 1 to 1024. ND_ERR_ARGUMENT also when even one row a band cannot reach it; the message
 * then says which recall could be had. */
ND_API ND_MUST_CHECK nd_status nd_plan_choose(double threshold, double recall, uint32_t perms,
                                              nd_plan *out, nd_error *error);

/* P(found | similarity) under the plan. A similarity below 0 counts as 0, one above 1 as 1; of NaN
 * it is NaN. */
ND_API double nd_plan_probability(const nd_plan *plan, double similarity);

/* ---------------------------------------------------------------- two texts side by side
 *
 * Every measure of this library for one pair of texts, and the passages that they share. Made for
 * looking at a pair and for explaining what a job decides; for many pairs there are the jobs. */

typedef struct nd_compare_options {
    nd_analyzer_kind analyzer;
    uint32_t ngram;         /* tokens a shingle, 1 to 64, default 5 */
    uint64_t seed;          /* default 1 */
    uint32_t feature_ngram; /* tokens a feature of the cosines and fingerprints, up to 64; default
                               0: 5 for ND_CHARS, 1 for the others */
    uint32_t bits;          /* of the fingerprints: 16, 32, 64 or 128, default 64 */
    const nd_dictionary *dictionary; /* as in nd_analyzer_options */
    /* Of the features alone; shingles and passages are of all words as they are. */
    const char *stem;        /* as in nd_analyzer_options */
    const nd_weights *table; /* read with the seed; not ND_CHARS, with features of 1 token. Default
                                NULL: features weigh 1 each time that they occur */
    const nd_stop_words *stop; /* features that are left out, read with the seed and the stem; not
                                  ND_CHARS, with features of 1 token. Default NULL: none */
    double threshold, recall;  /* of the plan: default 0.8 and 0.999 */
    uint32_t perms;            /* 1 to 1024, default 128 */
    uint32_t bottom_k;         /* 2 to 65536, default 256 */
    uint32_t least_run;        /* tokens of a shared run, at least 1, default 8 */
    uint32_t gap; /* tokens between two runs of one passage, in either text, at most; default 4 */
} nd_compare_options;

ND_API void nd_compare_options_init(nd_compare_options *options);

/* Of one of the two texts. */
typedef struct nd_compared_text {
    size_t tokens;
    size_t shingles;  /* distinct */
    nd_estimate size; /* of `shingles`, by the bottom-k sketch */
    nd_fingerprint
        fingerprint; /* of the features, by the table where one is given: that of nd_simhash_text */
} nd_compared_text;

/* A passage that is in both: bytes [a_begin, a_end) of the one and [b_begin, b_end) of the other.
 */
typedef struct nd_passage {
    size_t a_begin, a_end, b_begin, b_end;
    size_t tokens; /* in common; those in the gaps are not counted */
} nd_passage;

/* The shared runs of tokens: at a place of a the longest run of at least least_run tokens that
 * begins there and is also in b, of equally long ones the first in b; the search goes on behind it,
 * or, where there is none, at the next token. Runs that follow each other in both texts, at most
 * `gap` tokens apart in each, are one passage. So passages ascend in a, where they have no token in
 * common; in b they may come in any order, and the same piece of b more than once. Without tokens
 * there are none. */
typedef struct nd_comparison {
    nd_compared_text a, b;
    uint64_t intersection, set_union; /* of the shingle sets, exact as nd_compare_texts */
    double jaccard, containment; /* nd_jaccard, nd_containment: of the smaller set in the larger */
    double a_in_b, b_in_a;       /* shares of each set that are in the other */
    double cosine;               /* of the features, each weighing as often as it occurs; 0 to 1 */
    double weighted_cosine;      /* the same by the table; NaN without one */
    uint32_t bits, distance;     /* of the fingerprints */
    double estimate;             /* of the Jaccard similarity, by the MinHash signatures */
    double
        standard_error; /* of such estimates: sqrt(J (1 - J) / perms), J the Jaccard similarity */
    nd_bottom_k_estimates
        bottom_k; /* by the sketches of the k smallest values, with errors estimated from the same;
                     exact where both sets have fewer than k shingles */
    nd_plan plan;
    double found; /* nd_plan_probability at the Jaccard similarity: with which nd_dedup would
                     compare the pair */
    const nd_passage *passages;
    size_t passage_count;
} nd_comparison;

/* Compares. `options` NULL: the defaults. `allocator` NULL: malloc; else it is copied.
 * ND_ERR_INPUT: not UTF-8, with the text (a or b) and the byte. ND_ERR_ARGUMENT: an option out of
 * its range, options that do not go together, or a text of 2^30 tokens or more. The time is
 * linear in the texts, plus about shingles * perms / 10 ns for the signatures. While it compares it
 * takes about 60 bytes of memory per token of a, and 150 per token of b. */
ND_API ND_MUST_CHECK nd_status nd_compare(const nd_compare_options *options, const char *a,
                                          size_t length_a, const char *b, size_t length_b,
                                          const nd_allocator *allocator, nd_comparison **out,
                                          nd_error *error);
ND_API void nd_comparison_free(nd_comparison *comparison);

/* ---------------------------------------------------------------- Hamming search: plan
 *
 * All stored fingerprints within k of a query, exactly. Tables sorted by some of the bits are
 * looked into at each pattern of a few errors (Manku, Jain, Das Sarma 2007; Norouzi, Punjani, Fleet
 * 2012; Qin et al. 2018); which tables, and how deep, is chosen from the number of fingerprints, k,
 * the memory and measured costs. */

/* Costs of one thread on a machine, for tables of 256 KiB, 4 MiB, 64 MiB and 1 GiB: nanoseconds.
 * nd_hamming_costs_init gives those of a server of 2025. */
typedef struct nd_hamming_costs {
    double look[4]; /* one place of a table, among many of a query */
    double key[4];  /* one key behind it */
    double query;   /* each query, once */
} nd_hamming_costs;
ND_API void nd_hamming_costs_init(nd_hamming_costs *costs);

/* Measures them here, by searches in tables of even keys, made and removed in `directory` (NULL:
 * $TMPDIR, or /tmp), of at most `memory` bytes each (0: 64 MiB; at least the smallest is measured).
 * Larger ones are taken to be as much dearer than smaller ones as nd_hamming_costs_init says. Less
 * than a second, with 1 GiB some five. ND_ERR_IO: the directory. */
ND_API ND_MUST_CHECK nd_status nd_hamming_calibrate(const char *directory, uint64_t memory,
                                                    const nd_allocator *allocator,
                                                    nd_hamming_costs *out, nd_error *error);

/* A design on paper. */
typedef struct nd_hamming_estimate {
    char name[40]; /* "2 windows", "2 of 5 blocks", "1 of 4 blocks twice", "scan" */
    uint32_t tables;
    uint32_t least_errors, most_errors; /* with which the tables are looked into */
    double bytes;                       /* of all tables, packed, without ids */
    double looks;                       /* places that a query looks at */
    double candidates;                  /* keys that it compares */
    double microseconds;                /* a query, one thread */
    bool fits;                          /* in the memory given */
    bool few;                           /* it has no more tables than the chosen one may have */
    bool chosen;
} nd_hamming_estimate;

/* The designs for n distinct, evenly spread fingerprints, fastest first. The chosen one is the
 * fastest of those that fit and have at most max(2, min(4, (k + 1) / 2)) tables, or up to four
 * where all take at most 32 MiB and no window has fewer bits than a table's directory; where none
 * fits, the smallest. Of 10 million fingerprints of 64 bits a table takes 5.4 bytes each. bits: 16,
 * 32, 64 or 128; k: 0 to bits / 4; memory in bytes, 0: no bound; costs (finite, at least 0) NULL:
 * those of nd_hamming_costs_init. `out` has room for ND_HAMMING_ESTIMATES. */
#define ND_HAMMING_ESTIMATES 40
ND_API ND_MUST_CHECK nd_status nd_hamming_plan(double n, uint32_t bits, uint32_t k, double memory,
                                               const nd_hamming_costs *costs,
                                               nd_hamming_estimate *out, size_t *count,
                                               nd_error *error);

/* ---------------------------------------------------------------- whole jobs */

typedef enum nd_keep { ND_KEEP_FIRST = 0, ND_KEEP_LONGEST, ND_KEEP_MAX, ND_KEEP_MIN } nd_keep;
typedef enum nd_group { ND_GROUP_GREEDY = 0, ND_GROUP_COMPONENT } nd_group;

/* How candidates for duplicates are found.
 *
 * ND_SKETCH_MINHASH    By bands of MinHash signatures: a pair at the threshold is found with the
 *                      probability `recall`, a more similar one with a higher probability.
 * ND_SKETCH_SIMHASH    By fingerprints: all pairs of documents whose fingerprints differ in at most
 *                      k bits, except those that max_compare leaves out.
 * ND_SKETCH_SENTENCES  By their longest sentences (nd_sentence_signature): all pairs of documents
 *                      that share one, except those that max_compare leaves out. Signatures are
 *                      made as well, and are compared before the texts. */
typedef enum nd_sketch { ND_SKETCH_MINHASH = 0, ND_SKETCH_SIMHASH, ND_SKETCH_SENTENCES } nd_sketch;

/* What decides that a candidate is a duplicate.
 *
 * ND_VERIFY_EXACT   The Jaccard similarity of the shingle sets, made from the texts, reaches the
 *                   threshold.
 * ND_VERIFY_COSINE  The cosine of the vectors behind the fingerprints, made from the texts, reaches
 *                   the threshold. ND_SKETCH_SIMHASH only.
 * ND_VERIFY_NONE    MinHash and sentences: the similarity estimated from the sketches reaches the
 *                   threshold. SimHash: the fingerprints are within k bits. */
typedef enum nd_verify { ND_VERIFY_EXACT = 0, ND_VERIFY_COSINE, ND_VERIFY_NONE } nd_verify;
typedef enum nd_invalid { ND_INVALID_FAIL = 0, ND_INVALID_REPLACE, ND_INVALID_SKIP } nd_invalid;

/* One document given by a callback. All pointers must stay valid until the next call of the
 * callback. */
typedef struct nd_record {
    const char *text;
    size_t length;
    const char *id; /* NULL: the record's number, from 1 */
    size_t id_length;
    double priority; /* used by ND_KEEP_MAX and ND_KEEP_MIN; NaN: lowest */
} nd_record;

/* Fills *out and returns 1; 0 at the end; -1 to cancel. Called from one thread at a time, not
 * always the same. */
typedef int nd_record_fn(void *context, nd_record *out);

/* What was decided of a document. */
typedef struct nd_decision {
    uint64_t document; /* its number in the order of input, from 0 */
    const char *id;    /* valid during the call */
    size_t id_length;
    const char *source; /* the input as it was named; "": of nd_record_fn. Valid during the call */
    uint64_t line;      /* in it, from 1; the number of the record of nd_record_fn, of the file in a
                           directory */
    bool kept;
    bool estimated; /* ND_VERIFY_NONE, but with ND_SKETCH_SIMHASH: `jaccard` is an estimate and the
                       counts are 0 */
    uint64_t evidence; /* number of the kept document that it duplicates; itself when kept; 0 when
                          `indexed` */
    bool indexed;      /* the evidence is a document of the index: its id tells which */
    const char *evidence_id;
    size_t evidence_id_length;
    const char *evidence_source; /* "", as evidence_line 0, when `indexed` */
    uint64_t evidence_line;
    double jaccard; /* with the evidence; 1 when kept; 0 where it is not known: ND_SKETCH_SIMHASH
                       without ND_VERIFY_EXACT */
    uint64_t intersection, set_union;
    double cosine;     /* with the evidence; 1 when kept; else 0 but with ND_VERIFY_COSINE */
    uint32_t distance; /* ND_SKETCH_SIMHASH: bits in which the fingerprints differ; else 0 */
} nd_decision;

/* Called once a document, in the order of input. Return false to cancel. */
typedef bool nd_decision_fn(void *context, const nd_decision *decision);

/* A pair that was decided as a duplicate: a comes before b in the order of priority. */
typedef struct nd_pair {
    uint64_t document_a,
        document_b;          /* numbers in the order of input; document_a 0 when `indexed` */
    bool indexed;            /* a is a document of the index */
    const char *id_a, *id_b; /* valid during the call */
    size_t id_a_length, id_b_length;
    const char *source_a, *source_b; /* as in nd_decision */
    uint64_t line_a, line_b;
    double jaccard; /* this and the following as in nd_decision */
    bool estimated;
    uint64_t intersection, set_union;
    double cosine;
    uint32_t distance;
} nd_pair;

/* Called once a pair, ordered by (b, a) in the order of priority. Return false to cancel. */
typedef bool nd_pair_fn(void *context, const nd_pair *pair);

typedef enum nd_stage {
    ND_STAGE_READ = 0,
    ND_STAGE_MATCH,
    ND_STAGE_DECIDE,
    ND_STAGE_WRITE,
    ND_STAGE_SYNC,
    ND_STAGE_COUNT
} nd_stage;

/* "read", "match", "decide", "write", "sync"; "" of an unknown stage. Static. */
ND_API const char *nd_stage_name(nd_stage stage);

/* Called now and then, and some times a second while an input lets wait, from one thread at a time;
 * another thread may run another callback of the job at the same time. `total` 0: not known. Units:
 * bytes of input while reading, documents while deciding and writing, parts of the work else.
 * Return false to cancel: the job cleans up and returns ND_ERR_CANCELLED. */
typedef bool nd_progress_fn(void *context, nd_stage stage, uint64_t done, uint64_t total);

/* One printable line (nd_printable) about something that did not stop the job: each skipped record,
 * the first repeated ids. Called from one thread at a time. */
typedef void nd_warning_fn(void *context, const char *message);

/* When changes of an index become durable. */
typedef enum nd_sync {
    ND_SYNC_EACH = 0, /* before the call returns; calls of several threads share the wait */
    ND_SYNC_BATCH,    /* with nd_index_sync; a job's before it returns */
    ND_SYNC_OFF /* when the system writes them, and when a segment is made; a crash of the machine
                   may take the last ones, never a part of one */
} nd_sync;

typedef struct nd_job_options {
    /* Input: files, or a callback. Files are read in the order given. A regular file, a pipe, or
     * "-" (standard input) holds JSON Lines; a directory holds one document a file, its relative
     * path being the id, taken in bytewise order; with several directories the last part of the
     * directory's name and '/' stand before it, and must differ. gzip and Zstandard are known by
     * their first bytes; the window of a Zstandard frame takes at most an eighth of `memory`,
     * rounded down to a power of two: a frame with a larger one is an error. Directories and files
     * of JSON Lines do not mix in one job, and a file of JSON Lines in a directory is a bad record.
     */
    const char *const *inputs;
    size_t input_count;
    nd_record_fn *records; /* instead of inputs */
    void *records_context;
    const char
        *text_field;      /* "text"; a name, or a JSON Pointer (RFC 6901) when it starts with '/' */
    const char *id_field; /* "id"; a string or a number; a missing or null one becomes FILE:LINE */
    const char *time_field; /* nd_stream_run: a number of seconds or an ISO 8601 date in a string;
                               NULL, the default: documents have no times */
    uint64_t max_record; /* bytes of one record, 64 MiB, but at most memory / 16 (ND_CHARS: / 32); a
                            larger one is an error */
    nd_invalid invalid;  /* invalid UTF-8 and lone surrogates: fail, replace by U+FFFD, or skip the
                            record */
    /* A bad record is warned of, counted and left out instead of ending the job; so is a file or
     * directory of a tree that cannot be read or has vanished. */
    bool skip_errors;
    /* In directories, symbolic links to regular files are taken, and each file once, by the first
     * of its names. Default: links are left out, and one warning counts them. Links to directories
     * are never followed. */
    bool follow_links;

    /* What a duplicate is. */
    nd_analyzer_kind analyzer;
    uint32_t ngram;   /* 1 to 64, default 5 */
    double threshold; /* (0, 1], default 0.8; of the Jaccard similarity, or of the cosine */
    double recall;    /* (0, 1), default 0.999; ND_SKETCH_MINHASH */
    uint32_t perms;   /* 1 to 1024, default 128; not ND_SKETCH_SIMHASH */
    uint64_t seed;    /* default 1 */
    const char *stem; /* as in nd_analyzer_options; nd_fingerprints, nd_idf and nd_keywords only, an
                         error with others */
    const nd_dictionary *dictionary; /* as in nd_analyzer_options */
    nd_verify
        verify; /* with an index: ND_VERIFY_EXACT; one of sketches only makes it ND_VERIFY_NONE */
    nd_sketch sketch;   /* nd_dedup without an index, and nd_pairs */
    uint32_t k;         /* ND_SKETCH_SIMHASH: 0 to bits / 4, default 6 */
    uint32_t sentences; /* ND_SKETCH_SENTENCES: how many, 1 to 64, default 3 */
    nd_simhash_options
        simhash; /* ND_SKETCH_SIMHASH: default 64 bits and ND_WEIGHTING_COUNTED. Features are the
                    shingles of `analyzer` and `ngram`; where rare words weigh more, with
                                   ND_WEIGHTING_COUNTED and ND_WEIGHTING_TABLE, single words, and
                    `analyzer` must not be ND_CHARS. Not ND_WEIGHTING_LEVELS */

    /* Which one of them stays (nd_dedup). */
    nd_keep keep;
    /* For ND_KEEP_MAX and ND_KEEP_MIN with JSON Lines: a number or an ISO 8601 date in a string.
     * Records without it come behind all others, which is warned of; that no record has it is
     * ND_ERR_INPUT. */
    const char *keep_field;
    nd_group group;
    uint32_t
        max_compare; /* comparisons a document against members of wide buckets, or, where more
                        documents before it are within k, against those; at least 1, default 1000 */

    /* An index (nd_index_create) whose documents come before all others: what duplicates one of
     * them is removed, and what is kept joins them, when all outputs have their names. The settings
     * above must be those of the index. NULL: none. nd_dedup only, not with ND_GROUP_COMPONENT, and
     * with ND_SKETCH_MINHASH alone. */
    const char *index;
    /* what an unfinished batch has added to the index is of this one; without it when the inputs
     * have the same names, sizes and times, never for callbacks. And the batch that was added
     * last, if it had inputs of the same names, sizes and times, or came from callbacks as this
     * one does, is not added again: outputs and callbacks are those of the first run. A document
     * is known by its id and its sketch */
    bool resume;
    bool replace; /* a document whose id the index has takes the place of that one; else it is an
                     error */
    nd_sync sync; /* ND_SYNC_BATCH; with ND_SYNC_OFF a batch of which at most 1,000 documents are
                     added is left to the system, for larger ones make a segment */

    /* Output of nd_dedup; each NULL: not wanted. Files are written as nd_write_file does. All of
     * them get their names, or none; then an index gets the batch; then the old files are dropped.
     * Where any of that fails, the outputs are as they were before. The index then has nothing of
     * the batch, or, where it failed while it wrote its new state, perhaps all of it: the same
     * batch with `resume` has the outputs of one run. A process that dies on the way may leave some
     * outputs new and others old; `output` is the last to get its name. */
    const char *output; /* the kept records: "-" is standard output; .gz and .zst compress; a
                           directory when the input is directories */
    bool null_paths; /* kept paths of directories, where they are written as a list: NUL behind each
                        instead of a line break */
    /* Tables (doc/internals/formats.md), each row with the sources and lines of its two documents
     * at its end.
     */
    const char *removed;  /* id kept jaccard intersection union ...; or id kept cosine, or id kept
                             distance, where that decides */
    const char *clusters; /* id cluster kept ... */
    const char *edges;    /* id_a id_b jaccard (cosine, distance) ...; nd_pairs: the pairs, "-" is
                             standard output */
    nd_decision_fn *on_decision;
    nd_pair_fn *on_pair;
    void *result_context; /* of on_decision and on_pair */

    /* Means. */
    uint64_t memory;  /* bytes, at least 64 MiB, default 1 GiB: bound of the job's memory, within 64
                         MiB and 16 bytes a document. No amount to take: UINT64_MAX is no bound */
    uint32_t threads; /* 0: all cores */
    const char *work; /* directory for what does not fit in memory; NULL: the output's directory, or
                         the system's temporary one */
    nd_progress_fn *on_progress;
    nd_warning_fn *on_warning;
    void *notice_context; /* of on_progress and on_warning */
    const nd_allocator *allocator;
} nd_job_options;

ND_API void nd_job_options_init(nd_job_options *options);

typedef struct nd_job_summary {
    nd_plan plan; /* ND_SKETCH_SIMHASH: the threshold alone, 0 where none was asked for;
                     ND_SKETCH_SENTENCES: threshold and perms, one band */
    uint64_t documents, input_bytes, text_bytes; /* input_bytes: after decompression */
    uint64_t kept, removed, exact_copies; /* exact_copies: removed documents with the token sequence
                                             of an earlier one */
    uint64_t skipped, duplicate_ids;
    uint64_t candidates;   /* distinct pairs that share a band or a sentence, or are within k, and
                              whose sketches were compared */
    uint64_t verified;     /* pairs compared exactly, on the texts */
    uint64_t rejected;     /* of those, below the threshold */
    uint64_t pairs;        /* pairs decided as duplicates */
    uint64_t wide_buckets; /* buckets kept as lists */
    uint64_t bounded_documents;    /* documents for which max_compare left something out */
    uint64_t bounded_comparisons;  /* at most so many comparisons were left out */
    uint64_t terms, terms_written; /* nd_idf: distinct words, and those that were written */
    uint64_t output_bytes,
        work_bytes; /* work_bytes: the most that lay in temporary files at one time */
    double seconds[ND_STAGE_COUNT], total_seconds;
    uint64_t peak_memory; /* of the process, bytes; 0: unknown */
    uint32_t threads;
    uint32_t bits, k;   /* ND_SKETCH_SIMHASH; else 0 */
    uint32_t sentences; /* ND_SKETCH_SENTENCES; else 0 */
} nd_job_summary;

/* Removes near-duplicates. Documents are taken in order of priority (input order; longest text
 * first; or by field); one is removed exactly when a document kept before it is a candidate and a
 * duplicate by `verify`, and its evidence names the first such. ND_GROUP_COMPONENT: connected
 * components of all duplicate pairs instead, the first of each kept. `summary` may be NULL. On
 * failure the outputs are as they were before. */
ND_API ND_MUST_CHECK nd_status nd_dedup(const nd_job_options *options, nd_job_summary *summary,
                                        nd_error *error);

/* Every pair of duplicates, at or above the threshold (a similarity join), to `edges` and on_pair;
 * `keep`, `group`, `output`, `removed` and `clusters` are ignored. */
ND_API ND_MUST_CHECK nd_status nd_pairs(const nd_job_options *options, nd_job_summary *summary,
                                        nd_error *error);

/* A document's text. */
typedef struct nd_text {
    uint64_t document; /* number in the order of input */
    const char *id;    /* valid during the call, as the text */
    size_t id_length;
    const char *text; /* UTF-8 */
    size_t length;
} nd_text;

/* Called once a document, in the order of input, from one thread at a time. Return false to stop:
 * ND_ERR_CANCELLED. */
typedef bool nd_text_fn(void *context, const nd_text *text);

/* The text of every document of a job's input. Of the options: the input, threads, memory,
 * on_progress, on_warning, allocator. The summary (NULL: not wanted) has documents, input_bytes,
 * text_bytes, skipped and times. Bounded memory. */
ND_API ND_MUST_CHECK nd_status nd_texts(const nd_job_options *options, nd_text_fn *fn,
                                        void *context, nd_job_summary *summary, nd_error *error);

/* A document's fingerprint. */
typedef struct nd_fingerprinted {
    uint64_t document; /* number in the order of input */
    const char *id;    /* valid during the call */
    size_t id_length;
    nd_fingerprint fingerprint;
} nd_fingerprinted;

/* Called once a document, in the order of input, from one thread at a time. Return false to cancel.
 */
typedef bool nd_fingerprint_fn(void *context, const nd_fingerprinted *document);

/* The fingerprint of every document of a job's input, on several threads: nd_simhash_text with an
 * analyzer of the options' analyzer, ngram, seed, stem and dictionary. They go to `fn` (NULL: not
 * wanted) and to options.output (NULL: not wanted; "-": standard output), a table of id and
 * fingerprint without a header (doc/internals/formats.md). `simhash` NULL: the defaults. Of the
 * options also: the input, threads, memory, on_progress, on_warning, allocator. A text that
 * ND_WEIGHTING_LEVELS cannot read is a bad record. The summary has documents, input_bytes,
 * text_bytes, skipped, output_bytes and times. Bounded memory. On failure the outputs are as they
 * were before. */
ND_API ND_MUST_CHECK nd_status nd_fingerprints(const nd_job_options *options,
                                               const nd_simhash_options *simhash,
                                               nd_fingerprint_fn *fn, void *context,
                                               nd_job_summary *summary, nd_error *error);

typedef struct nd_idf_options {
    uint64_t least;         /* documents that a word which is written has: at least 1, default 1 */
    const char *stop_words; /* a list for nd_stop_words_read of those that more than stop_share of
                               all documents have; "-": standard output; NULL: not wanted */
    double stop_share;      /* (0, 1), default 0.1 */
} nd_idf_options;

ND_API void nd_idf_options_init(nd_idf_options *options);

/* Counts, for each word of options.analyzer (ND_WORDS or ND_SEGMENT), the documents of a job's
 * input that have it, exactly, and writes those of at least `least` documents to options.output
 * (not NULL; "-": standard output) as a table for nd_weights_read: term, df, and idf =
 * ln((documents + 1) / (df + 1)), those of most documents first (doc/internals/formats.md). `idf`
 * NULL: the defaults. Of the options also: the input, seed, stem, dictionary, threads, memory,
 * on_progress, on_warning, allocator. The summary has documents, input_bytes, text_bytes, skipped,
 * terms, terms_written, output_bytes and times. Memory: 32 to 70 bytes and its length for each
 * word, for every thread; ND_ERR_MEMORY where options.memory does not hold them. On failure the
 * outputs are as they were before. */
ND_API ND_MUST_CHECK nd_status nd_idf(const nd_job_options *options, const nd_idf_options *idf,
                                      nd_job_summary *summary, nd_error *error);

/* A document's keywords. */
typedef struct nd_keyworded {
    uint64_t document; /* number in the order of input */
    const char *id;    /* valid during the call, as all else */
    size_t id_length;
    const nd_keyword *keywords; /* heaviest first */
    size_t count;
} nd_keyworded;

/* Called once a document, in the order of input, from one thread at a time. Return false to cancel.
 */
typedef bool nd_keyworded_fn(void *context, const nd_keyworded *document);

/* The keywords of every document of a job's input, on several threads: nd_keywords_text with an
 * analyzer of the options' analyzer (not ND_CHARS), seed, stem and dictionary. They go to `fn`
 * (NULL: not wanted) and to options.output (NULL: not wanted; "-": standard output) as JSON Lines
 * (doc/internals/formats.md). `keywords` NULL: the defaults. With ND_WEIGHTING_COUNTED the input is
 * read twice: callbacks, pipes and standard input are ND_ERR_ARGUMENT then. Of the options also:
 * the input, threads, memory, on_progress, on_warning, allocator. The summary has documents,
 * input_bytes, text_bytes, skipped, output_bytes and times. Bounded memory. On failure the outputs
 * are as they were before. */
ND_API ND_MUST_CHECK nd_status nd_keywords(const nd_job_options *options,
                                           const nd_keywords_options *keywords, nd_keyworded_fn *fn,
                                           void *context, nd_job_summary *summary, nd_error *error);

/* ---- passages: who copies from whom
 *
 * For each document of some queries (papers) where it has the same words as which documents of a
 * source (what they may have been copied from). The passages of a query and a document of the
 * source are those that nd_compare finds in the two, with the query as a.
 *
 * The source may be an index of documents (below), so that what went into it is searched without
 * the texts: in one pass over its sets of shingles, of n tokens each (doc/internals/index.md). A
 * passage is then the longest run of at least least_run tokens of the query of which each shingle
 * stands in the document; that they stand there one after the other, and where, the index does not
 * tell. So each run of a passage of the texts lies in one of the index, and there may be more: a
 * run longer than the document's, tokens that two passages of a query have in common, and, since
 * sets have 40 bits of a shingle's hash, now and then a shingle by chance, once in 2^40 pairs of
 * unlike ones. With gap > 0 passages of a query with at most that many tokens between them are one.
 * A run of fewer than n tokens is in no shingle, so least_run < n is an error. */

typedef struct nd_passages_options {
    const char
        *source; /* an input as those of nd_job_options, or the directory of an index; not NULL */
    uint32_t least_run; /* tokens of a shared run, at least 1, default 8 */
    uint32_t gap; /* tokens between two runs of one passage, in either text, at most; default 0 */
    bool texts;   /* texts of passages are wanted, too */
} nd_passages_options;

ND_API void nd_passages_options_init(nd_passages_options *options);

/* A passage of a query and a document of the source. Pointers are valid during the call; texts,
 * UTF-8 as it was given, are NULL where they are not wanted. */
typedef struct nd_found_passage {
    uint64_t query; /* number in the order of input */
    const char *query_id;
    size_t query_id_length;
    const char *query_text; /* passage.a_end - passage.a_begin bytes */
    uint64_t source; /* number in the order of the source; of an index: among the documents that are
                        not removed, in the order of adding */
    const char *source_id;
    size_t source_id_length;
    const char *source_text; /* passage.b_end - passage.b_begin bytes */
    bool placed; /* false: of an index, which has no texts: passage.b_begin and b_end are 0 and
                    source_text NULL */
    nd_passage passage; /* a: the query, b: the document of the source */
} nd_found_passage;

/* Called once a passage, from one thread at a time. Return false to cancel. */
typedef bool nd_passages_fn(void *context, const nd_found_passage *found);

/* Tells all passages: by query in the order of input, then by the byte at which they begin in the
 * query, then in the order of the source. The queries are the input of `options`, and are kept in
 * memory: at most 76 bytes a token, and, with `texts`, 2 a byte, for which half of options.memory
 * must do; and so are 100 bytes a passage, for which a quarter must (ND_ERR_MEMORY says what to
 * do). The source is read once and may be of any size. Of the options also: analyzer, dictionary,
 * seed, threads, memory, work, on_progress, on_warning, allocator. The summary (NULL: not wanted)
 * has documents, input_bytes, text_bytes and skipped, of both; pairs (passages), work_bytes and
 * times. Time, expected, linear in the texts and in the tokens of the passages. ND_ERR_ARGUMENT:
 * out of range. Of an index the options' analyzer and seed must be those that it was made with;
 * ngram is its own. input_bytes has the bytes of its sets. The state is the one that was there at
 * the beginning. Time linear in the sets, and in the places that the shingles of each document have
 * in the queries. ND_ERR_ARGUMENT also: made with another analyzer or seed, with sketches only, or
 * of fingerprints; least_run below its ngram. ND_ERR_CORRUPT: damaged. */
ND_API ND_MUST_CHECK nd_status nd_passages(const nd_job_options *options,
                                           const nd_passages_options *passages, nd_passages_fn *fn,
                                           void *context, nd_job_summary *summary, nd_error *error);

/* ---- an index that grows
 *
 * A directory of documents that are pairwise no duplicates, each with what the next one needs to be
 * compared with it (doc/internals/index.md). One process writes at a time; any number read, each
 * the state that was there when it opened. What is acknowledged survives the death of the process
 * and of the machine. Files are the same on every machine.
 *
 * Adding document by document, in batches (nd_job_options.index) or all at once, in one order,
 * gives the same survivors. */
typedef struct nd_index nd_index;

/* What an index is made with, once and for all. */
typedef struct nd_index_options {
    nd_analyzer_kind analyzer;
    uint32_t ngram;   /* 1 to 64, default 5 */
    double threshold; /* (0, 1], default 0.8 */
    double recall;    /* (0, 1), default 0.999 */
    uint32_t perms;   /* 1 to 1024, default 128 */
    uint64_t seed;    /* default 1 */
    bool sketch_only; /* no shingle sets: half the bytes, and similarities are estimates */
} nd_index_options;

ND_API void nd_index_options_init(nd_index_options *options);

/* Makes an empty index in a directory of its own. The directory need not exist; if it does, it is
 * empty, or has only what a call that died has left there. ND_ERR_IO: anything else is in it; the
 * message names a stream or an index, or the first other entry, and nothing of it changes. After a
 * failure the directory is as it was, and does not exist if it did not. The same holds for
 * nd_hamming_create, nd_hamming_build, and nd_stream_open where it makes a stream. `options` NULL:
 * the defaults. */
ND_API ND_MUST_CHECK nd_status nd_index_create(const char *path, const nd_index_options *options,
                                               nd_error *error);

/* Files of an index are read through mapped memory. If another program cuts off or overwrites one
 * while it is open, or the disk fails under it, reading what is gone is no error that a call could
 * return: the system sends the process SIGBUS, which ends it (as with LMDB, and with SQLite where
 * it maps its files). No neardup does that: a file with its final name is never written again, and
 * one that is removed stays readable for those that have it open. So never truncate, edit or copy
 * over files of an index that is in use; to restore one from a copy, close it first, or restore it
 * in another directory. nd_index_check first reads every page by calls, not through the map, and
 * returns such damage as ND_ERR_CORRUPT or ND_ERR_IO. */
typedef enum nd_index_mode { ND_INDEX_READ = 0, ND_INDEX_WRITE } nd_index_mode;

/* Opens what is acknowledged. ND_ERR_BUSY: another writer has it. ND_ERR_IO: not there, or the
 * directory has a stream, which the message says. A writer removes what writers that died have
 * left, files that are known by their names or by what is in them; nothing else in the directory is
 * ever touched. ND_ERR_CORRUPT: damaged. ND_ERR_ARGUMENT: of a newer format or another Unicode
 * version. `allocator` NULL: malloc. */
ND_API ND_MUST_CHECK nd_status nd_index_open(const char *path, nd_index_mode mode,
                                             const nd_allocator *allocator, nd_index **out,
                                             nd_error *error);

/* Makes durable what is not, but with ND_SYNC_OFF (its failure is not told: call nd_index_sync
 * before), frees, and lets another process write. No searcher may be left. NULL is accepted.
 *
 * fork(): a handle that writes, of an index or a stream, belongs to the process that opened it. In
 * a child every call that changes or syncs is ND_ERR_ARGUMENT; searching goes on, in what was there
 * at the fork, and closing only frees memory and descriptors there. Fork while no other thread uses
 * the handle. When the parent closes its handle another process may write at once. When it dies
 * without that, all that it acknowledged is on disk as ever; but the lock stays with its children,
 * and opening for writing is ND_ERR_BUSY, until each has closed its copy of the handle, ended, or
 * started another program (exec). */
ND_API void nd_index_close(nd_index *index);

/* A reader goes on to the newest state. Not while others use the handle. */
ND_API ND_MUST_CHECK nd_status nd_index_refresh(nd_index *index, nd_error *error);

/* An index of fingerprints (below). */
typedef struct nd_hamming_options {
    uint32_t bits; /* of a fingerprint: 16, 32, 64 or 128, default 64 */
    uint32_t k; /* the largest distance for which the tables are made: 0 to bits / 4, default 3 */
    bool numbered; /* ids are numbers below 2^32 - 1, ascending in the order of adding: about a byte
                      each instead of some twenty */
    uint64_t memory; /* bytes that the tables of a search may take; 0: no bound */
} nd_hamming_options;

typedef struct nd_index_info {
    nd_index_options options;   /* of documents; all 0 in an index of fingerprints */
    nd_plan plan;               /* the same */
    nd_hamming_options hamming; /* of fingerprints; bits 0 in an index of documents */
    char design[40]; /* the tables of its largest segment, as nd_hamming_estimate.name; empty: none
                      */
    uint64_t table_bytes; /* of the tables of all segments: what a search looks at */
    uint64_t place_bytes; /* of what leads from a fingerprint to its documents */
    uint64_t documents;   /* that can be found */
    uint64_t removed;     /* that still take room */
    uint64_t segments, log_documents, generation;
    uint64_t bytes; /* of its files */
    uint32_t format;
} nd_index_info;

ND_API void nd_index_describe(nd_index *index, nd_index_info *out);

/* A document of the index that a text duplicates. */
typedef struct nd_match {
    const char *id;
    size_t id_length;
    double jaccard;
    bool estimated; /* sketch_only: the counts are 0 */
    uint64_t intersection, set_union;
} nd_match;

typedef enum nd_search_kind {
    ND_SEARCH_ALL = 0, /* every duplicate, most similar first, equal ones in the order in which they
                          were added */
    ND_SEARCH_BEST,    /* the first of these */
    ND_SEARCH_FIRST    /* the one that was added first: the evidence with which nd_index_add would
                          refuse */
} nd_search_kind;

/* One thread's means to search an index. Any number of searchers of one index at a time, while
 * another thread adds. */
typedef struct nd_searcher nd_searcher;
ND_API ND_MUST_CHECK nd_status nd_searcher_create(nd_index *index, nd_searcher **out,
                                                  nd_error *error);
ND_API void nd_searcher_free(nd_searcher *searcher);

/* The duplicates of a text. *matches is valid until the searcher is used again or freed.
 * max_compare as in nd_job_options, 1,000; nd_searcher_left_out tells how many comparisons it left
 * out in the last search. Time: a few microseconds and those of each comparison. */
ND_API ND_MUST_CHECK nd_status nd_search(nd_searcher *searcher, const char *text, size_t length,
                                         nd_search_kind kind, const nd_match **matches,
                                         size_t *count, nd_error *error);
ND_API uint64_t nd_searcher_left_out(const nd_searcher *searcher);

/* ND_SYNC_EACH until then, and for an unknown constant. */
ND_API void nd_index_set_sync(nd_index *index, nd_sync sync);

/* Adds a document, unless it duplicates one of the index: then *added is false and *evidence the
 * first such (valid until the searcher is used again). An id that the index has is ND_ERR_ARGUMENT,
 * or, with `replace`, that document is removed before. `searcher` belongs to the calling thread and
 * the index. `evidence` may be NULL. After ND_ERR_IO the document may be there or not, as after a
 * crash: the index takes no more changes then, or, where what it had before could not be moved to a
 * segment (a full disk), it has not been added. */
ND_API ND_MUST_CHECK nd_status nd_index_add(nd_index *index, nd_searcher *searcher, const char *id,
                                            size_t id_length, const char *text, size_t length,
                                            bool replace, bool *added, const nd_match **evidence,
                                            nd_error *error);

/* Removes a document. What it once kept out does not come back. *found: it was there. */
ND_API ND_MUST_CHECK nd_status nd_index_remove(nd_index *index, const char *id, size_t id_length,
                                               bool *found, nd_error *error);

/* Makes all changes durable. After a failure the handle takes no more of them: close it, and open
 * again what is on disk. */
ND_API ND_MUST_CHECK nd_status nd_index_sync(nd_index *index, nd_error *error);

/* One segment of all, without what was removed. Takes the time of writing them; searches go on
 * meanwhile, changes wait. */
ND_API ND_MUST_CHECK nd_status nd_index_compact(nd_index *index, nd_error *error);

/* Reads every byte and checks every invariant. ND_ERR_CORRUPT names what is wrong. */
ND_API ND_MUST_CHECK nd_status nd_index_check(nd_index *index, nd_error *error);

/* What was found for a document of a job. */
typedef struct nd_answer {
    uint64_t document; /* number in the order of input */
    const char *id;    /* valid during the call, as all else */
    size_t id_length;
    const nd_match *matches;
    size_t count;
    uint64_t left_out; /* comparisons, by max_compare */
} nd_answer;

/* Called once a document, in the order of input, from one thread at a time. Return false to cancel.
 */
typedef bool nd_answer_fn(void *context, const nd_answer *answer);

/* Searches the index for every document of a job's input, on several threads; nothing is changed.
 * Of the options: the input, max_compare, threads, on_progress, on_warning, allocator. The summary
 * has documents, input_bytes, text_bytes, skipped, pairs (matches), bounded_documents,
 * bounded_comparisons and times. */
ND_API ND_MUST_CHECK nd_status nd_query(nd_index *index, const nd_job_options *options,
                                        nd_search_kind kind, nd_answer_fn *fn, void *context,
                                        nd_job_summary *summary, nd_error *error);

/* ---- an index of fingerprints
 *
 * An nd_index that keeps fingerprints with their ids instead of documents, and finds all within k
 * of a query, exactly (the tables are chosen by nd_hamming_plan). nd_index_open, _close, _refresh,
 * _set_sync, _sync, _remove, _compact, _check and _describe are as above; what is said there about
 * processes and safety holds. */

ND_API void nd_hamming_options_init(nd_hamming_options *options);

/* Makes an empty one, in a directory as nd_index_create wants it. `options` NULL: the defaults. */
ND_API ND_MUST_CHECK nd_status nd_hamming_create(const char *path,
                                                 const nd_hamming_options *options,
                                                 nd_error *error);

/* Adds one. An id that the index has is ND_ERR_ARGUMENT, or, with `replace`, what has it is removed
 * before. Where ids are numbers, `id` NULL takes the next: one more than the highest that is there;
 * one that is given must be higher (and cannot replace). After ND_ERR_IO as with nd_index_add.
 * Mostly some microseconds; the log becomes a segment after each 16,384, and segments are merged.
 */
ND_API ND_MUST_CHECK nd_status nd_hamming_add(nd_index *index, const char *id, size_t id_length,
                                              nd_fingerprint fingerprint, bool replace,
                                              nd_error *error);

/* Where many fingerprints come from: a file, a callback or an array. */
typedef enum nd_fingerprint_file {
    ND_FINGERPRINTS_HEX =
        0,               /* what nd_fingerprints writes: id, a tab, bits / 4 digits, a newline */
    ND_FINGERPRINTS_U64, /* 8 bytes each, little-endian, for 16 to 64 bits; the id is the position,
                            from 0 */
    ND_FINGERPRINTS_U128 /* 16 bytes each, the same for 128 bits */
} nd_fingerprint_file;

/* Fills *out (id NULL: its position) and returns 1; 0 at the end; -1 to cancel. What it points to
 * stays valid until the next call. */
typedef int nd_fingerprint_source_fn(void *context, nd_fingerprinted *out);

typedef struct nd_fingerprint_source {
    const char *path; /* "-": standard input; gzip and Zstandard are known by their first bytes.
                         ND_ERR_INPUT names line or byte. A file of numbers, not compressed, is read
                         twice for an index, instead of kept */
    nd_fingerprint_file format;
    nd_fingerprint_source_fn *next; /* instead of path */
    void *context;
    /* Instead of path, `count` fingerprints of one word each, or, of 128 bits, of two, the low one
     * first; the id is the position, from 0. Read twice for an index, as a file of numbers is. */
    const uint64_t *words;
    uint64_t count;
} nd_fingerprint_source;

/* Adds all of a source, or, on failure, nothing; until it returns, changes by other threads wait,
 * and a callback of it that changes the index gets ND_ERR_BUSY, and so may one that syncs it; more
 * than a thousand become a segment of their own. An id twice in the source, or one that the index
 * has (without options.replace), is ND_ERR_ARGUMENT. Positions as ids go on behind the highest
 * number of the index, whose ids must be numbers. Of the options (NULL: the defaults): replace,
 * memory, work, on_progress, on_warning, allocator. The summary (NULL: not wanted) has documents,
 * work_bytes and times. */
ND_API ND_MUST_CHECK nd_status nd_hamming_load(nd_index *index, const nd_fingerprint_source *source,
                                               const nd_job_options *options,
                                               nd_job_summary *summary, nd_error *error);

/* Makes an index of a source: all at once, or none. As nd_hamming_create and nd_hamming_load. */
ND_API ND_MUST_CHECK nd_status nd_hamming_build(const char *path, const nd_hamming_options *hamming,
                                                const nd_fingerprint_source *source,
                                                const nd_job_options *options,
                                                nd_job_summary *summary, nd_error *error);

/* A fingerprint within k. */
typedef struct nd_hamming_match {
    const char *id;
    size_t id_length;
    uint32_t number; /* the id, where ids are numbers; else 0 */
    nd_fingerprint fingerprint;
    uint32_t distance;
} nd_hamming_match;

typedef enum nd_find_kind {
    ND_FIND_ALL =
        0, /* all, the nearest first, equally near ones in the order in which they were added */
    ND_FIND_ANY, /* the first `limit` that are met, in the same order among themselves: nothing is
                    looked at after them */
    ND_FIND_NEAREST, /* the first `limit` of all */
    ND_FIND_COUNT    /* none, but how many there are: equal fingerprints are counted at once, where
                        none of them is removed */
} nd_find_kind;

/* One thread's means to search an index of fingerprints. Any number of finders of one index at a
 * time, while another thread adds. */
typedef struct nd_finder nd_finder;
ND_API ND_MUST_CHECK nd_status nd_finder_create(nd_index *index, nd_finder **out, nd_error *error);
/* NULL is accepted. */
ND_API void nd_finder_free(nd_finder *finder);

/* What is within k of a query, 0 to bits / 4 (else ND_ERR_ARGUMENT). Up to the index's own k by its
 * tables; above it by comparing the query with all fingerprints, one or two nanoseconds each, where
 * tables take some microseconds in all. limit: at least 1; ND_FIND_ALL and ND_FIND_COUNT do not
 * look at it. *matches is valid until the finder is used again or freed; ND_FIND_COUNT: NULL. */
ND_API ND_MUST_CHECK nd_status nd_find(nd_finder *finder, nd_fingerprint query, uint32_t k,
                                       nd_find_kind kind, uint64_t limit,
                                       const nd_hamming_match **matches, uint64_t *count,
                                       nd_error *error);

/* What was found for a query of a source. */
typedef struct nd_hamming_answer {
    uint64_t query; /* its position, from 0 */
    const char *id; /* its id, which is the position where it has none; valid during the call, as
                       all else */
    size_t id_length;
    nd_fingerprint fingerprint;
    const nd_hamming_match *matches; /* as nd_find gives them */
    uint64_t count;
} nd_hamming_answer;

/* Called once a query, in the order of the source, from one thread at a time. Return false to
 * cancel. */
typedef bool nd_hamming_answer_fn(void *context, const nd_hamming_answer *answer);

/* Searches for every fingerprint of a source, on several threads; nothing is changed. k as with
 * nd_find: above the index's own every query is compared with all, some hundred queries at a time,
 * which costs less for each. Of the options (NULL: the defaults): threads, memory (for the input's
 * decoder), on_progress, allocator. The summary (NULL: not wanted) has documents (queries), pairs
 * (matches) and times. */
ND_API ND_MUST_CHECK nd_status nd_hamming_query(nd_index *index,
                                                const nd_fingerprint_source *source, uint32_t k,
                                                nd_find_kind kind, uint64_t limit,
                                                const nd_job_options *options,
                                                nd_hamming_answer_fn *fn, void *context,
                                                nd_job_summary *summary, nd_error *error);

/* A set of fingerprints for a join: one of the two. */
typedef struct nd_hamming_side {
    nd_index *index;
    const nd_fingerprint_source *source; /* ids may come more than once */
} nd_hamming_side;

/* Two fingerprints within k. */
typedef struct nd_join_pair {
    const char *id_a, *id_b; /* valid during the call */
    size_t id_a_length, id_b_length;
    uint32_t number_a, number_b; /* the ids, where they are numbers; else places in the sets */
    uint32_t distance;
} nd_join_pair;

/* Called once a pair, from one thread at a time. Return false to cancel. */
typedef bool nd_join_pair_fn(void *context, const nd_join_pair *pair);

typedef struct nd_join_options {
    uint32_t bits; /* 16, 32, 64 or 128, default 64; that of an index among the sides */
    uint32_t k;    /* 0 to bits / 4, default 3; not bound by that of an index */
    /* of one set: instead of all pairs, for each connected component of their graph its first
     * member with each other one, ascending; distances are 0. Where many are near each other there
     * are far fewer of these */
    bool groups;
    uint64_t memory;  /* bytes, default 1 GiB: bound of the memory, within some MB a thread; what is
                         more goes to `work` */
    uint32_t threads; /* 0: all cores */
    const char *work; /* directory; NULL: the system's temporary one */
    nd_progress_fn *on_progress;
    void *notice_context;
    const nd_allocator *allocator;
} nd_join_options;

ND_API void nd_join_options_init(nd_join_options *options);

/* All pairs within k in a set (`b` NULL: each once, a before b in the set's order) or between two,
 * exactly: by sorting and scanning, not by a lookup for each fingerprint. The pairs, and their
 * order, depend on the sets and the options' k and groups alone. Equal fingerprints are pairs,
 * too: n of them are n (n - 1) / 2. Of an index the join takes the state that is there when it
 * begins, so callbacks, and other threads, may change the index meanwhile. The summary (NULL: not
 * wanted) has documents, pairs, work_bytes and times. */
ND_API ND_MUST_CHECK nd_status nd_join(const nd_hamming_side *a, const nd_hamming_side *b,
                                       const nd_join_options *options, nd_join_pair_fn *fn,
                                       void *context, nd_job_summary *summary, nd_error *error);

/* ---- a stream that is clustered as it arrives
 *
 * Leader-follower clustering (Hartigan 1975): each document goes to the nearest cluster within
 * reach, or founds one, whose name is then its id. The state is a directory; what has been answered
 * and synced survives the death of the process and of the machine, and a stream that is taken up
 * goes on as if nothing had been. One process writes at a time, any number read. */
typedef struct nd_stream nd_stream;

/* ND_STREAM_LEADER: a cluster stays where its first document is. ND_STREAM_FOLLOW, with
 * ND_SKETCH_SIMHASH: of each bit its centre has what most of its documents have, and where as many
 * have the one as the other what it had. (Sums of 16 bits: once 32,767 more have the one all are
 * halved.) */
typedef enum nd_stream_mode { ND_STREAM_LEADER = 0, ND_STREAM_FOLLOW } nd_stream_mode;

typedef struct nd_stream_options {
    nd_sketch sketch; /* default ND_SKETCH_MINHASH: a document joins what nd_index_add would name as
                         its evidence, by the Jaccard similarity of the texts. ND_SKETCH_SIMHASH:
                         the nearest centre within k, of equally near ones the oldest */
    nd_stream_mode mode;
    nd_analyzer_kind
        analyzer;   /* of the words of topics, too, which are those of ND_WORDS with ND_CHARS */
    uint32_t ngram; /* 0, the default: 5, and with ND_SKETCH_SIMHASH 1 */
    uint64_t seed;
    const char *stem; /* as in nd_analyzer_options; ND_SKETCH_SIMHASH */
    const nd_dictionary
        *dictionary;          /* as in nd_analyzer_options; used as long as the stream is open */
    double threshold, recall; /* and perms: ND_SKETCH_MINHASH, as in nd_index_options */
    uint32_t perms;
    uint32_t k; /* ND_SKETCH_SIMHASH: 0 to bits / 4, default 3 */
    nd_simhash_options
        simhash; /* ND_SKETCH_SIMHASH: default 64 bits, ND_WEIGHTING_TF; not ND_WEIGHTING_COUNTED or
                    ND_WEIGHTING_LEVELS. Stop words are no topics, either. Table and stop words are
                    used as long as the stream is open */
    double expire; /* a cluster that has not grown for so many seconds, by the documents' times, is
                      forgotten; 0, the default: never */
} nd_stream_options;

ND_API void nd_stream_options_init(nd_stream_options *options);

/* Opens the stream of a directory; for writing one that is not there is made, with `options` (NULL:
 * the defaults), in a directory as nd_index_create wants it. Of one that is there they must be the
 * same (ND_ERR_ARGUMENT names what is not; NULL: whatever they are, but to write to one with a
 * dictionary, stop words or a table of weights these must be given). So must, to write, be what
 * these hold, and with ND_SEGMENT the version of ICU; libstemmer does not tell its own.
 * ND_ERR_BUSY: another process writes. ND_ERR_CORRUPT: damaged. A reader sees what was written when
 * it opened, and cannot add. `allocator` NULL: malloc. */
ND_API ND_MUST_CHECK nd_status nd_stream_open(const char *path, nd_index_mode mode,
                                              const nd_stream_options *options,
                                              const nd_allocator *allocator, nd_stream **out,
                                              nd_error *error);
/* The options with which the stream of a directory was made, without dictionary, stop words and
 * table of weights, whose hashes alone it keeps; *found false, and the defaults: there is none. For
 * who wants to take it up with what he does not know better. ND_ERR_CORRUPT: damaged. Reads the
 * state's settings alone. */
ND_API ND_MUST_CHECK nd_status nd_stream_read_options(const char *path, bool *found,
                                                      nd_stream_options *out, nd_error *error);
/* Syncs, and frees; a failure is not told: call nd_stream_sync before. NULL is accepted. In a child
 * made by fork as nd_index_close. */
ND_API void nd_stream_close(nd_stream *stream);

/* A term that a cluster's documents have and others have not: how often they have it at least (kept
 * in ND_STREAM_TOPICS counters a cluster by Space-Saving, Metwally et al. 2005, less what these may
 * be too great by), times ln((documents + 1) / (those that have it + 1)) of the stream so far
 * (counted in 32 MiB, Cormode and Muthukrishnan 2005). Of each document its ten heaviest words are
 * offered. */
#define ND_STREAM_TOPICS 10
typedef struct nd_stream_topic {
    const char *term; /* UTF-8, folded */
    size_t length;
    double weight;
} nd_stream_topic;

/* From now on answers tell so many topics of the cluster, at most ND_STREAM_TOPICS (more count as
 * that); 0, as a stream is opened: none. What clusters keep does not depend on it. */
ND_API void nd_stream_set_topics(nd_stream *stream, uint32_t topics);

/* Where a document went. Pointers are valid until the stream is used again. */
typedef struct nd_stream_answer {
    const char *id;
    size_t id_length;
    const char *cluster; /* the id of the cluster's first document */
    size_t cluster_length;
    bool is_new; /* it founded the cluster */
    bool again;  /* one of the last 1,024 documents had this id: this is its answer, and nothing has
                    changed. So what was sent and not answered can be sent again */
    double similarity; /* ND_SKETCH_MINHASH: with the cluster's first document; 1 when new, or when
                          the id is that of this document, however long ago it was */
    uint32_t distance; /* ND_SKETCH_SIMHASH: to the centre as it was before; 0 when new */
    const nd_stream_topic
        *topics; /* of the cluster as it is now, the document in it: what nd_stream_clusters would
                    tell. None of one that has been forgotten since (again) */
    size_t topic_count;
    bool last; /* of nd_stream_run: more may have to be waited for */
} nd_stream_answer;

/* A document. time: in seconds, finite; NaN: it has none. `answer` may be NULL. Durable with
 * nd_stream_sync. ND_ERR_INPUT: not UTF-8; nothing has changed, nor after ND_ERR_ARGUMENT. After
 * any other failure the stream takes no more: close it, and open it again. */
ND_API ND_MUST_CHECK nd_status nd_stream_add(nd_stream *stream, const char *id, size_t id_length,
                                             const char *text, size_t length, double time,
                                             nd_stream_answer *answer, nd_error *error);
ND_API ND_MUST_CHECK nd_status nd_stream_sync(nd_stream *stream, nd_error *error);

/* Called once a document, in the order of input, from one thread at a time, when it is durable;
 * while the next are being added, so that the stream must not be used in it, and on_progress and
 * on_warning may be called at the same time. All pointers are valid during the call. Return false
 * to cancel. */
typedef bool nd_stream_answer_fn(void *context, const nd_stream_answer *answer);

/* Adds the documents of a job's input, analyzed on several threads; what has come is answered
 * before more is waited for. Of the options: the input, time_field, threads, memory, on_progress,
 * on_warning, allocator; priorities of a callback's records are the times. The summary has
 * documents, input_bytes, text_bytes, skipped and times. */
ND_API ND_MUST_CHECK nd_status nd_stream_run(nd_stream *stream, const nd_job_options *options,
                                             nd_stream_answer_fn *fn, void *context,
                                             nd_job_summary *summary, nd_error *error);

typedef struct nd_stream_info {
    nd_stream_options options;
    uint64_t documents; /* that have arrived */
    uint64_t clusters;  /* not forgotten */
    double clock;       /* the latest time of a document; NaN: none had one */
    uint64_t
        bytes; /* of its files, without those of the index that ND_SKETCH_MINHASH keeps in it */
    /* Bytes of memory of the clusters; and of the index in which the nearest centre is found, 0
     * with ND_SKETCH_MINHASH, where it is on disk. Words are counted and named beside that, in 32
     * MiB and what the names take of the topics that clusters have. */
    uint64_t cluster_memory, centre_memory;
} nd_stream_info;
ND_API void nd_stream_describe(const nd_stream *stream, nd_stream_info *out);

typedef struct nd_stream_member {
    const char *id;
    size_t length;
} nd_stream_member;

typedef struct nd_stream_cluster {
    const char *cluster; /* the id of its first document */
    size_t cluster_length;
    const char *central; /* id of the one that was nearest to the centre when it came; the first,
                            where that stays */
    size_t central_length;
    uint64_t size;
    uint64_t founded, grown; /* numbers of its first and its last document in the stream, from 1 */
    double founded_time, grown_time; /* the stream's clock then; NaN: no document had a time */
    nd_fingerprint centre;           /* ND_SKETCH_SIMHASH */
    const nd_stream_topic *topics;   /* heaviest first, equal ones in the order of their bytes */
    size_t topic_count;
    const nd_stream_member *members; /* in the order of arrival; NULL: not wanted */
} nd_stream_cluster;

/* Called once a cluster; all pointers are valid during the call. Return false to cancel. */
typedef bool nd_stream_cluster_fn(void *context, const nd_stream_cluster *cluster);

/* The clusters of at least `least` documents, the largest first, equally large ones in the order of
 * founding, each with its `topics` heaviest topics (at most ND_STREAM_TOPICS). `members`: all their
 * documents too, for 40 bytes of memory each and their ids. */
ND_API ND_MUST_CHECK nd_status nd_stream_clusters(nd_stream *stream, uint64_t least,
                                                  uint32_t topics, bool members,
                                                  nd_stream_cluster_fn *fn, void *context,
                                                  nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
