#include "warc/header_fields.h"

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The place of the empty line's end if one begins at `at`; 0: none does. */
static size_t empty_line_end(const char *bytes, size_t at, size_t stop) {
    if (at < stop && bytes[at] == '\r') at++;
    return at < stop && bytes[at] == '\n' ? at + 1 : 0;
}

size_t nd_header_end(const char *bytes, size_t from, size_t stop, const char *mark, bool *another) {
    size_t size = mark ? strlen(mark) : 0;
    *another = false;
    for (size_t at = from;;) {
        *another = mark && stop - at >= size && memcmp(bytes + at, mark, size) == 0;
        if (*another) return SIZE_MAX;
        size_t end = empty_line_end(bytes, at, stop);
        if (end > 0) return end;
        const char *newline = at < stop ? memchr(bytes + at, '\n', stop - at) : NULL;
        if (!newline) return SIZE_MAX;
        at = (size_t)(newline - bytes) + 1;
    }
}

/* The place behind the line at `at` and the lines that go on with it. */
static size_t field_end(const char *bytes, size_t at, size_t stop) {
    do {
        const char *newline = memchr(bytes + at, '\n', stop - at);
        if (!newline) return stop;
        at = (size_t)(newline - bytes) + 1;
    } while (at < stop && (bytes[at] == ' ' || bytes[at] == '\t'));
    return at;
}

bool nd_header_next(const char *bytes, size_t *at, size_t stop, nd_span *name, nd_span *value) {
    while (*at < stop && empty_line_end(bytes, *at, stop) == 0) {
        size_t begin = *at, end = *at = field_end(bytes, begin, stop);
        const char *colon = memchr(bytes + begin, ':', end - begin);
        if (!colon) continue;
        size_t middle = (size_t)(colon - bytes);
        *name = nd_span_trim((nd_span){bytes + begin, middle - begin});
        *value = nd_span_trim((nd_span){colon + 1, end - middle - 1});
        return true;
    }
    return false;
}

static char lower_case(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

bool nd_span_begins(nd_span text, const char *name) {
    size_t i = 0;
    for (; name[i] != 0; i++)
        if (i == text.length || lower_case(text.bytes[i]) != name[i]) return false;
    return true;
}

bool nd_span_same(nd_span text, const char *name) {
    size_t i = 0;
    for (; name[i] != 0; i++)
        if (i == text.length || lower_case(text.bytes[i]) != lower_case(name[i])) return false;
    return i == text.length;
}

nd_span nd_span_trim(nd_span text) {
    while (text.length > 0 && is_blank(text.bytes[0])) text.bytes++, text.length--;
    while (text.length > 0 && is_blank(text.bytes[text.length - 1])) text.length--;
    return text;
}

nd_span nd_span_split(nd_span text, char separator, nd_span *rest) {
    const char *found = text.length > 0 ? memchr(text.bytes, separator, text.length) : NULL;
    *rest = (nd_span){NULL, 0};
    if (!found) return text;
    size_t length = (size_t)(found - text.bytes);
    *rest = (nd_span){found + 1, text.length - length - 1};
    return (nd_span){text.bytes, length};
}
