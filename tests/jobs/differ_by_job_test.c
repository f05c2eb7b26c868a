/* Jobs whose documents numbers and listed words keep apart, against plain means: the pairs are
 * those of the same job without such lists, but for pairs whose numbers or words differ. The oracle
 * knows these from the parts of which it makes the texts. */
#include "corpus_job.h"

/* A part of a text; equal `mark`: the same number or listed word; 0: neither. */
typedef struct part {
    const char *text;
    unsigned mark;
} part;

static const part parts[] = {
    {"5", 1},        {"\uff15", 1}, {"\u0665", 1},       {"9", 2},      {"1.2", 3},
    {"1\uff0e2", 3}, {"v1.2!", 3},  {"2.1", 4},          {"04/05", 5},  {"05/04", 6},
    {"not", 7},      {"NOT", 7},    {"\u542f\u7528", 8}, {"\u542f", 0}, {"nothing", 0}};
enum { PARTS = sizeof parts / sizeof *parts, TEXTS = 300, LONGEST = 600 };

static const char *const lists[] = {"numbers", "not,\u542f\u7528"};

typedef struct found {
    bool pairs[TEXTS][TEXTS];
    bool removed[TEXTS];
    uint32_t kept[TEXTS];
} found;

static unsigned marks[TEXTS]; /* by document: the marks of its parts, as bits */

static bool take_pair(void *context, const nd_pair *pair) {
    found *f = context;
    f->pairs[pair->document_a][pair->document_b] = true;
    return true;
}

static bool take_decision(void *context, const nd_decision *d) {
    found *f = context;
    f->removed[d->document] = !d->kept;
    f->kept[d->document] = (uint32_t)d->evidence;
    return true;
}

/* A text has words of its family, and some parts among them. */
static void make_texts(corpus *c, uint64_t seed) {
    c->count = TEXTS;
    for (size_t d = 0; d < TEXTS; d++) {
        char text[LONGEST] = "";
        unsigned family = (unsigned)random_below(&seed, 12);
        marks[d] = 0;
        for (unsigned word = 0; word < 20; word++) {
            sprintf(text + strlen(text), "%cw%c%c ", 'a' + (char)family, 'a' + (char)word,
                    random_below(&seed, 40) ? 'a' : 'b');
            if (random_below(&seed, 12)) continue;
            const part *p = &parts[random_below(&seed, PARTS)];
            sprintf(text + strlen(text), "%s ", p->text);
            if (p->mark) marks[d] |= 1u << p->mark;
        }
        c->text[d] = strdup(text);
        sprintf(c->id[d], "d%zu", d);
    }
}

static job_parts job_of(corpus *c, uint32_t threads, bool apart, nd_sketch sketch) {
    job_parts o = corpus_job(c, threads);
    o.similarity.threshold = .4;
    o.similarity.sketch = sketch;
    o.similarity.k = 10;
    o.analyzer.ngram = 1;
    o.similarity.differ_by = lists;
    o.similarity.differ_by_count = apart ? 2 : 0;
    return o;
}

static void run_job(corpus *c, uint32_t threads, bool apart, nd_sketch sketch, found *pairs,
                    found *decided, nd_job_summary *summary) {
    nd_error error;
    job_parts o = job_of(c, threads, apart, sketch);
    o.outputs.on_pair = take_pair;
    o.outputs.context = pairs;
    memset(pairs, 0, sizeof *pairs);
    memset(decided, 0, sizeof *decided);
    if (nd_pairs(pairs_of(&o), summary, &error) != ND_OK) fail_msg("%s", error.message);
    o = job_of(c, threads, apart, sketch);
    o.outputs.on_decision = take_decision;
    o.outputs.context = decided;
    if (nd_dedup(dedup_of(&o), summary, &error) != ND_OK) fail_msg("%s", error.message);
}

/* The pairs with lists are those without, where the marks are the same; the decisions follow. */
static void check(const found *all, const found *apart, const found *decided) {
    size_t left = 0, parted = 0;
    for (size_t b = 0; b < TEXTS; b++) {
        size_t first = b;
        for (size_t a = 0; a < b; a++) {
            bool same = marks[a] == marks[b];
            assert_int_equal(apart->pairs[a][b], all->pairs[a][b] && same);
            left += all->pairs[a][b] && same;
            parted += all->pairs[a][b] && !same;
            if (first == b && apart->pairs[a][b] && !decided->removed[a]) first = a;
        }
        assert_int_equal(decided->removed[b], first != b);
        assert_int_equal(decided->kept[b], first);
    }
    assert_true(left > 20 && parted > 20);
}

static void test_oracle(void **state) {
    (void)state;
    static corpus c;
    static found all, apart, decided;
    const nd_sketch sketches[] = {ND_SKETCH_MINHASH, ND_SKETCH_SIMHASH};
    nd_job_summary summary = {.struct_size = sizeof summary};
    for (unsigned round = 0; round < 6; round++) {
        make_texts(&c, round);
        nd_sketch sketch = sketches[round % 2];
        run_job(&c, 1 + round % 3, false, sketch, &all, &decided, &summary);
        assert_int_equal(summary.kept_apart, 0);
        run_job(&c, 1 + round % 3, true, sketch, &apart, &decided, &summary);
        assert_true(summary.kept_apart > 0);
        check(&all, &apart, &decided);
        free_corpus(&c);
    }
}

/* Many texts that are alike but for their numbers: none uses up the comparisons of another. */
static void test_large_buckets(void **state) {
    (void)state;
    static corpus c;
    static found decided;
    nd_error error;
    nd_job_summary summary = {.struct_size = sizeof summary};
    c.count = TEXTS;
    for (size_t d = 0; d < TEXTS; d++) {
        char text[LONGEST];
        sprintf(text,
                "the price of cattle on day %zu of the year was as high as it was before, and "
                "nobody knows why%s",
                d % (TEXTS / 2), d < TEXTS / 2 ? "" : " it is so");
        c.text[d] = strdup(text);
        sprintf(c.id[d], "d%zu", d);
    }
    job_parts o = corpus_job(&c, 2);
    o.similarity.differ_by = lists;
    o.similarity.differ_by_count = 1;
    o.similarity.max_compare = 3;
    o.outputs.on_decision = take_decision;
    o.outputs.context = &decided;
    if (nd_dedup(dedup_of(&o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    for (size_t d = 0; d < TEXTS; d++) assert_int_equal(decided.removed[d], d >= TEXTS / 2);
    assert_int_equal(summary.bounded_comparisons, 0);
    free_corpus(&c);
}

/* The audit of all documents counts pairs that are kept apart as no true pairs. */
static void test_audit(void **state) {
    (void)state;
    static corpus c;
    static found apart, decided;
    nd_error error;
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_audit_result result = {.struct_size = sizeof result};
    make_texts(&c, 99);
    run_job(&c, 2, true, ND_SKETCH_MINHASH, &apart, &decided, &summary);
    job_parts o = job_of(&c, 2, true, ND_SKETCH_MINHASH);
    o.audit.sample = TEXTS;
    if (nd_audit(audit_of(&o), &result, NULL, &error) != ND_OK) fail_msg("%s", error.message);
    uint64_t pairs = 0;
    for (size_t a = 0; a < TEXTS; a++)
        for (size_t b = a; b < TEXTS; b++) pairs += apart.pairs[a][b];
    assert_int_equal(result.found, 2 * pairs);
    assert_int_equal(result.wrong, 0);
    assert_true(result.missed * 100 < result.true_pairs);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_oracle),
                                       cmocka_unit_test(test_large_buckets),
                                       cmocka_unit_test(test_audit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
