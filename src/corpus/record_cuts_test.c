/* record_cuts.h: records of random texts, written with random escapes and quotes, are what the
 * same writer makes of the characters that stay. */
#include "corpus/record_cuts.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 40, FIELDS = 3, ROUNDS = 20000, ROOM = 4000 };

/* A character: its UTF-8, how it is written in the record, and whether it is cut. */
typedef struct character {
    char text[5], raw[14];
    bool cut;
} character;

typedef struct field {
    character characters[MOST];
    size_t count;
    bool quoted; /* of CSV */
} field;

typedef struct bytes {
    char data[ROOM];
    size_t size;
} bytes;

static void put(bytes *to, const char *text) {
    size_t length = strlen(text);
    assert_true(to->size + length + ND_JSON_PADDING < ROOM);
    memcpy(to->data + to->size, text, length);
    to->size += length;
    memset(to->data + to->size, 0, ND_JSON_PADDING);
}

static nd_record_cuts open_cuts(const nd_record_fields *fields) {
    return (nd_record_cuts){.allocator = nd_allocator_or_default(NULL), .fields = fields};
}

/* Chooses spans of the joined text, and which characters they cut. Returns their number. */
static size_t choose_spans(uint64_t *seed, field *const *fields, size_t count, nd_text_span *spans,
                           size_t *length) {
    size_t found = 0, at = 0;
    bool cut = false;
    for (size_t f = 0; f < count; f++) {
        at += at > 0 && fields[f]->count > 0;
        for (size_t i = 0; i < fields[f]->count; i++) {
            character *c = &fields[f]->characters[i];
            if (random_below(seed, 4) == 0) {
                if (cut) spans[found++].end = at;
                else spans[found].begin = at;
                cut = !cut;
                if (!cut && spans[found - 1].begin == spans[found - 1].end) found--;
            }
            c->cut = cut;
            at += strlen(c->text);
        }
    }
    if (cut) spans[found++].end = at;
    *length = at;
    return found;
}

static void check(nd_record_cuts *cuts, const nd_source *source, const bytes *record,
                  size_t text_length, const nd_text_span *spans, size_t count) {
    nd_error error;
    if (nd_record_cuts_make(cuts, source, record->data, record->size, text_length, spans, count,
                            &error) != ND_OK)
        fail_msg("%s: %.*s", error.message, (int)record->size, record->data);
}

/* ---- JSON */

static void random_json(uint64_t *seed, field *f) {
    static const character some[] = {{"a", "a", false},
                                     {" ", " ", false},
                                     {"\n", "\\n", false},
                                     {"\r", "\\r", false},
                                     {"\"", "\\\"", false},
                                     {"\\", "\\\\", false},
                                     {"/", "\\/", false},
                                     {"\t", "\\u0009", false},
                                     {"\xc3\xa9", "\\u00e9", false},
                                     {"\xc3\xa9", "\xc3\xa9", false},
                                     {"\xe4\xb8\xad", "\\u4E2d", false},
                                     {"\xe4\xb8\xad", "\xe4\xb8\xad", false},
                                     {"\xf0\x9f\x98\x80", "\\ud83d\\uDE00", false},
                                     {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", false},
                                     {"}", "}", false},
                                     {",", ",", false}};
    f->count = random_below(seed, 3) ? random_below(seed, MOST) : 0;
    for (size_t i = 0; i < f->count; i++)
        f->characters[i] = some[random_below(seed, sizeof some / sizeof *some)];
}

/* Writes an object with the fields; cut: only what stays. */
static void write_object(bytes *out, const field *fields, bool cut) {
    static const char *const names[] = {
        "{ \"id\" : [1, {\"text\": \"no\"}, \"]\"],\"te\\u0078t\": ",
        ", \"more\":{\"x\":null, \"a/b\" :[ 2,", "],\"y\":-1e5}, \"end\":"};
    out->size = 0;
    for (size_t f = 0; f < FIELDS; f++) {
        put(out, names[f]);
        put(out, "\"");
        for (size_t i = 0; i < fields[f].count; i++)
            if (!cut || !fields[f].characters[i].cut) put(out, fields[f].characters[i].raw);
        put(out, "\"");
    }
    put(out, ", \"text\":\"the second\"} ");
}

static void test_json(void **state) {
    (void)state;
    static const char *const names[] = {"end", "/more/a~1b/1", "none", "text"};
    const nd_record_fields fields = {.texts = names, .text_count = 4};
    const nd_source source = {.name = "x", .format = ND_FORMAT_JSON_LINES};
    nd_record_cuts cuts = open_cuts(&fields);
    static bytes record, wanted;
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        field all[FIELDS];
        nd_text_span spans[FIELDS * MOST];
        field *const order[] = {&all[2], &all[1], &all[0]};
        size_t length;
        for (size_t f = 0; f < FIELDS; f++) random_json(&seed, &all[f]);
        size_t count = choose_spans(&seed, order, FIELDS, spans, &length);
        write_object(&record, all, false);
        check(&cuts, &source, &record, length, spans, count);
        write_object(&wanted, all, true);
        if (cuts.length != wanted.size || memcmp(cuts.record, wanted.data, wanted.size) != 0)
            fail_msg("%.*s\n%.*s\n%.*s", (int)record.size, record.data, (int)cuts.length,
                     cuts.record, (int)wanted.size, wanted.data);
    }
    nd_record_cuts_free(&cuts);
}

/* A record that has changed since it was read is refused, however it ends. */
static void test_changed(void **state) {
    (void)state;
    static const char whole[] = "{\"id\":[1,{\"a\":\"b\"}],\"text\":\"one\\u00e9\\ud83d\\ude00\"}";
    static const char *const names[] = {"text"};
    const nd_record_fields fields = {.texts = names, .text_count = 1};
    const nd_source source = {.name = "x", .format = ND_FORMAT_JSON_LINES};
    const nd_text_span span = {0, 9};
    nd_record_cuts cuts = open_cuts(&fields);
    for (size_t length = 0; length < sizeof whole - 3; length++) {
        bytes record = {.size = 0};
        memcpy(record.data, whole, length);
        memset(record.data + length, 0, ND_JSON_PADDING);
        assert_int_equal(
            nd_record_cuts_make(&cuts, &source, record.data, length, 9, &span, 1, NULL), ND_ERR_IO);
    }
    nd_record_cuts_free(&cuts);
}

/* ---- CSV */

static void random_column(uint64_t *seed, field *f) {
    static const char letters[] = "ab \"\r,\n";
    f->quoted = random_below(seed, 2);
    f->count = random_below(seed, 12);
    for (size_t i = 0; i < f->count; i++) {
        size_t most = f->quoted ? sizeof letters - 1 : i == 0 || i + 1 == f->count ? 3 : 5;
        char letter = letters[random_below(seed, most)];
        f->characters[i] = (character){{letter}, {letter}, false};
        if (f->quoted && letter == '"') f->characters[i].raw[1] = '"';
    }
}

static void write_row(bytes *out, const field *columns, bool cut, bool crlf) {
    out->size = 0;
    for (size_t c = 0; c < FIELDS; c++) {
        if (c > 0) put(out, ",");
        if (columns[c].quoted) put(out, "\"");
        for (size_t i = 0; i < columns[c].count; i++)
            if (!cut || !columns[c].characters[i].cut) put(out, columns[c].characters[i].raw);
        if (columns[c].quoted) put(out, "\"");
    }
    if (crlf) put(out, "\r");
}

/* Whether what stays of a column without quotes begins with a quote, or ends with CR. */
static bool needs_quotes(const field *f) {
    char first = 0, last = 0;
    for (size_t i = 0; !f->quoted && i < f->count; i++) {
        if (f->characters[i].cut) continue;
        last = f->characters[i].text[0];
        if (!first) first = last;
    }
    return first == '"' || last == '\r';
}

/* Writes such a column in quotes. */
static void add_quotes(field *f) {
    if (!needs_quotes(f)) return;
    f->quoted = true;
    for (size_t i = 0; i < f->count; i++)
        if (f->characters[i].raw[0] == '"') f->characters[i].raw[1] = '"';
}

static void test_rows(void **state) {
    (void)state;
    static const char *const names[] = {"3", "1"};
    size_t places[] = {2, 0};
    const nd_record_fields fields = {.texts = names, .text_count = 2};
    const nd_source source = {.name = "x",
                              .format = ND_FORMAT_CSV,
                              .columns = {.delimiter = ',', .texts = places, .text_count = 2}};
    nd_record_cuts cuts = open_cuts(&fields);
    static bytes record, wanted;
    uint64_t seed = 2;
    int quoted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        field all[FIELDS];
        nd_text_span spans[FIELDS * MOST];
        field *const order[] = {&all[2], &all[0]};
        size_t length;
        bool crlf = random_below(&seed, 2);
        for (size_t f = 0; f < FIELDS; f++) random_column(&seed, &all[f]);
        size_t count = choose_spans(&seed, order, 2, spans, &length);
        write_row(&record, all, false, crlf);
        check(&cuts, &source, &record, length, spans, count);
        quoted += needs_quotes(&all[2]) + needs_quotes(&all[0]);
        add_quotes(&all[2]);
        add_quotes(&all[0]);
        write_row(&wanted, all, true, crlf);
        if (cuts.length != wanted.size || memcmp(cuts.record, wanted.data, wanted.size) != 0)
            fail_msg("%.*s\n%.*s\n%.*s", (int)record.size, record.data, (int)cuts.length,
                     cuts.record, (int)wanted.size, wanted.data);
    }
    assert_true(quoted > 100);
    nd_record_cuts_free(&cuts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_json), cmocka_unit_test(test_changed),
                                       cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
