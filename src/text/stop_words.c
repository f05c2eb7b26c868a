/* A list of words, as the set of their features in an open-addressing table; a slot that is 0 is
 * free. */
#include "text/stop_words.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/status.h"
#include "io/file.h"
#include "io/line_in.h"
#include "text/analyzer.h"
#include "text/stemmer.h"
#include "text/word_entry.h"

#include <string.h>

enum { FIRST_SLOTS = ND_LIMIT(1024, 4) };

struct nd_stop_words {
    nd_allocator allocator;
    char *name;      /* for messages */
    uint64_t *slots; /* indexed by the feature's top bits, linear probing; at most half full */
    unsigned shift;
    size_t slot_count, count;
    bool has_zero; /* whether the feature 0, which no slot can hold, is in the set */
    uint64_t seed;
    const char *stem;      /* libstemmer's own name of the language; NULL: no stems */
    uint64_t segment_line; /* the first line with a word that only ND_SEGMENT produces; 0: none */
};

/* ---- the set */

static inline uint64_t *find(const nd_stop_words *stop, uint64_t feature) {
    size_t at = (size_t)(feature >> stop->shift);
    while (stop->slots[at] != 0 && stop->slots[at] != feature)
        at = (at + 1) & (stop->slot_count - 1);
    return &stop->slots[at];
}

static inline bool has(const nd_stop_words *stop, uint64_t feature) {
    return feature ? *find(stop, feature) == feature : stop->has_zero;
}

bool nd_stop_words_has(const nd_stop_words *stop, uint64_t feature) { return has(stop, feature); }

size_t nd_stop_words_remove(const nd_stop_words *stop, uint64_t *features, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t feature = features[i];
        features[kept] = feature;
        kept += !has(stop, feature);
    }
    return kept;
}

static nd_status set_slots(nd_stop_words *stop, size_t count, nd_error *error) {
    uint64_t *old = stop->slots;
    size_t old_count = stop->slot_count;
    uint64_t *slots = nd_allocate_zero(&stop->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "stop words");
    stop->slots = slots;
    stop->slot_count = count;
    stop->shift = 64 - (unsigned)__builtin_ctzll(count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i] != 0) *find(stop, old[i]) = old[i];
    nd_release(&stop->allocator, old);
    return ND_OK;
}

static nd_status add(nd_stop_words *stop, uint64_t feature, nd_error *error) {
    if (has(stop, feature)) return ND_OK;
    stop->count++;
    stop->has_zero |= feature == 0;
    if (feature == 0) return ND_OK;
    if (stop->count > stop->slot_count / 2) ND_TRY(set_slots(stop, 2 * stop->slot_count, error));
    *find(stop, feature) = feature;
    return ND_OK;
}

uint64_t nd_stop_words_hash(const nd_stop_words *stop) {
    uint64_t sum = stop->has_zero ? nd_mix64(ND_HASH_C3) : 0;
    for (size_t i = 0; i < stop->slot_count; i++)
        if (stop->slots[i] != 0) sum += nd_mix64(stop->slots[i] ^ ND_HASH_C3);
    return sum ? sum : 1;
}

nd_status nd_stop_words_check(const nd_stop_words *stop, const nd_analyzer_options *analyzer,
                              nd_error *error) {
    ND_TRY(nd_analyzer_options_check_single_words(analyzer, "stop words", error));
    if (stop->segment_line && analyzer->kind != ND_SEGMENT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s:%llu: one word expected, and for the analyzer %s these are several: it "
                       "needs segment",
                       stop->name, (unsigned long long)stop->segment_line,
                       nd_analyzer_name(analyzer->kind));
    if (stop->seed != analyzer->seed)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "the stop words were read for seed %llu, and the analyzer has %llu",
                       (unsigned long long)stop->seed, (unsigned long long)analyzer->seed);
    const char *read = stop->stem ? stop->stem : "", *used = analyzer->stem ? analyzer->stem : "";
    if (strcmp(read, used) == 0) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "the stop words were read with %s%s, and the analyzer has %s%s",
                   read[0] ? "stem " : "no stem", read, used[0] ? "stem " : "no stem", used);
}

void nd_stop_words_free(nd_stop_words *stop) {
    if (!stop) return;
    nd_allocator allocator = stop->allocator;
    nd_release(&allocator, stop->name);
    nd_release(&allocator, stop->slots);
    nd_release(&allocator, stop);
}

/* ---- reading */

typedef struct list_reader {
    nd_stop_words *stop;
    nd_line_in lines;
    nd_word_entry entry;
    nd_stemmer *stemmer; /* NULL: none */
} list_reader;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Adds the word's stem, and the word itself, since in a list made of stems the word is one. */
static nd_status add_word(list_reader *r, uint64_t feature, nd_error *error) {
    ND_TRY(add(r->stop, feature, error));
    if (!r->stemmer) return ND_OK;
    const char *stem;
    size_t length;
    ND_TRY(nd_stemmer_stem(r->stemmer, r->entry.folded.bytes, r->entry.folded.length, &stem,
                           &length, error));
    return add(r->stop, nd_mix64(nd_hash_token(&r->entry.key, stem, length)), error);
}

static nd_status read_line(list_reader *r, const char *line, size_t length, nd_error *error) {
    for (; length > 0 && is_blank(line[0]); length--) line++;
    while (length > 0 && is_blank(line[length - 1])) length--;
    if (length == 0 || line[0] == '#') return ND_OK;
    nd_word_kind kind;
    uint64_t feature;
    nd_error inner;
    unsigned long long number = r->lines.number;
    nd_status status = nd_word_entry_parse(&r->entry, line, length, &kind, &feature, &inner);
    if (status == ND_ERR_INPUT)
        return nd_fail(error, status, "%s:%llu: %s", r->stop->name, number, inner.message);
    if (status != ND_OK) return nd_fail(error, status, "%s", inner.message);
    if (kind == ND_SEGMENT_WORD && r->stop->segment_line == 0) r->stop->segment_line = number;
    if (kind != ND_NO_WORD) return add_word(r, feature, error);
    return nd_fail(error, ND_ERR_INPUT, "%s:%llu: one word expected, not '%.*s'", r->stop->name,
                   number, nd_shown_length(line, length, ND_SHOWN_TERM), line);
}

static nd_status read_lines(list_reader *r, nd_error *error) {
    const char *line;
    size_t length;
    for (;;) {
        ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
        if (!line) return ND_OK;
        ND_TRY(read_line(r, line, length, error));
    }
}

static nd_status read_list(nd_stop_words *stop, const char *path, nd_error *error) {
    list_reader r = {.stop = stop};
    nd_stream_in *stream = NULL;
    stop->name = nd_string_join(&stop->allocator, strcmp(path, "-") == 0 ? "standard input" : path,
                                "", "");
    if (!stop->name) return nd_fail_memory(error, strlen(path), "stop words");
    nd_word_entry_init(&r.entry, stop->seed, &stop->allocator);
    nd_status status = stop->stem
                           ? nd_stemmer_create(stop->stem, &stop->allocator, &r.stemmer, error)
                           : ND_OK;
    if (status == ND_OK) status = set_slots(stop, FIRST_SLOTS, error);
    if (status == ND_OK)
        status = nd_stream_in_open(path, &(nd_stream_in_options){.allocator = &stop->allocator},
                                   &stream, error);
    if (status == ND_OK) {
        nd_line_in_open(&r.lines, stream, &stop->allocator);
        status = read_lines(&r, error);
        nd_line_in_close(&r.lines);
    }
    nd_stream_in_close(stream);
    nd_stemmer_free(r.stemmer);
    nd_word_entry_free(&r.entry);
    return status;
}

nd_status nd_stop_words_read(const char *path, uint64_t seed, const char *stem,
                             const nd_allocator *allocator, nd_stop_words **out, nd_error *error) {
    ND_TRY(nd_need(path, "path", error));
    ND_TRY(nd_need(out, "out", error));
    if (stem) ND_TRY(nd_stem_language(stem, &stem, error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_stop_words *stop = nd_allocate_zero(&memory, 1, sizeof *stop);
    if (!stop) return nd_fail_memory(error, sizeof *stop, "stop words");
    stop->allocator = memory;
    stop->seed = seed;
    stop->stem = stem;
    nd_status status = read_list(stop, path, error);
    if (status != ND_OK) {
        nd_stop_words_free(stop);
        return status;
    }
    *out = stop;
    return ND_OK;
}
