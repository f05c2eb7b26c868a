#include "job/json_writer.h"

#include "base/format.h"

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

nd_status nd_json_put_string(nd_json_out *out, const char *text, size_t length, nd_error *error) {
    enum { LONGEST = 6 }; /* \u001f */
    size_t valid = nd_utf8_valid_prefix(text, length);
    ND_TRY(make_room(out, LONGEST * length + 3, error)); /* 3: the two quotes and a NUL */
    char *to = out->bytes + out->size;
    *to++ = '"';
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (i == valid) {
            to += nd_format(to, LONGEST + 1, "\\ufffd");
            valid = i + 1 + nd_utf8_valid_prefix(text + i + 1, length - i - 1);
        } else if (stands_for_itself(c)) {
            *to++ = (char)c;
        } else {
            to += c < ' ' ? nd_format(to, LONGEST + 1, "\\u%04x", (unsigned)c)
                          : nd_format(to, LONGEST + 1, "\\%c", c);
        }
    }
    *to++ = '"';
    out->size = (size_t)(to - out->bytes);
    return ND_OK;
}
