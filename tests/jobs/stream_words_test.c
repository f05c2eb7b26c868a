/* A stream whose words are segments or stems, or leave out stop words. The stream rejects other
 * settings than it was made with, by name; its answers and topics use these words. */
#include "base/alloc.h"
#include "stream/clusters_file.h"
#include "stream/stream_files.h"
#include "stream_seen.h"
#include "own_directory.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char directory[] = "stream_words_test.state", other[] = "stream_words_test.other";

static void remove_all(void) {
    remove_directory("stream_words_test.state");
    remove_directory("stream_words_test.other");
}

static char path[64];

static const char *file_of(const char *text) {
    strcpy(path, "/tmp/stream_words_test-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    return path;
}

static nd_dictionary *dictionary_of(const char *lines) {
    nd_dictionary *dictionary = NULL;
    assert_int_equal(nd_dictionary_read(file_of(lines), NULL, &dictionary, NULL), ND_OK);
    unlink(path);
    return dictionary;
}

static nd_stop_words *stop_of(const char *lines, const char *stem) {
    nd_stop_words *stop = NULL;
    assert_int_equal(nd_stop_words_read(file_of(lines), 1, stem, NULL, &stop, NULL), ND_OK);
    unlink(path);
    return stop;
}

static nd_weights *table_of(const char *lines) {
    nd_weights *table = NULL;
    assert_int_equal(nd_weights_read(file_of(lines), 1, NULL, &table, NULL), ND_OK);
    unlink(path);
    return table;
}

static nd_stream *open_stream(const char *name, nd_index_mode mode,
                              const nd_stream_options *options) {
    nd_stream *s;
    nd_error error;
    if (nd_stream_open(name, mode, options, NULL, &s, &error) != ND_OK)
        fail_msg("%s", error.message);
    return s;
}

static void expect_rejection(const nd_stream_options *options, const char *text) {
    nd_stream *s;
    nd_error error;
    assert_int_equal(nd_stream_open(directory, ND_INDEX_WRITE, options, NULL, &s, &error),
                     ND_ERR_ARGUMENT);
    if (!strstr(error.message, text)) fail_msg("\"%s\" does not say \"%s\"", error.message, text);
}

static const nd_stream_answer *add(nd_stream *s, const char *id, const char *text) {
    const nd_record document = {
        .text = text, .length = strlen(text), .id = id, .id_length = strlen(id), .value = NAN};
    nd_error error;
    const nd_stream_answer *answer;
    if (nd_stream_add(s, &document, &answer, &error) != ND_OK) fail_msg("%s", error.message);
    return answer;
}

/* The options of a stream, and everything that they point to. */
typedef struct parts {
    nd_stream_options options;
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
} parts;

static parts parts_of(nd_sketch sketch) {
    parts p;
    nd_stream_options_init(&p.options, sizeof p.options);
    nd_analyzer_options_init(&p.analyzer, sizeof p.analyzer);
    nd_simhash_options_init(&p.simhash, sizeof p.simhash);
    p.options.sketch = sketch;
    if (sketch == ND_SKETCH_SIMHASH) p.analyzer.ngram = 1;
    return p;
}

/* Valid until the parts change or move. */
static const nd_stream_options *options_of(parts *p) {
    p->options.analyzer = &p->analyzer;
    p->options.simhash = &p->simhash;
    return &p->options;
}

/* "flying saucer", "once", "alien", "sees", "grey", "Area 51"; another dictionary has "flying" and
 * "saucer" as separate words */
static const char words[] =
    "\u98de\u789f 3\n\u66fe 2\n\u5916\u661f\u4eba\n\u770b\u89c1\n\u7070\u8272\n51\u533a\n";
static const char text[] =
    "51\u533a\u5916\u661f\u4eba\u66fe\u770b\u89c1\u98de\u789f\u3002\u7070\u8272\u98de\u789f";

static void test_dictionary_is_kept_to(void **state) {
    (void)state;
    for (int sketch = 0; sketch < 2; sketch++) {
        nd_dictionary *mine = dictionary_of(words),
                      *same = dictionary_of(
                          "\u66fe 2\n51\u533a\n\u98de\u789f 3\n\u5916\u661f\u4eba 1 "
                          "n\n\u770b\u89c1\n\u7070\u8272\n"),
                      *another = dictionary_of("\u98de\u789f 4\n");
        parts o = parts_of(sketch ? ND_SKETCH_SIMHASH : ND_SKETCH_MINHASH);
        o.analyzer.kind = ND_SEGMENT;
        o.analyzer.ngram = 1;
        o.analyzer.dictionary = mine;
        remove_all();
        nd_stream *s = open_stream(directory, ND_INDEX_WRITE, options_of(&o));
        assert_true(add(s, "a", text)->is_new);
        nd_stream_close(s);
        o.analyzer.dictionary = same;
        s = open_stream(directory, ND_INDEX_WRITE, options_of(&o));
        assert_false(add(s, "b", text)->is_new);
        nd_stream_close(s);
        o.analyzer.dictionary = another;
        expect_rejection(options_of(&o), "made with another dictionary");
        o.analyzer.dictionary = NULL;
        expect_rejection(options_of(&o),
                         "the dictionary with which this stream was made is needed");
        expect_rejection(NULL, "the dictionary with which this stream was made is needed");
        o.analyzer.kind = ND_WORDS;
        expect_rejection(options_of(&o), "made with the analyzer segment, not with words");
        /* A reader needs no dictionary. */
        s = open_stream(directory, ND_INDEX_READ, NULL);
        nd_stream_info info = {.struct_size = sizeof info};
        assert_int_equal(nd_stream_describe(s, &info, NULL), ND_OK);
        assert_int_equal(info.options->analyzer->kind, ND_SEGMENT);
        assert_null(info.options->analyzer->dictionary);
        assert_int_equal(info.documents, 2);
        nd_stream_close(s);
        nd_dictionary_free(mine);
        nd_dictionary_free(same);
        nd_dictionary_free(another);
    }
    remove_all();
}

static void test_stop_words_and_tables_are_kept_to(void **state) {
    (void)state;
    nd_stop_words *stop = stop_of("the\nof\n", NULL), *another = stop_of("the\n", NULL);
    nd_weights *table = table_of("cat 2\ndog 3\n"), *changed = table_of("cat 3\ndog 2\n");
    parts o = parts_of(ND_SKETCH_SIMHASH), given;
    o.simhash.stop = stop;
    o.simhash.weighting = ND_WEIGHTING_TABLE;
    o.simhash.table = table;
    remove_all();
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, options_of(&o)));
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, options_of(&o)));
    given = o;
    given.simhash.stop = another;
    expect_rejection(options_of(&given), "made with another list of stop words");
    given.simhash.stop = NULL;
    expect_rejection(options_of(&given),
                     "the list of stop words with which this stream was made is needed");
    given = o;
    given.simhash.table = changed;
    expect_rejection(options_of(&given), "made with another table of weights");
    expect_rejection(NULL, "the list of stop words with which this stream was made is needed");
    remove_all();
    nd_simhash_options_init(&o.simhash, sizeof o.simhash);
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, options_of(&o)));
    o.simhash.stop = stop;
    expect_rejection(options_of(&o), "made with no list of stop words");
    o.simhash.stop = NULL;
    o.analyzer.seed = 2;
    expect_rejection(options_of(&o), "made with another seed");
    nd_stop_words_free(stop);
    nd_stop_words_free(another);
    nd_weights_free(table);
    nd_weights_free(changed);
    remove_all();
}

static void test_stems_are_kept_to(void **state) {
    (void)state;
    parts o = parts_of(ND_SKETCH_SIMHASH);
    nd_stream *s;
    nd_error error;
    remove_all();
    o.analyzer.stem = "english";
    if (!strstr(nd_features(), "libstemmer")) {
        assert_int_equal(
            nd_stream_open(directory, ND_INDEX_WRITE, options_of(&o), NULL, &s, &error),
            ND_ERR_UNSUPPORTED);
        remove_all();
        skip();
    }
    nd_stop_words *stop = stop_of("dogs\n", "english");
    o.simhash.stop = stop;
    s = open_stream(directory, ND_INDEX_WRITE, options_of(&o));
    add(s, "z", "rain fell on empty streets all night long");
    add(s, "a", "the cats chased the dogs");
    const nd_stream_answer *answer = add(s, "b", "The cat chases the dog");
    assert_false(answer->is_new);
    assert_int_equal(answer->distance, 0);
    static seen clusters;
    assert_int_equal(stream_look(s, &clusters, NULL), ND_OK);
    assert_non_null(strstr(clusters.text, " cat:"));
    assert_null(strstr(clusters.text, "cats"));
    assert_null(strstr(clusters.text, " dog"));
    nd_stream_close(s);
    o.analyzer.stem = "german";
    o.simhash.stop = NULL;
    expect_rejection(options_of(&o), "made with stem english, not with stem german");
    o.analyzer.stem = NULL;
    expect_rejection(options_of(&o), "made with stem english, not with no stem");
    o.analyzer.stem = "klingon";
    expect_rejection(options_of(&o), "stem must be one of");
    o = parts_of(ND_SKETCH_MINHASH);
    o.analyzer.stem = "english";
    expect_rejection(options_of(&o), "stem is for ND_SKETCH_SIMHASH");
    nd_stop_words_free(stop);
    remove_all();
}

/* Writes the state anew as if another version of ICU had made it. */
static void change_icu(void) {
    nd_stream_files files;
    nd_stream_state state;
    nd_clusters *clusters;
    nd_error error;
    nd_status status = nd_stream_files_open(&files, directory, ND_INDEX_WRITE,
                                            &nd_allocator_default, &state, &error);
    if (status != ND_OK) fail_msg("%s", error.message);
    nd_stream_settings *settings = &state.settings;
    const nd_cluster_settings of = {.bits = settings->bits,
                                    .k = settings->k,
                                    .expire = settings->expire,
                                    .seed = settings->seed};
    assert_int_equal(nd_clusters_create(&of, &nd_allocator_default, &clusters, &error), ND_OK);
    assert_int_equal(nd_clusters_load(clusters, state.file, &error), ND_OK);
    settings->icu = UINT32_C(7) << 16 | 5;
    if (nd_stream_files_save(&files, settings, clusters, &error) != ND_OK)
        fail_msg("%s", error.message);
    nd_clusters_free(clusters);
    nd_sealed_close(state.file);
    nd_stream_files_close(&files);
}

static void test_icu_is_kept_to(void **state) {
    (void)state;
    nd_dictionary *dictionary = dictionary_of(words);
    parts o = parts_of(ND_SKETCH_SIMHASH);
    o.analyzer.kind = ND_SEGMENT;
    o.analyzer.dictionary = dictionary;
    remove_all();
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, options_of(&o)));
    change_icu();
    expect_rejection(options_of(&o), "made with ICU 7.5, not with ");
    expect_rejection(NULL, "made with ICU 7.5, not with ");
    nd_stream_close(open_stream(directory, ND_INDEX_READ, NULL));
    nd_dictionary_free(dictionary);
    remove_all();
}

/* A resumed stream gives the same answers as a stream that was never closed, and its topics are
 * words of the dictionary. */
static void test_resumed(void **state) {
    (void)state;
    static const char *const texts[] = {
        text,
        "\u5916\u661f\u4eba\u770b\u89c1\u7070\u8272\u98de\u789f",
        "\u7070\u8272\u98de\u789f\uff0c51\u533a\u5916\u661f\u4eba\u66fe\u770b\u89c1\u98de\u789f",
        "\u3002\U0001f642",
        "2024 51",
        "\u5916\u661f\u4eba\u66fe\u770b\u89c1\u98de\u789f\u300251\u533a\u7070\u8272\u98de\u789f",
        "NASA\u98de\u789fStra\u00dfe",
        "\u0915\u093f\u0924\u093e\u092c \u043a\u043d\u0438\u0433\u0430",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    static seen whole, resumed;
    nd_dictionary *dictionary = dictionary_of(words);
    nd_stop_words *stop = stop_of("\u770b\u89c1\n", NULL);
    for (int sketch = 0; sketch < 2; sketch++) {
        parts o = parts_of(sketch ? ND_SKETCH_SIMHASH : ND_SKETCH_MINHASH);
        if (sketch == 1) o.simhash.stop = stop;
        o.options.k = 12;
        o.options.threshold = 0.6;
        o.analyzer.ngram = 1;
        o.analyzer.kind = ND_SEGMENT;
        o.analyzer.dictionary = dictionary;
        remove_all();
        nd_stream *going = open_stream(other, ND_INDEX_WRITE, options_of(&o));
        for (size_t i = 0; i < TEXTS; i++) {
            char id[8];
            snprintf(id, sizeof id, "d%zu", i);
            const nd_stream_answer *expected = add(going, id, texts[i]);
            nd_stream *s = open_stream(directory, ND_INDEX_WRITE, options_of(&o));
            const nd_stream_answer *answer = add(s, id, texts[i]);
            assert_int_equal(answer->is_new, expected->is_new);
            assert_int_equal(answer->distance, expected->distance);
            assert_true(answer->similarity == expected->similarity);
            assert_int_equal(answer->cluster_length, expected->cluster_length);
            assert_memory_equal(answer->cluster, expected->cluster, answer->cluster_length);
            nd_stream_close(s);
        }
        nd_stream *s = open_stream(directory, ND_INDEX_READ, NULL);
        assert_int_equal(stream_look(going, &whole, NULL), ND_OK);
        assert_int_equal(stream_look(s, &resumed, NULL), ND_OK);
        assert_string_equal(resumed.text, whole.text);
        assert_non_null(strstr(resumed.text, " \u98de\u789f:"));
        assert_null(strstr(resumed.text, " \u98de:"));
        assert_int_equal(strstr(resumed.text, " \u770b\u89c1:") == NULL, sketch == 1);
        nd_stream_close(s);
        nd_stream_close(going);
    }
    nd_stop_words_free(stop);
    nd_dictionary_free(dictionary);
    remove_all();
}

/* No other command may search the index of such a stream: its words would be different. */
static void test_its_index(void **state) {
    (void)state;
    nd_dictionary *dictionary = dictionary_of(words);
    parts o = parts_of(ND_SKETCH_MINHASH);
    nd_index *index;
    nd_index_searcher *searcher;
    nd_error error;
    o.analyzer.kind = ND_SEGMENT;
    o.analyzer.dictionary = dictionary;
    remove_all();
    nd_stream_close(open_stream(directory, ND_INDEX_WRITE, options_of(&o)));
    assert_int_equal(
        nd_index_open("stream_words_test.state/index", ND_INDEX_READ, NULL, &index, &error), ND_OK);
    assert_int_equal(nd_index_searcher_create(index, &searcher, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "the index of a stream with the analyzer segment"));
    nd_index_close(index);
    nd_dictionary_free(dictionary);
    remove_all();
}

/* Without ICU and without a dictionary a text cannot be segmented, and no stream is left behind. */
static void test_without_icu(void **state) {
    (void)state;
    if (strstr(nd_features(), "icu")) skip();
    parts o = parts_of(ND_SKETCH_SIMHASH);
    nd_stream *s;
    nd_error error;
    o.analyzer.kind = ND_SEGMENT;
    remove_all();
    assert_int_equal(nd_stream_open(directory, ND_INDEX_WRITE, options_of(&o), NULL, &s, &error),
                     ND_ERR_UNSUPPORTED);
    assert_int_equal(nd_stream_open(directory, ND_INDEX_READ, NULL, NULL, &s, &error), ND_ERR_IO);
    remove_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dictionary_is_kept_to),
                                       cmocka_unit_test(test_stop_words_and_tables_are_kept_to),
                                       cmocka_unit_test(test_stems_are_kept_to),
                                       cmocka_unit_test(test_icu_is_kept_to),
                                       cmocka_unit_test(test_resumed),
                                       cmocka_unit_test(test_its_index),
                                       cmocka_unit_test(test_without_icu)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
