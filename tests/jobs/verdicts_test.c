/* What callbacks are told of a pair, to the last bit: cosines as nd_compare has them, estimates as
 * doc/internals/formats.md defines them. */
#include "neardup.h"
#include "small_corpus.h"
#include "test.h"

static corpus texts;

typedef struct told {
    const nd_job_options *options;
    uint64_t pairs, low; /* pairs; those below the threshold, of components */
} told;

static nd_job_options options_of(told *t) {
    nd_job_options o;
    nd_job_options_init(&o);
    texts.next = 0;
    o.records = give;
    o.records_context = &texts;
    o.ngram = 2;
    o.threshold = .5;
    o.result_context = t;
    return o;
}

static double cosine_of(uint64_t a, uint64_t b) {
    nd_comparison *c;
    nd_error error;
    nd_compare_options o;
    nd_compare_options_init(&o);
    if (nd_compare(&o, texts.text[a], strlen(texts.text[a]), texts.text[b], strlen(texts.text[b]),
                   NULL, &c, &error) != ND_OK)
        fail_msg("%s", error.message);
    double cosine = c->cosine;
    nd_comparison_free(c);
    return cosine;
}

static bool check_cosine(void *context, const nd_pair *pair) {
    told *t = context;
    t->pairs++;
    assert_true(pair->cosine == cosine_of(pair->document_a, pair->document_b) || pair->cosine == 1);
    return true;
}

static void sign(uint64_t d, uint32_t perms, uint32_t *signature) {
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    nd_shingles shingles;
    nd_analyzer_options options;
    nd_analyzer_options_init(&options);
    options.ngram = 2;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_minhash_create(perms, 1, NULL, &minhash, NULL), ND_OK);
    assert_int_equal(nd_analyze(analyzer, texts.text[d], strlen(texts.text[d]), &shingles, NULL),
                     ND_OK);
    nd_minhash_sign(minhash, shingles.hashes, shingles.count, signature);
    nd_minhash_free(minhash);
    nd_analyzer_free(analyzer);
}

static double estimate_of(uint64_t a, uint64_t b, uint32_t perms) {
    uint32_t signatures[2][1024];
    double equal = 0;
    sign(a, perms, signatures[0]);
    sign(b, perms, signatures[1]);
    for (uint32_t i = 0; i < perms; i++)
        equal += (signatures[0][i] & 0xff) == (signatures[1][i] & 0xff);
    double estimate = (equal / perms - 1. / 256) / (1 - 1. / 256);
    return estimate < 0 ? 0 : estimate;
}

static void check_estimate(told *t, uint64_t a, uint64_t b, double jaccard, bool estimated,
                           uint64_t intersection, uint64_t set_union) {
    assert_true(estimated);
    assert_int_equal(intersection, 0);
    assert_int_equal(set_union, 0);
    assert_true(jaccard == estimate_of(a, b, t->options->perms));
    t->low += jaccard < t->options->threshold;
}

static bool check_estimated_pair(void *context, const nd_pair *p) {
    told *t = context;
    t->pairs++;
    check_estimate(t, p->document_a, p->document_b, p->jaccard, p->estimated, p->intersection,
                   p->set_union);
    return true;
}

static bool check_decision(void *context, const nd_decision *d) {
    if (!d->kept)
        check_estimate(context, d->evidence, d->document, d->jaccard, d->estimated, d->intersection,
                       d->set_union);
    return true;
}

static void test_cosines(void **state) {
    (void)state;
    told t = {0};
    nd_error error;
    nd_job_options o = options_of(&t);
    o.sketch = ND_SKETCH_SIMHASH;
    o.verify = ND_VERIFY_COSINE;
    o.simhash.weighting = ND_WEIGHTING_TF;
    o.ngram = 1;
    o.k = 12;
    o.on_pair = check_cosine;
    if (nd_pairs(&o, NULL, &error) != ND_OK) fail_msg("%s", error.message);
    assert_true(t.pairs > 100);
}

static void test_estimates(void **state) {
    (void)state;
    for (uint32_t perms = 40; perms <= 131; perms += 91) {
        told t = {0};
        nd_error error;
        nd_job_options o = options_of(&t);
        o.perms = perms;
        o.recall = .9;
        o.verify = ND_VERIFY_NONE;
        o.on_pair = check_estimated_pair;
        t.options = &o;
        if (nd_pairs(&o, NULL, &error) != ND_OK) fail_msg("%s", error.message);
        assert_true(t.pairs > 100 && t.low == 0);
    }
}

/* The first of a component and another of it may be no candidates. */
static void test_components(void **state) {
    (void)state;
    told t = {0};
    nd_error error;
    nd_job_options o = options_of(&t);
    o.verify = ND_VERIFY_NONE;
    o.group = ND_GROUP_COMPONENT;
    o.on_decision = check_decision;
    t.options = &o;
    if (nd_dedup(&o, NULL, &error) != ND_OK) fail_msg("%s", error.message);
    assert_true(t.low > 0);
}

static int begin(void **state) {
    (void)state;
    make_corpus(&texts, 3, 300);
    return 0;
}

static int end(void **state) {
    (void)state;
    free_corpus(&texts);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cosines),
                                       cmocka_unit_test(test_estimates),
                                       cmocka_unit_test(test_components)};
    return cmocka_run_group_tests(tests, begin, end);
}
