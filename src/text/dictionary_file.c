/* Reads a dictionary of words from a text file: one word a line, with its frequency and its tag.
 * Only words with a character of a script without spaces are kept. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/decimal.h"
#include "base/floats.h"
#include "base/printable.h"
#include "base/status.h"
#include "io/line_in.h"
#include "text/dictionary.h"
#include "text/word_entry.h"

#include <string.h>

typedef struct dictionary_reader {
    const char *name; /* for messages */
    nd_dictionary *dictionary;
    nd_line_in lines;
    nd_word_entry entry;
} dictionary_reader;

static nd_status fail_line(const dictionary_reader *r, nd_error *error, const char *expected,
                           const char *found, size_t length) {
    return nd_fail(error, ND_ERR_INPUT, "%s:%llu: %s expected, not '%.*s'", r->name,
                   (unsigned long long)r->lines.number, expected,
                   nd_shown_length(found, length, ND_SHOWN_TERM), found);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Returns the next field of a line and moves *line behind it; length 0: there is none. */
static const char *next_field(const char **line, const char *end, size_t *length) {
    while (*line < end && is_blank(**line)) ++*line;
    const char *field = *line;
    while (*line < end && !is_blank(**line)) ++*line;
    *length = (size_t)(*line - field);
    return field;
}

static nd_status read_word(dictionary_reader *r, const char *word, size_t length,
                           uint64_t frequency, nd_error *error) {
    nd_word_kind kind;
    uint64_t feature;
    nd_error inner;
    nd_status status = nd_word_entry_parse(&r->entry, word, length, &kind, &feature, &inner);
    if (status == ND_ERR_INPUT)
        return nd_fail(error, status, "%s:%llu: %s", r->name, (unsigned long long)r->lines.number,
                       inner.message);
    if (status != ND_OK) return nd_fail(error, status, "%s", inner.message);
    if (!r->entry.unspaced) return ND_OK;
    if (kind == ND_NO_WORD)
        return fail_line(r, error, "a word of nothing but letters and digits", word, length);
    if (r->entry.tokens > ND_WORD_ENTRY_TOKENS)
        return fail_line(r, error, "a word of at most 64 characters", word, length);
    return nd_dictionary_add(r->dictionary, r->entry.hashes, r->entry.tokens, frequency, error);
}

/* word [frequency [tag]] */
static nd_status read_line(dictionary_reader *r, const char *line, size_t line_length,
                           nd_error *error) {
    const char *end = line + line_length, *rest = line;
    size_t length, number_length, tag_length, more_length;
    const char *word = next_field(&rest, end, &length),
               *number = next_field(&rest, end, &number_length);
    if (length == 0 || word[0] == '#') return ND_OK;
    uint64_t frequency = ND_DICTIONARY_LEAST_FREQUENCY;
    if (number_length > 0 && !nd_whole_number_read(number, number_length, UINT32_MAX, &frequency))
        return fail_line(r, error, "a frequency from 0 to 4294967295", number, number_length);
    next_field(&rest, end, &tag_length);
    const char *more = next_field(&rest, end, &more_length);
    if (more_length > 0)
        return fail_line(r, error, "a word, its frequency and its tag, and nothing else,", more,
                         (size_t)(end - more));
    return read_word(r, word, length, frequency, error);
}

static nd_status read_lines(dictionary_reader *r, nd_error *error) {
    const char *line;
    size_t length;
    for (;;) {
        ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
        if (!line) break;
        ND_TRY(read_line(r, line, length, error));
    }
    if (nd_dictionary_finish(r->dictionary)) return ND_OK;
    return nd_fail(error, ND_ERR_INPUT, "%s: no word of a script written without spaces", r->name);
}

static nd_status read_words(nd_dictionary *dictionary, const char *path,
                            const nd_allocator *allocator, nd_error *error) {
    dictionary_reader r = {.name = strcmp(path, "-") == 0 ? "standard input" : path,
                           .dictionary = dictionary};
    nd_stream_in *stream = NULL;
    ND_TRY(
        nd_stream_in_open(path, &(nd_stream_in_options){.allocator = allocator}, &stream, error));
    nd_word_entry_init(&r.entry, ND_DICTIONARY_SEED, allocator);
    nd_line_in_open(&r.lines, stream, allocator);
    nd_status status = read_lines(&r, error);
    nd_line_in_close(&r.lines);
    nd_word_entry_free(&r.entry);
    nd_stream_in_close(stream);
    return status;
}

nd_status nd_dictionary_read(const char *path, const nd_allocator *allocator, nd_dictionary **out,
                             nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(path, "path", error));
    ND_TRY(nd_need(out, "out", error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_dictionary *dictionary = NULL;
    ND_TRY(nd_dictionary_create(&memory, &dictionary, error));
    nd_status status = read_words(dictionary, path, &memory, error);
    if (status != ND_OK) {
        nd_dictionary_free(dictionary);
        return status;
    }
    *out = dictionary;
    return ND_OK;
}
