#include "parquet/sql_text.h"

#include "base/format.h"

#include <string.h>

void nd_sql_add_bytes(nd_sql *sql, const char *bytes, size_t size) {
    sql->failed = sql->failed ||
                  !nd_reserve(sql->allocator, &sql->bytes, &sql->capacity, sql->size + size + 1);
    if (sql->failed) return;
    memcpy(sql->bytes + sql->size, bytes, size);
    sql->size += size;
    sql->bytes[sql->size] = '\0';
}

void nd_sql_add(nd_sql *sql, const char *text) { nd_sql_add_bytes(sql, text, strlen(text)); }

void nd_sql_add_number(nd_sql *sql, uint64_t number) {
    char digits[24];
    nd_format(digits, sizeof digits, "%llu", (unsigned long long)number);
    nd_sql_add(sql, digits);
}

/* Adds the bytes with each `quote` doubled. */
static void add_doubled(nd_sql *sql, const char *bytes, char quote) {
    for (const char *at = bytes; *at; at++)
        nd_sql_add_bytes(sql, (char[]){*at, quote}, *at == quote ? 2 : 1);
}

void nd_sql_add_name(nd_sql *sql, const char *name) {
    nd_sql_add(sql, "\"");
    add_doubled(sql, name, '"');
    nd_sql_add(sql, "\"");
}

void nd_sql_add_string(nd_sql *sql, const char *string) {
    nd_sql_add(sql, "'");
    add_doubled(sql, string, '\'');
    nd_sql_add(sql, "'");
}

/* A path that begins with '/' or "./" is no URL and in no home directory. */
static void begin_path(nd_sql *sql, const char *path) {
    nd_sql_add(sql, *path == '/' ? "'" : "'./");
}

/* If it has characters of a pattern, they stand in brackets, as the only character of a set. In a
 * path without them a backslash is itself. */
void nd_sql_add_path(nd_sql *sql, const char *path) {
    bool pattern = strpbrk(path, "*?[") != NULL;
    begin_path(sql, path);
    for (const char *at = path; *at; at++) {
        if (strchr("*?[", *at)) nd_sql_add_bytes(sql, (char[]){'[', *at, ']'}, 3);
        else if (*at == '\\' && pattern) nd_sql_add_bytes(sql, "\\\\", 2);
        else nd_sql_add_bytes(sql, (char[]){*at, '\''}, *at == '\'' ? 2 : 1);
    }
    nd_sql_add(sql, "'");
}

void nd_sql_add_target(nd_sql *sql, const char *path) {
    begin_path(sql, path);
    add_doubled(sql, path, '\'');
    nd_sql_add(sql, "'");
}

void nd_sql_free(nd_sql *sql) {
    nd_release(sql->allocator, sql->bytes);
    sql->bytes = NULL;
    sql->size = sql->capacity = 0;
}
