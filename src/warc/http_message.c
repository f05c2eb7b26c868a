#include "warc/http_message.h"

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/* "HTTP/1.1 200 OK": the number between the first two blanks. */
static bool read_status(nd_span line, unsigned *status) {
    nd_span rest;
    if (!nd_span_begins(line, "http/")) return false;
    nd_span_split(line, ' ', &rest);
    rest = nd_span_trim(rest);
    if (rest.length < 3 || (rest.length > 3 && is_digit(rest.bytes[3]))) return false;
    *status = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!is_digit(rest.bytes[i])) return false;
        *status = 10 * *status + (unsigned)(rest.bytes[i] - '0');
    }
    return *status >= 100;
}

bool nd_http_read(const char *bytes, size_t size, nd_http_message *out) {
    nd_span rest, name, value;
    nd_span line = nd_span_split((nd_span){bytes, size}, '\n', &rest);
    *out = (nd_http_message){.body = size};
    if (!read_status(line, &out->status)) return false;
    bool another;
    size_t at = size - rest.length, end = nd_header_end(bytes, at, size, NULL, &another);
    if (end != SIZE_MAX) out->body = end;
    while (nd_header_next(bytes, &at, out->body, &name, &value)) {
        if (nd_span_is(name, "content-type")) out->media = value;
        else if (nd_span_is(name, "content-encoding")) out->encoding = value;
        else if (nd_span_is(name, "transfer-encoding")) out->transfer = value;
    }
    return true;
}

nd_span nd_media_type(nd_span content_type) {
    nd_span rest;
    return nd_span_trim(nd_span_split(content_type, ';', &rest));
}

nd_span nd_media_charset(nd_span content_type) {
    nd_span rest, value;
    nd_span_split(content_type, ';', &rest);
    while (rest.length > 0) {
        nd_span part = nd_span_split(rest, ';', &rest);
        nd_span name = nd_span_trim(nd_span_split(part, '=', &value));
        value = nd_span_trim(value);
        if (!nd_span_is(name, "charset") || value.length == 0) continue;
        bool quoted = value.length > 1 && value.bytes[0] == '"' &&
                      value.bytes[value.length - 1] == '"';
        return quoted ? (nd_span){value.bytes + 1, value.length - 2} : value;
    }
    return (nd_span){0};
}

bool nd_media_is_text(nd_span media_type) {
    if (nd_span_is(media_type, "application/xhtml+xml")) return true;
    return nd_span_begins(media_type, "text/") && !nd_span_is(media_type, "text/css") &&
           !nd_span_is(media_type, "text/javascript") && !nd_span_is(media_type, "text/ecmascript");
}
