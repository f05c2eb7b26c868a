#include "job/json_writer.h"

#include <string.h>

static nd_status make_room(nd_json_out *out, size_t more, nd_error *error) {
    if (nd_reserve(&out->allocator, &out->bytes, &out->capacity, out->size + more)) return ND_OK;
    return nd_fail_memory(error, out->size + more, "lines of JSON");
}

nd_status nd_json_put(nd_json_out *out, const char *bytes, size_t length, nd_error *error) {
    ND_TRY(make_room(out, length, error));
    memcpy(out->bytes + out->size, bytes, length);
    out->size += length;
    return ND_OK;
}

static bool stands_for_itself(unsigned char c) { return c >= ' ' && c != '"' && c != '\\'; }

/* The letter that stands for a character behind a backslash; NUL: there is none. */
static char letter_of(unsigned char c) {
    static const char letters[] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    if (c >= ' ') return (char)c;
    return c < sizeof letters ? letters[c] : '\0';
}

static nd_status put_escape(nd_json_out *out, unsigned char c, nd_json_controls controls,
                            nd_error *error) {
    static const char digits[] = "0123456789abcdef";
    char letter = c >= ' ' || controls == ND_JSON_LETTERS ? letter_of(c) : '\0';
    const char brief[] = {'\\', letter},
               full[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    return letter ? nd_json_put(out, brief, sizeof brief, error)
                  : nd_json_put(out, full, sizeof full, error);
}

nd_status nd_json_put_string(nd_json_out *out, const char *text, size_t length,
                             nd_json_controls controls, nd_error *error) {
    size_t valid = nd_utf8_valid_prefix(text, length);
    ND_TRY(nd_json_put(out, "\"", 1, error));
    for (size_t begin = 0, end = 0; begin < length; begin = end) {
        while (end < valid && stands_for_itself((unsigned char)text[end])) end++;
        ND_TRY(nd_json_put(out, text + begin, end - begin, error));
        if (end == length) break;
        if (end == valid) {
            ND_TRY(nd_json_put(out, "\\ufffd", strlen("\\ufffd"), error));
            valid = end + 1 + nd_utf8_valid_prefix(text + end + 1, length - end - 1);
        } else {
            ND_TRY(put_escape(out, (unsigned char)text[end], controls, error));
        }
        end++;
    }
    return nd_json_put(out, "\"", 1, error);
}
