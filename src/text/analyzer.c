/* From a text to its shingles.
 *
 * ND_WORDS: two tokenizers take turns. The words kernel runs until it meets a character that it
 * does not handle (kernel/script_pages.h). The scalar tokenizer continues at the word or character
 * before that one, and hands back where a run of characters begins that the kernel handles. Both
 * read the word at the seam. Only the scalar tokenizer reports bytes that are not UTF-8.
 *
 * ND_CHARS: the scalar tokenizer alone.
 *
 * ND_SEGMENT: as ND_WORDS if no script of the text needs segmentation; otherwise the scalar
 * tokenizer, and the segmenter behind it. */
#include "text/analyzer.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/status.h"
#include "kernel/kernel.h"
#include "unicode/scalar_tokenizer.h"
#include "text/segmenter.h"
#include "text/shingle.h"
#include "text/stemmer.h"
#include "unicode/token_sink.h"

#include <string.h>

#define MAX_NGRAM 64

/* Hashes that the kernel needs room for, and the most that are reserved ahead of it. */
#define KERNEL_ROOM 64
#define AHEAD ((size_t)1 << 20)

/* An array of more hashes than this (4 MiB) is freed when the next text has fewer bytes. */
#define SCRATCH_KEEP ((size_t)1 << 19)

struct nd_analyzer {
    nd_allocator allocator;
    nd_analyzer_options options;
    const nd_kernel *kernel;
    nd_token_sink sink;
    nd_stemmer *stemmer;     /* NULL: no stems */
    nd_segmenter *segmenter; /* NULL unless ND_SEGMENT */
    uint64_t powers[MAX_NGRAM];
    nd_analyzer_outputs outputs;
    nd_token_letters letters; /* of the words in the sink, for nd_analyzer_list_words */
    size_t letter_room, end_room;
};

static const nd_analyzer_options defaults = {
    .struct_size = sizeof defaults, .kind = ND_WORDS, .ngram = 5, .seed = 1};

void nd_analyzer_options_init(nd_analyzer_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_analyzer_options_read(const nd_analyzer_options *given, nd_analyzer_options *out,
                                   nd_error *error) {
    *out = defaults;
    return ND_READ_OPTIONS(given, out, "nd_analyzer_options", error);
}

const char *nd_analyzer_name(nd_analyzer_kind kind) {
    static const char *const names[] = {
        [ND_WORDS] = "words", [ND_CHARS] = "chars", [ND_SEGMENT] = "segment"};
    return names[kind];
}

nd_status nd_analyzer_options_check_transient(const nd_analyzer_options *options, nd_error *error) {
    ND_CHECK_ENUM(options->kind, "kind", ND_WORDS, ND_SEGMENT, error);
    if (options->ngram < 1 || options->ngram > MAX_NGRAM)
        return nd_fail(error, ND_ERR_ARGUMENT, "ngram must be 1 to %d, not %u", MAX_NGRAM,
                       options->ngram);
    if (options->stem && options->kind != ND_WORDS)
        return nd_fail(error, ND_ERR_ARGUMENT, "stem is of words: kind must be ND_WORDS (0)");
    if (options->dictionary && options->kind != ND_SEGMENT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "a dictionary is for segments: kind must be ND_SEGMENT (2)");
    const char *language;
    return options->stem ? nd_stem_language(options->stem, &language, error) : ND_OK;
}

nd_status nd_analyzer_options_check_stored(const nd_analyzer_options *options, nd_error *error) {
    if (options->kind == ND_SEGMENT)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "the analyzer segment depends on ICU's version and on the dictionary, so nothing is "
            "stored that it has made: kind must be ND_WORDS (0) or ND_CHARS (1)");
    return nd_analyzer_options_check_transient(options, error);
}

nd_status nd_analyzer_options_check_single_words(const nd_analyzer_options *options,
                                                 const char *what, nd_error *error) {
    if (options->kind != ND_CHARS && options->ngram == 1) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s are single words: they need the analyzer words or segment with ngram 1, not "
                   "%s with ngram %u",
                   what, nd_analyzer_name(options->kind), options->ngram);
}

nd_status nd_analyzer_create_for(nd_analyzer_outputs outputs, const nd_analyzer_options *options,
                                 const nd_allocator *allocator, nd_analyzer **out,
                                 nd_error *error) {
    nd_analyzer_options checked = *options;
    ND_TRY(nd_analyzer_options_check_transient(&checked, error));
    if (checked.stem) ND_TRY(nd_stem_language(checked.stem, &checked.stem, error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_analyzer *analyzer = nd_allocate_zero(&memory, 1, sizeof *analyzer);
    if (!analyzer) return nd_fail_memory(error, sizeof *analyzer, "an analyzer");
    analyzer->allocator = memory;
    analyzer->options = checked;
    analyzer->outputs = outputs;
    analyzer->kernel = nd_kernel_get();
    analyzer->sink.allocator = memory;
    analyzer->sink.key = nd_hash_key_of(checked.seed);
    nd_shingle_powers(analyzer->powers, checked.ngram);
    nd_status status = checked.stem
                           ? nd_stemmer_create(checked.stem, &memory, &analyzer->stemmer, error)
                           : ND_OK;
    if (status == ND_OK && checked.kind == ND_SEGMENT)
        status = nd_segmenter_create(checked.dictionary, &memory, &analyzer->segmenter, error);
    if (status != ND_OK) {
        nd_analyzer_free(analyzer);
        return status;
    }
    *out = analyzer;
    return ND_OK;
}

nd_status nd_analyzer_create(const nd_analyzer_options *options, const nd_allocator *allocator,
                             nd_analyzer **out, nd_error *error) {
    nd_analyzer_options read;
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_analyzer_options_read(options, &read, error));
    return nd_analyzer_create_for(ND_SHINGLES_AND_TEXT_HASH, &read, allocator, out, error);
}

const nd_allocator *nd_analyzer_allocator(const nd_analyzer *analyzer) {
    return &analyzer->allocator;
}

static void release_letters(nd_analyzer *analyzer) {
    nd_release(&analyzer->allocator, analyzer->letters.bytes);
    nd_release(&analyzer->allocator, analyzer->letters.ends);
    analyzer->letters = (nd_token_letters){.size = 0};
    analyzer->letter_room = analyzer->end_room = 0;
}

void nd_analyzer_free(nd_analyzer *analyzer) {
    if (!analyzer) return;
    nd_allocator allocator = analyzer->allocator;
    nd_release(&allocator, analyzer->sink.hashes);
    release_letters(analyzer);
    nd_stemmer_free(analyzer->stemmer);
    nd_segmenter_free(analyzer->segmenter);
    nd_release(&allocator, analyzer);
}

const nd_analyzer_options *nd_analyzer_options_of(const nd_analyzer *analyzer) {
    return &analyzer->options;
}

/* Reserves room for the kernel: for as many tokens as `bytes` of English text are likely to have,
 * within bounds. */
static nd_status make_room(nd_token_sink *sink, size_t bytes, nd_error *error) {
    size_t need = sink->count + KERNEL_ROOM + (bytes / 6 < AHEAD ? bytes / 6 : AHEAD);
    if (!nd_reserve(&sink->allocator, &sink->hashes, &sink->capacity, need))
        return nd_fail_memory(error, need * sizeof(uint64_t), "token hashes");
    return ND_OK;
}

static nd_status scan_words(nd_analyzer *analyzer, const char *text, size_t length,
                            nd_error *error) {
    nd_token_sink *sink = &analyzer->sink;
    size_t at = 0;
    while (at < length) {
        if (sink->capacity - sink->count < KERNEL_ROOM) ND_TRY(make_room(sink, length - at, error));
        size_t done;
        uint64_t *tokens = sink->hashes + sink->count;
        sink->count += analyzer->kernel->words(text + at, length - at, &sink->key, tokens,
                                               sink->capacity - sink->count, NULL, &done);
        at += done;
        if (at == length || sink->capacity - sink->count < KERNEL_ROOM) continue;
        ND_TRY(nd_scan_words(sink, text, length, at, true, &at, error));
    }
    return ND_OK;
}

static bool needs_segmenter(const nd_analyzer *analyzer, const char *text, size_t length) {
    return analyzer->segmenter && nd_has_unspaced(text, length);
}

static nd_status scan(nd_analyzer *analyzer, const char *text, size_t length, nd_error *error) {
    if (analyzer->options.kind == ND_CHARS)
        return nd_scan_chars(&analyzer->sink, text, length, error);
    if (needs_segmenter(analyzer, text, length))
        return nd_segmenter_scan(analyzer->segmenter, &analyzer->sink, text, length, error);
    return scan_words(analyzer, text, length, error);
}

/* Empties the sink, and gives it room for the kernel. */
static nd_status prepare(nd_analyzer *analyzer, size_t length, nd_error *error) {
    nd_token_sink *sink = &analyzer->sink;
    sink->count = analyzer->letters.size = 0;
    if ((sink->capacity > SCRATCH_KEEP || analyzer->letter_room > 8 * SCRATCH_KEEP) &&
        length < SCRATCH_KEEP) {
        nd_release(&sink->allocator, sink->hashes);
        sink->hashes = NULL;
        sink->capacity = 0;
        release_letters(analyzer);
    }
    return sink->capacity < KERNEL_ROOM ? make_room(sink, length, error) : ND_OK;
}

/* Turns the sink's hashes of words into the shingles of their text. */
static nd_status make_shingles(nd_analyzer *analyzer, const char *text, size_t length,
                               nd_shingles *out, nd_error *error) {
    nd_token_sink *sink = &analyzer->sink;
    nd_shingles result = {.tokens = sink->count, .count = 1};
    if (sink->count == 0) {
        ND_TRY(nd_hash_bare_text(sink, text, length, result.text_hash, error));
        sink->hashes[0] = result.text_hash[0];
    } else {
        bool hashed = analyzer->outputs == ND_SHINGLES_AND_TEXT_HASH;
        result.count = nd_shingle_make(sink->hashes, sink->count, analyzer->options.ngram,
                                       analyzer->powers, hashed ? result.text_hash : NULL);
    }
    result.hashes = sink->hashes;
    *out = result;
    return ND_OK;
}

nd_status nd_analyze(nd_analyzer *analyzer, const char *text, size_t length, nd_shingles *out,
                     nd_error *error) {
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_TRY(nd_need(out, "out", error));
    if (!text) text = "";
    ND_TRY(prepare(analyzer, length, error));
    ND_TRY(scan(analyzer, text, length, error));
    if (analyzer->stemmer)
        ND_TRY(nd_stemmer_replace_hashes(analyzer->stemmer, &analyzer->sink, text, length, error));
    return make_shingles(analyzer, text, length, out, error);
}

nd_status nd_tokenize(nd_analyzer *analyzer, const char *text, size_t length, nd_token_fn *fn,
                      void *context, nd_error *error) {
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_TRY(nd_need(fn, "fn", error));
    if (!analyzer->stemmer) return nd_analyzer_words(analyzer, text, length, fn, context, error);
    nd_token_sink sink = {.allocator = analyzer->allocator,
                          .key = analyzer->sink.key,
                          .fn = fn,
                          .fn_context = context};
    return nd_stemmer_tokenize(analyzer->stemmer, &sink, text ? text : "", length, error);
}

/* Makes room for more words of so many bytes together; so many hashes have room. */
static nd_status make_letter_room(nd_analyzer *a, size_t bytes, nd_error *error) {
    size_t room = a->letters.size + bytes + ND_LETTERS_BEHIND;
    if (!nd_reserve(&a->allocator, &a->letters.bytes, &a->letter_room, room))
        return nd_fail_memory(error, room, "words");
    if (!nd_reserve(&a->allocator, &a->letters.ends, &a->end_room, a->sink.capacity))
        return nd_fail_memory(error, a->sink.capacity * sizeof *a->letters.ends, "words");
    return ND_OK;
}

typedef struct listing {
    nd_analyzer *analyzer;
    nd_error failure; /* status ND_OK: there was none */
} listing;

/* nd_token_fn */
static bool list_word(void *context, const nd_token *token) {
    listing *l = context;
    nd_analyzer *a = l->analyzer;
    nd_token_sink *sink = &a->sink;
    if ((sink->count == sink->capacity && make_room(sink, 0, &l->failure) != ND_OK) ||
        make_letter_room(a, token->length, &l->failure) != ND_OK)
        return false;
    memcpy(a->letters.bytes + a->letters.size, token->text, token->length);
    a->letters.size += token->length;
    a->letters.ends[sink->count] = a->letters.size;
    sink->hashes[sink->count++] = nd_hash_token(&sink->key, token->text, token->length);
    return true;
}

/* As scan_words: the kernel and the scalar tokenizer in turn. */
static nd_status list_by_kernel(listing *l, const char *text, size_t length, nd_error *error) {
    nd_analyzer *a = l->analyzer;
    nd_token_sink *sink = &a->sink,
                  one_by_one = {.allocator = a->allocator, .fn = list_word, .fn_context = l};
    for (size_t at = 0, done; at < length; at += done) {
        if (sink->capacity - sink->count < KERNEL_ROOM) ND_TRY(make_room(sink, length - at, error));
        ND_TRY(make_letter_room(a, length - at, error));
        nd_token_letters letters = a->letters;
        letters.ends += sink->count;
        size_t room = sink->capacity - sink->count;
        sink->count += a->kernel->words(text + at, length - at, &sink->key,
                                        sink->hashes + sink->count, room, &letters, &done);
        a->letters.size = letters.size;
        if (at + done == length || sink->capacity - sink->count < KERNEL_ROOM) continue;
        size_t from = at + done;
        ND_TRY(nd_scan_words(&one_by_one, text, length, from, true, &done, error));
        done -= at;
    }
    return ND_OK;
}

nd_status nd_analyzer_list_words(nd_analyzer *a, const char *text, size_t length, nd_word_list *out,
                                 nd_error *error) {
    listing l = {.analyzer = a};
    if (!text) text = "";
    ND_TRY(prepare(a, length, error));
    bool by_kernel = a->options.kind != ND_CHARS && !a->stemmer &&
                     !needs_segmenter(a, text, length);
    nd_status status = by_kernel ? list_by_kernel(&l, text, length, error)
                                 : nd_tokenize(a, text, length, list_word, &l, error);
    if (l.failure.status != ND_OK) return nd_fail_as(error, &l.failure);
    *out = (nd_word_list){a->sink.hashes, a->letters.ends, a->letters.bytes, a->sink.count};
    return status;
}

nd_status nd_analyzer_shingle_list(nd_analyzer *a, const char *text, size_t length,
                                   nd_shingles *out, nd_error *error) {
    return make_shingles(a, text ? text : "", length, out, error);
}

nd_status nd_analyzer_stem(nd_analyzer *analyzer, const char *word, size_t length,
                           const char **stem, size_t *stem_length, nd_error *error) {
    *stem = word;
    *stem_length = length;
    return analyzer->stemmer
               ? nd_stemmer_stem(analyzer->stemmer, word, length, stem, stem_length, error)
               : ND_OK;
}

nd_status nd_analyzer_words(nd_analyzer *analyzer, const char *text, size_t length, nd_token_fn *fn,
                            void *context, nd_error *error) {
    nd_token_sink sink = {.allocator = analyzer->allocator,
                          .key = analyzer->sink.key,
                          .fn = fn,
                          .fn_context = context};
    if (!text) text = "";
    if (analyzer->options.kind == ND_CHARS) return nd_scan_chars(&sink, text, length, error);
    if (needs_segmenter(analyzer, text, length))
        return nd_segmenter_scan(analyzer->segmenter, &sink, text, length, error);
    size_t stopped;
    return nd_scan_words(&sink, text, length, 0, false, &stopped, error);
}

size_t nd_utf8_valid_prefix(const char *text, size_t length) {
    return nd_kernel_get()->utf8_valid_prefix(text, length);
}
