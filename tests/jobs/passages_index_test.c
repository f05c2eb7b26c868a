/* Passages against an index. The oracle applies the definition literally to the shingles of the
 * documents that the index should hold; and each passage between the texts must lie in one of the
 * reported passages. The index grows by documents and batches, loses documents, has documents
 * replaced, is compacted and opened again. */
#include "base/limits.h"
#include "job_parts.h"
#include "own_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST = 50,
    BYTES = 8 * LONGEST,
    QUERIES = 8,
    MOST = 4800,
    ROUNDS = 60,
    MOST_ROWS = 200000
};

typedef struct document {
    char id[24], text[BYTES];
    unsigned symbols[LONGEST];
    size_t begins[LONGEST], ends[LONGEST], count;
    bool live;
} document;

typedef struct row {
    size_t query, source;
    nd_passage passage; /* b: 0 */
} row;

typedef struct world {
    nd_index_options index;
    nd_analyzer_options analyzer; /* the analyzer of the index */
    uint32_t least, gap;
    unsigned letters;
    document queries[QUERIES], documents[MOST]; /* in the order in which they are added */
    size_t query_count, count, batch_end;
    size_t next;         /* the next record of the callbacks */
    row rows[MOST_ROWS]; /* the expected rows */
    size_t row_count;
} world;

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* ---- documents */

static void add_token(document *d, uint64_t *seed, unsigned symbol) {
    static const char *const between[] = {" ", ", ", ". "};
    if (d->count > 0) strcat(d->text, between[random_below(seed, 3)]);
    d->symbols[d->count] = symbol;
    d->begins[d->count] = strlen(d->text);
    snprintf(d->text + strlen(d->text), 6, random_below(seed, 2) ? "w%u" : "W%u", symbol);
    d->ends[d->count++] = strlen(d->text);
}

/* Makes a text of letters, and of pieces of another document, with some tokens changed. */
static void make_document(world *w, document *d, uint64_t *seed, const document *other) {
    size_t length = random_below(seed, LONGEST + 1);
    *d = (document){.live = true};
    while (d->count < length) {
        size_t from = other && other->count > 0 ? random_below(seed, other->count) : 0;
        bool copies = other && other->count > 0 && random_below(seed, 4) == 0;
        for (size_t i = from;
             copies && i < other->count && d->count < length && random_below(seed, 12) > 0; i++)
            add_token(d, seed, other->symbols[i]);
        if (d->count < length) add_token(d, seed, (unsigned)random_below(seed, w->letters));
    }
}

static document *new_document(world *w, uint64_t *seed) {
    document *d = &w->documents[w->count];
    make_document(w, d, seed,
                  w->query_count ? &w->queries[random_below(seed, w->query_count)] : NULL);
    snprintf(d->id, sizeof d->id, "d%zu", w->count++);
    return d;
}

static int give(world *w, const document *list, size_t end, nd_record *out) {
    if (w->next == end) return 0;
    const document *d = &list[w->next++];
    *out = (nd_record){
        .text = d->text, .length = strlen(d->text), .id = d->id, .id_length = strlen(d->id)};
    return 1;
}

/* nd_record_fn */
static int give_query(void *context, nd_record *out) {
    return give(context, ((world *)context)->queries, ((world *)context)->query_count, out);
}
static int give_batch(void *context, nd_record *out) {
    return give(context, ((world *)context)->documents, ((world *)context)->batch_end, out);
}

static world *new_world(uint64_t *seed) {
    static const unsigned letters[] = {1, 2, 5, 40, 900};
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    nd_index_options_init(&w->index, sizeof w->index);
    nd_analyzer_options_init(&w->analyzer, sizeof w->analyzer);
    w->index.analyzer = &w->analyzer;
    w->analyzer.ngram = 1 + (uint32_t)random_below(seed, 5);
    w->index.threshold = random_below(seed, 2) ? 1 : 0.7;
    w->index.perms = 32;
    w->analyzer.seed = random_below(seed, 3);
    w->least = w->analyzer.ngram + (uint32_t)random_below(seed, 5);
    w->gap = (uint32_t)random_below(seed, 4);
    w->letters = letters[random_below(seed, 5)];
    w->query_count = random_below(seed, QUERIES + 1);
    for (size_t q = 0; q < w->query_count; q++) {
        make_document(w, &w->queries[q], seed, q ? &w->queries[q - 1] : NULL);
        snprintf(w->queries[q].id, sizeof w->queries[q].id, "q%zu", q / 2);
    }
    nd_error error;
    must(nd_index_create("x", &w->index, &error), &error);
    return w;
}

static void free_world(world *w) {
    remove_directory("x");
    free(w);
}

/* ---- changing the index */

static job_parts options_of(world *w, uint32_t threads) {
    job_parts o;
    job_parts_init(&o);
    o.input.records_context = w;
    o.analyzer.seed = w->analyzer.seed;
    o.resources.threads = threads;
    return o;
}

static bool take_decision(void *context, const nd_decision *d) {
    world *w = context;
    document *made = &w->documents[w->count + d->document];
    made->live = d->kept;
    return true;
}

static void add_batch(world *w, uint64_t *seed, size_t size) {
    job_parts o = options_of(w, 2);
    nd_error error;
    size_t begin = w->count;
    assert_true(begin + size <= MOST);
    for (size_t i = 0; i < size; i++) new_document(w, seed);
    w->next = begin;
    w->batch_end = w->count;
    w->count = begin;
    o.input.records = give_batch;
    o.index.path = "x";
    o.analyzer.ngram = w->analyzer.ngram;
    o.similarity.perms = w->index.perms;
    o.similarity.threshold = w->index.threshold;
    o.similarity.recall = w->index.recall;
    o.outputs.on_decision = take_decision;
    o.outputs.context = w;
    o.index.sync = ND_SYNC_OFF;
    must(nd_dedup(dedup_of(&o), NULL, &error), &error);
    w->count = w->batch_end;
}

/* Adds a document; sometimes it replaces another one. */
static void add_singly(world *w, nd_index *x, nd_index_searcher *searcher, uint64_t *seed) {
    nd_error error;
    document *other = w->count > 0 ? &w->documents[random_below(seed, w->count)] : NULL,
             *d = new_document(w, seed);
    if (other && other->live && random_below(seed, 4) == 0) {
        memcpy(d->id, other->id, sizeof d->id);
        other->live = false;
    }
    d->live = false;
    const nd_record given = {
        .text = d->text, .length = strlen(d->text), .id = d->id, .id_length = strlen(d->id)};
    must(nd_index_replace(x, searcher, &given, &d->live, NULL, &error), &error);
}

static void remove_one(world *w, nd_index *x, uint64_t *seed) {
    nd_error error;
    bool found;
    document *d = &w->documents[random_below(seed, w->count)];
    if (!d->live) return;
    must(nd_index_remove(x, d->id, strlen(d->id), &found, &error), &error);
    assert_true(found);
    d->live = false;
}

static void change_singly(world *w, uint64_t *seed, size_t changes) {
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    must(nd_index_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
    nd_index_set_sync(x, ND_SYNC_OFF);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    for (size_t i = 0; i < changes; i++) {
        if (w->count > 0 && random_below(seed, 5) == 0) remove_one(w, x, seed);
        else add_singly(w, x, searcher, seed);
    }
    if (random_below(seed, 6) == 0) must(nd_index_compact(x, &error), &error);
    nd_index_searcher_free(searcher);
    nd_index_close(x);
}

/* ---- the definition */

static bool has_shingle(const document *d, const unsigned *symbols, size_t n) {
    for (size_t i = 0; i + n <= d->count; i++)
        if (memcmp(d->symbols + i, symbols, n * sizeof *symbols) == 0) return true;
    return false;
}

/* Records that tokens [begin, end) of a query are a run. */
static void add_run(world *w, size_t query, size_t source, size_t begin, size_t end,
                    size_t *last_end, size_t first_row) {
    const document *q = &w->queries[query];
    if (end - begin < w->least) return;
    if (w->gap > 0 && w->row_count > first_row && begin <= *last_end + w->gap) {
        nd_passage *p = &w->rows[w->row_count - 1].passage;
        for (size_t i = begin > *last_end ? begin : *last_end; i < end; i++) p->tokens++;
        p->a_end = q->ends[end - 1];
    } else {
        assert_true(w->row_count < MOST_ROWS);
        w->rows[w->row_count++] = (row){
            query, source, {q->begins[begin], q->ends[end - 1], 0, 0, end - begin}};
    }
    *last_end = end;
}

static void add_passages(world *w, size_t query, size_t source) {
    const document *q = &w->queries[query], *d = &w->documents[source];
    size_t n = w->analyzer.ngram, last_end = 0, first_row = w->row_count;
    for (size_t i = 0; i + n <= q->count; i++) {
        size_t shingles = 0;
        while (i + shingles + n <= q->count && has_shingle(d, q->symbols + i + shingles, n))
            shingles++;
        if (shingles > 0) add_run(w, query, source, i, i + shingles + n - 1, &last_end, first_row);
        i += shingles;
    }
}

static int by_order(const void *x, const void *y) {
    const row *a = x, *b = y;
    if (a->query != b->query) return a->query < b->query ? -1 : 1;
    if (a->passage.a_begin != b->passage.a_begin)
        return a->passage.a_begin < b->passage.a_begin ? -1 : 1;
    return a->source < b->source ? -1 : a->source > b->source;
}

static void find_rows(world *w) {
    w->row_count = 0;
    for (size_t q = 0; q < w->query_count; q++)
        for (size_t d = 0; d < w->count; d++)
            if (w->documents[d].live) add_passages(w, q, d);
    qsort(w->rows, w->row_count, sizeof *w->rows, by_order);
}

static size_t live_before(const world *w, size_t end) {
    size_t live = 0;
    for (size_t d = 0; d < end; d++) live += w->documents[d].live;
    return live;
}

/* ---- reported rows */

typedef struct checking {
    const world *w;
    bool texts, quiet; /* quiet: nothing is asserted */
    bool same;         /* true while all rows are as expected */
    size_t count;
} checking;

static bool is_same(const checking *t, const nd_found_passage *found) {
    const world *w = t->w;
    if (t->count >= w->row_count) return false;
    const row *r = &w->rows[t->count];
    const document *q = &w->queries[r->query], *d = &w->documents[r->source];
    const nd_passage *p = &found->passage;
    return found->query == r->query && !found->placed && !found->source_text &&
           p->tokens == r->passage.tokens && p->a_begin == r->passage.a_begin &&
           p->a_end == r->passage.a_end && p->b_begin == 0 && p->b_end == 0 &&
           found->query_id_length == strlen(q->id) &&
           memcmp(found->query_id, q->id, strlen(q->id)) == 0 &&
           found->source_id_length == strlen(d->id) &&
           memcmp(found->source_id, d->id, strlen(d->id)) == 0 && !t->texts == !found->query_text &&
           (!t->texts ||
            memcmp(found->query_text, q->text + p->a_begin, p->a_end - p->a_begin) == 0);
}

/* nd_passages_fn */
static bool check_row(void *context, const nd_found_passage *found) {
    checking *t = context;
    bool same = is_same(t, found);
    if (!t->quiet) {
        assert_true(same);
        assert_int_equal(found->source, live_before(t->w, t->w->rows[t->count].source));
    }
    t->same &= same;
    t->count++;
    return true;
}

/* nd_query_share_fn: passages of a document may overlap, and a token counts once. */
static bool check_query(void *context, const nd_query_share *share) {
    const checking *t = context;
    const document *q = &t->w->queries[share->query];
    size_t found = 0;
    for (size_t token = 0; token < q->count; token++) {
        bool covered = false;
        for (size_t i = 0; i < t->w->row_count && !covered; i++) {
            const row *r = &t->w->rows[i];
            covered = r->query == share->query && r->passage.a_begin <= q->begins[token] &&
                      r->passage.a_end >= q->ends[token];
        }
        found += covered;
    }
    if (t->quiet) return true;
    assert_int_equal(share->tokens, q->count);
    assert_int_equal(share->found, found);
    return true;
}

static nd_status find_passages(world *w, uint32_t threads, bool texts,
                               const nd_allocator *allocator, checking *t, nd_job_summary *summary,
                               nd_error *error) {
    job_parts o = options_of(w, threads);
    o.passages.source = "x";
    o.passages.least_run = w->least;
    o.passages.gap = w->gap;
    o.passages.texts = texts;
    o.passages.on_query = check_query;
    o.input.records = give_query;
    o.resources.allocator = allocator;
    w->next = 0;
    return nd_passages(passages_of(&o), check_row, t, summary, error);
}

/* nd_passages_fn: a passage between the texts lies in a passage of the index. */
static bool check_covered(void *context, const nd_found_passage *found) {
    const world *w = context;
    for (size_t i = 0; i < w->row_count; i++) {
        const row *r = &w->rows[i];
        const document *d = &w->documents[r->source];
        if (r->query == found->query && strlen(d->id) == found->source_id_length &&
            memcmp(d->id, found->source_id, strlen(d->id)) == 0 &&
            r->passage.a_begin <= found->passage.a_begin &&
            r->passage.a_end >= found->passage.a_end && r->passage.tokens >= found->passage.tokens)
            return true;
    }
    fail_msg("not covered");
    return false;
}

/* Writes the texts of the indexed documents to a directory, which every build can read. */
static size_t find_in_texts(world *w) {
    assert_int_equal(mkdir("texts", 0700), 0);
    for (size_t d = 0; d < w->count; d++) {
        char path[40];
        if (!w->documents[d].live) continue;
        snprintf(path, sizeof path, "texts/%s", w->documents[d].id);
        FILE *file = fopen(path, "wx");
        assert_non_null(file);
        fputs(w->documents[d].text, file);
        fclose(file);
    }
    job_parts o = options_of(w, 2);
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    o.passages.source = "texts";
    o.passages.least_run = w->least;
    o.passages.gap = w->gap;
    o.input.records = give_query;
    w->next = 0;
    must(nd_passages(passages_of(&o), check_covered, w, &summary, &error), &error);
    remove_directory("texts");
    return (size_t)summary.pairs;
}

static size_t check_world(world *w) {
    size_t live = live_before(w, w->count);
    find_rows(w);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        checking t = {.w = w, .texts = threads % 2};
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_error error;
        must(find_passages(w, threads, t.texts, NULL, &t, &summary, &error), &error);
        assert_int_equal(t.count, w->row_count);
        assert_int_equal(summary.pairs, w->row_count);
        assert_int_equal(summary.documents, w->query_count + live);
        assert_true(live == 0 || summary.input_bytes > 0);
    }
    return w->row_count;
}

static void test_against_definition(void **state) {
    (void)state;
    uint64_t seed = 31;
    size_t rows = 0, of_texts = 0;
    for (int round = 0; round < ROUNDS; round++) {
        world *w = new_world(&seed);
        for (size_t part = random_below(&seed, 12); part > 0; part--) {
            if (random_below(&seed, 2)) add_batch(w, &seed, random_below(&seed, 20));
            else change_singly(w, &seed, random_below(&seed, 30));
        }
        rows += check_world(w);
        of_texts += find_in_texts(w);
        free_world(w);
    }
    assert_true(rows > 2000 && of_texts > 2000);
}

/* Whether a compaction of few documents makes a linked segment. */
enum { LINKS = ND_LIMIT(false, true) };

/* Counts the files of segments, with the files in which a linked segment has its rows. */
static size_t segment_files(void) {
    size_t count = 0;
    DIR *d = opendir("x");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) count += strncmp(e->d_name, "segment-", 8) == 0;
    closedir(d);
    return count;
}

static nd_index_info describe(void) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_index *x;
    nd_error error;
    must(nd_index_open("x", ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_index_describe(x, &info, &error), &error);
    nd_index_close(x);
    return info;
}

/* Batches so large that each becomes a segment, the log behind them, and, with small limits, linked
 * segments. */
static void test_segments(void **state) {
    (void)state;
    uint64_t seed = 5;
    world *w;
    for (; (w = new_world(&seed))->letters < 40 || w->query_count < 3; free_world(w)) {
    }
    for (unsigned batch = 0; batch < 2; batch++) add_batch(w, &seed, batch == 0 ? 2300 : 1050);
    change_singly(w, &seed, 40);
    nd_index_info info = describe();
    assert_true(info.segments > 1 && info.documents > 2000);
    assert_true(check_world(w) > 100);
    add_batch(w, &seed, 1050);
    for (int batch = 0; batch < 12; batch++) add_batch(w, &seed, 12);
    assert_true(check_world(w) > 100);
    assert_int_equal(segment_files() > describe().segments, LINKS);
    free_world(w);
}

/* ---- failures */

/* Makes a world with passages, a segment and a log. */
static world *rich_world(void) {
    uint64_t seed = 3;
    for (;;) {
        world *w = new_world(&seed);
        add_batch(w, &seed, 12);
        nd_error error;
        nd_index *x;
        must(nd_index_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
        must(nd_index_compact(x, &error), &error);
        nd_index_close(x);
        change_singly(w, &seed, 8);
        find_rows(w);
        if (w->row_count > 20 && w->query_count > 2 && w->letters == 40) return w;
        free_world(w);
    }
}

static void test_memory_runs_out(void **state) {
    (void)state;
    world *w = rich_world();
    for (long left = 0;; left += 1 + left / 40) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        checking t = {.w = w, .texts = true};
        nd_status status = find_passages(w, 2, true, &allocator, &t, NULL, NULL);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
        assert_true(left < 50000);
    }
    free_world(w);
}

/* Changes byte after byte: the damage is reported, or changes no result. */
static size_t damage_file(world *w, const char *name, uint64_t *seed) {
    char path[600];
    struct stat s;
    size_t damages = 0;
    snprintf(path, sizeof path, "x/%s", name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &s) == 0);
    off_t end = s.st_size < 6000 ? s.st_size : 6000; /* most of a log is zeros */
    for (off_t at = 0; at < end; at += 1 + (off_t)random_below(seed, 20)) {
        unsigned char byte, damaged;
        checking t = {.w = w, .quiet = true, .same = true};
        nd_error error;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        damaged = byte ^ (unsigned char)(1 + random_below(seed, 255));
        assert_int_equal(pwrite(fd, &damaged, 1, at), 1);
        nd_status status = find_passages(w, 2, false, NULL, &t, NULL, &error);
        if (status == ND_OK) assert_true(t.same && t.count == w->row_count);
        else
            assert_true((status == ND_ERR_CORRUPT || status == ND_ERR_ARGUMENT) &&
                        strstr(error.message, "x/"));
        damages += status != ND_OK;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
    return damages;
}

static void test_damage(void **state) {
    (void)state;
    uint64_t seed = 8;
    size_t told_of = 0;
    world *w = rich_world();
    DIR *d = opendir("x");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') told_of += damage_file(w, e->d_name, &seed);
    closedir(d);
    assert_true(told_of > 20);
    assert_true(check_world(w) > 20);
    free_world(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_definition), cmocka_unit_test(test_segments),
        cmocka_unit_test(test_memory_runs_out), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
