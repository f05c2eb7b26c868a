#include "corpus/recognise.h"

#include "base/name_ending.h"

#include <string.h>

const char *nd_input_format_name(nd_input_format format) {
    static const char *const names[] = {
        [ND_FORMAT_AUTO] = "auto", [ND_FORMAT_JSON_LINES] = "json-lines",
        [ND_FORMAT_JSON] = "json", [ND_FORMAT_CSV] = "csv",
        [ND_FORMAT_TSV] = "tsv",   [ND_FORMAT_TEXT] = "text",
        [ND_FORMAT_WARC] = "warc", [ND_FORMAT_PARQUET] = "parquet"};
    return (unsigned)format < sizeof names / sizeof *names ? names[format] : "";
}

const char *nd_format_title(nd_input_format format) {
    switch (format) {
    case ND_FORMAT_JSON_LINES: return "JSON Lines";
    case ND_FORMAT_JSON: return "JSON";
    case ND_FORMAT_CSV: return "CSV";
    case ND_FORMAT_TSV: return "TSV";
    case ND_FORMAT_WARC: return "WARC";
    case ND_FORMAT_PARQUET: return "Parquet";
    default: return "a text";
    }
}

/* ---- by the name */

typedef struct ending {
    const char *name;
    nd_input_format format;
} ending;

nd_input_format nd_format_of_name(const char *name) {
    static const ending endings[] = {
        {".jsonl", ND_FORMAT_JSON_LINES}, {".ndjson", ND_FORMAT_JSON_LINES},
        {".json", ND_FORMAT_JSON},        {".csv", ND_FORMAT_CSV},
        {".tsv", ND_FORMAT_TSV},          {".warc", ND_FORMAT_WARC},
        {".wet", ND_FORMAT_WARC},         {".arc", ND_FORMAT_WARC},
        {".parquet", ND_FORMAT_PARQUET}};
    static const char *const compressed[] = {".gz", ".zst", ".bz2", ".xz", ".lz4"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (nd_name_ends(name, length, compressed[i])) {
            length -= strlen(compressed[i]);
            break;
        }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (nd_name_ends(name, length, endings[i].name)) return endings[i].format;
    return ND_FORMAT_TEXT;
}

/* ---- by the content */

static bool begins_with(const char *bytes, size_t size, const char *begin) {
    size_t length = strlen(begin);
    return size >= length && memcmp(bytes, begin, length) == 0;
}

const char *nd_unread_kind(const char *bytes, size_t size) {
    static const struct {
        const char *first, *kind;
    } kinds[] = {{"PK\x03\x04", "zip"}, {"7z\xBC\xAF", "7-Zip"}, {"%PDF-", "PDF"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins_with(bytes, size, kinds[i].first)) return kinds[i].kind;
    return NULL;
}

static size_t skip_space(const char *bytes, size_t at, size_t size) {
    while (at < size && memchr(" \t\r\n\x1E", bytes[at], 5)) at++;
    return at;
}

size_t nd_skip_blank(const char *bytes, size_t size) {
    bool mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    return skip_space(bytes, mark ? 3 : 0, size);
}

/* Whether JSON may have `byte` behind an opening bracket. */
static bool may_follow(char bracket, char byte) {
    return bracket == '{' ? byte == '"' || byte == '}' : byte == '{' || byte == ']';
}

/* Whether the line at `at` is one value, or is longer than what is known of it. */
static bool is_one_value(const char *bytes, size_t at, size_t size) {
    nd_record_cutter cutter = {.format = ND_FORMAT_JSON};
    const char *newline = memchr(bytes + at, '\n', size - at);
    size_t end = newline ? (size_t)(newline - bytes) : size;
    nd_cut cut;
    if (!nd_record_cut(&cutter, bytes, at, end, false, &cut)) return !newline;
    return skip_space(bytes, cut.next, end) == end;
}

bool nd_format_goes_on(nd_format_search *search, const char *bytes, size_t size) {
    size_t at = nd_skip_blank(bytes, size);
    nd_cut cut;
    search->line.format = ND_FORMAT_JSON_LINES;
    search->value.format = ND_FORMAT_JSON;
    if (at == size) return size < ND_RECOGNISE_BYTES;
    if (nd_record_cut(&search->line, bytes, at, size, false, &cut)) return false;
    return size < ND_RECOGNISE_BYTES ||
           (bytes[at] == '{' && !nd_record_cut(&search->value, bytes, at, size, false, &cut));
}

nd_input_format nd_format_of_content(const char *bytes, size_t size) {
    if (begins_with(bytes, size, "WARC/1.") || begins_with(bytes, size, "filedesc://"))
        return ND_FORMAT_WARC;
    if (begins_with(bytes, size, "PAR1")) return ND_FORMAT_PARQUET;
    size_t at = nd_skip_blank(bytes, size);
    bool bracket = at < size && (bytes[at] == '{' || bytes[at] == '[');
    size_t next = bracket ? skip_space(bytes, at + 1, size) : size;
    if (!bracket || (next < size && !may_follow(bytes[at], bytes[next]))) return ND_FORMAT_AUTO;
    return bytes[at] == '{' && is_one_value(bytes, at, size) ? ND_FORMAT_JSON_LINES
                                                             : ND_FORMAT_JSON;
}

nd_input_format nd_recognise(const char *name, const char *bytes, size_t size) {
    nd_input_format found = nd_format_of_content(bytes, size), named = nd_format_of_name(name);
    size_t begin = nd_skip_blank(bytes, size);
    if (strcmp(name, "-") == 0 || found == ND_FORMAT_PARQUET) return found;
    /* The first line may be a bad one. */
    if (named == ND_FORMAT_JSON_LINES && begin < size && bytes[begin] == '{') return named;
    if (found != ND_FORMAT_AUTO) return found;
    return begin == size && named == ND_FORMAT_TEXT ? ND_FORMAT_AUTO : named;
}
