/* Parses and reads records.
 *
 * A reader keeps a few descriptors of plain inputs open, and buffers that it reuses. It takes the
 * corpus's gate before it allocates for a large record, and gives the buffers back with the gate.
 */
#include "corpus/record_reader.h"

#include "base/format.h"
#include "corpus/corpus_inside.h"
#include "corpus/written_files.h"
#include "corpus/document_text.h"
#include "corpus/iso_date.h"
#include "corpus/recognise.h"
#include "unicode/encoding.h"
#include "io/file.h"
#include "warc/http_payload.h"
#include "warc/warc_digest.h"
#include "warc/warc_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Plain inputs that are open at a time. The slot of an input is its number modulo OPEN_FILES. There
 * is a limit because a process may have fewer descriptors than there are inputs. */
enum { OPEN_FILES = 8 };

/* Bytes that are read ahead (nd_record_reader_fetch_ahead). */
enum { AHEAD_BYTES = ND_LIMIT(1 << 18, 200) };

typedef struct byte_buffer {
    char *bytes;
    size_t capacity;
} byte_buffer;

/* Bytes of a source, read ahead. Zeros stand behind the record that was fetched last; `aside` has
 * the bytes that they replace. */
typedef struct ahead_buffer {
    char *bytes;
    size_t source, size, fetched; /* fetched: the end of that record */
    uint64_t offset;
    char aside[ND_JSON_PADDING];
} ahead_buffer;

struct nd_record_reader {
    nd_corpus *corpus;
    nd_json_parser *parser; /* NULL: no JSON has been read */
    nd_csv_buffer row;      /* fields of a row of CSV */
    byte_buffer record;     /* a record read by its offset */
    ahead_buffer ahead;
    byte_buffer file;           /* a file with a text */
    nd_payload_decoder payload; /* of a record of WARC */
    nd_text_maker *maker;
    char *path;         /* of the file */
    bool follows_links; /* the path may be a symbolic link */
    byte_buffer id;     /* id of the file, if it is not its path */
    bool holds_gate, holds_payload_gate;
    struct {
        size_t source;
        int fd; /* -1: none */
    } open[OPEN_FILES];
};

/* A record after parsing: a document, or, with a message in *why, its fault. */
typedef struct parsed_record {
    nd_document document;
    nd_record_state state;
    nd_error *why;
} parsed_record;

nd_status nd_record_reader_create(nd_corpus *corpus, nd_record_reader **out, nd_error *error) {
    nd_record_reader *reader = nd_allocate_zero(&corpus->allocator, 1, sizeof *reader);
    if (!reader) return nd_fail_memory(error, sizeof *reader, "a reader");
    reader->corpus = corpus;
    for (size_t i = 0; i < OPEN_FILES; i++) reader->open[i].fd = -1;
    const nd_corpus_options *o = &corpus->options;
    const nd_text_options options = {o->encoding, o->invalid, o->html, o->max_record};
    nd_status status = nd_text_maker_create(&options, &corpus->allocator, &reader->maker, error);
    if (status == ND_OK) *out = reader;
    else nd_release(&corpus->allocator, reader);
    return status;
}

/* ---- memory */

static void hold_gate(nd_record_reader *reader) {
    if (!reader->holds_gate) pthread_mutex_lock(&reader->corpus->gate);
    reader->holds_gate = true;
}

static void free_row(nd_record_reader *reader) {
    nd_release(&reader->corpus->allocator, reader->row.bytes);
    nd_release(&reader->corpus->allocator, reader->row.texts);
    reader->row = (nd_csv_buffer){0};
}

/* A payload may be large while its record, which is compressed, is not. */
static void hold_payload_gate(nd_record_reader *reader) {
    if (!reader->holds_payload_gate) pthread_mutex_lock(&reader->corpus->payload_gate);
    reader->holds_payload_gate = true;
}

void nd_record_reader_release(nd_record_reader *reader) {
    if (!reader->holds_gate && !reader->holds_payload_gate) return;
    byte_buffer *buffers[] = {&reader->record, &reader->file};
    for (size_t i = 0; i < 2; i++) {
        nd_release(&reader->corpus->allocator, buffers[i]->bytes);
        *buffers[i] = (byte_buffer){0};
    }
    free_row(reader);
    nd_payload_decoder_free(&reader->payload, &reader->corpus->allocator);
    nd_text_maker_release(reader->maker);
    if (reader->holds_gate) pthread_mutex_unlock(&reader->corpus->gate);
    if (reader->holds_payload_gate) pthread_mutex_unlock(&reader->corpus->payload_gate);
    reader->holds_gate = reader->holds_payload_gate = false;
}

void nd_record_reader_free(nd_record_reader *reader) {
    if (!reader) return;
    nd_record_reader_release(reader);
    nd_allocator allocator = reader->corpus->allocator;
    for (size_t i = 0; i < OPEN_FILES; i++)
        if (reader->open[i].fd >= 0) close(reader->open[i].fd);
    nd_json_parser_free(reader->parser);
    free_row(reader);
    nd_payload_decoder_free(&reader->payload, &allocator);
    nd_release(&allocator, reader->record.bytes);
    nd_release(&allocator, reader->file.bytes);
    nd_text_maker_free(reader->maker);
    nd_release(&allocator, reader->id.bytes);
    nd_release(&allocator, reader->path);
    nd_release(&allocator, reader->ahead.bytes);
    nd_release(&allocator, reader);
}

static nd_status reserve(nd_record_reader *reader, byte_buffer *buffer, size_t size,
                         nd_error *error) {
    const nd_allocator *allocator = &reader->corpus->allocator;
    return nd_reserve(allocator, &buffer->bytes, &buffer->capacity, size)
               ? ND_OK
               : nd_fail_memory(error, size, "a record");
}

/* ---- reading a file with a text */

/* Opens the file reader->path. The file may have been replaced since it was found; O_NONBLOCK keeps
 * the call from waiting if it is a pipe now. */
static nd_status open_file(const nd_record_reader *reader, int *fd, nd_error *error) {
    struct stat is;
    *fd = nd_open(reader->path, O_RDONLY | O_NONBLOCK | (reader->follows_links ? 0 : O_NOFOLLOW),
                  0);
    bool opened = *fd >= 0;
    if (!opened && errno != ELOOP && errno != ENXIO)
        return nd_fail_os(error, errno, "%s", reader->path);
    bool regular = opened && fstat(*fd, &is) == 0 && S_ISREG(is.st_mode),
         written = regular && nd_corpus_is_written(reader->corpus, &is);
    if (regular && !written) return ND_OK;
    if (opened) close(*fd);
    if (written) return nd_fail_is_input(error, reader->path);
    return nd_fail(error, ND_ERR_INPUT, "%s: not a regular file any more", reader->path);
}

/* Reads the file reader->path into reader->file. A Zstandard window may take a part of `memory`. */
static nd_status read_with_memory(nd_record_reader *reader, uint64_t memory, size_t *length,
                                  bool *too_long, bool *window_refused, nd_error *error) {
    const nd_stream_in_options options = {.allocator = &reader->corpus->allocator,
                                          .progress = reader->corpus->options.progress,
                                          .memory = memory};
    nd_stream_in *stream = NULL;
    int fd;
    ND_TRY(open_file(reader, &fd, error));
    ND_TRY(nd_stream_in_open_fd(fd, reader->path, &options, &stream, error));
    size_t size = 0;
    nd_status status = ND_OK;
    *too_long = false;
    for (size_t want = 1 << 14;; want = size < ND_LARGE_RECORD ? 2 * want : size / 2) {
        size_t got = 0;
        if (size + want > ND_LARGE_RECORD) hold_gate(reader);
        status = reserve(reader, &reader->file, size + want + ND_JSON_PADDING, error);
        if (status == ND_OK)
            status = nd_stream_in_read(stream, reader->file.bytes + size, want, &got, error);
        size += got;
        if (status == ND_OK && size > reader->corpus->options.max_record) *too_long = true;
        if (status != ND_OK || got < want || *too_long) break;
    }
    *window_refused = nd_stream_in_window_refused(stream);
    nd_stream_in_close(stream);
    *length = size;
    return status;
}

/* Reads a whole file, decompressed. *too_long: it has more than max_record bytes. Several threads
 * may read files at the same time, but only the holder of the gate with a large window. */
static nd_status read_file(nd_record_reader *reader, const nd_source *source, const char *path,
                           size_t *length, bool *too_long, nd_error *error) {
    const nd_allocator *allocator = &reader->corpus->allocator;
    uint64_t memory = reader->corpus->options.memory,
             little = (uint64_t)ND_LARGE_RECORD * ND_WINDOW_SHARE;
    bool window_refused = false;
    nd_release(allocator, reader->path);
    reader->path = nd_source_path(source, path, allocator);
    reader->follows_links = source->files || reader->corpus->options.follow_links;
    if (!reader->path) return nd_fail_memory(error, strlen(path), "a path");
    nd_status status = read_with_memory(reader, little < memory ? little : memory, length, too_long,
                                        &window_refused, error);
    if (!window_refused) return status;
    hold_gate(reader);
    return read_with_memory(reader, memory, length, too_long, &window_refused, error);
}

/* ---- texts */

/* Makes the text of the document. made->fault: it is not valid. */
static nd_status make_text(nd_record_reader *reader, const nd_raw_text *raw, nd_made_text *made,
                           parsed_record *parsed, nd_error *error) {
    ND_TRY(nd_text_make(reader->maker, raw, made, error));
    parsed->document.text = made->text;
    parsed->document.length = made->length;
    return ND_OK;
}

static void fail_text(const char *where, const nd_made_text *made, parsed_record *parsed) {
    parsed->state = ND_RECORD_INVALID_TEXT;
    nd_fail(parsed->why, ND_ERR_INPUT, "%s: %s", where, made->fault);
}

/* The same, with the place of the document for messages. */
static nd_status set_text(nd_record_reader *reader, const nd_raw_text *raw, const char *where,
                          parsed_record *parsed, nd_error *error) {
    nd_made_text made;
    ND_TRY(make_text(reader, raw, &made, parsed, error));
    if (made.fault[0]) fail_text(where, &made, parsed);
    return ND_OK;
}

/* ---- records of files */

/* A record of a file, and its position for messages. */
typedef struct file_record {
    const nd_source *source;
    const char *bytes;
    size_t length;
    uint64_t line;
    bool again; /* it was read before, and was good */
} file_record;

static void fail_at(const file_record *record, const char *reason, parsed_record *parsed) {
    parsed->state = ND_RECORD_BAD;
    nd_fail(parsed->why, ND_ERR_INPUT, "%s:%llu: %s", nd_source_title(record->source),
            (unsigned long long)record->line, reason);
}

/* "FILE:LINE" */
static void place_of(const file_record *record, char *where, size_t size) {
    nd_format(where, size, "%s:%llu", nd_source_title(record->source),
              (unsigned long long)record->line);
}

static void fail_text_at(const file_record *record, const nd_made_text *made,
                         parsed_record *parsed) {
    char where[200];
    place_of(record, where, sizeof where);
    fail_text(where, made, parsed);
}

/* Converts the id of a row, which is in the encoding of its file. */
static nd_status decode_id(nd_record_reader *reader, const nd_source *source, nd_document *document,
                           nd_error *error) {
    const nd_raw_text raw = {.bytes = document->id,
                             .length = document->id_length,
                             .kind = ND_RAW_COLUMN,
                             .charset = source->encoding,
                             .charset_length = strlen(source->encoding)};
    nd_made_text made;
    ND_TRY(nd_text_make(reader->maker, &raw, &made, error));
    ND_TRY(reserve(reader, &reader->id, made.length + 1, error));
    memcpy(reader->id.bytes, made.text, made.length);
    document->id = reader->id.bytes;
    document->id_length = made.length;
    return ND_OK;
}

/* Makes a document of the values of a record. */
static nd_status set_values(nd_record_reader *reader, const file_record *record,
                            const nd_record_values *values, parsed_record *parsed,
                            nd_error *error) {
    nd_made_text made;
    const nd_source *source = record->source;
    bool column = source->columns.texts != NULL;
    const nd_raw_text raw = {.bytes = values->text,
                             .length = values->text_length,
                             .kind = column ? ND_RAW_COLUMN : ND_RAW_STRING,
                             .is_utf8 = !column, /* the parser of JSON has checked it */
                             .charset = source->encoding,
                             .charset_length = strlen(source->encoding)};
    parsed->document = (nd_document){.id = values->id,
                                     .id_length = values->id_length,
                                     .has_priority = values->has_priority,
                                     .priority = values->priority,
                                     .is_protected = values->is_protected,
                                     .label = {values->label, values->label_length}};
    if (column && (reader->corpus->converts || source->encoding[0]) && values->id)
        ND_TRY(decode_id(reader, source, &parsed->document, error));
    ND_TRY(make_text(reader, &raw, &made, parsed, error));
    if (made.fault[0]) fail_text_at(record, &made, parsed);
    return ND_OK;
}

static nd_status parse_json(nd_record_reader *reader, const file_record *record,
                            parsed_record *parsed, nd_error *error) {
    const nd_corpus_options *options = &reader->corpus->options;
    nd_record_values values;
    char reason[512];
    if (!reader->parser)
        ND_TRY(nd_json_parser_create(&options->fields, &reader->corpus->allocator, &reader->parser,
                                     error));
    nd_json_problem problem = nd_json_parse(reader->parser, record->bytes, record->length, &values,
                                            reason, sizeof reason);
    if (problem == ND_JSON_INVALID_TEXT && options->invalid == ND_INVALID_REPLACE) {
        const char *repaired;
        size_t length;
        problem = nd_json_repair(reader->parser, record->bytes, record->length, &repaired, &length);
        if (problem == ND_JSON_FINE)
            problem = nd_json_parse(reader->parser, repaired, length, &values, reason,
                                    sizeof reason);
    }
    if (problem == ND_JSON_NO_MEMORY) return nd_fail_memory(error, record->length, "a JSON record");
    if (problem == ND_JSON_FINE) return set_values(reader, record, &values, parsed, error);
    fail_at(record, reason, parsed);
    if (problem == ND_JSON_INVALID_TEXT) parsed->state = ND_RECORD_INVALID_TEXT;
    return ND_OK;
}

static nd_status parse_row(nd_record_reader *reader, const file_record *record,
                           parsed_record *parsed, nd_error *error) {
    nd_record_values values;
    char reason[200];
    nd_csv_problem problem = nd_csv_parse(&record->source->columns, record->bytes, record->length,
                                          &reader->corpus->allocator, &reader->row, &values, reason,
                                          sizeof reason);
    if (problem == ND_CSV_NO_MEMORY) return nd_fail_memory(error, record->length, "a row of CSV");
    if (problem == ND_CSV_BAD_ROW) {
        fail_at(record, reason, parsed);
        return ND_OK;
    }
    return set_values(reader, record, &values, parsed, error);
}

static nd_status parse_text(nd_record_reader *reader, const file_record *record,
                            parsed_record *parsed, nd_error *error) {
    const char *name = nd_source_title(record->source);
    const nd_raw_text raw = {.bytes = record->bytes, .length = record->length, .kind = ND_RAW_FILE};
    parsed->document = (nd_document){.id = name, .id_length = strlen(name), .priority = NAN};
    return set_text(reader, &raw, name, parsed, error);
}

/* ---- records of WARC */

/* Whether the payload's digest is that of the body, or of the body without its chunks: writers do
 * not agree on that. */
static bool has_other_payload(nd_record_reader *reader, const nd_warc_record *warc) {
    const nd_http_message transfer = {.transfer = warc->http.transfer};
    nd_span digest = warc->header.payload_digest, body = warc->body;
    if (nd_digest_compare(digest, body.bytes, body.length) != ND_DIGEST_OTHER) return false;
    nd_payload_problem problem = nd_payload_decode(&reader->payload, &transfer, body, body.length,
                                                   true, &reader->corpus->allocator, &body);
    return problem != ND_PAYLOAD_FINE ||
           nd_digest_compare(digest, body.bytes, body.length) == ND_DIGEST_OTHER;
}

/* Compares the digests of a record. That of the payload is only counted. Returns why the record is
 * bad, or NULL. */
static const char *check_digests(nd_record_reader *reader, const nd_warc_record *warc) {
    nd_digest_check block = nd_digest_compare(warc->header.block_digest, warc->block.bytes,
                                              warc->block.length);
    if (block == ND_DIGEST_OTHER)
        return "the block is damaged: its digest is not the WARC-Block-Digest of the record";
    if (warc->header.payload_digest.length > 0 && has_other_payload(reader, warc))
        atomic_fetch_add(&reader->corpus->other_digests, 1);
    return NULL;
}

/* Decodes the payload. A large one may have half the limit of a record, or what it has in the
 * record, because both are in memory. */
static nd_payload_problem decode_payload(nd_record_reader *reader, const nd_warc_record *warc,
                                         nd_span *out) {
    const nd_allocator *a = &reader->corpus->allocator;
    bool cut_off = warc->header.truncated;
    uint64_t most = reader->corpus->options.max_record,
             large = most / 2 > warc->body.length ? most / 2 : warc->body.length;
    size_t limit = most < ND_LARGE_RECORD ? (size_t)most : ND_LARGE_RECORD;
    nd_payload_problem problem = nd_payload_decode(&reader->payload, &warc->http, warc->body, limit,
                                                   cut_off, a, out);
    if (problem != ND_PAYLOAD_OVER || large <= limit) return problem;
    hold_payload_gate(reader);
    return nd_payload_decode(&reader->payload, &warc->http, warc->body, (size_t)large, cut_off, a,
                             out);
}

static bool is_html_type(nd_span type) {
    return nd_span_is(type, "text/html") || nd_span_is(type, "application/xhtml+xml");
}

/* Makes the text of a payload, whose Content-Type is warc->media. */
static nd_status payload_text(nd_record_reader *reader, const file_record *record,
                              const nd_warc_record *warc, nd_span payload, parsed_record *parsed,
                              nd_error *error) {
    char where[200];
    nd_span charset = nd_media_charset(warc->media);
    const nd_raw_text raw = {.bytes = payload.bytes,
                             .length = payload.length,
                             .kind = nd_warc_has_http(&warc->header) ? ND_RAW_PAGE : ND_RAW_FILE,
                             .is_html = is_html_type(nd_media_type(warc->media)),
                             .charset = charset.bytes,
                             .charset_length = charset.length};
    place_of(record, where, sizeof where);
    return set_text(reader, &raw, where, parsed, error);
}

/* Reads the date of a record: ISO 8601, or of ARC its digits YYYYMMDDhhmmss. */
static bool read_date(const nd_warc_header *header, double *seconds) {
    char iso[] = "0000-00-00T00:00:00";
    size_t digits = 0;
    if (!header->arc) return nd_iso_date_parse(header->date.bytes, header->date.length, seconds);
    for (size_t i = 0; iso[i] && digits < header->date.length; i++)
        if (iso[i] == '0') iso[i] = header->date.bytes[digits++];
    return digits == header->date.length && nd_iso_date_parse(iso, sizeof iso - 1, seconds);
}

/* Takes the date of a record as its priority, if that is the field of priorities: of ARC, too, it
 * is called WARC-Date. Returns why the record is bad, or NULL. */
static const char *take_date(const nd_record_reader *reader, const nd_warc_header *header,
                             nd_document *document) {
    const char *field = reader->corpus->options.fields.priority;
    const nd_span name = {field, field ? strlen(field) : 0};
    document->priority = NAN;
    if (!nd_span_is(name, "warc-date") || header->date.length == 0) return NULL;
    document->has_priority = read_date(header, &document->priority);
    return document->has_priority ? NULL : "its date is not one of ISO 8601";
}

/* Takes the field of labels out of the header of a record, such as
 * WARC-Identified-Content-Language. */
static void take_label(const nd_record_reader *reader, const char *bytes, size_t end,
                       nd_document *document) {
    const char *field = reader->corpus->options.fields.label;
    nd_span name, value;
    for (size_t at = 0; field && nd_header_next(bytes, &at, end, &name, &value);) {
        if (!nd_span_same(name, field)) continue;
        document->label = value;
        return;
    }
}

static nd_status parse_warc(nd_record_reader *reader, const file_record *record,
                            parsed_record *parsed, nd_error *error) {
    nd_warc_record warc;
    nd_span payload = {0};
    nd_payload_problem problem = ND_PAYLOAD_FINE;
    const char *fault = nd_warc_record_read(record->bytes, record->length, &warc);
    if (!fault && reader->corpus->options.digests && !record->again)
        fault = check_digests(reader, &warc);
    if (!fault) problem = decode_payload(reader, &warc, &payload);
    if (problem == ND_PAYLOAD_NO_MEMORY)
        return nd_fail_memory(error, record->length, "the payload of a record");
    if (problem != ND_PAYLOAD_FINE) fault = nd_payload_fault(problem);
    if (fault) {
        fail_at(record, fault, parsed);
        return ND_OK;
    }
    nd_span id = warc.header.id;
    parsed->document = (nd_document){.id = id.length > 0 ? id.bytes : NULL,
                                     .id_length = id.length,
                                     .uri = warc.header.uri,
                                     .date = warc.header.date};
    take_label(reader, record->bytes, warc.header.end, &parsed->document);
    fault = take_date(reader, &warc.header, &parsed->document);
    if (fault) {
        fail_at(record, fault, parsed);
        return ND_OK;
    }
    return payload_text(reader, record, &warc, payload, parsed, error);
}

static nd_status parse_file_record(nd_record_reader *reader, const file_record *record,
                                   parsed_record *parsed, nd_error *error) {
    switch (record->source->format) {
    case ND_FORMAT_CSV:
    case ND_FORMAT_TSV: return parse_row(reader, record, parsed, error);
    case ND_FORMAT_TEXT: return parse_text(reader, record, parsed, error);
    case ND_FORMAT_WARC: return parse_warc(reader, record, parsed, error);
    default: return parse_json(reader, record, parsed, error);
    }
}

/* ---- files with texts */

/* The format of a file of records in a directory of texts. Such a file is rejected: read as one
 * text, it would match none of the documents in its records. JSON may be a text, unless the name
 * says that each line is a document. ND_FORMAT_AUTO: it is a text. */
static nd_input_format format_of_records(const char *path, const char *bytes, size_t length) {
    size_t known = length < ND_RECOGNISE_BYTES ? length : ND_RECOGNISE_BYTES;
    nd_input_format found = nd_format_of_content(bytes, known);
    bool json = found == ND_FORMAT_JSON || found == ND_FORMAT_JSON_LINES;
    return json && nd_format_of_name(path) != ND_FORMAT_JSON_LINES ? ND_FORMAT_AUTO : found;
}

/* Whether a file of a directory is no text, by its first bytes: it has a NUL, as a file in UTF-16
 * without a mark does, or is of a kind that is known. */
static bool is_binary(const nd_record_reader *reader, const char *bytes, size_t length) {
    size_t known = length < ND_RECOGNISE_BYTES ? length : ND_RECOGNISE_BYTES, mark;
    bool told = nd_encoding_of_mark(bytes, known, &mark) || !reader->corpus->keeps_ascii;
    return nd_unread_kind(bytes, known) || (!told && memchr(bytes, 0, known));
}

static nd_status make_id(nd_record_reader *reader, const nd_source *source, const char *path,
                         nd_document *out, nd_error *error) {
    size_t prefix = nd_source_prefix(source), length = strlen(path);
    out->id = path;
    out->id_length = length;
    if (prefix == 0) return ND_OK;
    ND_TRY(reserve(reader, &reader->id, prefix + length, error));
    memcpy(reader->id.bytes, source->label, source->label_length);
    reader->id.bytes[prefix - 1] = '/';
    memcpy(reader->id.bytes + prefix, path, length);
    out->id = reader->id.bytes;
    out->id_length = prefix + length;
    return ND_OK;
}

static nd_status parse_file(nd_record_reader *reader, const nd_source *source, const char *path,
                            parsed_record *parsed, nd_error *error) {
    size_t length = 0;
    bool too_long = false;
    nd_status status = read_file(reader, source, path, &length, &too_long, parsed->why);
    if (status == ND_ERR_INPUT || status == ND_ERR_IO) {
        parsed->state = ND_RECORD_BAD;
        return ND_OK;
    }
    if (status != ND_OK) return nd_fail(error, status, "%s", parsed->why->message);
    bool found = !source->files && reader->corpus->options.format == ND_FORMAT_AUTO;
    nd_input_format records = found ? format_of_records(path, reader->file.bytes, length)
                                    : ND_FORMAT_AUTO;
    if (records != ND_FORMAT_AUTO) {
        parsed->state = ND_RECORD_BAD;
        nd_fail(parsed->why, ND_ERR_INPUT,
                "%s: %s in a directory of texts; --format (format) %s reads all its files as such, "
                "text reads each as one text",
                reader->path, nd_format_title(records), nd_input_format_name(records));
        return ND_OK;
    }
    if (!source->files && is_binary(reader, reader->file.bytes, length)) {
        parsed->state = ND_RECORD_BINARY;
        return ND_OK;
    }
    if (too_long) {
        parsed->state = ND_RECORD_BAD;
        nd_fail(parsed->why, ND_ERR_INPUT, "%s: over the limit of %llu bytes%s", reader->path,
                (unsigned long long)reader->corpus->options.max_record,
                reader->corpus->options.max_record_reason);
        return ND_OK;
    }
    const nd_raw_text raw = {.bytes = reader->file.bytes, .length = length, .kind = ND_RAW_FILE};
    parsed->document = (nd_document){.priority = NAN};
    ND_TRY(make_id(reader, source, path, &parsed->document, error));
    return set_text(reader, &raw, reader->path, parsed, error);
}

/* ---- records of a block */

/* Takes a text with its id and priority as they are. */
static nd_status take_row(nd_record_reader *reader, const nd_block *block,
                          const nd_raw_record *record, parsed_record *parsed, nd_error *error) {
    const nd_source *source = &reader->corpus->sources[block->source];
    bool has_id = record->id_start != SIZE_MAX;
    char where[200];
    const nd_raw_text raw = {.bytes = source->place == ND_IN_MEMORY
                                          ? nd_source_text_at(record->offset)
                                          : block->bytes + record->start,
                             .length = record->length,
                             .kind = ND_RAW_STRING};
    parsed->document = (nd_document){.id = has_id ? block->bytes + record->id_start : NULL,
                                     .id_length = has_id ? record->id_length : 0,
                                     .has_priority = !isnan(record->priority),
                                     .priority = record->priority,
                                     .is_protected = record->is_protected};
    if (record->label_start != SIZE_MAX)
        parsed->document.label = (nd_span){block->bytes + record->label_start,
                                           record->label_length};
    nd_format(where, sizeof where, source->kind == ND_SOURCE_CALLBACK ? "%s %llu" : "%s:%llu",
              source->name, (unsigned long long)record->line);
    return set_text(reader, &raw, where, parsed, error);
}

static nd_status parse_record(nd_record_reader *reader, const nd_block *block,
                              const nd_raw_record *record, parsed_record *parsed, nd_error *error) {
    const nd_source *source = &reader->corpus->sources[block->source];
    const char *bytes = block->bytes + record->start;
    if (record->too_long && source->kind != ND_SOURCE_TREE) {
        parsed->state = ND_RECORD_BAD;
        nd_fail(parsed->why, ND_ERR_INPUT, "%s:%llu: the record is over the limit of %llu bytes%s",
                nd_source_title(source), (unsigned long long)record->line,
                (unsigned long long)reader->corpus->options.max_record,
                reader->corpus->options.max_record_reason);
        return ND_OK;
    }
    if (source->kind == ND_SOURCE_TREE) return parse_file(reader, source, bytes, parsed, error);
    const file_record of_file = {source, bytes, record->length, record->line, false};
    if (record->fault) {
        fail_at(&of_file, record->fault, parsed);
        return ND_OK;
    }
    if (nd_source_has_rows(source)) return take_row(reader, block, record, parsed, error);
    return parse_file_record(reader, &of_file, parsed, error);
}

nd_status nd_record_reader_parse(nd_record_reader *reader, const nd_block *block, size_t index,
                                 nd_document *out, nd_record_state *state, nd_error *why,
                                 nd_error *error) {
    parsed_record parsed = {.state = ND_RECORD_FINE, .why = why};
    ND_TRY(parse_record(reader, block, &block->records[index], &parsed, error));
    *state = parsed.state;
    *out = parsed.document;
    return ND_OK;
}

/* ---- records by their offsets */

/* Opens a plain input, unless it is open, and checks that it is still the same file. */
static nd_status open_source(nd_record_reader *reader, size_t index, int *fd, nd_error *error) {
    size_t slot = index % OPEN_FILES;
    if (reader->open[slot].fd >= 0 && reader->open[slot].source == index) {
        *fd = reader->open[slot].fd;
        return ND_OK;
    }
    const nd_source *source = &reader->corpus->sources[index];
    int opened = nd_open(source->name, O_RDONLY | O_NONBLOCK, 0);
    if (opened < 0) return nd_fail_os(error, errno, "%s: cannot open it again", source->name);
    struct stat s;
    if (fstat(opened, &s) != 0 || !nd_source_is(source, &s)) {
        close(opened);
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read", source->name);
    }
    if (reader->open[slot].fd >= 0) close(reader->open[slot].fd);
    reader->open[slot].fd = *fd = opened;
    reader->open[slot].source = index;
    return ND_OK;
}

nd_status nd_record_reader_read(nd_record_reader *reader, size_t index, uint64_t offset,
                                size_t length, char *to, nd_error *error) {
    const nd_source *source = &reader->corpus->sources[index];
    int fd = -1;
    switch (source->place) {
    case ND_IN_SPOOL: return nd_spool_read(&reader->corpus->spool, to, length, offset, error);
    case ND_IN_MEMORY: memcpy(to, nd_source_text_at(offset), length); return ND_OK;
    case ND_IN_FILE: break;
    }
    ND_TRY(open_source(reader, index, &fd, error));
    return nd_file_read_at(fd, to, length, offset, source->name, error);
}

nd_status nd_record_reader_fetch(nd_record_reader *reader, size_t index, uint64_t offset,
                                 size_t length, const char **bytes, nd_error *error) {
    if (length > ND_LARGE_RECORD) hold_gate(reader);
    ND_TRY(reserve(reader, &reader->record, length + ND_JSON_PADDING, error));
    ND_TRY(nd_record_reader_read(reader, index, offset, length, reader->record.bytes, error));
    memset(reader->record.bytes + length, 0, ND_JSON_PADDING);
    *bytes = reader->record.bytes;
    return ND_OK;
}

/* Reads the bytes of a source from `offset` on. */
static nd_status read_ahead(nd_record_reader *reader, size_t index, uint64_t offset,
                            nd_error *error) {
    const nd_allocator *a = &reader->corpus->allocator;
    const nd_source *source = &reader->corpus->sources[index];
    ahead_buffer *ahead = &reader->ahead;
    uint64_t left = source->size > offset ? source->size - offset : 0;
    if (!ahead->bytes) ahead->bytes = nd_allocate(a, AHEAD_BYTES + ND_JSON_PADDING, 1);
    if (!ahead->bytes) return nd_fail_memory(error, AHEAD_BYTES, "records");
    ahead->size = 0; /* if the reading fails */
    size_t size = left < AHEAD_BYTES ? (size_t)left : AHEAD_BYTES;
    ND_TRY(nd_record_reader_read(reader, index, offset, size, ahead->bytes, error));
    memset(ahead->bytes + size, 0, ND_JSON_PADDING);
    memset(ahead->aside, 0, ND_JSON_PADDING);
    ahead->source = index;
    ahead->offset = offset;
    ahead->size = ahead->fetched = size;
    return ND_OK;
}

/* Whether a record is in the bytes that were read ahead. */
static bool is_ahead(const ahead_buffer *ahead, size_t source, uint64_t offset, size_t length) {
    return ahead->size > 0 && ahead->source == source && offset >= ahead->offset &&
           offset - ahead->offset <= ahead->size &&
           length <= ahead->size - (size_t)(offset - ahead->offset);
}

nd_status nd_record_reader_fetch_ahead(nd_record_reader *reader, size_t index, uint64_t offset,
                                       size_t length, const char **bytes, nd_error *error) {
    const nd_source *source = &reader->corpus->sources[index];
    ahead_buffer *ahead = &reader->ahead;
    if (source->place != ND_IN_FILE || length > AHEAD_BYTES / 4)
        return nd_record_reader_fetch(reader, index, offset, length, bytes, error);
    if (ahead->size > 0) memcpy(ahead->bytes + ahead->fetched, ahead->aside, ND_JSON_PADDING);
    if (!is_ahead(ahead, index, offset, length)) ND_TRY(read_ahead(reader, index, offset, error));
    if (!is_ahead(ahead, index, offset, length))
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read", source->name);
    char *record = ahead->bytes + (size_t)(offset - ahead->offset);
    ahead->fetched = (size_t)(record - ahead->bytes) + length;
    memcpy(ahead->aside, record + length, ND_JSON_PADDING);
    memset(record + length, 0, ND_JSON_PADDING);
    *bytes = record;
    return ND_OK;
}

nd_status nd_record_reader_fetch_origin(nd_record_reader *reader, size_t index, uint64_t offset,
                                        size_t length, nd_span *uri, nd_span *date,
                                        nd_error *error) {
    const char *bytes = NULL;
    nd_warc_record warc;
    size_t head = length < ND_HEADER_BYTES ? length : ND_HEADER_BYTES;
    ND_TRY(nd_record_reader_fetch(reader, index, offset, head, &bytes, error));
    /* Of a record whose HTTP header is not in these bytes, too, the header is read. */
    (void)nd_warc_record_read(bytes, head, &warc);
    *uri = warc.header.uri;
    *date = warc.header.date;
    return ND_OK;
}

nd_status nd_record_reader_fetch_text(nd_record_reader *reader, size_t index, uint64_t offset,
                                      size_t length, const char **text, size_t *text_length,
                                      nd_error *error) {
    const nd_source *source = &reader->corpus->sources[index];
    const char *bytes = NULL;
    if (source->place == ND_IN_MEMORY) {
        if (length > ND_LARGE_RECORD) hold_gate(reader);
        bytes = nd_source_text_at(offset);
    } else ND_TRY(nd_record_reader_fetch(reader, index, offset, length, &bytes, error));
    nd_error why;
    parsed_record parsed = {.why = &why};
    const nd_raw_text given = {.bytes = bytes, .length = length, .kind = ND_RAW_STRING};
    const file_record record = {source, bytes, length, 0, true};
    if (nd_source_has_rows(source)) ND_TRY(set_text(reader, &given, source->name, &parsed, error));
    else if (source->kind == ND_SOURCE_TREE)
        ND_TRY(parse_file(reader, source, bytes, &parsed, error));
    else ND_TRY(parse_file_record(reader, &record, &parsed, error));
    if (parsed.state != ND_RECORD_FINE)
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read: %s", source->name,
                       why.message);
    *text = parsed.document.text;
    *text_length = parsed.document.length;
    return ND_OK;
}
