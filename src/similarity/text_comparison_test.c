/* A comparison against the single calls of the library for the same texts; its passages against
 * their definition. */
#include "neardup.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TOKENS = 600 };

static char path[64];

static const char *file_of(const char *text) {
    strcpy(path, "/tmp/compare_test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static nd_weights *table_of(const char *text) {
    nd_weights *weights = NULL;
    assert_int_equal(nd_weights_read(file_of(text), 1, NULL, &weights, NULL), ND_OK);
    unlink(path);
    return weights;
}

/* Options of a comparison, and its analyzer's. */
typedef struct comparing {
    nd_compare_options options;
    nd_analyzer_options analyzer;
} comparing;

static nd_compare_options *comparing_init(comparing *c) {
    nd_compare_options_init(&c->options, sizeof c->options);
    nd_analyzer_options_init(&c->analyzer, sizeof c->analyzer);
    c->options.analyzer = &c->analyzer;
    return &c->options;
}

static nd_comparison *compare(const nd_compare_options *options, const char *a, const char *b) {
    nd_comparison *out = NULL;
    nd_error error;
    if (nd_compare(options, a, strlen(a), b, strlen(b), &out, &error) != ND_OK)
        fail_msg("%s", error.message);
    return out;
}

/* ---- measures */

static void assert_near(double a, double b) { assert_true(fabs(a - b) < 1e-12); }

static nd_shingles shingles_of(nd_analyzer *analyzer, const char *text) {
    nd_shingles out;
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &out, NULL), ND_OK);
    out.hashes = memcpy(malloc(out.count * sizeof *out.hashes), out.hashes,
                        out.count * sizeof *out.hashes);
    return out;
}

/* The cosine of two texts, feature by feature. */
static double plain_cosine(nd_analyzer *analyzer, const nd_weights *table, const char *a,
                           const char *b) {
    nd_shingles x = shingles_of(analyzer, a), y = shingles_of(analyzer, b);
    double product = 0, square_x = 0, square_y = 0;
    for (int which = 0; which < 2; which++) {
        const nd_shingles *s = which ? &y : &x;
        for (size_t i = 0; i < s->count; i++) {
            double in_x = 0, in_y = 0,
                   weight = table && s->tokens > 0 ? nd_weights_of(table, s->hashes[i]) : 1;
            bool seen = false;
            for (size_t j = 0; j < i; j++) seen |= s->hashes[j] == s->hashes[i];
            if (seen) continue;
            for (size_t j = 0; j < x.count; j++) in_x += x.hashes[j] == s->hashes[i] ? weight : 0;
            for (size_t j = 0; j < y.count; j++) in_y += y.hashes[j] == s->hashes[i] ? weight : 0;
            if (which == 0) {
                product += in_x * in_y;
                square_x += in_x * in_x;
            } else {
                square_y += in_y * in_y;
            }
        }
    }
    free(x.hashes);
    free(y.hashes);
    return square_x > 0 && square_y > 0 ? product / sqrt(square_x * square_y) : 0;
}

static void check_estimate(nd_estimate got, nd_estimate expected) {
    assert_near(got.value, expected.value);
    assert_near(got.error, expected.error);
}

static void check_bottom_k(const nd_compare_options *o, const nd_comparison *c,
                           const nd_shingles *x, const nd_shingles *y) {
    nd_bottom_k *a, *b;
    nd_bottom_k_estimates both;
    assert_int_equal(nd_bottom_k_create(o->bottom_k, o->analyzer->seed, NULL, &a, NULL), ND_OK);
    assert_int_equal(nd_bottom_k_create(o->bottom_k, o->analyzer->seed, NULL, &b, NULL), ND_OK);
    nd_bottom_k_add(a, x->hashes, x->count);
    nd_bottom_k_add(b, y->hashes, y->count);
    assert_int_equal(nd_bottom_k_estimate(a, b, &both, NULL), ND_OK);
    check_estimate(c->a.size, nd_bottom_k_size(a));
    check_estimate(c->b.size, nd_bottom_k_size(b));
    check_estimate(c->bottom_k.jaccard, both.jaccard);
    check_estimate(c->bottom_k.a_in_b, both.a_in_b);
    check_estimate(c->bottom_k.b_in_a, both.b_in_a);
    check_estimate(c->bottom_k.intersection, both.intersection);
    check_estimate(c->bottom_k.set_union, both.set_union);
    nd_bottom_k_free(a);
    nd_bottom_k_free(b);
}

static void check_measures(const nd_compare_options *o, nd_analyzer *shingler,
                           nd_analyzer *featurer, const char *a, const char *b) {
    nd_comparison *c = compare(o, a, b);
    nd_overlap overlap;
    nd_fingerprint print_a, print_b;
    nd_minhash *minhash;
    uint32_t signature_a[1024], signature_b[1024];
    nd_shingles x = shingles_of(shingler, a), y = shingles_of(shingler, b);
    nd_simhash_options simhash = {sizeof simhash, .bits = o->bits,
                                  .weighting = o->table ? ND_WEIGHTING_TABLE : ND_WEIGHTING_TF,
                                  .table = o->table};
    assert_int_equal(nd_compare_texts(shingler, a, strlen(a), b, strlen(b), &overlap, NULL), ND_OK);
    assert_int_equal(c->a.tokens, x.tokens);
    assert_int_equal(c->b.tokens, y.tokens);
    assert_int_equal(c->a.shingles, overlap.size_a);
    assert_int_equal(c->b.shingles, overlap.size_b);
    assert_int_equal(c->intersection, overlap.intersection);
    assert_int_equal(c->set_union, overlap.size_a + overlap.size_b - overlap.intersection);
    assert_near(c->jaccard, (double)c->intersection / (double)c->set_union);
    assert_near(c->a_in_b, (double)c->intersection / (double)overlap.size_a);
    assert_near(c->b_in_a, (double)c->intersection / (double)overlap.size_b);
    assert_near(c->containment, c->a_in_b > c->b_in_a ? c->a_in_b : c->b_in_a);
    assert_near(c->cosine, plain_cosine(featurer, NULL, a, b));
    assert_true(o->table ? fabs(c->weighted_cosine - plain_cosine(featurer, o->table, a, b)) < 1e-9
                         : isnan(c->weighted_cosine));
    assert_int_equal(nd_simhash_text(featurer, &simhash, a, strlen(a), &print_a, NULL), ND_OK);
    assert_int_equal(nd_simhash_text(featurer, &simhash, b, strlen(b), &print_b, NULL), ND_OK);
    assert_memory_equal(&c->a.fingerprint, &print_a, sizeof print_a);
    assert_memory_equal(&c->b.fingerprint, &print_b, sizeof print_b);
    assert_int_equal(c->bits, o->bits);
    assert_int_equal(c->distance, nd_distance(print_a, print_b));
    assert_int_equal(nd_minhash_create(o->perms, o->analyzer->seed, NULL, &minhash, NULL), ND_OK);
    nd_minhash_sign(minhash, x.hashes, x.count, signature_a);
    nd_minhash_sign(minhash, y.hashes, y.count, signature_b);
    assert_near(c->estimate, nd_minhash_estimate(signature_a, signature_b, o->perms));
    assert_near(c->standard_error, sqrt(c->jaccard * (1 - c->jaccard) / o->perms));
    check_bottom_k(o, c, &x, &y);
    assert_int_equal(c->plan.perms, o->perms);
    assert_near(c->found, nd_plan_probability(&c->plan, c->jaccard));
    nd_minhash_free(minhash);
    free(x.hashes);
    free(y.hashes);
    nd_comparison_free(c);
}

/* A random sentence, with copies of earlier pieces. */
static void random_text(uint64_t *seed, char *text, size_t words) {
    static const char *const some[] = {"the",
                                       "Stra\u00dfe",
                                       "of",
                                       "Caf\u00e9",
                                       "cafe\u0301",
                                       "\u6f22\u5b57",
                                       "\u0e01\u0e34\u0e19",
                                       "x_1",
                                       "!",
                                       "\U0001f642",
                                       "\u1112\u1161",
                                       "office",
                                       "o\ufb03ce",
                                       "a",
                                       "\u0645\u064f\u0631",
                                       "\u0915\u094d\u0937",
                                       "42",
                                       "b"};
    *text = 0;
    for (size_t i = 0; i < words; i++)
        sprintf(text + strlen(text), "%s%s", some[random_below(seed, 18)],
                random_below(seed, 9) ? " " : ", ");
}

static void test_measures(void **state) {
    (void)state;
    nd_weights *table = table_of("the 0.5\nof 0.25\nstrasse 7.125\n\u6f22 3\nabsent 4\n");
    uint64_t seed = 5;
    for (unsigned i = 0; i < 600; i++) {
        static char a[4000], b[4000];
        comparing c;
        nd_compare_options *o = comparing_init(&c);
        c.analyzer.ngram = 1 + i % 5;
        c.analyzer.kind = i % 4 == 3 ? ND_CHARS : ND_WORDS;
        o->bits = 16u << i % 4;
        o->perms = i % 3 ? 128 : 512;
        o->bottom_k = i % 2 ? 16 : 256;
        if (i % 4 == 2) o->feature_ngram = 3;
        if (i % 4 == 1) o->table = table;
        nd_analyzer_options features = c.analyzer;
        features.ngram = features.kind == ND_CHARS ? 5 : i % 4 == 2 ? 3 : 1;
        nd_analyzer *shingler, *featurer;
        assert_int_equal(nd_analyzer_create(&c.analyzer, NULL, &shingler, NULL), ND_OK);
        assert_int_equal(nd_analyzer_create(&features, NULL, &featurer, NULL), ND_OK);
        random_text(&seed, a, random_below(&seed, 60));
        random_text(&seed, b, random_below(&seed, 60));
        if (random_below(&seed, 2)) memcpy(b, a, strlen(a) / 2 / 2);
        if (nd_utf8_valid_prefix(b, strlen(b)) == strlen(b))
            check_measures(o, shingler, featurer, a, b);
        check_measures(o, shingler, featurer, a, a);
        nd_analyzer_free(shingler);
        nd_analyzer_free(featurer);
    }
    nd_weights_free(table);
}

/* ---- passages */

typedef struct token_list {
    char text[MOST_TOKENS][32];
    size_t begin[MOST_TOKENS], end[MOST_TOKENS], count;
} token_list;

static bool collect(void *context, const nd_token *token) {
    token_list *list = context;
    assert_true(list->count < MOST_TOKENS && token->length < 32);
    memset(list->text[list->count], 0, 32);
    memcpy(list->text[list->count], token->text, token->length);
    list->begin[list->count] = token->begin;
    list->end[list->count++] = token->end;
    return true;
}

static token_list *tokens_of(const nd_analyzer_options *options, const char *text) {
    nd_analyzer *analyzer;
    token_list *list = calloc(1, sizeof *list);
    assert_int_equal(nd_analyzer_create(options, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_tokenize(analyzer, text, strlen(text), collect, list, NULL), ND_OK);
    nd_analyzer_free(analyzer);
    return list;
}

/* The definition in neardup.h, word for word. */
static size_t plain_passages(const token_list *a, const token_list *b, size_t least, size_t gap,
                             nd_passage *out) {
    size_t used = 0, last_a = 0, last_b = 0; /* ends of the last passage */
    for (size_t i = 0; i < a->count;) {
        size_t most = 0, where = 0;
        for (size_t j = 0; j < b->count; j++) {
            size_t n = 0;
            while (i + n < a->count && j + n < b->count &&
                   strcmp(a->text[i + n], b->text[j + n]) == 0)
                n++;
            if (n > most) {
                most = n;
                where = j;
            }
        }
        if (most < least) {
            i++;
            continue;
        }
        if (used == 0 || i - last_a > gap || where < last_b || where - last_b > gap)
            out[used++] = (nd_passage){a->begin[i], 0, b->begin[where], 0, 0};
        last_a = i + most;
        last_b = where + most;
        out[used - 1].a_end = a->end[last_a - 1];
        out[used - 1].b_end = b->end[last_b - 1];
        out[used - 1].tokens += most;
        i += most;
    }
    return used;
}

static void test_passages(void **state) {
    (void)state;
    uint64_t seed = 7;
    size_t merged = 0, several = 0;
    for (int round = 0; round < 3000; round++) {
        static char a[8000], b[8000], piece[8000];
        nd_passage expected[MOST_TOKENS];
        nd_compare_options o;
        nd_compare_options_init(&o, sizeof o);
        o.least_run = 1 + (uint32_t)random_below(&seed, 6);
        o.gap = (uint32_t)random_below(&seed, 4);
        *a = *b = 0;
        for (uint64_t n = random_below(&seed, 13); n > 0; n--) {
            random_text(&seed, piece, random_below(&seed, 14));
            if (random_below(&seed, 3)) strcat(a, piece);
            if (random_below(&seed, 3)) strcat(b, piece);
        }
        token_list *x = tokens_of(NULL, a), *y = tokens_of(NULL, b);
        nd_comparison *c = compare(&o, a, b);
        assert_int_equal(c->passage_count, plain_passages(x, y, o.least_run, o.gap, expected));
        for (size_t i = 0; i < c->passage_count; i++)
            assert_memory_equal(&c->passages[i], &expected[i], sizeof *expected);
        several += c->passage_count > 2;
        o.gap = 0;
        merged += plain_passages(x, y, o.least_run, 0, expected) > c->passage_count;
        nd_comparison_free(c);
        free(x);
        free(y);
    }
    assert_true(several > 300 && merged > 100);
}

/* ---- segments */

/* nd_record_fn: the one query. */
static int give_query(void *context, nd_record *out) {
    const char **text = context;
    if (!*text) return 0;
    *out = (nd_record){.text = *text, .length = strlen(*text)};
    *text = NULL;
    return 1;
}

typedef struct passage_list {
    const nd_comparison *expected;
    size_t count;
} passage_list;

/* nd_passages_fn */
static bool check_passage(void *context, const nd_found_passage *found) {
    passage_list *list = context;
    assert_true(list->count < list->expected->passage_count);
    assert_memory_equal(&found->passage, &list->expected->passages[list->count++],
                        sizeof(nd_passage));
    return true;
}

/* A job finds the passages of a pair. */
static void check_job(const nd_compare_options *o, const char *a, const char *b,
                      const nd_comparison *expected) {
    char directory[] = "/tmp/compare_test-XXXXXX", file[64];
    assert_non_null(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/b", directory);
    FILE *out = fopen(file, "w");
    assert_true(out && fputs(b, out) >= 0 && fclose(out) == 0);
    nd_input_options query;
    nd_input_options_init(&query, sizeof query);
    query.records = give_query;
    query.records_context = &a;
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.threads = 1;
    const nd_passages_options passages = {
        sizeof passages,           .input = &query, .source = directory,    .analyzer = o->analyzer,
        .least_run = o->least_run, .gap = o->gap,   .resources = &resources};
    passage_list list = {.expected = expected};
    nd_error error;
    if (nd_passages(&passages, check_passage, &list, NULL, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_int_equal(list.count, expected->passage_count);
    assert_int_equal(remove(file), 0);
    assert_int_equal(rmdir(directory), 0);
}

/* Texts of dictionary words, some of which are parts of others: the passages are the ones of the
 * definition, and begin and end with words. */
static void test_segments(void **state) {
    (void)state;
    static const char *const some[] = {
        "\u7532\u4e59", "\u7532\u4e59\u4e19",      "\u4e19\u4e01", "\u4e01", "51\u4e59", "\uff0c",
        "Stra\u00dfe ", "\u0e44\u0e17\u0e22\u3002"};
    nd_dictionary *dictionary = NULL;
    assert_int_equal(
        nd_dictionary_read(file_of("\u7532\u4e59 3\n\u7532\u4e59\u4e19 2\n\u4e19\u4e01 "
                                   "2\n\u4e01\n51\u4e59\n\u0e44\u0e17\u0e22\n"),
                           NULL, &dictionary, NULL),
        ND_OK);
    unlink(path);
    uint64_t seed = 11;
    size_t reported = 0;
    for (unsigned i = 0; i < 300; i++) {
        char a[800] = "", b[800] = "";
        nd_passage expected[MOST_TOKENS];
        comparing with;
        nd_compare_options *o = comparing_init(&with);
        with.analyzer.kind = ND_SEGMENT;
        with.analyzer.dictionary = dictionary;
        o->least_run = 1 + i % 4;
        o->gap = i % 3;
        for (unsigned n = (unsigned)random_below(&seed, 30); n > 0; n--)
            strcat(a, some[random_below(&seed, 8)]);
        for (unsigned n = (unsigned)random_below(&seed, 30); n > 0; n--)
            strcat(b, some[random_below(&seed, 8)]);
        token_list *x = tokens_of(o->analyzer, a), *y = tokens_of(o->analyzer, b);
        nd_comparison *c = compare(o, a, b);
        size_t count = plain_passages(x, y, o->least_run, o->gap, expected);
        assert_int_equal(c->passage_count, count);
        for (size_t p = 0; p < count; p++)
            assert_memory_equal(&c->passages[p], &expected[p], sizeof *expected);
        if (i % 5 == 0) check_job(o, a, b, c);
        reported += count;
        nd_comparison_free(c);
        free(x);
        free(y);
    }
    assert_true(reported > 300);
    /* By hand: the third character belongs to a different word in each text. */
    comparing with;
    nd_compare_options *o = comparing_init(&with);
    with.analyzer.kind = ND_SEGMENT;
    with.analyzer.dictionary = dictionary;
    o->least_run = 1;
    o->gap = 0;
    nd_comparison *c = compare(o, "\u7532\u4e59\u4e19\uff0c51\u4e59", "x\u4e19\u4e01 51\u4e59");
    assert_int_equal(c->passage_count, 1);
    assert_memory_equal(&c->passages[0], &((nd_passage){12, 17, 8, 13, 1}), sizeof(nd_passage));
    nd_comparison_free(c);
    nd_dictionary_free(dictionary);
}

/* ---- stop words and stems */

/* Stop words and stems change the features; all other measures are as without them. */
static void test_features(void **state) {
    (void)state;
    static const char a[] = "The cat sat on the mat", b[] = "A dog sat at the door";
    nd_stop_words *stop = NULL;
    assert_int_equal(nd_stop_words_read(file_of("the\na\non\nat\n"), 1, NULL, NULL, &stop, NULL),
                     ND_OK);
    unlink(path);
    comparing c;
    nd_compare_options *o = comparing_init(&c);
    c.analyzer.ngram = 1;
    nd_comparison *all = compare(o, a, b);
    o->stop = stop;
    nd_comparison *some = compare(o, a, b), *kept = compare(NULL, "cat sat mat", "dog sat door");
    assert_true(some->cosine == kept->cosine && some->cosine < all->cosine);
    assert_int_equal(some->distance, kept->distance);
    assert_int_equal(some->a.fingerprint.low, kept->a.fingerprint.low);
    assert_true(some->jaccard == all->jaccard);
    assert_int_equal(some->a.tokens, 6);
    nd_comparison_free(all);
    nd_comparison_free(some);
    nd_comparison_free(kept);
    nd_stop_words_free(stop);
    if (!strstr(nd_features(), "libstemmer")) return;
    o->stop = NULL;
    c.analyzer.stem = "english";
    some = compare(o, "cats chased dogs", "cat chases dog");
    assert_true(some->cosine == 1 && some->distance == 0 && some->jaccard == 0);
    nd_comparison_free(some);
}

static void test_by_hand(void **state) {
    (void)state;
    nd_comparison *c = compare(NULL, "So: The quick brown Fox jumps over the lazy dog!",
                               "the QUICK brown fox, jumps over the lazy dog. Then");
    assert_int_equal(c->passage_count, 1);
    assert_memory_equal(&c->passages[0], &((nd_passage){4, 47, 0, 44, 9}), sizeof(nd_passage));
    assert_int_equal(c->intersection, 5);
    assert_int_equal(c->set_union, 7);
    nd_comparison_free(c);
    /* One word of three has another form: two runs, and a gap of one. */
    nd_compare_options o;
    nd_compare_options_init(&o, sizeof o);
    o.least_run = 2;
    c = compare(&o, "eins zwei drei vier f\u00fcnf", "eins zwei DREI. 4 vier f\u00fcnf");
    assert_int_equal(c->passage_count, 1);
    assert_memory_equal(&c->passages[0], &((nd_passage){0, 25, 0, 28, 5}), sizeof(nd_passage));
    nd_comparison_free(c);
    /* Empty texts, and texts without tokens. */
    c = compare(NULL, "", "");
    assert_true(c->jaccard == 1 && c->cosine == 1 && c->distance == 0 && c->found == 1 &&
                c->passage_count == 0 && c->passages == NULL);
    nd_comparison_free(c);
    c = compare(NULL, "\U0001f642", "\U0001f641");
    assert_true(c->jaccard == 0 && c->cosine == 0 && c->found == 0 && c->a.tokens == 0 &&
                c->a.shingles == 1);
    nd_comparison_free(c);
    nd_comparison_free(NULL);
}

/* ---- errors */

static void expect_error(const nd_compare_options *o, const char *a, const char *b,
                         nd_status status, const char *message) {
    nd_error error;
    nd_comparison *out = NULL;
    assert_int_equal(nd_compare(o, a, strlen(a), b, strlen(b), &out, &error), status);
    assert_string_equal(error.message, message);
    assert_null(out);
}

static void test_errors(void **state) {
    (void)state;
    comparing c;
    nd_compare_options *o = &c.options;
    nd_weights *table = table_of("the 0.5\n");
    expect_error(NULL, "a\xff", "b", ND_ERR_INPUT, "a: invalid UTF-8 at byte 1");
    expect_error(NULL, "a", "bc\xe2\x82", ND_ERR_INPUT, "b: invalid UTF-8 at byte 2");
#define WITH(member, value) (comparing_init(&c), c.member = (value), o)
    expect_error(WITH(analyzer.ngram, 65), "a", "b", ND_ERR_ARGUMENT,
                 "ngram must be 1 to 64, not 65");
    expect_error(WITH(options.feature_ngram, 65), "a", "b", ND_ERR_ARGUMENT,
                 "feature_ngram must be 0 to 64, not 65");
    expect_error(WITH(options.bits, 20), "a", "b", ND_ERR_ARGUMENT,
                 "bits must be 16, 32, 64 or 128, not 20");
    expect_error(WITH(options.bottom_k, 1), "a", "b", ND_ERR_ARGUMENT,
                 "bottom_k must be 2 to 65536, not 1");
    expect_error(WITH(options.perms, 0), "a", "b", ND_ERR_ARGUMENT,
                 "perms must be 1 to 1024, not 0");
    expect_error(WITH(options.threshold, 2), "a", "b", ND_ERR_ARGUMENT,
                 "threshold must be above 0 and at most 1, not 2");
    expect_error(WITH(options.least_run, 0), "a", "b", ND_ERR_ARGUMENT,
                 "least_run must be at least 1, not 0");
    WITH(analyzer.seed, 2)->table = table;
    expect_error(o, "a", "b", ND_ERR_ARGUMENT,
                 "the table was read for seed 1, and the analyzer has 2");
    nd_stop_words *stop = NULL;
    assert_int_equal(nd_stop_words_read(file_of("the\n"), 1, NULL, NULL, &stop, NULL), ND_OK);
    unlink(path);
    (void)WITH(options.feature_ngram, 2);
    o->stop = stop;
    expect_error(o, "a", "b", ND_ERR_ARGUMENT,
                 "stop words are single words: they need the analyzer words or segment with ngram "
                 "1, not words with ngram 2");
    (void)WITH(analyzer.kind, ND_CHARS);
    c.analyzer.stem = "english";
    expect_error(o, "a", "b", ND_ERR_ARGUMENT, "stem is of words: kind must be ND_WORDS (0)");
    nd_stop_words_free(stop);
    nd_weights_free(table);
}

static void test_out_of_memory(void **state) {
    (void)state;
    static const char a[] = "one two three four five six seven eight nine",
                      b[] = "zero one two three four five six seven eight";
    nd_status status = ND_ERR_MEMORY;
    for (long left = 0; status != ND_OK; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_comparison *out = NULL;
        nd_error error;
        nd_compare_options o;
        nd_compare_options_init(&o, sizeof o);
        o.allocator = &allocator;
        status = nd_compare(&o, a, sizeof a - 1, b, sizeof b - 1, &out, &error);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        nd_comparison_free(out);
        assert_int_equal(failing.live, 0);
        assert_true(left < 200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),     cmocka_unit_test(test_passages),
        cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_segments),
        cmocka_unit_test(test_features),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
