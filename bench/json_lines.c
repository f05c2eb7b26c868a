/* Reads JSON Lines without the library: see json_lines.h. */
#include "json_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* Quotes `path` as one word of the shell. */
static char *quoted_command(const char *prefix, const char *path) {
    char *command = malloc(strlen(prefix) + 4 * strlen(path) + 3);
    if (!command) return NULL;
    char *at = stpcpy(command, prefix);
    *at++ = '\'';
    for (; *path; path++) {
        if (*path == '\'') at = stpcpy(at, "'\\''");
        else *at++ = *path;
    }
    strcpy(at, "'");
    return command;
}

bool input_open_command(input_file *file, const char *command) {
    file->piped = true;
    file->stream = popen(command, "r");
    if (!file->stream) perror(command);
    return file->stream != NULL;
}

bool input_open(input_file *file, const char *path) {
    file->piped = false;
    file->stream = fopen(path, "rb"); /* also if a command will read it: for the message */
    if (!file->stream) {
        perror(path);
        return false;
    }
    const char *prefix = ends_with(path, ".zst")  ? "zstd -dcq -- "
                         : ends_with(path, ".gz") ? "gzip -dc -- "
                                                  : NULL;
    if (!prefix) return true;
    fclose(file->stream);
    char *command = quoted_command(prefix, path);
    bool opened = command && input_open_command(file, command);
    free(command);
    return opened;
}

bool input_close(input_file *file, bool read_to_end) {
    bool good = !ferror(file->stream);
    int status = file->piped ? pclose(file->stream) : fclose(file->stream);
    if (read_to_end && (!good || status != 0)) {
        fprintf(stderr, "an input could not be read to its end\n");
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- one object */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static bool take(cursor *c, char wanted) {
    skip_space(c);
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool hex4(cursor *c, uint32_t *value) {
    if (c->end - c->at < 4) return false;
    *value = 0;
    for (int i = 0; i < 4; i++) {
        char digit = *c->at++;
        uint32_t v = digit >= '0' && digit <= '9' ? (uint32_t)(digit - '0')
                                                  : ((uint32_t)(digit | 32) - 'a') + 10;
        if (v > 15) return false;
        *value = *value << 4 | v;
    }
    return true;
}

static char *put_code_point(char *out, uint32_t p) {
    if (p < 0x80) {
        *out++ = (char)p;
    } else if (p < 0x800) {
        *out++ = (char)(0xC0 | p >> 6);
        *out++ = (char)(0x80 | (p & 63));
    } else if (p < 0x10000) {
        *out++ = (char)(0xE0 | p >> 12);
        *out++ = (char)(0x80 | (p >> 6 & 63));
        *out++ = (char)(0x80 | (p & 63));
    } else {
        *out++ = (char)(0xF0 | p >> 18);
        *out++ = (char)(0x80 | (p >> 12 & 63));
        *out++ = (char)(0x80 | (p >> 6 & 63));
        *out++ = (char)(0x80 | (p & 63));
    }
    return out;
}

/* Reads an escape, behind its backslash. */
static bool take_escape(cursor *c, char **out) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (c->at == c->end) return false;
    char name = *c->at++;
    const char *found = name ? strchr(names, name) : NULL;
    if (found) {
        *(*out)++ = values[found - names];
        return true;
    }
    uint32_t high, low;
    if (name != 'u' || !hex4(c, &high)) return false;
    if (high >= 0xD800 && high < 0xDC00 && c->end - c->at >= 6 && c->at[0] == '\\' &&
        c->at[1] == 'u') {
        c->at += 2;
        if (!hex4(c, &low) || low < 0xDC00 || low > 0xDFFF) return false;
        high = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }
    *out = put_code_point(*out, high);
    return true;
}

/* Reads a string and unescapes it into `out` (NULL: skips it). */
static bool take_string(cursor *c, char *out, size_t *out_length) {
    if (!take(c, '"')) return false;
    char *start = out;
    while (c->at < c->end && *c->at != '"') {
        if (*c->at != '\\') {
            if (out) *out++ = *c->at;
            c->at++;
        } else if (!out) {
            c->at += 2;
        } else {
            c->at++;
            if (!take_escape(c, &out)) return false;
        }
    }
    if (c->at >= c->end) return false;
    c->at++;
    if (out) *out_length = (size_t)(out - start);
    return true;
}

/* Skips numbers, literals, objects and arrays: to the comma or bracket that ends them at this
 * depth. */
static bool skip_value(cursor *c) {
    size_t depth = 0;
    for (skip_space(c); c->at < c->end;) {
        char b = *c->at;
        if (b == '"') {
            if (!take_string(c, NULL, NULL)) return false;
            continue;
        }
        if (depth == 0 && (b == ',' || b == '}')) return true;
        if (b == '{' || b == '[') depth++;
        if (b == '}' || b == ']') depth--;
        c->at++;
    }
    return false;
}

static bool take_number(cursor *c, char *out, size_t *out_length) {
    skip_space(c);
    const char *start = c->at;
    while (c->at < c->end && *c->at && strchr("+-.eE0123456789", *c->at)) c->at++;
    *out_length = (size_t)(c->at - start);
    memcpy(out, start, *out_length);
    return *out_length > 0;
}

bool json_field(const char *line, size_t length, const char *name, char *out, size_t *out_length) {
    cursor c = {line, line + length};
    size_t name_length = strlen(name);
    if (!take(&c, '{')) return false;
    do {
        size_t key_length;
        skip_space(&c);
        if (!take_string(&c, out, &key_length) || !take(&c, ':')) return false;
        if (key_length == name_length && memcmp(out, name, name_length) == 0) {
            skip_space(&c);
            if (c.at < c.end && *c.at == '"') return take_string(&c, out, out_length);
            return take_number(&c, out, out_length);
        }
        if (!skip_value(&c)) return false;
    } while (take(&c, ','));
    return false;
}
