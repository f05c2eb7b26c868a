/* The job that finds passages, against the definition taken literally: every position of every
 * source is compared with every position of every query, over small alphabets. */
#include "job_parts.h"
#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST = 60,
    BYTES = 16 * LONGEST,
    QUERIES = 14,
    SOURCES = 60,
    ROUNDS = 300,
    MOST_ROWS = QUERIES * SOURCES * LONGEST
};

typedef struct document {
    char id[24], text[BYTES];
    unsigned symbols[LONGEST];
    size_t begins[LONGEST], ends[LONGEST], count;
} document;

typedef struct row {
    size_t query, source;
    nd_passage passage;
} row;

typedef struct world {
    document queries[QUERIES], sources[SOURCES];
    size_t query_count, source_count;
    size_t next, next_source; /* the next records of the callbacks */
    row rows[MOST_ROWS];      /* in the order of queries */
    size_t row_count, first_rows[QUERIES + 1];
    char path[64];
} world;

/* ---- documents */

/* Tokens of several scripts and lengths; some have two spellings. */
static void add_token(document *d, uint64_t *seed, unsigned symbol) {
    static const char *const forms[][2] = {{"a", "A"},
                                           {"据", "据"},
                                           {"e\u0301t\u00e9", "\u00e9T\u00c9"},
                                           {"Stra\u00dfe", "STRASSE"},
                                           {"51", "51"}};
    static const char *const between[] = {" ", ", ", " \xf0\x9f\x99\x82 "};
    strcat(d->text, between[random_below(seed, 3)]);
    d->symbols[d->count] = symbol;
    d->begins[d->count] = strlen(d->text);
    strcat(d->text, forms[symbol][random_below(seed, 2)]);
    d->ends[d->count++] = strlen(d->text);
}

/* Makes a text of letters, sometimes with a piece of another document. */
static void make_document(document *d, uint64_t *seed, unsigned letters, const document *other) {
    size_t length = random_below(seed, LONGEST + 1);
    d->count = 0;
    d->text[0] = '\0';
    while (d->count < length) {
        size_t from = other && other->count > 0 ? random_below(seed, other->count) : 0;
        bool copies = other && other->count > 0 && random_below(seed, 8) == 0;
        for (size_t i = from; copies && i < other->count && d->count < length; i++)
            add_token(d, seed, other->symbols[i]);
        if (d->count < length) add_token(d, seed, (unsigned)random_below(seed, letters));
    }
}

/* The source is a directory, because every build can read it. */
static const char *source_path(const world *w, size_t source, char path[100]) {
    snprintf(path, 100, "%s/%s", w->path, w->sources[source].id);
    return path;
}

static void make_world(world *w, uint64_t *seed) {
    unsigned letters = 1 + (unsigned)random_below(seed, 5);
    w->query_count = random_below(seed, QUERIES + 1);
    w->source_count = random_below(seed, SOURCES + 1);
    for (size_t q = 0; q < w->query_count; q++) {
        snprintf(w->queries[q].id, sizeof w->queries[q].id, "q%zu", q / 2);
        make_document(&w->queries[q], seed, letters, q ? &w->queries[q - 1] : NULL);
    }
    strcpy(w->path, "passages_test-XXXXXX");
    make_directory(w->path);
    for (size_t i = 0; i < w->source_count; i++) {
        char path[100];
        document *d = &w->sources[i];
        snprintf(d->id, sizeof d->id, "s%02zu", i);
        make_document(d, seed, letters,
                      w->query_count ? &w->queries[random_below(seed, w->query_count)] : NULL);
        FILE *file = fopen(source_path(w, i, path), "w");
        assert_non_null(file);
        fputs(d->text, file);
        fclose(file);
    }
}

/* nd_record_fn */
static int give(void *context, nd_record *out) {
    world *w = context;
    if (w->next == w->query_count) return 0;
    const document *d = &w->queries[w->next++];
    *out = (nd_record){
        .text = d->text, .length = strlen(d->text), .id = d->id, .id_length = strlen(d->id)};
    return 1;
}

/* nd_record_fn: the documents of the source. */
static int give_source(void *context, nd_record *out) {
    world *w = context;
    if (w->next_source == w->source_count) return 0;
    const document *d = &w->sources[w->next_source++];
    *out = (nd_record){
        .id = d->id, .id_length = strlen(d->id), .text = d->text, .length = strlen(d->text)};
    return 1;
}

/* ---- the definition */

static size_t common(const document *a, size_t i, const document *b, size_t j) {
    size_t n = 0;
    while (i + n < a->count && j + n < b->count && a->symbols[i + n] == b->symbols[j + n]) n++;
    return n;
}

static void add_passages(world *w, size_t query, size_t source, size_t least, size_t gap) {
    const document *a = &w->queries[query], *b = &w->sources[source];
    size_t a_end = 0, b_end = 0;
    bool open = false;
    for (size_t i = 0; i < a->count;) {
        size_t best = 0, position = 0;
        for (size_t j = 0; j < b->count; j++) {
            size_t n = common(a, i, b, j);
            if (n > best) best = n, position = j;
        }
        if (best < least) {
            i++;
            continue;
        }
        row *last = open ? &w->rows[w->row_count - 1] : NULL;
        if (last && i - a_end <= gap && position >= b_end && position - b_end <= gap) {
            last->passage.a_end = a->ends[i + best - 1];
            last->passage.b_end = b->ends[position + best - 1];
            last->passage.tokens += best;
        } else {
            w->rows[w->row_count++] = (row){query,
                                            source,
                                            {a->begins[i], a->ends[i + best - 1],
                                             b->begins[position], b->ends[position + best - 1],
                                             best}};
        }
        open = true;
        a_end = i += best;
        b_end = position + best;
    }
}

static int by_order(const void *x, const void *y) {
    const row *a = x, *b = y;
    if (a->query != b->query) return a->query < b->query ? -1 : 1;
    if (a->passage.a_begin != b->passage.a_begin)
        return a->passage.a_begin < b->passage.a_begin ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

static void find_rows(world *w, size_t least, size_t gap) {
    w->row_count = 0;
    for (size_t q = 0; q < w->query_count; q++) {
        w->first_rows[q] = w->row_count;
        for (size_t s = 0; s < w->source_count; s++) add_passages(w, q, s, least, gap);
    }
    w->first_rows[w->query_count] = w->row_count;
    qsort(w->rows, w->row_count, sizeof *w->rows, by_order);
}

/* ---- the job */

typedef struct checking {
    const world *w;
    size_t count, stop_at;
    bool texts;
    size_t queries;      /* that were told; 0 for ever: they are not wanted */
    size_t sources_left; /* of the query that was told last */
    nd_source_share last;
} checking;

/* ---- shares: each token of a query is looked for in each passage */

enum { ANY = SOURCES };

static bool is_of(const row *r, size_t source) { return source == ANY || r->source == source; }

static size_t found_tokens(const world *w, size_t query, size_t source) {
    const document *q = &w->queries[query];
    size_t found = 0;
    for (size_t t = 0; t < q->count; t++) {
        bool covered = false;
        for (size_t i = w->first_rows[query]; i < w->first_rows[query + 1] && !covered; i++)
            covered = is_of(&w->rows[i], source) && w->rows[i].passage.a_begin <= q->begins[t] &&
                      w->rows[i].passage.a_end >= q->ends[t];
        found += covered;
    }
    return found;
}

static size_t rows_of(const world *w, size_t query, size_t source) {
    size_t count = 0;
    for (size_t i = w->first_rows[query]; i < w->first_rows[query + 1]; i++)
        count += is_of(&w->rows[i], source);
    return count;
}

/* nd_query_share_fn */
static bool check_query(void *context, const nd_query_share *share) {
    checking *t = context;
    const document *q = &t->w->queries[share->query];
    size_t sources = 0, before = 0;
    assert_int_equal(share->query, t->queries++);
    for (size_t s = 0; s < t->w->source_count; s++) sources += rows_of(t->w, share->query, s) > 0;
    for (size_t i = 0; i < share->query; i++) before += rows_of(t->w, i, ANY);
    assert_int_equal(t->count, before);
    assert_int_equal(t->sources_left, 0);
    assert_int_equal(share->id_length, strlen(q->id));
    assert_memory_equal(share->id, q->id, strlen(q->id));
    assert_int_equal(share->tokens, q->count);
    assert_int_equal(share->found, found_tokens(t->w, share->query, ANY));
    assert_int_equal(share->sources, sources);
    assert_int_equal(share->passages, rows_of(t->w, share->query, ANY));
    assert_int_equal(share->text != NULL, t->texts);
    if (t->texts) {
        assert_int_equal(share->text_length, strlen(q->text));
        assert_memory_equal(share->text, q->text, strlen(q->text));
    }
    t->sources_left = sources;
    t->last.found = UINT64_MAX;
    return t->queries != t->stop_at;
}

/* nd_source_share_fn */
static bool check_source(void *context, const nd_query_share *query, const nd_source_share *share) {
    checking *t = context;
    const document *s = &t->w->sources[share->source];
    assert_int_equal(query->query, t->queries - 1);
    assert_true(t->sources_left-- > 0);
    assert_true(share->found < t->last.found ||
                (share->found == t->last.found && share->source > t->last.source));
    assert_int_equal(share->found, found_tokens(t->w, query->query, share->source));
    assert_int_equal(share->passages, rows_of(t->w, query->query, share->source));
    assert_true(share->passages > 0);
    assert_int_equal(share->id_length, strlen(s->id));
    assert_memory_equal(share->id, s->id, strlen(s->id));
    t->last = *share;
    return true;
}

static uint64_t all_tokens(const world *w) {
    uint64_t tokens = 0;
    for (size_t q = 0; q < w->query_count; q++) tokens += w->queries[q].count;
    return tokens;
}

static void check_summary(const world *w, const nd_job_summary *summary) {
    uint64_t found = 0, queries = 0;
    for (size_t q = 0; q < w->query_count; q++) {
        found += found_tokens(w, q, ANY);
        queries += rows_of(w, q, ANY) > 0;
    }
    assert_int_equal(summary->queries, w->query_count);
    assert_int_equal(summary->queries_found, queries);
    assert_int_equal(summary->query_tokens, all_tokens(w));
    assert_int_equal(summary->found_tokens, found);
}

/* ---- passages */

/* nd_passages_fn */
static bool check_row(void *context, const nd_found_passage *found) {
    checking *t = context;
    assert_true(t->count < t->w->row_count);
    assert_int_equal(t->sources_left, 0);
    if (t->queries > 0) assert_int_equal(found->query, t->queries - 1);
    const row *expected = &t->w->rows[t->count++];
    const document *q = &t->w->queries[expected->query], *s = &t->w->sources[expected->source];
    const nd_passage *p = &expected->passage;
    assert_int_equal(found->query, expected->query);
    assert_int_equal(found->source, expected->source);
    assert_int_equal(found->passage.tokens, p->tokens);
    assert_int_equal(found->passage.a_begin, p->a_begin);
    assert_int_equal(found->passage.a_end, p->a_end);
    assert_int_equal(found->passage.b_begin, p->b_begin);
    assert_int_equal(found->passage.b_end, p->b_end);
    assert_int_equal(found->query_id_length, strlen(q->id));
    assert_memory_equal(found->query_id, q->id, strlen(q->id));
    assert_int_equal(found->source_id_length, strlen(s->id));
    assert_memory_equal(found->source_id, s->id, strlen(s->id));
    assert_int_equal(found->query_text != NULL, t->texts);
    assert_int_equal(found->source_text != NULL, t->texts);
    if (t->texts) {
        assert_memory_equal(found->query_text, q->text + p->a_begin, p->a_end - p->a_begin);
        assert_memory_equal(found->source_text, s->text + p->b_begin, p->b_end - p->b_begin);
    }
    return t->count != t->stop_at;
}

static job_parts options_of(world *w, uint32_t threads) {
    job_parts o;
    job_parts_init(&o);
    w->next = 0;
    o.input.records = give;
    o.input.records_context = w;
    o.resources.threads = threads;
    return o;
}

static world *new_world(uint64_t *seed) {
    world *w = calloc(1, sizeof *w);
    make_world(w, seed);
    return w;
}

static void free_world(world *w) {
    for (size_t i = 0; i < w->source_count; i++) {
        char path[100];
        unlink(source_path(w, i, path));
    }
    rmdir(w->path);
    free(w);
}

static void test_against_definition(void **state) {
    (void)state;
    uint64_t seed = 21;
    size_t rows = 0, merged = 0;
    for (int round = 0; round < ROUNDS; round++) {
        world *w = new_world(&seed);
        uint32_t least = 1 + (uint32_t)random_below(&seed, 9),
                 gap = (uint32_t)random_below(&seed, 4);
        if (gap > 0) find_rows(w, least, 0), merged += w->row_count;
        find_rows(w, least, gap);
        if (gap > 0) merged -= w->row_count;
        rows += w->row_count;
        for (uint32_t threads = 1; threads <= 4; threads++) {
            job_parts o = options_of(w, threads);
            nd_input_options sources = o.input;
            sources.records = give_source;
            w->next_source = 0;
            if (threads < 3) o.passages.source = w->path;
            else o.passages.source_input = &sources;
            o.passages.least_run = least;
            o.passages.gap = gap;
            o.passages.texts = threads % 2;
            if (threads != 2) {
                o.passages.on_query = check_query;
                o.passages.on_source = check_source;
            }
            checking t = {.w = w, .texts = o.passages.texts};
            nd_job_summary summary = {.struct_size = sizeof summary};
            nd_error error;
            if (nd_passages(passages_of(&o), check_row, &t, &summary, &error) != ND_OK)
                fail_msg("%s", error.message);
            assert_int_equal(t.count, w->row_count);
            assert_int_equal(summary.pairs, w->row_count);
            assert_int_equal(t.queries, threads == 2 ? 0 : w->query_count);
            assert_int_equal(t.sources_left, 0);
            check_summary(w, &summary);
            assert_int_equal(summary.documents, w->query_count + w->source_count);
        }
        free_world(w);
    }
    assert_true(rows > 50000 && merged > 1000);
}

/* ---- failures */

/* Makes a world with passages. */
static world *rich_world(void) {
    uint64_t seed = 3;
    for (;;) {
        world *w = new_world(&seed);
        find_rows(w, 2, 0);
        if (w->row_count > 100 && w->query_count < 6) return w;
        free_world(w);
    }
}

static void test_cancel(void **state) {
    (void)state;
    world *w = rich_world();
    job_parts o = options_of(w, 3);
    o.passages.source = w->path;
    o.passages.least_run = 2;
    checking t = {.w = w, .stop_at = 17};
    assert_int_equal(nd_passages(passages_of(&o), check_row, &t, NULL, NULL), ND_ERR_CANCELLED);
    assert_int_equal(t.count, 17);
    o = options_of(w, 3);
    o.passages.source = w->path;
    o.passages.least_run = 2;
    o.passages.on_query = check_query;
    t = (checking){.w = w, .stop_at = 1};
    assert_int_equal(nd_passages(passages_of(&o), check_row, &t, NULL, NULL), ND_ERR_CANCELLED);
    assert_int_equal(t.queries, 1);
    assert_int_equal(t.count, 0);
    free_world(w);
}

static void expect_rejected(const nd_passages_options *options, const char *message) {
    nd_error error;
    checking t = {0};
    assert_int_equal(nd_passages(options, check_row, &t, NULL, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void test_arguments(void **state) {
    (void)state;
    static const char *const standard[] = {"-"};
    world *w = rich_world();
    job_parts o = options_of(w, 1), other;
    assert_int_equal(o.passages.least_run, 8);
    expect_rejected(NULL, "options must not be NULL");
    expect_rejected(passages_of(&o), "exactly one of source and source_input is needed");
    o.passages.source = w->path;
    o.passages.source_input = &o.input;
    expect_rejected(passages_of(&o), "exactly one of source and source_input is needed");
    o.passages.source_input = NULL;
    o.passages.least_run = 0;
    expect_rejected(passages_of(&o), "least_run must be at least 1, not 0");
    o.passages.least_run = 8;
    other = o;
    passages_of(&other);
    other.passages.input = NULL;
    expect_rejected(&other.passages, "input must not be NULL");
    other.analyzer.stem = "english";
    expect_rejected(passages_of(&other),
                    "stem is not for nd_passages, which compares words as they are");
    other = o;
    other.resources.memory = 5;
    expect_rejected(passages_of(&other), "memory must be at least 64 MiB, not 5 bytes");
    job_parts_init(&other);
    other.input.inputs = standard;
    other.input.input_count = 1;
    other.passages.source = "-";
    expect_rejected(passages_of(&other),
                    "standard input holds the queries or the source, not both");
    free_world(w);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    world *w = rich_world();
    for (long left = 0;; left += 1 + left / 40) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        job_parts o = options_of(w, 2);
        checking t = {.w = w, .texts = true};
        o.passages.source = w->path;
        o.passages.least_run = 2;
        o.passages.texts = true;
        o.resources.allocator = &allocator;
        nd_status status = nd_passages(passages_of(&o), check_row, &t, NULL, NULL);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 50000);
    }
    free_world(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_definition), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
