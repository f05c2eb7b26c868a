#include "corpus/csv_row.h"

#include "base/decimal.h"
#include "base/format.h"
#include "base/printable.h"
#include "corpus/iso_date.h"

#include <stdint.h>
#include <string.h>

/* ---- fields */

/* A field of a row. Its content is [begin, end): between its quotes, if it has some. */
typedef struct field {
    size_t begin, end;
    size_t next;   /* place of the next field; SIZE_MAX: there is none */
    bool doubled;  /* quotes in it are doubled */
    bool is_open;  /* the quote is not closed */
    bool trailing; /* there is something behind its closing quote */
} field;

static field read_field(const char *row, size_t at, size_t length, char delimiter) {
    field f = {.begin = at};
    if (at < length && row[at] == '"') {
        for (f.begin = ++at;; at += 2) {
            const char *quote = at < length ? memchr(row + at, '"', length - at) : NULL;
            f.is_open = !quote;
            at = quote ? (size_t)(quote - row) : length;
            if (f.is_open || at + 1 == length || row[at + 1] != '"') break;
            f.doubled = true;
        }
        f.end = at;
        at += !f.is_open;
        f.trailing = at < length && row[at] != delimiter;
    }
    const char *behind = at < length ? memchr(row + at, delimiter, length - at) : NULL;
    at = behind ? (size_t)(behind - row) : length;
    if (f.end == 0) f.end = at;
    f.next = behind ? at + 1 : SIZE_MAX;
    return f;
}

/* Without the carriage return of a row that ends with CR LF. */
static size_t without_return(const char *row, size_t length) {
    return length > 0 && row[length - 1] == '\r' ? length - 1 : length;
}

/* Copies the content of a field, with single quotes for doubled ones. Returns its size. */
static size_t copy_content(const char *row, const field *f, char *to) {
    size_t size = 0;
    for (size_t at = f->begin; at < f->end; at++) {
        to[size++] = row[at];
        at += f->doubled && row[at] == '"';
    }
    return size;
}

/* ---- columns */

static bool number_of(const char *name, uint64_t *number) {
    return nd_whole_number_read(name, strlen(name), UINT32_MAX, number) && *number > 0;
}

bool nd_csv_by_number(const nd_record_fields *fields) {
    uint64_t number;
    for (size_t i = 0; i < fields->text_count; i++)
        if (!number_of(fields->texts[i], &number)) return false;
    return true;
}

static size_t by_number(const char *name) {
    uint64_t number;
    return name && number_of(name, &number) ? (size_t)number - 1 : SIZE_MAX;
}

/* The header with the memory for a name in it. */
typedef struct header {
    const char *row;
    size_t length;
    char delimiter;
    char *name;
} header;

static size_t find_column(const header *h, const char *name) {
    if (!name) return SIZE_MAX;
    for (size_t at = 0, number = 0; at != SIZE_MAX; number++) {
        field f = read_field(h->row, at, h->length, h->delimiter);
        size_t size = copy_content(h->row, &f, h->name);
        if (size == strlen(name) && memcmp(h->name, name, size) == 0) return number;
        at = f.next;
    }
    return SIZE_MAX;
}

static size_t count_columns(const header *h) {
    size_t count = 0;
    for (size_t at = 0; at != SIZE_MAX; count++)
        at = read_field(h->row, at, h->length, h->delimiter).next;
    return count;
}

static nd_status find_in_header(const nd_record_fields *fields, const header *h,
                                nd_csv_columns *out, nd_error *error) {
    for (size_t i = 0; i < fields->text_count; i++) {
        char found[300];
        out->texts[i] = find_column(h, fields->texts[i]);
        if (out->texts[i] != SIZE_MAX) continue;
        nd_printable(h->row, h->length, found, sizeof found);
        return nd_fail(error, ND_ERR_INPUT, "no column \"%s\" in the header: %s", fields->texts[i],
                       found);
    }
    out->id = find_column(h, fields->id);
    out->priority = find_column(h, fields->priority);
    out->label = find_column(h, fields->label);
    for (size_t i = 0; out->protect && i < fields->protect->count; i++)
        out->protect[i] = find_column(h, fields->protect->fields[i]);
    out->count = count_columns(h);
    return ND_OK;
}

static nd_status make_protect(const nd_protected_values *values, const nd_allocator *allocator,
                              nd_csv_columns *out, nd_error *error) {
    if (!values || values->count == 0) return ND_OK;
    out->protect = nd_allocate(allocator, values->count, sizeof *out->protect);
    if (!out->protect) return nd_fail_memory(error, values->count * 8, "the columns of a file");
    out->protected_values = values;
    return ND_OK;
}

nd_status nd_csv_columns_find(const nd_record_fields *fields, char delimiter, const char *row,
                              size_t length, const nd_allocator *allocator, nd_csv_columns *out,
                              nd_error *error) {
    *out = (nd_csv_columns){.delimiter = delimiter, .text_count = fields->text_count};
    out->texts = nd_allocate(allocator, fields->text_count, sizeof *out->texts);
    if (!out->texts) return nd_fail_memory(error, fields->text_count * 8, "the columns of a file");
    ND_TRY(make_protect(fields->protect, allocator, out, error));
    if (!row) {
        for (size_t i = 0; i < fields->text_count; i++) out->texts[i] = by_number(fields->texts[i]);
        out->id = by_number(fields->id);
        out->priority = by_number(fields->priority);
        out->label = by_number(fields->label);
        for (size_t i = 0; out->protect && i < fields->protect->count; i++)
            out->protect[i] = by_number(fields->protect->fields[i]);
        return ND_OK;
    }
    header h = {row, without_return(row, length), delimiter, nd_allocate(allocator, length + 1, 1)};
    if (!h.name) return nd_fail_memory(error, length + 1, "the header of a file");
    nd_status status = find_in_header(fields, &h, out, error);
    nd_release(allocator, h.name);
    return status;
}

void nd_csv_columns_free(nd_csv_columns *columns, const nd_allocator *allocator) {
    nd_release(allocator, columns->texts);
    nd_release(allocator, columns->protect);
    columns->texts = columns->protect = NULL;
}

/* ---- rows */

/* A row, and its fields that are read. */
typedef struct row_reader {
    const nd_csv_columns *columns;
    const char *row;
    size_t length;
    nd_csv_buffer *buffer; /* `texts`: where the text fields begin */
    field id, priority, label;
    nd_record_values *out;
} row_reader;

static field field_at(const row_reader *r, size_t at) {
    return read_field(r->row, at, r->length, r->columns->delimiter);
}

/* Whether a field has the content `value`, without copying it. */
static bool content_is(const char *row, const field *f, const char *value) {
    size_t at = f->begin;
    for (; at < f->end && *value == row[at] && *value; at++, value++)
        at += f->doubled && row[at] == '"';
    return at >= f->end && *value == '\0';
}

static void read_protection(row_reader *r, size_t number, const field *f) {
    const nd_protected_values *values = r->columns->protected_values;
    for (size_t i = 0; values && i < values->count; i++)
        if (r->columns->protect[i] == number && content_is(r->row, f, values->values[i]))
            r->out->is_protected = true;
}

/* Finds the fields of a row. Returns why the row is bad; NULL: it is fine. *place: the number of
 * its fields, or of the field that is bad. */
static const char *find_fields(row_reader *r, size_t *place) {
    const nd_csv_columns *c = r->columns;
    size_t number = 0;
    for (size_t at = 0; at != SIZE_MAX; number++) {
        field f = field_at(r, at);
        *place = number + 1;
        if (f.is_open) return "the quote is not closed";
        if (f.trailing) return "a delimiter is expected behind the closing quote";
        for (size_t i = 0; i < c->text_count; i++)
            if (c->texts[i] == number) r->buffer->texts[i] = at;
        if (number == c->id) r->id = f;
        if (number == c->priority) r->priority = f;
        if (number == c->label) r->label = f;
        read_protection(r, number, &f);
        at = f.next;
    }
    return NULL;
}

/* The bytes of the buffer that the contents need: of a text of several fields, and of fields with
 * doubled quotes. */
static size_t needed(const row_reader *r) {
    size_t size = r->id.doubled ? r->id.end - r->id.begin : 0;
    if (r->priority.doubled) size += r->priority.end - r->priority.begin;
    if (r->label.doubled) size += r->label.end - r->label.begin;
    for (size_t i = 0; i < r->columns->text_count; i++) {
        field f = field_at(r, r->buffer->texts[i]);
        if (f.doubled || r->columns->text_count > 1) size += f.end - f.begin + 1;
    }
    return size;
}

/* Gives the content of a field: in the row or, if it has doubled quotes, in the buffer. */
static const char *content_of(row_reader *r, const field *f, size_t *size) {
    *size = f->end - f->begin;
    if (!f->doubled) return r->row + f->begin;
    char *to = r->buffer->bytes + r->buffer->size;
    *size = copy_content(r->row, f, to);
    r->buffer->size += *size;
    return to;
}

/* Joins the fields of the text that are not empty by newlines. */
static void join_texts(row_reader *r) {
    char *begin = r->buffer->bytes + r->buffer->size, *to = begin;
    for (size_t i = 0; i < r->columns->text_count; i++) {
        field f = field_at(r, r->buffer->texts[i]);
        if (f.begin < f.end && to > begin) *to++ = '\n';
        to += copy_content(r->row, &f, to);
    }
    r->out->text = begin;
    r->out->text_length = (size_t)(to - begin);
    r->buffer->size += r->out->text_length;
}

static void take_text(row_reader *r) {
    field f = field_at(r, r->buffer->texts[0]);
    if (r->columns->text_count > 1) join_texts(r);
    else r->out->text = content_of(r, &f, &r->out->text_length);
}

static void take_id(row_reader *r) {
    const char *id = content_of(r, &r->id, &r->out->id_length);
    r->out->id = r->out->id_length > 0 ? id : NULL;
}

static void take_label(row_reader *r) {
    const char *label = content_of(r, &r->label, &r->out->label_length);
    r->out->label = r->out->label_length > 0 ? label : NULL;
}

/* False: it is neither a number nor a date. */
static bool take_priority(row_reader *r) {
    size_t size = 0;
    const char *content = content_of(r, &r->priority, &size);
    r->out->has_priority = nd_number_read(content, size, &r->out->priority) ||
                           nd_iso_date_parse(content, size, &r->out->priority);
    return r->out->has_priority || size == 0;
}

static nd_csv_problem check_count(const nd_csv_columns *c, size_t fields, char *why, size_t size) {
    for (size_t i = 0; i < c->text_count; i++) {
        if (c->texts[i] < fields) continue;
        nd_format(why, size, "%zu field%s, and the text is number %zu", fields,
                  fields == 1 ? "" : "s", c->texts[i] + 1);
        return ND_CSV_BAD_ROW;
    }
    if (c->count == 0 || c->count == fields) return ND_CSV_FINE;
    nd_format(why, size, "%zu field%s, and the header has %zu", fields, fields == 1 ? "" : "s",
              c->count);
    return ND_CSV_BAD_ROW;
}

nd_csv_problem nd_csv_parse(const nd_csv_columns *columns, const char *row, size_t length,
                            const nd_allocator *allocator, nd_csv_buffer *buffer,
                            nd_record_values *out, char *why, size_t why_size) {
    *out = (nd_record_values){0};
    row_reader r = {columns, row, without_return(row, length), buffer, {0}, {0}, {0}, out};
    if (!nd_reserve(allocator, &buffer->texts, &buffer->text_capacity, columns->text_count))
        return ND_CSV_NO_MEMORY;
    size_t place = 0;
    const char *fault = find_fields(&r, &place);
    if (!fault) {
        nd_csv_problem problem = check_count(columns, place, why, why_size);
        if (problem != ND_CSV_FINE) return problem;
        buffer->size = 0;
        if (!nd_reserve(allocator, &buffer->bytes, &buffer->capacity, needed(&r)))
            return ND_CSV_NO_MEMORY;
        take_text(&r);
        take_id(&r);
        take_label(&r);
        if (take_priority(&r)) return ND_CSV_FINE;
        place = columns->priority + 1;
        fault = "a number or an ISO 8601 date was expected";
    }
    nd_format(why, why_size, "field %zu: %s", place, fault);
    return ND_CSV_BAD_ROW;
}

/* ---- cells */

nd_csv_cell nd_csv_cell_at(const char *row, size_t at, size_t length, char delimiter) {
    field f = read_field(row, at, length, delimiter);
    return (nd_csv_cell){.begin = at,
                         .end = f.next == SIZE_MAX ? length : f.next - 1,
                         .content = f.begin,
                         .content_end = f.end,
                         .doubled = f.doubled,
                         .next = f.next};
}

size_t nd_csv_cell_copy(const char *row, const nd_csv_cell *cell, char *to) {
    const field f = {.begin = cell->content, .end = cell->content_end, .doubled = cell->doubled};
    return copy_content(row, &f, to);
}

/* Returns the place behind the character at `at` of a cell's content. */
static size_t next_in_cell(const char *row, const nd_csv_cell *cell, size_t at) {
    return at + (cell->doubled && row[at] == '"' ? 2 : 1);
}

static bool is_same_cell(const char *a, const nd_csv_cell *x, const char *b, const nd_csv_cell *y) {
    size_t i = x->content, j = y->content;
    while (i < x->content_end && j < y->content_end && a[i] == b[j]) {
        i = next_in_cell(a, x, i);
        j = next_in_cell(b, y, j);
    }
    return i == x->content_end && j == y->content_end;
}

bool nd_csv_same_cells(const char *a, size_t a_length, const char *b, size_t b_length,
                       char delimiter) {
    size_t i = 0, j = 0;
    a_length = nd_csv_length(a, a_length);
    b_length = nd_csv_length(b, b_length);
    while (i != SIZE_MAX && j != SIZE_MAX) {
        nd_csv_cell x = nd_csv_cell_at(a, i, a_length, delimiter),
                    y = nd_csv_cell_at(b, j, b_length, delimiter);
        if (!is_same_cell(a, &x, b, &y)) return false;
        i = x.next;
        j = y.next;
    }
    return i == j;
}

size_t nd_csv_length(const char *row, size_t length) { return without_return(row, length); }
