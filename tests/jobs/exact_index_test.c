/* nd_exact with an index, against its definition: the documents of the index come first, then those
 * of the batch in the order of priority; of identical documents the first one stays, and so does
 * each protected one. Copies of a protected document name the first of these. Without protection
 * and replacement, batches leave the documents that one job over all of them leaves. */
#include "job_parts.h"
#include "own_directory.h"
#include "small_corpus.h"

/* ---- the documents that the index should have */

typedef struct indexed_document {
    char id[24];
    const char *text;
    bool there, replaced;
} indexed_document;

static indexed_document rows[4 * MOST];
static size_t row_count;

static corpus texts;
static size_t begin, end; /* the batch */
static nd_keep keep;

static bool comes_before(size_t a, size_t b) {
    if (texts.is_protected[a] != texts.is_protected[b]) return texts.is_protected[a];
    size_t x = strlen(texts.text[a]), y = strlen(texts.text[b]);
    return keep == ND_KEEP_LONGEST && x != y ? x > y : a < b;
}

/* The first document of the batch that is identical to d. */
static size_t first_of_batch(size_t d) {
    size_t first = d;
    for (size_t e = begin; e < end; e++)
        if (strcmp(texts.text[e], texts.text[d]) == 0 && comes_before(e, first)) first = e;
    return first;
}

static const indexed_document *first_of_index(size_t d) {
    for (size_t r = 0; r < row_count; r++)
        if (rows[r].there && !rows[r].replaced && strcmp(rows[r].text, texts.text[d]) == 0)
            return &rows[r];
    return NULL;
}

typedef struct expected {
    bool kept, indexed;
    const char *evidence;
} expected;

static expected wanted[MOST];

static expected expect(size_t d) {
    size_t first = first_of_batch(d);
    const indexed_document *known = first_of_index(d);
    if (texts.is_protected[d]) return (expected){.kept = true, .evidence = texts.id[d]};
    if (known && !texts.is_protected[first])
        return (expected){.indexed = true, .evidence = known->id};
    return (expected){.kept = first == d, .evidence = texts.id[first]};
}

static void expect_all(void) {
    for (size_t r = 0; r < row_count; r++) {
        rows[r].replaced = false;
        for (size_t d = begin; d < end; d++)
            rows[r].replaced |= strcmp(rows[r].id, texts.id[d]) == 0;
    }
    for (size_t d = begin; d < end; d++) wanted[d] = expect(d);
}

/* Adds the kept documents in the order of priority. */
static void apply(void) {
    bool added[MOST] = {false};
    for (size_t r = 0; r < row_count; r++) rows[r].there &= !rows[r].replaced;
    for (size_t n = begin; n < end; n++) {
        size_t next = SIZE_MAX;
        for (size_t d = begin; d < end; d++)
            if (wanted[d].kept && !added[d] && (next == SIZE_MAX || comes_before(d, next)))
                next = d;
        if (next == SIZE_MAX) break;
        added[next] = true;
        indexed_document *row = &rows[row_count++];
        *row = (indexed_document){.text = texts.text[next], .there = true};
        strcpy(row->id, texts.id[next]);
    }
}

/* ---- the job */

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

typedef struct seen {
    size_t decisions, removed;
    size_t left; /* decisions before the job is cancelled */
} seen;

static bool check_decision(void *context, const nd_decision *d) {
    seen *s = context;
    const expected *w = &wanted[begin + d->document];
    assert_int_equal(d->document, s->decisions++);
    assert_int_equal(d->kept, w->kept);
    assert_int_equal(d->indexed, w->indexed);
    assert_int_equal(d->evidence_id_length, strlen(w->evidence));
    assert_memory_equal(d->evidence_id, w->evidence, strlen(w->evidence));
    assert_true(d->jaccard == 1 && !d->estimated);
    s->removed += !d->kept;
    return s->left-- > 0;
}

static job_parts parts_of(seen *s) {
    job_parts o;
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = &texts;
    o.survivors.keep = keep;
    o.outputs.on_decision = check_decision;
    o.outputs.context = s;
    return o;
}

static nd_status run(job_parts *o, nd_equal by, nd_job_summary *summary, nd_error *error) {
    size_t count = texts.count;
    texts.next = begin;
    texts.count = end;
    nd_status status = nd_exact(exact_of(o, by), summary, error);
    texts.count = count;
    return status;
}

static nd_index_options index_of(nd_equal by) {
    nd_index_options o;
    nd_index_options_init(&o, sizeof o);
    o.content = ND_CONTENT_HASHES;
    o.by = by;
    return o;
}

static void check_index(nd_index *x) {
    nd_error error;
    nd_index_info info = {.struct_size = sizeof info};
    size_t there = 0;
    for (size_t r = 0; r < row_count; r++) there += rows[r].there;
    must(nd_index_check(x, &error), &error);
    must(nd_index_describe(x, &info, &error), &error);
    assert_int_equal(info.documents, there);
    assert_int_equal(info.format, 3);
    assert_int_equal(info.options->content, ND_CONTENT_HASHES);
}

static void remove_one(nd_index *x, uint64_t *seed) {
    nd_error error;
    bool found;
    if (row_count == 0) return;
    indexed_document *row = &rows[random_below(seed, row_count)];
    bool named = false; /* a later document has the id */
    for (indexed_document *r = rows; r < rows + row_count; r++)
        named |= r != row && r->there && strcmp(r->id, row->id) == 0;
    if (named) return;
    must(nd_index_remove(x, row->id, strlen(row->id), &found, &error), &error);
    assert_int_equal(found, row->there);
    row->there = false;
}

/* ---- batches */

static void take_warning(void *context, const char *message) {
    *(bool *)context |= strstr(message, "has been added already") != NULL;
}

/* Adds a batch, then maybe the same again with `resume`: the results are those of one run. */
static void add_batch(nd_index *x, nd_equal by, bool replace, uint64_t *seed) {
    static const uint32_t threads[] = {1, 2, 7};
    nd_error error;
    nd_job_summary summary = {.struct_size = sizeof summary};
    seen s = {.left = SIZE_MAX};
    job_parts o = parts_of(&s);
    bool told = false, refused = false;
    expect_all();
    for (size_t r = 0; r < row_count; r++) refused |= rows[r].there && rows[r].replaced;
    o.index.index = x;
    o.index.replace = replace;
    o.resources.threads = threads[random_below(seed, 3)];
    o.resources.on_warning = take_warning;
    o.resources.context = &told;
    if (refused && !replace) {
        assert_int_equal(run(&o, by, &summary, &error), ND_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "already"));
        return;
    }
    if (random_below(seed, 4) == 0 && end > begin) { /* a cancelled job leaves the index as it is */
        s.left = random_below(seed, end - begin);
        assert_int_equal(run(&o, by, &summary, &error), ND_ERR_CANCELLED);
        check_index(x);
        s = (seen){.left = SIZE_MAX};
    }
    must(run(&o, by, &summary, &error), &error);
    assert_int_equal(s.decisions, end - begin);
    assert_int_equal(summary.removed, s.removed);
    assert_int_equal(summary.exact_copies, s.removed);
    assert_int_equal(summary.kept, end - begin - s.removed);
    apply();
    check_index(x);
    if (replace || random_below(seed, 2)) return;
    s = (seen){.left = SIZE_MAX};
    o.index.resume = true;
    must(run(&o, by, &summary, &error), &error);
    assert_true(told || summary.kept == 0);
    check_index(x);
}

/* Texts that are identical by bytes, by text and by tokens, or by none of these. */
static void make_texts(uint64_t *seed, bool protects, bool repeats_ids) {
    texts = (corpus){.count = 1 + random_below(seed, MOST)};
    row_count = 0;
    uint64_t kinds = 1 + random_below(seed, texts.count);
    for (size_t d = 0; d < texts.count; d++) {
        char text[60];
        snprintf(text, sizeof text, "page %llu", (unsigned long long)random_below(seed, kinds) * 7);
        texts.text[d] = strdup(text);
        texts.is_protected[d] = protects && random_below(seed, 10) == 0;
        snprintf(texts.id[d], sizeof texts.id[d], "d%zu", d);
        if (repeats_ids && d >= 100 && random_below(seed, 20) == 0)
            snprintf(texts.id[d], sizeof texts.id[d], "d%zu", d - 100);
    }
}

static nd_index *open_index(bool in_memory, const nd_index_options *options) {
    nd_index *x;
    nd_error error;
    if (in_memory) must(nd_index_create_in_memory(options, NULL, &x, &error), &error);
    else {
        must(nd_index_create("x", options, &error), &error);
        must(nd_index_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
        nd_index_set_sync(x, ND_SYNC_OFF);
    }
    return x;
}

static void test_batches(void **state) {
    (void)state;
    size_t from_index = 0, from_batch = 0, spared = 0;
    for (uint64_t round = 0; round < 60; round++) {
        uint64_t seed = round + 1;
        nd_equal by = (nd_equal)(round % 3);
        bool protects = random_below(&seed, 2), replaces = random_below(&seed, 3) == 0,
             in_memory = random_below(&seed, 4) == 0;
        nd_error error;
        make_texts(&seed, protects, replaces);
        keep = random_below(&seed, 2) ? ND_KEEP_FIRST : ND_KEEP_LONGEST;
        const nd_index_options options = index_of(by);
        nd_index *x = open_index(in_memory, &options);
        for (begin = 0; begin < texts.count; begin = end) {
            end = begin + 1 + random_below(&seed, 90);
            if (end > texts.count) end = texts.count;
            add_batch(x, by, replaces, &seed);
            for (size_t d = begin; d < end; d++) {
                from_index += wanted[d].indexed;
                from_batch += !wanted[d].kept && !wanted[d].indexed;
                spared += wanted[d].kept && texts.is_protected[d] && first_of_batch(d) != d;
            }
            if (random_below(&seed, 3) == 0) remove_one(x, &seed);
            if (random_below(&seed, 4) == 0) must(nd_index_compact(x, &error), &error);
        }
        nd_index_close(x);
        if (!in_memory) remove_directory("x");
        free_corpus(&texts);
    }
    assert_true(from_index > 500 && from_batch > 500 && spared > 10);
}

/* The kept documents of batches are those of one job without an index. */
static void test_pieces(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        uint64_t seed = round + 1000;
        nd_error error;
        make_texts(&seed, false, false);
        keep = ND_KEEP_FIRST;
        begin = 0;
        end = texts.count;
        seen s = {.left = SIZE_MAX};
        job_parts o = parts_of(&s);
        expect_all();
        must(run(&o, ND_EQUAL_BYTES, NULL, &error), &error);
        bool kept[MOST];
        for (size_t d = 0; d < texts.count; d++) kept[d] = wanted[d].kept;
        const nd_index_options options = index_of(ND_EQUAL_BYTES);
        nd_index *x = open_index(true, &options);
        for (begin = 0; begin < texts.count; begin = end) {
            end = begin + 1 + random_below(&seed, 50);
            if (end > texts.count) end = texts.count;
            add_batch(x, ND_EQUAL_BYTES, false, &seed);
            for (size_t d = begin; d < end; d++) assert_int_equal(wanted[d].kept, kept[d]);
        }
        nd_index_close(x);
        free_corpus(&texts);
    }
}

/* Identity by other texts, another analyzer or seed, and another content are refused in words. */
static void test_refusals(void **state) {
    (void)state;
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    seen s = {.left = SIZE_MAX};
    uint64_t seed = 1;
    make_texts(&seed, false, false);
    begin = end = 0;
    nd_index_options options = index_of(ND_EQUAL_TOKENS);
    must(nd_index_create("x", &options, &error), &error);
    job_parts o = parts_of(&s);
    o.index.path = "x";
    must(run(&o, ND_EQUAL_TOKENS, NULL, &error), &error);
    o.analyzer.ngram = 9; /* of no effect */
    must(run(&o, ND_EQUAL_TOKENS, NULL, &error), &error);
    assert_int_equal(run(&o, ND_EQUAL_BYTES, NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "x: made with by tokens, not bytes");
    o.analyzer.kind = ND_CHARS;
    assert_int_equal(run(&o, ND_EQUAL_TOKENS, NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "x: made with analyzer words, not chars");
    o.analyzer.kind = ND_WORDS;
    o.analyzer.seed = 7;
    assert_int_equal(run(&o, ND_EQUAL_TOKENS, NULL, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "not 7"));
    o = parts_of(&s);
    o.index.path = "x";
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "hashes"));
    must(nd_index_open("x", ND_INDEX_READ, NULL, &x, &error), &error);
    assert_int_equal(nd_index_searcher_create(x, &searcher, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "hashes"));
    nd_index_close(x);
    remove_directory("x");
    must(nd_index_create("x", NULL, &error), &error);
    assert_int_equal(run(&o, ND_EQUAL_TOKENS, NULL, &error), ND_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "no hashes"));
    remove_directory("x");
    free_corpus(&texts);
}

/* Every n-th request for memory fails: an error with a message, nothing is left, and the index has
 * the batch or not. */
static void test_out_of_memory(void **state) {
    (void)state;
    uint64_t seed = 6;
    nd_status status = ND_ERR_MEMORY;
    make_texts(&seed, false, false);
    keep = ND_KEEP_FIRST;
    begin = 0;
    end = texts.count < 60 ? texts.count : 60;
    const nd_index_options options = index_of(ND_EQUAL_BYTES);
    for (long n = 0; status != ND_OK; n += 1 + n / 40) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        seen s = {.left = SIZE_MAX};
        nd_error error = {0};
        row_count = 0;
        nd_index *x = open_index(false, &options);
        nd_index_close(x);
        job_parts o = parts_of(&s);
        o.resources.allocator = &allocator;
        o.index.path = "x";
        expect_all();
        status = run(&o, ND_EQUAL_BYTES, NULL, &error);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        if (status != ND_OK) assert_true(strlen(error.message) > 0);
        assert_int_equal(failing.live, 0);
        must(nd_index_open("x", ND_INDEX_READ, NULL, &x, &error), &error);
        nd_index_info info = {.struct_size = sizeof info};
        must(nd_index_describe(x, &info, &error), &error);
        if (status == ND_OK || info.documents > 0) apply();
        check_index(x);
        nd_index_close(x);
        remove_directory("x");
        assert_true(n < 1000000);
    }
    free_corpus(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches), cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
