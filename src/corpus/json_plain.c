#include "corpus/json_plain.h"

#include "kernel/kernel.h"

#include <string.h>

/* Deeper values are left to the parser. */
enum { DEPTH = 32 };

typedef struct reader {
    const nd_kernel *kernel;
    const char *at, *end;
    char *to; /* the free part of the buffer */
} reader;

typedef struct string {
    const char *bytes; /* NULL: not found yet */
    size_t length;
} string;

bool nd_json_plain_serves(const nd_record_fields *f) {
    bool fast = nd_kernel_get()->json_string != nd_json_string_by_words;
    return fast && f->text_count == 1 && f->texts[0][0] != '/' && (!f->id || f->id[0] != '/') &&
           !f->priority && !f->label && (!f->protect || f->protect->count == 0);
}

size_t nd_json_plain_room(size_t length) { return length + ND_STRING_BEHIND; }

/* ---- strings */

/* Reads a string, whose opening quote is at r->at. It takes buffer only until r->to is set back. */
static bool read_string(reader *r, string *out) {
    size_t written;
    out->bytes = r->to;
    r->at++;
    r->at += r->kernel->json_string(r->at, (size_t)(r->end - r->at), r->to, &written);
    r->to += written;
    if (r->at == r->end || *r->at != '"') return false;
    r->at++;
    out->length = (size_t)(r->to - out->bytes);
    return true;
}

/* ---- other values */

static void skip_space(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool is_next(const reader *r, char c) { return r->at < r->end && *r->at == c; }

/* Takes a character, after white space. */
static bool take(reader *r, char c) {
    skip_space(r);
    if (!is_next(r, c)) return false;
    r->at++;
    return true;
}

static bool skip_digits(reader *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return r->at > from;
}

/* Skips a number (RFC 8259, section 6). */
static bool skip_number(reader *r) {
    if (is_next(r, '-')) r->at++;
    bool zero = is_next(r, '0');
    if (zero) r->at++;
    else if (!skip_digits(r)) return false;
    if (is_next(r, '.')) {
        r->at++;
        if (!skip_digits(r)) return false;
    }
    if (!is_next(r, 'e') && !is_next(r, 'E')) return true;
    r->at++;
    if (is_next(r, '+') || is_next(r, '-')) r->at++;
    return skip_digits(r);
}

static bool skip_word(reader *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static bool skip_name(reader *r) {
    string name;
    return is_next(r, '"') && read_string(r, &name) && take(r, ':');
}

static bool skip_value(reader *r, int depth);

/* Skips an array or an object, which begins at r->at. */
static bool skip_nested(reader *r, int depth) {
    bool object = *r->at == '{';
    char close = object ? '}' : ']';
    r->at++;
    if (take(r, close)) return true;
    if (depth == DEPTH) return false;
    do {
        skip_space(r);
        if ((object && !skip_name(r)) || !skip_value(r, depth + 1)) return false;
    } while (take(r, ','));
    return take(r, close);
}

/* Skips a value; the buffer stays as it is. */
static bool skip_value(reader *r, int depth) {
    string value;
    char *to = r->to;
    bool valid;
    skip_space(r);
    if (r->at == r->end) return false;
    switch (*r->at) {
    case '"': valid = read_string(r, &value); break;
    case '{':
    case '[': valid = skip_nested(r, depth); break;
    case 't': valid = skip_word(r, "true"); break;
    case 'f': valid = skip_word(r, "false"); break;
    case 'n': valid = skip_word(r, "null"); break;
    default: valid = skip_number(r); break;
    }
    r->to = to;
    return valid;
}

/* ---- members */

/* Reads an id: a string, a number as it is written, or null. */
static bool read_id(reader *r, string *out) {
    skip_space(r);
    if (is_next(r, '"')) return read_string(r, out);
    const char *from = r->at;
    if (is_next(r, 'n')) return skip_word(r, "null");
    if (!skip_number(r)) return false;
    out->bytes = r->to;
    out->length = (size_t)(r->at - from);
    memcpy(r->to, from, out->length);
    r->to += out->length;
    return true;
}

static bool is_name(const string *name, const char *wanted) {
    return wanted && strlen(wanted) == name->length &&
           memcmp(name->bytes, wanted, name->length) == 0;
}

/* Reads the members behind the brace. Of members of one name the first one counts. */
static bool read_members(reader *r, const char *text_name, const char *id_name, string *text,
                         string *id) {
    bool has_id = false;
    do {
        string name;
        char *to = r->to;
        skip_space(r);
        if (!is_next(r, '"') || !read_string(r, &name) || !take(r, ':')) return false;
        bool is_text = !text->bytes && is_name(&name, text_name),
             is_id = !has_id && is_name(&name, id_name);
        r->to = to;
        if (is_text && is_id) return false;
        has_id |= is_id;
        if (is_text) {
            skip_space(r);
            if (!is_next(r, '"') || !read_string(r, text)) return false;
        } else if (!(is_id ? read_id(r, id) : skip_value(r, 0))) return false;
    } while (take(r, ','));
    return take(r, '}') && text->bytes;
}

bool nd_json_plain_read(const char *text_name, const char *id_name, const char *line, size_t length,
                        char *buffer, nd_record_values *out) {
    reader r = {.kernel = nd_kernel_get(), .at = line, .end = line + length, .to = buffer};
    string text = {0}, id = {0};
    if (!take(&r, '{') || !read_members(&r, text_name, id_name, &text, &id)) return false;
    skip_space(&r);
    if (r.at != r.end || r.kernel->utf8_valid_prefix(line, length) != length) return false;
    *out = (nd_record_values){
        .text = text.bytes, .text_length = text.length, .id = id.bytes, .id_length = id.length};
    return true;
}
