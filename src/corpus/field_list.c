#include "corpus/field_list.h"

#include "corpus/recognise.h"

#include <string.h>

enum { NAME_MOST = 256, DEPTH_MOST = 8 };

typedef struct lister {
    const char *bytes;
    size_t at, size;
    nd_input_field_fn *fn;
    void *context;
    char name[NAME_MOST]; /* JSON Pointer of the object that is read; "": the record itself */
    size_t length;
} lister;

static void skip_space(lister *l) {
    while (l->at < l->size && memchr(" \t\r\n", l->bytes[l->at], 4)) l->at++;
}

/* Whether the next byte is `byte`, which is then taken. */
static bool take(lister *l, char byte) {
    skip_space(l);
    bool found = l->at < l->size && l->bytes[l->at] == byte;
    l->at += found;
    return found;
}

/* Takes the rest of a string, behind its quote. *escaped: it has escapes. False: its end is not
 * known. */
static bool take_string(lister *l, bool *escaped) {
    *escaped = false;
    for (; l->at < l->size && l->bytes[l->at] != '"'; l->at++)
        if (l->bytes[l->at] == '\\') {
            *escaped = true;
            l->at++;
        }
    bool closed = l->at < l->size;
    l->at = closed ? l->at + 1 : l->size;
    return closed;
}

/* Takes a value other than an object. */
static void take_value(lister *l) {
    bool escaped;
    size_t depth = 0;
    if (take(l, '"')) {
        (void)take_string(l, &escaped);
        return;
    }
    for (; l->at < l->size; l->at++) {
        char byte = l->bytes[l->at];
        if (depth == 0 && memchr(",}]", byte, 3)) return;
        depth += byte == '[' || byte == '{';
        depth -= byte == ']' || byte == '}';
        if (byte == '"') {
            l->at++;
            if (!take_string(l, &escaped)) return;
            l->at--;
        }
        if (depth == 0 && (byte == ']' || byte == '}')) {
            l->at++;
            return;
        }
    }
}

static const char *kind_of(char first) {
    switch (first) {
    case '"': return "string";
    case '{': return "object";
    case '[': return "array";
    case 't':
    case 'f': return "boolean";
    case 'n': return "null";
    default: return "number";
    }
}

/* Appends a name to the pointer: '/', and the name with '~' and '/' escaped (RFC 6901). False: it
 * does not fit. */
static bool append_name(lister *l, const char *name, size_t length) {
    size_t to = l->length;
    if (to + 2 * length + 2 > NAME_MOST) return false;
    l->name[to++] = '/';
    for (size_t i = 0; i < length; i++) {
        bool special = name[i] == '~' || name[i] == '/';
        if (special) l->name[to++] = '~';
        l->name[to++] = (char)(name[i] == '~' ? '0' : name[i] == '/' ? '1' : name[i]);
    }
    l->length = to;
    return true;
}

/* Tells a member, whose value begins here and is taken. */
static bool tell_member(lister *l, bool outer, bool named) {
    skip_space(l);
    size_t begin = l->at;
    char first = l->at < l->size ? l->bytes[l->at] : 'n';
    take_value(l);
    l->name[l->length] = '\0';
    bool plain = outer && !strpbrk(l->name + 1, "~/");
    const nd_input_field field = {.name = l->name + plain,
                                  .kind = kind_of(first),
                                  .value = l->bytes + begin,
                                  .value_length = l->at - begin};
    return !named || l->fn(l->context, &field);
}

/* Lists the members of an object, behind its bracket. */
static bool list_object(lister *l, size_t depth) {
    size_t own = l->length;
    while (take(l, '"')) {
        size_t begin = l->at;
        bool escaped;
        if (!take_string(l, &escaped)) return true;
        bool named = !escaped && append_name(l, l->bytes + begin, l->at - begin - 1);
        if (!take(l, ':')) return true;
        skip_space(l);
        bool object = l->at < l->size && l->bytes[l->at] == '{' && depth < DEPTH_MOST && named;
        l->at += object;
        if (!(object ? list_object(l, depth + 1) : tell_member(l, depth == 0, named))) return false;
        l->length = own;
        if (!take(l, ',')) break;
    }
    take(l, '}');
    return true;
}

/* ---- columns */

/* Takes a cell. *next: another one follows. The content is [*begin, *end). */
static void take_cell(lister *l, char delimiter, size_t *begin, size_t *end, bool *next) {
    bool quoted = l->at < l->size && l->bytes[l->at] == '"';
    *begin = l->at += quoted;
    while (l->at < l->size) {
        char byte = l->bytes[l->at];
        bool doubled = quoted && byte == '"' && l->at + 1 < l->size && l->bytes[l->at + 1] == '"';
        if (quoted ? byte == '"' && !doubled : byte == delimiter || byte == '\n') break;
        l->at += doubled ? 2 : 1;
    }
    *end = l->at;
    l->at += quoted && l->at < l->size;
    if (!quoted && *end > *begin && l->bytes[*end - 1] == '\r') --*end;
    *next = l->at < l->size && l->bytes[l->at] == delimiter;
    while (l->at < l->size && l->bytes[l->at] != '\n' && !*next) l->at++;
    l->at += l->at < l->size;
}

/* Copies the name of a column, with single quotes for doubled ones. */
static void copy_name(lister *l, size_t begin, size_t end) {
    bool quoted = begin > 0 && l->bytes[begin - 1] == '"';
    size_t length = 0;
    for (size_t i = begin; i < end && length < NAME_MOST - 1; i++) {
        l->name[length++] = l->bytes[i];
        i += quoted && l->bytes[i] == '"';
    }
    l->name[length] = '\0';
}

/* Lists the columns of the header, with the values of the first row. */
static bool list_columns(lister *header, char delimiter) {
    lister row = *header;
    bool next = true, more = true;
    size_t begin, end, from, to;
    const char *newline = memchr(row.bytes + row.at, '\n', row.size - row.at);
    row.at = newline ? (size_t)(newline - row.bytes) + 1 : row.size;
    while (next) {
        take_cell(header, delimiter, &begin, &end, &next);
        if (more) take_cell(&row, delimiter, &from, &to, &more);
        else from = to = row.size;
        copy_name(header, begin, end);
        const nd_input_field field = {.name = header->name,
                                      .kind = "column",
                                      .value = row.bytes + from,
                                      .value_length = to - from};
        if (!header->fn(header->context, &field)) return false;
    }
    return true;
}

bool nd_list_fields(nd_input_format format, const char *bytes, size_t size, nd_input_field_fn *fn,
                    void *context) {
    lister l = {.bytes = bytes,
                .at = nd_skip_blank(bytes, size),
                .size = size,
                .fn = fn,
                .context = context};
    switch (format) {
    case ND_FORMAT_JSON_LINES:
    case ND_FORMAT_JSON: take(&l, '['); return !take(&l, '{') || list_object(&l, 0);
    case ND_FORMAT_CSV: return list_columns(&l, ',');
    case ND_FORMAT_TSV: return list_columns(&l, '\t');
    default: return true;
    }
}
