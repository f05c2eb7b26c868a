/* nd_exact against its definition: of the documents in order of priority, each one that is
 * identical to a document before it is removed, and not protected; the first such document is its
 * evidence. Identity is decided by the texts, not by hashes. */
#include "job_parts.h"
#include "small_corpus.h"
#include "test.h"

#include <ctype.h>

static corpus texts;
static const job_parts *job;
static nd_equal by;

/* ---- identity */

/* The words of a text in ASCII, each with a space behind it. */
static void spaced(const char *text, char *out) {
    for (; *text; text++) {
        if (isspace((unsigned char)*text)) continue;
        *out++ = *text;
        if (isspace((unsigned char)text[1]) || !text[1]) *out++ = ' ';
    }
    *out = '\0';
}

static bool add_token(void *context, const nd_token *token) {
    strncat(context, token->text, token->length);
    strcat(context, "|");
    return true;
}

static void tokens_of(const char *text, char *out) {
    nd_analyzer *analyzer;
    *out = '\0';
    assert_int_equal(nd_analyzer_create(&job->analyzer, NULL, &analyzer, NULL), ND_OK);
    assert_int_equal(nd_tokenize(analyzer, text, strlen(text), add_token, out, NULL), ND_OK);
    nd_analyzer_free(analyzer);
    if (!*out) strcpy(out, text);
}

static char keys[MOST][9000];

static void make_keys(void) {
    for (size_t d = 0; d < texts.count; d++) {
        if (by == ND_EQUAL_BYTES) strcpy(keys[d], texts.text[d]);
        else if (by == ND_EQUAL_TEXT) spaced(texts.text[d], keys[d]);
        else tokens_of(texts.text[d], keys[d]);
    }
}

/* ---- the definition */

static bool is_before(size_t a, size_t b) {
    double x = 0, y = 0;
    if (texts.is_protected[a] != texts.is_protected[b]) return texts.is_protected[a];
    switch (job->survivors.keep) {
    case ND_KEEP_FIRST: break;
    case ND_KEEP_LONGEST:
        x = (double)strlen(texts.text[a]);
        y = (double)strlen(texts.text[b]);
        break;
    case ND_KEEP_MAX:
    case ND_KEEP_MIN:
        x = job->survivors.keep == ND_KEEP_MAX ? texts.priority[a] : -texts.priority[a];
        y = job->survivors.keep == ND_KEEP_MAX ? texts.priority[b] : -texts.priority[b];
        if (isnan(x)) x = -INFINITY;
        if (isnan(y)) y = -INFINITY;
        break;
    }
    return x != y ? x > y : a < b;
}

/* The first document identical to d; d itself, if it stays. */
static size_t evidence_of(size_t d) {
    size_t first = d;
    for (size_t e = 0; e < texts.count && !texts.is_protected[d]; e++)
        if (strcmp(keys[e], keys[d]) == 0 && is_before(e, first)) first = e;
    return first;
}

/* ---- the job */

typedef struct seen {
    size_t decisions, removed, pairs;
} seen;

static bool check_decision(void *context, const nd_decision *d) {
    seen *s = context;
    assert_int_equal(d->document, s->decisions++);
    size_t evidence = evidence_of(d->document);
    assert_int_equal(d->evidence, evidence);
    assert_int_equal(d->kept, evidence == d->document);
    s->removed += !d->kept;
    assert_memory_equal(d->evidence_id, texts.id[evidence], d->evidence_id_length);
    assert_int_equal(d->evidence_line, evidence + 1);
    assert_true(d->jaccard == 1 && !d->estimated);
    return true;
}

static bool check_pair(void *context, const nd_pair *p) {
    seen *s = context;
    s->pairs++;
    assert_int_equal(p->document_a, evidence_of(p->document_b));
    assert_true(p->document_a != p->document_b && p->jaccard == 1);
    return true;
}

static nd_status run(job_parts *o, nd_job_summary *summary, nd_error *error) {
    o->input.records = give;
    o->input.records_context = &texts;
    texts.next = 0;
    job = o;
    make_keys();
    return nd_exact(exact_of(o, by), summary, error);
}

/* Adds spaces, changes case and punctuation, so that texts are identical by some of the ways. */
static void vary(uint64_t *seed) {
    for (size_t d = 0; d < texts.count; d++) {
        char changed[4100], *text = texts.text[d];
        snprintf(changed, sizeof changed, "%s%s%s", random_below(seed, 4) ? "" : " ", text,
                 random_below(seed, 4) ? "" : "\r\n ");
        for (char *at = changed; *at; at++) {
            if (*at == ' ' && random_below(seed, 200) == 0)
                *at = random_below(seed, 2) ? '\t' : ',';
            if (random_below(seed, 400) == 0) *at = (char)toupper((unsigned char)*at);
        }
        texts.text[d] = strdup(changed);
        free(text);
        texts.is_protected[d] = random_below(seed, 12) == 0;
    }
}

static void make_texts(uint64_t *seed, size_t count) {
    texts = (corpus){0};
    make_corpus(&texts, random_next(seed), count);
    vary(seed);
}

static void test_jobs(void **state) {
    (void)state;
    size_t removed[3] = {0};
    for (uint64_t round = 0; round < 90; round++) {
        uint64_t seed = round / 3 * 1000 + 1; /* the same texts for each kind of identity */
        static const uint32_t threads[] = {1, 2, 7};
        job_parts o;
        nd_error error;
        nd_job_summary summary = {.struct_size = sizeof summary};
        seen s = {0};
        by = (nd_equal)(round % 3);
        make_texts(&seed, 1 + random_below(&seed, round / 3 % 4 ? 120 : MOST));
        job_parts_init(&o);
        o.analyzer.kind = random_below(&seed, 4) ? ND_WORDS : ND_CHARS;
        o.survivors.keep = (nd_keep)random_below(&seed, 4);
        o.survivors.group = (nd_group)random_below(&seed, 2);
        o.resources.threads = threads[random_below(&seed, 3)];
        o.outputs.on_decision = check_decision;
        o.outputs.on_pair = check_pair;
        o.outputs.context = &s;
        if (run(&o, &summary, &error) != ND_OK) fail_msg("%s", error.message);
        assert_int_equal(s.decisions, texts.count);
        assert_int_equal(s.pairs, s.removed);
        assert_int_equal(summary.documents, texts.count);
        assert_int_equal(summary.removed, s.removed);
        assert_int_equal(summary.exact_copies, s.removed);
        assert_int_equal(summary.kept, texts.count - s.removed);
        assert_int_equal(summary.verified + summary.candidates, 0);
        removed[by] += s.removed;
        free_corpus(&texts);
    }
    assert_true(removed[0] > 100 && removed[1] > removed[0] && removed[2] > 100);
}

/* A job that would remove too much removes nothing. */
static void test_limit(void **state) {
    (void)state;
    uint64_t seed = 5;
    job_parts o;
    nd_error error;
    seen s = {0};
    by = ND_EQUAL_BYTES;
    make_texts(&seed, 200);
    job_parts_init(&o);
    o.survivors.max_removed = .01;
    o.outputs.on_decision = check_decision;
    o.outputs.context = &s;
    assert_int_equal(run(&o, NULL, &error), ND_ERR_INPUT);
    assert_non_null(strstr(error.message, "max_removed"));
    assert_int_equal(s.decisions, 0);
    free_corpus(&texts);
}

/* Every n-th request for memory fails: an error with a message, and nothing is left. */
static void test_out_of_memory(void **state) {
    (void)state;
    uint64_t seed = 6;
    nd_status status = ND_ERR_MEMORY;
    make_texts(&seed, 60);
    for (long n = 0; status != ND_OK; n += 1 + n / 40) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        job_parts o;
        nd_error error = {0};
        by = (nd_equal)(n % 3);
        job_parts_init(&o);
        o.resources.allocator = &allocator;
        o.resources.threads = 1 + (uint32_t)(n % 2);
        status = run(&o, NULL, &error);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        if (status != ND_OK) assert_true(strlen(error.message) > 0);
        assert_int_equal(failing.live, 0);
        assert_true(n < 1000000);
    }
    free_corpus(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jobs), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
