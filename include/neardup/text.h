/* Text to tokens, shingles and sentences. */
#ifndef NEARDUP_TEXT_H
#define NEARDUP_TEXT_H

#include "neardup/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a text becomes tokens. Every analyzer first normalises the text (NFC) and folds its case
 * (Unicode full case folding).
 *
 * ND_WORDS    A token is a maximal run of word characters (UTS #18 \w: Alphabetic, M, Nd,
 *             Join_Control, Pc). In scripts written without spaces (Han, Hiragana, Katakana, Thai,
 *             Lao, Khmer, Myanmar) each character is a token, together with the marks and join
 *             controls behind it. A mark or join control that follows no other word character
 *             belongs to no token, so emoji sequences have no tokens.
 * ND_CHARS    A token is one code point. A run of white space and punctuation counts as one space,
 *             and is dropped at both ends of the text.
 * ND_SEGMENT  As ND_WORDS, but adjacent tokens of scripts written without spaces, with the letters
 *             and digits that touch them, are joined to words. A dictionary decides first: it takes
 *             the most probable path through the graph of its words; of equally probable paths, the
 *             one whose first word is longest. ICU (UAX #29, word boundaries) cuts the characters
 *             that no word of the dictionary covers; without ICU (nd_features) each of them stays a
 *             token. A run of more than 4,096 tokens is cut there. The result depends on the
 *             dictionary and on ICU's version. So an index rejects ND_SEGMENT, and a stream rejects
 *             another dictionary or ICU version than it was made with. */
typedef enum nd_analyzer_kind { ND_WORDS = 0, ND_CHARS = 1, ND_SEGMENT = 2 } nd_analyzer_kind;

/* A dictionary of words in scripts written without spaces, for ND_SEGMENT. Immutable: thread-safe.
 */
typedef struct nd_dictionary nd_dictionary;

/* Reads a dictionary from the file `path` ("-": standard input), one word per line
 * (doc/internals/formats.md, "Weight tables"). A line is a word, a frequency (0 to 4294967295; 1 if
 * there is none; 0: no word) and an unused tag, separated by blanks or tabs, as in jieba's
 * dictionaries. Blank lines and lines that begin with '#' are skipped. The library recognises gzip
 * and Zstandard by their first bytes. In this and in other lists and tables a line has at most 1
 * MiB, and a Zstandard window at most 8 MiB. A word has 1 to 64 tokens of ND_WORDS with nothing
 * between them. Case does not matter. The frequencies of a repeated word are added. A word without
 * characters of these scripts ("C++") is left out, since no text looks it up.
 *
 * ND_ERR_INPUT: a malformed line, a frequency out of range, a word with other characters than
 * letters and digits, with the file, the line and the expected form; or the file has no word at
 * all. ND_ERR_IO: the file cannot be read. ND_ERR_UNSUPPORTED: it is compressed, and this build
 * lacks the library. `allocator` NULL: malloc. The caller frees *out. Time O(size); at most 43
 * bytes of memory for each distinct beginning of a word, and half as much again while it grows. */
ND_API ND_MUST_CHECK nd_status nd_dictionary_read(const char *path, const nd_allocator *allocator,
                                                  nd_dictionary **out, nd_error *error);
/* REQUIRES: no analyzer, job or stream uses it any more. NULL is accepted. */
ND_API void nd_dictionary_free(nd_dictionary *dictionary);

typedef struct nd_analyzer_options {
    size_t struct_size;
    nd_analyzer_kind kind; /* default ND_WORDS */
    uint32_t ngram;        /* tokens per shingle, 1 to 64, default 5 */
    /* Key of the hashes of tokens and shingles: any value, default 1. With a secret seed nobody can
     * make texts whose hashes collide on purpose. */
    uint64_t seed;
    /* A language that Snowball knows, such as "english": each token becomes its stem. ND_WORDS
     * only. NULL, the default: no stems. */
    const char *stem;
    /* ND_SEGMENT only. It must stay valid as long as the analyzer. NULL, the default: none. */
    const nd_dictionary *dictionary;
} nd_analyzer_options;

ND_API void nd_analyzer_options_init(nd_analyzer_options *options, size_t struct_size);

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

/* The tables of an analyzer and its scratch memory for one text. Thread-compatible. */
typedef struct nd_analyzer nd_analyzer;

/* Makes an analyzer; the caller frees *out. `options` NULL: the defaults. `allocator` NULL: malloc.
 * ND_ERR_ARGUMENT: an option is out of range; for an unknown language the message lists the known
 * ones. ND_ERR_UNSUPPORTED: no libstemmer for stems, or no ICU for ND_SEGMENT without a dictionary
 * (nd_features). Stems may change with the version of libstemmer. A word of more than 255 bytes is
 * its own stem. */
ND_API ND_MUST_CHECK nd_status nd_analyzer_create(const nd_analyzer_options *options,
                                                  const nd_allocator *allocator, nd_analyzer **out,
                                                  nd_error *error);
ND_API void nd_analyzer_free(nd_analyzer *analyzer);

/* The shingles of one text. If the text has fewer than ngram tokens, all of them are one shingle.
 * If it has none (empty, or only punctuation or emoji), its NFC characters are one shingle, so that
 * only a text with the same characters is equal. */
typedef struct nd_shingles {
    /* A 64-bit hash per shingle, in the order of the text, with repeats. Valid until the next call
     * with the analyzer; the caller may reorder and overwrite them. */
    uint64_t *hashes;
    size_t count;  /* number of hashes, at least 1 */
    size_t tokens; /* number of tokens of the text, 0 or more */
    /* 128-bit hash of the token sequence. Texts that differ only in case, punctuation and spacing
     * have equal ones. */
    uint64_t text_hash[2];
} nd_shingles;

/* Cuts a text of `length` bytes into shingles. ND_ERR_INPUT: the text is not UTF-8; the message has
 * the byte offset. Time O(length); memory, kept for the next text, O(tokens). */
ND_API ND_MUST_CHECK nd_status nd_analyze(nd_analyzer *analyzer, const char *text, size_t length,
                                          nd_shingles *out, nd_error *error);

/* A token. `text` is its folded UTF-8, `length` bytes without a terminator, valid during the call.
 * Bytes [begin, end) of the analyzed text are its source, always whole characters: analyzed alone
 * they give this token (ND_SEGMENT: or the tokens that it was joined of). Offsets ascend. They
 * overlap in two cases only. A character may fold to several tokens (ND_CHARS: "\u00df" to "s" and
 * "s"). And NFC composes a base character with the combining characters behind it: each token made
 * of any of them has the bytes of all of them. With words, the second case joins only tokens that
 * no language writes side by side. The space of ND_CHARS has the bytes of its run of white space
 * and punctuation; that run alone has no token, because it is dropped. */
typedef struct nd_token {
    const char *text;
    size_t length;
    size_t begin, end;
} nd_token;

/* Called with each token. Return false to stop. */
typedef bool nd_token_fn(void *context, const nd_token *token);

/* Calls `fn` with each token that nd_analyze hashes, in order; `context` is passed on. nd_analyze
 * is faster: use this to show tokens. Errors: as nd_analyze, and ND_ERR_CANCELLED if `fn` returned
 * false. O(length). */
ND_API ND_MUST_CHECK nd_status nd_tokenize(nd_analyzer *analyzer, const char *text, size_t length,
                                           nd_token_fn *fn, void *context, nd_error *error);

/* Returns the offset of the first byte that is not part of valid UTF-8 (RFC 3629: no surrogates, no
 * overlong forms, at most U+10FFFF), or `length` if all is valid. O(length). */
ND_API size_t nd_utf8_valid_prefix(const char *text, size_t length);

/* Called with each sentence, bytes [begin, end) of the text. Return false to stop. */
typedef bool nd_sentence_fn(void *context, size_t begin, size_t end);

/* Cuts a text of `length` bytes into sentences, in order, by the default rules of UAX #29
 * (Unicode 15.0.0): at the marks that end a sentence in any script, at line breaks and at paragraph
 * separators. Every byte is in one sentence: closing marks, spaces and the line break belong to the
 * sentence before them. An empty text has no sentence. These rules have limits: a full stop before
 * a lower-case letter never ends a sentence, and a full stop before a capital ends one even in "Mr.
 * Brown". They know no sentence marks of Thai, Lao, Khmer and Tibetan, so in these scripts mostly
 * line breaks end sentences.
 *
 * Time O(length), no memory. ND_ERR_INPUT: the text is not UTF-8; the message has the byte offset;
 * `fn` was called with the sentences before it. ND_ERR_CANCELLED: `fn` returned false. */
ND_API ND_MUST_CHECK nd_status nd_sentences(const char *text, size_t length, nd_sentence_fn *fn,
                                            void *context, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
