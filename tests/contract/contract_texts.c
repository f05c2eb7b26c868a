#include "contract.h"

static nd_analyzer_options analyzer_options(int kind, uint32_t ngram, const char *stem) {
    return (nd_analyzer_options){.struct_size = sizeof(nd_analyzer_options),
                                 .kind = (nd_analyzer_kind)kind,
                                 .ngram = ngram,
                                 .seed = 1,
                                 .stem = stem};
}

void test_texts(void **state) {
    (void)state;
    nd_analyzer_options o;
    CALLED(nd_analyzer_options_init(&o, sizeof o));
    assert_true(strlen(CALLED(nd_version())) > 0 && CALLED(nd_features()) &&
                CALLED(nd_instruction_set()));
    char line[8];
    assert_int_equal(CALLED(nd_printable("a\n", 2, line, sizeof line)), 3);
    assert_int_equal(nd_printable("a\n", 2, line, 0), 0);
    REFUSED("path", nd_dictionary_read(NULL, &allocator, &out.dictionary, &failure));
    REFUSED("out", nd_dictionary_read("dictionary", &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing",
          nd_dictionary_read("missing", &allocator, &out.dictionary, &failure));
    FAILS(ND_ERR_INPUT, "words: no word",
          nd_dictionary_read("words", &allocator, &out.dictionary, &failure));
    GRANTED(NOTHING, nd_dictionary_read("dictionary", &allocator, &out.dictionary, &failure),
            dictionary = out.dictionary);

    REFUSED("out", nd_analyzer_create(NULL, &allocator, NULL, &failure));
    o = analyzer_options(3, 5, NULL);
    REFUSED("kind must be ND_WORDS (0) to ND_SEGMENT (2), not 3",
            nd_analyzer_create(&o, &allocator, &out.analyzer, &failure));
    o = analyzer_options(-1, 5, NULL);
    REFUSED("kind", nd_analyzer_create(&o, &allocator, &out.analyzer, &failure));
    o = analyzer_options(ND_WORDS, 65, NULL);
    REFUSED("ngram must be 1 to 64", nd_analyzer_create(&o, &allocator, &out.analyzer, &failure));
    o = analyzer_options(ND_CHARS, 5, "english");
    REFUSED("stem", nd_analyzer_create(&o, &allocator, &out.analyzer, &failure));
    o.stem = NULL;
    o.dictionary = dictionary;
    REFUSED("dictionary", nd_analyzer_create(&o, &allocator, &out.analyzer, &failure));
    o = analyzer_options(ND_SEGMENT, 5, NULL);
    o.dictionary = dictionary;
    GRANTED(NOTHING, nd_analyzer_create(&o, &allocator, &out.analyzer, &failure),
            CALLED(nd_analyzer_free(out.analyzer)));
    GRANTED(NOTHING, nd_analyzer_create(NULL, &allocator, &out.analyzer, &failure),
            shingler = out.analyzer);
    o = analyzer_options(ND_WORDS, 1, NULL);
    good(nd_analyzer_create(&o, &allocator, &worder, &failure));

    REFUSED("analyzer", nd_analyze(NULL, ENGLISH, &out.shingles, &failure));
    REFUSED("text", nd_analyze(shingler, NULL, 3, &out.shingles, &failure));
    REFUSED("out", nd_analyze(shingler, ENGLISH, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 1", nd_analyze(shingler, "a\xff", 2, &out.shingles, &failure));
    GRANTED(NOTHING, nd_analyze(shingler, NULL, 0, &out.shingles, &failure),
            assert_int_equal(out.shingles.count, 1));
    GRANTED(NOTHING, nd_analyze(shingler, ENGLISH, &out.shingles, &failure),
            assert_true(out.shingles.count > 10));

    REFUSED("analyzer", nd_tokenize(NULL, ENGLISH, take_token, NULL, &failure));
    REFUSED("text", nd_tokenize(shingler, NULL, 3, take_token, NULL, &failure));
    REFUSED("fn", nd_tokenize(shingler, ENGLISH, NULL, NULL, &failure));
    FAILS(ND_ERR_CANCELLED, "", nd_tokenize(shingler, ENGLISH, stop_token, NULL, &failure));
    GRANTED(NOTHING, nd_tokenize(shingler, ENGLISH, take_token, NULL, &failure), NOTHING);
    assert_int_equal(CALLED(nd_utf8_valid_prefix("ab\xff", 3)), 2);

    REFUSED("text", nd_sentences(NULL, 3, take_sentence, NULL, &failure));
    REFUSED("fn", nd_sentences(ENGLISH, NULL, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 1", nd_sentences("a\xff", 2, take_sentence, NULL, &failure));
    GRANTED(NOTHING, nd_sentences(ENGLISH, take_sentence, NULL, &failure), NOTHING);

    REFUSED("analyzer", nd_compare_texts(NULL, ENGLISH, ENGLISH, &out.overlap, &failure));
    REFUSED("a must", nd_compare_texts(shingler, NULL, 1, ENGLISH, &out.overlap, &failure));
    REFUSED("b must", nd_compare_texts(shingler, ENGLISH, NULL, 1, &out.overlap, &failure));
    REFUSED("out", nd_compare_texts(shingler, ENGLISH, ENGLISH, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_compare_texts(shingler, ENGLISH, "\xff", 1, &out.overlap, &failure));
    GRANTED(NOTHING, nd_compare_texts(shingler, ENGLISH, ENGLISH, &out.overlap, &failure),
            assert_true(out.overlap.intersection > 0));

    REFUSED("analyzer", nd_differences(NULL, ENGLISH, ENGLISH, &out.differences, &failure));
    REFUSED("a must", nd_differences(shingler, NULL, 1, ENGLISH, &out.differences, &failure));
    REFUSED("b must", nd_differences(shingler, ENGLISH, NULL, 1, &out.differences, &failure));
    REFUSED("out", nd_differences(shingler, ENGLISH, ENGLISH, NULL, &failure));
    FAILS(ND_ERR_INPUT,
          "b: ", nd_differences(shingler, ENGLISH, "\xff", 1, &out.differences, &failure));
    GRANTED(NOTHING, nd_differences(shingler, ENGLISH, GERMAN, &out.differences, &failure),
            assert_true(out.differences->count > 0));
    CALLED(nd_difference_list_free(out.differences));

    REFUSED("analyzer",
            nd_sentence_signature(NULL, ENGLISH, 3, out.hashes, &out.count32, &failure));
    REFUSED("text",
            nd_sentence_signature(shingler, NULL, 9, 3, out.hashes, &out.count32, &failure));
    REFUSED("n must be 1 to 64, not 0",
            nd_sentence_signature(shingler, ENGLISH, 0, out.hashes, &out.count32, &failure));
    REFUSED("n must be 1 to 64, not 65",
            nd_sentence_signature(shingler, ENGLISH, 65, out.hashes, &out.count32, &failure));
    REFUSED("hashes", nd_sentence_signature(shingler, ENGLISH, 3, NULL, &out.count32, &failure));
    REFUSED("count", nd_sentence_signature(shingler, ENGLISH, 3, out.hashes, NULL, &failure));
    FAILS(ND_ERR_INPUT, "",
          nd_sentence_signature(shingler, "one two three four five six seven\xff", 34, 3,
                                out.hashes, &out.count32, &failure));
    GRANTED(NOTHING,
            nd_sentence_signature(shingler, ENGLISH, 3, out.hashes, &out.count32, &failure),
            assert_int_equal(out.count32, 2));
}

void test_sketches(void **state) {
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
            nd_minhash_create(0, 1, &allocator, &out.minhash, &failure));
    REFUSED("perms must be 1 to 1024, not 1025",
            nd_minhash_create(1025, 1, &allocator, &out.minhash, &failure));
    REFUSED("out", nd_minhash_create(16, 1, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_minhash_create(16, 1, &allocator, &out.minhash, &failure),
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
            nd_bottom_k_create(1, 1, &allocator, &out.bottom_k, &failure));
    REFUSED("k must be 2 to 65536, not 65537",
            nd_bottom_k_create(65537, 1, &allocator, &out.bottom_k, &failure));
    REFUSED("out", nd_bottom_k_create(16, 1, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_bottom_k_create(16, 1, &allocator, &out.bottom_k, &failure),
            sketch = out.bottom_k);
    good(nd_bottom_k_create(16, 1, &allocator, &other_sketch, &failure));
    good(nd_bottom_k_create(17, 1, &allocator, &third_sketch, &failure));
    CALLED(nd_bottom_k_add(sketch, set, 3));
    const uint64_t *values, descending[] = {2, 1};
    REFUSED("same k", nd_bottom_k_merge(sketch, third_sketch, &failure));
    REFUSED("into", nd_bottom_k_merge(NULL, sketch, &failure));
    REFUSED("from", nd_bottom_k_merge(sketch, NULL, &failure));
    FAILS(ND_ERR_INPUT, "value 1", nd_bottom_k_load(sketch, descending, 2, &failure));
    FAILS(ND_ERR_INPUT, "at most k = 16", nd_bottom_k_load(sketch, descending, 17, &failure));
    REFUSED("sketch", nd_bottom_k_load(NULL, set, 3, &failure));
    REFUSED("values", nd_bottom_k_load(sketch, NULL, 3, &failure));
    assert_int_equal(CALLED(nd_bottom_k_values(sketch, &values)), 3);
    assert_true(CALLED(nd_bottom_k_size(sketch)).value == 3);
    GRANTED(NOTHING, nd_bottom_k_merge(other_sketch, sketch, &failure), NOTHING);
    GRANTED(NOTHING, nd_bottom_k_load(other_sketch, values, 3, &failure), NOTHING);
    REFUSED("a must", nd_bottom_k_estimate(NULL, sketch, &out.estimates, &failure));
    REFUSED("b must", nd_bottom_k_estimate(sketch, NULL, &out.estimates, &failure));
    REFUSED("out", nd_bottom_k_estimate(sketch, other_sketch, NULL, &failure));
    REFUSED("same k", nd_bottom_k_estimate(sketch, third_sketch, &out.estimates, &failure));
    GRANTED(NOTHING, nd_bottom_k_estimate(sketch, other_sketch, &out.estimates, &failure),
            assert_true(out.estimates.jaccard.value == 1));

    uint32_t permutations[4], twice[] = {0, 1, 1, 2};
    const uint8_t matrix[] = {1, 0, 1, 1};
    CALLED(nd_permutations_draw(4, 1, 1, permutations));
    REFUSED("rows must be 0 to 65536, not 65537",
            nd_permutations_sign(matrix, 65537, 1, permutations, 1, out.signatures, &failure));
    REFUSED("matrix", nd_permutations_sign(NULL, 4, 1, permutations, 1, out.signatures, &failure));
    REFUSED("permutations", nd_permutations_sign(matrix, 4, 1, NULL, 1, out.signatures, &failure));
    REFUSED("signatures", nd_permutations_sign(matrix, 4, 1, permutations, 1, NULL, &failure));
    REFUSED("permutation 0 puts row 2",
            nd_permutations_sign(matrix, 4, 1, twice, 1, out.signatures, &failure));
    GRANTED(NOTHING, nd_permutations_sign(matrix, 4, 1, permutations, 1, out.signatures, &failure),
            NOTHING);
}

static bool count_match(void *context, uint32_t number, uint32_t distance) {
    (void)context;
    return number < 2 && distance == 0;
}
static bool stop_match(void *context, uint32_t number, uint32_t distance) {
    return !count_match(context, number, distance);
}
static bool count_pair(void *context, uint32_t a, uint32_t b, uint32_t distance) {
    (void)context;
    return a == 0 && b == 1 && distance == 0;
}
static bool stop_pair(void *context, uint32_t a, uint32_t b, uint32_t distance) {
    return !count_pair(context, a, b, distance);
}

void test_fingerprints(void **state) {
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
            nd_fingerprint_parse("ff", 2, 8, &out.fingerprint, &failure));
    REFUSED("text", nd_fingerprint_parse(NULL, 4, 16, &out.fingerprint, &failure));
    REFUSED("out", nd_fingerprint_parse("ffff", 4, 16, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 3", nd_fingerprint_parse("fffg", 4, 16, &out.fingerprint, &failure));
    FAILS(ND_ERR_INPUT, "4 hexadecimal",
          nd_fingerprint_parse("fff", 3, 16, &out.fingerprint, &failure));
    GRANTED(NOTHING, nd_fingerprint_parse("ffff", 4, 16, &out.fingerprint, &failure),
            assert_int_equal(out.fingerprint.low, 0xffff));

    char digits[70], digest[ND_TLSH_TEXT_ROOM];
    memset(digits, '7', sizeof digits);
    REFUSED("text", nd_tlsh_parse(NULL, 70, &out.tlsh, &failure));
    REFUSED("out", nd_tlsh_parse(digits, 70, NULL, &failure));
    FAILS(ND_ERR_INPUT, "70, 74, 134", nd_tlsh_parse(digits, 69, &out.tlsh, &failure));
    GRANTED(NOTHING, nd_tlsh_parse(digits, 70, &out.tlsh, &failure), NOTHING);
    assert_int_equal(CALLED(nd_tlsh_format(&out.tlsh, digest)), 72);
    assert_int_equal(CALLED(nd_tlsh_distance(&out.tlsh, &out.tlsh, true)), 0);
    assert_false(CALLED(nd_tlsh_make(ND_TLSH_128_1, digits, 70, &out.tlsh)));
    nd_tlsh two[2] = {out.tlsh, out.tlsh};
    two[1].variant = ND_TLSH_256_1;
    REFUSED("digests", nd_tlsh_index_create(NULL, 2, &allocator, &out.tlsh_index, &failure));
    REFUSED("out", nd_tlsh_index_create(two, 1, &allocator, NULL, &failure));
    REFUSED("digest 1", nd_tlsh_index_create(two, 2, &allocator, &out.tlsh_index, &failure));
    two[1].variant = two[0].variant;
    nd_tlsh_index *digests = NULL;
    GRANTED(NOTHING, nd_tlsh_index_create(two, 2, &allocator, &out.tlsh_index, &failure),
            digests = out.tlsh_index);
    REFUSED("index", nd_tlsh_index_search(NULL, two, 9, true, count_match, NULL, &failure));
    REFUSED("query", nd_tlsh_index_search(digests, NULL, 9, true, count_match, NULL, &failure));
    REFUSED("fn", nd_tlsh_index_search(digests, two, 9, true, NULL, NULL, &failure));
    FAILS(ND_ERR_CANCELLED, "cancelled",
          nd_tlsh_index_search(digests, two, 9, true, stop_match, NULL, &failure));
    GRANTED(NOTHING, nd_tlsh_index_search(digests, two, 9, true, count_match, NULL, &failure),
            NOTHING);
    REFUSED("index", nd_tlsh_index_pairs(NULL, 9, true, count_pair, NULL, &failure));
    REFUSED("fn", nd_tlsh_index_pairs(digests, 9, true, NULL, NULL, &failure));
    FAILS(ND_ERR_CANCELLED, "cancelled",
          nd_tlsh_index_pairs(digests, 9, true, stop_pair, NULL, &failure));
    GRANTED(NOTHING, nd_tlsh_index_pairs(digests, 9, true, count_pair, NULL, &failure), NOTHING);
    CALLED(nd_tlsh_index_free(digests));

    const uint64_t features[] = {1, 2};
    const double odd[][2] = {{1, NAN}, {1, INFINITY}, {-INFINITY, 1}, {1, 1e300}};
    REFUSED("bits", nd_simhash_create(0, &allocator, &out.simhash, &failure));
    REFUSED("out", nd_simhash_create(64, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_simhash_create(64, &allocator, &out.simhash, &failure),
            simhash = out.simhash);
    REFUSED("simhash", nd_simhash_add(NULL, features, NULL, 2, &failure));
    REFUSED("features", nd_simhash_add(simhash, NULL, NULL, 2, &failure));
    for (size_t i = 0; i < 4; i++)
        REFUSED("must be from -2^18 to 2^18",
                nd_simhash_add(simhash, features, odd[i], 2, &failure));
    assert_int_equal(CALLED(nd_simhash_finish(simhash)).low, 0);
    GRANTED(NOTHING, nd_simhash_add(simhash, features, NULL, 2, &failure), NOTHING);

    REFUSED("path", nd_weights_read(NULL, 1, &allocator, &out.weights, &failure));
    REFUSED("out", nd_weights_read("weights", 1, &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing", nd_weights_read("missing", 1, &allocator, &out.weights, &failure));
    FAILS(ND_ERR_INPUT, "words:1", nd_weights_read("words", 1, &allocator, &out.weights, &failure));
    GRANTED(NOTHING, nd_weights_read("weights", 1, &allocator, &out.weights, &failure),
            weights = out.weights);
    REFUSED("weights", nd_weights_describe(NULL, &out.weights_info, &failure));
    REFUSED("out", nd_weights_describe(weights, NULL, &failure));
    GRANTED(NOTHING, nd_weights_describe(weights, &out.weights_info, &failure),
            assert_int_equal(out.weights_info.words, 2));
    assert_true(CALLED(nd_weights_of(weights, 0)) == out.weights_info.absent);
    REFUSED("path", nd_stop_words_read(NULL, 1, NULL, &allocator, &out.stop, &failure));
    REFUSED("out", nd_stop_words_read("words", 1, NULL, &allocator, NULL, &failure));
    FAILS(ND_ERR_IO, "missing",
          nd_stop_words_read("missing", 1, NULL, &allocator, &out.stop, &failure));
    FAILS(ND_ERR_INPUT, "weights:1",
          nd_stop_words_read("weights", 1, NULL, &allocator, &out.stop, &failure));
    GRANTED(NOTHING, nd_stop_words_read("words", 1, NULL, &allocator, &out.stop, &failure),
            stop = out.stop);
    assert_false(CALLED(nd_stop_words_has(stop, 0)));

    nd_simhash_options o;
    CALLED(nd_simhash_options_init(&o, sizeof o));
    REFUSED("analyzer", nd_simhash_text(NULL, NULL, ENGLISH, &out.fingerprint, &failure));
    REFUSED("text", nd_simhash_text(shingler, NULL, NULL, 3, &out.fingerprint, &failure));
    REFUSED("out", nd_simhash_text(shingler, NULL, ENGLISH, NULL, &failure));
    o = simhash_options(65, ND_WEIGHTING_TF);
    REFUSED("bits", nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &failure));
    o = simhash_options(64, ND_WEIGHTING_COUNTED + 1);
    REFUSED("weighting must be",
            nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &failure));
    o = simhash_options(64, -1);
    REFUSED("weighting must be",
            nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &failure));
    o = simhash_options(64, ND_WEIGHTING_COUNTED);
    REFUSED("ND_WEIGHTING_COUNTED",
            nd_simhash_text(shingler, &o, ENGLISH, &out.fingerprint, &failure));
    o = simhash_options(64, ND_WEIGHTING_TABLE);
    REFUSED("table", nd_simhash_text(worder, &o, ENGLISH, &out.fingerprint, &failure));
    o = simhash_options(64, ND_WEIGHTING_LEVELS);
    FAILS(ND_ERR_INPUT, "item 1", nd_simhash_text(worder, &o, ENGLISH, &out.fingerprint, &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_simhash_text(worder, NULL, "\xff", 1, &out.fingerprint, &failure));
    o = simhash_options(64, ND_WEIGHTING_TABLE);
    o.table = weights;
    o.stop = stop;
    GRANTED(NOTHING, nd_simhash_text(worder, &o, ENGLISH, &out.fingerprint, &failure), NOTHING);

    nd_keyword_options k;
    CALLED(nd_keyword_options_init(&k, sizeof k));
    k.top = 3;
    k.weighting = ND_WEIGHTING_TABLE;
    k.table = weights;
    k.stop = stop;
    REFUSED("analyzer", nd_keywords_text(NULL, &k, ENGLISH, take_keyword, NULL, &failure));
    REFUSED("options", nd_keywords_text(worder, NULL, ENGLISH, take_keyword, NULL, &failure));
    REFUSED("text", nd_keywords_text(worder, &k, NULL, 3, take_keyword, NULL, &failure));
    REFUSED("fn", nd_keywords_text(worder, &k, ENGLISH, NULL, NULL, &failure));
    REFUSED("single words", nd_keywords_text(shingler, &k, ENGLISH, take_keyword, NULL, &failure));
    FAILS(ND_ERR_INPUT, "byte 0",
          nd_keywords_text(worder, &k, "\xff", 1, take_keyword, NULL, &failure));
    GRANTED(NOTHING, nd_keywords_text(worder, &k, ENGLISH, take_keyword, NULL, &failure), NOTHING);
    k.top = 0;
    REFUSED("top must be at least 1",
            nd_keywords_text(worder, &k, ENGLISH, take_keyword, NULL, &failure));
    k.top = 1;
    k.weighting = (nd_weighting)77;
    REFUSED("weighting", nd_keywords_text(worder, &k, ENGLISH, take_keyword, NULL, &failure));
}

/* ---- plans, comparisons */

static void begin_plan(nd_hamming_plan_options *p) {
    CALLED(nd_hamming_plan_options_init(p, sizeof *p));
    p->fingerprints = 1e6;
}

static void try_presets(void) {
    nd_analyzer_options a;
    nd_similarity_options s;
    nd_analyzer_options_init(&a, sizeof a);
    nd_similarity_options_init(&s, sizeof s);
    REFUSED("preset must be web, news, noisy, short or code", nd_preset("Web", &a, &s, &failure));
    REFUSED("name", nd_preset(NULL, &a, &s, &failure));
    REFUSED("analyzer", nd_preset("web", NULL, &s, &failure));
    REFUSED("similarity", nd_preset("web", &a, NULL, &failure));
    for (size_t i = 0; CALLED(nd_preset_name(i)); i++)
        GRANTED(NOTHING, nd_preset(nd_preset_name(i), &a, &s, &failure), NOTHING);
    assert_string_equal(nd_preset_name(0), "web");
    assert_null(nd_preset_name(5));
}

void test_plans(void **state) {
    (void)state;
    try_presets();
    const double odd[] = {NAN, INFINITY, -INFINITY, -1, 0, 1.5};
    for (size_t i = 0; i < 6; i++) {
        REFUSED("threshold must be above 0 and at most 1",
                nd_plan_choose(odd[i], 0.9, 128, &out.plan, &failure));
        REFUSED("recall must be above 0 and below 1",
                nd_plan_choose(0.8, odd[i], 128, &out.plan, &failure));
    }
    REFUSED("perms must be 1 to 1024, not 0", nd_plan_choose(0.8, 0.9, 0, &out.plan, &failure));
    REFUSED("perms must be 1 to 1024, not 1025",
            nd_plan_choose(0.8, 0.9, 1025, &out.plan, &failure));
    REFUSED("out of reach", nd_plan_choose(0.01, 0.999999, 1, &out.plan, &failure));
    REFUSED("out", nd_plan_choose(0.8, 0.9, 128, NULL, &failure));
    nd_anchor_plan anchors;
    for (size_t i = 0; i < 6; i++) {
        REFUSED("threshold must be above 0 and at most 1",
                nd_anchor_plan_choose(odd[i], 0.9, &anchors, &failure));
        REFUSED("recall must be above 0 and below 1",
                nd_anchor_plan_choose(0.8, odd[i], &anchors, &failure));
    }
    REFUSED("out of reach with 1024 anchors",
            nd_anchor_plan_choose(0.001, 0.999, &anchors, &failure));
    REFUSED("out", nd_anchor_plan_choose(0.8, 0.9, NULL, &failure));
    GRANTED(NOTHING, nd_anchor_plan_choose(0.8, 0.9, &anchors, &failure), NOTHING);
    assert_true(CALLED(nd_anchor_plan_probability(&anchors, 2)) == 1 &&
                nd_anchor_plan_probability(&anchors, INFINITY) == 1);
    assert_true(nd_anchor_plan_probability(&anchors, -1) == 0 &&
                nd_anchor_plan_probability(&anchors, -INFINITY) == 0);
    GRANTED(NOTHING, nd_plan_choose(0.8, 0.9, 128, &out.plan, &failure), NOTHING);
    nd_plan plan = out.plan;
    assert_true(CALLED(nd_plan_probability(&plan, 2)) == 1 &&
                nd_plan_probability(&plan, INFINITY) == 1);
    assert_true(nd_plan_probability(&plan, -1) == 0 && nd_plan_probability(&plan, -INFINITY) == 0);
    assert_true(isnan(nd_plan_probability(&plan, NAN)));

    nd_hamming_costs costs, bad;
    nd_hamming_plan_options p;
    CALLED(nd_hamming_costs_init(&costs));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        begin_plan(&p);                                                                            \
        p __VA_ARGS__;                                                                             \
        REFUSED(part, nd_hamming_plan(&p, out.designs, &out.count, &failure));                     \
    } while (0)
    for (size_t i = 0; i < 4; i++) BAD("fingerprints must be 1 to 10^15", .fingerprints = odd[i]);
    BAD("memory must be", .memory = NAN);
    BAD("memory must be", .memory = -1);
    BAD("bits", .bits = 63);
    BAD("k must be 0 to 16 for 64 bits, not 17", .k = 17);
    for (size_t i = 0; i < 4; i++) {
        bad = costs;
        bad.key[i] = odd[i];
        BAD("costs must be", .costs = &bad);
    }
#undef BAD
    begin_plan(&p);
    REFUSED("out", nd_hamming_plan(&p, NULL, &out.count, &failure));
    REFUSED("count", nd_hamming_plan(&p, out.designs, NULL, &failure));
    REFUSED("fingerprints", nd_hamming_plan(NULL, out.designs, &out.count, &failure));
    p.memory = 1e9;
    p.costs = &costs;
    GRANTED(NOTHING, nd_hamming_plan(&p, out.designs, &out.count, &failure),
            assert_true(out.count > 1));
    FAILS(ND_ERR_IO, "missing",
          nd_hamming_calibrate("missing", 1, &allocator, &out.costs, &failure));
    REFUSED("out", nd_hamming_calibrate(NULL, 1, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_hamming_calibrate(".", 1, &allocator, &out.costs, &failure), NOTHING);

    nd_compare_options c;
    nd_analyzer_options analyzer;
    CALLED(nd_compare_options_init(&c, sizeof c));
    c.allocator = &allocator;
    REFUSED("a must", nd_compare(&c, NULL, 3, ENGLISH, &out.comparison, &failure));
    REFUSED("b must", nd_compare(&c, ENGLISH, NULL, 3, &out.comparison, &failure));
    REFUSED("out", nd_compare(&c, ENGLISH, ENGLISH, NULL, &failure));
    FAILS(ND_ERR_INPUT, "b: ", nd_compare(&c, ENGLISH, "\xff", 1, &out.comparison, &failure));
#define BAD(part, ...)                                                                             \
    do {                                                                                           \
        nd_compare_options_init(&c, sizeof c);                                                     \
        c.allocator = &allocator;                                                                  \
        c __VA_ARGS__;                                                                             \
        REFUSED(part, nd_compare(&c, ENGLISH, ENGLISH, &out.comparison, &failure));                \
    } while (0)
    analyzer = analyzer_options(9, 5, NULL);
    BAD("kind", .analyzer = &analyzer);
    analyzer = analyzer_options(ND_WORDS, 0, NULL);
    BAD("ngram", .analyzer = &analyzer);
    analyzer = analyzer_options(ND_CHARS, 5, "english");
    BAD("stem", .analyzer = &analyzer);
    BAD("feature_ngram", .feature_ngram = 65);
    BAD("bits", .bits = 1);
    BAD("threshold", .threshold = NAN);
    BAD("recall", .recall = 1);
    BAD("perms", .perms = 0);
    BAD("bottom_k", .bottom_k = 1);
    BAD("bottom_k", .bottom_k = 65537);
    BAD("least_run", .least_run = 0);
#undef BAD
    good(nd_compare(NULL, ENGLISH, ENGLISH, &out.comparison, &failure));
    nd_comparison_free(out.comparison);
    nd_compare_options_init(&c, sizeof c);
    c.allocator = &allocator;
    GRANTED(NOTHING, nd_compare(&c, ENGLISH, ENGLISH, &out.comparison, &failure),
            CALLED(nd_comparison_free(out.comparison)));
}
