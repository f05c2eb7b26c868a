#include "warc/warc_header.h"

#include "base/decimal.h"
#include "warc/http_message.h"

#include <string.h>

static const char warc_mark[] = "WARC/1.", arc_mark[] = "filedesc:";
enum { MARK = sizeof warc_mark - 1 };

/* ---- ARC: a record begins with a line of URI, address, date, media type and length */

static bool is_date(nd_span text) {
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9') return false;
    return text.length == 14;
}

/* "http:" (RFC 3986, 3.1) */
static bool has_scheme(nd_span uri) {
    for (size_t i = 0; i < uri.length; i++) {
        char byte = uri.bytes[i], letter = (char)(byte | 0x20);
        if (byte == ':') return i > 0;
        bool allowed = (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') ||
                       byte == '+' || byte == '-' || byte == '.';
        if (!allowed) return false;
    }
    return false;
}

/* Splits the line of an ARC record. The date shows where the URI ends, which may have blanks.
 * False: it is no such line. */
static bool read_arc_line(nd_span line, nd_warc_header *out) {
    nd_span rest = nd_span_trim(line), word = {0}, before = {0};
    const char *begin = rest.bytes;
    do {
        before = word;
        word = nd_span_split(rest, ' ', &rest);
    } while (rest.length > 0 && !(before.bytes && is_date(word)));
    if (rest.length == 0 || before.bytes <= begin) return false;
    out->uri = nd_span_trim((nd_span){begin, (size_t)(before.bytes - begin)});
    out->date = word;
    out->media = nd_span_split(rest, ' ', &rest);
    if (!has_scheme(out->uri)) return false;
    while (rest.length > 0) word = nd_span_split(rest, ' ', &rest);
    return nd_whole_number_read(word.bytes, word.length, UINT64_MAX, &out->length);
}

static nd_warc_found read_arc(const char *bytes, size_t from, size_t stop, nd_warc_header *out) {
    *out = (nd_warc_header){.arc = true};
    size_t known = stop - from < ND_HEADER_BYTES ? stop - from : ND_HEADER_BYTES;
    const char *newline = memchr(bytes + from, '\n', known);
    if (!newline) return known < ND_HEADER_BYTES ? ND_WARC_OPEN : ND_WARC_BAD;
    out->end = (size_t)(newline - bytes) + 1;
    return read_arc_line((nd_span){bytes + from, out->end - from}, out) ? ND_WARC_WHOLE
                                                                        : ND_WARC_BAD;
}

/* ---- WARC */

/* "WARC/1.0", the end of the line, and the beginning of a field. */
static nd_warc_found begins_warc(const char *bytes, size_t at, size_t stop) {
    size_t known = stop - at < MARK ? stop - at : MARK;
    if (memcmp(bytes + at, warc_mark, known) != 0) return ND_WARC_BAD;
    at += known;
    if (at < stop && bytes[at] != '0' && bytes[at] != '1') return ND_WARC_BAD;
    at++;
    if (at < stop && bytes[at] == '\r') at++;
    if (at < stop && bytes[at] != '\n') return ND_WARC_BAD;
    return at < stop ? ND_WARC_WHOLE : ND_WARC_OPEN;
}

nd_warc_found nd_warc_begins(bool arc, const char *bytes, size_t at, size_t stop) {
    nd_warc_header header;
    if (!arc) return begins_warc(bytes, at, stop);
    bool letter = at < stop && (bytes[at] | 0x20) >= 'a' && (bytes[at] | 0x20) <= 'z';
    return letter || at == stop ? read_arc(bytes, at, stop, &header) : ND_WARC_BAD;
}

static nd_span without_brackets(nd_span id) {
    bool bracketed = id.length > 1 && id.bytes[0] == '<' && id.bytes[id.length - 1] == '>';
    return bracketed ? (nd_span){id.bytes + 1, id.length - 2} : id;
}

/* Fields by their names. False: the field is of no use here. */
static nd_span *field_of(nd_warc_header *out, nd_span name) {
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {{"type", offsetof(nd_warc_header, type)},
                  {"record-id", offsetof(nd_warc_header, id)},
                  {"target-uri", offsetof(nd_warc_header, uri)},
                  {"date", offsetof(nd_warc_header, date)},
                  {"identified-payload-type", offsetof(nd_warc_header, identified)},
                  {"block-digest", offsetof(nd_warc_header, block_digest)},
                  {"payload-digest", offsetof(nd_warc_header, payload_digest)}};
    if (nd_span_is(name, "content-type")) return &out->media;
    if (!nd_span_begins(name, "warc-")) return NULL;
    nd_span rest = {name.bytes + strlen("warc-"), name.length - strlen("warc-")};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (nd_span_is(rest, fields[i].name)) return (nd_span *)((char *)out + fields[i].offset);
    return NULL;
}

static nd_warc_found read_fields(const char *bytes, size_t at, nd_warc_header *out,
                                 const char **why) {
    nd_span name, value;
    bool has_length = false;
    while (nd_header_next(bytes, &at, out->end, &name, &value)) {
        nd_span *field = field_of(out, name);
        if (field) *field = value;
        else if (nd_span_is(name, "warc-truncated")) out->truncated = true;
        else if (nd_span_is(name, "content-length"))
            has_length = nd_whole_number_read(value.bytes, value.length, UINT64_MAX, &out->length);
    }
    out->id = without_brackets(out->id);
    out->uri = without_brackets(out->uri); /* as some writers of 1.0 have it */
    *why = !has_length             ? "the record has no Content-Length, or it is no number"
           : out->type.length == 0 ? "the record has no WARC-Type"
                                   : NULL;
    return *why ? ND_WARC_BAD : ND_WARC_WHOLE;
}

nd_warc_found nd_warc_header_read(bool arc, const char *bytes, size_t from, size_t stop,
                                  nd_warc_header *out, const char **why) {
    *why = "no record begins here";
    nd_warc_found found = nd_warc_begins(arc, bytes, from, stop);
    if (found != ND_WARC_WHOLE) return found;
    if (arc) return read_arc(bytes, from, stop, out);
    *out = (nd_warc_header){0};
    size_t known = stop - from < ND_HEADER_BYTES ? stop - from : ND_HEADER_BYTES;
    size_t line = (size_t)((const char *)memchr(bytes + from, '\n', known) - bytes) + 1;
    bool another = false;
    out->end = nd_header_end(bytes, line, from + known, "WARC/1.", &another);
    if (out->end != SIZE_MAX) return read_fields(bytes, line, out, why);
    *why = "no empty line ends the header of the record";
    return known < ND_HEADER_BYTES && !another ? ND_WARC_OPEN : ND_WARC_BAD;
}

/* ---- kinds */

bool nd_warc_has_http(const nd_warc_header *header) {
    if (header->arc) return nd_span_begins(header->uri, "http");
    if (!nd_span_is(header->type, "response")) return false;
    return header->media.length > 0 ? nd_span_begins(header->media, "application/http")
                                    : nd_span_begins(header->uri, "http");
}

/* The kind of a record with such a payload. */
static nd_warc_kind kind_of_media(const nd_warc_header *header, nd_span content_type) {
    nd_span type = nd_media_type(content_type.length > 0 ? content_type : header->identified);
    if (nd_media_is_text(type)) return ND_WARC_DOCUMENT;
    return nd_span_begins(type, "image/") ? ND_WARC_IMAGE : ND_WARC_NOT_TEXT;
}

static nd_warc_kind kind_of_http(const nd_warc_header *header, const char *block, size_t known) {
    nd_http_message message;
    /* That there is no HTTP is found out again when the document is read, and told then. */
    if (!nd_http_read(block, known, &message)) return ND_WARC_DOCUMENT;
    if (message.status / 100 == 3) return ND_WARC_REDIRECT;
    return message.status == 200 ? kind_of_media(header, message.media) : ND_WARC_STATUS;
}

nd_warc_kind nd_warc_kind_of(const nd_warc_header *header, const char *block, size_t known) {
    static const struct {
        const char *type;
        nd_warc_kind kind;
    } kinds[] = {{"warcinfo", ND_WARC_INFO},
                 {"request", ND_WARC_REQUEST},
                 {"metadata", ND_WARC_METADATA},
                 {"revisit", ND_WARC_REVISIT}};
    if (nd_warc_has_http(header)) return kind_of_http(header, block, known);
    if (header->arc) return nd_span_begins(header->uri, arc_mark) ? ND_WARC_INFO : ND_WARC_OTHER;
    if (nd_span_is(header->type, "resource") || nd_span_is(header->type, "conversion"))
        return kind_of_media(header, header->media);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (nd_span_is(header->type, kinds[i].type)) return kinds[i].kind;
    return ND_WARC_OTHER;
}

const char *nd_warc_kind_name(nd_warc_kind kind, bool several) {
    static const char *const names[ND_WARC_KINDS][2] = {
        [ND_WARC_DOCUMENT] = {"document", "documents"},
        [ND_WARC_INFO] = {"warcinfo record", "warcinfo records"},
        [ND_WARC_REQUEST] = {"request", "requests"},
        [ND_WARC_METADATA] = {"metadata record", "metadata records"},
        [ND_WARC_REVISIT] = {"revisit", "revisits"},
        [ND_WARC_REDIRECT] = {"redirect", "redirects"},
        [ND_WARC_STATUS] = {"response without the status 200", "responses without the status 200"},
        [ND_WARC_IMAGE] = {"image", "images"},
        [ND_WARC_NOT_TEXT] = {"payload that is no text", "payloads that are no text"},
        [ND_WARC_OTHER] = {"record of another type", "records of other types"}};
    return names[kind][several];
}
