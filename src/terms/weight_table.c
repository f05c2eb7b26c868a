/* A table of words and their weights, read from a text file line by line into an open-addressing
 * table from feature to weight. word_entry.h decides whether a term is one word. */
#include "terms/weight_table.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/options.h"
#include "base/decimal.h"
#include "base/fixed_log.h"
#include "base/floats.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/status.h"
#include "io/line_in.h"
#include "text/analyzer.h"
#include "text/word_entry.h"

#include <string.h>

enum { FIRST_SLOTS = ND_LIMIT(1024, 4) };

/* Bytes of a language's name, with its NUL, at most. */
enum { LANGUAGE_SIZE = 40 };

/* A table may be counted from so many documents at most. */
#define MOST_DOCUMENTS (UINT64_C(1) << 62)

#define EMPTY UINT32_MAX

typedef struct slot {
    uint64_t feature;
    uint32_t units; /* EMPTY: free */
    uint32_t line;  /* where it was read, for the message about a second weight */
} slot;

struct nd_weights {
    nd_allocator allocator;
    slot
        *slots; /* indexed by the feature's top bits, linear probing; at most three quarters full */
    unsigned shift;
    size_t slot_count;
    uint64_t seed, words, segments, left_out, documents;
    uint32_t absent;          /* weight of a word that the table does not have, in units */
    bool counted;             /* the file states the number of documents and each word's df */
    bool segmented;           /* counted with ND_SEGMENT */
    char stem[LANGUAGE_SIZE]; /* language of the stems; "": the words are not stems */
};

uint32_t nd_idf_units(uint64_t documents, uint64_t df) {
    uint64_t log = nd_fixed_log(documents + 1) - nd_fixed_log(df + 1);
    enum { SHIFT = ND_FIXED_LOG_BITS - 12 };
    _Static_assert(ND_WEIGHT_UNITS == 1 << 12, "a logarithm shifted by SHIFT is in units");
    return (uint32_t)((log + (UINT64_C(1) << (SHIFT - 1))) >> SHIFT);
}

/* ---- looking up */

/* Returns the feature's slot, or the free slot where it would be stored. */
static inline slot *find(const nd_weights *w, uint64_t feature) {
    size_t at = (size_t)(feature >> w->shift);
    while (w->slots[at].units != EMPTY && w->slots[at].feature != feature)
        at = (at + 1) & (w->slot_count - 1);
    return &w->slots[at];
}

static inline double weight_of(const nd_weights *w, uint64_t feature) {
    uint32_t units = find(w, feature)->units;
    return (double)(units == EMPTY ? w->absent : units) / ND_WEIGHT_UNITS;
}

double nd_weights_of(const nd_weights *weights, uint64_t feature) {
    return weight_of(weights, feature);
}

void nd_weights_fill(const nd_weights *weights, const uint64_t *features, size_t count,
                     double *out) {
    enum { AHEAD = 8 };
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&weights->slots[features[i + AHEAD] >> weights->shift]);
        out[i] = weight_of(weights, features[i]);
    }
}

nd_status nd_weights_describe(const nd_weights *weights, nd_weights_info *out, nd_error *error) {
    ND_TRY(nd_need(weights, "weights", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_results_check(out, sizeof *out, "nd_weights_info", error));
    const nd_weights_info made = {
        .words = weights->words,
        .segments = weights->segments,
        .left_out = weights->left_out,
        .documents = weights->documents,
        .seed = weights->seed,
        .absent = (double)weights->absent / ND_WEIGHT_UNITS,
        .stem = weights->stem[0] ? weights->stem : NULL,
        .segmented = weights->segmented,
    };
    nd_results_write(out, &made, sizeof made);
    return ND_OK;
}

uint64_t nd_weights_hash(const nd_weights *w) {
    uint64_t sum = nd_mix64(w->absent + ND_HASH_C3);
    for (size_t i = 0; i < w->slot_count; i++)
        if (w->slots[i].units != EMPTY)
            sum += nd_mix64(w->slots[i].feature ^ nd_mix64(w->slots[i].units));
    return sum ? sum : 1;
}

nd_status nd_weights_check(const nd_weights *weights, const nd_analyzer_options *analyzer,
                           nd_error *error) {
    ND_TRY(nd_analyzer_options_check_single_words(analyzer, "the words of a table", error));
    if (weights->seed != analyzer->seed)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "the table was read for seed %llu, and the analyzer has %llu",
                       (unsigned long long)weights->seed, (unsigned long long)analyzer->seed);
    if (weights->counted && weights->segmented != (analyzer->kind == ND_SEGMENT))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "the table was counted with the analyzer %s, and is used with %s: a table's "
                       "words must be those of the texts",
                       nd_analyzer_name(weights->segmented ? ND_SEGMENT : ND_WORDS),
                       nd_analyzer_name(analyzer->kind));
    const char *stem = analyzer->stem ? analyzer->stem : "";
    if (!weights->counted || strcmp(weights->stem, stem) == 0) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "the table was counted with %s%s, and is used with %s%s: a table's stems must "
                   "be those of the texts",
                   weights->stem[0] ? "stem " : "no stem", weights->stem,
                   stem[0] ? "stem " : "no stem", stem);
}

void nd_weights_free(nd_weights *weights) {
    if (!weights) return;
    nd_allocator allocator = weights->allocator;
    nd_release(&allocator, weights->slots);
    nd_release(&allocator, weights);
}

/* ---- adding */

static nd_status set_slots(nd_weights *w, size_t count, nd_error *error) {
    slot *old = w->slots;
    size_t old_count = w->slot_count;
    slot *slots = nd_allocate(&w->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "weights");
    for (size_t i = 0; i < count; i++) slots[i].units = EMPTY;
    w->slots = slots;
    w->slot_count = count;
    w->shift = 64 - (unsigned)__builtin_ctzll(count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].units != EMPTY) *find(w, old[i].feature) = old[i];
    nd_release(&w->allocator, old);
    return ND_OK;
}

/* ---- reading */

typedef struct table_reader {
    const char *name; /* for messages */
    nd_weights *weights;
    nd_line_in lines;
    nd_word_entry entry;
    uint32_t heaviest; /* largest weight of all lines, in units */
    uint64_t lines_read;
} table_reader;

static nd_status fail_line(const table_reader *r, nd_error *error, const char *expected,
                           const char *found, size_t length) {
    return nd_fail(error, ND_ERR_INPUT, "%s:%llu: %s expected, not '%.*s'", r->name,
                   (unsigned long long)r->lines.number, expected,
                   nd_shown_length(found, length, ND_SHOWN_TERM), found);
}

static nd_status add_term(table_reader *r, const char *term, size_t length, uint32_t units,
                          nd_error *error) {
    nd_weights *w = r->weights;
    nd_word_kind kind;
    uint64_t feature;
    nd_error inner;
    if (units > r->heaviest) r->heaviest = units;
    nd_status status = nd_word_entry_parse(&r->entry, term, length, &kind, &feature, &inner);
    if (status == ND_ERR_INPUT)
        return nd_fail(error, status, "%s:%llu: %s", r->name, (unsigned long long)r->lines.number,
                       inner.message);
    if (status != ND_OK) return nd_fail(error, status, "%s", inner.message);
    if (kind == ND_NO_WORD) {
        w->left_out++;
        return ND_OK;
    }
    if (w->words + w->segments >= w->slot_count - w->slot_count / 4)
        ND_TRY(set_slots(w, 2 * w->slot_count, error));
    slot *s = find(w, feature);
    if (s->units != EMPTY) {
        return nd_fail(error, ND_ERR_INPUT,
                       "%s:%llu: '%.*s' has a weight already, in line %u; case makes no difference",
                       r->name, (unsigned long long)r->lines.number,
                       nd_shown_length(term, length, ND_SHOWN_TERM), term, (unsigned)s->line);
    }
    *s = (slot){feature, units,
                r->lines.number < UINT32_MAX ? (uint32_t)r->lines.number : UINT32_MAX};
    w->words += kind == ND_ONE_WORD;
    w->segments += kind == ND_SEGMENT_WORD;
    return ND_OK;
}

static nd_status read_weight(const table_reader *r, const char *text, size_t length,
                             uint32_t *units, nd_error *error) {
    if (nd_decimal_read(text, length, ND_WEIGHT_MOST_UNITS, units)) return ND_OK;
    return fail_line(r, error, "a weight from 0 to 262144", text, length);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Returns the last `c` of a line; NULL: it has none. */
static const char *last_of(const char *line, size_t length, char c) {
    while (length > 0 && line[length - 1] != c) length--;
    return length > 0 ? line + length - 1 : NULL;
}

/* Reads a line "word, tab or blank, weight". It is cut at its last tab, or at its last blank if it
 * has no tab. */
static nd_status read_pair(table_reader *r, const char *line, size_t length, nd_error *error) {
    for (; length > 0 && is_blank(line[0]); length--) line++;
    while (length > 0 && is_blank(line[length - 1])) length--;
    const char *cut = last_of(line, length, '\t');
    if (!cut) cut = last_of(line, length, ' ');
    if (!cut) return fail_line(r, error, "a word, a tab or a blank, and its weight", line, length);
    const char *number = cut + 1, *end = line + length;
    while (is_blank(*number)) number++;
    while (is_blank(cut[-1])) cut--;
    uint32_t units;
    ND_TRY(read_weight(r, number, (size_t)(end - number), &units, error));
    return add_term(r, line, (size_t)(cut - line), units, error);
}

/* Reads a line "term, tab, df, tab, idf". */
static nd_status read_counted(table_reader *r, const char *line, size_t length, nd_error *error) {
    static const char expected[] = "term, df and idf, with tabs between them,";
    const char *end = line + length, *first = memchr(line, '\t', length);
    const char *second = first ? memchr(first + 1, '\t', (size_t)(end - first - 1)) : NULL;
    if (!second || first == line || memchr(second + 1, '\t', (size_t)(end - second - 1)))
        return fail_line(r, error, expected, line, length);
    uint64_t df;
    size_t df_length = (size_t)(second - first - 1);
    if (!nd_whole_number_read(first + 1, df_length, r->weights->documents, &df) || df == 0)
        return fail_line(r, error, "a df from 1 to the number of documents", first + 1, df_length);
    uint32_t units;
    ND_TRY(read_weight(r, second + 1, (size_t)(end - second - 1), &units, error));
    return add_term(r, line, (size_t)(first - line), units, error);
}

static const char counted_title[] = "# documents: ", stem_title[] = "# stem: ",
                  segment_line[] = "# analyzer: segment", counted_header[] = "term\tdf\tidf";

static bool begins(const char *line, size_t length, const char *title) {
    return length >= strlen(title) && memcmp(line, title, strlen(title)) == 0;
}

/* Reads the language of the stems. */
static nd_status read_stem(table_reader *r, const char *line, size_t length, nd_error *error) {
    line += strlen(stem_title);
    length -= strlen(stem_title);
    if (length == 0 || length >= LANGUAGE_SIZE || memchr(line, 0, length))
        return fail_line(r, error, "the language of the stems", line, length);
    memcpy(r->weights->stem, line, length);
    return ND_OK;
}

static bool is(const char *line, size_t length, const char *expected) {
    return length == strlen(expected) && memcmp(line, expected, length) == 0;
}

/* Reads the head of a counted table: two to four lines, of which `line` is the first. */
static nd_status read_head(table_reader *r, const char *line, size_t length, nd_error *error) {
    nd_weights *w = r->weights;
    size_t title = strlen(counted_title);
    w->counted = true;
    if (!nd_whole_number_read(line + title, length - title, MOST_DOCUMENTS, &w->documents))
        return fail_line(r, error, "the number of documents", line + title, length - title);
    w->absent = nd_idf_units(w->documents, 0);
    ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
    if (line && begins(line, length, stem_title)) {
        ND_TRY(read_stem(r, line, length, error));
        ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
    }
    if (line && is(line, length, segment_line)) {
        w->segmented = true;
        ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
    }
    if (line && is(line, length, counted_header)) return ND_OK;
    return nd_fail(error, ND_ERR_INPUT, "%s:%d: the header 'term<tab>df<tab>idf' expected", r->name,
                   2 + (w->stem[0] != 0) + w->segmented);
}

static nd_status read_lines(table_reader *r, nd_error *error) {
    const char *line;
    size_t length;
    bool begun = false;
    for (;;) {
        ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
        if (!line) break;
        if (!begun && begins(line, length, counted_title)) {
            begun = true;
            ND_TRY(read_head(r, line, length, error));
            continue;
        }
        begun = true;
        if (length == 0) continue;
        ND_TRY(r->weights->counted ? read_counted(r, line, length, error)
                                   : read_pair(r, line, length, error));
        r->lines_read++;
    }
    if (r->weights->counted) return ND_OK;
    if (r->lines_read == 0)
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: a table of words and weights expected, and there is no line", r->name);
    r->weights->absent = r->heaviest;
    return ND_OK;
}

static nd_status read_table(nd_weights *w, const char *path, nd_error *error) {
    table_reader r = {.name = strcmp(path, "-") == 0 ? "standard input" : path, .weights = w};
    nd_stream_in *stream = NULL;
    nd_word_entry_init(&r.entry, w->seed, &w->allocator);
    nd_status status = set_slots(w, FIRST_SLOTS, error);
    if (status == ND_OK)
        status = nd_stream_in_open(path, &(nd_stream_in_options){.allocator = &w->allocator},
                                   &stream, error);
    if (status == ND_OK) {
        nd_line_in_open(&r.lines, stream, &w->allocator);
        status = read_lines(&r, error);
        nd_line_in_close(&r.lines);
    }
    nd_stream_in_close(stream);
    nd_word_entry_free(&r.entry);
    return status;
}

nd_status nd_weights_read(const char *path, uint64_t seed, const nd_allocator *allocator,
                          nd_weights **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(path, "path", error));
    ND_TRY(nd_need(out, "out", error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_weights *weights = nd_allocate_zero(&memory, 1, sizeof *weights);
    if (!weights) return nd_fail_memory(error, sizeof *weights, "weights");
    weights->allocator = memory;
    weights->seed = seed;
    nd_status status = read_table(weights, path, error);
    if (status != ND_OK) {
        nd_weights_free(weights);
        return status;
    }
    *out = weights;
    return ND_OK;
}
