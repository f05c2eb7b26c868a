/* nd_lines on random texts of few different lines, against an oracle that compares every unit with
 * all others. */
#include "neardup.h"

#include "own_directory.h"

#include <ctype.h>
#include <string.h>

enum { DOCUMENTS = 12, PIECES = 14, ROOM = 600, UNITS = 400, ROUNDS = 150, OUTPUT_ROOM = 1 << 15 };

typedef struct unit {
    size_t document, begin, end, next;
    char key[ROOM]; /* what is compared */
    size_t words;
    bool cut;
} unit;

typedef struct collection {
    char texts[DOCUMENTS][ROOM];
    size_t lengths[DOCUMENTS], next, end; /* the next text of the input, and its end */
    unit units[UNITS];
    size_t count;
    bool dropped[DOCUMENTS];
} collection;

/* ---- texts */

static void make_texts(collection *c, uint64_t *seed) {
    static const char *const pieces[] = {
        "a b c", "A, b. C!", "x y z w", "",       "a",      " ",
        "\t",    "b a",      "a  b c",  "Go on.", "a b c ", "\xe4\xb8\xad\xe6\x96\x87",
        "q\"\\"};
    static const char *const ends[] = {"\n", "\n", "\r\n", "\n\n", " ", ". "};
    for (size_t d = 0; d < DOCUMENTS; d++) {
        size_t count = random_below(seed, PIECES);
        c->texts[d][0] = '\0';
        for (size_t i = 0; i < count; i++) {
            strcat(c->texts[d], pieces[random_below(seed, sizeof pieces / sizeof *pieces)]);
            if (i + 1 < count || random_below(seed, 2))
                strcat(c->texts[d], ends[random_below(seed, sizeof ends / sizeof *ends)]);
        }
        c->lengths[d] = strlen(c->texts[d]);
    }
}

/* ---- the oracle */

static void add_unit(collection *c, size_t document, size_t begin, size_t end, size_t next) {
    assert_true(c->count < UNITS);
    c->units[c->count++] = (unit){.document = document, .begin = begin, .end = end, .next = next};
}

static bool is_blank(const char *text, size_t begin, size_t end) {
    while (begin < end && strchr(" \t\r", text[begin])) begin++;
    return begin == end;
}

static void find_lines(collection *c, size_t d, bool paragraphs) {
    const char *text = c->texts[d];
    bool open = false;
    size_t first = c->count;
    for (size_t at = 0; at < c->lengths[d];) {
        size_t end = at;
        while (end < c->lengths[d] && text[end] != '\n') end++;
        size_t next = end + (end < c->lengths[d]), begin = at;
        if (end > begin && text[end - 1] == '\r') end--;
        at = next;
        bool blank = paragraphs && is_blank(text, begin, end);
        if (paragraphs && c->count > first && (blank || open)) {
            unit *last = &c->units[c->count - 1];
            last->next = next;
            if (!blank) last->end = end;
        } else if (!blank) add_unit(c, d, begin, end, next);
        open = !blank;
    }
}

typedef struct sentences {
    collection *c;
    size_t document;
} sentences;

static bool take_sentence(void *context, size_t begin, size_t next) {
    sentences *s = context;
    size_t end = next;
    while (end > begin && isspace((unsigned char)s->c->texts[s->document][end - 1])) end--;
    add_unit(s->c, s->document, begin, end, next);
    return true;
}

/* Counts words, and writes them in lower case. */
static size_t read_words(const char *text, size_t begin, size_t end, char *out) {
    size_t words = 0;
    bool in_word = false;
    for (size_t i = begin; i < end; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool han = byte >= 0xE0, rest = byte >= 0x80 && byte < 0xC0;
        if (isalnum(byte) || han || rest) {
            if (!rest && (han || !in_word)) *out++ = ' ', words++;
            in_word = !han && !rest;
            *out++ = (char)tolower(byte);
        } else in_word = false;
    }
    *out = '\0';
    return words;
}

static void find_units(collection *c, const nd_lines_options *o) {
    char words[2 * ROOM];
    c->count = 0;
    for (size_t d = 0; d < DOCUMENTS; d++) {
        sentences s = {c, d};
        if (o->unit != ND_UNIT_SENTENCE) find_lines(c, d, o->unit == ND_UNIT_PARAGRAPH);
        else
            assert_int_equal(nd_sentences(c->texts[d], c->lengths[d], take_sentence, &s, NULL),
                             ND_OK);
    }
    for (size_t i = 0; i < c->count; i++) {
        unit *u = &c->units[i];
        u->words = read_words(c->texts[u->document], u->begin, u->end, words);
        if (o->same == ND_UNITS_BY_WORDS) strcpy(u->key, words);
        else sprintf(u->key, "%.*s", (int)(u->end - u->begin), c->texts[u->document] + u->begin);
    }
}

/* Whether unit i is cut. */
static bool is_cut(const collection *c, const nd_lines_options *o, size_t i) {
    size_t first = SIZE_MAX, documents = 0, last = SIZE_MAX;
    if (c->units[i].words < o->min_words) return false;
    for (size_t k = 0; k < c->count; k++) {
        if (strcmp(c->units[k].key, c->units[i].key) != 0) continue;
        if (first == SIZE_MAX) first = k;
        documents += c->units[k].document != last;
        last = c->units[k].document;
    }
    if (o->keep == ND_REPEATS_KEEP_NONE) return documents > o->more_than;
    return first != i && !(o->across && c->units[first].document == c->units[i].document);
}

static void put_escaped(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        static const char escaped[] = "\n\r\t\"\\", letters[] = "nrt\"\\";
        const char *at = strchr(escaped, text[i]);
        if (at) fprintf(out, "\\%c", letters[at - escaped]);
        else putc(text[i], out);
    }
}

/* Writes what is left of a document, if it is enough. */
static void write_document(collection *c, const nd_lines_options *o, size_t d, FILE *out) {
    char left[ROOM], words[2 * ROOM];
    size_t length = 0, at = 0, found = 0;
    bool cut = false;
    for (size_t i = 0; i < c->count; i++) {
        const unit *u = &c->units[i];
        if (u->document != d || !u->cut) continue;
        memcpy(left + length, c->texts[d] + at, u->begin - at);
        length += u->begin - at;
        found += read_words(c->texts[d], at, u->begin, words);
        at = u->next;
        cut = true;
    }
    memcpy(left + length, c->texts[d] + at, c->lengths[d] - at);
    length += c->lengths[d] - at;
    found += read_words(c->texts[d], at, c->lengths[d], words);
    c->dropped[d] = cut && found < o->drop_below;
    if (c->dropped[d]) return;
    fprintf(out, "{\"id\":\"%zu\",\"text\":\"", d + 1);
    put_escaped(out, left, length);
    fputs("\"}\n", out);
}

static size_t write_expected(collection *c, const nd_lines_options *o, char *to, size_t size) {
    FILE *out = fmemopen(to, size, "w");
    size_t cut = 0;
    find_units(c, o);
    for (size_t i = 0; i < c->count; i++) cut += c->units[i].cut = is_cut(c, o, i);
    for (size_t d = 0; d < DOCUMENTS; d++) write_document(c, o, d, out);
    putc('\0', out);
    fclose(out);
    return cut;
}

/* Writes what is reported: document, begin and end, and the document and begin of the first equal
 * unit, of the first one of the second; of a document that is left out its text. */
static void write_cuts(const collection *c, char *to, size_t size) {
    FILE *out = fmemopen(to, size, "w");
    for (size_t d = 0; d < DOCUMENTS; d++) {
        for (size_t i = 0; i < c->count; i++) {
            const unit *u = &c->units[i], *first = c->units;
            if (u->document != d || !u->cut) continue;
            while (first == u || strcmp(first->key, u->key) != 0) first++;
            fprintf(out, "%zu %zu %zu %zu %zu\n", d, u->begin, u->next, first->document,
                    first->begin);
        }
        if (c->dropped[d]) fprintf(out, "%zu 0 %zu\n", d, c->lengths[d]);
    }
    putc('\0', out);
    fclose(out);
}

/* ---- the job */

/* nd_record_fn */
static int next_text(void *context, nd_record *out) {
    static char id[8];
    collection *c = context;
    if (c->next == c->end) return 0;
    out->text = c->texts[c->next];
    out->length = c->lengths[c->next++];
    out->id_length = (size_t)sprintf(id, "%zu", c->next);
    out->id = id;
    return 1;
}

/* Runs over the texts [begin, end), and writes what is left of them behind *size bytes. Returns how
 * many units are cut. */
static uint64_t run(collection *c, nd_lines_options *o, size_t begin, size_t end, uint32_t threads,
                    char *found, size_t *size) {
    nd_error error;
    nd_input_options input;
    nd_resources resources;
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    input.records = next_text;
    input.records_context = c;
    resources.threads = threads;
    o->input = &input;
    o->resources = &resources;
    o->output = "output";
    c->next = begin;
    c->end = end;
    if (nd_lines(o, &summary, &error) != ND_OK) fail_msg("%s", error.message);
    FILE *file = fopen("output", "r");
    *size += fread(found + *size, 1, OUTPUT_ROOM - 1 - *size, file);
    found[*size] = '\0';
    fclose(file);
    unlink("output");
    return summary.units_cut;
}

/* nd_cut_fn: writes the cut into the file `context`. */
static bool take_cut(void *context, const nd_repeated_stretch *s) {
    unsigned long long document = s->document, begin = s->begin, end = s->end, source = s->source,
                       source_begin = s->source_begin;
    assert_int_equal(s->line, document + 1);
    fprintf(context, "%llu %llu %llu", document, begin, end);
    if (s->source_id) {
        fprintf(context, " %llu %llu", source, source_begin);
        assert_int_equal(s->source_line, source + 1);
    }
    putc('\n', context);
    return true;
}

static void check(collection *c, nd_lines_options *o, const char *expected, size_t cut) {
    static const uint32_t threads[] = {1, 2, 7};
    static char found[OUTPUT_ROOM], cuts[OUTPUT_ROOM];
    write_cuts(c, cuts, sizeof cuts);
    for (size_t t = 0; t < 3; t++) {
        char *found_cuts = NULL;
        size_t size = 0, cut_size;
        FILE *cut_file = open_memstream(&found_cuts, &cut_size);
        o->on_cut = take_cut;
        o->context = cut_file;
        assert_int_equal(run(c, o, 0, DOCUMENTS, threads[t], found, &size), cut);
        assert_string_equal(found, expected);
        fclose(cut_file);
        assert_string_equal(found_cuts, cuts);
        free(found_cuts);
    }
}

/* Several runs with an index over pieces of the texts leave what one run over all leaves. */
static void check_pieces(collection *c, nd_lines_options *o, const char *expected, size_t cut,
                         uint64_t *seed) {
    static char found[OUTPUT_ROOM];
    size_t size = 0, cuts = 0;
    o->on_cut = NULL;
    o->index = "index";
    for (size_t begin = 0, end; begin < DOCUMENTS; begin = end) {
        end = begin + 1 + random_below(seed, DOCUMENTS - begin);
        cuts += run(c, o, begin, end, 1 + (uint32_t)random_below(seed, 4), found, &size);
    }
    assert_string_equal(found, expected);
    assert_int_equal(cuts, cut);
    /* Now no unit is new. */
    size = 0;
    o->across = false;
    size_t compared = 0;
    for (size_t i = 0; i < c->count; i++) compared += c->units[i].words >= o->min_words;
    assert_int_equal(run(c, o, 0, DOCUMENTS, 1, found, &size), compared);
    remove_directory("index");
}

static void test_random(void **state) {
    (void)state;
    static collection c;
    uint64_t seed = 5;
    size_t all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        static char expected[OUTPUT_ROOM];
        nd_lines_options o;
        nd_lines_options_init(&o, sizeof o);
        o.unit = (nd_text_unit_kind)random_below(&seed, 3);
        o.same = (nd_units_same)random_below(&seed, 2);
        o.keep = (nd_repeats_kept)random_below(&seed, 2);
        o.min_words = 1 + (uint32_t)random_below(&seed, 3);
        o.drop_below = (uint32_t)random_below(&seed, 3);
        if (o.keep == ND_REPEATS_KEEP_NONE) o.more_than = 1 + random_below(&seed, 4);
        else o.across = random_below(&seed, 2);
        make_texts(&c, &seed);
        size_t cut = write_expected(&c, &o, expected, sizeof expected);
        check(&c, &o, expected, cut);
        if (o.keep == ND_REPEATS_KEEP_FIRST) check_pieces(&c, &o, expected, cut, &seed);
        all += cut;
    }
    assert_true(all > ROUNDS);
}

/* nd_cut_fn */
static bool stop(void *context, const nd_repeated_stretch *s) {
    (void)s;
    return --*(int *)context > 0;
}

static void test_stopped(void **state) {
    (void)state;
    static const char text[] = "a b c\na b c\na b c\na b c\n";
    for (int calls = 1; calls <= 4; calls++) {
        static collection c;
        int left = calls;
        nd_error error;
        nd_input_options input;
        nd_lines_options o;
        nd_input_options_init(&input, sizeof input);
        nd_lines_options_init(&o, sizeof o);
        input.records = next_text;
        input.records_context = &c;
        c.next = DOCUMENTS - 1;
        c.end = DOCUMENTS;
        strcpy(c.texts[c.next], text);
        c.lengths[c.next] = sizeof text - 1;
        o.input = &input;
        o.output = "output";
        o.on_cut = stop;
        o.context = &left;
        assert_int_equal(nd_lines(&o, NULL, &error), calls < 4 ? ND_ERR_CANCELLED : ND_OK);
        assert_int_equal(unlink("output"), calls < 4 ? -1 : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_stopped)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
