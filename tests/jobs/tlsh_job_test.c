/* Jobs that find candidates by TLSH digests, against the definition. Two documents are duplicates
 * when they have the same tokens, or when their digests are within the distance and, if texts are
 * compared, their similarity reaches the threshold. The oracle compares all pairs by
 * nd_tlsh_distance. */
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"

/* ---- the definition */

typedef struct tlsh_features {
    size_t original; /* the first document with the same tokens */
    uint64_t text_hash[2];
    uint64_t *set;
    size_t set_size;
    bool has_digest;
    nd_tlsh digest;
} tlsh_features;

static tlsh_features features[MOST];

static void define_features(const corpus *c, const job_parts *o) {
    nd_analyzer *analyzer = NULL;
    assert_int_equal(nd_analyzer_create(&o->analyzer, NULL, &analyzer, NULL), ND_OK);
    for (size_t d = 0; d < c->count; d++) {
        tlsh_features *f = &features[d];
        nd_shingles s;
        size_t length = strlen(c->text[d]);
        f->has_digest = nd_tlsh_make(ND_TLSH_128_1, c->text[d], length, &f->digest);
        assert_int_equal(nd_analyze(analyzer, c->text[d], length, &s, NULL), ND_OK);
        memcpy(f->text_hash, s.text_hash, sizeof s.text_hash);
        f->set = malloc((s.count + 1) * sizeof *f->set);
        memcpy(f->set, s.hashes, s.count * sizeof *f->set);
        f->set_size = nd_set_make(f->set, s.count);
        for (f->original = 0; memcmp(features[f->original].text_hash, s.text_hash, 16) != 0;)
            f->original++;
    }
    nd_analyzer_free(analyzer);
}

static nd_overlap overlap_of(size_t a, size_t b) {
    return nd_set_overlap(features[a].set, features[a].set_size, features[b].set,
                          features[b].set_size);
}

/* UINT32_MAX: one of them has no digest. */
static uint32_t distance_of(size_t a, size_t b) {
    return features[a].has_digest && features[b].has_digest
               ? nd_tlsh_distance(&features[a].digest, &features[b].digest, true)
               : UINT32_MAX;
}

static bool are_near(const job_parts *o, size_t a, size_t b) {
    return distance_of(a, b) <= o->similarity.distance;
}

/* Of two originals, a before b: whether max_compare documents before b are nearer, or equally near
 * and before a. */
static bool is_left_out(const job_parts *o, size_t a, size_t b) {
    size_t before = 0;
    for (size_t i = 0; i < b; i++)
        before += features[i].original == i && are_near(o, i, b) &&
                  (distance_of(i, b) < distance_of(a, b) ||
                   (distance_of(i, b) == distance_of(a, b) && i < a));
    return before >= o->similarity.max_compare;
}

static bool is_duplicate(const job_parts *o, size_t x, size_t y) {
    size_t a = features[x].original, b = features[y].original;
    if (a == b) return true;
    if (a > b) a = b, b = features[x].original;
    if (!are_near(o, a, b) || is_left_out(o, a, b)) return false;
    return o->similarity.verify == ND_VERIFY_NONE ||
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
    bool exact = k.options->similarity.verify == ND_VERIFY_EXACT;
    size_t document = (size_t)d->document, original = features[document].original,
           evidence = document;
    for (size_t i = 0; i < document && evidence == document; i++)
        if (k.kept[i] && is_duplicate(k.options, i, document)) evidence = i;
    assert_int_equal(d->evidence, evidence);
    assert_int_equal(d->kept, evidence == document);
    assert_false(d->estimated);
    k.kept[document] = d->kept;
    if (d->kept) return true;
    assert_int_equal(d->distance, original == evidence ? 0 : distance_of(evidence, original));
    assert_int_equal(d->intersection, exact ? overlap_of(evidence, document).intersection : 0);
    return true;
}

static bool check_pair(void *context, const nd_pair *p) {
    (void)context;
    size_t a = features[p->document_a].original, b = features[p->document_b].original;
    assert_int_equal(p->distance, a == b ? 0 : distance_of(a, b));
    k.pairs[p->document_b][p->document_a]++;
    return true;
}

/* Documents and pairs that max_compare leaves out, and pairs of originals that are near. */
typedef struct near_counts {
    uint64_t documents, left_out, near, without;
} near_counts;

static near_counts count_near(const corpus *c, const job_parts *o) {
    near_counts n = {0};
    for (size_t b = 0; b < c->count; b++) {
        uint64_t near = 0, most = o->similarity.max_compare;
        n.without += !features[b].has_digest;
        for (size_t a = 0; a < b && features[b].original == b; a++)
            near += features[a].original == a && are_near(o, a, b);
        n.near += near;
        n.documents += near > most;
        n.left_out += near > most ? near - most : 0;
    }
    return n;
}

static void run_jobs(corpus *c, job_parts *o, near_counts *seen) {
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error = {0};
    near_counts n = count_near(c, o);
    uint64_t count = 0;
    k = (check){.options = o};
    c->next = 0;
    o->outputs.on_pair = NULL;
    if (nd_dedup(dedup_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(summary.kept + summary.removed, c->count);
    assert_int_equal(summary.buckets, 128);
    assert_int_equal(summary.distance, o->similarity.distance);
    assert_int_equal(summary.without_digest, n.without);
    c->next = 0;
    o->outputs.on_pair = check_pair;
    if (nd_pairs(pairs_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(summary.candidates, n.near - n.left_out);
    /* Copies of one text beyond max_compare are left out, too. */
    if (o->similarity.max_compare >= MOST)
        assert_int_equal(summary.bounded_documents + summary.bounded_comparisons, 0);
    else assert_true(summary.bounded_documents >= n.documents);
    for (size_t b = 0; b < c->count; b++)
        for (size_t a = 0; a < b; a++) {
            bool copies = features[a].original == features[b].original;
            if (copies && o->similarity.max_compare < MOST) continue;
            assert_int_equal(k.pairs[b][a], is_duplicate(o, a, b));
            count += k.pairs[b][a];
        }
    if (o->similarity.max_compare >= MOST) assert_int_equal(summary.pairs, count);
    seen->documents += n.documents;
    seen->near += n.near;
    seen->without += n.without;
}

/* ---- corpora */

static char page[4096]; /* real texts */

static void add_page(const char *path) {
    FILE *file = fopen(path, "r");
    size_t length = strlen(page);
    assert_non_null(file);
    page[length + fread(page + length, 1, sizeof page - 1 - length, file)] = '\0';
    fclose(file);
}

/* Of ASCII characters, which can be cut and edited anywhere. */
static void read_page(void) {
    page[0] = '\0';
    add_page(ND_TEST_DATA "/golden/article_page_visible.txt");
    add_page(ND_TEST_DATA "/golden/forum_page_visible.txt");
    assert_true(strlen(page) > 1200);
    for (char *p = page; *p; p++)
        if ((unsigned char)*p > 0x7f) *p = '-';
}

static void add_piece(char *text, uint64_t *seed) {
    size_t begin = random_below(seed, 700), most = 40 + random_below(seed, 400);
    snprintf(text, 500, "%.*s", (int)most, page + begin);
}

static void add_random_words(char *text, uint64_t *seed) {
    for (size_t words = random_below(seed, 60); words > 0; words--) {
        size_t length = strlen(text);
        for (size_t n = 1 + random_below(seed, 8); n > 0; n--)
            text[length++] = (char)('a' + random_below(seed, 26));
        strcpy(text + length, " ");
    }
}

/* Other bytes, the same tokens. */
static void shout(char *text) {
    for (char *p = text; *p; p++)
        if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
}

/* Edited copies, copies with other bytes, short texts, texts of one letter. */
static void make_texts(corpus *c, uint64_t *seed) {
    c->count = random_below(seed, 120);
    for (size_t d = 0; d < c->count; d++) {
        char text[4000] = "";
        uint64_t kind = random_below(seed, 12);
        if (d > 0 && kind < 7) {
            snprintf(text, sizeof text, "%s", c->text[random_below(seed, d)]);
            if (kind == 0) shout(text);
            else edit(text, seed, (unsigned)random_below(seed, 12));
        } else if (kind < 8) memset(text, 'z', random_below(seed, 300));
        else if (kind < 10) add_piece(text, seed);
        else add_random_words(text, seed);
        c->text[d] = strdup(text);
        snprintf(c->id[d], sizeof c->id[d], "d%zu", d);
    }
}

static job_parts options_of(corpus *c) {
    job_parts o;
    job_parts_init(&o);
    o.similarity.sketch = ND_SKETCH_TLSH;
    o.input.records = give;
    o.input.records_context = c;
    return o;
}

static void test_definition(void **state) {
    (void)state;
    static corpus c;
    static const uint32_t distances[] = {0, 1, 12, 30, 70, 70, 150, 300};
    uint64_t seed = 3;
    near_counts seen = {0};
    read_page();
    for (uint64_t round = 0; round < 60; round++) {
        job_parts o = options_of(&c);
        make_texts(&c, &seed);
        o.outputs.on_decision = check_decision;
        o.resources.threads = (uint32_t)(1 + random_below(&seed, 3));
        o.similarity.distance = distances[random_below(&seed, 8)];
        o.similarity.verify = random_below(&seed, 2) ? ND_VERIFY_EXACT : ND_VERIFY_NONE;
        o.similarity.threshold = random_below(&seed, 2) ? 0.8 : 0.3;
        o.similarity.max_compare = random_below(&seed, 3) ? MOST
                                                          : 1 + (uint32_t)random_below(&seed, 4);
        o.analyzer.ngram = (uint32_t)(1 + random_below(&seed, 5));
        define_features(&c, &o);
        run_jobs(&c, &o, &seen);
        for (size_t d = 0; d < c.count; d++) free(features[d].set);
        free_corpus(&c);
    }
    assert_true(seen.near > 1000 && seen.documents > 10 && seen.without > 10);
}

/* ---- the same at any number of threads, and with any memory */

typedef struct run_result {
    nd_job_summary summary;
    uint64_t hash; /* of all pairs, in their order */
} run_result;

static bool hash_pair(void *context, const nd_pair *p) {
    run_result *r = context;
    r->hash = nd_mix64(r->hash ^ (p->document_a << 32 | p->document_b)) + p->distance;
    return true;
}

static run_result run_with(corpus *c, uint32_t threads, uint64_t memory) {
    run_result r = {.summary.struct_size = sizeof r.summary};
    nd_error error;
    job_parts o = options_of(c);
    o.similarity.verify = ND_VERIFY_NONE;
    o.similarity.max_compare = 7;
    o.outputs.on_pair = hash_pair;
    o.outputs.context = &r;
    o.resources.threads = threads;
    o.resources.memory = memory;
    o.resources.work = ".";
    c->next = 0;
    if (nd_pairs(pairs_of(&o), &r.summary, &error) != ND_OK) fail_msg("%s", error.message);
    return r;
}

/* Pages of a template: each is near most of the others. */
static void test_threads(void **state) {
    (void)state;
    static corpus c;
    uint64_t seed = 5;
    read_page();
    c.count = MOST;
    for (size_t d = 0; d < c.count; d++) {
        char text[4000];
        snprintf(text, sizeof text, "%.900s %u", page, (unsigned)random_next(&seed));
        edit(text, &seed, (unsigned)random_below(&seed, 30));
        c.text[d] = strdup(text);
        snprintf(c.id[d], sizeof c.id[d], "d%zu", d);
    }
    run_result one = run_with(&c, 1, UINT64_C(64) << 20);
    assert_true(one.summary.bounded_documents > MOST / 2);
    assert_true(one.summary.bounded_comparisons > MOST * MOST / 8);
    assert_true(one.summary.pairs > 6 * (MOST - 7));
    for (uint32_t threads = 2; threads < 9; threads += 3)
        for (unsigned shift = 20; shift < 28; shift += 7) {
            run_result many = run_with(&c, threads, UINT64_C(64) << shift);
            assert_int_equal(many.hash, one.hash);
            assert_int_equal(many.summary.pairs, one.summary.pairs);
            assert_int_equal(many.summary.bounded_comparisons, one.summary.bounded_comparisons);
        }
    free_corpus(&c);
}

/* ---- numbers that keep texts apart */

static void test_differ_by(void **state) {
    (void)state;
    static const char *const lists[] = {"numbers"};
    static const char *const texts[] = {
        "The pump of the second cellar has been checked by the fitter on day 1, and works again.",
        "The pump of the second cellar has been checked by the fitter on day 2, and works again.",
        "The pump of the second cellar has been checked by our fitter on day 2, and works again."};
    static corpus c;
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    c = (corpus){.count = 3};
    for (size_t d = 0; d < c.count; d++) {
        c.text[d] = strdup(texts[d]);
        snprintf(c.id[d], sizeof c.id[d], "d%zu", d);
    }
    job_parts o = options_of(&c);
    o.similarity.verify = ND_VERIFY_NONE;
    o.similarity.differ_by = lists;
    o.similarity.differ_by_count = 1;
    if (nd_pairs(pairs_of(&o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(summary.pairs, 1);
    assert_int_equal(summary.kept_apart, 2);
    assert_int_equal(summary.candidates, 1);
    free_corpus(&c);
}

/* ---- refusals */

static void expect_rejected(job_parts *o, const char *message) {
    nd_error error;
    assert_int_equal(nd_dedup(dedup_of(o), NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void test_arguments(void **state) {
    (void)state;
    corpus c = {.count = 0};
    job_parts o = options_of(&c);
    o.similarity.distance = 301;
    expect_rejected(&o, "distance must be at most 300, not 301");
    o = options_of(&c);
    o.similarity.threshold = 0;
    expect_rejected(&o, "threshold must be above 0 and at most 1, not 0");
    o.similarity.verify = ND_VERIFY_NONE;
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, NULL), ND_OK);
    o = options_of(&c);
    o.index.path = "nowhere";
    expect_rejected(&o,
                    "an index is of MinHash sketches: with one, sketch must be ND_SKETCH_MINHASH");
    o = options_of(&c);
    o.similarity.verify = ND_VERIFY_COSINE;
    expect_rejected(
        &o, "verify must be ND_VERIFY_COSINE with ND_SKETCH_SIMHASH alone: it is of the vectors "
            "that fingerprints are made of");
    o = options_of(&c);
    o.similarity.measure = ND_MEASURE_CONTAINMENT;
    expect_rejected(&o, "with ND_MEASURE_CONTAINMENT, sketch must be ND_SKETCH_MINHASH and verify "
                        "ND_VERIFY_EXACT: texts are compared, and no sketches are made");
    o = options_of(&c);
    o.similarity.sketch = (nd_sketch)4;
    expect_rejected(&o, "sketch must be ND_SKETCH_MINHASH (0) to ND_SKETCH_TLSH (3), not 4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_differ_by), cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
