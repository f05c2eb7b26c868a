#include "warc/warc_record.h"

const char *nd_warc_record_read(const char *bytes, size_t length, nd_warc_record *out) {
    const char *why;
    bool arc = !nd_span_begins((nd_span){bytes, length}, "warc/");
    *out = (nd_warc_record){0};
    if (nd_warc_header_read(arc, bytes, 0, length, &out->header, &why) != ND_WARC_WHOLE) return why;
    out->block = out->body = (nd_span){bytes + out->header.end, length - out->header.end};
    out->media = out->header.media;
    if (!nd_warc_has_http(&out->header)) return NULL;
    if (!nd_http_read(out->block.bytes, out->block.length, &out->http))
        return "the block of a response has no HTTP status line";
    size_t head = out->http.body;
    out->body = (nd_span){out->block.bytes + head, out->block.length - head};
    out->media = out->http.media.length > 0 ? out->http.media : out->header.identified;
    return NULL;
}
