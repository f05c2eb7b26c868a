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
static void cut_at(size_t from, size_t end, size_t stop, bool blank, nd_cut *out) {
    *out = (nd_cut){.begin = from, .end = end, .next = end < stop ? end + 1 : end, .blank = blank};
}

static bool cut_line(const char *bytes, size_t from, size_t stop, bool last, nd_cut *out) {
    const char *newline = memchr(bytes + from, '\n', stop - from);
    if (!newline && !last) return false;
    size_t end = newline ? (size_t)(newline - bytes) : stop;
    cut_at(from, end, stop, is_blank(bytes, from, end), out);
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

/* Whole searches for the end of a record that stays open. */
enum { MOST_SEARCHES = 16 };

/* Ends a record that stays open with its first line. Its end was looked for until `searched`.
 * False: the end of the line is not there yet. */
static bool cut_open(nd_record_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                     size_t searched, nd_cut *out) {
    if (!cut_line(bytes, from, stop, last, out)) return false;
    out->blank = false;
    out->fault = c->format == ND_FORMAT_JSON
                     ? "a bracket or a quote is not closed"
                     : "the quote of a field is not closed, or not the last character of the field";
    c->given_up++;
    if (c->given_up >= MOST_SEARCHES && searched > out->next) c->by_line = searched - out->next;
    return true;
}

/* Whether a field may end at `at`. */
static bool is_field_end(char delimiter, const char *bytes, size_t at, size_t stop) {
    return at == stop || bytes[at] == delimiter || bytes[at] == '\n' || bytes[at] == '\r';
}

static bool cut_row(nd_record_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                    nd_cut *out) {
    char delimiter = c->format == ND_FORMAT_TSV ? '\t' : ',';
    for (size_t at = from;; at++) { /* at the begin of a field */
        if (at < stop && bytes[at] == '"') {
            at = quoted_end(bytes, at + 1, stop);
            if (at == OPEN && !last) return false;
            if (at == OPEN) return cut_open(c, bytes, from, stop, last, stop, out);
            if (!is_field_end(delimiter, bytes, at, stop))
                return cut_open(c, bytes, from, stop, last, at, out);
        }
        while (at < stop && bytes[at] != delimiter && bytes[at] != '\n') at++;
        if (at == stop && !last) return false;
        if (at < stop && bytes[at] == delimiter) continue;
        /* Blanks and tabs are the fields of a row. */
        bool blank = at == from || (at == from + 1 && bytes[from] == '\r');
        cut_at(from, at, stop, blank, out);
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
    if (open->depth > ND_JSON_DEPTH) {
        open->depth--;
        return;
    }
    for (size_t word = (open->depth + 63) / 64; word-- > 0;) {
        uint64_t same = curly ? open->curly[word] : ~open->curly[word];
        size_t levels = open->depth - word * 64; /* from this word on */
        if (levels < 64) same &= (UINT64_C(1) << levels) - 1;
        if (same == 0) continue;
        open->depth = word * 64 + 63 - (size_t)__builtin_clzll(same);
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
        return cut_open(c, bytes, from, stop, last, stop, out);
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

static bool cut_any(nd_record_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                    nd_cut *out) {
    if (c->format == ND_FORMAT_JSON) return cut_value(c, bytes, from, stop, last, out);
    if (c->format == ND_FORMAT_TEXT) return cut_all(c, from, stop, last, out);
    if (from == stop) return false;
    bool rows = c->format == ND_FORMAT_CSV || c->format == ND_FORMAT_TSV;
    return rows ? cut_row(c, bytes, from, stop, last, out) : cut_line(bytes, from, stop, last, out);
}

/* Cuts a record that is not longer than its line. */
static bool cut_in_line(nd_record_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                        nd_cut *out) {
    const char *newline = memchr(bytes + from, '\n', stop - from);
    if (from == stop || (!newline && !last)) return false;
    size_t end = newline ? (size_t)(newline - bytes) : stop;
    if (from == end) *out = (nd_cut){.begin = from, .end = from, .next = from + 1, .blank = true};
    else cut_any(c, bytes, from, end, true, out);
    size_t taken = out->next - from;
    c->by_line = c->by_line > taken ? c->by_line - taken : 0;
    return true;
}

bool nd_record_cut(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end, bool last,
                   nd_cut *out) {
    return cutter->by_line > 0 ? cut_in_line(cutter, bytes, from, end, last, out)
                               : cut_any(cutter, bytes, from, end, last, out);
}

bool nd_record_cut_line(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end,
                        nd_cut *out) {
    if (cutter->format == ND_FORMAT_TEXT || !cut_open(cutter, bytes, from, end, false, end, out))
        return false;
    out->fault = "it is over the limit of a record, or a quote or a bracket in it is not closed";
    cutter->after_value = false;
    return true;
}
