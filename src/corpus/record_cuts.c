#include "corpus/record_cuts.h"

#include "base/merge_sort.h"
#include "kernel/kernel.h"

#include <string.h>

/* The way through a text, field by field, and through its spans. An edge is the begin or the end of
 * a span. */
typedef struct walk {
    nd_record_cuts *cuts;
    const char *record;
    const nd_text_span *spans;
    size_t count, next; /* the first span that is not passed */
    size_t at;          /* bytes of the text so far */
    size_t edge;        /* the next edge; SIZE_MAX: there is none */
    bool inside;        /* a span; what is cut of the record begins at `open` */
    size_t open;
    bool broken; /* the record is not as it was */
} walk;

static nd_status add_edit(nd_record_cuts *c, nd_record_edit edit, nd_error *error) {
    nd_record_edit *last = c->edit_count > 0 ? &c->edits[c->edit_count - 1] : NULL;
    if (last && last->end == edit.begin && !last->put && !edit.put) {
        last->end = edit.end;
        return ND_OK;
    }
    if (!nd_reserve(&c->allocator, &c->edits, &c->edit_capacity, c->edit_count + 1))
        return nd_fail_memory(error, c->edit_count * sizeof *c->edits, "cuts of a record");
    c->edits[c->edit_count++] = edit;
    return ND_OK;
}

/* Cuts what is open, up to `end` of the record. */
static nd_status close_cut(walk *w, size_t end, nd_error *error) {
    return w->open < end ? add_edit(w->cuts, (nd_record_edit){w->open, end, 0}, error) : ND_OK;
}

static void find_edge(walk *w) {
    w->edge = w->next == w->count ? SIZE_MAX
              : w->inside         ? w->spans[w->next].end
                                  : w->spans[w->next].begin;
}

/* Passes the edges before the text's byte `end`. The record's byte `from` stands for the text's
 * byte w->at. */
static nd_status pass_edges(walk *w, size_t from, size_t end, nd_error *error) {
    for (; w->edge < end; find_edge(w)) {
        size_t place = w->edge > w->at ? from + (w->edge - w->at) : from;
        if (w->inside) ND_TRY(close_cut(w, place, error));
        w->open = place;
        w->next += w->inside;
        w->inside = !w->inside;
    }
    return ND_OK;
}

/* Passes bytes of the record that stand for `size` bytes of the text: as many, or a character. */
static inline nd_status pass(walk *w, size_t from, size_t size, nd_error *error) {
    if (w->edge < w->at + size) ND_TRY(pass_edges(w, from, w->at + size, error));
    w->at += size;
    return ND_OK;
}

/* Begins a field: between two fields that are not empty there is a newline. */
static void begin_field(walk *w, size_t begin, bool empty) {
    w->at += w->at > 0 && !empty;
    w->open = begin;
}

/* A span that is open at the end of a field goes on in the next one. */
static nd_status end_field(walk *w, size_t end, nd_error *error) {
    return w->inside ? close_cut(w, end, error) : ND_OK;
}

/* ---- JSON
 *
 * The record was valid when it was read first. Zeros behind it, which valid JSON does not have, end
 * every search in case that the file has changed since. */

/* A character that is an escape, or a byte. */
typedef struct json_piece {
    size_t raw, size; /* bytes of the record and of the text */
    char bytes[4];
} json_piece;

static uint32_t hex_digits(const char *digits) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        char d = digits[i];
        value = value << 4 | (uint32_t)(d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10);
    }
    return value;
}

static void put_utf8(uint32_t cp, json_piece *out) {
    static const uint8_t heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out->size = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = out->size; i-- > 1; cp >>= 6) out->bytes[i] = (char)(0x80 | (cp & 0x3F));
    out->bytes[0] = (char)(heads[out->size] | cp);
}

static json_piece piece_at(const char *json) {
    static const char letters[] = "bfnrt", values[] = "\b\f\n\r\t";
    json_piece piece = {.raw = 1, .size = 1, .bytes = {json[0]}};
    if (json[0] != '\\') return piece;
    piece.raw = 2;
    const char *letter = strchr(letters, json[1]);
    piece.bytes[0] = letter ? values[letter - letters] : json[1];
    if (json[1] != 'u') return piece;
    uint32_t cp = hex_digits(json + 2);
    piece.raw = 6;
    if (cp >= 0xD800 && cp < 0xDC00) {
        cp = 0x10000 + ((cp - 0xD800) << 10) + (hex_digits(json + 8) - 0xDC00);
        piece.raw = 12;
    }
    put_utf8(cp, &piece);
    return piece;
}

static size_t skip_space(const char *json, size_t at) {
    while (json[at] == ' ' || json[at] == '\t' || json[at] == '\n' || json[at] == '\r') at++;
    return at;
}

/* Returns the place behind the string at `at`. */
static size_t string_end(const char *json, size_t at) {
    for (at++;;) {
        const char *quote = strchr(json + at, '"');
        if (!quote) return at + strlen(json + at);
        size_t found = (size_t)(quote - json), escapes = 0;
        while (found - escapes > at && json[found - escapes - 1] == '\\') escapes++;
        at = found + 1;
        if (escapes % 2 == 0) return at;
    }
}

/* Returns the place behind the value at `at`. */
static size_t value_end(const char *json, size_t at) {
    if (json[at] == '"') return string_end(json, at);
    if (json[at] != '{' && json[at] != '[') return at + strcspn(json + at, ",]} \t\r\n");
    for (size_t depth = 0;;) {
        if (json[at] == '"') {
            at = string_end(json, at);
            continue;
        }
        depth += json[at] == '{' || json[at] == '[';
        depth -= json[at] == '}' || json[at] == ']';
        at += json[at] != 0;
        if (depth == 0 || !json[at]) return at;
    }
}

/* A part of the name of a field: the whole name, or what stands between two '/' of a pointer. */
typedef struct name_part {
    const char *bytes;
    size_t length;
    bool pointer; /* "~1" stands for '/' and "~0" for '~' */
} name_part;

/* Whether the name of a member, between its quotes, is that part. */
static bool name_is(const char *json, size_t at, const name_part *part) {
    for (size_t i = 0; json[at] && json[at] != '"';) {
        json_piece piece = piece_at(json + at);
        for (size_t k = 0; k < piece.size; k++, i++) {
            if (i >= part->length) return false;
            char wanted = part->bytes[i];
            if (part->pointer && wanted == '~') wanted = part->bytes[++i] == '1' ? '/' : '~';
            if (piece.bytes[k] != wanted) return false;
        }
        at += piece.raw;
        if (json[at] == '"') return i == part->length;
    }
    return part->length == 0;
}

/* The place of the member's value; 0: there is none. */
static size_t find_member(const char *json, size_t object, const name_part *part) {
    size_t at = skip_space(json, object + 1);
    while (json[at] == '"') {
        size_t name = at + 1, value = skip_space(json, string_end(json, at));
        value = skip_space(json, value + 1);
        if (name_is(json, name, part)) return value;
        at = skip_space(json, value_end(json, value));
        if (json[at] == ',') at = skip_space(json, at + 1);
    }
    return 0;
}

/* Reads an index of digits without zeros before them (RFC 6901). */
static bool index_of(const name_part *part, size_t *index) {
    *index = 0;
    if (part->length == 0 || part->length > 9 || (part->length > 1 && part->bytes[0] == '0'))
        return false;
    for (size_t i = 0; i < part->length; i++) {
        if (part->bytes[i] < '0' || part->bytes[i] > '9') return false;
        *index = *index * 10 + (size_t)(part->bytes[i] - '0');
    }
    return true;
}

static size_t find_element(const char *json, size_t array, const name_part *part) {
    size_t index, at = skip_space(json, array + 1);
    if (!index_of(part, &index)) return 0;
    while (json[at] && json[at] != ']') {
        if (index-- == 0) return at;
        at = skip_space(json, value_end(json, at));
        if (json[at] == ',') at = skip_space(json, at + 1);
    }
    return 0;
}

static size_t find_value(const char *json, const char *field) {
    size_t at = skip_space(json, 0);
    bool pointer = field[0] == '/';
    do {
        if (pointer) field++;
        const name_part part = {field, pointer ? strcspn(field, "/") : strlen(field), pointer};
        at = json[at] == '{'   ? find_member(json, at, &part)
             : json[at] == '[' ? find_element(json, at, &part)
                               : 0;
        field += part.length;
    } while (at != 0 && *field);
    return at;
}

/* Cuts the string whose content begins at `begin`, edge by edge. */
static nd_status cut_string(walk *w, size_t begin, size_t length, nd_error *error) {
    const nd_kernel *kernel = nd_kernel_get();
    size_t at = begin;
    begin_field(w, begin, w->record[begin] == '"');
    while (at < length) {
        if (w->edge <= w->at) ND_TRY(pass_edges(w, at, w->at + 1, error));
        size_t bytes = w->edge - w->at;
        at += kernel->json_pass(w->record + at, length - at, &bytes);
        w->at += bytes;
        if (w->at == w->edge) continue;
        if (w->record[at] != '\\') break;
        json_piece piece = piece_at(w->record + at);
        w->at += piece.size;
        at += piece.raw;
    }
    w->broken = w->broken || at >= length || w->record[at] != '"';
    return end_field(w, at, error);
}

static nd_status cut_object(walk *w, size_t length, nd_error *error) {
    const nd_record_fields *fields = w->cuts->fields;
    for (size_t i = 0; i < fields->text_count; i++) {
        size_t at = find_value(w->record, fields->texts[i]);
        if (at != 0 && w->record[at] == '"') ND_TRY(cut_string(w, at + 1, length, error));
    }
    return ND_OK;
}

/* ---- CSV */

/* Whether what the edits from `first` on leave of a column without quotes needs quotes. */
static bool needs_quotes(const walk *w, const nd_csv_cell *cell, size_t first) {
    const nd_record_edit *edits = w->cuts->edits;
    size_t begin = cell->begin, end = cell->end, count = w->cuts->edit_count;
    if (first < count && edits[first].begin == begin) begin = edits[first].end;
    if (first < count && edits[count - 1].end == end) end = edits[count - 1].begin;
    return begin < end && (w->record[begin] == '"' || w->record[end - 1] == '\r');
}

/* Writes a column that has none in quotes; a quote in what is left of it is doubled. The edits from
 * `first` on cut it. */
static nd_status add_quotes(walk *w, const nd_csv_cell *cell, size_t first, nd_error *error) {
    nd_record_cuts *c = w->cuts;
    size_t next = first, cuts = c->edit_count;
    ND_TRY(add_edit(c, (nd_record_edit){cell->begin, cell->begin, '"'}, error));
    for (size_t at = cell->begin; at < cell->end; at++) {
        if (next < cuts && c->edits[next].begin == at) at = c->edits[next++].end - 1;
        else if (w->record[at] == '"') ND_TRY(add_edit(c, (nd_record_edit){at, at, '"'}, error));
    }
    return add_edit(c, (nd_record_edit){cell->end, cell->end, '"'}, error);
}

static nd_status cut_cell(walk *w, const nd_csv_cell *cell, nd_error *error) {
    size_t first = w->cuts->edit_count, end = cell->content_end;
    begin_field(w, cell->content, cell->content == end);
    for (size_t at = cell->content; at < end;) {
        const char *quote = cell->doubled ? memchr(w->record + at, '"', end - at) : NULL;
        size_t plain = quote ? (size_t)(quote - w->record) - at : end - at;
        ND_TRY(pass(w, at, plain, error));
        at += plain;
        if (at == end) break;
        ND_TRY(pass(w, at, 1, error));
        at += 2;
    }
    ND_TRY(end_field(w, end, error));
    bool bare = cell->content == cell->begin;
    return bare && w->cuts->edit_count > first && needs_quotes(w, cell, first)
               ? add_quotes(w, cell, first, error)
               : ND_OK;
}

static nd_status cut_row(walk *w, const nd_csv_columns *columns, size_t length, nd_error *error) {
    length = nd_csv_length(w->record, length);
    for (size_t i = 0; i < columns->text_count; i++) {
        nd_csv_cell cell = {.next = 0};
        for (size_t number = 0; cell.next != SIZE_MAX && number <= columns->texts[i]; number++)
            cell = nd_csv_cell_at(w->record, cell.next, length, columns->delimiter);
        ND_TRY(cut_cell(w, &cell, error));
    }
    return ND_OK;
}

/* ---- all */

/* nd_compare_fn: by place; what is put at the beginning of a cut comes before it. */
static int compare_edits(const void *a, const void *b) {
    const nd_record_edit *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static nd_status write_record(nd_record_cuts *c, const char *record, size_t length,
                              nd_error *error) {
    size_t done = 0;
    c->length = 0;
    if (!nd_reserve(&c->allocator, &c->record, &c->capacity, length + c->edit_count + 1))
        return nd_fail_memory(error, length, "a record");
    for (size_t i = 0; i <= c->edit_count; i++) {
        const nd_record_edit end = {length, length, 0};
        const nd_record_edit *e = i < c->edit_count ? &c->edits[i] : &end;
        if (e->begin > done) {
            memcpy(c->record + c->length, record + done, e->begin - done);
            c->length += e->begin - done;
        }
        if (e->put) c->record[c->length++] = e->put;
        if (e->end > done) done = e->end;
    }
    return ND_OK;
}

bool nd_record_cuts_can(const nd_source *source) {
    nd_input_format f = source->format;
    return source->kind == ND_SOURCE_RECORDS && (f == ND_FORMAT_JSON_LINES || f == ND_FORMAT_JSON ||
                                                 f == ND_FORMAT_CSV || f == ND_FORMAT_TSV);
}

nd_status nd_record_cuts_make(nd_record_cuts *c, const nd_source *source, const char *record,
                              size_t length, size_t text_length, const nd_text_span *spans,
                              size_t span_count, nd_error *error) {
    bool rows = source->format == ND_FORMAT_CSV || source->format == ND_FORMAT_TSV;
    walk w = {.cuts = c, .record = record, .spans = spans, .count = span_count};
    c->edit_count = 0;
    find_edge(&w);
    ND_TRY(rows ? cut_row(&w, &source->columns, length, error) : cut_object(&w, length, error));
    if (w.broken || w.at != text_length)
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read", source->name);
    if (rows || c->fields->text_count > 1)
        ND_TRY(nd_merge_sort(c->edits, c->edit_count, sizeof *c->edits, compare_edits,
                             &c->allocator, NULL, error));
    return write_record(c, record, length, error);
}

void nd_record_cuts_free(nd_record_cuts *c) {
    nd_release(&c->allocator, c->record);
    nd_release(&c->allocator, c->edits);
}
