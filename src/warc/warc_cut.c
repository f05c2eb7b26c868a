#include "warc/warc_cut.h"

#include <string.h>

static bool is_newline(char byte) { return byte == '\r' || byte == '\n'; }

/* ---- searching for a record */

/* Finds the first record that begins behind `at`, or, of WARC, at it. Not found: *next is the place
 * from which on further bytes may show one. */
static bool find_record(const nd_warc_cutter *c, const char *bytes, size_t at, size_t stop,
                        bool last, size_t *next) {
    const char *mark;
    for (*next = stop; at < stop && (mark = memchr(bytes + at, c->arc ? '\n' : 'W', stop - at));) {
        size_t place = (size_t)(mark - bytes), begin = place + c->arc;
        nd_warc_found found = nd_warc_begins(c->arc, bytes, begin, stop);
        at = place + 1;
        if (found == ND_WARC_BAD || (found == ND_WARC_OPEN && last)) continue;
        *next = found == ND_WARC_WHOLE ? begin : place;
        return found == ND_WARC_WHOLE;
    }
    return false;
}

/* Looks for the end of a bad record from `at` on. */
static void cut_bad(nd_warc_cutter *c, const char *bytes, size_t at, size_t stop, bool last,
                    nd_warc_cut *out) {
    c->searching = !find_record(c, bytes, at, stop, last, &out->next) && !last;
    out->end = out->begin;
}

/* ---- cutting */

/* Whether a block ends at `end`: with two empty lines, as all writers of WARC do; or, line breaks
 * or none between, the next record or the end of the file is there. */
static nd_warc_found find_ending(const nd_warc_cutter *c, const char *bytes, size_t end,
                                 size_t stop, bool last, size_t *next) {
    size_t at = end;
    while (at < stop && is_newline(bytes[at])) at++;
    *next = at;
    if (!c->arc && at - end >= 4 && memcmp(bytes + end, "\r\n\r\n", 4) == 0) return ND_WARC_WHOLE;
    if (at == stop) return last ? ND_WARC_WHOLE : ND_WARC_OPEN;
    nd_warc_found found = nd_warc_begins(c->arc, bytes, at, stop);
    return found == ND_WARC_OPEN && last ? ND_WARC_BAD : found;
}

/* Cuts a record with a good header. False: it goes on. */
static bool cut_block(nd_warc_cutter *c, const char *bytes, const nd_warc_header *header,
                      size_t stop, bool last, nd_warc_cut *out) {
    size_t known = stop - header->end;
    nd_warc_found ending = ND_WARC_BAD;
    if (header->length <= known) {
        out->end = header->end + (size_t)header->length;
        ending = find_ending(c, bytes, out->end, stop, last, &out->next);
        out->fault = "the length of the record is wrong: its block does not end there";
    } else {
        if (!last) return false;
        out->fault = "the record is cut off: its length goes beyond the end of the file";
    }
    if (ending == ND_WARC_OPEN) return false;
    if (ending == ND_WARC_WHOLE) {
        out->fault = NULL;
        out->kind = nd_warc_kind_of(header, bytes + header->end, out->end - header->end);
    } else cut_bad(c, bytes, header->end, stop, last, out);
    return true;
}

/* Cuts what stands between records. False: nothing does. */
static bool cut_blank(nd_warc_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                      nd_warc_cut *out) {
    size_t at = from;
    if (c->searching) cut_bad(c, bytes, from, stop, last, out), at = out->next;
    else
        while (at < stop && is_newline(bytes[at])) at++;
    *out = (nd_warc_cut){.begin = at, .end = at, .next = at, .blank = true};
    return at > from;
}

/* ARC begins with a record of its own, which tells its version. False: not enough is known. */
static bool find_kind_of_file(nd_warc_cutter *c, const char *bytes, size_t from, size_t stop,
                              bool last) {
    static const char mark[] = "filedesc:";
    size_t size = sizeof mark - 1;
    if (!last && stop - from < size) return false;
    c->arc = stop - from >= size && memcmp(bytes + from, mark, size) == 0;
    return c->begun = true;
}

bool nd_warc_cut_record(nd_warc_cutter *c, const char *bytes, size_t from, size_t stop, bool last,
                        nd_warc_cut *out) {
    if (from == stop) return false;
    if (cut_blank(c, bytes, from, stop, last, out)) return true;
    if (c->searching) return false;
    nd_warc_header header;
    if (!c->begun && !find_kind_of_file(c, bytes, from, stop, last)) return false;
    nd_warc_found found = nd_warc_header_read(c->arc, bytes, from, stop, &header, &out->fault);
    if (found == ND_WARC_OPEN && !last) return false;
    *out = (nd_warc_cut){.begin = from, .fault = out->fault};
    if (found == ND_WARC_WHOLE) return cut_block(c, bytes, &header, stop, last, out);
    cut_bad(c, bytes, from + 1, stop, last, out);
    return true;
}

bool nd_warc_cut_over(nd_warc_cutter *c, const char *bytes, size_t from, size_t stop,
                      nd_warc_cut *out) {
    nd_warc_header header;
    if (c->searching || stop - from < 2 * (size_t)ND_HEADER_BYTES) return false;
    *out = (nd_warc_cut){.begin = from};
    nd_warc_found found = nd_warc_header_read(c->arc, bytes, from, stop, &header, &out->fault);
    if (found == ND_WARC_WHOLE) {
        out->fault = NULL;
        out->kind = nd_warc_kind_of(&header, bytes + header.end, stop - header.end);
    }
    cut_bad(c, bytes, found == ND_WARC_WHOLE ? header.end : from + 1, stop, false, out);
    return true;
}
