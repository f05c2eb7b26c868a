/* nd_substrings on random texts of few different words, against an oracle that compares every
 * window with all others. */
#include "neardup.h"

#include "own_directory.h"

#include <ctype.h>
#include <string.h>

enum { DOCUMENTS = 8, PIECES = 60, ROOM = 400, ROUNDS = 200, WORDS_MOST = 64 };

/* A symbol: a byte, or a word, and where it is in the text. */
typedef struct symbol {
    char name[ROOM];
    size_t begin, end;
} symbol;

typedef struct text {
    char bytes[ROOM]; /* what is left of it */
    size_t length;
    bool removed;
    symbol symbols[ROOM];
    size_t count;
    bool cut[ROOM]; /* by symbol */
} text;

typedef struct collection {
    text texts[DOCUMENTS];
    char whole[DOCUMENTS][ROOM];
    size_t lengths[DOCUMENTS], next;
    const nd_substrings_options *options;
    size_t stretches;
} collection;

/* ---- texts */

static void make_texts(collection *c, uint64_t *seed) {
    static const char *const pieces[] = {"a", "b", "ab", "a", "Q\"\\", "\xc3\xa4", "a\n", "b. "};
    static const char *const ends[] = {" ", " ", "", "\n", ", ", ". "};
    size_t kinds = 1 + random_below(seed, sizeof pieces / sizeof *pieces),
           gaps = 1 + random_below(seed, sizeof ends / sizeof *ends);
    for (size_t d = 0; d < DOCUMENTS; d++) {
        size_t count = random_below(seed, PIECES);
        char *to = c->whole[d];
        to[0] = '\0';
        for (size_t i = 0; i < count; i++) {
            strcat(to, pieces[random_below(seed, kinds)]);
            strcat(to, ends[random_below(seed, gaps)]);
        }
        if (d > 0 && random_below(seed, 3) == 0) strcpy(to, c->whole[random_below(seed, d)]);
        c->lengths[d] = strlen(to);
        strcpy(c->texts[d].bytes, to);
        c->texts[d].length = c->lengths[d];
        c->texts[d].removed = false;
    }
}

/* ---- the oracle */

static bool is_word_byte(char byte) { return isalnum((unsigned char)byte) || (byte & 0x80); }

/* Fills the symbols with the words of a text, in lower case. */
static size_t read_words(const char *bytes, size_t length, symbol *out) {
    size_t count = 0;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && is_word_byte(bytes[end])) end++;
        if (end > at) {
            symbol *s = &out[count++];
            *s = (symbol){.begin = at, .end = end};
            for (size_t i = at; i < end; i++) s->name[i - at] = (char)tolower(bytes[i]);
        }
        at = end > at ? end : at + 1;
    }
    return count;
}

static size_t read_bytes(const char *bytes, size_t length, symbol *out) {
    for (size_t i = 0; i < length; i++) out[i] = (symbol){{bytes[i]}, i, i + 1};
    return length;
}

static bool same_window(const text *a, size_t i, const text *b, size_t k, size_t least) {
    for (size_t n = 0; n < least; n++)
        if (strcmp(a->symbols[i + n].name, b->symbols[k + n].name) != 0) return false;
    return true;
}

/* Marks the symbols of a window that are cut, if it is not the first one of its kind. */
static void cut_window(collection *c, size_t d, size_t i, size_t least) {
    bool none = c->options->keep == ND_REPEATS_KEEP_NONE;
    text *own = &c->texts[d];
    for (size_t e = 0; e <= (none ? DOCUMENTS - 1 : d); e++) {
        const text *other = &c->texts[e];
        for (size_t k = 0; k + least <= other->count; k++) {
            if (e == d && k == i && none) continue;
            if (e == d && k == i) return;
            if (!same_window(own, i, other, k, least)) continue;
            size_t begin = !none && e == d && k + least > i ? k + least : i;
            for (size_t n = begin; n < i + least; n++) own->cut[n] = true;
            return;
        }
    }
}

typedef struct bounds {
    const text *text;
    symbol units[ROOM];
    size_t nexts[ROOM], count;
} bounds;

static bool take_sentence(void *context, size_t begin, size_t next) {
    bounds *b = context;
    size_t end = next;
    while (end > begin && isspace((unsigned char)b->text->bytes[end - 1])) end--;
    b->units[b->count] = (symbol){.begin = begin, .end = end};
    b->nexts[b->count++] = next;
    return true;
}

static void find_bounds(const text *t, nd_cut_at at, bounds *b) {
    b->text = t;
    b->count = 0;
    if (at == ND_CUT_AT_SENTENCES)
        assert_int_equal(nd_sentences(t->bytes, t->length, take_sentence, b, NULL), ND_OK);
    if (at == ND_CUT_AT_WORDS) b->count = read_words(t->bytes, t->length, b->units);
    for (size_t i = 0; i < b->count && at == ND_CUT_AT_WORDS; i++) b->nexts[i] = b->units[i].end;
    for (size_t i = 0; i < t->length && at <= ND_CUT_AT_LINES && at != ND_CUT_AT_WORDS;) {
        size_t end = i;
        while (at == ND_CUT_AT_LINES && end < t->length && t->bytes[end] != '\n') end++;
        size_t next = end + (end < t->length);
        while (at == ND_CUT_AT_CHARACTERS && (t->bytes[next] & 0xC0) == 0x80) next++;
        b->units[b->count] = (symbol){.begin = i, .end = at == ND_CUT_AT_LINES ? end : next};
        b->nexts[b->count++] = i = next;
    }
}

/* Cuts what is marked out of a text. */
static size_t cut_text(const collection *c, text *t) {
    static bounds b;
    static symbol words[ROOM];
    char left[ROOM];
    size_t length = 0, at = 0, found = 0, cut = 0;
    find_bounds(t, c->options->cut_at, &b);
    for (size_t i = 0, end; i < t->count; i = end + 1) {
        for (end = i; end < t->count && t->cut[end];) end++;
        size_t from = SIZE_MAX, to = 0;
        for (size_t u = 0; u < b.count && end > i; u++) {
            if (b.units[u].begin < t->symbols[i].begin || b.units[u].end > t->symbols[end - 1].end)
                continue;
            if (from == SIZE_MAX) from = b.units[u].begin;
            to = b.nexts[u];
        }
        if (from >= to) continue;
        found += read_words(t->bytes + at, from - at, words);
        memcpy(left + length, t->bytes + at, from - at);
        length += from - at;
        cut += to - from;
        at = to;
    }
    found += read_words(t->bytes + at, t->length - at, words);
    memcpy(left + length, t->bytes + at, t->length - at);
    length += t->length - at;
    bool drop = cut > 0 && found < c->options->drop_below;
    t->length = drop ? 0 : length;
    t->removed |= drop;
    memcpy(t->bytes, left, t->length);
    t->bytes[t->length] = '\0';
    return cut;
}

/* One pass. Returns the number of bytes that are cut. */
static size_t cut_texts(collection *c) {
    uint32_t tokens = c->options->least_tokens;
    size_t least = tokens ? tokens : c->options->least, cut = 0;
    for (size_t d = 0; d < DOCUMENTS; d++) {
        text *t = &c->texts[d];
        t->count = (tokens ? read_words : read_bytes)(t->bytes, t->length, t->symbols);
        memset(t->cut, 0, sizeof t->cut);
    }
    for (size_t d = 0; d < DOCUMENTS; d++)
        for (size_t i = 0; i + least <= c->texts[d].count; i++) cut_window(c, d, i, least);
    for (size_t d = 0; d < DOCUMENTS; d++) cut += cut_text(c, &c->texts[d]);
    return cut;
}

static void put_escaped(FILE *out, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        static const char escaped[] = "\n\"\\", letters[] = "n\"\\";
        const char *at = strchr(escaped, bytes[i]);
        if (at) fprintf(out, "\\%c", letters[at - escaped]);
        else putc(bytes[i], out);
    }
}

static size_t write_expected(collection *c, char *to, size_t size, size_t *passes) {
    FILE *out = fmemopen(to, size, "w");
    size_t cut = 0, more = 1;
    for (*passes = 0; more > 0 && (c->options->passes == 0 || *passes < c->options->passes);
         ++*passes)
        cut += more = cut_texts(c);
    for (size_t d = 0; d < DOCUMENTS; d++) {
        if (c->texts[d].removed) continue;
        fprintf(out, "{\"id\":\"%zu\",\"text\":\"", d + 1);
        put_escaped(out, c->texts[d].bytes, c->texts[d].length);
        fputs("\"}\n", out);
    }
    putc('\0', out);
    fclose(out);
    return cut;
}

/* ---- the job */

/* nd_record_fn */
static int next_text(void *context, nd_record *out) {
    collection *c = context;
    if (c->next == DOCUMENTS) return 0;
    out->text = c->whole[c->next];
    out->length = c->lengths[c->next++];
    return 1;
}

/* nd_cut_fn. In the first pass, the source has what the stretch has. */
static bool check_stretch(void *context, const nd_repeated_stretch *s) {
    collection *c = context;
    static symbol own[ROOM], other[ROOM];
    const char *bytes = c->whole[s->document] + s->begin, *source = c->whole[s->source];
    size_t length = (size_t)(s->end - s->begin), rest = c->lengths[s->source] - s->source_begin;
    if (!s->source_id) {
        assert_true(c->texts[s->document].removed && s->begin == 0 &&
                    s->end == c->lengths[s->document]);
        return true;
    }
    c->stretches++;
    assert_true(s->begin < s->end && s->end <= c->lengths[s->document]);
    assert_true(s->source_begin < c->lengths[s->source]);
    if (c->options->passes != 1) return true;
    if (c->options->least_tokens == 0) {
        assert_true(length <= rest);
        assert_memory_equal(bytes, source + s->source_begin, length);
        return true;
    }
    size_t words = read_words(bytes, length, own);
    assert_true(read_words(source + s->source_begin, rest, other) >= words);
    for (size_t i = 0; i < words; i++) assert_string_equal(own[i].name, other[i].name);
    return true;
}

static void check(collection *c, nd_substrings_options *o, const char *expected, size_t cut,
                  size_t passes) {
    static const uint32_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++) {
        char found[1 << 15] = "";
        nd_error error;
        nd_input_options input;
        nd_resources resources;
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_input_options_init(&input, sizeof input);
        nd_resources_init(&resources, sizeof resources);
        input.records = next_text;
        input.records_context = c;
        resources.threads = threads[t];
        o->input = &input;
        o->resources = &resources;
        o->output = "output";
        c->next = 0;
        c->stretches = 0;
        if (nd_substrings(o, check_stretch, c, &summary, &error) != ND_OK)
            fail_msg("%s", error.message);
        FILE *file = fopen("output", "r");
        found[fread(found, 1, sizeof found - 1, file)] = '\0';
        fclose(file);
        unlink("output");
        assert_string_equal(found, expected);
        assert_int_equal(summary.repeated_bytes, cut);
        assert_int_equal(summary.passes, passes);
        assert_int_equal(summary.pairs, c->stretches);
    }
}

static void test_random(void **state) {
    (void)state;
    static collection c;
    uint64_t seed = 7;
    size_t all = 0, more = 0;
    for (unsigned round = 0; round < test_rounds(ROUNDS); round++) {
        static char expected[1 << 15];
        nd_substrings_options o;
        size_t passes;
        nd_substrings_options_init(&o, sizeof o);
        if (random_below(&seed, 2)) o.least_tokens = 4 + (uint32_t)random_below(&seed, 4);
        else o.least = 16 + (uint32_t)random_below(&seed, 10);
        o.keep = (nd_repeats_kept)random_below(&seed, 2);
        o.cut_at = (nd_cut_at)random_below(&seed, 4);
        o.drop_below = (uint32_t)random_below(&seed, 4);
        o.passes = (uint32_t)random_below(&seed, 4);
        c.options = &o;
        make_texts(&c, &seed);
        size_t cut = write_expected(&c, expected, sizeof expected, &passes);
        check(&c, &o, expected, cut, passes);
        all += cut;
        more += passes > 2;
    }
    assert_true(all > ROUNDS && more > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
