/* ND_MEASURE_CONTAINMENT: nd_dedup, nd_pairs and nd_audit, compared with comparing all pairs. The
 * texts are parts of each other, pages of a template, copies, tiny and empty. Their hashes are
 * fixed, and so are the pairs that anchors find: all of them. */
#include "base/limits.h"
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"

#include "neardup.h"

static corpus texts;
static nd_overlap overlaps[MOST][MOST];
static size_t order[MOST]; /* by rank */

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* ---- texts */

/* Appends a part of the words of another text. */
static void add_part(char *text, uint64_t *seed, const char *other) {
    size_t length = strlen(other), begin = length ? random_below(seed, length) : 0;
    while (begin > 0 && other[begin - 1] != ' ') begin--;
    size_t size = length - begin;
    if (random_below(seed, 2)) size = random_below(seed, size + 1);
    strncat(text, other + begin, size);
    strcat(text, " ");
}

/* Every third text has parts of earlier ones, every fourth is a page of a template. */
static void make_texts(uint64_t seed, size_t count) {
    char template[1200] = "";
    make_corpus(&texts, seed, count);
    add_words(template, &seed, 120, 500);
    for (size_t d = 1; d < count; d++) {
        char text[4000] = "";
        bool page = random_below(&seed, 4) == 0;
        if (!page && random_below(&seed, 3) > 0) continue;
        add_words(text, &seed, random_below(&seed, 2) * random_below(&seed, 60), 100000);
        strcat(text, " ");
        if (page) strcat(text, template);
        else add_part(text, &seed, texts.text[random_below(&seed, d)]);
        strcat(text, " ");
        add_words(text, &seed, random_below(&seed, page ? 40 : 150), 100000);
        free(texts.text[d]);
        texts.text[d] = strdup(text);
    }
}

/* ---- the truth */

static void compare_all(const nd_analyzer_options *options) {
    static uint64_t sets[MOST][4000];
    size_t sizes[MOST];
    nd_analyzer *analyzer;
    nd_error error;
    must(nd_analyzer_create(options, NULL, &analyzer, &error), &error);
    for (size_t d = 0; d < texts.count; d++) {
        nd_shingles s;
        must(nd_analyze(analyzer, texts.text[d], strlen(texts.text[d]), &s, &error), &error);
        memcpy(sets[d], s.hashes, s.count * sizeof *s.hashes);
        sizes[d] = nd_set_make(sets[d], s.count);
    }
    for (size_t a = 0; a < texts.count; a++)
        for (size_t b = 0; b < texts.count; b++)
            overlaps[a][b] = nd_set_overlap(sets[a], sizes[a], sets[b], sizes[b]);
    nd_analyzer_free(analyzer);
}

static int by_length(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b, long_x = strlen(texts.text[x]),
           long_y = strlen(texts.text[y]);
    if (long_x != long_y) return long_x > long_y ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void rank_all(nd_keep keep) {
    for (size_t d = 0; d < texts.count; d++) order[d] = d;
    if (keep == ND_KEEP_LONGEST) qsort(order, texts.count, sizeof *order, by_length);
}

/* ---- the answers */

typedef struct answers {
    nd_decision decisions[MOST];
    bool pair[MOST][MOST];
    uint64_t pairs;
} answers;

static answers given;

static bool take_decision(void *context, const nd_decision *d) {
    answers *a = context;
    a->decisions[d->document] = *d;
    return true;
}

static bool take_pair(void *context, const nd_pair *p) {
    answers *a = context;
    const nd_overlap *overlap = &overlaps[p->document_a][p->document_b];
    assert_true(p->containment == nd_containment(*overlap));
    assert_true(p->jaccard == nd_jaccard(*overlap));
    assert_int_equal(p->intersection, overlap->intersection);
    assert_int_equal(p->distance, 0);
    a->pair[p->document_a][p->document_b] = a->pair[p->document_b][p->document_a] = true;
    a->pairs++;
    return true;
}

static void check_decisions(const answers *a, double threshold) {
    bool kept[MOST];
    for (size_t r = 0; r < texts.count; r++) {
        size_t d = order[r];
        const nd_decision *decision = &a->decisions[d];
        kept[d] = true;
        for (size_t e = 0; e < r && kept[d]; e++)
            kept[d] = !kept[order[e]] || nd_containment(overlaps[order[e]][d]) < threshold;
        assert_int_equal(decision->kept, kept[d]);
        if (kept[d]) continue;
        const nd_overlap *overlap = &overlaps[decision->evidence][d];
        assert_true(kept[decision->evidence]);
        assert_true(decision->containment == nd_containment(*overlap));
        assert_true(decision->containment >= threshold);
        assert_true(decision->jaccard == nd_jaccard(*overlap));
    }
}

static void check_pairs(const answers *a, double threshold) {
    uint64_t expected = 0;
    for (size_t x = 0; x < texts.count; x++)
        for (size_t y = 0; y < x; y++) {
            bool duplicate = nd_containment(overlaps[x][y]) >= threshold;
            assert_int_equal(a->pair[x][y], duplicate);
            expected += duplicate;
        }
    assert_int_equal(a->pairs, expected);
}

static void check_audit(job_parts *o, uint64_t pairs) {
    nd_audit_result r = {.struct_size = sizeof r};
    nd_error error;
    o->audit.sample = MOST;
    texts.next = 0;
    must(nd_audit(audit_of(o), &r, NULL, &error), &error);
    assert_int_equal(r.true_pairs, 2 * pairs);
    assert_int_equal(r.missed, 0);
    assert_int_equal(r.wrong, 0);
    assert_int_equal(r.left, 0);
    assert_true(r.promised > .99);
}

static void check_job(job_parts *o) {
    nd_error error;
    memset(&given, 0, sizeof given);
    rank_all(o->survivors.keep);
    o->outputs.context = &given;
    o->outputs.on_decision = take_decision;
    texts.next = 0;
    must(nd_dedup(dedup_of(o), NULL, &error), &error);
    check_decisions(&given, o->similarity.threshold);
    o->outputs.on_pair = take_pair;
    texts.next = 0;
    must(nd_pairs(pairs_of(o), NULL, &error), &error);
    o->outputs.on_pair = NULL;
    check_pairs(&given, o->similarity.threshold);
    check_audit(o, given.pairs);
}

/* ---- tests */

static job_parts job_of(double threshold) {
    job_parts o;
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = &texts;
    o.analyzer.ngram = 2;
    o.similarity.measure = ND_MEASURE_CONTAINMENT;
    o.similarity.threshold = threshold;
    o.similarity.recall = .99999;
    return o;
}

static void test_against_all_pairs(void **state) {
    (void)state;
    static const double thresholds[] = {.3, .5, .8, 1};
    for (uint64_t seed = 1; seed <= test_rounds(ND_LIMIT(8, 4)); seed++) {
        make_texts(seed, MOST);
        job_parts o = job_of(.8);
        compare_all(&o.analyzer);
        for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
            o.similarity.threshold = thresholds[t];
            o.resources.threads = t % 2 ? 1 : 3;
            o.survivors.keep = (seed + t / 2) % 2 ? ND_KEEP_LONGEST : ND_KEEP_FIRST;
            check_job(&o);
        }
        free_corpus(&texts);
    }
}

/* Chains of duplicates are one component, of which the first document stays. */
static void test_components(void **state) {
    (void)state;
    make_texts(5, MOST);
    job_parts o = job_of(.8);
    nd_error error;
    size_t first[MOST];
    compare_all(&o.analyzer);
    o.survivors.group = ND_GROUP_COMPONENT;
    o.outputs.context = &given;
    o.outputs.on_decision = take_decision;
    texts.next = 0;
    must(nd_dedup(dedup_of(&o), NULL, &error), &error);
    for (size_t d = 0; d < MOST; d++) first[d] = d;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < MOST; a++)
            for (size_t b = 0; b < MOST; b++)
                if (first[a] < first[b] && nd_containment(overlaps[a][b]) >= .8) {
                    first[b] = first[a];
                    changed = true;
                }
    }
    for (size_t d = 0; d < MOST; d++) {
        assert_int_equal(given.decisions[d].kept, first[d] == d);
        assert_int_equal(given.decisions[d].evidence, first[d]);
    }
    free_corpus(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_pairs),
        cmocka_unit_test(test_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
