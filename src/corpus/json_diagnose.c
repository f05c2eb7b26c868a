#include "corpus/json_diagnose.h"

#include "base/format.h"

#include <string.h>

/* A position in a line, and room for the reason why the line is not JSON. The skip functions move
 * `at` behind the thing that they name; they return false, with a reason, if it is not there. */
typedef struct scan {
    const char *line;
    size_t at, length;
    char *why;
    size_t why_size;
} scan;

static int peek(const scan *s) { return s->at < s->length ? (unsigned char)s->line[s->at] : -1; }

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static void skip_space(scan *s) {
    for (int c = peek(s); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(s)) s->at++;
}

/* Sets the reason: "WANTED expected at byte N, not 'x'". Always returns false. */
static bool unexpected(scan *s, const char *wanted) {
    int c = peek(s);
    if (c < 0)
        nd_format(s->why, s->why_size, "%s expected at byte %zu, where the line ends", wanted,
                  s->at);
    else if (c > 0x20 && c < 0x7f)
        nd_format(s->why, s->why_size, "%s expected at byte %zu, not '%c'", wanted, s->at, c);
    else
        nd_format(s->why, s->why_size, "%s expected at byte %zu, not the byte 0x%02x", wanted,
                  s->at, (unsigned)c);
    return false;
}

static bool skip_digits(scan *s) {
    if (!is_digit(peek(s))) return unexpected(s, "a digit");
    while (is_digit(peek(s))) s->at++;
    return true;
}

/* Skips -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool skip_number(scan *s) {
    size_t first = s->at;
    if (peek(s) == '-') s->at++;
    size_t digits = s->at;
    if (!skip_digits(s)) return false;
    if (s->line[digits] == '0' && s->at - digits > 1) {
        nd_format(s->why, s->why_size, "the number at byte %zu begins with a 0", first);
        return false;
    }
    if (peek(s) == '.') {
        s->at++;
        if (!skip_digits(s)) return false;
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (peek(s) == '+' || peek(s) == '-') s->at++;
        if (!skip_digits(s)) return false;
    }
    return true;
}

static bool skip_escape(scan *s) {
    size_t first = s->at++;
    int c = peek(s);
    if (c >= 0 && c != 0 && strchr("\"\\/bfnrt", c)) {
        s->at++;
        return true;
    }
    if (c == 'u') {
        s->at++;
        int digits = 0;
        for (c = peek(s); digits < 4 && (is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'));
             c = peek(s)) {
            s->at++;
            digits++;
        }
        if (digits == 4) return true;
    }
    nd_format(s->why, s->why_size, "unknown escape at byte %zu", first);
    return false;
}

static bool skip_string(scan *s) {
    size_t first = s->at++;
    for (int c = peek(s); c != '"'; c = peek(s)) {
        if (c < 0) {
            nd_format(s->why, s->why_size, "the string that begins at byte %zu does not end",
                      first);
            return false;
        }
        if (c < 0x20) {
            nd_format(s->why, s->why_size,
                      "control character U+%04X at byte %zu, which a string may hold only escaped",
                      (unsigned)c, s->at);
            return false;
        }
        if (c == '\\') {
            if (!skip_escape(s)) return false;
        } else {
            s->at++;
        }
    }
    s->at++;
    return true;
}

static bool skip_word(scan *s, const char *word) {
    size_t size = strlen(word);
    if (s->length - s->at < size || memcmp(s->line + s->at, word, size) != 0)
        return unexpected(s, "a value");
    s->at += size;
    return true;
}

static bool skip_scalar(scan *s) {
    int c = peek(s);
    if (c == '"') return skip_string(s);
    if (c == '-' || is_digit(c)) return skip_number(s);
    if (c == 't') return skip_word(s, "true");
    if (c == 'f') return skip_word(s, "false");
    if (c == 'n') return skip_word(s, "null");
    return unexpected(s, "a value");
}

/* Skips a member's name, its colon, and the white space behind them. */
static bool skip_name(scan *s) {
    if (peek(s) != '"') return unexpected(s, "a name in double quotes");
    if (!skip_string(s)) return false;
    skip_space(s);
    if (peek(s) != ':') return unexpected(s, "':'");
    s->at++;
    skip_space(s);
    return true;
}

/* Opens the object or array at `at`. *inside: it is not empty, and is a level now. An empty one is
 * skipped and is not a level, as simdjson counts them. */
static bool open_container(scan *s, char closing[ND_JSON_DEPTH], size_t *depth, bool *inside) {
    size_t first = s->at++;
    bool object = s->line[first] == '{';
    char end = object ? '}' : ']';
    skip_space(s);
    *inside = peek(s) != end;
    if (!*inside) {
        s->at++;
        return true;
    }
    if (*depth + 1 >= ND_JSON_DEPTH) {
        nd_format(s->why, s->why_size, "more than %d levels of arrays and objects at byte %zu",
                  ND_JSON_DEPTH - 1, first);
        return false;
    }
    closing[(*depth)++] = end;
    return !object || skip_name(s);
}

/* Closes the objects and arrays that end here. *done: none is open any more; otherwise it skips to
 * the next value. */
static bool close_containers(scan *s, const char closing[ND_JSON_DEPTH], size_t *depth,
                             bool *done) {
    for (;;) {
        *done = *depth == 0;
        if (*done) return true;
        skip_space(s);
        if (peek(s) != closing[*depth - 1]) break;
        s->at++;
        --*depth;
    }
    bool object = closing[*depth - 1] == '}';
    if (peek(s) != ',') return unexpected(s, object ? "',' or '}'" : "',' or ']'");
    s->at++;
    skip_space(s);
    return !object || skip_name(s);
}

/* Skips one value with everything inside it. */
static bool skip_value(scan *s) {
    char closing[ND_JSON_DEPTH]; /* of each open object or array */
    size_t depth = 0;
    for (bool done = false; !done;) {
        skip_space(s);
        bool inside = false;
        if (peek(s) == '{' || peek(s) == '[') {
            if (!open_container(s, closing, &depth, &inside)) return false;
        } else if (!skip_scalar(s)) {
            return false;
        }
        if (!inside && !close_containers(s, closing, &depth, &done)) return false;
    }
    return true;
}

bool nd_json_fault(const char *line, size_t length, char *why, size_t why_size) {
    scan s = {.line = line, .length = length, .why = why, .why_size = why_size};
    skip_space(&s);
    if (s.at == length) {
        nd_format(why, why_size, "the line is empty");
        return true;
    }
    if (!skip_value(&s)) return true;
    skip_space(&s);
    if (s.at < length) {
        nd_format(why, why_size, "more text behind its end at byte %zu", s.at);
        return true;
    }
    return false;
}

/* Goes to the next number outside of strings. False: there is none. */
static bool find_number(scan *s) {
    for (int c = peek(s); c >= 0; c = peek(s)) {
        if (c == '-' || is_digit(c)) return true;
        if (c != '"') s->at++;
        else if (!skip_string(s)) return false;
    }
    return false;
}

const char *nd_json_number(const char *line, size_t length, size_t ordinal, size_t *number_length) {
    char unused[1];
    scan s = {.line = line, .length = length, .why = unused};
    while (find_number(&s)) {
        size_t first = s.at;
        if (!skip_number(&s)) return NULL;
        if (ordinal-- == 0) {
            *number_length = s.at - first;
            return line + first;
        }
    }
    return NULL;
}

size_t nd_json_blank_numbers(char *line, size_t length) {
    char unused[1];
    scan s = {.line = line, .length = length, .why = unused};
    size_t count = 0;
    while (find_number(&s)) {
        size_t first = s.at;
        if (!skip_number(&s)) break;
        memset(line + first, ' ', s.at - first);
        line[first] = '0';
        count++;
    }
    return count;
}
