#include "dedup/output_format.h"

#include "base/name_ending.h"
#include "corpus/recognise.h"
#include "io/compression.h"

#include <string.h>

typedef struct format_words {
    const char *title, *ending;
} format_words;

static const format_words words[] = {
    [ND_FORMAT_AUTO] = {"", ""},          [ND_FORMAT_JSON_LINES] = {"JSON Lines", ".jsonl"},
    [ND_FORMAT_JSON] = {"JSON", ".json"}, [ND_FORMAT_CSV] = {"CSV", ".csv"},
    [ND_FORMAT_TSV] = {"TSV", ".tsv"},    [ND_FORMAT_TEXT] = {"text", ""},
    [ND_FORMAT_WARC] = {"WARC", ".warc"}, [ND_FORMAT_PARQUET] = {"Parquet", ".parquet"}};

bool nd_output_format_has_marks(nd_input_format format) {
    return format != ND_FORMAT_TEXT && format != ND_FORMAT_WARC;
}

const char *nd_output_format_title(nd_input_format format) { return words[format].title; }
const char *nd_output_format_ending(nd_input_format format) { return words[format].ending; }

/* ---- names */

/* Formats that other programs read under these endings, and that are not written. */
static const format_words foreign[] = {{"Arrow", ".arrow"},
                                       {"Feather", ".feather"},
                                       {"Avro", ".avro"},
                                       {"ORC", ".orc"},
                                       {"Excel", ".xlsx"}};

static nd_status check_ending(const char *name, nd_error *error) {
    size_t length = strlen(name);
    nd_compression compression = nd_compression_of_name(name);
    if (compression == ND_COMPRESSION_GZIP) length -= strlen(".gz");
    if (compression == ND_COMPRESSION_ZSTD) length -= strlen(".zst");
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (nd_name_ends(name, length, foreign[i].ending))
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: %s is not written: a name that ends in .jsonl gets JSON Lines",
                           name, foreign[i].title);
    return ND_OK;
}

/* The format that the ending of a name says; ND_FORMAT_AUTO: it says none. */
static nd_input_format format_of(const nd_output_name *name) {
    nd_input_format named = name->is_directory ? ND_FORMAT_TEXT : nd_format_of_name(name->name);
    return named == ND_FORMAT_TEXT ? ND_FORMAT_AUTO : named;
}

/* ---- conversions */

/* JSON Lines are JSON, too. */
static bool is_the_same(nd_input_format input, nd_input_format output) {
    return input == output || (input == ND_FORMAT_JSON_LINES && output == ND_FORMAT_JSON);
}

/* Whether records of one format are written in another one. */
static bool is_written(nd_input_format input, nd_input_format output) {
    return is_the_same(input, output) || output == ND_FORMAT_JSON_LINES;
}

/* Nothing but rows of Parquet becomes Parquet, not even what is not known yet. */
static nd_status check_rows(const char *name, nd_input_format input, nd_input_format output,
                            nd_error *error) {
    if (input == ND_FORMAT_PARQUET || output != ND_FORMAT_PARQUET) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: only rows of Parquet are written as Parquet: a name that ends in .jsonl "
                   "gets JSON Lines",
                   nd_output_title(name));
}

static nd_status check_conversion(const char *name, nd_input_format input, nd_input_format output,
                                  nd_error *error) {
    if (input == ND_FORMAT_AUTO || is_written(input, output)) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: %s is not written as %s: a name that ends in .jsonl, or --output-format "
                   "(format) json-lines, gives JSON Lines",
                   nd_output_title(name), words[input].title, words[output].title);
}

nd_status nd_output_format_choose(const nd_output_name *name, nd_input_format asked,
                                  nd_input_format input, nd_input_format *out, nd_error *error) {
    nd_input_format named = format_of(name);
    if (!name->is_directory) ND_TRY(check_ending(name->name, error));
    if (asked != ND_FORMAT_AUTO && named != ND_FORMAT_AUTO && !is_the_same(asked, named))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: its ending says %s, but --output-format (format) says %s", name->name,
                       words[named].title, words[asked].title);
    *out = asked != ND_FORMAT_AUTO ? asked : named != ND_FORMAT_AUTO ? named : input;
    ND_TRY(check_rows(name->name, input, *out, error));
    return check_conversion(name->name, input, *out, error);
}
