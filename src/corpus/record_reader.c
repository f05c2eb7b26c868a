/* From record to text, for one thread. */
#include "base/format.h"
#include "corpus/corpus_inside.h"
#include "unicode/utf8_repair.h"
#include "io/file.h"
#include "kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open descriptors of plain inputs, one of a few by the source's number: inputs may be more than
 * descriptors. */
enum { OPEN_FILES = 8 };

typedef struct growing {
    char *bytes;
    size_t capacity;
} growing;

struct nd_reader {
    nd_corpus *corpus;
    nd_json_parser *parser;
    growing record; /* fetched bytes */
    growing file;   /* a tree's file */
    growing mended; /* text with U+FFFD */
    char *path;
    growing id; /* of a tree's file, where it is not its path */
    bool holds_gate;
    struct {
        size_t source;
        int fd;
    } open[OPEN_FILES];
};

nd_status nd_reader_create(nd_corpus *corpus, nd_reader **out, nd_error *error) {
    nd_reader *reader = nd_allocate_zero(&corpus->allocator, 1, sizeof *reader);
    if (!reader) return nd_fail_memory(error, sizeof *reader, "a reader");
    reader->corpus = corpus;
    for (size_t i = 0; i < OPEN_FILES; i++) reader->open[i].fd = -1;
    if (corpus->source_count > 0 && corpus->sources[0].kind == ND_SOURCE_LINES) {
        nd_status status = nd_json_parser_create(&corpus->options.fields, &corpus->allocator,
                                                 &reader->parser, error);
        if (status != ND_OK) {
            nd_reader_free(reader);
            return status;
        }
    }
    *out = reader;
    return ND_OK;
}

static void hold_gate(nd_reader *reader) {
    if (!reader->holds_gate) pthread_mutex_lock(&reader->corpus->gate);
    reader->holds_gate = true;
}

void nd_reader_let_go(nd_reader *reader) {
    if (!reader->holds_gate) return;
    growing *buffers[] = {&reader->record, &reader->file, &reader->mended};
    for (size_t i = 0; i < 3; i++) {
        nd_release(&reader->corpus->allocator, buffers[i]->bytes);
        *buffers[i] = (growing){0};
    }
    pthread_mutex_unlock(&reader->corpus->gate);
    reader->holds_gate = false;
}

void nd_reader_free(nd_reader *reader) {
    if (!reader) return;
    nd_reader_let_go(reader);
    nd_allocator allocator = reader->corpus->allocator;
    for (size_t i = 0; i < OPEN_FILES; i++)
        if (reader->open[i].fd >= 0) close(reader->open[i].fd);
    nd_json_parser_free(reader->parser);
    nd_release(&allocator, reader->record.bytes);
    nd_release(&allocator, reader->file.bytes);
    nd_release(&allocator, reader->mended.bytes);
    nd_release(&allocator, reader->id.bytes);
    nd_release(&allocator, reader->path);
    nd_release(&allocator, reader);
}

static nd_status room(nd_reader *reader, growing *buffer, size_t size, nd_error *error) {
    const nd_allocator *allocator = &reader->corpus->allocator;
    return nd_reserve(allocator, &buffer->bytes, &buffer->capacity, size)
               ? ND_OK
               : nd_fail_memory(error, size, "a record");
}

/* ---- the text of a file in a tree */

/* Whatever has taken the place of the file that the walk saw, opening it does not wait. */
static nd_status open_file(const nd_reader *reader, int *fd, nd_error *error) {
    struct stat is;
    *fd = nd_open(reader->path,
                  O_RDONLY | O_NONBLOCK | (reader->corpus->options.follow_links ? 0 : O_NOFOLLOW),
                  0);
    bool opened = *fd >= 0;
    if (!opened && errno != ELOOP && errno != ENXIO)
        return nd_fail_os(error, errno, "%s", reader->path);
    if (opened && fstat(*fd, &is) == 0 && S_ISREG(is.st_mode)) return ND_OK;
    if (opened) close(*fd);
    return nd_fail(error, ND_ERR_INPUT, "%s: not a regular file any more", reader->path);
}

/* With a window that may take the memory of so much. */
static nd_status read_opened(nd_reader *reader, uint64_t memory, size_t *length, bool *too_long,
                             bool *window_refused, nd_error *error) {
    const nd_stream_in_options options = {&reader->corpus->allocator,
                                          reader->corpus->options.progress, memory};
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
        status = room(reader, &reader->file, size + want + ND_JSON_PADDING, error);
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

/* Reads a whole file, decompressed, of at most max_record bytes. Several threads may do so, but
 * only one at a time with a large window. */
static nd_status read_file(nd_reader *reader, const char *root, const char *path, size_t *length,
                           bool *too_long, nd_error *error) {
    const nd_allocator *allocator = &reader->corpus->allocator;
    uint64_t memory = reader->corpus->options.memory,
             little = (uint64_t)ND_LARGE_RECORD * ND_WINDOW_SHARE;
    bool window_refused = false;
    nd_release(allocator, reader->path);
    reader->path = nd_string_join(allocator, root, "/", path);
    if (!reader->path) return nd_fail_memory(error, strlen(path), "a path");
    nd_status status = read_opened(reader, little < memory ? little : memory, length, too_long,
                                   &window_refused, error);
    if (!window_refused) return status;
    hold_gate(reader);
    return read_opened(reader, memory, length, too_long, &window_refused, error);
}

/* ---- invalid text of trees and callbacks */

static nd_status mend_text(nd_reader *reader, nd_document *document, nd_error *error) {
    size_t length = nd_utf8_repair(document->text, document->length, NULL);
    ND_TRY(room(reader, &reader->mended, length + 1, error));
    nd_utf8_repair(document->text, document->length, reader->mended.bytes);
    document->text = reader->mended.bytes;
    document->length = length;
    return ND_OK;
}

static nd_status check_text(nd_reader *reader, const char *where, nd_document *document,
                            nd_record_state *state, nd_error *why, nd_error *error) {
    size_t valid = nd_kernel_get()->utf8_valid_prefix(document->text, document->length);
    if (valid == document->length) return ND_OK;
    if (reader->corpus->options.invalid == ND_INVALID_REPLACE)
        return mend_text(reader, document, error);
    *state = ND_RECORD_INVALID_TEXT;
    nd_fail(why, ND_ERR_INPUT, "%s: invalid UTF-8 at byte %zu", where, valid);
    return ND_OK;
}

/* ---- parsing */

static nd_status parse_line(nd_reader *reader, const char *name, uint64_t line, const char *bytes,
                            size_t length, nd_document *out, nd_record_state *state, nd_error *why,
                            nd_error *error) {
    nd_json_record record;
    char reason[512];
    nd_json_problem problem = nd_json_parse(reader->parser, bytes, length, &record, reason,
                                            sizeof reason);
    if (problem == ND_JSON_INVALID_TEXT && reader->corpus->options.invalid == ND_INVALID_REPLACE) {
        const char *mended;
        size_t mended_length;
        problem = nd_json_repair(reader->parser, bytes, length, &mended, &mended_length);
        if (problem == ND_JSON_FINE)
            problem = nd_json_parse(reader->parser, mended, mended_length, &record, reason,
                                    sizeof reason);
    }
    if (problem == ND_JSON_NO_MEMORY) return nd_fail_memory(error, length, "a JSON record");
    if (problem != ND_JSON_FINE) {
        *state = problem == ND_JSON_INVALID_TEXT ? ND_RECORD_INVALID_TEXT : ND_RECORD_BAD;
        nd_fail(why, ND_ERR_INPUT, "%s:%llu: %s", name, (unsigned long long)line, reason);
        return ND_OK;
    }
    *out = (nd_document){record.text,      record.text_length,  record.id,
                         record.id_length, record.has_priority, record.priority};
    return ND_OK;
}

/* ---- files of trees */

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t size = strlen(end);
    return length > size && memcmp(text + length - size, end, size) == 0;
}

/* A file named and begun like JSON Lines: as one text it would be compared with nothing that it
 * should be compared with. */
static bool is_json_lines(const char *path, const char *bytes, size_t length) {
    static const char *const compressed[] = {".gz", ".zst"};
    size_t name = strlen(path);
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (ends_with(path, name, compressed[i])) name -= strlen(compressed[i]);
    if (!ends_with(path, name, ".jsonl") && !ends_with(path, name, ".ndjson")) return false;
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) bytes += 3, length -= 3;
    for (; length > 0 && (*bytes == ' ' || *bytes == '\t' || *bytes == '\r' || *bytes == '\n');
         length--)
        bytes++;
    return length > 0 && *bytes == '{';
}

static nd_status find_id(nd_reader *reader, const nd_source *source, const char *path,
                         nd_document *out, nd_error *error) {
    size_t prefix = nd_source_prefix(source), length = strlen(path);
    out->id = path;
    out->id_length = length;
    if (prefix == 0) return ND_OK;
    ND_TRY(room(reader, &reader->id, prefix + length, error));
    memcpy(reader->id.bytes, source->label, source->label_length);
    reader->id.bytes[prefix - 1] = '/';
    memcpy(reader->id.bytes + prefix, path, length);
    out->id = reader->id.bytes;
    out->id_length = prefix + length;
    return ND_OK;
}

static nd_status parse_file(nd_reader *reader, const nd_source *source, const char *path,
                            nd_document *out, nd_record_state *state, nd_error *why,
                            nd_error *error) {
    size_t length = 0;
    bool too_long = false;
    nd_status status = read_file(reader, source->name, path, &length, &too_long, why);
    if (status == ND_ERR_INPUT || status == ND_ERR_IO) {
        *state = ND_RECORD_BAD;
        return ND_OK;
    }
    if (status != ND_OK) return nd_fail(error, status, "%s", why->message);
    if (is_json_lines(path, reader->file.bytes, length)) {
        *state = ND_RECORD_BAD;
        nd_fail(why, ND_ERR_INPUT,
                "%s: JSON Lines, and a file in a directory is one text; such files are named "
                "themselves, as in neardup dedup DIR/*.jsonl",
                reader->path);
        return ND_OK;
    }
    if (too_long) {
        *state = ND_RECORD_BAD;
        nd_fail(why, ND_ERR_INPUT, "%s: over the limit of %llu bytes%s", reader->path,
                (unsigned long long)reader->corpus->options.max_record,
                reader->corpus->options.max_record_reason);
        return ND_OK;
    }
    *out = (nd_document){.text = reader->file.bytes, .length = length, .priority = NAN};
    ND_TRY(find_id(reader, source, path, out, error));
    return check_text(reader, reader->path, out, state, why, error);
}

nd_status nd_reader_parse(nd_reader *reader, const nd_block *block, size_t index, nd_document *out,
                          nd_record_state *state, nd_error *why, nd_error *error) {
    const nd_source *source = &reader->corpus->sources[block->source];
    const nd_raw_record *record = &block->records[index];
    *state = ND_RECORD_FINE;
    if (record->too_long && source->kind != ND_SOURCE_TREE) {
        *state = ND_RECORD_BAD;
        nd_fail(why, ND_ERR_INPUT, "%s:%llu: the record is over the limit of %llu bytes%s",
                nd_source_title(source), (unsigned long long)record->line,
                (unsigned long long)reader->corpus->options.max_record,
                reader->corpus->options.max_record_reason);
        return ND_OK;
    }
    const char *bytes = block->bytes + record->start;
    if (source->kind == ND_SOURCE_LINES)
        return parse_line(reader, nd_source_title(source), record->line, bytes, record->length, out,
                          state, why, error);
    if (source->kind == ND_SOURCE_TREE)
        return parse_file(reader, source, bytes, out, state, why, error);
    *out = (nd_document){bytes, record->length,           NULL,
                         0,     !isnan(record->priority), record->priority};
    if (record->id_start != SIZE_MAX) {
        out->id = block->bytes + record->id_start;
        out->id_length = record->id_length;
    }
    char where[64];
    nd_format(where, sizeof where, "record %llu", (unsigned long long)record->line);
    return check_text(reader, where, out, state, why, error);
}

/* ---- fetching */

/* A descriptor of a plain input, if it is still the file that was read. */
static nd_status open_source(nd_reader *reader, size_t index, int *fd, nd_error *error) {
    size_t slot = index % OPEN_FILES;
    if (reader->open[slot].fd >= 0 && reader->open[slot].source == index) {
        *fd = reader->open[slot].fd;
        return ND_OK;
    }
    const nd_source *source = &reader->corpus->sources[index];
    int opened = nd_open(source->name, O_RDONLY | O_NONBLOCK, 0);
    if (opened < 0) return nd_fail_os(error, errno, "%s: cannot open it again", source->name);
    struct stat s;
    bool same = fstat(opened, &s) == 0 && (uint64_t)s.st_dev == source->device &&
                (uint64_t)s.st_ino == source->inode && (uint64_t)s.st_size == source->size &&
                (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec == source->modified;
    if (!same) {
        close(opened);
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read", source->name);
    }
    if (reader->open[slot].fd >= 0) close(reader->open[slot].fd);
    reader->open[slot].fd = *fd = opened;
    reader->open[slot].source = index;
    return ND_OK;
}

nd_status nd_reader_read(nd_reader *reader, size_t index, uint64_t place, size_t length, char *to,
                         nd_error *error) {
    const nd_source *source = &reader->corpus->sources[index];
    if (source->in_spool) return nd_spool_read(&reader->corpus->spool, to, length, place, error);
    int fd = -1;
    ND_TRY(open_source(reader, index, &fd, error));
    return nd_file_read_at(fd, to, length, place, source->name, error);
}

nd_status nd_reader_fetch(nd_reader *reader, size_t index, uint64_t place, size_t length,
                          const char **bytes, nd_error *error) {
    if (length > ND_LARGE_RECORD) hold_gate(reader);
    ND_TRY(room(reader, &reader->record, length + ND_JSON_PADDING, error));
    ND_TRY(nd_reader_read(reader, index, place, length, reader->record.bytes, error));
    memset(reader->record.bytes + length, 0, ND_JSON_PADDING);
    *bytes = reader->record.bytes;
    return ND_OK;
}

nd_status nd_reader_fetch_text(nd_reader *reader, size_t index, uint64_t place, size_t length,
                               const char **text, size_t *text_length, nd_error *error) {
    const nd_source *source = &reader->corpus->sources[index];
    const char *bytes = NULL;
    ND_TRY(nd_reader_fetch(reader, index, place, length, &bytes, error));
    nd_document document = {bytes, length, NULL, 0, false, NAN};
    nd_record_state state = ND_RECORD_FINE;
    nd_error why;
    if (source->kind == ND_SOURCE_LINES)
        ND_TRY(parse_line(reader, source->name, 0, bytes, length, &document, &state, &why, error));
    if (source->kind == ND_SOURCE_TREE)
        ND_TRY(parse_file(reader, source, bytes, &document, &state, &why, error));
    if (source->kind == ND_SOURCE_CALLBACK)
        ND_TRY(check_text(reader, "record", &document, &state, &why, error));
    if (state != ND_RECORD_FINE)
        return nd_fail(error, ND_ERR_IO, "%s: changed while it was read: %s", source->name,
                       why.message);
    *text = document.text;
    *text_length = document.length;
    return ND_OK;
}
