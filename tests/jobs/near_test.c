/* Jobs with fingerprints against a plain implementation of the definition. Two documents are
 * duplicates when they have the same tokens, or when their fingerprints differ in at most k bits
 * and, with verification, their texts are similar enough. The oracle compares all pairs. */
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"
#include "terms/count_min.h"

/* ---- the definition */

typedef struct features {
    uint64_t text_hash[2];
    uint64_t *set; /* its shingles */
    size_t set_size;
    uint64_t *words; /* distinct features of the fingerprint, and the total weight of each */
    double *weights;
    size_t word_count;
    nd_fingerprint fingerprint;
} features;

typedef struct answer {
    bool kept[MOST];
    uint32_t evidence[MOST];
} answer;

static bool weighs_words(const job_parts *o) {
    return o->simhash.weighting == ND_WEIGHTING_COUNTED ||
           o->simhash.weighting == ND_WEIGHTING_TABLE;
}

static nd_analyzer *analyzer_of(const job_parts *o, bool fingerprints) {
    nd_analyzer_options options = {.struct_size = sizeof options,
                                   .kind = o->analyzer.kind,
                                   .ngram = fingerprints && weighs_words(o) ? 1 : o->analyzer.ngram,
                                   .seed = o->analyzer.seed};
    nd_analyzer *analyzer = NULL;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    return analyzer;
}

static void analyze(nd_analyzer *analyzer, const char *text, nd_shingles *out) {
    assert_int_equal(nd_analyze(analyzer, text, strlen(text), out, NULL), ND_OK);
}

static double weight_of(const job_parts *o, const nd_count_min *counts, uint64_t feature,
                        bool tokens) {
    double weight = 1;
    if (tokens && counts) nd_count_min_weigh(counts, &feature, 1, &weight);
    else if (tokens && o->simhash.weighting == ND_WEIGHTING_TABLE)
        weight = nd_weights_of(o->simhash.table, feature);
    return weight;
}

/* Adds features one after the other, each with its weight. */
static void fingerprint(const job_parts *o, const nd_count_min *counts, nd_shingles *s,
                        features *f) {
    nd_simhash *simhash;
    f->words = malloc(s->count * sizeof *f->words);
    f->weights = malloc(s->count * sizeof *f->weights);
    assert_int_equal(nd_simhash_create(o->simhash.bits, NULL, &simhash, NULL), ND_OK);
    for (size_t i = 0; i < s->count; i++) {
        double weight = weight_of(o, counts, s->hashes[i], s->tokens > 0);
        size_t j = 0;
        while (j < f->word_count && f->words[j] != s->hashes[i]) j++;
        if (j < f->word_count && o->simhash.weighting == ND_WEIGHTING_NONE) continue;
        if (j == f->word_count) f->weights[f->word_count++] = 0;
        f->words[j] = s->hashes[i];
        f->weights[j] += weight;
        assert_int_equal(nd_simhash_add(simhash, &s->hashes[i], &weight, 1, NULL), ND_OK);
    }
    f->fingerprint = nd_simhash_finish(simhash);
    nd_simhash_free(simhash);
}

static void define_features(const corpus *c, const job_parts *o, features *f) {
    nd_analyzer *of_set = analyzer_of(o, false), *of_words = analyzer_of(o, true);
    nd_count_min *counts = NULL;
    nd_shingles s;
    if (o->simhash.weighting == ND_WEIGHTING_COUNTED) {
        assert_int_equal(nd_count_min_create(NULL, &counts, NULL), ND_OK);
        for (size_t d = 0; d < c->count; d++) {
            analyze(of_words, c->text[d], &s);
            nd_count_min_add_document(counts, s.hashes,
                                      s.tokens > 0 ? nd_set_make(s.hashes, s.count) : 0);
        }
        nd_count_min_prepare_weights(counts);
    }
    for (size_t d = 0; d < c->count; d++) {
        f[d] = (features){0};
        analyze(of_words, c->text[d], &s);
        memcpy(f[d].text_hash, s.text_hash, sizeof s.text_hash);
        fingerprint(o, counts, &s, &f[d]);
        analyze(of_set, c->text[d], &s);
        f[d].set = malloc(s.count * sizeof *f[d].set);
        memcpy(f[d].set, s.hashes, s.count * sizeof *f[d].set);
        f[d].set_size = nd_set_make(f[d].set, s.count);
    }
    nd_count_min_free(counts);
    nd_analyzer_free(of_set);
    nd_analyzer_free(of_words);
}

static void free_features(const corpus *c, features *f) {
    for (size_t d = 0; d < c->count; d++) {
        free(f[d].set);
        free(f[d].words);
        free(f[d].weights);
    }
}

static bool is_copy(const features *a, const features *b) {
    return memcmp(a->text_hash, b->text_hash, sizeof a->text_hash) == 0;
}

static double cosine(const features *a, const features *b) {
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < a->word_count; i++) aa += a->weights[i] * a->weights[i];
    for (size_t j = 0; j < b->word_count; j++) bb += b->weights[j] * b->weights[j];
    for (size_t i = 0; i < a->word_count; i++)
        for (size_t j = 0; j < b->word_count; j++)
            ab += a->words[i] == b->words[j] ? a->weights[i] * b->weights[j] : 0;
    return is_copy(a, b) ? 1 : aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static double jaccard(const features *a, const features *b) {
    return nd_jaccard(nd_set_overlap(a->set, a->set_size, b->set, b->set_size));
}

/* Weights are multiples of 2^-12, so the plain sums are exact, too; only roots and quotients round.
 */
static bool is_duplicate(const job_parts *o, const features *a, const features *b) {
    if (is_copy(a, b)) return true;
    if (nd_distance(a->fingerprint, b->fingerprint) > o->similarity.k) return false;
    if (o->similarity.verify == ND_VERIFY_NONE) return true;
    return (o->similarity.verify == ND_VERIFY_EXACT ? jaccard(a, b) : cosine(a, b)) >=
           o->similarity.threshold;
}

static const corpus *sorted_corpus;
static const job_parts *sorted_options;

static double order_key(uint32_t d) {
    if (sorted_options->survivors.keep == ND_KEEP_LONGEST)
        return -(double)strlen(sorted_corpus->text[d]);
    return 0;
}

static int by_priority(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double kx = order_key(x), ky = order_key(y);
    if (kx != ky) return kx < ky ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void order_by_priority(const corpus *c, const job_parts *o, uint32_t *order) {
    for (uint32_t d = 0; d < c->count; d++) order[d] = d;
    sorted_corpus = c;
    sorted_options = o;
    qsort(order, c->count, sizeof *order, by_priority);
}

static void define_greedy(const corpus *c, const job_parts *o, const features *f, answer *out) {
    uint32_t order[MOST];
    order_by_priority(c, o, order);
    for (size_t j = 0; j < c->count; j++) {
        uint32_t b = order[j];
        out->kept[b] = true;
        out->evidence[b] = b;
        for (size_t i = 0; i < j && out->kept[b]; i++) {
            if (!out->kept[order[i]] || !is_duplicate(o, &f[order[i]], &f[b])) continue;
            out->kept[b] = false;
            out->evidence[b] = order[i];
        }
    }
}

/* Labels spread along pairs until nothing changes; a label is a position in the order. */
static void define_components(const corpus *c, const job_parts *o, const features *f, answer *out) {
    uint32_t order[MOST];
    size_t label[MOST];
    order_by_priority(c, o, order);
    for (size_t i = 0; i < c->count; i++) label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t j = 0; j < c->count; j++)
            for (size_t i = 0; i < j; i++)
                if (label[i] != label[j] && is_duplicate(o, &f[order[i]], &f[order[j]])) {
                    label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
                    changed = true;
                }
    }
    for (size_t j = 0; j < c->count; j++) {
        out->kept[order[j]] = label[j] == j;
        out->evidence[order[j]] = order[label[j]];
    }
}

/* ---- jobs against the definition */

typedef struct check {
    const corpus *c;
    const answer *wanted;
    const features *f;
    const job_parts *options;
    size_t decisions;
    uint8_t pairs[MOST][MOST];
} check;

/* Checks the report about two documents that were decided to be duplicates. */
static void check_evidence(const check *k, uint64_t a, uint64_t b, double told_jaccard,
                           double told_cosine, uint32_t distance) {
    const features *x = &k->f[a], *y = &k->f[b];
    nd_verify verify = k->options->similarity.verify;
    assert_int_equal(distance, nd_distance(x->fingerprint, y->fingerprint));
    assert_true(told_jaccard == (verify == ND_VERIFY_EXACT ? jaccard(x, y) : 0));
    assert_true(fabs(told_cosine - (verify == ND_VERIFY_COSINE ? cosine(x, y) : 0)) < 1e-6);
}

static bool check_decision(void *context, const nd_decision *d) {
    check *k = context;
    assert_int_equal(d->document, k->decisions++);
    assert_int_equal(d->kept, k->wanted->kept[d->document]);
    assert_int_equal(d->evidence, k->wanted->evidence[d->document]);
    assert_false(d->estimated || d->indexed);
    if (d->kept) return true;
    check_evidence(k, d->evidence, d->document, d->jaccard, d->cosine, d->distance);
    if (k->options->similarity.verify != ND_VERIFY_EXACT) return true;
    const features *a = &k->f[d->evidence], *b = &k->f[d->document];
    nd_overlap overlap = nd_set_overlap(a->set, a->set_size, b->set, b->set_size);
    assert_int_equal(d->intersection, overlap.intersection);
    assert_int_equal(d->set_union, overlap.size_a + overlap.size_b - overlap.intersection);
    return true;
}

static bool check_pair(void *context, const nd_pair *p) {
    check *k = context;
    assert_true(p->document_a < p->document_b);
    assert_false(p->estimated || p->indexed);
    check_evidence(k, p->document_a, p->document_b, p->jaccard, p->cosine, p->distance);
    k->pairs[p->document_b][p->document_a]++;
    return true;
}

static void run_dedup(corpus *c, job_parts *o, const features *f) {
    static answer wanted;
    static check k;
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error = {0};
    if (o->survivors.group == ND_GROUP_GREEDY) define_greedy(c, o, f, &wanted);
    else define_components(c, o, f, &wanted);
    k = (check){.c = c, .wanted = &wanted, .f = f, .options = o};
    c->next = 0;
    o->input.records = give;
    o->input.records_context = c;
    o->outputs.on_decision = check_decision;
    o->outputs.context = &k;
    if (nd_dedup(dedup_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    o->outputs.on_decision = NULL;
    assert_int_equal(k.decisions, c->count);
    assert_int_equal(summary.kept + summary.removed, c->count);
    assert_int_equal(summary.bounded_documents, 0);
    assert_int_equal(summary.bits, o->simhash.bits);
    assert_int_equal(summary.k, o->similarity.k);
}

static void run_pairs(corpus *c, job_parts *o, const features *f) {
    static check k;
    nd_error error = {0};
    nd_job_summary summary = {.struct_size = sizeof summary};
    size_t count = 0;
    k = (check){.c = c, .f = f, .options = o};
    c->next = 0;
    o->outputs.on_pair = check_pair;
    o->outputs.context = &k;
    if (nd_pairs(pairs_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    o->outputs.on_pair = NULL;
    for (size_t b = 0; b < c->count; b++)
        for (size_t a = 0; a < b; a++) {
            bool wanted = is_duplicate(o, &f[a], &f[b]);
            assert_int_equal(k.pairs[b][a], wanted);
            count += wanted;
        }
    assert_int_equal(summary.pairs, count);
}

/* ---- jobs whose bound leaves comparisons out */

typedef struct bounded_check {
    const features *f;
    const job_parts *options;
    bool kept[MOST];
} bounded_check;

static bool check_bounded(void *context, const nd_decision *d) {
    bounded_check *k = context;
    k->kept[d->document] = d->kept;
    if (!d->kept) assert_true(is_duplicate(k->options, &k->f[d->evidence], &k->f[d->document]));
    return true;
}

/* A removed document duplicates a kept one. A document that stays beside a duplicate is among the
 * counted ones. */
static void run_with_bound(corpus *c, job_parts o, const features *f) {
    static bounded_check k;
    nd_job_summary summary = {.struct_size = sizeof summary};
    size_t missed = 0;
    k = (bounded_check){.f = f, .options = &o};
    o.similarity.max_compare = 2;
    o.survivors.keep = ND_KEEP_FIRST;
    o.survivors.group = ND_GROUP_GREEDY;
    o.outputs.on_decision = check_bounded;
    o.outputs.context = &k;
    c->next = 0;
    assert_int_equal(nd_dedup(dedup_of(&o), &summary, NULL), ND_OK);
    for (size_t b = 0; b < c->count; b++) {
        bool has = false;
        for (size_t a = 0; a < b && k.kept[b]; a++)
            has = has || (k.kept[a] && is_duplicate(&o, &f[a], &f[b]));
        missed += has;
    }
    assert_true(missed <= summary.bounded_documents);
    assert_true(summary.bounded_documents <= summary.bounded_comparisons);
}

/* ---- corpora */

/* Puts the words of a text in another order, and sometimes repeats one word: the fingerprint by
 * words is the same, or near. */
static void shuffle(char *text, uint64_t *seed) {
    char *words[1000], copy[4000], *rest = copy;
    size_t count = 0;
    strcpy(copy, text);
    for (char *word; (word = strtok_r(rest, " ", &rest));) words[count++] = word;
    text[0] = 0;
    for (size_t left = count; left > 0; left--) {
        size_t at = random_below(seed, left);
        strcat(strcat(text, words[at]), " ");
        words[at] = words[left - 1];
    }
    if (count > 0 && random_below(seed, 3) == 0) strcat(text, words[0]);
}

static void make_chinese(char *text, uint64_t *seed) {
    static const char *const characters[] = {"美", "国", "飞", "碟", "外", "星", "人", "看",
                                             "见", "灰", "色", "的", "在", "有", "五", "十"};
    text[0] = 0;
    for (size_t i = 0, count = random_below(seed, 60); i < count; i++)
        strcat(text, characters[random_below(seed, 16)]);
}

/* Families of edited copies, some in Chinese, and many texts of the same words, so that there are
 * large groups. */
static void make_near_corpus(corpus *c, uint64_t seed, size_t count) {
    make_corpus(c, seed, count);
    char base[4000] = "", chinese[400];
    add_words(base, &seed, 25, 1000);
    for (size_t d = 0; d < count; d++) {
        char text[4000];
        uint64_t kind = random_below(&seed, 8);
        if (kind < 3) {
            strcpy(text, base);
            shuffle(text, &seed);
            if (kind == 0) edit(text, &seed, 1);
        } else if (kind == 3) {
            make_chinese(chinese, &seed);
            strcpy(text, chinese);
        } else if (kind == 4 && c->text[d][0]) {
            strcat(strcpy(text, c->text[random_below(&seed, d + 1)]), " 美国飞碟");
        } else {
            continue;
        }
        free(c->text[d]);
        c->text[d] = strdup(text);
    }
}

static nd_weights *read_table(uint64_t seed_of_hashes) {
    char path[] = "./near_test-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    for (unsigned w = 0; w < 500; w++) fprintf(file, "w%u %g\n", w, (w % 50) * 0.125);
    fclose(file);
    nd_weights *weights = NULL;
    assert_int_equal(nd_weights_read(path, seed_of_hashes, NULL, &weights, NULL), ND_OK);
    remove(path);
    return weights;
}

static job_parts random_options(uint64_t *seed) {
    static const double thresholds[] = {0.3, 0.5, 0.8, 0.9, 1.0};
    static const uint32_t threads[] = {1, 2, 7};
    static const nd_weighting weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_NONE,
                                              ND_WEIGHTING_TABLE, ND_WEIGHTING_COUNTED,
                                              ND_WEIGHTING_COUNTED};
    job_parts o;
    job_parts_init(&o);
    o.similarity.sketch = ND_SKETCH_SIMHASH;
    o.similarity.threshold = thresholds[random_below(seed, 5)];
    o.similarity.verify = (nd_verify)random_below(seed, 3);
    o.simhash.bits = 16u << random_below(seed, 4);
    o.simhash.weighting = weightings[random_below(seed, 5)];
    o.similarity.k = (uint32_t)random_below(seed,
                                            random_below(seed, 2) ? 7 : o.simhash.bits / 4 + 1);
    if (o.similarity.k > o.simhash.bits / 4) o.similarity.k = o.simhash.bits / 4;
    o.analyzer.ngram = 1 + (uint32_t)random_below(seed, 5);
    o.analyzer.seed = random_next(seed);
    if (weighs_words(&o)) o.simhash.table = read_table(o.analyzer.seed);
    else o.analyzer.kind = random_below(seed, 3) ? ND_WORDS : ND_CHARS;
    o.survivors.keep = random_below(seed, 3) ? ND_KEEP_FIRST : ND_KEEP_LONGEST;
    o.survivors.group = random_below(seed, 3) ? ND_GROUP_GREEDY : ND_GROUP_COMPONENT;
    o.resources.threads = threads[random_below(seed, 3)];
    o.resources.memory = UINT64_C(64) << (20 + 6 * random_below(seed, 2));
    o.similarity.max_compare = 100000;
    o.resources.work = ".";
    return o;
}

static void test_jobs(void **state) {
    (void)state;
    for (uint64_t round = 0; round < test_rounds(100); round++) {
        uint64_t seed = round * 1000 + 1;
        corpus c = {0};
        static features f[MOST];
        job_parts o = random_options(&seed);
        make_near_corpus(&c, seed, random_below(&seed, round % 4 ? 120 : MOST));
        define_features(&c, &o, f);
        run_dedup(&c, &o, f);
        run_pairs(&c, &o, f);
        run_with_bound(&c, o, f);
        free_features(&c, f);
        free_corpus(&c);
        nd_weights_free((nd_weights *)(uintptr_t)o.simhash.table);
    }
}

/* ---- the bound: comparisons that it leaves out are counted, its decisions are right, and copies
of one page stay copies of it */

typedef struct run_result {
    nd_job_summary summary;
    uint64_t hash; /* hash of all decisions, in their order */
} run_result;

static bool hash_decision(void *context, const nd_decision *d) {
    run_result *r = context;
    r->hash = nd_mix64(r->hash ^ d->evidence) + d->distance +
              (d->kept ? 0 : (uint64_t)(d->jaccard * 1e6));
    return true;
}

static run_result run_bounded(corpus *c, double threshold, nd_verify verify, uint32_t threads,
                              uint64_t memory) {
    run_result r = {.summary.struct_size = sizeof r.summary};
    job_parts o;
    nd_error error;
    job_parts_init(&o);
    o.similarity.sketch = ND_SKETCH_SIMHASH;
    o.simhash.weighting = ND_WEIGHTING_TF;
    o.analyzer.ngram = 1;
    o.similarity.k = 10;
    o.similarity.verify = verify;
    o.similarity.threshold = threshold;
    o.input.records = give;
    o.input.records_context = c;
    o.outputs.on_decision = hash_decision;
    o.outputs.context = &r;
    o.similarity.max_compare = 20;
    o.resources.threads = threads;
    o.resources.memory = memory;
    c->next = 0;
    if (nd_dedup(dedup_of(&o), &r.summary, &error) != ND_OK) fail_msg("%s", error.message);
    return r;
}

/* Makes pages of a template; each has its own words. */
static void make_pages(corpus *c, unsigned own) {
    uint64_t seed = 9;
    c->count = MOST;
    for (size_t d = 0; d < c->count; d++) {
        char text[4000] = "";
        for (int w = 0; w < 100; w++) sprintf(text + strlen(text), "t%d ", w);
        for (unsigned w = 0; w < own; w++)
            sprintf(text + strlen(text), "u%u ", (unsigned)random_next(&seed));
        c->text[d] = strdup(text);
        sprintf(c->id[d], "d%zu", d);
    }
}

static void test_bound(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 7};
    corpus c = {0};
    make_pages(&c, 6);
    run_result one = run_bounded(&c, 0.95, ND_VERIFY_EXACT, 1, UINT64_C(1) << 30);
    assert_int_equal(one.summary.kept,
                     c.count); /* 100 of 112 words are common: no duplicates at this threshold */
    assert_true(one.summary.bounded_documents > c.count / 2);
    assert_true(one.summary.bounded_comparisons >= one.summary.bounded_documents);
    assert_true(one.summary.candidates <= c.count * 20);
    for (int i = 0; i < 3; i++) {
        for (int large = 0; large < 2; large++) {
            run_result many = run_bounded(&c, 0.95, ND_VERIFY_EXACT, threads[i],
                                          UINT64_C(64) << (20 + 6 * large));
            assert_true(many.hash == one.hash);
            assert_int_equal(many.summary.bounded_comparisons, one.summary.bounded_comparisons);
            assert_int_equal(many.summary.candidates, one.summary.candidates);
            assert_int_equal(many.summary.verified, one.summary.verified);
        }
    }
    /* At a lower threshold all pages are duplicates of the first few. */
    run_result few = run_bounded(&c, 0.8, ND_VERIFY_EXACT, 2, UINT64_C(1) << 30);
    run_result near = run_bounded(&c, 0.8, ND_VERIFY_NONE, 2, UINT64_C(1) << 30);
    assert_true(few.summary.kept < 20);
    assert_int_equal(few.summary.kept, near.summary.kept);
    assert_int_equal(near.summary.verified, 0);
    free_corpus(&c);
}

/* ---- a page with its words in any order: one fingerprint, one comparison each */

typedef struct page_source {
    unsigned next, count;
    char text[1000];
} page_source;

static int give_page(void *context, nd_record *out) {
    page_source *p = context;
    if (p->next == p->count) return 0;
    p->text[0] = 0;
    for (unsigned w = 0; w < 100; w++)
        sprintf(p->text + strlen(p->text), "word%u ",
                (w + p->next % 100 * (p->next / 100 * 2 + 1)) % 100);
    sprintf(p->text + strlen(p->text), "word%u word%u", p->next / 100, 99 - p->next / 100);
    p->next++;
    *out = (nd_record){.text = p->text, .length = strlen(p->text)};
    return 1;
}

static void test_hot_group(void **state) {
    (void)state;
    page_source pages = {.count = 5000};
    nd_job_summary summary = {.struct_size = sizeof summary};
    job_parts o;
    job_parts_init(&o);
    o.similarity.sketch = ND_SKETCH_SIMHASH;
    o.simhash.weighting = ND_WEIGHTING_NONE;
    o.analyzer.ngram = 1;
    o.input.records = give_page;
    o.input.records_context = &pages;
    o.resources.threads = 2;
    assert_int_equal(nd_dedup(dedup_of(&o), &summary, NULL), ND_OK);
    assert_int_equal(summary.kept, 1);
    assert_int_equal(summary.large_buckets, 1);
    assert_int_equal(summary.verified + summary.exact_copies, pages.count - 1);
    assert_true(summary.verified > pages.count / 2);
    assert_int_equal(summary.bounded_documents, 0);
}

/* ---- other tests */

static job_parts options_of(corpus *c) {
    job_parts o;
    job_parts_init(&o);
    o.similarity.sketch = ND_SKETCH_SIMHASH;
    c->next = 0;
    o.input.records = give;
    o.input.records_context = c;
    return o;
}

static void expect_rejected(job_parts *o, const char *message) {
    nd_error error = {0};
    assert_int_equal(nd_dedup(dedup_of(o), NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void test_arguments(void **state) {
    (void)state;
    corpus c = {0};
    job_parts o = options_of(&c);
    o.index.path = "nowhere";
    expect_rejected(&o,
                    "an index is of MinHash sketches: with one, sketch must be ND_SKETCH_MINHASH");
    o = options_of(&c);
    o.similarity.sketch = (nd_sketch)4;
    expect_rejected(&o, "sketch must be ND_SKETCH_MINHASH (0) to ND_SKETCH_TLSH (3), not 4");
    o = options_of(&c);
    o.similarity.verify = (nd_verify)3;
    expect_rejected(&o, "verify must be ND_VERIFY_EXACT (0) to ND_VERIFY_NONE (2), not 3");
    o = options_of(&c);
    o.similarity.k = 17;
    expect_rejected(&o, "k must be 0 to 16 for 64 bits, not 17");
    o = options_of(&c);
    o.simhash.bits = 48;
    expect_rejected(&o, "bits must be 16, 32, 64 or 128, not 48");
    o = options_of(&c);
    o.analyzer.kind = ND_CHARS;
    expect_rejected(
        &o, "simhash.weighting weighs single words, and analyzer is ND_CHARS: ND_WEIGHTING_TF "
            "or ND_WEIGHTING_NONE go with it");
    o = options_of(&c);
    o.simhash.weighting = ND_WEIGHTING_LEVELS;
    expect_rejected(&o,
                    "simhash.weighting must not be ND_WEIGHTING_LEVELS: documents are compared as "
                    "texts, not as lists");
    o.simhash.weighting = ND_WEIGHTING_TABLE;
    expect_rejected(&o, "ND_WEIGHTING_TABLE needs a table");
    o = options_of(&c);
    o.similarity.threshold = 0;
    expect_rejected(&o, "threshold must be above 0 and at most 1, not 0");
    o = options_of(&c);
    o.similarity.sketch = ND_SKETCH_MINHASH;
    o.similarity.verify = ND_VERIFY_COSINE;
    expect_rejected(
        &o, "verify must be ND_VERIFY_COSINE with ND_SKETCH_SIMHASH alone: it is of the vectors "
            "that fingerprints are made of");
    o = options_of(&c);
    o.similarity.threshold = 7; /* which nothing reads */
    o.similarity.verify = ND_VERIFY_NONE;
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, NULL), ND_OK);
}

static bool count_kept(void *context, const nd_decision *d) {
    *(size_t *)context += d->kept;
    return true;
}

static void test_out_of_memory(void **state) {
    (void)state;
    corpus c = {0};
    make_near_corpus(&c, 11, 60);
    for (int kind = 0; kind < 2; kind++) {
        nd_status status = ND_ERR_MEMORY;
        for (long n = 0; status != ND_OK; n += 1 + n / 40) {
            failing_allocator failing = {.left = n};
            nd_allocator allocator = failing_allocator_make(&failing);
            job_parts o = options_of(&c);
            nd_error error = {0};
            size_t kept = 0;
            o.similarity.verify = kind ? ND_VERIFY_COSINE : ND_VERIFY_EXACT;
            o.simhash.weighting = kind ? ND_WEIGHTING_COUNTED : ND_WEIGHTING_NONE;
            o.similarity.max_compare = 5;
            o.resources.allocator = &allocator;
            o.outputs.on_decision = count_kept;
            o.outputs.context = &kept;
            o.resources.threads = 1 + (uint32_t)(n % 2);
            status = nd_dedup(dedup_of(&o), NULL, &error);
            assert_true(status == ND_OK || status == ND_ERR_MEMORY);
            if (status != ND_OK) assert_true(strlen(error.message) > 0);
            assert_int_equal(failing.live, 0);
            assert_true(n < 1000000);
        }
    }
    free_corpus(&c);
}

static bool stop_matching(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)context, (void)done, (void)total;
    return stage != ND_STAGE_MATCH;
}

static void test_cancel(void **state) {
    (void)state;
    corpus c = {0};
    make_near_corpus(&c, 12, 50);
    job_parts o = options_of(&c);
    o.resources.on_progress = stop_matching;
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, NULL), ND_ERR_CANCELLED);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),          cmocka_unit_test(test_bound),
        cmocka_unit_test(test_hot_group),     cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
