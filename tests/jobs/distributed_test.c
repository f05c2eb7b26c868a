/* nd_dedup done by the steps of distributed.h, as a cluster does it, against nd_dedup itself. */
#include "corpus_job.h"
#include "test.h"

enum { MOST_PERMS = 128, MOST_BANDS = 128 };

typedef struct document {
    uint64_t hash[2], keys[MOST_BANDS];
    uint8_t sketch[MOST_PERMS];
    uint64_t *set;
    size_t set_size;              /* shingles */
    uint32_t first;               /* the first document with the same hash */
    uint32_t buckets[MOST_BANDS]; /* the large ones */
    size_t bucket_count;
} document;

typedef struct state {
    const job_parts *options;
    nd_plan plan;
    size_t most_small; /* members of a small bucket */
    document documents[MOST];
    uint32_t count, bucket_count;
    nd_edge edges[MOST * MOST];
    size_t edge_count;
    bool listed[MOST], removed[MOST];
    uint32_t evidence[MOST];
    unsigned rounds;
    uint64_t left_out;
} state;

/* nd_signed_fn */
static bool take(void *context, const nd_signed *s) {
    state *t = context;
    document *d = &t->documents[t->count++];
    memcpy(d->hash, s->text_hash, sizeof d->hash);
    memcpy(d->keys, s->keys, t->plan.bands * sizeof *d->keys);
    for (uint32_t p = 0; p < t->plan.perms; p++) d->sketch[p] = (uint8_t)s->signature[p];
    for (uint32_t b = 0; b < t->plan.bands; b++) assert_true(d->keys[b] >> 38 == 0);
    d->set_size = s->set_size;
    d->set = malloc((s->set_size + 1) * sizeof *s->set);
    memcpy(d->set, s->set, s->set_size * sizeof *s->set);
    for (size_t i = 1; i < s->set_size; i++) assert_true(s->set[i - 1] < s->set[i]);
    return true;
}

static nd_sketched sketched_of(const document *d) {
    return (nd_sketched){d->sketch, d->set, d->set_size};
}

static void find_copies(state *t) {
    for (uint32_t d = 0; d < t->count; d++) {
        document *one = &t->documents[d];
        for (one->first = 0; one->first < d; one->first++)
            if (memcmp(one->hash, t->documents[one->first].hash, sizeof one->hash) == 0) break;
    }
}

static void add_edge(state *t, uint64_t later, uint64_t earlier) {
    assert_true(t->edge_count < sizeof t->edges / sizeof *t->edges);
    t->edges[t->edge_count++] = (nd_edge){later, earlier};
}

static void verify_pairs(state *t, nd_set_verifier *v, const uint32_t *members, size_t count) {
    for (size_t j = 1; j < count; j++) {
        nd_sketched later = sketched_of(&t->documents[members[j]]);
        nd_set_verifier_begin(v, &later);
        for (size_t i = 0; i < j; i++) {
            nd_sketched earlier = sketched_of(&t->documents[members[i]]);
            bool duplicate;
            nd_overlap overlap;
            assert_int_equal(nd_set_verifier_compare(v, &earlier, &duplicate, &overlap, NULL),
                             ND_OK);
            if (duplicate) add_edge(t, members[j], members[i]);
        }
    }
}

static void fill_buckets(state *t) {
    nd_set_verifier *v;
    uint32_t members[MOST];
    assert_int_equal(nd_set_verifier_create(t->plan.threshold, t->plan.perms, NULL, &v, NULL),
                     ND_OK);
    for (uint32_t band = 0; band < t->plan.bands; band++)
        for (uint32_t d = 0; d < t->count; d++) {
            size_t count = 0;
            bool begun = false; /* by an earlier document */
            for (uint32_t e = 0; e < t->count; e++) {
                if (t->documents[e].first != e ||
                    t->documents[e].keys[band] != t->documents[d].keys[band])
                    continue;
                begun = begun || e < d;
                members[count++] = e;
            }
            if (begun || t->documents[d].first != d || count < 2) continue;
            if (count <= t->most_small) verify_pairs(t, v, members, count);
            for (size_t i = 0; count > t->most_small && i < count; i++) {
                document *m = &t->documents[members[i]];
                m->buckets[m->bucket_count++] = t->bucket_count;
            }
            t->bucket_count += count > t->most_small;
        }
    nd_set_verifier_free(v);
}

static int by_order(const void *a, const void *b) {
    const nd_edge *x = a, *y = b;
    if (x->later != y->later) return x->later < y->later ? -1 : 1;
    return x->earlier < y->earlier ? -1 : x->earlier > y->earlier;
}

static void decide(state *t) {
    static bool decides[MOST * MOST];
    nd_edge_decider *d;
    assert_int_equal(nd_edge_decider_create(t->count, NULL, &d, NULL), ND_OK);
    qsort(t->edges, t->edge_count, sizeof *t->edges, by_order);
    size_t half = t->edge_count / 2;
    assert_int_equal(nd_edge_decider_take(d, t->edges, half, decides, NULL), ND_OK);
    assert_int_equal(
        nd_edge_decider_take(d, t->edges + half, t->edge_count - half, decides + half, NULL),
        ND_OK);
    nd_edge_decider_free(d);
    memset(t->removed, 0, sizeof t->removed);
    for (size_t i = 0; i < t->edge_count; i++) {
        if (!decides[i]) continue;
        t->removed[t->edges[i].later] = true;
        t->evidence[t->edges[i].later] = (uint32_t)t->edges[i].earlier;
    }
}

/* Compares the members of large buckets, assuming the decisions of the last round; in the first one
 * only removals are assumed. */
static void search_large(state *t) {
    nd_large_buckets *b;
    assert_int_equal(nd_large_buckets_create(t->plan.threshold, t->plan.perms,
                                             t->options->similarity.max_compare, NULL, &b, NULL),
                     ND_OK);
    t->left_out = 0;
    for (uint32_t d = 0; d < t->count; d++) {
        const document *one = &t->documents[d];
        nd_bucket_answer answer;
        if (one->bucket_count == 0) continue;
        const nd_bucket_member member = {.document = d,
                                         .buckets = one->buckets,
                                         .bucket_count = one->bucket_count,
                                         .sketched = sketched_of(one),
                                         .assumed = t->removed[d]   ? ND_ASSUMED_REMOVED
                                                    : t->rounds > 0 ? ND_ASSUMED_KEPT
                                                                    : ND_ASSUMED_UNKNOWN};
        assert_int_equal(nd_large_buckets_add(b, &member, &answer, NULL), ND_OK);
        t->listed[d] = answer.listed;
        t->left_out += answer.left_out;
        if (answer.found) add_edge(t, d, answer.earlier);
    }
    nd_large_buckets_free(b);
}

static bool is_consistent(const state *t) {
    for (uint32_t d = 0; d < t->count; d++)
        if (t->documents[d].bucket_count > 0 && t->listed[d] == t->removed[d]) return false;
    return true;
}

static void run_distributed(state *t) {
    find_copies(t);
    fill_buckets(t);
    decide(t);
    do {
        search_large(t);
        decide(t);
        t->rounds++;
    } while (!is_consistent(t));
}

/* nd_decision_fn */
static bool check(void *context, const nd_decision *decision) {
    const state *t = context;
    uint32_t d = (uint32_t)decision->document, first = t->documents[d].first, evidence = first;
    if (t->removed[first]) evidence = t->evidence[first];
    assert_int_equal(decision->kept, evidence == d);
    assert_int_equal(decision->evidence, evidence);
    return true;
}

static void run(uint64_t seed, unsigned *most_rounds, size_t *most_buckets) {
    static const double thresholds[] = {0.3, 0.5, 0.8, 0.9};
    static state t;
    corpus c = {0};
    make_corpus(&c, seed, 1 + random_below(&seed, MOST));
    job_parts o = corpus_job(&c, 1 + (uint32_t)random_below(&seed, 3));
    o.similarity.threshold = thresholds[random_below(&seed, 4)];
    o.similarity.recall = 0.9;
    o.similarity.perms = 32 + (uint32_t)random_below(&seed, MOST_PERMS - 31);
    o.similarity.max_compare = 100000;
    o.analyzer.ngram = 1 + (uint32_t)random_below(&seed, 5);
    t = (state){.options = &o, .most_small = 1 + random_below(&seed, 8)};
    assert_int_equal(nd_plan_choose(o.similarity.threshold, o.similarity.recall, o.similarity.perms,
                                    &t.plan, NULL),
                     ND_OK);
    nd_signatures_options signatures = *signatures_of(&o, o.similarity.perms);
    signatures.bands = t.plan.bands;
    signatures.rows = t.plan.rows;
    signatures.with_sets = true;
    assert_int_equal(nd_signatures(&signatures, take, &t, NULL, NULL), ND_OK);
    assert_int_equal(t.count, c.count);
    run_distributed(&t);
    assert_int_equal(t.left_out, 0);
    c.next = 0;
    o.outputs.on_decision = check;
    o.outputs.context = &t;
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, NULL), ND_OK);
    if (t.rounds > *most_rounds) *most_rounds = t.rounds;
    if (t.bucket_count > *most_buckets) *most_buckets = t.bucket_count;
    for (size_t d = 0; d < t.count; d++) free(t.documents[d].set);
    free_corpus(&c);
}

static void test_same_answers(void **unused) {
    (void)unused;
    unsigned most_rounds = 0;
    size_t most_buckets = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) run(seed, &most_rounds, &most_buckets);
    assert_true(most_rounds > 1 && most_buckets > 10);
}

/* ---- bounds and errors */

static void test_bound(void **unused) {
    (void)unused;
    enum { MEMBERS = 50, BOUND = 7 };
    nd_large_buckets *b;
    nd_bucket_answer answer;
    uint8_t sketch[16];
    static const uint32_t bucket = 0;
    uint64_t left_out = 0;
    assert_int_equal(nd_large_buckets_create(0.8, 16, BOUND, NULL, &b, NULL), ND_OK);
    for (unsigned m = 0; m < MEMBERS; m++) {
        memset(sketch, (int)m, sizeof sketch); /* none is near another */
        const nd_bucket_member member = {
            .document = m, .buckets = &bucket, .bucket_count = 1, .sketched = {sketch, NULL, 0}};
        assert_int_equal(nd_large_buckets_add(b, &member, &answer, NULL), ND_OK);
        assert_true(answer.listed && !answer.found);
        assert_int_equal(answer.left_out, m > BOUND ? m - BOUND : 0);
        left_out += answer.left_out;
    }
    assert_int_equal(left_out, (MEMBERS - BOUND) * (MEMBERS - BOUND - 1) / 2);
    const nd_bucket_member again = {.document = MEMBERS - 1};
    assert_int_equal(nd_large_buckets_add(b, &again, &answer, NULL), ND_ERR_ARGUMENT);
    nd_large_buckets_free(b);
}

/* A bucket that a member names twice has it once. */
static void test_named_twice(void **unused) {
    (void)unused;
    static const uint32_t twice[] = {2, 2, 0, 2};
    static const uint8_t sketch[16] = {1};
    nd_large_buckets *b;
    nd_bucket_answer answer;
    assert_int_equal(nd_large_buckets_create(0.8, 16, 1000, NULL, &b, NULL), ND_OK);
    for (unsigned m = 0; m < 300; m++) {
        const nd_bucket_member member = {.document = m,
                                         .buckets = twice,
                                         .bucket_count = 4,
                                         .sketched = {sketch, NULL, 0},
                                         .assumed = ND_ASSUMED_KEPT};
        assert_int_equal(nd_large_buckets_add(b, &member, &answer, NULL), ND_OK);
        assert_true(answer.listed && answer.found == (m > 0) && answer.earlier == 0);
    }
    nd_large_buckets_free(b);
}

/* Sets in another order, or with repeats, are refused, whichever document has them. */
static void test_sets_in_order(void **unused) {
    (void)unused;
    const uint8_t sketch[4] = {1, 2, 3, 4};
    const uint64_t sets[][3] = {{2, 5, 9}, {5, 2, 9}, {2, 9, 9}, {2, 9, 5}};
    nd_set_verifier *v;
    assert_int_equal(nd_set_verifier_create(0.5, 4, NULL, &v, NULL), ND_OK);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
            const nd_sketched one = {sketch, sets[a], 3}, other = {sketch, sets[b], 3};
            bool duplicate;
            nd_overlap overlap;
            nd_set_verifier_begin(v, &one);
            nd_status status = nd_set_verifier_compare(v, &other, &duplicate, &overlap, NULL);
            assert_int_equal(status, a + b > 0 ? ND_ERR_ARGUMENT : ND_OK);
            if (status == ND_OK) assert_true(duplicate && overlap.intersection == 3);
        }
    nd_set_verifier_free(v);
}

static void test_arguments(void **unused) {
    (void)unused;
    nd_set_verifier *v;
    nd_large_buckets *b;
    nd_edge_decider *d;
    bool decides[2];
    assert_int_equal(nd_set_verifier_create(1.5, 128, NULL, &v, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_set_verifier_create(0.5, 0, NULL, &v, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_large_buckets_create(0.5, 128, 0, NULL, &b, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_edge_decider_create(10, NULL, &d, NULL), ND_OK);
    static const nd_edge wrong[][2] = {{{1, 1}, {2, 1}},
                                       {{10, 1}, {2, 1}},
                                       {{3, 1}, {2, 1}},
                                       {{3, 2}, {3, 1}},
                                       {{1, 2}, {3, 1}}},
                         right[] = {{4, 1}, {5, 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(nd_edge_decider_take(d, wrong[i], 2, decides, NULL), ND_ERR_ARGUMENT);
    assert_int_equal(nd_edge_decider_take(d, right, 2, decides, NULL), ND_OK);
    assert_true(decides[0] && !decides[1]);
    assert_int_equal(nd_edge_decider_take(d, right, 1, decides, NULL), ND_ERR_ARGUMENT);
    nd_edge_decider_free(d);
    nd_set_verifier_free(NULL);
    nd_large_buckets_free(NULL);
    nd_edge_decider_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answers), cmocka_unit_test(test_bound),
        cmocka_unit_test(test_named_twice), cmocka_unit_test(test_sets_in_order),
        cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
