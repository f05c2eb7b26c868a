/* The conventions of neardup.h, held for every function of it: what is out of range is
 * ND_ERR_ARGUMENT with a message that names it; after any failure, those of memory among them, the
 * outputs are as they were; and after a success the caller's nd_error is. That no function is left
 * out is a test itself, by the list of exported symbols and the header. */
#include "neardup.h"
#include "own_directory.h"
#include "test.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { PATTERN = 0x5a, MOST_FUNCTIONS = 300 };

/* Every kind of output, all in one piece, so that it can be filled and compared whole. */
typedef struct outputs {
    nd_dictionary *dictionary;
    nd_analyzer *analyzer;
    nd_shingles shingles;
    nd_overlap overlap;
    nd_minhash *minhash;
    nd_bottom_k *bottom_k;
    nd_bottom_k_estimates estimates;
    uint32_t signatures[64], count32;
    uint64_t hashes[64], count64;
    nd_fingerprint fingerprint;
    nd_simhash *simhash;
    nd_weights *weights;
    nd_stop_words *stop;
    nd_plan plan;
    nd_comparison *comparison;
    nd_hamming_costs costs;
    nd_hamming_estimate designs[ND_HAMMING_ESTIMATES];
    size_t count;
    nd_job_summary summary;
    nd_index *index;
    nd_searcher *searcher;
    const nd_match *matches, *evidence;
    nd_finder *finder;
    const nd_hamming_match *near;
    bool flag;
    nd_stream *stream;
    nd_stream_options stream_options;
    nd_stream_answer answer;
} outputs;

static outputs out;
static nd_error error;
static failing_allocator memory = {.left = FAILING_ALLOCATOR_NEVER};
static nd_allocator allocator;

/* ---- calls that are watched */

static struct {
    char name[60];
    bool refused, granted, called;
} functions[MOST_FUNCTIONS];
static size_t function_count;

static size_t function_of(const char *call) {
    size_t length = 0, i = 0;
    while (isalnum((unsigned char)call[length]) || call[length] == '_') length++;
    while (i < function_count &&
           !(strlen(functions[i].name) == length && memcmp(functions[i].name, call, length) == 0))
        i++;
    if (i == function_count) memcpy(functions[function_count++].name, call, length);
    assert_true(function_count < MOST_FUNCTIONS);
    return i;
}

static bool is_untouched(const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++)
        if (p[i] != PATTERN) return false;
    return true;
}

static void begin_call(void) {
    memset(&out, PATTERN, sizeof out);
    memset(&error, PATTERN, sizeof error);
}

static void check_failed(const char *call, nd_status status, nd_status expected, const char *part) {
    if (status != expected)
        fail_msg("%s: status %d, not %d: %s", call, status, expected,
                 status == ND_OK ? "" : error.message);
    if (error.status != expected) fail_msg("%s: error.status is %d", call, error.status);
    if (!memchr(error.message, 0, sizeof error.message) || strchr(error.message, '\n'))
        fail_msg("%s: not one line of text", call);
    if (!strstr(error.message, part)) fail_msg("%s: '%s' has no '%s'", call, error.message, part);
    if (!is_untouched(&out, sizeof out)) fail_msg("%s: an output has changed", call);
}

/* The call fails so, with a message that has `part`. */
#define FAILS(expected, part, call)                                                                \
    do {                                                                                           \
        begin_call();                                                                              \
        nd_status status_ = (call);                                                                \
        check_failed(#call, status_, expected, part);                                              \
        functions[function_of(#call)].refused = true;                                              \
    } while (0)

#define REFUSED(part, call) FAILS(ND_ERR_ARGUMENT, part, call)

/* The call succeeds, with memory that ends at each request in turn before. `before` is done before
 * each trial, `after` after success. */
#define GRANTED(before, call, after)                                                               \
    do {                                                                                           \
        nd_status status_ = ND_ERR_MEMORY;                                                         \
        for (long left = 0; status_ == ND_ERR_MEMORY; left++) {                                    \
            before;                                                                                \
            begin_call();                                                                          \
            memory.left = left;                                                                    \
            status_ = (call);                                                                      \
            memory.left = FAILING_ALLOCATOR_NEVER;                                                 \
            if (status_ != ND_OK) check_failed(#call, status_, ND_ERR_MEMORY, "out of memory");    \
        }                                                                                          \
        if (!is_untouched(&error, sizeof error))                                                   \
            fail_msg("%s: the error has changed: %s", #call, error.message);                       \
        functions[function_of(#call)].granted = true;                                              \
        after;                                                                                     \
    } while (0)

/* A function that has no status. */
#define CALLED(call) (functions[function_of(#call)].called = true, (call))

#define NOTHING ((void)0)

/* ---- what the calls are given */

static nd_dictionary *dictionary;
static nd_weights *weights;
static nd_stop_words *stop;
static nd_analyzer *shingler, *worder;
static nd_minhash *minhash;
static nd_bottom_k *sketch, *other_sketch, *third_sketch;
static nd_simhash *simhash;

static const char english[] = "The quick brown fox jumps over the lazy dog near the old stone "
                              "bridge. Another sentence of some eight words follows here.";
#define ENGLISH english, sizeof english - 1

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", error.message);
}

static bool take_token(void *context, const nd_token *token) {
    return (void)context, (void)token, true;
}
static bool stop_token(void *context, const nd_token *token) {
    return (void)context, (void)token, false;
}
static bool take_sentence(void *context, size_t begin, size_t end) {
    return (void)context, (void)begin, (void)end, true;
}
static bool take_keyword(void *context, const nd_keyword *keyword) {
    return (void)context, (void)keyword, true;
}

/* ---- texts, sets, sketches */

static nd_analyzer_options analyzer_options(int kind, uint32_t ngram, const char *stem) {
    return (nd_analyzer_options){
        .kind = (nd_analyzer_kind)kind, .ngram = ngram, .seed = 1, .stem = stem};
}

static void test_texts(void **state) {
    (void)state;
    nd_analyzer_options o;
    CALLED(nd_analyzer_options_init(&o));
    assert_true(strlen(CALLED(nd_version())) > 0 && CALLED(nd_features()) &&
                CALLED(nd_instruction_set()));
    char line[8];
    assert_int_equal(CALLED(nd_printable("a\n", 2, line, sizeof line)), 3);
    assert_int_equal(nd_printable("a\n", 2, line, 0), 0);
    REFUSED("path", nd_dictionary_read(NULL, &allocator, &out.dictionary, &error));
    REFUSED("out", nd_dictionary_read("dictionary", &allocator, NULL, &error));
    FAILS(ND_ERR_IO, "missing", nd_dictionary_read("missing", &allocator, &out.dictionary, &error));
    FAILS(ND_ERR_INPUT, "words: no word",
          nd_dictionary_read("words", &allocator, &out.dictionary, &error));
    GRANTED(NOTHING, nd_dictionary_read("dictionary", &allocator, &out.dictionary, &error),
            dictionary = out.dictionary);

    REFUSED("out", nd_analyzer_create(NULL, &allocator, NULL, &error));
    o = analyzer_options(3, 5, NULL);
    REFUSED("kind must be ND_WORDS (0) to ND_SEGMENT (2), not 3",
            nd_analyzer_create(&o, &allocator, &out.analyzer, &error));
    o = analyzer_options(-1, 5, NULL);
    REFUSED("kind", nd_analyzer_create(&o, &allocator, &out.analyzer, &error));
    o = analyzer_options(ND_WORDS, 65, NULL);
    REFUSED("ngram must be 1 to 64", nd_analyzer_create(&o, &allocator, &out.analyzer, &error));
    o = analyzer_options(ND_CHARS, 5, "english");
    REFUSED("stem", nd_analyzer_create(&o, &allocator, &out.analyzer, &error));
    o.stem = NULL;
    o.dictionary = dictionary;
    REFUSED("dictionary", nd_analyzer_create(&o, &allocator, &out.analyzer, &error));
    o = analyzer_options(ND_SEGMENT, 5, NULL);
    o.dictionary = dictionary;
    GRANTED(NOTHING, nd_analyzer_create(&o, &allocator, &out.analyzer, &error),
            CALLED(nd_analyzer_free(out.analyzer)));
    GRANTED(NOTHING, nd_analyzer_create(NULL, &allocator, &out.analyzer, &error),
            shingler = out.analyzer);
    o = analyzer_options(ND_WORDS, 1, NULL);
    good(nd_analyzer_create(&o, &allocator, &worder, &error));

    REFUSED("analyzer", nd_analyze(NULL, ENGLISH, &out.shingles, &error));
    REFUSED("text", nd_analyze(shingler, NULL, 3, &out.shingles, &error));
    REFUSED("out", nd_analyze(shingler, ENGLISH, NULL, &error));
    FAILS(ND_ERR_INPUT, "byte 1", nd_analyze(shingler, "a\xff", 2, &out.shingles, &error));
    GRANTED(NOTHING, nd_analyze(shingler, NULL, 0, &out.shingles, &error),
            assert_int_equal(out.shingles.count, 1));
    GRANTED(NOTHING, nd_analyze(shingler, ENGLISH, &out.shingles, &error),
            assert_true(out.shingles.count > 10));

    REFUSED("analyzer", nd_tokenize(NULL, ENGLISH, take_token, NULL, &error));
    REFUSED("text", nd_tokenize(shingler, NULL, 3, take_token, NULL, &error));
    REFUSED("fn", nd_tokenize(shingler, ENGLISH, NULL, NULL, &error));
    FAILS(ND_ERR_CANCELLED, "", nd_tokenize(shingler, ENGLISH, stop_token, NULL, &error));
    GRANTED(NOTHING, nd_tokenize(shingler, ENGLISH, take_token, NULL, &error), NOTHING);
    assert_int_equal(CALLED(nd_utf8_valid_prefix("ab\xff", 3)), 2);

    REFUSED("text", nd_sentences(NULL, 3, take_sentence, NULL, &error));
    REFUSED("fn", nd_sentences(ENGLISH, NULL, NULL, &error));
    FAILS(ND_ERR_INPUT, "byte 1", nd_sentences("a\xff", 2, take_sentence, NULL, &error));
    GRANTED(NOTHING, nd_sentences(ENGLISH, take_sentence, NULL, &error), NOTHING);

    REFUSED("analyzer", nd_compare_texts(NULL, ENGLISH, ENGLISH, &out.overlap, &error));
    REFUSED("a must", nd_compare_texts(shingler, NULL, 1, ENGLISH, &out.overlap, &error));
    REFUSED("b must", nd_compare_texts(shingler, ENGLISH, NULL, 1, &out.overlap, &error));
    REFUSED("out", nd_compare_texts(shingler, ENGLISH, ENGLISH, NULL, &error));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_compare_texts(shingler, ENGLISH, "\xff", 1, &out.overlap, &error));
    GRANTED(NOTHING, nd_compare_texts(shingler, ENGLISH, ENGLISH, &out.overlap, &error),
            assert_true(out.overlap.intersection > 0));

    REFUSED("analyzer", nd_sentence_signature(NULL, ENGLISH, 3, out.hashes, &out.count32, &error));
    REFUSED("text", nd_sentence_signature(shingler, NULL, 9, 3, out.hashes, &out.count32, &error));
    REFUSED("n must be 1 to 64, not 0",
            nd_sentence_signature(shingler, ENGLISH, 0, out.hashes, &out.count32, &error));
    REFUSED("n must be 1 to 64, not 65",
            nd_sentence_signature(shingler, ENGLISH, 65, out.hashes, &out.count32, &error));
    REFUSED("hashes", nd_sentence_signature(shingler, ENGLISH, 3, NULL, &out.count32, &error));
    REFUSED("count", nd_sentence_signature(shingler, ENGLISH, 3, out.hashes, NULL, &error));
    FAILS(ND_ERR_INPUT, "",
          nd_sentence_signature(shingler, "one two three four five six seven\xff", 34, 3,
                                out.hashes, &out.count32, &error));
    GRANTED(NOTHING, nd_sentence_signature(shingler, ENGLISH, 3, out.hashes, &out.count32, &error),
            assert_int_equal(out.count32, 2));
}

static void test_sketches(void **state) {
    (void)state;
    uint64_t set[] = {3, 1, 2, 3};
    assert_int_equal(CALLED(nd_set_make(set, 4)), 3);
    assert_int_equal(nd_set_make(NULL, 0), 0);
    assert_int_equal(CALLED(nd_set_overlap(set, 3, NULL, 0)).intersection, 0);
    assert_true(CALLED(nd_jaccard((nd_overlap){0, 0, 0})) == 1 &&
                nd_jaccard((nd_overlap){3, 2, 9}) == 2.0 / 3);
    assert_true(CALLED(nd_containment((nd_overlap){0, 5, 0})) == 1 &&
                nd_containment((nd_overlap){3, 2, 9}) == 1);

    REFUSED("perms must be 1 to 1024, not 0",
            nd_minhash_create(0, 1, &allocator, &out.minhash, &error));
    REFUSED("perms must be 1 to 1024, not 1025",
            nd_minhash_create(1025, 1, &allocator, &out.minhash, &error));
    REFUSED("out", nd_minhash_create(16, 1, &allocator, NULL, &error));
    GRANTED(NOTHING, nd_minhash_create(16, 1, &allocator, &out.minhash, &error),
            minhash = out.minhash);
    uint32_t signature[16], signatures[16];
    const size_t starts[] = {0, 3};
    assert_int_equal(CALLED(nd_minhash_perms(minhash)), 16);
    CALLED(nd_minhash_sign(minhash, set, 3, signature));
    CALLED(nd_minhash_sign_batch(minhash, set, starts, 1, signatures));
    assert_memory_equal(signature, signatures, sizeof signature);
    assert_true(CALLED(nd_minhash_estimate(signature, signatures, 16)) == 1 &&
                nd_minhash_estimate(signature, signatures, 0) == 0);

    REFUSED("k must be 2 to 65536, not 1",
            nd_bottom_k_create(1, 1, &allocator, &out.bottom_k, &error));
    REFUSED("k must be 2 to 65536, not 65537",
            nd_bottom_k_create(65537, 1, &allocator, &out.bottom_k, &error));
    REFUSED("out", nd_bottom_k_create(16, 1, &allocator, NULL, &error));
    GRANTED(NOTHING, nd_bottom_k_create(16, 1, &allocator, &out.bottom_k, &error),
            sketch = out.bottom_k);
    good(nd_bottom_k_create(16, 1, &allocator, &other_sketch, &error));
    good(nd_bottom_k_create(17, 1, &allocator, &third_sketch, &error));
    CALLED(nd_bottom_k_add(sketch, set, 3));
    const uint64_t *values, descending[] = {2, 1};
    REFUSED("same k", nd_bottom_k_merge(sketch, third_sketch, &error));
    REFUSED("into", nd_bottom_k_merge(NULL, sketch, &error));
    REFUSED("from", nd_bottom_k_merge(sketch, NULL, &error));
    FAILS(ND_ERR_INPUT, "value 1", nd_bottom_k_load(sketch, descending, 2, &error));
    FAILS(ND_ERR_INPUT, "at most k = 16", nd_bottom_k_load(sketch, descending, 17, &error));
    REFUSED("sketch", nd_bottom_k_load(NULL, set, 3, &error));
    REFUSED("values", nd_bottom_k_load(sketch, NULL, 3, &error));
    assert_int_equal(CALLED(nd_bottom_k_values(sketch, &values)), 3);
    assert_true(CALLED(nd_bottom_k_size(sketch)).value == 3);
    GRANTED(NOTHING, nd_bottom_k_merge(other_sketch, sketch, &error), NOTHING);
    GRANTED(NOTHING, nd_bottom_k_load(other_sketch, values, 3, &error), NOTHING);
    REFUSED("a must", nd_bottom_k_estimate(NULL, sketch, &out.estimates, &error));
    REFUSED("b must", nd_bottom_k_estimate(sketch, NULL, &out.estimates, &error));
    REFUSED("out", nd_bottom_k_estimate(sketch, other_sketch, NULL, &error));
    REFUSED("same k", nd_bottom_k_estimate(sketch, third_sketch, &out.estimates, &error));
    GRANTED(NOTHING, nd_bottom_k_estimate(sketch, other_sketch, &out.estimates, &error),
            assert_true(out.estimates.jaccard.value == 1));

    uint32_t permutations[4], twice[] = {0, 1, 1, 2};
    const uint8_t matrix[] = {1, 0, 1, 1};
    CALLED(nd_permutations_draw(4, 1, 1, permutations));
    REFUSED("rows must be 0 to 65536, not 65537",
            nd_permutations_sign(matrix, 65537, 1, permutations, 1, out.signatures, &error));
    REFUSED("matrix", nd_permutations_sign(NULL, 4, 1, permutations, 1, out.signatures, &error));
    REFUSED("permutations", nd_permutations_sign(matrix, 4, 1, NULL, 1, out.signatures, &error));
    REFUSED("signatures", nd_permutations_sign(matrix, 4, 1, permutations, 1, NULL, &error));
    REFUSED("permutation 0 puts row 2",
            nd_permutations_sign(matrix, 4, 1, twice, 1, out.signatures, &error));
    GRANTED(NOTHING, nd_permutations_sign(matrix, 4, 1, permutations, 1, out.signatures, &error),
            NOTHING);
}

static nd_simhash_options simhash_options(uint32_t bits, int weighting) {
    return (nd_simhash_options){.bits = bits, .weighting = (nd_weighting)weighting};
}

static void test_fingerprints(void **state) {
    (void)state;
    nd_fingerprint a = {UINT64_MAX, 0}, b = {0, 0};
    char text[33];
    assert_int_equal(CALLED(nd_distance(a, b)), 64);
    assert_false(CALLED(nd_is_within(a, b, 63)));
    CALLED(nd_fingerprint_format(a, 64, text));
    assert_string_equal(text, "ffffffffffffffff");
    nd_fingerprint_format(a, UINT32_MAX, text);
    assert_int_equal(strlen(text), 32);
    REFUSED("bits must be 16, 32, 64 or 128, not 8",
            nd_fingerprint_parse("ff", 2, 8, &out.fingerprint, &error));
    REFUSED("text", nd_fingerprint_parse(NULL, 4, 16, &out.fingerprint, &error));
    REFUSED("out", nd_fingerprint_parse("ffff", 4, 16, NULL, &error));
    FAILS(ND_ERR_INPUT, "byte 3", nd_fingerprint_parse("fffg", 4, 16, &out.fingerprint, &error));
    FAILS(ND_ERR_INPUT, "4 hexadecimal",
          nd_fingerprint_parse("fff", 3, 16, &out.fingerprint, &error));
    GRANTED(NOTHING, nd_fingerprint_parse("ffff", 4, 16, &out.fingerprint, &error),
            assert_int_equal(out.fingerprint.low, 0xffff));

    const uint64_t features[] = {1, 2};
    const double odd[][2] = {{1, NAN}, {1, INFINITY}, {-INFINITY, 1}, {1, 1e300}};
    REFUSED("bits", nd_simhash_create(0, &allocator, &out.simhash, &error));
    REFUSED("out", nd_simhash_create(64, &allocator, NULL, &error));
    GRANTED(NOTHING, nd_simhash_create(64, &allocator, &out.simhash, &error),
            simhash = out.simhash);
    REFUSED("simhash", nd_simhash_add(NULL, features, NULL, 2, &error));
    REFUSED("features", nd_simhash_add(simhash, NULL, NULL, 2, &error));
    for (size_t i = 0; i < 4; i++)
        REFUSED("must be from -2^18 to 2^18", nd_simhash_add(simhash, features, odd[i], 2, &error));
    assert_int_equal(CALLED(nd_simhash_finish(simhash)).low, 0);
    GRANTED(NOTHING, nd_simhash_add(simhash, features, NULL, 2, &error), NOTHING);

    REFUSED("path", nd_weights_read(NULL, 1, &allocator, &out.weights, &error));
    REFUSED("out", nd_weights_read("weights", 1, &allocator, NULL, &error));
    FAILS(ND_ERR_IO, "missing", nd_weights_read("missing", 1, &allocator, &out.weights, &error));
    FAILS(ND_ERR_INPUT, "words:1", nd_weights_read("words", 1, &allocator, &out.weights, &error));
    GRANTED(NOTHING, nd_weights_read("weights", 1, &allocator, &out.weights, &error),
            weights = out.weights);
    nd_weights_info info;
    CALLED(nd_weights_describe(weights, &info));
    assert_true(info.words == 2 && CALLED(nd_weights_of(weights, 0)) == info.absent);
    REFUSED("path", nd_stop_words_read(NULL, 1, NULL, &allocator, &out.stop, &error));
    REFUSED("out", nd_stop_words_read("words", 1, NULL, &allocator, NULL, &error));
    FAILS(ND_ERR_IO, "missing",
          nd_stop_words_read("missing", 1, NULL, &allocator, &out.stop, &error));
    FAILS(ND_ERR_INPUT, "weights:1",
          nd_stop_words_read("weights", 1, NULL, &allocator, &out.stop, &error));
    GRANTED(NOTHING, nd_stop_words_read("words", 1, NULL, &allocator, &out.stop, &error),
            stop = out.stop);
    assert_false(CALLED(nd_stop_words_has(stop, 0)));

    nd_simhash_options o;
    CALLED(nd_simhash_options_init(&o));
    REFUSED("analyzer", nd_simhash_text(NULL, NULL, ENGLISH, &out.fingerprint, &error));
    REFUSED("text", nd_simhash_text(shingler, NULL, NULL, 3, &out.fingerprint, &error));
    REFUSED("out", nd_simhash_text(shingler, NULL, ENGLISH, NULL, &error));
    o = simhash_options(65, ND_WEIGHTING_TF);
    REFUSED("bits", nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &error));
    o = simhash_options(64, ND_WEIGHTING_COUNTED + 1);
    REFUSED("weighting must be", nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &error));
    o = simhash_options(64, -1);
    REFUSED("weighting must be", nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &error));
    o = simhash_options(64, ND_WEIGHTING_COUNTED);
    REFUSED("ND_WEIGHTING_COUNTED",
            nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &error));
    o = simhash_options(64, ND_WEIGHTING_TABLE);
    REFUSED("table", nd_simhash_text(worder, &o, ENGLISH, &out.fingerprint, &error));
    o = simhash_options(64, ND_WEIGHTING_LEVELS);
    FAILS(ND_ERR_INPUT, "item 1", nd_simhash_text(worder, &o, ENGLISH, &out.fingerprint, &error));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_simhash_text(worder, NULL, "\xff", 1, &out.fingerprint, &error));
    o = (nd_simhash_options){
        .bits = 64, .weighting = ND_WEIGHTING_TABLE, .table = weights, .stop = stop};
    GRANTED(NOTHING, nd_simhash_text(worder, &o, ENGLISH, &out.fingerprint, &error), NOTHING);

    nd_keywords_options k;
    CALLED(nd_keywords_options_init(&k));
    k = (nd_keywords_options){
        .top = 3, .weighting = ND_WEIGHTING_TABLE, .table = weights, .stop = stop};
    REFUSED("analyzer", nd_keywords_text(NULL, &k, ENGLISH, take_keyword, NULL, &error));
    REFUSED("options", nd_keywords_text(worder, NULL, ENGLISH, take_keyword, NULL, &error));
    REFUSED("text", nd_keywords_text(worder, &k, NULL, 3, take_keyword, NULL, &error));
    REFUSED("fn", nd_keywords_text(worder, &k, ENGLISH, NULL, NULL, &error));
    REFUSED("single words", nd_keywords_text(shingler, &k, ENGLISH, take_keyword, NULL, &error));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_keywords_text(worder, &k, "\xff", 1, take_keyword, NULL, &error));
    GRANTED(NOTHING, nd_keywords_text(worder, &k, ENGLISH, take_keyword, NULL, &error), NOTHING);
    k.top = 0;
    REFUSED("top must be at least 1",
            nd_keywords_text(worder, &k, ENGLISH, take_keyword, NULL, &error));
    k.top = 1;
    k.weighting = (nd_weighting)77;
    REFUSED("weighting", nd_keywords_text(worder, &k, ENGLISH, take_keyword, NULL, &error));
}

/* ---- plans, comparisons */

static void test_plans(void **state) {
    (void)state;
    const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0, 1.5};
    for (size_t i = 0; i < 6; i++) {
        REFUSED("threshold must be above 0 and at most 1",
                nd_plan_choose(odd[i], 0.9, 128, &out.plan, &error));
        REFUSED("recall must be above 0 and below 1",
                nd_plan_choose(0.8, odd[i], 128, &out.plan, &error));
    }
    REFUSED("perms must be 1 to 1024, not 0", nd_plan_choose(0.8, 0.9, 0, &out.plan, &error));
    REFUSED("perms must be 1 to 1024, not 1025", nd_plan_choose(0.8, 0.9, 1025, &out.plan, &error));
    REFUSED("out of reach", nd_plan_choose(0.01, 0.999999, 1, &out.plan, &error));
    REFUSED("out", nd_plan_choose(0.8, 0.9, 128, NULL, &error));
    GRANTED(NOTHING, nd_plan_choose(0.8, 0.9, 128, &out.plan, &error), NOTHING);
    nd_plan plan = out.plan;
    assert_true(CALLED(nd_plan_probability(&plan, 2)) == 1 &&
                nd_plan_probability(&plan, INFINITY) == 1);
    assert_true(nd_plan_probability(&plan, -1) == 0 && nd_plan_probability(&plan, -INFINITY) == 0);
    assert_true(isnan(nd_plan_probability(&plan, NAN)));

    nd_hamming_costs costs, bad;
    CALLED(nd_hamming_costs_init(&costs));
    for (size_t i = 0; i < 4; i++)
        REFUSED("n must be 1 to 10^15",
                nd_hamming_plan(odd[i], 64, 3, 0, NULL, out.designs, &out.count, &error));
    REFUSED("memory must be",
            nd_hamming_plan(1e6, 64, 3, NAN, NULL, out.designs, &out.count, &error));
    REFUSED("memory must be",
            nd_hamming_plan(1e6, 64, 3, -1, NULL, out.designs, &out.count, &error));
    REFUSED("bits", nd_hamming_plan(1e6, 63, 3, 0, NULL, out.designs, &out.count, &error));
    REFUSED("k must be 0 to 16 for 64 bits, not 17",
            nd_hamming_plan(1e6, 64, 17, 0, NULL, out.designs, &out.count, &error));
    REFUSED("out", nd_hamming_plan(1e6, 64, 3, 0, NULL, NULL, &out.count, &error));
    REFUSED("count", nd_hamming_plan(1e6, 64, 3, 0, NULL, out.designs, NULL, &error));
    for (size_t i = 0; i < 4; i++) {
        bad = costs;
        bad.key[i] = odd[i];
        REFUSED("costs must be",
                nd_hamming_plan(1e6, 64, 3, 0, &bad, out.designs, &out.count, &error));
    }
    GRANTED(NOTHING, nd_hamming_plan(1e6, 64, 3, 1e9, &costs, out.designs, &out.count, &error),
            NOTHING);
    FAILS(ND_ERR_IO, "missing", nd_hamming_calibrate("missing", 1, &allocator, &out.costs, &error));
    REFUSED("out", nd_hamming_calibrate(NULL, 1, &allocator, NULL, &error));
    GRANTED(NOTHING, nd_hamming_calibrate(".", 1, &allocator, &out.costs, &error), NOTHING);

    nd_compare_options c;
    CALLED(nd_compare_options_init(&c));
    REFUSED("a must", nd_compare(&c, NULL, 3, ENGLISH, &allocator, &out.comparison, &error));
    REFUSED("b must", nd_compare(&c, ENGLISH, NULL, 3, &allocator, &out.comparison, &error));
    REFUSED("out", nd_compare(&c, ENGLISH, ENGLISH, &allocator, NULL, &error));
    FAILS(ND_ERR_INPUT,
          "b: ", nd_compare(&c, ENGLISH, "\xff", 1, &allocator, &out.comparison, &error));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_compare_options_init(&c);                                                               \
        c __VA_ARGS__;                                                                             \
        REFUSED(part, nd_compare(&c, ENGLISH, ENGLISH, &allocator, &out.comparison, &error));      \
    } while (0)
    BAD("kind", .analyzer = (nd_analyzer_kind)9);
    BAD("ngram", .ngram = 0);
    BAD("feature_ngram", .feature_ngram = 65);
    BAD("bits", .bits = 1);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = 1);
    BAD("perms", .perms = 0);
    BAD("bottom_k", .bottom_k = 1);
    BAD("bottom_k", .bottom_k = 65537);
    BAD("least_run", .least_run = 0);
#undef BAD
    GRANTED(NOTHING, nd_compare(NULL, ENGLISH, ENGLISH, &allocator, &out.comparison, &error),
            CALLED(nd_comparison_free(out.comparison)));
}

/* ---- jobs */

enum { DOCUMENTS = 40 };

typedef struct feed {
    unsigned next;
    char text[200], id[20];
} feed;

/* nd_record_fn: a few families of copies. */
static int give_record(void *context, nd_record *out_record) {
    feed *f = context;
    unsigned n = f->next++;
    if (n == DOCUMENTS) return 0;
    int length = snprintf(f->text, sizeof f->text,
                          "document %u of a family with the same long text in all of its members%s",
                          n % 7, n % 3 ? "" : " or so");
    *out_record = (nd_record){f->text, (size_t)length, f->id,
                              (size_t)snprintf(f->id, sizeof f->id, "d%u", n), (double)n};
    return 1;
}

/* One that is bad among the good ones. */
static int give_bad(void *context, nd_record *out_record) {
    int more = give_record(context, out_record);
    if (more == 1 && ((feed *)context)->next == 5)
        out_record->text = "\xff", out_record->length = 1;
    return more;
}

static feed input;
static nd_job_options job;

static void begin_job(uint32_t threads) {
    nd_job_options_init(&job);
    input.next = 0;
    job.records = give_record;
    job.records_context = &input;
    job.allocator = &allocator;
    job.threads = threads;
    job.work = ".";
}

static void begin_bad_job(void) {
    begin_job(1);
    job.records = give_bad;
    job.skip_errors = true;
}

static bool take_decision(void *context, const nd_decision *decision) {
    return (void)context, (void)decision, true;
}
static bool take_pair(void *context, const nd_pair *pair) {
    return (void)context, (void)pair, true;
}
static bool take_text(void *context, const nd_text *text) {
    return (void)context, (void)text, true;
}
static bool take_print(void *context, const nd_fingerprinted *print) {
    return (void)context, (void)print, true;
}
static bool take_keyworded(void *context, const nd_keyworded *document) {
    return (void)context, (void)document, true;
}
static bool take_passage(void *context, const nd_found_passage *passage) {
    return (void)context, (void)passage, true;
}
static bool take_answer(void *context, const nd_answer *answer) {
    return (void)context, (void)answer, true;
}

typedef void change_fn(void);
#define CHANGE(name, what)                                                                         \
    static void name(void) { what; }
CHANGE(no_input, job.records = NULL)
CHANGE(null_inputs, (job.records = NULL, job.input_count = 2))
static const char *const holed[] = {"words", NULL};
CHANGE(null_input, (job.records = NULL, job.inputs = holed, job.input_count = 2))
CHANGE(both_inputs, (job.inputs = holed, job.input_count = 1))
CHANGE(no_field, job.text_field = "")
CHANGE(null_field, job.text_field = NULL)
CHANGE(no_record, job.max_record = 0)
CHANGE(bad_invalid, job.invalid = (nd_invalid)3)
CHANGE(bad_analyzer, job.analyzer = (nd_analyzer_kind)3)
CHANGE(bad_ngram, job.ngram = 65)
CHANGE(little_memory, job.memory = (UINT64_C(64) << 20) - 1)
CHANGE(many_threads, job.threads = 100000)
CHANGE(bad_work, job.work = "missing")
CHANGE(bad_keep, job.keep = (nd_keep)4)
CHANGE(bad_group, job.group = (nd_group)2)
CHANGE(bad_sync, job.sync = (nd_sync)3)
CHANGE(bad_sketch, job.sketch = (nd_sketch)3)
CHANGE(bad_verify, job.verify = (nd_verify)3)
CHANGE(nan_threshold, job.threshold = NAN)
CHANGE(large_threshold, job.threshold = INFINITY)
CHANGE(nan_recall, job.recall = NAN)
CHANGE(no_perms, job.perms = 0)
CHANGE(no_compare, job.max_compare = 0)
CHANGE(far_k, (job.sketch = ND_SKETCH_SIMHASH, job.ngram = 1, job.k = 17))
CHANGE(bad_bits, (job.sketch = ND_SKETCH_SIMHASH, job.ngram = 1, job.simhash.bits = 63))
CHANGE(bad_weighting,
       (job.sketch = ND_SKETCH_SIMHASH, job.ngram = 1, job.simhash.weighting = (nd_weighting)9))
CHANGE(nan_cosine, (job.sketch = ND_SKETCH_SIMHASH, job.verify = ND_VERIFY_COSINE, job.ngram = 1,
                    job.threshold = NAN))
CHANGE(no_sentences, (job.sketch = ND_SKETCH_SENTENCES, job.sentences = 0))
CHANGE(many_sentences, (job.sketch = ND_SKETCH_SENTENCES, job.sentences = 65))
CHANGE(nan_sentences, (job.sketch = ND_SKETCH_SENTENCES, job.threshold = NAN))

static const struct {
    const char *part;
    change_fn *change;
} all_jobs[] =
    {
        {"inputs", no_input},      {"inputs", null_inputs},   {"inputs[1]", null_input},
        {"inputs", both_inputs},   {"text_field", no_field},  {"text_field", null_field},
        {"max_record", no_record}, {"invalid", bad_invalid},  {"kind", bad_analyzer},
        {"ngram", bad_ngram},      {"memory", little_memory}, {"threads", many_threads},
        {"missing", bad_work},
},
  dedup_jobs[] = {
      {"keep", bad_keep},
      {"group", bad_group},
      {"sync", bad_sync},
      {"sketch", bad_sketch},
      {"verify", bad_verify},
      {"threshold", nan_threshold},
      {"threshold", large_threshold},
      {"recall", nan_recall},
      {"perms", no_perms},
      {"max_compare", no_compare},
      {"k must", far_k},
      {"bits", bad_bits},
      {"weighting", bad_weighting},
      {"threshold", nan_cosine},
      {"sentences", no_sentences},
      {"sentences", many_sentences},
      {"threshold", nan_sentences},
};

/* What every job refuses. */
#define ALL_REFUSED(call)                                                                          \
    for (size_t i = 0; i < sizeof all_jobs / sizeof *all_jobs; i++) {                              \
        begin_job(1);                                                                              \
        all_jobs[i].change();                                                                      \
        REFUSED(all_jobs[i].part, call);                                                           \
    }
#define DEDUP_REFUSED(call)                                                                        \
    for (size_t i = 0; i < sizeof dedup_jobs / sizeof *dedup_jobs; i++) {                          \
        begin_job(1);                                                                              \
        dedup_jobs[i].change();                                                                    \
        REFUSED(dedup_jobs[i].part, call);                                                         \
    }

static void begin_dedup(uint32_t threads, nd_sketch how, nd_group group, nd_keep keep) {
    begin_job(threads);
    job.sketch = how;
    job.group = group;
    job.keep = keep;
    job.on_decision = take_decision;
    if (how == ND_SKETCH_SIMHASH) {
        job.ngram = 1;
        job.simhash.weighting = ND_WEIGHTING_TF;
    }
}

static void begin_fed(uint32_t threads, const char *output) {
    begin_job(threads);
    job.output = output;
}

static void test_dedup(void **state) {
    (void)state;
    assert_string_equal(CALLED(nd_stage_name(ND_STAGE_COUNT)), "");
    assert_string_equal(nd_stage_name((nd_stage)-1), "");
    CALLED(nd_job_options_init(&job));
    REFUSED("options", nd_dedup(NULL, &out.summary, &error));
    REFUSED("options", nd_pairs(NULL, &out.summary, &error));
    ALL_REFUSED(nd_dedup(&job, &out.summary, &error));
    ALL_REFUSED(nd_pairs(&job, &out.summary, &error));
    DEDUP_REFUSED(nd_dedup(&job, &out.summary, &error));
    begin_job(1);
    job.threshold = NAN;
    REFUSED("threshold", nd_pairs(&job, &out.summary, &error));
    begin_bad_job();
    job.skip_errors = false;
    FAILS(ND_ERR_INPUT, "record", nd_dedup(&job, &out.summary, &error));
    GRANTED(begin_bad_job(), nd_dedup(&job, &out.summary, &error),
            assert_int_equal(out.summary.skipped, 1));
    GRANTED(begin_dedup(1, ND_SKETCH_MINHASH, ND_GROUP_GREEDY, ND_KEEP_FIRST),
            nd_dedup(&job, &out.summary, &error), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_MINHASH, ND_GROUP_COMPONENT, ND_KEEP_MAX),
            nd_dedup(&job, &out.summary, &error), NOTHING);
    GRANTED(begin_dedup(1, ND_SKETCH_SIMHASH, ND_GROUP_GREEDY, ND_KEEP_LONGEST),
            nd_dedup(&job, &out.summary, &error), NOTHING);
    GRANTED(begin_dedup(2, ND_SKETCH_SENTENCES, ND_GROUP_GREEDY, ND_KEEP_MIN),
            nd_dedup(&job, &out.summary, &error), NOTHING);
    GRANTED((begin_job(1), job.on_pair = take_pair), nd_pairs(&job, &out.summary, &error), NOTHING);
}

static void begin_passages(nd_passages_options *passages) {
    begin_job(1);
    *passages = (nd_passages_options){.source = "source", .least_run = 3, .texts = true};
}

static void test_passes(void **state) {
    (void)state;
    REFUSED("path", nd_write_file(NULL, ENGLISH, &error));
    REFUSED("path", nd_write_file("", ENGLISH, &error));
    REFUSED("bytes", nd_write_file("output", NULL, 1, &error));
    FAILS(ND_ERR_IO, "missing", nd_write_file("missing/output", ENGLISH, &error));
    GRANTED(NOTHING, nd_write_file("output", ENGLISH, &error), NOTHING);
    REFUSED("options", nd_texts(NULL, take_text, NULL, &out.summary, &error));
    begin_job(1);
    REFUSED("fn", nd_texts(&job, NULL, NULL, &out.summary, &error));
    ALL_REFUSED(nd_texts(&job, take_text, NULL, &out.summary, &error));
    GRANTED(begin_job(2), nd_texts(&job, take_text, NULL, &out.summary, &error),
            assert_int_equal(out.summary.documents, DOCUMENTS));

    nd_simhash_options s = simhash_options(64, 9);
    REFUSED("options", nd_fingerprints(NULL, NULL, take_print, NULL, &out.summary, &error));
    begin_job(1);
    REFUSED("fn", nd_fingerprints(&job, NULL, NULL, NULL, &out.summary, &error));
    REFUSED("weighting", nd_fingerprints(&job, &s, take_print, NULL, &out.summary, &error));
    ALL_REFUSED(nd_fingerprints(&job, NULL, take_print, NULL, &out.summary, &error));
    GRANTED(begin_fed(2, "output"),
            nd_fingerprints(&job, NULL, take_print, NULL, &out.summary, &error), NOTHING);

    nd_idf_options f;
    REFUSED("options", nd_idf(NULL, NULL, &out.summary, &error));
    begin_job(1);
    REFUSED("output", nd_idf(&job, NULL, &out.summary, &error));
    job.output = "output";
    const double shares[] = {NAN, 0, 1, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        CALLED(nd_idf_options_init(&f));
        f.stop_share = shares[i];
        REFUSED("stop_share must be above 0 and below 1", nd_idf(&job, &f, &out.summary, &error));
    }
    nd_idf_options_init(&f);
    f.least = 0;
    REFUSED("least", nd_idf(&job, &f, &out.summary, &error));
    f.least = 1;
    f.stop_words = "stopped";
    for (size_t i = 0; i < sizeof all_jobs / sizeof *all_jobs; i++) {
        begin_fed(1, "output");
        all_jobs[i].change();
        REFUSED(all_jobs[i].part, nd_idf(&job, NULL, &out.summary, &error));
    }
    GRANTED(begin_fed(2, "output"), nd_idf(&job, &f, &out.summary, &error),
            assert_true(out.summary.terms > 10));

    nd_keywords_options k = {.top = 3, .weighting = ND_WEIGHTING_TF};
    REFUSED("options", nd_keywords(NULL, &k, take_keyworded, NULL, &out.summary, &error));
    begin_job(1);
    REFUSED("fn", nd_keywords(&job, &k, NULL, NULL, &out.summary, &error));
    REFUSED("twice", nd_keywords(&job, NULL, take_keyworded, NULL, &out.summary, &error));
    ALL_REFUSED(nd_keywords(&job, &k, take_keyworded, NULL, &out.summary, &error));
    GRANTED(begin_fed(2, "output"),
            nd_keywords(&job, &k, take_keyworded, NULL, &out.summary, &error), NOTHING);

    nd_passages_options p;
    CALLED(nd_passages_options_init(&p));
    begin_job(1);
    REFUSED("options", nd_passages(NULL, &p, take_passage, NULL, &out.summary, &error));
    REFUSED("passages", nd_passages(&job, NULL, take_passage, NULL, &out.summary, &error));
    REFUSED("source", nd_passages(&job, &p, take_passage, NULL, &out.summary, &error));
    p.source = "missing";
    REFUSED("fn", nd_passages(&job, &p, NULL, NULL, &out.summary, &error));
    FAILS(ND_ERR_IO, "missing", nd_passages(&job, &p, take_passage, NULL, &out.summary, &error));
    p.least_run = 0;
    REFUSED("least_run", nd_passages(&job, &p, take_passage, NULL, &out.summary, &error));
    begin_passages(&p);
    ALL_REFUSED(nd_passages(&job, &p, take_passage, NULL, &out.summary, &error));
    GRANTED(begin_passages(&p), nd_passages(&job, &p, take_passage, NULL, &out.summary, &error),
            assert_true(out.summary.pairs > 0));
    const char *const made[] = {"output", "stopped"};
    for (size_t i = 0; i < 2; i++) unlink(made[i]);
}

/* ---- an index of documents */

static nd_index *opened;
static nd_searcher *searcher;

static void close_index(void) {
    nd_searcher_free(searcher);
    nd_index_close(opened);
    searcher = NULL;
    opened = NULL;
    remove_directory("index");
}

/* A new one, with one document. */
static void begin_index(void) {
    nd_error reason;
    bool added;
    close_index();
    nd_status status = nd_index_create("index", NULL, &reason);
    if (status == ND_OK)
        status = nd_index_open("index", ND_INDEX_WRITE, &allocator, &opened, &reason);
    if (status == ND_OK) status = nd_searcher_create(opened, &searcher, &reason);
    if (status == ND_OK) nd_index_set_sync(opened, ND_SYNC_OFF);
    if (status == ND_OK)
        status = nd_index_add(opened, searcher, "a", 1, ENGLISH, false, &added, NULL, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static const char german[] = "Der schnelle braune Fuchs springt immer wieder gern \xc3\xbc"
                             "ber den faulen alten Hund am Bach";
#define GERMAN german, sizeof german - 1

static void test_index_making(void **state) {
    (void)state;
    nd_index_options o;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_index_options_init(&o);                                                                 \
        o __VA_ARGS__;                                                                             \
        REFUSED(part, nd_index_create("index", &o, &error));                                       \
    } while (0)
    BAD("kind", .analyzer = (nd_analyzer_kind)9);
    BAD("kind", .analyzer = ND_SEGMENT);
    BAD("ngram", .ngram = 0);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = INFINITY);
    BAD("perms", .perms = 1025);
#undef BAD
    REFUSED("path", nd_index_create(NULL, NULL, &error));
    REFUSED("path", nd_index_create("", NULL, &error));
    CALLED(nd_index_options_init(&o));
    GRANTED(remove_directory("index"), nd_index_create("index", &o, &error), NOTHING);
    FAILS(ND_ERR_IO, "index", nd_index_create("index", NULL, &error));
    REFUSED("path", nd_index_open(NULL, ND_INDEX_READ, &allocator, &out.index, &error));
    REFUSED("path", nd_index_open("", ND_INDEX_READ, &allocator, &out.index, &error));
    REFUSED("mode must be ND_INDEX_READ (0) to ND_INDEX_WRITE (1), not 2",
            nd_index_open("index", (nd_index_mode)2, &allocator, &out.index, &error));
    REFUSED("out", nd_index_open("index", ND_INDEX_READ, &allocator, NULL, &error));
    FAILS(ND_ERR_IO, "missing",
          nd_index_open("missing", ND_INDEX_READ, &allocator, &out.index, &error));
    GRANTED(NOTHING, nd_index_open("index", ND_INDEX_READ, &allocator, &out.index, &error),
            CALLED(nd_index_close(out.index)));
    GRANTED(NOTHING, nd_index_open("index", ND_INDEX_WRITE, &allocator, &out.index, &error),
            opened = out.index);
    FAILS(ND_ERR_BUSY, "index",
          nd_index_open("index", ND_INDEX_WRITE, &allocator, &out.index, &error));
    REFUSED("index", nd_searcher_create(NULL, &out.searcher, &error));
    REFUSED("out", nd_searcher_create(opened, NULL, &error));
    GRANTED(NOTHING, nd_searcher_create(opened, &out.searcher, &error),
            CALLED(nd_searcher_free(out.searcher)));
    close_index();
}

static void check_index_damage(void) {
    nd_index *reader;
    begin_index();
    good(nd_index_open("index", ND_INDEX_READ, &allocator, &reader, &error));
    REFUSED("opened for reading", nd_index_remove(reader, "a", 1, &out.flag, &error));
    REFUSED("opened for reading", nd_index_compact(reader, &error));
    REFUSED("another index", nd_index_add(reader, searcher, "b", 1, GERMAN, false, &out.flag,
                                          &out.evidence, &error));
    REFUSED("index", nd_index_refresh(NULL, &error));
    GRANTED(NOTHING, nd_index_refresh(reader, &error), NOTHING);
    remove_directory("index");
    FAILS(ND_ERR_IO, "index", nd_index_refresh(reader, &error));
    nd_index_close(reader);
}

static void test_index(void **state) {
    (void)state;
    nd_index_info info;
    begin_index();
    CALLED(nd_index_set_sync(opened, (nd_sync)9));
    CALLED(nd_index_describe(opened, &info));
    assert_int_equal(info.documents, 1);

    REFUSED("searcher", nd_search(NULL, ENGLISH, ND_SEARCH_ALL, &out.matches, &out.count, &error));
    REFUSED("text", nd_search(searcher, NULL, 3, ND_SEARCH_ALL, &out.matches, &out.count, &error));
    REFUSED("kind must be ND_SEARCH_ALL (0) to ND_SEARCH_FIRST (2), not 3",
            nd_search(searcher, ENGLISH, (nd_search_kind)3, &out.matches, &out.count, &error));
    REFUSED("matches", nd_search(searcher, ENGLISH, ND_SEARCH_ALL, NULL, &out.count, &error));
    REFUSED("count", nd_search(searcher, ENGLISH, ND_SEARCH_ALL, &out.matches, NULL, &error));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_search(searcher, "\xff", 1, ND_SEARCH_ALL, &out.matches, &out.count, &error));
    GRANTED(begin_index(),
            nd_search(searcher, ENGLISH, ND_SEARCH_ALL, &out.matches, &out.count, &error),
            assert_int_equal(out.count, 1));
    assert_int_equal(CALLED(nd_searcher_left_out(searcher)), 0);

    REFUSED("index",
            nd_index_add(NULL, searcher, "b", 1, GERMAN, false, &out.flag, &out.evidence, &error));
    REFUSED("searcher",
            nd_index_add(opened, NULL, "b", 1, GERMAN, false, &out.flag, &out.evidence, &error));
    REFUSED("id", nd_index_add(opened, searcher, NULL, 1, GERMAN, false, &out.flag, &out.evidence,
                               &error));
    REFUSED("text", nd_index_add(opened, searcher, "b", 1, NULL, 1, false, &out.flag, &out.evidence,
                                 &error));
    REFUSED("added",
            nd_index_add(opened, searcher, "b", 1, GERMAN, false, NULL, &out.evidence, &error));
    REFUSED("\"a\"", nd_index_add(opened, searcher, "a", 1, GERMAN, false, &out.flag, &out.evidence,
                                  &error));
    FAILS(
        ND_ERR_INPUT, "byte 0",
        nd_index_add(opened, searcher, "b", 1, "\xff", 1, false, &out.flag, &out.evidence, &error));
    GRANTED(begin_index(),
            nd_index_add(opened, searcher, "b", 1, GERMAN, false, &out.flag, &out.evidence, &error),
            assert_true(out.flag && !out.evidence));
    GRANTED(
        begin_index(),
        nd_index_add(opened, searcher, "b", 1, ENGLISH, false, &out.flag, &out.evidence, &error),
        assert_false(out.flag));
    GRANTED(begin_index(),
            nd_index_add(opened, searcher, "a", 1, GERMAN, true, &out.flag, NULL, &error),
            assert_true(out.flag));
    GRANTED(begin_index(),
            nd_index_add(opened, searcher, NULL, 0, GERMAN, false, &out.flag, NULL, &error),
            assert_true(out.flag));

    REFUSED("index", nd_index_remove(NULL, "a", 1, &out.flag, &error));
    REFUSED("id", nd_index_remove(opened, NULL, 1, &out.flag, &error));
    REFUSED("found", nd_index_remove(opened, "a", 1, NULL, &error));
    GRANTED(begin_index(), nd_index_remove(opened, "a", 1, &out.flag, &error),
            assert_true(out.flag));
    GRANTED(begin_index(), nd_index_remove(opened, NULL, 0, &out.flag, &error),
            assert_false(out.flag));

    REFUSED("index", nd_index_sync(NULL, &error));
    GRANTED(begin_index(), nd_index_sync(opened, &error), NOTHING);
    REFUSED("index", nd_index_compact(NULL, &error));
    GRANTED(begin_index(), nd_index_compact(opened, &error), NOTHING);
    REFUSED("index", nd_index_check(NULL, &error));
    GRANTED(begin_index(), nd_index_check(opened, &error), NOTHING);

    REFUSED("index", nd_query(NULL, &job, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &error));
    REFUSED("options",
            nd_query(opened, NULL, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &error));
    begin_job(1);
    REFUSED("kind",
            nd_query(opened, &job, (nd_search_kind)-1, take_answer, NULL, &out.summary, &error));
    REFUSED("fn", nd_query(opened, &job, ND_SEARCH_ALL, NULL, NULL, &out.summary, &error));
    ALL_REFUSED(nd_query(opened, &job, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &error));
    GRANTED(begin_job(2),
            nd_query(opened, &job, ND_SEARCH_ALL, take_answer, NULL, &out.summary, &error),
            NOTHING);
    check_index_damage();
    close_index();
}

/* ---- an index of fingerprints */

static nd_index *prints;
static nd_finder *finder;
static const uint64_t some[] = {1, 2, 3, 7, 15, 31};
static const nd_fingerprint_source six = {.words = some, .count = 6};

static void close_prints(void) {
    nd_finder_free(finder);
    nd_index_close(prints);
    finder = NULL;
    prints = NULL;
    remove_directory("prints");
}

static void begin_prints(bool numbered) {
    nd_error reason;
    nd_hamming_options o = {.bits = 64, .k = 3, .numbered = numbered};
    close_prints();
    nd_status status = nd_hamming_create("prints", &o, &reason);
    if (status == ND_OK)
        status = nd_index_open("prints", ND_INDEX_WRITE, &allocator, &prints, &reason);
    if (status == ND_OK) status = nd_finder_create(prints, &finder, &reason);
    if (status == ND_OK) nd_index_set_sync(prints, ND_SYNC_OFF);
    if (status == ND_OK)
        status = nd_hamming_add(prints, "0", 1, (nd_fingerprint){5, 0}, false, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static bool take_near(void *context, const nd_hamming_answer *answer) {
    return (void)context, (void)answer, true;
}
static bool take_join(void *context, const nd_join_pair *pair) {
    return (void)context, (void)pair, true;
}

static void begin_load(bool numbered) {
    if (numbered) begin_prints(true);
    nd_job_options_init(&job);
    job.allocator = &allocator;
}

static const nd_fingerprint_source bad_sources[] = {
    {.path = NULL},
    {.path = "x", .words = some, .count = 6},
    {.path = "x", .format = (nd_fingerprint_file)3},
    {.path = "x", .format = ND_FINGERPRINTS_U128},
};

static void test_hamming(void **state) {
    (void)state;
    nd_hamming_options o;
    nd_fingerprint five = {5, 0};
    CALLED(nd_hamming_options_init(&o));
    REFUSED("path", nd_hamming_create(NULL, &o, &error));
    REFUSED("path", nd_hamming_create("", &o, &error));
    o.bits = 63;
    REFUSED("bits", nd_hamming_create("prints", &o, &error));
    o = (nd_hamming_options){.bits = 64, .k = 17};
    REFUSED("k must be 0 to 16", nd_hamming_create("prints", &o, &error));
    GRANTED(remove_directory("prints"), nd_hamming_create("prints", NULL, &error), NOTHING);

    begin_prints(false);
    REFUSED("index", nd_hamming_add(NULL, "b", 1, five, false, &error));
    REFUSED("id", nd_hamming_add(prints, NULL, 0, five, false, &error));
    REFUSED("\"0\"", nd_hamming_add(prints, "0", 1, five, false, &error));
    REFUSED("64 bits", nd_hamming_add(prints, "b", 1, (nd_fingerprint){0, 1}, false, &error));
    GRANTED(begin_prints(false), nd_hamming_add(prints, "0", 1, five, true, &error), NOTHING);

    REFUSED("index", nd_finder_create(NULL, &out.finder, &error));
    REFUSED("out", nd_finder_create(prints, NULL, &error));
    GRANTED(NOTHING, nd_finder_create(prints, &out.finder, &error),
            CALLED(nd_finder_free(out.finder)));
    REFUSED("finder", nd_find(NULL, five, 3, ND_FIND_ALL, 1, &out.near, &out.count64, &error));
    REFUSED("k must be 0 to 16",
            nd_find(finder, five, 17, ND_FIND_ALL, 1, &out.near, &out.count64, &error));
    REFUSED("kind must be ND_FIND_ALL (0) to ND_FIND_COUNT (3), not 4",
            nd_find(finder, five, 3, (nd_find_kind)4, 1, &out.near, &out.count64, &error));
    REFUSED("limit", nd_find(finder, five, 3, ND_FIND_NEAREST, 0, &out.near, &out.count64, &error));
    REFUSED("64 bits", nd_find(finder, (nd_fingerprint){0, 1}, 3, ND_FIND_ALL, 1, &out.near,
                               &out.count64, &error));
    REFUSED("matches", nd_find(finder, five, 3, ND_FIND_ALL, 1, NULL, &out.count64, &error));
    REFUSED("count", nd_find(finder, five, 3, ND_FIND_ALL, 1, &out.near, NULL, &error));
    GRANTED(begin_prints(false),
            nd_find(finder, five, 3, ND_FIND_ALL, 1, &out.near, &out.count64, &error),
            assert_int_equal(out.count64, 1));
    GRANTED(begin_prints(false),
            nd_find(finder, five, 3, ND_FIND_NEAREST, 1, &out.near, &out.count64, &error),
            assert_int_equal(out.count64, 1));

    REFUSED("index", nd_hamming_load(NULL, &six, NULL, &out.summary, &error));
    REFUSED("source", nd_hamming_load(prints, NULL, NULL, &out.summary, &error));
    REFUSED("ids of this index", nd_hamming_load(prints, &six, NULL, &out.summary, &error));
    begin_load(true);
    for (size_t i = 0; i < 4; i++)
        REFUSED(i == 2   ? "format"
                : i == 3 ? "u128"
                         : "fingerprints come from",
                nd_hamming_load(prints, &bad_sources[i], &job, &out.summary, &error));
    job.memory = 0;
    REFUSED("memory", nd_hamming_load(prints, &six, &job, &out.summary, &error));
    GRANTED(begin_load(true), nd_hamming_load(prints, &six, &job, &out.summary, &error),
            assert_int_equal(out.summary.documents, 6));
    begin_load(false);
    REFUSED("path", nd_hamming_build(NULL, NULL, &six, &job, &out.summary, &error));
    REFUSED("path", nd_hamming_build("", NULL, &six, &job, &out.summary, &error));
    REFUSED("source", nd_hamming_build("built", NULL, NULL, &job, &out.summary, &error));
    REFUSED("bits", nd_hamming_build("built", &(nd_hamming_options){.bits = 1}, &six, &job,
                                     &out.summary, &error));
    job.memory = 0;
    REFUSED("memory", nd_hamming_build("built", NULL, &six, &job, &out.summary, &error));
    const nd_hamming_options numbered = {.bits = 64, .k = 3, .numbered = true};
    remove_directory("built");
    GRANTED((begin_load(false), remove_directory("built")),
            nd_hamming_build("built", &numbered, &six, &job, &out.summary, &error),
            remove_directory("built"));

    REFUSED("index", nd_hamming_query(NULL, &six, 3, ND_FIND_ALL, 0, &job, take_near, NULL,
                                      &out.summary, &error));
    REFUSED("source", nd_hamming_query(prints, NULL, 3, ND_FIND_ALL, 0, &job, take_near, NULL,
                                       &out.summary, &error));
    REFUSED("fn", nd_hamming_query(prints, &six, 3, ND_FIND_ALL, 0, &job, NULL, NULL, &out.summary,
                                   &error));
    REFUSED("kind", nd_hamming_query(prints, &six, 3, (nd_find_kind)-1, 0, &job, take_near, NULL,
                                     &out.summary, &error));
    REFUSED("k must be 0 to 16", nd_hamming_query(prints, &six, 17, ND_FIND_ALL, 0, &job, take_near,
                                                  NULL, &out.summary, &error));
    job.threads = 100000;
    REFUSED("threads", nd_hamming_query(prints, &six, 3, ND_FIND_ALL, 0, &job, take_near, NULL,
                                        &out.summary, &error));
    GRANTED(begin_load(false),
            nd_hamming_query(prints, &six, 3, ND_FIND_ALL, 0, &job, take_near, NULL, &out.summary,
                             &error),
            NOTHING);

    nd_join_options j;
    nd_hamming_side a = {.source = &six}, b = {.index = prints}, none = {NULL, NULL};
    CALLED(nd_join_options_init(&j));
    j.allocator = &allocator;
    j.work = ".";
    REFUSED("a must", nd_join(NULL, &b, &j, take_join, NULL, &out.summary, &error));
    REFUSED("fn", nd_join(&a, &b, &j, NULL, NULL, &out.summary, &error));
    REFUSED("index or a source", nd_join(&none, &b, &j, take_join, NULL, &out.summary, &error));
    j.groups = true;
    REFUSED("groups", nd_join(&a, &b, &j, take_join, NULL, &out.summary, &error));
    j.groups = false;
    j.k = 17;
    REFUSED("k must be 0 to 16", nd_join(&a, &b, &j, take_join, NULL, &out.summary, &error));
    j.k = 3;
    j.threads = 100000;
    REFUSED("threads", nd_join(&a, &b, &j, take_join, NULL, &out.summary, &error));
    j.threads = 1;
    GRANTED(NOTHING, nd_join(&a, &b, &j, take_join, NULL, &out.summary, &error),
            assert_true(out.summary.pairs > 0));
    close_prints();
}

/* ---- a stream */

static nd_stream *stream;

static void remove_stream(void) {
    remove_directory("stream/index");
    remove_directory("stream");
}

static void close_stream(void) {
    nd_stream_close(stream);
    stream = NULL;
    remove_stream();
}

static void begin_stream(void) {
    nd_error reason;
    close_stream();
    nd_status status = nd_stream_open("stream", ND_INDEX_WRITE, NULL, &allocator, &stream, &reason);
    if (status == ND_OK) status = nd_stream_add(stream, "a", 1, ENGLISH, 5, NULL, &reason);
    if (status != ND_OK) fail_msg("%s", reason.message);
}

static void begin_stream_run(void) {
    begin_stream();
    begin_job(1);
}

static bool take_arrival(void *context, const nd_stream_answer *answer) {
    return (void)context, (void)answer, true;
}
static bool take_cluster(void *context, const nd_stream_cluster *cluster) {
    return (void)context, (void)cluster, true;
}

static void test_stream(void **state) {
    (void)state;
    nd_stream_options o;
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_stream_options_init(&o);                                                                \
        o __VA_ARGS__;                                                                             \
        REFUSED(part,                                                                              \
                nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, &out.stream, &error));    \
    } while (0)
    BAD("sketch", .sketch = ND_SKETCH_SENTENCES);
    BAD("sketch", .sketch = (nd_sketch)-1);
    BAD("mode", .mode = (nd_stream_mode)2);
    BAD("kind", .analyzer = (nd_analyzer_kind)9);
    BAD("ngram", .ngram = 65);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = 0);
    BAD("perms", .perms = 0);
    BAD("expire", .expire = NAN);
    BAD("expire", .expire = INFINITY);
    BAD("expire", .expire = -1);
    BAD("follow", .mode = ND_STREAM_FOLLOW);
    BAD("k must be 0 to 16", .sketch = ND_SKETCH_SIMHASH, o.k = 17);
    BAD("bits", .sketch = ND_SKETCH_SIMHASH, o.simhash.bits = 63);
    BAD("weighting", .sketch = ND_SKETCH_SIMHASH, o.simhash.weighting = (nd_weighting)9);
#undef BAD
    remove_stream();
    CALLED(nd_stream_options_init(&o));
    REFUSED("path", nd_stream_open(NULL, ND_INDEX_WRITE, &o, &allocator, &out.stream, &error));
    REFUSED("path", nd_stream_open("", ND_INDEX_WRITE, &o, &allocator, &out.stream, &error));
    REFUSED("mode",
            nd_stream_open("stream", (nd_index_mode)2, &o, &allocator, &out.stream, &error));
    REFUSED("out", nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, NULL, &error));
    FAILS(ND_ERR_IO, "missing",
          nd_stream_open("missing", ND_INDEX_READ, &o, &allocator, &out.stream, &error));
    GRANTED(remove_stream(),
            nd_stream_open("stream", ND_INDEX_WRITE, &o, &allocator, &out.stream, &error),
            CALLED(nd_stream_close(out.stream)));
    GRANTED(NOTHING,
            nd_stream_open("stream", ND_INDEX_WRITE, NULL, &allocator, &out.stream, &error),
            nd_stream_close(out.stream));
    GRANTED(NOTHING, nd_stream_open("stream", ND_INDEX_READ, NULL, &allocator, &out.stream, &error),
            nd_stream_close(out.stream));

    REFUSED("path", nd_stream_read_options(NULL, &out.flag, &out.stream_options, &error));
    REFUSED("path", nd_stream_read_options("", &out.flag, &out.stream_options, &error));
    REFUSED("found", nd_stream_read_options("stream", NULL, &out.stream_options, &error));
    REFUSED("out", nd_stream_read_options("stream", &out.flag, NULL, &error));
    write_file("clusters-1", "this is no state");
    FAILS(ND_ERR_CORRUPT, "clusters-1",
          nd_stream_read_options(".", &out.flag, &out.stream_options, &error));
    unlink("clusters-1");
    GRANTED(NOTHING, nd_stream_read_options("missing", &out.flag, &out.stream_options, &error),
            assert_false(out.flag));
    GRANTED(NOTHING, nd_stream_read_options("stream", &out.flag, &out.stream_options, &error),
            assert_true(out.flag));

    begin_stream();
    CALLED(nd_stream_set_topics(stream, UINT32_MAX));
    REFUSED("stream", nd_stream_add(NULL, "b", 1, GERMAN, NAN, &out.answer, &error));
    REFUSED("id", nd_stream_add(stream, NULL, 1, GERMAN, NAN, &out.answer, &error));
    REFUSED("text", nd_stream_add(stream, "b", 1, NULL, 1, NAN, &out.answer, &error));
    REFUSED("time", nd_stream_add(stream, "b", 1, GERMAN, INFINITY, &out.answer, &error));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_stream_add(stream, "b", 1, "\xff", 1, NAN, &out.answer, &error));
    GRANTED(begin_stream(), nd_stream_add(stream, "b", 1, GERMAN, NAN, &out.answer, &error),
            assert_true(out.answer.is_new));
    GRANTED(begin_stream(), nd_stream_add(stream, NULL, 0, ENGLISH, 7, &out.answer, &error),
            assert_false(out.answer.is_new));
    assert_true(nd_stream_add(stream, "c", 1, GERMAN, NAN, &out.answer, &error) == ND_OK &&
                out.answer.topic_count <= ND_STREAM_TOPICS);
    REFUSED("stream", nd_stream_sync(NULL, &error));
    GRANTED(begin_stream(), nd_stream_sync(stream, &error), NOTHING);
    REFUSED("stream", nd_stream_clusters(NULL, 1, 3, true, take_cluster, NULL, &error));
    REFUSED("fn", nd_stream_clusters(stream, 1, 3, true, NULL, NULL, &error));
    GRANTED(NOTHING, nd_stream_clusters(stream, 1, UINT32_MAX, true, take_cluster, NULL, &error),
            NOTHING);
    nd_stream_info info;
    CALLED(nd_stream_describe(stream, &info));
    assert_int_equal(info.documents, 1);
    REFUSED("stream", nd_stream_run(NULL, &job, take_arrival, NULL, &out.summary, &error));
    REFUSED("options", nd_stream_run(stream, NULL, take_arrival, NULL, &out.summary, &error));
    REFUSED("fn", nd_stream_run(stream, &job, NULL, NULL, &out.summary, &error));
    begin_job(1);
    job.memory = 1;
    REFUSED("memory", nd_stream_run(stream, &job, take_arrival, NULL, &out.summary, &error));
    GRANTED(begin_stream_run(),
            nd_stream_run(stream, &job, take_arrival, NULL, &out.summary, &error),
            assert_int_equal(out.summary.documents, DOCUMENTS));
    close_stream();
}

/* ---- all of them */

static char *whole_file(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(text && fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void free_all(void) {
    CALLED(nd_dictionary_free(dictionary));
    CALLED(nd_weights_free(weights));
    CALLED(nd_stop_words_free(stop));
    nd_analyzer_free(shingler);
    nd_analyzer_free(worder);
    CALLED(nd_minhash_free(minhash));
    CALLED(nd_bottom_k_free(sketch));
    nd_bottom_k_free(other_sketch);
    nd_bottom_k_free(third_sketch);
    CALLED(nd_simhash_free(simhash));
}

/* Every function of the map has been called above: one with a status in ways that fail and in one
 * that succeeds. */
static void test_all_are_here(void **state) {
    (void)state;
    char *map = whole_file(ND_TEST_DATA "/../src/neardup.map"),
         *header = whole_file(ND_TEST_DATA "/../include/neardup.h"), name[80], pattern[100];
    unsigned count = 0;
    int length;
    free_all();
    for (const char *at = strstr(map, "global:") + strlen("global:");
         sscanf(at, " nd_%60[a-z0-9_];%n", name, &length) == 1; at += length, count++) {
        snprintf(pattern, sizeof pattern, "nd_%s", name);
        size_t f = function_of(pattern);
        snprintf(pattern, sizeof pattern, "nd_status nd_%s(", name);
        bool has_status = strstr(header, pattern) != NULL;
        bool tried = has_status ? functions[f].refused && functions[f].granted
                                : functions[f].called;
        if (!tried) fail_msg("nd_%s: not tried in this test", name);
    }
    assert_true(count > 90);
    assert_int_equal(memory.live, 0);
    free(map);
    free(header);
}

static int enter(void **state) {
    if (enter_own_directory(state) != 0) return -1;
    allocator = failing_allocator_make(&memory);
    write_file("words", "the\nof\n");
    write_file("weights", "quick\t2.5\nbrown\t1\n");
    write_file("dictionary", "\xe6\xb7\xb1\xe5\x9c\xb3 10\n");
    if (mkdir("source", 0777) != 0) return -1;
    write_file("source/s", "a family with the same long text in all of them");
    return 0;
}

static int leave(void **state) {
    const char *const files[] = {"words", "weights", "dictionary"};
    for (size_t i = 0; i < 3; i++) unlink(files[i]);
    remove_directory("source");
    return leave_own_directory(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),        cmocka_unit_test(test_sketches),
        cmocka_unit_test(test_fingerprints), cmocka_unit_test(test_plans),
        cmocka_unit_test(test_dedup),        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_index_making), cmocka_unit_test(test_index),
        cmocka_unit_test(test_hamming),      cmocka_unit_test(test_stream),
        cmocka_unit_test(test_all_are_here),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
