/* simdjson's DOM parser behind json_simdjson.h.
 *
 * simdjson parses a line in place into its tape, which this file reads directly (simdjson documents
 * the layout in doc/tape.md). A word of the tape has a type in its highest byte and a payload in
 * the other seven:
 *
 *     '"'          offset of a string in the string buffer: 4 bytes of length in the machine's
 *                  order, then the bytes
 *     '{' '['      index behind the matching end, in the low 32 bits
 *     'l' 'u' 'd'  none; the next word is the number (int64, uint64, double)
 *     't' 'f' 'n'  none
 *
 * Word 0 is the root, word 1 the line's value. The members of an object are name and value in turn.
 *
 * Rules that neither RFC 8259 nor RFC 6901 fixes: if a name occurs more than once in an object, the
 * first one counts; byte offsets in messages count from 0.
 *
 * simdjson rejects a line with a lone surrogate: json_strings.h then finds its offset. simdjson
 * also rejects numbers beyond 64 bits or the range of a double. They are JSON, and occur as ids:
 * the line is then parsed again with all numbers blanked, and a number that is wanted is read from
 * the line.
 *
 * Memory: simdjson allocates with new (std::nothrow) and reports MEMALLOC; nothing here throws. For
 * a line of n bytes it allocates 14 n bytes (tape 8 n, strings 5/3 n, structural indexes 4 n). Only
 * about 2 n of them are touched for text; the rest is address space, not memory. */
extern "C" {
#include "base/alloc.h"
#include "base/format.h"
#include "base/status.h"
}
#include "corpus/iso_date.h"
#include "corpus/json_simdjson.h"
#include "corpus/json_diagnose.h"
extern "C" {
#include "corpus/json_plain.h"
}
#include "corpus/json_strings.h"

#include <charconv>
#include <cstring>
#include <new>
#include <simdjson.h>

namespace {

using simdjson::error_code;

/* Buffers for a longer line are freed at the next line that is not longer. */
constexpr size_t kept_capacity = size_t(4) << 20;
constexpr size_t first_capacity = size_t(64) << 10;

struct name_part {
    const char *bytes;
    size_t length;
};

/* The name of a wanted value, a member's name or a JSON Pointer, split into its parts. */
struct wanted_value {
    const char *spelled = nullptr; /* as given, for messages; NULL: no value is wanted */
    bool pointer = false;
    name_part *parts = nullptr;
    size_t count = 0;
    char *memory = nullptr; /* the bytes of `spelled` and of the parts */
};

} // namespace

struct nd_json_parser {
    nd_allocator allocator;
    simdjson::dom::parser parser;
    simdjson::dom::document document;
    size_t capacity = 0; /* of the parser and the document, in bytes */
    wanted_value *texts = nullptr;
    size_t text_count = 0;
    wanted_value id, priority, label;
    wanted_value *protect = nullptr; /* by number of the protected value: its field */
    const nd_protected_values *protected_values = nullptr;
    char *joined = nullptr; /* the text, if it has several fields */
    size_t joined_capacity = 0;
    char *number = nullptr; /* an id that is a number */
    size_t number_capacity = 0;
    char *copy = nullptr; /* a line with its numbers blanked */
    size_t copy_capacity = 0;
    bool serves_plain = false; /* plain lines are read without simdjson (json_plain.h) */
    char *plain = nullptr;
    size_t plain_capacity = 0;
    char *repaired = nullptr;
    size_t repaired_capacity = 0;
};

namespace {

/* A line as simdjson's tape, and as it is written. */
struct parsed_line {
    const uint64_t *tape;
    const uint8_t *strings;
    const char *line;
    size_t length;
    bool blanked; /* all numbers of the tape are 0; `line` has the true ones */

    char type(size_t i) const { return char(tape[i] >> 56); }
    bool is_number(size_t i) const { return type(i) == 'l' || type(i) == 'u' || type(i) == 'd'; }
    const char *string(size_t i, size_t *size) const {
        const uint8_t *at = strings + (tape[i] & UINT64_C(0x00ffffffffffffff));
        uint32_t bytes;
        memcpy(&bytes, at, sizeof bytes);
        *size = bytes;
        return reinterpret_cast<const char *>(at + sizeof bytes);
    }
    bool string_is(size_t i, const name_part &name) const {
        size_t size;
        const char *bytes = string(i, &size);
        return size == name.length && memcmp(bytes, name.bytes, size) == 0;
    }
    /* Returns the index behind the value at i. */
    size_t after(size_t i) const {
        if (type(i) == '{' || type(i) == '[') return size_t(uint32_t(tape[i]));
        return is_number(i) ? i + 2 : i + 1;
    }
    /* Returns the number at i as it is written in the line. */
    const char *written_number(size_t i, size_t *size) const {
        size_t ordinal = 0;
        for (size_t at = 1; at < i; at++)
            if (is_number(at)) {
                ordinal++;
                at++;
            }
        return nd_json_number(line, length, ordinal, size);
    }
};

/* ---------------------------------------------------------------- wanted values */

/* Replaces ~1 and ~0 in a part of a JSON Pointer, in place. False: a '~' with another byte behind
 * it. */
bool unescape_part(char *bytes, size_t *length) {
    size_t to = 0;
    for (size_t from = 0; from < *length; from++, to++) {
        bytes[to] = bytes[from];
        if (bytes[from] != '~') continue;
        from++;
        if (from == *length || (bytes[from] != '0' && bytes[from] != '1')) return false;
        bytes[to] = bytes[from] == '0' ? '~' : '/';
    }
    *length = to;
    return true;
}

nd_status wanted_open(wanted_value *value, const char *spelled, const nd_allocator *allocator,
                      nd_error *error) {
    if (!spelled) return ND_OK;
    size_t length = strlen(spelled);
    value->pointer = spelled[0] == '/';
    size_t count = value->pointer ? 0 : 1;
    if (value->pointer)
        for (const char *at = spelled; *at; at++) count += *at == '/';
    value->memory = static_cast<char *>(nd_allocate(allocator, length + 1, 2));
    value->parts = static_cast<name_part *>(nd_allocate(allocator, count, sizeof(name_part)));
    if (!value->memory || !value->parts)
        return nd_fail_memory(error, (length + 1) * 2, "a field's name");
    memcpy(value->memory, spelled, length + 1);
    value->spelled = value->memory;
    char *parts = value->memory + length + 1;
    memcpy(parts, spelled, length + 1);
    value->count = count;
    if (!value->pointer) {
        value->parts[0] = {parts, length};
        return ND_OK;
    }
    char *at = parts + 1;
    for (size_t i = 0; i < count; i++) {
        size_t size = strcspn(at, "/"), unescaped = size;
        if (!unescape_part(at, &unescaped))
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "in the JSON Pointer \"%s\", '~' must be followed by 0 or 1", spelled);
        value->parts[i] = {at, unescaped};
        at += size + 1;
    }
    return ND_OK;
}

void wanted_close(wanted_value *value, const nd_allocator *allocator) {
    nd_release(allocator, value->parts);
    nd_release(allocator, value->memory);
}

/* Returns the tape index of the member's value; 0: there is none. */
size_t find_member(const parsed_line &doc, size_t object, const name_part &name) {
    size_t end = doc.after(object) - 1;
    for (size_t i = object + 1; i < end; i = doc.after(i + 1))
        if (doc.string_is(i, name)) return i + 1;
    return 0;
}

/* Returns the tape index of the array's element `index` (digits without leading zeros, RFC 6901,
 * section 4); 0: there is none. */
size_t find_element(const parsed_line &doc, size_t array, const name_part &index) {
    uint32_t wanted;
    if (index.length == 0 || (index.length > 1 && index.bytes[0] == '0')) return 0;
    auto result = std::from_chars(index.bytes, index.bytes + index.length, wanted);
    if (result.ec != std::errc() || result.ptr != index.bytes + index.length) return 0;
    size_t end = doc.after(array) - 1;
    for (size_t i = array + 1; i < end; i = doc.after(i))
        if (wanted-- == 0) return i;
    return 0;
}

/* Returns the tape index of the wanted value; 0: there is none. */
size_t find_value(const parsed_line &doc, const wanted_value &value) {
    size_t at = 1;
    for (size_t i = 0; i < value.count && at != 0; i++) {
        char type = doc.type(at);
        at = type == '{'   ? find_member(doc, at, value.parts[i])
             : type == '[' ? find_element(doc, at, value.parts[i])
                           : 0;
    }
    return at;
}

/* ---------------------------------------------------------------- messages */

struct message {
    char *out;
    size_t size;
};

const char *type_name(char type) {
    switch (type) {
    case '"': return "a string";
    case '{': return "an object";
    case '[': return "an array";
    case 't': return "true";
    case 'f': return "false";
    case 'n': return "null";
    default: return "a number";
    }
}

/* A value or a name as messages show it: printable, at most 63 bytes. */
struct excerpt {
    char bytes[64];
    excerpt(const char *text, size_t length) { nd_printable(text, length, bytes, sizeof bytes); }
};

/* A wanted value's name in messages: `field "id"`, `the value at "/a/id"`. */
struct spelled_value {
    char bytes[100];
    explicit spelled_value(const wanted_value &value) {
        nd_format(bytes, sizeof bytes, value.pointer ? "the value at \"%s\"" : "field \"%s\"",
                  excerpt(value.spelled, strlen(value.spelled)).bytes);
    }
};

nd_json_problem wrong_type(const message &why, const wanted_value &value, char type,
                           const char *wanted) {
    nd_format(why.out, why.size, "%s is %s, %s was expected", spelled_value(value).bytes,
              type_name(type), wanted);
    return ND_JSON_BAD_RECORD;
}

/* ---------------------------------------------------------------- the values */

/* Says that a value is not there. A dot in its name is often meant as a way into an object. */
nd_json_problem no_value(const wanted_value &value, const message &why) {
    excerpt name(value.spelled, strlen(value.spelled));
    if (value.pointer || !strchr(value.spelled, '.')) {
        nd_format(why.out, why.size, value.pointer ? "no value at \"%s\"" : "no field \"%s\"",
                  name.bytes);
        return ND_JSON_BAD_RECORD;
    }
    excerpt pointer(value.spelled, strlen(value.spelled));
    for (char *at = pointer.bytes; *at; at++)
        if (*at == '.') *at = '/';
    nd_format(why.out, why.size,
              "no field \"%s\" (a value inside an object is named by a JSON Pointer: \"/%s\")",
              name.bytes, pointer.bytes);
    return ND_JSON_BAD_RECORD;
}

/* Joins the text fields that the record has, and that are not empty, by newlines. */
nd_json_problem join_texts(nd_json_parser *parser, const parsed_line &doc, nd_record_values *out,
                           const message &why) {
    bool found = false;
    size_t size = 0;
    for (size_t i = 0; i < parser->text_count; i++) {
        const wanted_value &value = parser->texts[i];
        size_t at = find_value(doc, value), length = 0;
        if (at == 0 || doc.type(at) == 'n') continue;
        if (doc.type(at) != '"') return wrong_type(why, value, doc.type(at), "a string");
        const char *text = doc.string(at, &length);
        found = true;
        if (length == 0) continue;
        if (!nd_reserve(&parser->allocator, &parser->joined, &parser->joined_capacity,
                        size + length + 1))
            return ND_JSON_NO_MEMORY;
        if (size > 0) parser->joined[size++] = '\n';
        memcpy(parser->joined + size, text, length);
        size += length;
    }
    if (!found) return no_value(parser->texts[0], why);
    out->text = size > 0 ? parser->joined : "";
    out->text_length = size;
    return ND_JSON_FINE;
}

nd_json_problem read_text(nd_json_parser *parser, const parsed_line &doc, nd_record_values *out,
                          const message &why) {
    if (parser->text_count > 1) return join_texts(parser, doc, out, why);
    const wanted_value &value = parser->texts[0];
    size_t at = find_value(doc, value);
    if (at == 0) return no_value(value, why);
    if (doc.type(at) != '"') return wrong_type(why, value, doc.type(at), "a string");
    out->text = doc.string(at, &out->text_length);
    return ND_JSON_FINE;
}

/* Reads an id that is a number, as the number is written in the line. A 64-bit integer other than 0
 * can be written in one way only, so it is formatted here; 0 can also be written as -0. */
nd_json_problem read_number_id(nd_json_parser *parser, const parsed_line &doc, size_t at,
                               nd_record_values *out) {
    char digits[24];
    const char *number = digits;
    size_t length = 0;
    if (!doc.blanked && doc.type(at) != 'd' && doc.tape[at + 1] != 0) {
        auto result = doc.type(at) == 'u'
                          ? std::to_chars(digits, digits + sizeof digits, doc.tape[at + 1])
                          : std::to_chars(digits, digits + sizeof digits,
                                          int64_t(doc.tape[at + 1]));
        length = size_t(result.ptr - digits);
    } else {
        number = doc.written_number(at, &length);
    }
    if (!nd_reserve(&parser->allocator, &parser->number, &parser->number_capacity, length))
        return ND_JSON_NO_MEMORY;
    if (length > 0) memcpy(parser->number, number, length);
    out->id = parser->number;
    out->id_length = length;
    return ND_JSON_FINE;
}

nd_json_problem read_id(nd_json_parser *parser, const parsed_line &doc, const wanted_value &value,
                        nd_record_values *out, const message &why) {
    size_t at = value.spelled ? find_value(doc, value) : 0;
    if (at == 0 || doc.type(at) == 'n') return ND_JSON_FINE;
    if (doc.is_number(at)) return read_number_id(parser, doc, at, out);
    if (doc.type(at) != '"') return wrong_type(why, value, doc.type(at), "a string or a number");
    out->id = doc.string(at, &out->id_length);
    return ND_JSON_FINE;
}

/* False: the number is beyond the range of a double. */
bool number_value(const parsed_line &doc, size_t at, double *out) {
    uint64_t bits = doc.tape[at + 1];
    if (doc.blanked) {
        size_t length = 0;
        const char *number = doc.written_number(at, &length);
        return number && std::from_chars(number, number + length, *out).ec == std::errc();
    }
    if (doc.type(at) == 'd') memcpy(out, &bits, sizeof *out);
    else *out = doc.type(at) == 'u' ? double(bits) : double(int64_t(bits));
    return true;
}

nd_json_problem read_priority(const parsed_line &doc, const wanted_value &value,
                              nd_record_values *out, const message &why) {
    static const char expected[] = "a number or an ISO 8601 date";
    size_t at = value.spelled ? find_value(doc, value) : 0;
    if (at == 0 || doc.type(at) == 'n') return ND_JSON_FINE;
    if (doc.is_number(at)) {
        if (!number_value(doc, at, &out->priority)) {
            nd_format(why.out, why.size, "%s is a number beyond the range of a double",
                      spelled_value(value).bytes);
            return ND_JSON_BAD_RECORD;
        }
    } else if (doc.type(at) == '"') {
        size_t length;
        const char *date = doc.string(at, &length);
        if (!nd_iso_date_parse(date, length, &out->priority)) {
            nd_format(why.out, why.size, "%s is \"%s\", %s was expected",
                      spelled_value(value).bytes, excerpt(date, length).bytes, expected);
            return ND_JSON_BAD_RECORD;
        }
    } else {
        return wrong_type(why, value, doc.type(at), expected);
    }
    out->has_priority = true;
    return ND_JSON_FINE;
}

/* Gives the value at i as it is written: a string, a number, true or false; nullptr: another one.
 */
const char *written_value(const parsed_line &doc, size_t i, size_t *length) {
    switch (doc.type(i)) {
    case '"': return doc.string(i, length);
    case 't': *length = 4; return "true";
    case 'f': *length = 5; return "false";
    case 'l':
    case 'u':
    case 'd': return doc.written_number(i, length);
    default: return nullptr;
    }
}

bool read_protection(const nd_json_parser *parser, const parsed_line &doc) {
    const nd_protected_values *values = parser->protected_values;
    for (size_t i = 0; values && i < values->count; i++) {
        size_t at = find_value(doc, parser->protect[i]);
        size_t length = 0;
        const char *text = at != 0 ? written_value(doc, at, &length) : nullptr;
        if (text && nd_protected_value_is(values, i, text, length)) return true;
    }
    return false;
}

void read_label(const parsed_line &doc, const wanted_value &value, nd_record_values *out) {
    size_t at = value.spelled ? find_value(doc, value) : 0;
    if (at != 0) out->label = written_value(doc, at, &out->label_length);
}

nd_json_problem read_values(nd_json_parser *parser, const parsed_line &doc, nd_record_values *out,
                            const message &why) {
    if (doc.type(1) != '{') {
        nd_format(why.out, why.size, "not a JSON object");
        return ND_JSON_BAD_RECORD;
    }
    nd_record_values record = {};
    nd_json_problem problem = read_text(parser, doc, &record, why);
    if (problem == ND_JSON_FINE) problem = read_id(parser, doc, parser->id, &record, why);
    if (problem == ND_JSON_FINE) problem = read_priority(doc, parser->priority, &record, why);
    if (problem != ND_JSON_FINE) return problem;
    record.is_protected = read_protection(parser, doc);
    read_label(doc, parser->label, &record);
    *out = record;
    return ND_JSON_FINE;
}

/* ---------------------------------------------------------------- parsing */

/* Frees the buffers for a line above kept_capacity; makes room for a line of `length` bytes. */
error_code make_room(nd_json_parser *parser, size_t length) {
    if (parser->capacity > kept_capacity && length <= kept_capacity) {
        parser->parser = simdjson::dom::parser();
        parser->capacity = 0;
        for (auto buffer : {&parser->copy, &parser->joined}) {
            nd_release(&parser->allocator, *buffer);
            *buffer = nullptr;
        }
        parser->copy_capacity = parser->joined_capacity = 0;
    }
    if (length <= parser->capacity && parser->capacity != 0) return simdjson::SUCCESS;
    size_t capacity = length;
    if (length <= kept_capacity) {
        capacity = parser->capacity + parser->capacity / 2;
        if (capacity < first_capacity) capacity = first_capacity;
        if (capacity < length) capacity = length;
        if (capacity > kept_capacity) capacity = kept_capacity;
    }
    parser->capacity = 0;
    error_code problem = parser->document.allocate(capacity);
    if (problem == simdjson::SUCCESS) problem = parser->parser.allocate(capacity, ND_JSON_DEPTH);
    if (problem == simdjson::SUCCESS) parser->capacity = capacity;
    return problem;
}

error_code parse_padded(nd_json_parser *parser, const char *line, size_t length) {
    return parser->parser.parse_into_document(parser->document, line, length, false).error();
}

/* Parses a copy of the line with its numbers blanked. UNEXPECTED_ERROR: the line has no number. */
error_code parse_blanked(nd_json_parser *parser, const char *line, size_t length) {
    if (length > SIZE_MAX - ND_JSON_PADDING ||
        !nd_reserve(&parser->allocator, &parser->copy, &parser->copy_capacity,
                    length + ND_JSON_PADDING))
        return simdjson::MEMALLOC;
    memcpy(parser->copy, line, length);
    memset(parser->copy + length, 0, ND_JSON_PADDING);
    if (nd_json_blank_numbers(parser->copy, length) == 0) return simdjson::UNEXPECTED_ERROR;
    return parse_padded(parser, parser->copy, length);
}

/* Reads the line without simdjson. False: it has to be parsed; why is not known. */
bool read_plain(nd_json_parser *parser, const char *line, size_t length, nd_record_values *out) {
    if (!parser->serves_plain || length > SIZE_MAX / 2) return false;
    if (parser->plain_capacity > 2 * kept_capacity && length <= kept_capacity) {
        nd_release(&parser->allocator, parser->plain);
        parser->plain = nullptr;
        parser->plain_capacity = 0;
    }
    return nd_reserve(&parser->allocator, &parser->plain, &parser->plain_capacity,
                      nd_json_plain_room(length)) &&
           nd_json_plain_read(parser->texts[0].spelled, parser->id.spelled, line, length,
                              parser->plain, out);
}

/* Says why simdjson rejected the line. */
nd_json_problem explain(error_code problem, const char *line, size_t length, const message &why) {
    size_t at = 0, size;
    nd_text_fault fault = nd_json_text_fault(line, length, &at, &size);
    if (fault == ND_TEXT_INVALID_UTF8) {
        nd_format(why.out, why.size, "invalid UTF-8 at byte %zu of the record", at);
        return ND_JSON_INVALID_TEXT;
    }
    if (fault == ND_TEXT_LONE_SURROGATE) {
        nd_format(why.out, why.size, "lone surrogate %.*s at byte %zu of the record", int(size),
                  line + at, at);
        return ND_JSON_INVALID_TEXT;
    }
    char reason[200];
    if (!nd_json_fault(line, length, reason, sizeof reason))
        nd_format(reason, sizeof reason, "%s", simdjson::error_message(problem));
    nd_format(why.out, why.size, "not JSON: %s", reason);
    return ND_JSON_BAD_RECORD;
}

nd_status texts_open(nd_json_parser *parser, const nd_record_fields *fields, nd_error *error) {
    size_t count = fields->text_count;
    parser->texts = static_cast<wanted_value *>(
        nd_allocate_zero(&parser->allocator, count, sizeof(wanted_value)));
    if (!parser->texts) return nd_fail_memory(error, count * sizeof(wanted_value), "fields");
    parser->text_count = count;
    for (size_t i = 0; i < count; i++)
        ND_TRY(wanted_open(&parser->texts[i], fields->texts[i], &parser->allocator, error));
    return ND_OK;
}

nd_status protect_open(nd_json_parser *parser, const nd_protected_values *values, nd_error *error) {
    if (!values || values->count == 0) return ND_OK;
    parser->protect = static_cast<wanted_value *>(
        nd_allocate_zero(&parser->allocator, values->count, sizeof(wanted_value)));
    if (!parser->protect)
        return nd_fail_memory(error, values->count * sizeof(wanted_value), "fields");
    parser->protected_values = values;
    for (size_t i = 0; i < values->count; i++)
        ND_TRY(wanted_open(&parser->protect[i], values->fields[i], &parser->allocator, error));
    return ND_OK;
}

} // namespace

nd_status nd_json_parser_create(const nd_record_fields *fields, const nd_allocator *allocator,
                                nd_json_parser **out, nd_error *error) {
    if (!fields || fields->text_count == 0)
        return nd_fail(error, ND_ERR_ARGUMENT, "a text field must be named");
    nd_allocator memory = nd_allocator_or_default(allocator);
    void *storage = nd_allocate(&memory, 1, sizeof(nd_json_parser));
    if (!storage) return nd_fail_memory(error, sizeof(nd_json_parser), "a JSON parser");
    nd_json_parser *parser = new (storage) nd_json_parser();
    parser->allocator = memory;
    parser->serves_plain = nd_json_plain_serves(fields);
    nd_status status = texts_open(parser, fields, error);
    if (status == ND_OK) status = wanted_open(&parser->id, fields->id, &memory, error);
    if (status == ND_OK) status = wanted_open(&parser->priority, fields->priority, &memory, error);
    if (status == ND_OK) status = wanted_open(&parser->label, fields->label, &memory, error);
    if (status == ND_OK) status = protect_open(parser, fields->protect, error);
    if (status != ND_OK) {
        nd_json_parser_free(parser);
        return status;
    }
    *out = parser;
    return ND_OK;
}

void nd_json_parser_free(nd_json_parser *parser) {
    if (!parser) return;
    nd_allocator memory = parser->allocator;
    for (size_t i = 0; i < parser->text_count; i++) wanted_close(&parser->texts[i], &memory);
    wanted_close(&parser->id, &memory);
    wanted_close(&parser->priority, &memory);
    wanted_close(&parser->label, &memory);
    for (size_t i = 0; parser->protected_values && i < parser->protected_values->count; i++)
        wanted_close(&parser->protect[i], &memory);
    nd_release(&memory, parser->protect);
    nd_release(&memory, parser->texts);
    nd_release(&memory, parser->joined);
    nd_release(&memory, parser->number);
    nd_release(&memory, parser->copy);
    nd_release(&memory, parser->repaired);
    nd_release(&memory, parser->plain);
    parser->~nd_json_parser();
    nd_release(&memory, parser);
}

nd_json_problem nd_json_parse(nd_json_parser *parser, const char *line, size_t length,
                              nd_record_values *out, char *why, size_t why_size) {
    message reason = {why, why_size};
    bool blanked = false;
    if (length > simdjson::SIMDJSON_MAXSIZE_BYTES) {
        nd_format(why, why_size, "the record is longer than 4 GiB");
        return ND_JSON_BAD_RECORD;
    }
    if (read_plain(parser, line, length, out)) return ND_JSON_FINE;
    error_code problem = make_room(parser, length);
    if (problem == simdjson::SUCCESS) problem = parse_padded(parser, line, length);
    if (problem == simdjson::NUMBER_ERROR) {
        error_code again = parse_blanked(parser, line, length);
        blanked = again == simdjson::SUCCESS;
        if (blanked || again == simdjson::MEMALLOC) problem = again;
    }
    if (problem == simdjson::MEMALLOC) {
        nd_format(why, why_size, "out of memory for a record of %zu bytes", length);
        return ND_JSON_NO_MEMORY;
    }
    if (problem != simdjson::SUCCESS) return explain(problem, line, length, reason);
    parsed_line doc = {parser->document.tape.get(), parser->document.string_buf.get(), line, length,
                       blanked};
    return read_values(parser, doc, out, reason);
}

nd_json_problem nd_json_repair(nd_json_parser *parser, const char *line, size_t length,
                               const char **out, size_t *out_length) {
    if (parser->repaired_capacity > kept_capacity) {
        nd_release(&parser->allocator, parser->repaired);
        parser->repaired = nullptr;
        parser->repaired_capacity = 0;
    }
    size_t size = nd_json_repaired_size(line, length);
    if (size > SIZE_MAX - ND_JSON_PADDING ||
        !nd_reserve(&parser->allocator, &parser->repaired, &parser->repaired_capacity,
                    size + ND_JSON_PADDING))
        return ND_JSON_NO_MEMORY;
    nd_json_write_repaired(line, length, parser->repaired);
    memset(parser->repaired + size, 0, ND_JSON_PADDING);
    *out = parser->repaired;
    *out_length = size;
    return ND_JSON_FINE;
}
