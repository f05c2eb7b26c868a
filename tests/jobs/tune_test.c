/* nd_tune: the steps and the neighbours of a sample of all documents, compared with all pairs,
 * compared exactly; what nd_dedup removes beside them; and how often the intervals of small samples
 * have the shares of all documents. */
#include "all_overlaps.h"
#include "job_parts.h"
#include "test.h"

#include "base/limits.h"
#include "neardup.h"

static corpus texts;
static nd_measure measure;

static nd_tune_options options_of(job_parts *o, double lowest) {
    nd_tune_options options = *tune_of(o);
    options.lowest = lowest;
    options.measure = measure;
    options.sample = MOST;
    return options;
}

static job_parts job_of(unsigned seed) {
    job_parts o;
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = &texts;
    o.analyzer.ngram = 2 + seed % 2;
    o.resources.threads = 1 + seed % 3;
    return o;
}

static nd_tune_result tune(const nd_tune_options *options) {
    nd_tune_result r = {.struct_size = sizeof r};
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    texts.next = 0;
    must(nd_tune(options, &r, &summary, &error), &error);
    assert_int_equal(summary.documents, texts.count);
    return r;
}

/* ---- the truth */

static bool is_copy(size_t d) {
    for (size_t e = 0; e < d; e++)
        if (copies[d][e]) return true;
    return false;
}

static double similarity_of(size_t a, size_t b) {
    return measure == ND_MEASURE_JACCARD ? nd_jaccard(overlaps[a][b])
                                         : nd_containment(overlaps[a][b]);
}

/* The most similar document of [begin, end) that is no copy; texts.count: none reaches `lowest`. */
static size_t nearest_of(size_t d, size_t begin, size_t end, double lowest) {
    size_t best = texts.count;
    for (size_t e = begin; e < end; e++) {
        double similarity = similarity_of(d, e);
        if (similarity < lowest || copies[d][e] || is_copy(e)) continue;
        if (best == texts.count || similarity > similarity_of(d, best)) best = e;
    }
    return best;
}

static double similarity_to(size_t d, size_t other) {
    return other == texts.count ? 0 : similarity_of(d, other);
}

static void check_neighbour(const nd_neighbour *n, size_t d, size_t expected) {
    assert_true(n->similarity == similarity_to(d, expected));
    if (expected == texts.count) return;
    assert_int_equal(n->document, expected);
    assert_int_equal(n->intersection, overlaps[d][expected].intersection);
    assert_int_equal(n->named.id_length, strlen(texts.id[expected]));
    assert_memory_equal(n->named.id, texts.id[expected], n->named.id_length);
    assert_int_equal(n->named.line, expected + 1);
}

typedef struct seen {
    double lowest;
    size_t documents, next;
} seen;

/* nd_tuned_fn */
static bool check_document(void *context, const nd_tuned_document *t) {
    seen *s = context;
    size_t d = (size_t)t->document, count = 0;
    assert_true(d >= s->next);
    s->next = d + 1;
    s->documents++;
    for (size_t e = 0; e < texts.count; e++) count += e != d && copies[d][e];
    assert_false(is_copy(d));
    assert_true(t->sampled);
    assert_int_equal(t->copies, count);
    assert_int_equal(t->sampled_copies, count);
    assert_string_equal(t->named.source, "");
    assert_int_equal(t->named.line, d + 1);
    check_neighbour(&t->earlier, d, nearest_of(d, 0, d, s->lowest));
    check_neighbour(&t->later, d, nearest_of(d, d + 1, texts.count, s->lowest));
    return true;
}

static uint64_t check_step(const nd_tune_step *step, double lowest) {
    uint64_t removed = 0, groups = 0, nearest = 0;
    for (size_t d = 0; d < texts.count; d++) {
        if (is_copy(d)) {
            removed++;
            continue;
        }
        bool has_copy = false;
        double earlier = similarity_to(d, nearest_of(d, 0, d, lowest)),
               later = similarity_to(d, nearest_of(d, d + 1, texts.count, lowest));
        for (size_t e = d + 1; e < texts.count; e++) has_copy |= copies[d][e];
        removed += earlier >= step->threshold;
        groups += earlier < step->threshold && (has_copy || later >= step->threshold);
        nearest += earlier >= step->threshold &&
                   (step->threshold == 1 || (int)(earlier * 20 + 1e-9) < step->threshold * 20 + .5);
    }
    assert_true(fabs(step->removed.share * (double)texts.count - (double)removed) < 1e-6);
    assert_true(fabs(step->groups.share * (double)texts.count - (double)groups) < 1e-6);
    assert_true(step->removed.low == step->removed.share);
    assert_int_equal(step->nearest, nearest);
    return removed;
}

/* ---- tests */

static uint64_t removed_by_dedup(job_parts *o, double threshold, nd_group group) {
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    o->similarity.threshold = threshold;
    o->similarity.recall = .9999;
    o->similarity.perms = 256;
    o->similarity.measure = measure;
    o->survivors.group = group;
    texts.next = 0;
    must(nd_dedup(dedup_of(o), &summary, &error), &error);
    return summary.removed;
}

static void check_all_documents(void) {
    static const double lowest[] = {.5, .05, .72, 1};
    for (unsigned seed = 1; seed <= 8; seed++) {
        make_corpus(&texts, seed, seed == 8 ? 1 : 120 + 40 * seed);
        job_parts o = job_of(seed);
        seen s = {.lowest = lowest[seed % 4]};
        nd_tune_options options = options_of(&o, s.lowest);
        options.on_document = check_document;
        options.context = &s;
        compare_all(&texts, &o.analyzer);
        nd_tune_result r = tune(&options);
        assert_int_equal(r.documents, texts.count);
        assert_int_equal(r.sampled, texts.count);
        assert_int_equal(r.exact_copies, r.sampled_copies);
        assert_int_equal(s.documents, texts.count - r.exact_copies);
        assert_true(r.steps[r.first].threshold >= s.lowest);
        assert_true(r.first == 0 || r.steps[r.first - 1].threshold < s.lowest);
        for (uint64_t i = r.first; i < ND_TUNE_STEPS; i++) {
            uint64_t removed = check_step(&r.steps[i], s.lowest);
            if (i % 5 != 4 || s.lowest < .5) continue;
            assert_true(removed_by_dedup(&o, r.steps[i].threshold, ND_GROUP_GREEDY) <= removed);
            assert_true(removed_by_dedup(&o, r.steps[i].threshold, ND_GROUP_COMPONENT) >= removed);
        }
        free_corpus(&texts);
    }
}

static void test_all_documents(void **state) {
    (void)state;
    check_all_documents();
    measure = ND_MEASURE_CONTAINMENT;
    check_all_documents();
    measure = ND_MEASURE_JACCARD;
}

static void test_no_documents(void **state) {
    (void)state;
    make_corpus(&texts, 1, 0);
    job_parts o = job_of(0);
    const nd_tune_options options = options_of(&o, .5);
    nd_tune_result r = tune(&options);
    assert_int_equal(r.documents + r.sampled + r.exact_copies + r.steps[15].nearest, 0);
    assert_true(r.steps[15].removed.share == 0);
}

typedef struct taken {
    uint64_t hash, count, stop;
} taken;

/* nd_tuned_fn */
static bool hash_document(void *context, const nd_tuned_document *d) {
    taken *t = context;
    t->hash = nd_mix64(t->hash ^ (d->document << 40 | d->earlier.document << 20)) +
              d->later.intersection;
    return ++t->count != t->stop;
}

static void test_threads_and_cancel(void **state) {
    (void)state;
    make_corpus(&texts, 9, MOST);
    taken first = {0};
    nd_tune_result one = {0};
    for (uint32_t threads = 1; threads <= 4; threads++) {
        taken t = {0};
        job_parts o = job_of(0);
        nd_tune_options options = options_of(&o, .3);
        options.sample = 150;
        options.seed = 5;
        options.on_document = hash_document;
        options.context = &t;
        o.resources.threads = threads;
        nd_tune_result r = tune(&options);
        if (threads == 1) one = r, first = t;
        assert_memory_equal(&r, &one, sizeof one);
        assert_int_equal(t.hash, first.hash);
        assert_true(t.count > 50);
        t = (taken){.stop = 20};
        texts.next = 0;
        assert_int_equal(nd_tune(&options, &r, NULL, NULL), ND_ERR_CANCELLED);
        assert_int_equal(t.count, 20);
    }
    free_corpus(&texts);
}

static void test_coverage(void **state) {
    (void)state;
    enum { SEEDS = ND_LIMIT(400, 100), LEAST = SEEDS * 93 / 100, STEP = 9 };
    make_corpus(&texts, 3, MOST);
    job_parts o = job_of(0);
    nd_tune_options options = options_of(&o, .5);
    const nd_tune_result all = tune(&options);
    unsigned removed = 0, groups = 0;
    options.sample = 100;
    for (options.seed = 0; options.seed < SEEDS; options.seed++) {
        const nd_tune_result r = tune(&options);
        const nd_tune_step *s = &r.steps[STEP], *t = &all.steps[STEP];
        removed += s->removed.low <= t->removed.share && t->removed.share <= s->removed.high;
        groups += s->groups.low <= t->groups.share && t->groups.share <= s->groups.high;
    }
    assert_in_range(removed, LEAST, SEEDS);
    assert_in_range(groups, LEAST, SEEDS);
    free_corpus(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_documents),
        cmocka_unit_test(test_no_documents),
        cmocka_unit_test(test_threads_and_cancel),
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
