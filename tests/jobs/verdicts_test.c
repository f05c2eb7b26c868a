/* The figures that callbacks get about a pair, to the last bit: cosines equal those of nd_compare,
 * estimates equal the definition in doc/internals/formats.md. */
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"

static corpus texts;

typedef struct checking {
    const job_parts *options;
    uint64_t pairs, low; /* reported pairs, and pairs of components that are below the threshold */
} checking;

static job_parts options_of(checking *t) {
    job_parts o;
    job_parts_init(&o);
    texts.next = 0;
    o.input.records = give;
    o.input.records_context = &texts;
    o.analyzer.ngram = 2;
    o.similarity.threshold = .5;
    o.outputs.context = t;
    return o;
}

static double cosine_of(uint64_t a, uint64_t b) {
    nd_comparison *c;
    nd_error error;
    nd_compare_options o;
    nd_compare_options_init(&o, sizeof o);
    if (nd_compare(&o, texts.text[a], strlen(texts.text[a]), texts.text[b], strlen(texts.text[b]),
                   &c, &error) != ND_OK)
        fail_msg("%s", error.message);
    double cosine = c->cosine;
    nd_comparison_free(c);
    return cosine;
}

static bool check_cosine(void *context, const nd_pair *pair) {
    checking *t = context;
    t->pairs++;
    assert_true(pair->cosine == cosine_of(pair->document_a, pair->document_b) || pair->cosine == 1);
    return true;
}

static void sign(uint64_t d, uint32_t perms, uint32_t *signature) {
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    nd_shingles shingles;
    nd_analyzer_options options;
    nd_analyzer_options_init(&options, sizeof options);
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

static void check_estimate(checking *t, uint64_t a, uint64_t b, double jaccard, bool estimated,
                           uint64_t intersection, uint64_t set_union) {
    assert_true(estimated);
    assert_int_equal(intersection, 0);
    assert_int_equal(set_union, 0);
    assert_true(jaccard == estimate_of(a, b, t->options->similarity.perms));
    t->low += jaccard < t->options->similarity.threshold;
}

static bool check_estimated_pair(void *context, const nd_pair *p) {
    checking *t = context;
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
    checking t = {0};
    nd_error error;
    job_parts o = options_of(&t);
    o.similarity.sketch = ND_SKETCH_SIMHASH;
    o.similarity.verify = ND_VERIFY_COSINE;
    o.simhash.weighting = ND_WEIGHTING_TF;
    o.analyzer.ngram = 1;
    o.similarity.k = 12;
    o.outputs.on_pair = check_cosine;
    if (nd_pairs(pairs_of(&o), NULL, &error) != ND_OK) fail_msg("%s", error.message);
    assert_true(t.pairs > 100);
}

static void test_estimates(void **state) {
    (void)state;
    for (uint32_t perms = 40; perms <= 131; perms += 91) {
        checking t = {0};
        nd_error error;
        job_parts o = options_of(&t);
        o.similarity.perms = perms;
        o.similarity.recall = .9;
        o.similarity.verify = ND_VERIFY_NONE;
        o.outputs.on_pair = check_estimated_pair;
        t.options = &o;
        if (nd_pairs(pairs_of(&o), NULL, &error) != ND_OK) fail_msg("%s", error.message);
        assert_true(t.pairs > 100 && t.low == 0);
    }
}

/* The first document of a component and another of its documents need not be candidates. */
static void test_components(void **state) {
    (void)state;
    checking t = {0};
    nd_error error;
    job_parts o = options_of(&t);
    o.similarity.verify = ND_VERIFY_NONE;
    o.survivors.group = ND_GROUP_COMPONENT;
    o.outputs.on_decision = check_decision;
    t.options = &o;
    if (nd_dedup(dedup_of(&o), NULL, &error) != ND_OK) fail_msg("%s", error.message);
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
