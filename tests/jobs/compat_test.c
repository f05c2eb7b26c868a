/* Indexes that earlier versions wrote are read as long as their format is supported. They are
 * stored as tests/compat/ARCHIVE.tar.gz, and this program made each when its format was new. Each
 * has a segment, a tombstone, and a document and a removal in its write-ahead log. index-5 has
 * documents, index-2 fingerprints, index-2-numbers fingerprints whose ids are numbers, index-3
 * hashes of documents. lines-1 has lines of three runs, two of them merged. Others have forms that
 * are not read any more, and are refused by name: index-1 and index-4 documents with MinHash
 * values of family versions 1 and 2, old-index-2 and old-index-3 keys, old-index-2-lists lists of
 * documents. To make an archive of KIND documents, fingerprints, numbers, hashes or lines:
 *
 *   compat_test KIND x && tar -C x --exclude ./lock --sort=name --mtime=@0 \
 *     --owner=root:0 --group=root:0 -czf ARCHIVE.tar.gz . */
#include "neardup.h"
#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const ids[] = {"mill", "mill again", "lantern", "quince",
                                  "gone", "late",       "gone too"};
static const char *const texts[] = {
    "the old mill by the river was sold in spring to a family from the north who wants to grind "
    "flour there again",
    "the old mill by the river was sold in spring to a family from the north who wants to grind "
    "corn there again",
    "seventeen lanterns burn behind the harbour wall and nobody in the town can say who lights "
    "them in the evening",
    "木瓜在石墙边开花，村里的人每年春天都去看它",
    "this text is removed from the segment before it is ever looked for by anybody at all",
    "what came last stands in the log alone and has to be found there by everybody who asks for it",
    "this one came late too and was removed at once so that nobody will find it in the log or "
    "elsewhere",
};
enum { TEXTS = sizeof texts / sizeof *texts, IN_SEGMENT = 5 };

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

/* ---- documents */

static void add(nd_index *x, size_t i) {
    nd_error error;
    nd_index_searcher *searcher;
    bool added;
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    const nd_record document = {
        .text = texts[i], .length = strlen(texts[i]), .id = ids[i], .id_length = strlen(ids[i])};
    must(nd_index_add(x, searcher, &document, &added, NULL, &error), &error);
    nd_index_searcher_free(searcher);
}

static void remove_document(nd_index *x, size_t i) {
    nd_error error;
    bool found;
    must(nd_index_remove(x, ids[i], strlen(ids[i]), &found, &error), &error);
    assert_true(found);
}

static void make_documents(const char *path) {
    nd_error error;
    nd_index *x;
    nd_analyzer_options analyzer;
    nd_index_options options;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    nd_index_options_init(&options, sizeof options);
    analyzer.ngram = 3;
    options.analyzer = &analyzer;
    options.perms = 16;
    options.threshold = 0.5;
    options.recall = 0.9;
    must(nd_index_create(path, &options, &error), &error);
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    for (size_t i = 0; i < IN_SEGMENT; i++) add(x, i);
    must(nd_index_compact(x, &error), &error);
    remove_document(x, 4);
    for (size_t i = IN_SEGMENT; i < TEXTS; i++) add(x, i);
    remove_document(x, 6);
    nd_index_close(x);
}

static void expect_found(nd_index_searcher *searcher, size_t text, const char *id) {
    nd_error error;
    const nd_match *matches;
    size_t count;
    must(nd_index_search(searcher, texts[text], strlen(texts[text]), ND_SEARCH_ALL, &matches,
                         &count, &error),
         &error);
    assert_int_equal(count, id != NULL);
    if (!id) return;
    assert_int_equal(matches[0].id_length, strlen(id));
    assert_memory_equal(matches[0].id, id, strlen(id));
    if (text != 1) assert_true(matches[0].jaccard == 1.0);
    else
        assert_int_equal(matches[0].set_union - matches[0].intersection,
                         6); /* one word is changed: three shingles go, three come */
}

static void expect_documents(const char *path) {
    nd_error error;
    nd_index *x;
    nd_index_searcher *searcher;
    nd_index_info info = {.struct_size = sizeof info};
    must(nd_index_open(path, ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_index_check(x, &error), &error);
    must(nd_index_describe(x, &info, &error), &error);
    assert_int_equal(info.documents, 4);
    assert_int_equal(info.options->analyzer->ngram, 3);
    must(nd_index_searcher_create(x, &searcher, &error), &error);
    for (size_t i = 0; i < TEXTS; i++)
        expect_found(searcher, i, i == 1 ? ids[0] : i == 4 || i == 6 ? NULL : ids[i]);
    nd_index_searcher_free(searcher);
    nd_index_close(x);
}

/* ---- hashes */

/* A text of nd_exact, given once. */
typedef struct given {
    const char *text, *id, *evidence; /* evidence NULL: it is kept */
    bool done;
} given;

static int give_once(void *context, nd_record *out) {
    given *g = context;
    if (g->done) return 0;
    g->done = true;
    out->text = g->text;
    out->length = strlen(g->text);
    out->id = g->id;
    out->id_length = strlen(g->id);
    return 1;
}

static bool check_evidence(void *context, const nd_decision *d) {
    const given *g = context;
    assert_int_equal(d->kept, !g->evidence);
    if (g->evidence) assert_memory_equal(d->evidence_id, g->evidence, d->evidence_id_length);
    return true;
}

static void add_hash(nd_index *x, given g) {
    nd_error error;
    nd_input_options input;
    nd_input_options_init(&input, sizeof input);
    input.records = give_once;
    input.records_context = &g;
    const nd_index_use use = {.struct_size = sizeof use, .index = x};
    const nd_output_options outputs = {
        .struct_size = sizeof outputs, .on_decision = check_evidence, .context = &g};
    const nd_exact_options o = {.struct_size = sizeof o,
                                .input = &input,
                                .by = ND_EQUAL_TEXT,
                                .outputs = &outputs,
                                .index = &use};
    must(nd_exact(&o, NULL, &error), &error);
}

static void make_hashes(const char *path) {
    nd_error error;
    nd_index *x;
    nd_index_options options;
    nd_index_options_init(&options, sizeof options);
    options.content = ND_CONTENT_HASHES;
    options.by = ND_EQUAL_TEXT;
    must(nd_index_create(path, &options, &error), &error);
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    for (size_t i = 0; i < IN_SEGMENT; i++) add_hash(x, (given){texts[i], ids[i], NULL, false});
    must(nd_index_compact(x, &error), &error);
    remove_document(x, 4);
    for (size_t i = IN_SEGMENT; i < TEXTS; i++) add_hash(x, (given){texts[i], ids[i], NULL, false});
    remove_document(x, 6);
    nd_index_close(x);
}

/* Each text with other white space is identical to the document that the index has. */
static void expect_hashes(const char *path) {
    nd_error error;
    nd_index *x;
    nd_index_info info = {.struct_size = sizeof info};
    must(nd_index_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(nd_index_check(x, &error), &error);
    must(nd_index_describe(x, &info, &error), &error);
    assert_int_equal(info.documents, 5);
    assert_int_equal(info.options->by, ND_EQUAL_TEXT);
    for (size_t i = 0; i < TEXTS; i++) {
        char text[200], id[20];
        snprintf(text, sizeof text, "\t%s\n ", texts[i]);
        snprintf(id, sizeof id, "again %zu", i);
        add_hash(x, (given){text, id, i == 4 || i == 6 ? NULL : ids[i], false});
    }
    nd_index_close(x);
}

/* ---- fingerprints */

enum { MOST = 330, LATE = 8, OF_128 = 40, OF_16 = 320 };

typedef struct entry {
    char id[24];
    nd_fingerprint fingerprint;
    bool removed;
} entry;

typedef struct model {
    nd_hamming_options options;
    size_t count;
    entry entries[MOST]; /* in the order in which they are added */
} model;

/* Fingerprints of 16 bits are many and near each other, so that their segment has several tables.
 * Of those with 128 bits every fifth is near another one, and every tenth equals another one. The
 * last ones are in the log. */
static void make_model(bool numbers, model *m) {
    uint64_t seed = 2;
    *m = (model){.options = {.struct_size = sizeof m->options, .bits = 128, .k = 4},
                 .count = OF_128};
    if (numbers)
        *m = (model){
            .options = {.struct_size = sizeof m->options, .bits = 16, .k = 1, .numbered = true},
            .count = OF_16};
    for (size_t i = 0; i < MOST; i++) {
        entry *e = &m->entries[i];
        e->fingerprint = (nd_fingerprint){random_next(&seed), random_next(&seed)};
        if (i % 5 == 4) e->fingerprint = m->entries[i - 3].fingerprint;
        if (i % 10 == 4) e->fingerprint.low ^= UINT64_C(1) << i % 16;
        if (numbers) e->fingerprint = (nd_fingerprint){e->fingerprint.low & 0xffff, 0};
        snprintf(e->id, sizeof e->id,
                 numbers  ? "%zu"
                 : i == 3 ? "tab\t%zu"
                          : "item %zu",
                 numbers ? i * 3 : i);
    }
    m->entries[5].removed = m->entries[m->count - 2].removed = true;
}

static void add_entry(nd_hamming_index *x, const entry *e) {
    nd_error error;
    must(nd_hamming_add(x, e->id, strlen(e->id), e->fingerprint, &error), &error);
}

static void remove_entry(nd_hamming_index *x, const entry *e) {
    nd_error error;
    bool found;
    must(nd_hamming_remove(x, e->id, strlen(e->id), &found, &error), &error);
    assert_true(found);
}

static void make_index_of(const model *m, const char *path) {
    nd_error error;
    nd_hamming_index *x;
    must(nd_hamming_create(path, &m->options, &error), &error);
    must(nd_hamming_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    nd_hamming_set_sync(x, ND_SYNC_BATCH);
    for (size_t i = 0; i < m->count - LATE; i++) add_entry(x, &m->entries[i]);
    must(nd_hamming_compact(x, &error), &error);
    remove_entry(x, &m->entries[5]);
    for (size_t i = m->count - LATE; i < m->count; i++) add_entry(x, &m->entries[i]);
    remove_entry(x, &m->entries[m->count - 2]);
    nd_hamming_close(x);
}

/* Expects all entries near the query: the nearest first, then in the order in which they were
 * added. */
static void expect_near(const model *m, nd_hamming_searcher *searcher, nd_fingerprint query) {
    nd_error error;
    const nd_hamming_match *matches;
    uint64_t count, next = 0;
    const nd_hamming_search_options near = {.struct_size = sizeof near, .k = m->options.k};
    must(nd_hamming_search(searcher, query, &near, &matches, &count, &error), &error);
    for (uint32_t distance = 0; distance <= m->options.k; distance++)
        for (size_t i = 0; i < m->count; i++) {
            const entry *e = &m->entries[i];
            if (e->removed || nd_distance(e->fingerprint, query) != distance) continue;
            assert_true(next < count);
            const nd_hamming_match *match = &matches[next++];
            assert_int_equal(match->distance, distance);
            assert_int_equal(match->id_length, strlen(e->id));
            assert_memory_equal(match->id, e->id, match->id_length);
        }
    assert_int_equal(count, next);
}

static void expect_all(const model *m, const char *path) {
    nd_error error;
    nd_hamming_index *x;
    nd_hamming_searcher *searcher;
    nd_hamming_info info = {.struct_size = sizeof info};
    must(nd_hamming_open(path, ND_INDEX_READ, NULL, &x, &error), &error);
    must(nd_hamming_check(x, &error), &error);
    must(nd_hamming_describe(x, &info, &error), &error);
    assert_int_equal(info.fingerprints, m->count - 2);
    assert_int_equal(info.options->bits, m->options.bits);
    assert_int_equal(info.options->k, m->options.k);
    must(nd_hamming_searcher_create(x, &searcher, &error), &error);
    for (size_t i = 0; i < m->count; i++) {
        nd_fingerprint query = m->entries[i].fingerprint;
        expect_near(m, searcher, query);
        query.low ^= UINT64_C(1) << 9;
        expect_near(m, searcher, query);
    }
    nd_hamming_searcher_free(searcher);
    nd_hamming_close(x);
}

/* The index has its old content, and accepts changes. */
static void expect_fingerprints(bool numbers, const char *path) {
    static model m;
    nd_error error;
    nd_hamming_index *x;
    make_model(numbers, &m);
    expect_all(&m, path);
    must(nd_hamming_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    add_entry(x, &m.entries[m.count]);
    nd_hamming_close(x);
    m.count++;
    expect_all(&m, path);
    must(nd_hamming_open(path, ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(nd_hamming_compact(x, &error), &error);
    nd_hamming_close(x);
    expect_all(&m, path);
}

static void make_fingerprints(const char *path) {
    static model m;
    make_model(false, &m);
    make_index_of(&m, path);
}

static void make_numbers(const char *path) {
    static model m;
    make_model(true, &m);
    make_index_of(&m, path);
}

static void expect_strings(const char *path) { expect_fingerprints(false, path); }
static void expect_numbers(const char *path) { expect_fingerprints(true, path); }

/* ---- lines */

static const char *const line_texts[] = {
    "the first line of a page\nthe second one of it\nnumber three is here\nnumber four is here",
    "a menu with many items\n\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97 of it",
    "a line of more than sixteen bytes, and of more than thirty-two of them\nshort one now",
    "one of exactly 16"};
enum { LINE_RUNS = 3 };

/* Which texts each run has; the last number is behind the last text. */
static const size_t line_runs[LINE_RUNS + 1] = {0, 1, 3, 4};

typedef struct line_source {
    size_t next, end;
} line_source;

/* nd_record_fn */
static int next_line_text(void *context, nd_record *out) {
    line_source *s = context;
    if (s->next == s->end) return 0;
    out->id = ids[s->next];
    out->id_length = strlen(out->id);
    out->text = line_texts[s->next++];
    out->length = strlen(out->text);
    return 1;
}

static void run_lines(const char *path, size_t begin, size_t end, const char *removed) {
    nd_error error;
    nd_lines_options o;
    nd_input_options input;
    line_source source = {begin, end};
    nd_lines_options_init(&o, sizeof o);
    nd_input_options_init(&input, sizeof input);
    input.records = next_line_text;
    input.records_context = &source;
    o.input = &input;
    o.min_words = 2;
    o.index = path;
    o.removed = removed;
    must(nd_lines(&o, NULL, &error), &error);
}

static void make_lines(const char *path) {
    for (size_t i = 0; i < LINE_RUNS; i++) run_lines(path, line_runs[i], line_runs[i + 1], NULL);
}

/* All lines are in the index, each with the document that had it. */
static void expect_lines(const char *path) {
    char table[1000], found[4000];
    snprintf(table, sizeof table, "%s.tsv", path);
    run_lines(path, 0, sizeof line_texts / sizeof *line_texts, table);
    FILE *f = fopen(table, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    unlink(table);
    assert_string_equal(
        found, "id\tbegin\tend\tsource\tsource_begin\tfile\tline\tsource_file\tsource_line\n"
               "mill\t0\t25\tmill\t\t\t1\t\t\n"
               "mill\t25\t46\tmill\t\t\t1\t\t\n"
               "mill\t46\t67\tmill\t\t\t1\t\t\n"
               "mill\t67\t86\tmill\t\t\t1\t\t\n"
               "mill\t0\t86\t\t\t\t1\t\t\n"
               "mill again\t0\t23\tmill again\t\t\t2\t\t\n"
               "mill again\t23\t38\tmill again\t\t\t2\t\t\n"
               "mill again\t0\t38\t\t\t\t2\t\t\n"
               "lantern\t0\t71\tlantern\t\t\t3\t\t\n"
               "lantern\t71\t84\tlantern\t\t\t3\t\t\n"
               "lantern\t0\t84\t\t\t\t3\t\t\n"
               "quince\t0\t17\tquince\t\t\t4\t\t\n"
               "quince\t0\t17\t\t\t\t4\t\t\n");
}

/* ---- all formats */

static const struct kind {
    const char *name, *archive;
    void (*make)(const char *path);
    void (*expect)(const char *path);
} kinds[] = {{"documents", "index-5", make_documents, expect_documents},
             {"fingerprints", "index-2", make_fingerprints, expect_strings},
             {"numbers", "index-2-numbers", make_numbers, expect_numbers},
             {"hashes", "index-3", make_hashes, expect_hashes},
             {"lines", "lines-1", make_lines, expect_lines}};
enum { KINDS = sizeof kinds / sizeof *kinds };

#if !ND_TINY_LIMITS
static void unpack_index(const char *archive, const char *to) {
    char command[3000];
    snprintf(command, sizeof command, "mkdir '%s' && tar -xzf '%s' -C '%s'", to, archive, to);
    assert_int_equal(system(command), 0);
}
#endif

#if !ND_TINY_LIMITS /* because tiny limits make pages smaller */
static void test_kept(const struct kind *kind, const char *directory) {
    char kept[1000], path[100];
    snprintf(kept, sizeof kept, "%s/compat/%s.tar.gz", ND_TEST_DATA, kind->archive);
    snprintf(path, sizeof path, "%s/%s", directory, kind->archive);
    unpack_index(kept, path);
    kind->expect(path);
}
#endif

#if !ND_TINY_LIMITS
static void expect_refused(const char *archive, bool fingerprints, nd_status status,
                           const char *message, const char *directory) {
    char kept[1000], path[100];
    nd_error error;
    nd_index *x;
    nd_hamming_index *h;
    snprintf(kept, sizeof kept, "%s/compat/%s.tar.gz", ND_TEST_DATA, archive);
    snprintf(path, sizeof path, "%s/%s", directory, archive);
    unpack_index(kept, path);
    assert_int_equal(fingerprints ? nd_hamming_open(path, ND_INDEX_READ, NULL, &h, &error)
                                  : nd_index_open(path, ND_INDEX_READ, NULL, &x, &error),
                     status);
    if (!strstr(error.message, message)) fail_msg("%s", error.message);
}
#endif

/* Tests the current format, made now, and the stored archive of each format. */
static void test_formats(void **state) {
    (void)state;
    char directory[] = "compat-test-XXXXXX", path[100];
    make_directory(directory);
    for (size_t k = 0; k < KINDS; k++) {
        snprintf(path, sizeof path, "%s/%s", directory, kinds[k].name);
        kinds[k].make(path);
        kinds[k].expect(path);
#if !ND_TINY_LIMITS
        test_kept(&kinds[k], directory);
#endif
    }
#if !ND_TINY_LIMITS
    expect_refused("index-1", false, ND_ERR_ARGUMENT,
                   "/index-1/manifest-0: in version 1 of the format, of an older neardup",
                   directory);
    expect_refused("index-4", false, ND_ERR_ARGUMENT,
                   "/index-4/manifest-0: in version 4 of the format, of an older neardup",
                   directory);
    expect_refused("old-index-2", true, ND_ERR_CORRUPT,
                   "/segment-2: its keys are in another form than", directory);
    expect_refused("old-index-2-lists", true, ND_ERR_CORRUPT,
                   "/segment-2: its lists of documents are in another form than", directory);
    expect_refused("old-index-3", false, ND_ERR_CORRUPT,
                   "/segment-2: its keys are in another form than", directory);
#endif
    remove_directory(directory);
}

int main(int count, char **arguments) {
    for (size_t k = 0; count == 3 && k < KINDS; k++)
        if (strcmp(arguments[1], kinds[k].name) == 0) {
            kinds[k].make(arguments[2]);
            return 0;
        }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
