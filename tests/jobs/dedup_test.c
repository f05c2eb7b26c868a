/* Whole jobs against a plain implementation of the definition: a document is removed exactly when
 * an earlier kept candidate (they share a band key) has at least the threshold's similarity, and
 * it is not protected; the first such document is its evidence. */
#include "base/limits.h"
#include "sketch/band_key.h"
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PERMS = 64 };

/* ---- the definition */

typedef struct features {
    uint64_t *set;
    size_t size;
    uint32_t signature[MAX_PERMS];
    uint64_t text_hash[2]; /* equal token sequences have equal ones */
} features;

typedef struct answer {
    bool kept[MOST];
    uint32_t evidence[MOST];
    nd_overlap overlap[MOST];
    uint64_t spared;
} answer;

static features analyze(const job_parts *o, const char *text) {
    features f;
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    nd_shingles shingles;
    assert_int_equal(nd_analyzer_create(&o->analyzer, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_minhash_create(o->similarity.perms, o->analyzer.seed, NULL, &minhash, NULL),
                     ND_OK);
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), &shingles, NULL), ND_OK);
    nd_minhash_sign(minhash, shingles.hashes, shingles.count, f.signature);
    f.set = malloc(shingles.count * sizeof *f.set);
    memcpy(f.set, shingles.hashes, shingles.count * sizeof *f.set);
    f.size = nd_set_make(f.set, shingles.count);
    memcpy(f.text_hash, shingles.text_hash, sizeof f.text_hash);
    nd_minhash_free(minhash);
    nd_analyzer_free(analyzer);
    return f;
}

static bool share_band(const nd_plan *plan, const features *a, const features *b) {
    for (uint32_t band = 0; band < plan->bands; band++)
        if (memcmp(a->signature + band * plan->rows, b->signature + band * plan->rows,
                   plan->rows * sizeof *a->signature) == 0)
            return true;
    return false;
}

/* Whether two documents are duplicates by the definition. The filter by sketches is included: the
 * library promises that it changes no result. */
static bool duplicate(const job_parts *o, const nd_plan *plan, const features *a, const features *b,
                      nd_overlap *overlap) {
    *overlap = nd_set_overlap(a->set, a->size, b->set, b->size);
    return share_band(plan, a, b) && nd_jaccard(*overlap) >= o->similarity.threshold;
}

static const corpus *sorted_corpus;
static const job_parts *sorted_options;

/* The document with the smaller key comes first. */
static double order_key(uint32_t d) {
    double p = sorted_corpus->priority[d];
    switch (sorted_options->survivors.keep) {
    case ND_KEEP_LONGEST: return -(double)strlen(sorted_corpus->text[d]);
    case ND_KEEP_MAX: return isnan(p) ? INFINITY : -p;
    case ND_KEEP_MIN: return isnan(p) ? INFINITY : p;
    default: return 0;
    }
}

static int by_priority(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    bool px = sorted_corpus->is_protected[x], py = sorted_corpus->is_protected[y];
    if (px != py) return px ? -1 : 1;
    double kx = order_key(x), ky = order_key(y);
    if (kx != ky) return kx < ky ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* An exact copy of a protected document, which is not protected itself, goes for the first such
 * document, whatever else it duplicates. */
static void define_copies(const corpus *c, const uint32_t *order, const features *f, answer *out) {
    for (size_t j = 0; j < c->count; j++) {
        uint32_t b = order[j];
        for (size_t i = 0; i < j && !c->is_protected[b]; i++) {
            uint32_t a = order[i];
            if (!c->is_protected[a] ||
                memcmp(f[a].text_hash, f[b].text_hash, sizeof f[a].text_hash) != 0)
                continue;
            assert_false(out->kept[b]);
            out->evidence[b] = a;
            out->overlap[b] = nd_set_overlap(f[a].set, f[a].size, f[b].set, f[b].size);
            break;
        }
    }
}

static void define(const corpus *c, const job_parts *o, const features *f, answer *out) {
    nd_plan plan;
    uint32_t order[MOST];
    assert_int_equal(nd_plan_choose(o->similarity.threshold, o->similarity.recall,
                                    o->similarity.perms, &plan, NULL),
                     ND_OK);
    for (uint32_t d = 0; d < c->count; d++) order[d] = d;
    sorted_corpus = c;
    sorted_options = o;
    qsort(order, c->count, sizeof *order, by_priority);
    out->spared = 0;
    for (size_t j = 0; j < c->count; j++) {
        uint32_t b = order[j];
        out->kept[b] = true;
        out->evidence[b] = b;
        bool found = false;
        for (size_t i = 0; i < j && !found; i++) {
            uint32_t a = order[i];
            if (o->survivors.group == ND_GROUP_GREEDY && !out->kept[a]) continue;
            if (!duplicate(o, &plan, &f[a], &f[b], &out->overlap[b])) continue;
            found = true;
            out->kept[b] = c->is_protected[b];
            out->evidence[b] = out->kept[b] ? b : a;
            out->spared += c->is_protected[b];
        }
    }
    if (o->survivors.group == ND_GROUP_GREEDY) {
        define_copies(c, order, f, out);
        return;
    }
    /* Components: labels spread along pairs until nothing changes; a label is a position in the
     * order. */
    size_t label[MOST];
    for (size_t i = 0; i < c->count; i++) label[i] = i;
    nd_overlap overlap;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t j = 0; j < c->count; j++)
            for (size_t i = 0; i < j; i++)
                if (label[i] != label[j] &&
                    duplicate(o, &plan, &f[order[i]], &f[order[j]], &overlap)) {
                    label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
                    changed = true;
                }
    }
    out->spared = 0;
    for (size_t j = 0; j < c->count; j++) {
        bool spared = c->is_protected[order[j]] && label[j] != j;
        out->spared += spared;
        out->kept[order[j]] = label[j] == j || spared;
        out->evidence[order[j]] = spared ? order[j] : order[label[j]];
        out->overlap[order[j]] = nd_set_overlap(f[order[label[j]]].set, f[order[label[j]]].size,
                                                f[order[j]].set, f[order[j]].size);
    }
    define_copies(c, order, f, out);
}

/* ---- jobs against the definition */

typedef struct check {
    const corpus *c;
    const answer *wanted;
    const features *f;
    const job_parts *options;
    size_t decisions;
    uint8_t pairs[MOST][MOST];
    uint64_t last_pair;
} check;

static bool check_decision(void *context, const nd_decision *d) {
    check *k = context;
    assert_int_equal(d->document, k->decisions++);
    assert_int_equal(d->kept, k->wanted->kept[d->document]);
    assert_int_equal(d->evidence, k->wanted->evidence[d->document]);
    assert_int_equal(d->id_length, strlen(k->c->id[d->document]));
    assert_memory_equal(d->id, k->c->id[d->document], d->id_length);
    assert_memory_equal(d->evidence_id, k->c->id[d->evidence], d->evidence_id_length);
    if (d->kept) return true;
    nd_overlap overlap = k->wanted->overlap[d->document];
    assert_int_equal(d->intersection, overlap.intersection);
    assert_int_equal(d->set_union, overlap.size_a + overlap.size_b - overlap.intersection);
    assert_true(d->jaccard == nd_jaccard(overlap));
    return true;
}

static bool check_pair(void *context, const nd_pair *p) {
    check *k = context;
    uint64_t pair_order = p->document_b << 32 | p->document_a;
    assert_true(k->last_pair == UINT64_MAX || pair_order > k->last_pair);
    k->last_pair = pair_order;
    const features *a = &k->f[p->document_a], *b = &k->f[p->document_b];
    assert_true(p->jaccard == nd_jaccard(nd_set_overlap(a->set, a->size, b->set, b->size)));
    k->pairs[p->document_b][p->document_a]++;
    return true;
}

static void run_dedup(corpus *c, job_parts *o, const features *f) {
    static answer wanted;
    static check k;
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error = {0};
    define(c, o, f, &wanted);
    k = (check){.c = c, .wanted = &wanted, .f = f, .options = o};
    c->next = 0;
    o->input.records = give;
    o->input.records_context = c;
    o->outputs.on_decision = check_decision;
    o->outputs.context = &k;
    if (nd_dedup(dedup_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(k.decisions, c->count);
    assert_int_equal(summary.kept + summary.removed, c->count);
    assert_int_equal(summary.bounded_documents, 0);
    assert_int_equal(summary.spared, wanted.spared);
}

static void run_pairs(corpus *c, job_parts *o, const features *f) {
    static check k;
    nd_plan plan;
    nd_overlap overlap;
    nd_error error = {0};
    nd_job_summary summary = {.struct_size = sizeof summary};
    size_t count = 0;
    assert_int_equal(nd_plan_choose(o->similarity.threshold, o->similarity.recall,
                                    o->similarity.perms, &plan, NULL),
                     ND_OK);
    k = (check){.c = c, .f = f, .options = o, .last_pair = UINT64_MAX};
    c->next = 0;
    o->input.records = give;
    o->input.records_context = c;
    o->outputs.on_pair = check_pair;
    o->outputs.context = &k;
    if (nd_pairs(pairs_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    o->outputs.on_pair = NULL;
    for (size_t b = 0; b < c->count; b++)
        for (size_t a = 0; a < b; a++) {
            bool wanted = duplicate(o, &plan, &f[a], &f[b], &overlap);
            assert_int_equal(k.pairs[b][a], wanted);
            count += wanted;
        }
    assert_int_equal(summary.pairs, count);
}

static job_parts random_options(uint64_t *seed) {
    static const double thresholds[] = {0.3, 0.5, 0.8, 0.9, 1.0};
    static const uint32_t threads[] = {1, 2, 7};
    job_parts o;
    job_parts_init(&o);
    o.similarity.threshold = thresholds[random_below(seed, 5)];
    o.similarity.recall = 0.9;
    o.similarity.perms = 32 + (uint32_t)random_below(seed, 33);
    o.analyzer.ngram = 1 + (uint32_t)random_below(seed, 5);
    o.analyzer.kind = random_below(seed, 4) ? ND_WORDS : ND_CHARS;
    o.analyzer.seed = random_next(seed);
    o.survivors.keep = (nd_keep)random_below(seed, 4);
    o.survivors.group = random_below(seed, 3) ? ND_GROUP_GREEDY : ND_GROUP_COMPONENT;
    o.resources.threads = threads[random_below(seed, 3)];
    o.resources.memory = UINT64_C(64) << 20;
    o.similarity.max_compare = 100000;
    o.resources.work = ".";
    return o;
}

static void test_jobs(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        uint64_t seed = round * 1000 + 1;
        corpus c = {0};
        features f[MOST];
        job_parts o = random_options(&seed);
        make_corpus(&c, seed, 1 + random_below(&seed, round % 4 ? 120 : MOST));
        for (size_t d = 0; d < c.count; d++) {
            f[d] = analyze(&o, c.text[d]);
            c.is_protected[d] = round % 3 == 0 && random_below(&seed, 4) == 0;
        }
        run_dedup(&c, &o, f);
        run_pairs(&c, &o, f);
        for (size_t d = 0; d < c.count; d++) free(f[d].set);
        free_corpus(&c);
    }
}

/* ---- the bound: comparisons that it leaves out are counted, and its decisions are right */

static bool count_kept(void *context, const nd_decision *d) {
    *(size_t *)context += d->kept;
    return true;
}

static void test_bound(void **state) {
    (void)state;
    corpus c = {.count = MOST};
    uint64_t seed = 9;
    for (size_t d = 0; d < c.count;
         d++) { /* one template: its pages are no duplicates at this threshold */
        char text[1000] = "";
        for (int w = 0; w < 60; w++) strcat(text, w % 2 ? "menu " : "page ");
        strcpy(text, "");
        for (int w = 0; w < 40; w++) snprintf(text + strlen(text), 20, "t%d ", w);
        for (int w = 0; w < 12; w++)
            snprintf(text + strlen(text), 20, "u%u ", (unsigned)random_next(&seed));
        c.text[d] = strdup(text);
        snprintf(c.id[d], sizeof c.id[d], "d%zu", d);
    }
    job_parts o;
    job_parts_init(&o);
    size_t kept = 0;
    o.input.records = give;
    o.input.records_context = &c;
    o.outputs.on_decision = count_kept;
    o.outputs.context = &kept;
    o.similarity.max_compare = 20;
    o.similarity.threshold = 0.8;
    nd_job_summary one = {.struct_size = sizeof one}, many = {.struct_size = sizeof many};
    assert_int_equal(nd_dedup(dedup_of(&o), &one, NULL), ND_OK);
    assert_int_equal(kept, c.count);
    assert_true(one.large_buckets > 0);
    assert_true(one.bounded_documents > 0);
    assert_true(one.bounded_comparisons >= one.bounded_documents);
    assert_true(one.candidates < c.count * 60);
    c.next = 0;
    o.resources.threads = 7;
    assert_int_equal(nd_dedup(dedup_of(&o), &many, NULL), ND_OK);
    assert_int_equal(one.bounded_comparisons, many.bounded_comparisons);
    assert_int_equal(one.candidates, many.candidates);
    assert_int_equal(one.verified, many.verified);
    free_corpus(&c);
}

/* ---- copies cost linear time: one comparison per page with a counter, none per exact copy */

typedef struct page_source {
    unsigned next, count;
    bool counter;
    char text[1000];
} page_source;

static int give_page(void *context, nd_record *out) {
    page_source *p = context;
    if (p->next == p->count) return 0;
    int length = 0;
    for (int w = 0; w < 100; w++)
        length += snprintf(p->text + length, sizeof p->text - (size_t)length, "word%d ", w);
    length += snprintf(p->text + length, sizeof p->text - (size_t)length, "%u",
                       p->counter ? p->next : 0);
    p->next++;
    *out = (nd_record){.text = p->text, .length = (size_t)length};
    return 1;
}

static void test_hot_copies(void **state) {
    (void)state;
    for (int counter = 0; counter < 2; counter++) {
        page_source pages = {.count = ND_LIMIT(20000, 4000), .counter = counter};
        nd_job_summary summary = {.struct_size = sizeof summary};
        job_parts o;
        job_parts_init(&o);
        o.input.records = give_page;
        o.input.records_context = &pages;
        o.resources.threads = 2;
        assert_int_equal(nd_dedup(dedup_of(&o), &summary, NULL), ND_OK);
        assert_int_equal(summary.kept, 1);
        assert_int_equal(summary.exact_copies, counter ? 0 : pages.count - 1);
        assert_int_equal(summary.verified, counter ? pages.count - 1 : 0);
        assert_int_equal(summary.candidates, summary.verified);
        assert_int_equal(summary.bounded_documents, 0);
    }
}

/* ---- every n-th request for memory fails: an error with a message, and no file is left behind */

static void test_out_of_memory(void **state) {
    (void)state;
    corpus c = {0};
    make_corpus(&c, 11, 60);
    nd_status status = ND_ERR_MEMORY;
    for (long n = 0; status != ND_OK; n += 1 + n / 40) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        job_parts o;
        nd_error error = {0};
        size_t kept = 0;
        job_parts_init(&o);
        o.resources.allocator = &allocator;
        o.input.records = give;
        o.input.records_context = &c;
        o.outputs.on_decision = count_kept;
        o.outputs.context = &kept;
        o.resources.threads = 1 + (uint32_t)(n % 2);
        c.next = 0;
        status = nd_dedup(dedup_of(&o), NULL, &error);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        if (status != ND_OK) assert_true(strlen(error.message) > 0);
        assert_int_equal(failing.live, 0);
        assert_true(n < 1000000);
    }
    free_corpus(&c);
}

static bool stop(void *context, const nd_decision *d) {
    (void)context;
    return d->document < 3;
}

static void test_cancel(void **state) {
    (void)state;
    corpus c = {0};
    make_corpus(&c, 12, 50);
    job_parts o;
    nd_error error = {0};
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = &c;
    o.outputs.on_decision = stop;
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, &error), ND_ERR_CANCELLED);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jobs), cmocka_unit_test(test_bound),
                                       cmocka_unit_test(test_hot_copies),
                                       cmocka_unit_test(test_out_of_memory),
                                       cmocka_unit_test(test_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
