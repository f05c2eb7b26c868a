/* Structures that say how large they are: an older and a newer caller than the library gets what
 * neardup.h says of "Options" and "Growth". */
#include "contract/sized_uses.h"

enum { MOST_SIZE = 64 << 10 };

static const sized_structure *structure_of(const char *name) {
    const sized_structure *s = sized_structures;
    while (s->name && strcmp(s->name, name) != 0) s++;
    return s->name ? s : NULL;
}

static const size_t larger_by[] = {1, 8, 100};
enum { LARGER = sizeof larger_by / sizeof *larger_by };

/* ---- options */

/* A copy of good options that is `size` bytes large and says so; zeros behind those that are known.
 * The caller frees it. */
static unsigned char *options_of_size(const sized_structure *s, size_t size) {
    size_t known = size < s->size ? size : s->size, room = size < sizeof size ? sizeof size : size;
    unsigned char *given = calloc(1, room);
    assert_non_null(given);
    memcpy(given, s->given, known);
    memcpy(given, &size, sizeof size);
    return given;
}

static void check_fails(const sized_use *u, void *given, const char *part) {
    char call[200];
    snprintf(call, sizeof call, "%s with %s", u->through, u->structure);
    begin_call();
    check_failed(call, u->call(given), ND_ERR_ARGUMENT, part);
}

static void check_bad_sizes(const sized_use *u, const sized_structure *s) {
    char part[100];
    snprintf(part, sizeof part, "%s.struct_size", s->name);
    begin_use_of_size();
    /* 0 of a record stands for the size in version 0.1. */
    for (size_t size = strcmp(s->name, "nd_record") == 0; size < s->size; size++) {
        unsigned char *given = options_of_size(s, size);
        check_fails(u, given, part);
        free(given);
    }
    unsigned char *given = options_of_size(s, MOST_SIZE + 1);
    check_fails(u, given, part);
    free(given);
}

/* What the use tells, with options of a size. */
static uint64_t told_with_size(const sized_use *u, const sized_structure *s, size_t size) {
    begin_use_of_size();
    unsigned char *given = options_of_size(s, size), *before = malloc(size);
    assert_non_null(before);
    memcpy(before, given, size);
    begin_call();
    memset(&out.summary, 0, sizeof out.summary);
    out.summary.struct_size = sizeof out.summary;
    nd_status status = u->call(given);
    if (status != ND_OK)
        fail_msg("%s with %s of %zu bytes: %s", u->through, s->name, size, failure.message);
    assert_memory_equal(given, before, size);
    free(given);
    free(before);
    return told_by_use();
}

static void check_larger(const sized_use *u, const sized_structure *s) {
    uint64_t told = told_with_size(u, s, s->size);
    const size_t sizes[] = {s->size + 1, s->size + 8, s->size + 100, MOST_SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (told_with_size(u, s, sizes[i]) != told)
            fail_msg("%s with %s of %zu bytes, not %zu, has another result", u->through, s->name,
                     sizes[i], s->size);
}

/* A member that the library does not know is not 0. */
static void check_unknown(const sized_use *u, const sized_structure *s) {
    begin_use_of_size();
    for (size_t i = 0; i < LARGER; i++) {
        size_t size = s->size + larger_by[i];
        for (size_t at = s->size; at < size; at++) {
            unsigned char *given = options_of_size(s, size);
            given[at] = at % 2 ? 1 : 0x80;
            check_fails(u, given, s->name);
            free(given);
        }
    }
}

/* ---- results */

/* Fills results of a size, between bytes that must stay. The caller frees them. */
static unsigned char *results_of_size(size_t size) {
    enum { BEHIND = 64 };
    unsigned char *results = malloc(size + BEHIND);
    assert_non_null(results);
    memset(results, PATTERN, size + BEHIND);
    memcpy(results, &size, size < sizeof size ? size : sizeof size);
    return results;
}

static void check_bad_results(const sized_use *u, const sized_structure *s) {
    char part[100];
    snprintf(part, sizeof part, "%s.struct_size", s->name);
    begin_use_of_size();
    for (size_t size = 0; size <= s->size; size++) {
        unsigned char *results = results_of_size(s->size);
        const size_t said = size < s->size ? size : MOST_SIZE + 1;
        memcpy(results, &said, sizeof said);
        check_fails(u, results, part);
        assert_true(is_untouched(results + sizeof size, s->size - sizeof size));
        free(results);
    }
}

static unsigned char *fill_results(const sized_use *u, const sized_structure *s, size_t size) {
    begin_use_of_size();
    unsigned char *results = results_of_size(size);
    size_t said;
    begin_call();
    nd_status status = u->call(results);
    if (status != ND_OK)
        fail_msg("%s with %s of %zu bytes: %s", u->through, s->name, size, failure.message);
    memcpy(&said, results, sizeof said);
    assert_int_equal(said, size);
    for (size_t i = s->size; i < size; i++)
        if (results[i] != 0) fail_msg("%s of %zu bytes: byte %zu is not 0", s->name, size, i);
    if (!is_untouched(results + size, 64))
        fail_msg("%s fills more than the %zu bytes of %s", u->through, size, s->name);
    s->level(results);
    return results;
}

static void check_results(const sized_use *u, const sized_structure *s) {
    check_bad_results(u, s);
    unsigned char *exact = fill_results(u, s, s->size);
    for (size_t i = 0; i < LARGER; i++) {
        unsigned char *larger = fill_results(u, s, s->size + larger_by[i]);
        assert_memory_equal(larger + sizeof(size_t), exact + sizeof(size_t),
                            s->size - sizeof(size_t));
        free(larger);
    }
    free(exact);
}

void test_sizes(void **state) {
    (void)state;
    for (const sized_use *u = sized_uses; u->through; u++) {
        const sized_structure *s = structure_of(u->structure);
        assert_non_null(s);
        if (!s->given) {
            check_results(u, s);
            continue;
        }
        check_bad_sizes(u, s);
        check_larger(u, s);
        check_unknown(u, s);
    }
    end_uses_of_sizes();
}

/* ---- nd_X_options_init */

static void check_init(const sized_structure *s) {
    enum { LARGEST = 1024 };
    unsigned char defaults[LARGEST], filled[LARGEST];
    memset(defaults, 0, sizeof defaults);
    assert_true(s->size + 100 <= LARGEST);
    s->init(defaults, s->size);
    for (size_t size = 0; size <= s->size + 100; size++) {
        size_t known = size < s->size ? size : s->size, said;
        memset(filled, PATTERN, sizeof filled);
        s->init(filled, size);
        if (!is_untouched(filled + size, sizeof filled - size))
            fail_msg("%s_init writes more than %zu bytes", s->name, size);
        if (size < sizeof size) {
            assert_true(is_untouched(filled, size));
            continue;
        }
        memcpy(&said, filled, sizeof said);
        assert_int_equal(said, size);
        assert_memory_equal(filled + sizeof said, defaults + sizeof said, known - sizeof said);
        for (size_t i = s->size; i < size; i++)
            if (filled[i] != 0) fail_msg("%s_init: byte %zu is not 0", s->name, i);
    }
}

void test_size_inits(void **state) {
    (void)state;
    for (const sized_structure *s = sized_structures; s->name; s++)
        if (s->init) check_init(s);
}

/* ---- structures that the library hands out, and records of a callback */

static void check_handed_out(const nd_index_options *index, const nd_hamming_options *hamming,
                             const nd_stream_options *stream) {
    assert_int_equal(index->struct_size, sizeof *index);
    assert_int_equal(index->analyzer->struct_size, sizeof *index->analyzer);
    assert_int_equal(hamming->struct_size, sizeof *hamming);
    assert_int_equal(stream->struct_size, sizeof *stream);
    assert_int_equal(stream->analyzer->struct_size, sizeof *stream->analyzer);
    assert_int_equal(stream->simhash->struct_size, sizeof *stream->simhash);
}

/* Options that the library hands out say their size, so that they can be given again. */
void test_sizes_handed_out(void **state) {
    (void)state;
    nd_index *index;
    nd_hamming_index *hamming;
    nd_stream *stream;
    nd_stream_options *read;
    begin_call();
    good(nd_index_create_in_memory(NULL, NULL, &index, &failure));
    good(nd_hamming_create_in_memory(NULL, NULL, &hamming, &failure));
    good(nd_stream_open("arrivals", ND_INDEX_WRITE, NULL, NULL, &stream, &failure));
    good(nd_index_describe(index, &out.index_info, &failure));
    good(nd_hamming_describe(hamming, &out.hamming_info, &failure));
    good(nd_stream_describe(stream, &out.stream_info, &failure));
    check_handed_out(out.index_info.options, out.hamming_info.options, out.stream_info.options);
    good(nd_stream_sync(stream, &failure));
    good(nd_stream_read_options("arrivals", NULL, &read, &failure));
    check_handed_out(out.index_info.options, out.hamming_info.options, read);
    nd_stream_close(stream);
    good(nd_stream_open("arrivals", ND_INDEX_WRITE, read, NULL, &stream, &failure));
    nd_stream_close(stream);
    nd_stream_options_free(read);
    nd_hamming_close(hamming);
    nd_index_close(index);
    remove_directory("arrivals/index");
    remove_directory("arrivals");
}

/* nd_record_fn: each record is as neardup/job.h says when the callback gets it. */
static int look_at_record(void *context, nd_record *record) {
    const nd_record expected = {.struct_size = sizeof expected, .value = record->value};
    assert_memory_equal(record, &expected, sizeof expected);
    assert_true(isnan(record->value));
    return give_record(context, record);
}

void test_size_of_records(void **state) {
    (void)state;
    begin_job(1);
    job.input.records = look_at_record;
    begin_call();
    good(nd_texts(&job.input, take_text, NULL, &job.resources, &out.summary, &failure));
    assert_int_equal(out.summary.documents, DOCUMENTS);
    /* A record without a size is one of version 0.1. */
    for (const sized_use *u = sized_uses; u->through; u++) {
        if (strcmp(u->structure, "nd_record") != 0) continue;
        const sized_structure *s = structure_of(u->structure);
        uint64_t told = told_with_size(u, s, s->size);
        begin_use_of_size();
        nd_record record;
        memcpy(&record, s->given, sizeof record);
        record.struct_size = 0;
        begin_call();
        memset(&out.summary, 0, sizeof out.summary);
        out.summary.struct_size = sizeof out.summary;
        good(u->call(&record));
        assert_true(told_by_use() == told);
    }
    end_uses_of_sizes();
}

/* ---- nothing is left out */

static void blank_comments(char *text) {
    for (char *at = text; (at = strstr(at, "/*"));) {
        char *end = strstr(at, "*/");
        assert_non_null(end);
        memset(at, ' ', (size_t)(end + 2 - at));
    }
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The name that ends before `at`. */
static void name_before(const char *text, const char *at, char name[80]) {
    while (at > text && !is_name(at[-1])) at--;
    const char *end = at;
    while (at > text && is_name(at[-1])) at--;
    size_t length = (size_t)(end - at) < 79 ? (size_t)(end - at) : 79;
    memcpy(name, at, length);
    name[length] = '\0';
}

/* A parameter or a member that is a pointer to a sized structure. Whether it is in the list of
 * uses.
 */
static bool check_pointer(const char *through, const sized_structure *s) {
    char init[100], freed[100];
    const sized_structure *container = structure_of(through);
    snprintf(init, sizeof init, "%s_init", s->name);
    snprintf(freed, sizeof freed, "%s_free", s->name);
    if (strcmp(through, init) == 0) {
        if (!s->init) fail_msg("%s is not in the list of structures", init);
        return false;
    }
    /* What the library hands out, and records of a callback, are tried above. */
    if (strcmp(through, freed) == 0 || strcmp(through, "nd_record_fn") == 0) return false;
    if (container && !container->given) return false;
    for (const sized_use *u = sized_uses; u->through; u++)
        if (strcmp(u->through, through) == 0 && strcmp(u->structure, s->name) == 0) return true;
    fail_msg("%s takes %s, and is not in the list of uses", through, s->name);
    return false;
}

static void check_structures(const char *headers) {
    static const char first_member[] = "size_t struct_size;";
    size_t count = 0, listed = 0;
    for (const char *at = headers; (at = strstr(at, first_member)); at++, count++) {
        char name[80];
        name_before(headers, at, name);
        if (!structure_of(name)) fail_msg("%s is not in the list of structures", name);
    }
    while (sized_structures[listed].name) listed++;
    assert_int_equal(count, listed);
}

void test_sized_are_all_here(void **state) {
    (void)state;
    char *headers = header_text(), through[80] = "", name[80];
    size_t found = 0, listed = 0;
    blank_comments(headers);
    check_structures(headers);
    for (const char *at = headers; *at; at++) {
        if (*at == '(' || *at == '{') name_before(headers, at, through);
        if (*at != '*' || at[1] == '*' || at[-1] == '*') continue;
        name_before(headers, at, name);
        const sized_structure *s = structure_of(name);
        found += s && check_pointer(through, s);
    }
    while (sized_uses[listed].through) listed++;
    assert_int_equal(found, listed);
    free(headers);
}
