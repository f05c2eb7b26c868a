#include "dedup/record_form.h"

#include "base/format.h"
#include "corpus/record_cut.h"

#include <string.h>

/* The names of the marks. */
#define MARK_BEGIN "neardup_"
static const char *const mark_names[] = {"neardup_kept", "neardup_of", "neardup_similarity"};
enum { MARKS = 3 };

static bool is_mark_name(const char *name, size_t length) {
    for (size_t i = 0; i < MARKS; i++)
        if (strlen(mark_names[i]) == length && memcmp(mark_names[i], name, length) == 0)
            return true;
    return false;
}

/* Reads the four digits of an escape. Returns 0 for characters that no name of a mark has. */
static char escaped_letter(const char *digits) {
    char letter = 0;
    for (size_t i = 0; i < 4; i++) {
        char d = digits[i];
        int value = d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10;
        if (i < 2 && value != 0) return 0;
        letter = (char)(letter * 16 + value);
    }
    return letter;
}

/* Whether a name of a valid member, as it is between its quotes, is that of a mark: its letters may
 * be escapes. */
static bool is_escaped_mark_name(const char *name, size_t length) {
    char plain[32];
    size_t size = 0;
    for (size_t at = 0; at < length && size < sizeof plain; size++) {
        bool escape = name[at] == '\\' && name[at + 1] == 'u';
        plain[size] = escape ? escaped_letter(name + at + 2) : name[at];
        at += escape ? 6 : 1;
        if (at >= length) return is_mark_name(plain, size + 1);
    }
    return false;
}

static bool has_columns(nd_input_format format) {
    return format == ND_FORMAT_CSV || format == ND_FORMAT_TSV;
}

static char delimiter_of(nd_input_format format) { return format == ND_FORMAT_TSV ? '\t' : ','; }

static nd_status put_text(nd_json_out *out, const char *text, nd_error *error) {
    return nd_json_put(out, text, strlen(text), error);
}

/* Inserts bytes at a place of the line. */
static nd_status insert(nd_json_out *line, size_t at, const char *bytes, size_t length,
                        nd_error *error) {
    size_t behind = line->size - at;
    ND_TRY(nd_json_put(line, bytes, length, error)); /* makes room */
    memmove(line->bytes + at + length, line->bytes + at, behind);
    memcpy(line->bytes + at, bytes, length);
    return ND_OK;
}

/* ---- cells */

/* Appends a cell, in quotes where its content needs them (RFC 4180). */
static nd_status put_cell(nd_json_out *out, char delimiter, const char *text, size_t length,
                          nd_error *error) {
    bool quoted = false;
    for (size_t i = 0; i < length && !quoted; i++)
        quoted = text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
    if (!quoted) return nd_json_put(out, text, length, error);
    ND_TRY(nd_json_put(out, "\"", 1, error));
    for (size_t from = 0; from < length;) {
        const char *quote = memchr(text + from, '"', length - from);
        size_t end = quote ? (size_t)(quote - text) + 1 : length;
        ND_TRY(nd_json_put(out, text + from, end - from, error));
        if (quote) ND_TRY(nd_json_put(out, "\"", 1, error));
        from = end;
    }
    return nd_json_put(out, "\"", 1, error);
}

/* The content of a cell: in the row or, if it has doubled quotes, in the buffer. */
static nd_status content_of(const char *row, const nd_csv_cell *cell, nd_json_out *buffer,
                            const char **content, size_t *length, nd_error *error) {
    *content = row + cell->content;
    *length = cell->content_end - cell->content;
    if (!cell->doubled) return ND_OK;
    buffer->size = 0;
    ND_TRY(nd_json_put(buffer, row + cell->begin, cell->end - cell->begin, error));
    *length = nd_csv_cell_copy(row, cell, buffer->bytes);
    *content = buffer->bytes;
    return ND_OK;
}

/* The cells of a row together with the names of their columns. */
typedef struct row_walk {
    const nd_source *source;
    const char *row;
    size_t length, header_length;
    size_t next, next_name; /* SIZE_MAX: there is none */
    size_t number;          /* of the cell, from 1 */
    nd_csv_cell cell, name; /* the name only if the source has a header */
} row_walk;

static row_walk walk_of(const nd_source *source, const char *row, size_t length) {
    row_walk walk = {.source = source, .row = row, .length = nd_csv_length(row, length)};
    if (source->header) walk.header_length = nd_csv_length(source->header, source->header_length);
    else walk.next_name = SIZE_MAX;
    return walk;
}

static bool next_cell(row_walk *w) {
    char delimiter = w->source->columns.delimiter;
    if (w->next == SIZE_MAX) return false;
    w->number++;
    w->cell = nd_csv_cell_at(w->row, w->next, w->length, delimiter);
    w->next = w->cell.next;
    if (w->next_name == SIZE_MAX) return true;
    w->name = nd_csv_cell_at(w->source->header, w->next_name, w->header_length, delimiter);
    w->next_name = w->name.next;
    return true;
}

static nd_status name_of(const row_walk *w, nd_json_out *buffer, const char **name, size_t *length,
                         nd_error *error) {
    char number[24];
    if (w->source->header)
        return content_of(w->source->header, &w->name, buffer, name, length, error);
    buffer->size = 0;
    nd_format(number, sizeof number, "%zu", w->number);
    ND_TRY(put_text(buffer, number, error));
    *name = buffer->bytes;
    *length = buffer->size;
    return ND_OK;
}

/* An object of the cells of a row, all of them strings. */
static nd_status put_row_object(const nd_raw_form *r, nd_form_buffer *b, nd_error *error) {
    nd_json_out *line = &b->line;
    row_walk w = walk_of(r->source, r->bytes, r->length);
    const char *text;
    size_t length;
    while (next_cell(&w)) {
        ND_TRY(put_text(line, w.number == 1 ? "{" : ",", error));
        ND_TRY(name_of(&w, &b->cell, &text, &length, error));
        ND_TRY(nd_json_put_string(line, text, length, ND_JSON_LETTERS, error));
        ND_TRY(put_text(line, ":", error));
        ND_TRY(content_of(w.row, &w.cell, &b->cell, &text, &length, error));
        ND_TRY(nd_json_put_string(line, text, length, ND_JSON_LETTERS, error));
    }
    return put_text(line, "}", error);
}

/* A row without the cells of earlier marks, and with the end of its line. */
static nd_status put_row(const nd_source *source, const char *row, size_t row_length,
                         nd_form_buffer *b, nd_error *error) {
    const char *name;
    size_t length, written = 0, begins = strlen(MARK_BEGIN);
    bool may_have_marks = source->header &&
                          memmem(source->header, source->header_length, MARK_BEGIN, begins);
    if (!may_have_marks) return nd_json_put(&b->line, row, row_length, error);
    row_walk w = walk_of(source, row, row_length);
    while (next_cell(&w)) {
        ND_TRY(name_of(&w, &b->cell, &name, &length, error));
        if (is_mark_name(name, length)) continue;
        if (written++ > 0) ND_TRY(nd_json_put(&b->line, &source->columns.delimiter, 1, error));
        ND_TRY(nd_json_put(&b->line, row + w.cell.begin, w.cell.end - w.cell.begin, error));
    }
    return nd_json_put(&b->line, row + w.length, row_length - w.length, error);
}

/* ---- objects */

static bool is_space(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Returns the place behind the value, string or separator at `at` of a valid object. */
static size_t value_end(const char *json, size_t at, size_t length) {
    nd_record_cutter cutter = {.format = ND_FORMAT_JSON, .in_array = true};
    nd_cut cut = {.blank = true};
    while (cut.blank && nd_record_cut(&cutter, json, at, length, true, &cut)) at = cut.next;
    return cut.next;
}

static size_t skip_space(const char *json, size_t at, size_t length) {
    while (at < length && is_space(json[at])) at++;
    return at;
}

/* Removes members with the names of marks from the object at the beginning of the line. */
static void remove_marks(nd_json_out *line) {
    char *json = line->bytes;
    size_t length = line->size, begin = skip_space(json, 0, length) + 1;
    size_t from = begin, to = begin, written = 0;
    for (;;) {
        size_t name = skip_space(json, from, length);
        if (name < length && json[name] == ',') name = skip_space(json, name + 1, length);
        if (name >= length || json[name] != '"') break;
        size_t name_end = value_end(json, name, length);
        size_t colon = skip_space(json, name_end, length);
        size_t end = value_end(json, colon + 1, length);
        if (!is_escaped_mark_name(json + name + 1, name_end - name - 2)) {
            /* The first one has no comma before it. */
            size_t kept = written++ > 0 || from == begin ? from : name;
            memmove(json + to, json + kept, end - kept);
            to += end - kept;
        }
        from = end;
    }
    memmove(json + to, json + from, length - from);
    line->size = to + (length - from);
}

/* Whether a line has what no name of a mark is without: the name, or an escape of a letter. */
static bool may_have_marks(const nd_json_out *line) {
    static const char *const signs[] = {"\"" MARK_BEGIN, "\\u00"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (memmem(line->bytes, line->size, signs[i], strlen(signs[i]))) return true;
    return false;
}

/* Inserts a mark behind the last member of the object in the line. */
static nd_status mark_object(nd_json_out *line, const nd_raw_form *r, nd_error *error) {
    if (may_have_marks(line)) remove_marks(line);
    size_t at = line->size;
    while (at > 0 && line->bytes[at - 1] != '}') at--;
    at -= at > 0;
    while (at > 0 && is_space(line->bytes[at - 1])) at--;
    bool is_empty = at > 0 && line->bytes[at - 1] == '{';
    ND_TRY(insert(line, at, r->mark, r->mark_length, error));
    return is_empty ? ND_OK : insert(line, at, ",", 1, error);
}

/* Appends a value without the white space between its parts. */
static nd_status put_compact(const nd_raw_form *r, nd_json_out *line, nd_error *error) {
    if (!memchr(r->bytes, '\n', r->length) && !memchr(r->bytes, '\r', r->length))
        return nd_json_put(line, r->bytes, r->length, error);
    for (size_t at = 0; at < r->length;) {
        size_t end = at;
        if (r->bytes[at] == '"') end = value_end(r->bytes, at, r->length);
        else
            while (end < r->length && r->bytes[end] != '"' && !is_space(r->bytes[end])) end++;
        ND_TRY(nd_json_put(line, r->bytes + at, end - at, error));
        at = skip_space(r->bytes, end, r->length);
    }
    return ND_OK;
}

static nd_status put_member(nd_json_out *line, const char *name, const nd_span *value,
                            nd_error *error) {
    if (value->length == 0) return ND_OK;
    ND_TRY(put_text(line, name, error));
    return nd_json_put_string(line, value->bytes, value->length, ND_JSON_LETTERS, error);
}

static nd_status put_text_object(const nd_raw_form *r, nd_json_out *line, nd_error *error) {
    ND_TRY(put_text(line, "{\"id\":", error));
    ND_TRY(nd_json_put(line, r->id, r->id_length, error));
    ND_TRY(put_text(line, ",\"text\":", error));
    ND_TRY(nd_json_put_string(line, r->bytes, r->length, ND_JSON_LETTERS, error));
    ND_TRY(put_member(line, ",\"url\":", &r->url, error));
    ND_TRY(put_member(line, ",\"date\":", &r->date, error));
    return put_text(line, "}", error);
}

/* ---- marks */

static nd_status put_mark_object(const nd_record_mark *mark, const char *similarity,
                                 nd_json_out *out, nd_error *error) {
    if (mark->kept)
        return put_text(
            out, "\"neardup_kept\":true,\"neardup_of\":null,\"neardup_similarity\":null", error);
    ND_TRY(put_text(out, "\"neardup_kept\":false,\"neardup_of\":", error));
    ND_TRY(nd_json_put_string(out, mark->of, mark->of_length, ND_JSON_LETTERS, error));
    ND_TRY(put_text(out, ",\"neardup_similarity\":", error));
    return put_text(out, similarity, error);
}

static nd_status put_mark_cells(const nd_record_mark *mark, char delimiter, const char *similarity,
                                nd_json_out *out, nd_error *error) {
    const char kept[] = {delimiter, mark->kept ? '1' : '0', delimiter, '\0'};
    ND_TRY(put_text(out, kept, error));
    if (!mark->kept) ND_TRY(put_cell(out, delimiter, mark->of, mark->of_length, error));
    ND_TRY(nd_json_put(out, &delimiter, 1, error));
    return mark->kept ? ND_OK : put_text(out, similarity, error);
}

nd_status nd_record_form_put_mark(const nd_record_form *form, const nd_record_mark *mark,
                                  nd_json_out *out, nd_error *error) {
    char similarity[40];
    nd_format(similarity, sizeof similarity, "%.6f", mark->similarity);
    return has_columns(form->to)
               ? put_mark_cells(mark, delimiter_of(form->to), similarity, out, error)
               : put_mark_object(mark, similarity, out, error);
}

/* Inserts a mark behind the last cell of the row in the line. */
static nd_status mark_row(nd_json_out *line, const char *mark, size_t length, nd_error *error) {
    return insert(line, nd_csv_length(line->bytes, line->size), mark, length, error);
}

/* ---- records */

nd_record_ending nd_record_form_ending(const nd_record_form *form, const nd_source *source) {
    bool warc = form->to == ND_FORMAT_WARC && !nd_source_is_arc(source);
    return warc ? (nd_record_ending){"\r\n\r\n", 4} : (nd_record_ending){"\n", 1};
}

static nd_status put_ending(const nd_record_form *form, const nd_source *source, nd_json_out *line,
                            nd_error *error) {
    nd_record_ending ending = nd_record_form_ending(form, source);
    return nd_json_put(line, ending.bytes, ending.size, error);
}

static nd_status put_record(const nd_record_form *form, const nd_raw_form *r, nd_form_buffer *b,
                            nd_error *error) {
    if (nd_record_form_has_texts(form)) return put_text_object(r, &b->line, error);
    if (has_columns(form->to)) return put_row(r->source, r->bytes, r->length, b, error);
    if (has_columns(form->from)) return put_row_object(r, b, error);
    if (form->from == ND_FORMAT_JSON && form->to == ND_FORMAT_JSON_LINES)
        return put_compact(r, &b->line, error);
    return nd_json_put(&b->line, r->bytes, r->length, error);
}

nd_status nd_record_form_put(const nd_record_form *form, const nd_raw_form *r, nd_form_buffer *b,
                             nd_error *error) {
    b->line.size = 0;
    if (nd_record_form_copies(form)) ND_TRY(nd_json_put(&b->line, r->bytes, r->length, error));
    else ND_TRY(put_record(form, r, b, error));
    if (form->marked && has_columns(form->to))
        ND_TRY(mark_row(&b->line, r->mark, r->mark_length, error));
    else if (form->marked) ND_TRY(mark_object(&b->line, r, error));
    return put_ending(form, r->source, &b->line, error);
}

nd_status nd_record_form_put_header(const nd_record_form *form, const nd_source *source,
                                    nd_form_buffer *b, nd_error *error) {
    b->line.size = 0;
    if (!source->header || (!has_columns(form->to) && !nd_record_form_copies(form))) return ND_OK;
    if (!form->marked) {
        ND_TRY(nd_json_put(&b->line, source->header, source->header_length, error));
        return put_ending(form, source, &b->line, error);
    }
    ND_TRY(put_row(source, source->header, source->header_length, b, error));
    char names[80] = "";
    char delimiter = delimiter_of(form->to);
    nd_format(names, sizeof names, "%c%s%c%s%c%s", delimiter, mark_names[0], delimiter,
              mark_names[1], delimiter, mark_names[2]);
    ND_TRY(mark_row(&b->line, names, strlen(names), error));
    return put_text(&b->line, "\n", error);
}

/* ---- names of columns */

/* Whether a column to the left has the name of the walk's column. */
static nd_status occurs_before(const row_walk *w, const char *name, size_t length,
                               nd_json_out *buffer, bool *occurs, nd_error *error) {
    row_walk left = walk_of(w->source, w->row, w->source->header_length);
    const char *other;
    size_t other_length;
    *occurs = false;
    while (!*occurs && next_cell(&left) && left.number < w->number) {
        ND_TRY(name_of(&left, buffer, &other, &other_length, error));
        *occurs = other_length == length && memcmp(other, name, length) == 0;
    }
    return ND_OK;
}

nd_status nd_record_form_check(const nd_record_form *form, const nd_source *source,
                               nd_form_buffer *b, nd_error *error) {
    if (!has_columns(form->from) || has_columns(form->to) || !source->header) return ND_OK;
    row_walk w = walk_of(source, source->header, source->header_length);
    const char *name;
    size_t length;
    bool occurs = false;
    char shown[200];
    while (next_cell(&w)) {
        ND_TRY(name_of(&w, &b->cell, &name, &length, error));
        ND_TRY(occurs_before(&w, name, length, &b->line, &occurs, error));
        if (!occurs) continue;
        nd_printable(name, length, shown, sizeof shown);
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: two columns are named \"%s\", but the members of an object need "
                       "different names",
                       nd_source_title(source), shown);
    }
    return ND_OK;
}
