/* nd_audit: the counts of a sample of all documents, compared with all pairs, compared exactly, and
 * with the answers of nd_pairs and nd_dedup; and how often the intervals of small samples have the
 * shares of all documents. */
#include "all_overlaps.h"
#include "job_parts.h"
#include "test.h"

#include "base/limits.h"
#include "neardup.h"

static corpus texts;
/* ---- the answers */

typedef struct answers {
    bool pair[MOST][MOST], kept[MOST];
    uint64_t evidence[MOST];
} answers;

static bool take_pair(void *context, const nd_pair *p) {
    answers *a = context;
    a->pair[p->document_a][p->document_b] = a->pair[p->document_b][p->document_a] = true;
    return true;
}

static bool take_decision(void *context, const nd_decision *d) {
    answers *a = context;
    a->kept[d->document] = d->kept;
    a->evidence[d->document] = d->evidence;
    return true;
}

static void ask(job_parts *o, answers *a) {
    nd_error error;
    memset(a, 0, sizeof *a);
    o->outputs.context = a;
    o->outputs.on_decision = take_decision;
    texts.next = 0;
    must(nd_dedup(dedup_of(o), NULL, &error), &error);
    o->outputs.on_pair = take_pair;
    texts.next = 0;
    must(nd_pairs(pairs_of(o), NULL, &error), &error);
    o->outputs.on_pair = NULL;
}

/* The result for all documents, without intervals. */
static nd_audit_result expected_of(const job_parts *o, const answers *a) {
    nd_audit_result r = {.documents = texts.count, .sampled = texts.count};
    double threshold = o->similarity.threshold;
    for (size_t x = 0; x < texts.count; x++) {
        bool left = false;
        for (size_t y = 0; y < texts.count; y++) {
            if (x == y || nd_jaccard(overlaps[x][y]) < threshold) continue;
            r.true_pairs++;
            r.copies += copies[x][y];
            r.found += a->pair[x][y] || copies[x][y];
            left = left || (a->kept[x] && a->kept[y]);
        }
        r.kept += a->kept[x];
        r.left += left;
        r.removed += !a->kept[x];
        r.wrong += nd_jaccard(overlaps[x][a->evidence[x]]) < threshold;
    }
    r.missed = r.true_pairs - r.found;
    return r;
}

/* ---- missed pairs */

typedef struct missed {
    const answers *answers;
    uint64_t rows, pairs;
    uint64_t last_a, last_b;
} missed;

static bool check_missed(void *context, const nd_missed_pair *p) {
    missed *m = context;
    const nd_overlap *overlap = &overlaps[p->document_a][p->document_b];
    assert_true(p->jaccard == nd_jaccard(*overlap));
    assert_int_equal(p->intersection, overlap->intersection);
    assert_int_equal(p->set_union, overlap->size_a + overlap->size_b - overlap->intersection);
    assert_false(m->answers->pair[p->document_a][p->document_b]);
    assert_int_equal(p->remains,
                     m->answers->kept[p->document_a] && m->answers->kept[p->document_b]);
    assert_string_equal(p->source_a, "");
    assert_int_equal(p->line_b, p->document_b + 1);
    assert_int_equal(p->id_a_length, strlen(texts.id[p->document_a]));
    assert_memory_equal(p->id_a, texts.id[p->document_a], p->id_a_length);
    assert_memory_equal(p->id_b, texts.id[p->document_b], p->id_b_length);
    assert_true(m->rows == 0 || p->document_a > m->last_a ||
                (p->document_a == m->last_a && p->document_b > m->last_b));
    m->last_a = p->document_a;
    m->last_b = p->document_b;
    m->rows++;
    m->pairs += p->pairs;
    return true;
}

/* ---- tests */

static job_parts job_of(double threshold) {
    job_parts o;
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = &texts;
    o.analyzer.ngram = 2;
    o.similarity.threshold = threshold;
    o.resources.threads = 2;
    return o;
}

static nd_audit_result audit(job_parts *o) {
    nd_audit_result r = {.struct_size = sizeof r};
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    texts.next = 0;
    must(nd_audit(audit_of(o), &r, &summary, &error), &error);
    assert_int_equal(summary.documents, texts.count);
    return r;
}

static void assert_exact(const nd_audit_share *s, uint64_t part, uint64_t whole) {
    double share = whole > 0 ? (double)part / (double)whole : 1;
    assert_true(fabs(s->share - share) < 1e-12);
    assert_true(whole == 0 ? s->low == 0 && s->high == 1
                           : s->low == s->share && s->high == s->share);
}

/* The sample has all documents. */
static void check_all(job_parts *o, uint64_t *missed_pairs, uint64_t *wrong) {
    static answers a;
    ask(o, &a);
    nd_audit_result expected = expected_of(o, &a);
    missed m = {.answers = &a};
    o->audit.sample = MOST;
    o->audit.on_missed = check_missed;
    o->audit.context = &m;
    nd_audit_result r = audit(o);
    assert_int_equal(r.documents, expected.documents);
    assert_int_equal(r.sampled, expected.sampled);
    assert_int_equal(r.true_pairs, expected.true_pairs);
    assert_int_equal(r.copies, expected.copies);
    assert_int_equal(r.found, expected.found);
    assert_int_equal(r.missed, expected.missed);
    assert_int_equal(r.missed, m.pairs);
    assert_int_equal(r.kept, expected.kept);
    assert_int_equal(r.left, expected.left);
    assert_int_equal(r.removed, expected.removed);
    assert_int_equal(r.wrong, expected.wrong);
    assert_exact(&r.recall, r.found, r.true_pairs);
    assert_exact(&r.precision, r.removed - r.wrong, r.removed);
    assert_exact(&r.clean, r.kept - r.left, r.kept);
    *missed_pairs += r.missed;
    *wrong += r.wrong;
}

static void test_all_documents(void **state) {
    (void)state;
    uint64_t lost = 0, wrong = 0, lost_well = 0, wrong_well = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        make_corpus(&texts, seed, seed == 6 ? 1 : 150 + 40 * seed);
        job_parts o = job_of(seed % 2 ? .5 : .8);
        compare_all(&texts, &o.analyzer);
        check_all(&o, &lost_well, &wrong_well);
        o.similarity.perms = 4;
        o.similarity.recall = .3;
        o.similarity.max_compare = 1;
        check_all(&o, &lost, &wrong_well);
        o.similarity.max_compare = 1000;
        o.survivors.keep = ND_KEEP_LONGEST;
        check_all(&o, &lost, &wrong_well);
        o.similarity.verify = ND_VERIFY_NONE;
        check_all(&o, &lost, &wrong);
        o.survivors.group = ND_GROUP_COMPONENT;
        check_all(&o, &lost, &wrong);
        o.similarity.sketch = ND_SKETCH_SENTENCES;
        check_all(&o, &lost, &wrong);
        o.similarity.sketch = ND_SKETCH_TLSH;
        check_all(&o, &lost, &wrong);
        o.similarity.sketch = ND_SKETCH_SIMHASH;
        check_all(&o, &lost, &wrong);
        o.similarity.verify = ND_VERIFY_COSINE;
        o.survivors.group = ND_GROUP_GREEDY;
        check_all(&o, &lost, &wrong);
        free_corpus(&texts);
    }
    assert_true(lost > 1000);
    assert_true(wrong > 100);
    assert_true(lost_well < lost / 100);
    assert_int_equal(wrong_well, 0);
}

/* Of an empty input, nothing is known. */
static void test_no_documents(void **state) {
    (void)state;
    make_corpus(&texts, 1, 0);
    job_parts o = job_of(.8);
    nd_audit_result r = audit(&o);
    assert_int_equal(r.documents + r.sampled + r.true_pairs + r.kept + r.removed, 0);
    assert_exact(&r.recall, 0, 0);
    assert_exact(&r.clean, 0, 0);
    free_corpus(&texts);
}

typedef struct rows {
    uint64_t hash, count, stop;
} rows;

static bool hash_missed(void *context, const nd_missed_pair *p) {
    rows *r = context;
    r->hash = nd_mix64(r->hash ^ (p->document_a << 32 | p->document_b)) + p->pairs;
    return ++r->count != r->stop;
}

static void test_threads_and_cancel(void **state) {
    (void)state;
    make_corpus(&texts, 9, MOST);
    rows first = {0};
    nd_audit_result one = {0};
    for (uint32_t threads = 1; threads <= 4; threads++) {
        rows r = {0};
        job_parts o = job_of(.5);
        o.similarity.perms = 20;
        o.similarity.recall = .2;
        o.audit.sample = 150;
        o.audit.seed = 5;
        o.audit.on_missed = hash_missed;
        o.audit.context = &r;
        o.resources.threads = threads;
        nd_audit_result result = audit(&o);
        if (threads == 1) one = result, first = r;
        assert_memory_equal(&result, &one, sizeof one);
        assert_int_equal(r.hash, first.hash);
        assert_true(r.count > 20);
        r = (rows){.stop = 20};
        texts.next = 0;
        assert_int_equal(nd_audit(audit_of(&o), &result, NULL, NULL), ND_ERR_CANCELLED);
        assert_int_equal(r.count, 20);
    }
    free_corpus(&texts);
}

/* ---- coverage */

/* Of fewer seeds, too few intervals would have the share by chance alone. */
enum { SEEDS = 400 };

typedef struct coverage {
    unsigned recall, precision, clean;
} coverage;

static bool has(const nd_audit_share *s, double share) {
    return s->low <= share && share <= s->high;
}

static coverage covered(job_parts *o, uint64_t sample) {
    coverage c = {0};
    o->audit.on_missed = NULL;
    o->audit.sample = MOST;
    const nd_audit_result all = audit(o);
    assert_true(all.missed > 0);
    o->audit.sample = sample;
    for (o->audit.seed = 0; o->audit.seed < SEEDS; o->audit.seed++) {
        nd_audit_result r = audit(o);
        assert_int_equal(r.sampled, sample);
        assert_int_equal(r.kept + r.removed, sample);
        c.recall += has(&r.recall, all.recall.share);
        c.precision += has(&r.precision, all.precision.share);
        c.clean += has(&r.clean, all.clean.share);
    }
    return c;
}

static void test_coverage(void **state) {
    (void)state;
    const unsigned least = SEEDS * 93 / 100;
    for (uint64_t sample = 60; sample <= 240; sample *= 2) {
        make_corpus(&texts, sample, MOST);
        job_parts o = job_of(.5);
        o.similarity.perms = 3;
        o.similarity.recall = .5;
        o.similarity.verify = ND_VERIFY_NONE;
        coverage c = covered(&o, sample);
        assert_in_range(c.recall, least, SEEDS);
        assert_in_range(c.precision, least, SEEDS);
        assert_in_range(c.clean, least, SEEDS);
        free_corpus(&texts);
    }
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
