/* Examples of a job: their texts are those of the corpus, their similarities those of nd_compare,
 * and any number of threads gives the same ones. */
#include "job_parts.h"
#include "small_corpus.h"

typedef struct told {
    nd_example_kind kind;
    double similarity;
    uint64_t lines[2];
} told;

typedef struct seen {
    const corpus *corpus;
    double threshold;
    told examples[3 * ND_EXAMPLES_MOST];
    size_t count, counts[3];
    size_t last; /* the example after which the job is cancelled; SIZE_MAX: none */
} seen;

/* A document of an index has the line 0 and no text. */
static void check_text(const seen *s, const nd_example *e, int side) {
    uint64_t line = e->documents[side].line;
    if (line == 0) {
        assert_null(e->texts[side]);
        assert_int_equal(e->lengths[side], 0);
        return;
    }
    const char *text = s->corpus->text[line - 1];
    size_t whole = strlen(text), taken = whole < ND_EXAMPLE_BYTES ? whole : ND_EXAMPLE_BYTES;
    assert_int_equal(e->whole_lengths[side], whole);
    assert_int_equal(e->lengths[side], nd_utf8_valid_prefix(text, taken));
    assert_memory_equal(e->texts[side], text, e->lengths[side]);
}

static void check_similarity(const nd_example *e) {
    nd_comparison *result = NULL;
    nd_compare_options o;
    bool whole = e->lengths[0] == e->whole_lengths[0] && e->lengths[1] == e->whole_lengths[1];
    if (!e->texts[0] || !e->texts[1] || !whole) return;
    nd_compare_options_init(&o, sizeof o);
    assert_int_equal(
        nd_compare(&o, e->texts[0], e->lengths[0], e->texts[1], e->lengths[1], &result, NULL),
        ND_OK);
    /* Texts without tokens have no similarity, but they are exact copies. */
    if (result->a.tokens > 0) assert_float_equal(result->jaccard, e->similarity, 1e-12);
    nd_comparison_free(result);
}

static bool take(void *context, const nd_example *e) {
    seen *s = context;
    assert_true(e->kind <= ND_EXAMPLE_GROUP);
    for (int side = 0; side < 2; side++) check_text(s, e, side);
    check_similarity(e);
    assert_int_equal(e->kind == ND_EXAMPLE_REJECTED, e->similarity < s->threshold);
    assert_true(s->counts[e->kind]++ < ND_EXAMPLES_MOST);
    s->examples[s->count++] = (told){
        e->kind, e->similarity, {e->documents[0].line, e->documents[1].line}};
    return s->count <= s->last;
}

static nd_status run(corpus *c, job_parts *o, seen *s) {
    *s = (seen){.corpus = c, .threshold = o->similarity.threshold, .last = s->last};
    c->next = 0;
    o->input.records = give;
    o->input.records_context = c;
    o->outputs.on_example = take;
    o->outputs.context = s;
    return nd_dedup(dedup_of(o), NULL, NULL);
}

/* The nearest to the threshold come first, of groups the largest. */
static void check_order(const seen *s) {
    for (size_t i = 1; i < s->count; i++) {
        const told *a = &s->examples[i - 1], *b = &s->examples[i];
        if (a->kind != b->kind || a->kind == ND_EXAMPLE_GROUP) continue;
        assert_true(a->kind == ND_EXAMPLE_DUPLICATE ? a->similarity <= b->similarity
                                                    : a->similarity >= b->similarity);
    }
}

static void test_examples(void **state) {
    (void)state;
    size_t kinds[3] = {0};
    for (uint32_t round = 0; round < 10; round++) {
        static seen one, other;
        corpus c = {0};
        job_parts o;
        job_parts_init(&o);
        o.similarity.threshold = round % 2 ? .5 : .8;
        o.survivors.keep = round % 3 ? ND_KEEP_FIRST : ND_KEEP_LONGEST;
        make_corpus(&c, round * 31 + 7, 40 + 30 * round);
        one.last = other.last = SIZE_MAX;
        o.resources.threads = 1;
        assert_int_equal(run(&c, &o, &one), ND_OK);
        o.resources.threads = 3;
        assert_int_equal(run(&c, &o, &other), ND_OK);
        check_order(&one);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.examples, other.examples, one.count * sizeof *one.examples);
        for (int kind = 0; kind < 3; kind++) kinds[kind] += one.counts[kind];
        free_corpus(&c);
    }
    for (int kind = 0; kind < 3; kind++) assert_true(kinds[kind] > 10);
}

/* Of a long text the beginning is given, up to a whole character. */
static void test_long_texts(void **state) {
    (void)state;
    static seen s;
    corpus c = {.count = 2};
    job_parts o;
    job_parts_init(&o);
    for (size_t d = 0; d < 2; d++) {
        c.text[d] = calloc(1, 30001);
        for (size_t i = 0; i < 30000; i += 3) memcpy(c.text[d] + i, "\xe6\x96\x87", 3);
        snprintf(c.id[d], sizeof c.id[d], "d%zu", d);
    }
    s.last = SIZE_MAX;
    assert_int_equal(run(&c, &o, &s), ND_OK);
    assert_int_equal(s.counts[ND_EXAMPLE_GROUP], 1);
    free_corpus(&c);
}

/* Documents of an index precede all others, and have no texts. */
static void test_index(void **state) {
    (void)state;
    static seen s;
    nd_index_options options;
    corpus c = {0};
    job_parts o;
    job_parts_init(&o);
    nd_index_options_init(&options, sizeof options);
    assert_int_equal(nd_index_create_in_memory(&options, NULL, &o.index.index, NULL), ND_OK);
    make_corpus(&c, 77, 100);
    s.last = SIZE_MAX;
    for (int batch = 0; batch < 2; batch++) {
        for (size_t d = 0; d < c.count; d++)
            snprintf(c.id[d], sizeof c.id[d], "%d-%u", batch & 1, (unsigned)d);
        assert_int_equal(run(&c, &o, &s), ND_OK);
    }
    assert_int_equal(s.counts[ND_EXAMPLE_GROUP], 3);
    for (size_t i = 0; i < s.count; i++)
        if (s.examples[i].kind == ND_EXAMPLE_GROUP) assert_int_equal(s.examples[i].lines[0], 0);
    nd_index_close(o.index.index);
    free_corpus(&c);
}

static void test_cancel(void **state) {
    (void)state;
    static seen s;
    corpus c = {0};
    job_parts o;
    job_parts_init(&o);
    make_corpus(&c, 3, 100);
    for (s.last = 0; s.last < 5; s.last += 4) {
        assert_int_equal(run(&c, &o, &s), ND_ERR_CANCELLED);
        assert_int_equal(s.count, s.last + 1);
    }
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_long_texts),
                                       cmocka_unit_test(test_index), cmocka_unit_test(test_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
