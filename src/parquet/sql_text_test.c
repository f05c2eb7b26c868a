/* Names, strings and paths in SQL are those that were put in, whatever bytes they have. A plain
 * reader of SQL's strings, and a plain matcher of DuckDB's patterns, read them back. */
#include "parquet/sql_text.h"

#include "test.h"

#include <string.h>

enum { LONGEST = 12, ROUNDS = 20000 };

static nd_sql empty(void) {
    static nd_allocator allocator;
    allocator = nd_allocator_or_default(NULL);
    return (nd_sql){.allocator = &allocator};
}

/* The bytes that the adversary chooses from. */
static void random_text(uint64_t *seed, char *out) {
    static const char letters[] = "a\"'\\*?[];-/~:$\n{}\x80\xFF";
    size_t length = 1 + random_below(seed, LONGEST);
    for (size_t i = 0; i < length; i++) out[i] = letters[random_below(seed, sizeof letters - 1)];
    out[length] = '\0';
}

/* Reads a text in quotes, which must end where the SQL ends. */
static void read_quoted(const nd_sql *sql, char quote, char *out) {
    const char *at = sql->bytes;
    assert_int_equal(*at++, quote);
    for (;; at++) {
        assert_int_not_equal(*at, '\0');
        if (*at == quote && *++at != quote) break;
        *out++ = *at;
    }
    *out = '\0';
    assert_ptr_equal(at, sql->bytes + sql->size);
}

/* Whether a pattern stands for this path alone; if so, the path is written to `out`. */
static bool is_one_path(const char *pattern, char *out) {
    bool has_pattern = strpbrk(pattern, "*?[") != NULL;
    for (const char *at = pattern; *at; at++) {
        if (*at == '*' || *at == '?') return false;
        if (*at == '[') {
            if (at[1] == '\0' || at[1] == ']' || at[1] == '!' || at[2] != ']') return false;
            *out++ = at[1];
            at += 2;
        } else {
            if (*at == '\\' && has_pattern) at++;
            *out++ = *at;
        }
    }
    *out = '\0';
    return true;
}

static void expect(void (*add)(nd_sql *sql, const char *text), const char *text,
                   const char *wanted) {
    nd_sql sql = empty();
    add(&sql, text);
    assert_string_equal(sql.bytes, wanted);
    nd_sql_free(&sql);
}

static void test_examples(void **state) {
    (void)state;
    expect(nd_sql_add_name, "a\"b", "\"a\"\"b\"");
    expect(nd_sql_add_name, "it's", "\"it's\"");
    expect(nd_sql_add_string, "it's", "'it''s'");
    expect(nd_sql_add_string, "'; DROP", "'''; DROP'");
    expect(nd_sql_add_path, "/x/y", "'/x/y'");
    expect(nd_sql_add_path, "s3://b/*.parquet", "'./s3://b/[*].parquet'");
    expect(nd_sql_add_path, "~u", "'./~u'");
    expect(nd_sql_add_path, "a[1]?\\", "'./a[[]1][?]\\\\'");
    expect(nd_sql_add_path, "a\\b", "'./a\\b'");
    expect(nd_sql_add_target, "a*'b", "'./a*''b'");
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        char text[LONGEST + 2], read[8 * LONGEST], path[8 * LONGEST], wanted[LONGEST + 4] = "";
        nd_sql sql = empty();
        random_text(&seed, text);
        nd_sql_add_name(&sql, text);
        read_quoted(&sql, '"', read);
        assert_string_equal(read, text);
        sql.size = 0;
        nd_sql_add_string(&sql, text);
        read_quoted(&sql, '\'', read);
        assert_string_equal(read, text);
        sql.size = 0;
        nd_sql_add_path(&sql, text);
        read_quoted(&sql, '\'', read);
        assert_true(is_one_path(read, path));
        strcat(strcat(wanted, text[0] == '/' ? "" : "./"), text);
        assert_string_equal(path, wanted);
        sql.size = 0;
        nd_sql_add_target(&sql, text);
        read_quoted(&sql, '\'', read);
        assert_string_equal(read, wanted);
        nd_sql_free(&sql);
    }
}

/* Without memory nothing more is added, and the text tells it. */
static void test_no_memory(void **state) {
    (void)state;
    failing_allocator failing = {.left = 1};
    const nd_allocator allocator = failing_allocator_make(&failing);
    nd_sql sql = {.allocator = &allocator};
    for (unsigned i = 0; i < 1000; i++) nd_sql_add(&sql, "SELECT");
    assert_true(sql.failed);
    nd_sql_free(&sql);
    assert_int_equal(failing.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
