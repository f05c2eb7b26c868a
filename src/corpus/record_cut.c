#include "corpus/record_cut.h"

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

/* Cuts the line at `from`, of which `known` bytes have no newline. */
static bool cut_line(const char *bytes, size_t from, size_t known, size_t stop, bool last,
                     nd_cut *out) {
    const char *newline = memchr(bytes + from + known, '\n', stop - from - known);
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
    if (!cut_line(bytes, from, 0, stop, last, out)) return false;
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

/* Notes that the bytes up to `at` of the row at `from` have been read. */
static bool leave_row_open(nd_open_record *open, size_t from, size_t at, bool quoted,
                           bool in_field) {
    open->known = at - from;
    open->quoted = quoted;
    open->in_field = in_field;
    return false;
}

static bool cut_row(nd_record_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                    nd_cut *out) {
    char delimiter = c->format == ND_FORMAT_TSV ? '\t' : ',';
    bool quoted = c->open.quoted, in_field = c->open.in_field;
    for (size_t at = from + c->open.known;; at++, quoted = in_field = false) {
        if (at == stop && !last) return leave_row_open(&c->open, from, at, quoted, in_field);
        bool begins = !quoted && !in_field && at < stop && bytes[at] == '"';
        at += begins;
        if (quoted || begins) {
            size_t end = quoted_end(bytes, at, stop);
            if (end == OPEN && last) return cut_open(c, bytes, from, stop, last, stop, out);
            if (end == OPEN) return leave_row_open(&c->open, from, stop, true, false);
            /* The quote may be the first of two. */
            if (end == stop && !last) return leave_row_open(&c->open, from, stop - 1, true, false);
            if (!is_field_end(delimiter, bytes, end, stop))
                return cut_open(c, bytes, from, stop, last, end, out);
            at = end;
        }
        while (at < stop && bytes[at] != delimiter && bytes[at] != '\n') at++;
        if (at == stop && !last) return leave_row_open(&c->open, from, at, false, true);
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

/* Returns the place behind the quote that closes a string, whose content is read from `at` on.
 * OPEN: it goes on, and *on is the place from which on to read it further. */
static size_t string_end(const char *bytes, size_t at, size_t stop, size_t *on) {
    for (;;) {
        const char *quote = at < stop ? memchr(bytes + at, '"', stop - at) : NULL;
        size_t found = quote ? (size_t)(quote - bytes) : stop, escapes = 0;
        while (found - escapes > at && bytes[found - escapes - 1] == '\\') escapes++;
        if (!quote) {
            *on = stop - escapes % 2;
            return OPEN;
        }
        at = found + 1;
        if (escapes % 2 == 0) return at;
    }
}

static void open_bracket(nd_open_record *open, bool curly) {
    size_t level = open->depth++;
    if (level >= ND_JSON_DEPTH) return;
    uint64_t bit = UINT64_C(1) << level % 64;
    if (curly) open->curly[level / 64] |= bit;
    else open->curly[level / 64] &= ~bit;
}

/* Closes the innermost bracket of that kind, and with it those inside, which are missing. */
static void close_bracket(nd_open_record *open, bool curly) {
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

/* Returns the place behind an array, object or string, which begins at `from`. */
static size_t nested_end(nd_open_record *open, const char *bytes, size_t from, size_t stop) {
    size_t at = from + open->known, on = stop;
    while (at < stop) {
        char byte = open->quoted ? '"' : bytes[at++];
        if (byte == '"') {
            at = string_end(bytes, at, stop, &on);
            open->quoted = at == OPEN;
        } else if (byte == '{' || byte == '[') open_bracket(open, byte == '{');
        else if (byte == '}' || byte == ']') close_bracket(open, byte == '}');
        else continue;
        if (at != OPEN && open->depth == 0) return at;
    }
    open->known = on - from;
    return OPEN;
}

/* Returns the place behind a value that is neither an array, an object nor a string, or is no JSON.
 */
static size_t plain_end(nd_open_record *open, const char *bytes, size_t from, size_t stop,
                        bool last) {
    size_t at = from + (open->known > 0 ? open->known : 1);
    while (at < stop && !strchr(",]}{[\"", bytes[at]) && !is_space(bytes[at])) at++;
    open->known = at - from;
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
    bool nested = bytes[from] == '{' || bytes[from] == '[' || bytes[from] == '"';
    size_t end = nested ? nested_end(&c->open, bytes, from, stop)
                        : plain_end(&c->open, bytes, from, stop, last);
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
    if (rows) return cut_row(c, bytes, from, stop, last, out);
    if (cut_line(bytes, from, c->open.known, stop, last, out)) return true;
    c->open.known = stop - from;
    return false;
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

void nd_record_cut_forget(nd_record_cutter *cutter) {
    cutter->open.known = cutter->open.depth = 0; /* `curly` has nothing of depth 0 */
    cutter->open.quoted = cutter->open.in_field = false;
}

bool nd_record_cut(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end, bool last,
                   nd_cut *out) {
    bool found = cutter->by_line > 0 ? cut_in_line(cutter, bytes, from, end, last, out)
                                     : cut_any(cutter, bytes, from, end, last, out);
    if (found) nd_record_cut_forget(cutter);
    return found;
}

bool nd_record_cut_line(nd_record_cutter *cutter, const char *bytes, size_t from, size_t end,
                        nd_cut *out) {
    if (cutter->format == ND_FORMAT_TEXT || !cut_open(cutter, bytes, from, end, false, end, out))
        return false;
    out->fault = "it is over the limit of a record, or a quote or a bracket in it is not closed";
    cutter->after_value = false;
    nd_record_cut_forget(cutter);
    return true;
}
