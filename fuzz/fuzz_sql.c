/* The bytes up to the first NUL are the name of a column, a string or a path. In SQL each is one
 * item in quotes, which is read back as the same bytes; a path is the pattern of no other file. */
#include "target.h"

#include "base/alloc.h"
#include "parquet/sql_text.h"

#include <stdlib.h>
#include <string.h>

/* Reads the item in quotes into `out`. It must end where the SQL ends. */
static void read_quoted(const nd_sql *sql, char quote, char *out) {
    const char *at = sql->bytes, *end = sql->bytes + sql->size;
    if (sql->failed || sql->size < 2 || *at++ != quote) target_fail("no quote at the begin");
    for (;; at++) {
        if (at == end) target_fail("no quote at the end: %s", sql->bytes);
        if (*at == quote && *++at != quote) break;
        *out++ = *at;
    }
    *out = '\0';
    if (at != end) target_fail("the quotes end early: %s", sql->bytes);
}

/* Replaces a pattern by the only path that it stands for. */
static void read_pattern(char *pattern) {
    bool has_pattern = strpbrk(pattern, "*?[") != NULL;
    char *out = pattern;
    for (const char *at = pattern; *at; at++) {
        if (*at == '*' || *at == '?') target_fail("a pattern of several paths");
        bool set = *at == '[';
        if (set && (!at[1] || strchr("]!", at[1]) || at[2] != ']')) target_fail("an odd set");
        if (set || (*at == '\\' && has_pattern)) at++;
        *out++ = *at;
        at += set;
    }
    *out = '\0';
}

static void expect(nd_sql *sql, char quote, bool pattern, const char *begin, const char *wanted,
                   char *read) {
    size_t length = strlen(begin);
    read_quoted(sql, quote, read);
    if (pattern) read_pattern(read);
    if (strncmp(read, begin, length) != 0 || strcmp(read + length, wanted) != 0)
        target_fail("%s%s is read back as %s", begin, wanted, read);
    nd_sql_free(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *given, size_t size) {
    nd_sql sql = {.allocator = &nd_allocator_default};
    char *text = calloc(size + 1, 1), *read = malloc(3 * size + 8);
    if (!text || !read) target_fail("no memory");
    if (size > 0) memcpy(text, given, size);
    const char *begin = *text == '/' ? "" : "./";
    nd_sql_add_name(&sql, text);
    expect(&sql, '"', false, "", text, read);
    nd_sql_add_string(&sql, text);
    expect(&sql, '\'', false, "", text, read);
    nd_sql_add_path(&sql, text);
    expect(&sql, '\'', true, begin, text, read);
    nd_sql_add_target(&sql, text);
    expect(&sql, '\'', false, begin, text, read);
    free(read);
    free(text);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}
