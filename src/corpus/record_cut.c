#include "corpus/record_cut.h"

#include "corpus/json_diagnose.h"

#include <stdint.h>
#include <string.h>

/* ---- lines */

static bool is_blank(const char *bytes, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r') return false;
    return true;
}

/* Cuts a record at `end`; a newline there is not a part of it. */
static void cut_at(const char *bytes, size_t from, size_t end, size_t stop, nd_cut *out) {
    *out = (nd_cut){.begin = from,
                    .end = end,
                    .next = end < stop ? end + 1 : end,
                    .blank = is_blank(bytes, from, end)};
}

static bool cut_line(const char *bytes, size_t from, size_t stop, bool last, nd_cut *out) {
    const char *newline = memchr(bytes + from, '\n', stop - from);
    if (!newline && !last) return false;
    cut_at(bytes, from, newline ? (size_t)(newline - bytes) : stop, stop, out);
    return true;
}

/* ---- rows (RFC 4180) */

/* Returned instead of the place behind an element whose end is not there. */
#define OPEN SIZE_MAX

/* Returns the place behind the quote that closes a field, whose content begins at `at`. A quote in
 * the field is written twice. */
static size_t quoted_end(const char *bytes, size_t at, size_t stop) {
    for (;;) {
        const char *quote = at < stop ? memchr(bytes + at, '"', stop - at) : NULL;
        if (!quote) return OPEN;
        at = (size_t)(quote - bytes) + 1;
        if (at == stop || bytes[at] != '"') return at;
        at++;
    }
}

#define OPEN_QUOTE "the quote of a field is not closed, or not the last character of the field"

/* Ends a record that stays open with its first line. */
static bool cut_open(const char *bytes, size_t from, size_t stop, const char *fault, nd_cut *out) {
    cut_line(bytes, from, stop, true, out);
    out->blank = false;
    out->fault = fault;
    return true;
}

/* Whether a field may end at `at`. */
static bool is_field_end(char delimiter, const char *bytes, size_t at, size_t stop) {
    return at == stop || bytes[at] == delimiter || bytes[at] == '\n' || bytes[at] == '\r';
}

static bool cut_row(char delimiter, const char *bytes, size_t from, size_t stop, bool last,
                    nd_cut *out) {
    for (size_t at = from;; at++) { /* at the begin of a field */
        if (at < stop && bytes[at] == '"') {
            at = quoted_end(bytes, at + 1, stop);
            if (at == OPEN && !last) return false;
            if (at == OPEN || !is_field_end(delimiter, bytes, at, stop))
                return cut_open(bytes, from, stop, OPEN_QUOTE, out);
        }
        while (at < stop && bytes[at] != delimiter && bytes[at] != '\n') at++;
        if (at == stop && !last) return false;
        if (at < stop && bytes[at] == delimiter) continue;
        cut_at(bytes, from, at, stop, out);
        return true;
    }
}

/* ---- values of JSON */

/* The separator of JSON text sequences (RFC 7464) is white space here. */
static bool is_space(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == 0x1E;
}

/* Returns the place behind the quote that closes a string, whose content begins at `at`. */
static size_t string_end(const char *bytes, size_t at, size_t stop) {
    while (at < stop) {
        const char *quote = memchr(bytes + at, '"', stop - at);
        if (!quote) return OPEN;
        size_t found = (size_t)(quote - bytes), escapes = 0;
        while (found - escapes > at && bytes[found - escapes - 1] == '\\') escapes++;
        if (escapes % 2 == 0) return found + 1;
        at = found + 1;
    }
    return OPEN;
}

/* The open brackets of a value: a bit for each level, 1 for '{'. */
typedef struct open_brackets {
    uint64_t curly[ND_JSON_DEPTH / 64];
    size_t depth;
} open_brackets;

static void open_bracket(open_brackets *open, bool curly) {
    size_t level = open->depth++;
    if (level >= ND_JSON_DEPTH) return;
    uint64_t bit = UINT64_C(1) << level % 64;
    if (curly) open->curly[level / 64] |= bit;
    else open->curly[level / 64] &= ~bit;
}

/* Closes the innermost bracket of that kind, and with it those inside, which are missing. */
static void close_bracket(open_brackets *open, bool curly) {
    for (size_t level = open->depth; level-- > 0;) {
        bool same = level >= ND_JSON_DEPTH || (open->curly[level / 64] >> level % 64 & 1) == curly;
        if (!same) continue;
        open->depth = level;
        return;
    }
}

/* Returns the place behind an array or object. */
static size_t nested_end(const char *bytes, size_t at, size_t stop) {
    open_brackets open;
    open.depth = 0;
    while (at < stop) {
        char byte = bytes[at++];
        if (byte == '"') at = string_end(bytes, at, stop);
        else if (byte == '{' || byte == '[') open_bracket(&open, byte == '{');
        else if (byte == '}' || byte == ']') close_bracket(&open, byte == '}');
        else continue;
        if (at == OPEN || open.depth == 0) return at;
    }
    return OPEN;
}

/* Returns the place behind a value that is neither an array nor an object, or is no JSON. */
static size_t plain_end(const char *bytes, size_t at, size_t stop, bool last) {
    if (bytes[at++] == '"') return string_end(bytes, at, stop);
    while (at < stop && !strchr(",]}{[\"", bytes[at]) && !is_space(bytes[at])) at++;
    return at < stop || last ? at : OPEN;
}

/* Cuts what stands between values. False: nothing does. */
static bool cut_separators(nd_record_cutter *c, const char *bytes, size_t from, size_t stop,
                           nd_cut *out) {
    size_t at = from;
    for (; at < stop; at++) {
        char byte = bytes[at];
        if (is_space(byte)) continue;
        if (byte == ',' && c->in_array && c->after_value) c->after_value = false;
        else if (byte == '[' && !c->in_array) c->in_array = true, c->after_value = false;
        else if (byte == ']' && c->in_array) c->in_array = false;
        else break;
    }
    *out = (nd_cut){.begin = at, .end = at, .next = at, .blank = true};
    return at > from;
}

#define OPEN_VALUE "a bracket or a quote is not closed"

static bool cut_value(nd_record_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                      nd_cut *out) {
    if (cut_separators(c, bytes, from, stop, out)) return true;
    if (from == stop) {
        if (!last || !c->in_array) return false;
        *out = (nd_cut){.begin = stop, .end = stop, .next = stop, .fault = "',' or ']' expected"};
        c->in_array = false;
        return true;
    }
    bool nested = bytes[from] == '{' || bytes[from] == '[';
    size_t end = nested ? nested_end(bytes, from, stop) : plain_end(bytes, from, stop, last);
    if (end == OPEN && !last) return false;
    if (end == OPEN) {
        c->after_value = false;
        return cut_open(bytes, from, stop, OPEN_VALUE, out);
    }
    *out = (nd_cut){.begin = from, .end = end, .next = end};
    if (c->in_array && c->after_value) out->fault = "no ',' before the value of an array";
    c->after_value = true;
    return true;
}

/* ---- a file that is one text */

static bool cut_all(nd_record_cutter *c, size_t from, size_t stop, bool last, nd_cut *out) {
    if (!last || c->after_value) return false;
    *out = (nd_cut){.begin = from, .end = stop, .next = stop};
    return c->after_value = true;
}

/* ---- all formats */

bool nd_record_cut(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end, bool last,
                   nd_cut *out) {
    if (cutter->format == ND_FORMAT_JSON) return cut_value(cutter, bytes, from, end, last, out);
    if (cutter->format == ND_FORMAT_TEXT) return cut_all(cutter, from, end, last, out);
    if (from == end) return false;
    switch (cutter->format) {
    case ND_FORMAT_CSV: return cut_row(',', bytes, from, end, last, out);
    case ND_FORMAT_TSV: return cut_row('\t', bytes, from, end, last, out);
    default: return cut_line(bytes, from, end, last, out);
    }
}

bool nd_record_cut_line(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end,
                        nd_cut *out) {
    bool json = cutter->format == ND_FORMAT_JSON;
    if (cutter->format == ND_FORMAT_TEXT || !memchr(bytes + from, '\n', end - from)) return false;
    cutter->after_value = false;
    return cut_open(bytes, from, end, json ? OPEN_VALUE : OPEN_QUOTE, out);
}
