/* Jobs that find candidates by longest sentences, against the definition. Two documents are
 * duplicates when they have the same tokens, or when their signatures share a hash and the
 * similarity of their texts reaches the threshold. The oracle compares all pairs. */
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"

/* ---- the definition */

typedef struct sentence_features {
    uint64_t text_hash[2];
    uint64_t *set;
    size_t set_size;
    uint64_t sentences[8];
    uint32_t sentence_count;
} sentence_features;

static sentence_features features[MOST];

static void define_features(const corpus *c, const job_parts *o) {
    nd_analyzer_options options = {.struct_size = sizeof options,
                                   .kind = o->analyzer.kind,
                                   .ngram = o->analyzer.ngram,
                                   .seed = o->analyzer.seed};
    nd_analyzer *analyzer = NULL;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    for (size_t d = 0; d < c->count; d++) {
        sentence_features *f = &features[d];
        nd_shingles s;
        size_t length = strlen(c->text[d]);
        assert_int_equal(nd_sentence_signature(analyzer, c->text[d], length,
                                               o->similarity.sentences, f->sentences,
                                               &f->sentence_count, NULL),
                         ND_OK);
        assert_int_equal(nd_analyze(analyzer, c->text[d], length, &s, NULL), ND_OK);
        memcpy(f->text_hash, s.text_hash, sizeof s.text_hash);
        f->set = malloc(s.count * sizeof *f->set);
        memcpy(f->set, s.hashes, s.count * sizeof *f->set);
        f->set_size = nd_set_make(f->set, s.count);
    }
    nd_analyzer_free(analyzer);
}

static nd_overlap overlap_of(uint64_t a, uint64_t b) {
    return nd_set_overlap(features[a].set, features[a].set_size, features[b].set,
                          features[b].set_size);
}

static bool share_sentence(const sentence_features *a, const sentence_features *b) {
    for (uint32_t i = 0; i < a->sentence_count; i++)
        for (uint32_t j = 0; j < b->sentence_count; j++)
            if (a->sentences[i] == b->sentences[j]) return true;
    return false;
}

static bool is_duplicate(const job_parts *o, size_t a, size_t b) {
    if (memcmp(features[a].text_hash, features[b].text_hash, sizeof features[a].text_hash) == 0)
        return true;
    return share_sentence(&features[a], &features[b]) &&
           nd_jaccard(overlap_of(a, b)) >= o->similarity.threshold;
}

/* ---- jobs against the definition */

typedef struct check {
    const job_parts *options;
    bool kept[MOST];
    uint8_t pairs[MOST][MOST];
} check;

static check k;

/* Decisions come in the order of input, so all earlier documents have been decided. */
static bool check_decision(void *context, const nd_decision *d) {
    (void)context;
    uint64_t evidence = d->document;
    for (uint64_t i = 0; i < d->document && evidence == d->document; i++)
        if (k.kept[i] && is_duplicate(k.options, i, d->document)) evidence = i;
    assert_int_equal(d->evidence, evidence);
    assert_int_equal(d->kept, evidence == d->document);
    assert_false(d->estimated);
    k.kept[d->document] = d->kept;
    if (!d->kept) assert_int_equal(d->intersection, overlap_of(evidence, d->document).intersection);
    return true;
}

static bool check_pair(void *context, const nd_pair *p) {
    (void)context;
    k.pairs[p->document_b][p->document_a]++;
    return true;
}

static void run_jobs(corpus *c, job_parts *o, uint64_t *missed) {
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error = {0};
    k = (check){.options = o};
    c->next = 0;
    o->outputs.on_pair = NULL;
    if (nd_dedup(dedup_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(summary.kept + summary.removed, c->count);
    assert_int_equal(summary.bounded_documents, 0);
    assert_int_equal(summary.sentences, o->similarity.sentences);
    c->next = 0;
    o->outputs.on_pair = check_pair;
    if (nd_pairs(pairs_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    uint64_t count = 0;
    for (size_t b = 0; b < c->count; b++)
        for (size_t a = 0; a < b; a++) {
            bool wanted = is_duplicate(o, a, b);
            assert_int_equal(k.pairs[b][a], wanted);
            count += wanted;
            *missed += !wanted && nd_jaccard(overlap_of(a, b)) >= o->similarity.threshold;
        }
    assert_int_equal(summary.pairs, count);
}

/* ---- corpora */

static void add_sentence(char *text, uint64_t *seed) {
    static const char *const ends[] = {". ", "! ", "?\n", "\n\n"};
    strcat(text, "A");
    add_words(text, seed, 1 + random_below(seed, 14), random_below(seed, 3) ? 1000 : 3);
    strcat(text, ends[random_below(seed, 4)]);
}

/* Makes edited copies, without their first sentence or with one more at the end. Many share a long
 * sentence, so that there are large buckets. */
static void make_articles(corpus *c, uint64_t *seed) {
    c->count = random_below(seed, 150);
    for (size_t d = 0; d < c->count; d++) {
        char text[4000] = "";
        if (d > 0 && random_below(seed, 2)) {
            const char *copied = c->text[random_below(seed, d)],
                       *begin = random_below(seed, 2) ? strpbrk(copied, ".!?\n") : NULL;
            snprintf(text, 2000, "%s", begin ? begin : copied);
            edit(text, seed, (unsigned)random_below(seed, 3));
            if (random_below(seed, 2)) add_sentence(text, seed);
        } else {
            for (size_t s = random_below(seed, 9); s > 0; s--) add_sentence(text, seed);
            if (random_below(seed, 4) == 0)
                strcat(text, "All of the rights that there may be are reserved by whoever has "
                             "written this page. ");
        }
        c->text[d] = strdup(text);
        snprintf(c->id[d], sizeof c->id[d], "d%zu", d);
    }
}

static job_parts options_of(corpus *c) {
    job_parts o;
    job_parts_init(&o);
    o.similarity.sketch = ND_SKETCH_SENTENCES;
    o.input.records = give;
    o.input.records_context = c;
    return o;
}

static void test_definition(void **state) {
    (void)state;
    static corpus c;
    uint64_t seed = 11, missed = 0;
    for (unsigned round = 0; round < 60; round++) {
        job_parts o = options_of(&c);
        make_articles(&c, &seed);
        o.outputs.on_decision = check_decision;
        o.resources.threads = (uint32_t)(1 + random_below(&seed, 3));
        o.similarity.sentences = (uint32_t)(1 + random_below(&seed, 8));
        o.similarity.threshold = random_below(&seed, 2) ? 0.8 : 0.3;
        o.analyzer.ngram = (uint32_t)(1 + random_below(&seed, 5));
        define_features(&c, &o);
        run_jobs(&c, &o, &missed);
        for (size_t d = 0; d < c.count; d++) free(features[d].set);
        free_corpus(&c);
    }
    assert_true(missed > 0); /* so some decisions depend on the sentences */
}

static void expect_rejected(job_parts *o, const char *message) {
    nd_error error;
    assert_int_equal(nd_dedup(dedup_of(o), NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void test_arguments(void **state) {
    (void)state;
    corpus c = {.count = 0};
    job_parts o = options_of(&c);
    o.similarity.sentences = 0;
    expect_rejected(&o, "sentences must be 1 to 64, not 0");
    o.similarity.sentences = 65;
    expect_rejected(&o, "sentences must be 1 to 64, not 65");
    o = options_of(&c);
    o.similarity.threshold = 0;
    expect_rejected(&o, "threshold must be above 0 and at most 1, not 0");
    o = options_of(&c);
    o.similarity.perms = 0;
    expect_rejected(&o, "perms must be 1 to 1024, not 0");
    o = options_of(&c);
    o.index.path = "nowhere";
    expect_rejected(&o,
                    "an index is of MinHash sketches: with one, sketch must be ND_SKETCH_MINHASH");
    o = options_of(&c);
    o.similarity.verify = ND_VERIFY_COSINE;
    expect_rejected(
        &o, "verify must be ND_VERIFY_COSINE with ND_SKETCH_SIMHASH alone: it is of the vectors "
            "that fingerprints are made of");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition),
                                       cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
