#include "repeats/cut_writer.h"

#include "corpus/json_strings.h"
#include "unicode/utf8_repair.h"

#include <string.h>

/* Bytes that are written at once, a multiple of ND_DIRECT_ALIGNMENT: direct writing needs that. */
enum { PIECE_BYTES = ND_LIMIT(1 << 20, 1 << 12) };

nd_document_place nd_document_place_of(const nd_scan_item *item) {
    return (nd_document_place){.offset = item->record->offset,
                               .text_length = item->document->length,
                               .length = (uint32_t)item->record->length};
}

/* ---- opening */

static bool has_rows(const nd_source *source) {
    return source->format == ND_FORMAT_CSV || source->format == ND_FORMAT_TSV;
}

/* Checks that the texts of a source are as its records have them. */
static nd_status check_source(const nd_cut_writer *w, const nd_source *source, nd_error *error) {
    if (!nd_record_cuts_can(source)) return ND_OK;
    const char *name = nd_source_title(source);
    if (w->pages == ND_PAGES_TEXT || w->pages == ND_PAGES_MAIN)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: --html (html) changes the texts of records, which then cannot be cut: "
                       "write them with neardup text first",
                       name);
    return has_rows(source) && (nd_corpus_converts(w->corpus) || source->encoding[0])
               ? nd_fail(error, ND_ERR_ARGUMENT,
                         "%s: columns that are not in UTF-8 cannot be cut: iconv converts a file "
                         "to UTF-8",
                         name)
               : ND_OK;
}

static nd_status open_output(nd_cut_writer *w, const char *name, nd_error *error) {
    size_t length = strlen(name);
    bool directory = length > 0 && name[length - 1] == '/';
    for (size_t s = 0; s < nd_corpus_sources(w->corpus); s++)
        ND_TRY(check_source(w, nd_corpus_source(w->corpus, s), error));
    if (!directory)
        return nd_output_file_open(name, w->run->progress, &w->run->allocator, &w->file, error);
    for (size_t s = 0; s < nd_corpus_sources(w->corpus); s++)
        if (nd_corpus_source(w->corpus, s)->kind != ND_SOURCE_TREE)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: a directory is for the texts of directories: records go to a file",
                           name);
    return nd_output_tree_open(name, &w->run->allocator, &w->tree, error);
}

nd_status nd_cut_writer_open(const nd_run *run, nd_corpus *corpus, const nd_input_options *input,
                             const char *name, nd_cut_writer *w, nd_error *error) {
    *w = (nd_cut_writer){
        .run = run, .corpus = corpus, .pages = input->html, .invalid = input->invalid};
    w->fields = (nd_record_fields){.texts = input->text_fields,
                                   .text_count = input->text_field_count};
    w->cuts = (nd_record_cuts){.allocator = run->allocator, .fields = &w->fields};
    w->line.allocator = run->allocator;
    ND_TRY(nd_record_reader_create(corpus, &w->reader, error));
    w->memory = nd_output_pieces_allocate(&run->allocator, 2 * PIECE_BYTES, &w->piece);
    if (!w->memory) return nd_fail_memory(error, PIECE_BYTES, "records");
    w->full = w->piece + PIECE_BYTES;
    ND_TRY(nd_async_task_create(&run->allocator, &w->writing, error));
    return name ? open_output(w, name, error) : ND_OK;
}

void nd_cut_writer_free(nd_cut_writer *w) {
    if (!w->run) return;
    const nd_allocator *a = &w->run->allocator;
    nd_async_task_free(w->writing);
    nd_record_reader_free(w->reader);
    nd_record_cuts_free(&w->cuts);
    nd_output_file_free(w->file);
    nd_output_tree_free(w->tree);
    nd_release(a, w->line.bytes);
    nd_release(a, w->text);
    nd_release(a, w->repaired);
    nd_release(a, w->memory);
}

/* ---- the file */

/* nd_async_task_fn */
static nd_status write_full(void *context, nd_error *error) {
    nd_cut_writer *w = context;
    return nd_output_file_write(w->file, w->full, PIECE_BYTES, error);
}

/* Makes room in the piece. A full one is written while the next one is filled. */
static nd_status make_room(nd_cut_writer *w, nd_error *error) {
    if (w->piece_size < PIECE_BYTES) return ND_OK;
    ND_TRY(nd_async_task_wait(w->writing, error));
    char *empty = w->full;
    w->full = w->piece;
    w->piece = empty;
    w->piece_size = 0;
    nd_async_task_start(w->writing, write_full, w);
    return ND_OK;
}

static nd_status put(nd_cut_writer *w, const char *bytes, size_t size, nd_error *error) {
    while (size > 0) {
        ND_TRY(make_room(w, error));
        size_t room = PIECE_BYTES - w->piece_size, n = size < room ? size : room;
        memcpy(w->piece + w->piece_size, bytes, n);
        w->piece_size += n;
        bytes += n;
        size -= n;
    }
    return ND_OK;
}

/* ---- texts */

nd_status nd_cut_writer_text(nd_cut_writer *w, const nd_document_place *place, const char **text,
                             nd_error *error) {
    size_t length;
    nd_record_reader_release(w->reader);
    ND_TRY(nd_record_reader_fetch_text(w->reader, place->source, place->offset, place->length, text,
                                       &length, error));
    return length == place->text_length
               ? ND_OK
               : nd_fail(error, ND_ERR_IO, "%s: changed while it was read",
                         nd_source_title(nd_corpus_source(w->corpus, place->source)));
}

/* Fills w->text with the text of a document without the spans. */
static nd_status cut_text(nd_cut_writer *w, const nd_document_place *place,
                          const nd_text_span *spans, size_t count, size_t *length,
                          nd_error *error) {
    const char *text;
    size_t done = 0;
    ND_TRY(nd_cut_writer_text(w, place, &text, error));
    if (!nd_reserve(&w->run->allocator, &w->text, &w->text_capacity, place->text_length + 1))
        return nd_fail_memory(error, place->text_length, "a text");
    *length = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? spans[i].begin : (size_t)place->text_length;
        memcpy(w->text + *length, text + done, end - done);
        *length += end - done;
        if (i < count) done = spans[i].end;
    }
    return ND_OK;
}

/* The path of a document's file in the new directory. NULL: it leads out of it. */
static const char *path_inside(const char *path) {
    while (path[0] == '/' || (path[0] == '.' && path[1] == '/')) path++;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == 0)) return NULL;
    }
    return path;
}

static nd_status write_text_file(nd_cut_writer *w, const nd_id_buffer *id, size_t length,
                                 nd_error *error) {
    nd_output_part *part = NULL;
    w->line.size = 0;
    ND_TRY(nd_json_put(&w->line, id->id, id->length, error));
    ND_TRY(nd_json_put(&w->line, "", 1, error));
    const char *path = path_inside(w->line.bytes);
    if (!path)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: its name leads out of the output directory",
                       w->line.bytes);
    ND_TRY(nd_output_part_create(w->tree, path, &part, error));
    nd_status status = nd_output_part_write(part, w->text, length, error);
    if (status == ND_OK) status = nd_output_part_finish(part, &w->tree_bytes, error);
    nd_output_part_free(part);
    return status;
}

static nd_status write_object(nd_cut_writer *w, const nd_id_buffer *id, size_t length,
                              nd_error *error) {
    nd_json_out *line = &w->line;
    line->size = 0;
    ND_TRY(nd_json_put(line, "{\"id\":", 6, error));
    ND_TRY(nd_json_put_string(line, id->id, id->length, ND_JSON_LETTERS, error));
    ND_TRY(nd_json_put(line, ",\"text\":", 8, error));
    ND_TRY(nd_json_put_string(line, w->text, length, ND_JSON_LETTERS, error));
    ND_TRY(nd_json_put(line, "}\n", 2, error));
    return put(w, line->bytes, line->size, error);
}

static nd_status add_text(nd_cut_writer *w, const nd_document_place *place, const nd_id_buffer *id,
                          const nd_text_span *spans, size_t count, nd_error *error) {
    size_t length = 0;
    ND_TRY(cut_text(w, place, spans, count, &length, error));
    return w->tree ? write_text_file(w, id, length, error) : write_object(w, id, length, error);
}

/* ---- records */

/* Writes records that follow each other in their file, with one newline behind each. */
static nd_status copy_pending(nd_cut_writer *w, nd_error *error) {
    nd_pending_run *run = &w->pending;
    if (run->begin == run->end) return ND_OK;
    while (run->begin < run->end) {
        ND_TRY(make_room(w, error));
        uint64_t left = run->end - run->begin;
        size_t room = PIECE_BYTES - w->piece_size, n = left < room ? (size_t)left : room;
        ND_TRY(nd_record_reader_read(w->reader, run->source, run->begin, n,
                                     w->piece + w->piece_size, error));
        run->begin += n;
        w->piece_size += n;
    }
    return put(w, "\n", 1, error);
}

/* Copies a record as it is. In a file of lines, the next one is a newline behind it. */
static nd_status copy_record(nd_cut_writer *w, const nd_document_place *place, nd_error *error) {
    nd_pending_run *run = &w->pending;
    const nd_source *source = nd_corpus_source(w->corpus, place->source);
    if (run->begin < run->end && run->source == place->source && run->end + 1 == place->offset &&
        source->place == ND_IN_FILE) {
        run->end += 1 + (uint64_t)place->length;
        return ND_OK;
    }
    ND_TRY(copy_pending(w, error));
    *run = (nd_pending_run){place->offset, place->offset + place->length, place->source};
    return ND_OK;
}

/* Replaces what is malformed, as it was replaced when the record was read. */
static nd_status repair(nd_cut_writer *w, bool rows, const char **record, size_t *length,
                        nd_error *error) {
    size_t size = rows ? nd_utf8_repair(*record, *length, NULL)
                       : nd_json_repaired_size(*record, *length);
    if (!nd_reserve(&w->run->allocator, &w->repaired, &w->repaired_capacity,
                    size + ND_JSON_PADDING))
        return nd_fail_memory(error, size, "a record");
    if (rows) nd_utf8_repair(*record, *length, w->repaired);
    else nd_json_write_repaired(*record, *length, w->repaired);
    memset(w->repaired + size, 0, ND_JSON_PADDING);
    *record = w->repaired;
    *length = size;
    return ND_OK;
}

static nd_status cut_record(nd_cut_writer *w, const nd_source *source,
                            const nd_document_place *place, const nd_text_span *spans, size_t count,
                            nd_error *error) {
    const char *record;
    size_t length = place->length;
    ND_TRY(copy_pending(w, error));
    ND_TRY(nd_record_reader_fetch_ahead(w->reader, place->source, place->offset, length, &record,
                                        error));
    if (w->invalid == ND_INVALID_REPLACE)
        ND_TRY(repair(w, has_rows(source), &record, &length, error));
    ND_TRY(nd_record_cuts_make(&w->cuts, source, record, length, (size_t)place->text_length, spans,
                               count, error));
    char *line = w->cuts.record;
    for (size_t i = 0; source->format == ND_FORMAT_JSON && i < w->cuts.length; i++)
        if (line[i] == '\n' || line[i] == '\r') line[i] = ' '; /* white space of JSON */
    ND_TRY(put(w, line, w->cuts.length, error));
    return put(w, "\n", 1, error);
}

/* The header of a table stands before its first record. Those of all files are the same. */
static nd_status write_header(nd_cut_writer *w, nd_error *error) {
    for (size_t s = 0; !w->has_header && s < nd_corpus_sources(w->corpus); s++) {
        const nd_source *source = nd_corpus_source(w->corpus, s);
        if (!has_rows(source) || !source->header) continue;
        w->has_header = true;
        ND_TRY(put(w, source->header, source->header_length, error));
        ND_TRY(put(w, "\n", 1, error));
    }
    w->has_header = true;
    return ND_OK;
}

bool nd_cut_writer_has_ids(const nd_cut_writer *w, const nd_document_place *place) {
    return !nd_record_cuts_can(nd_corpus_source(w->corpus, place->source));
}

nd_status nd_cut_writer_add(nd_cut_writer *w, const nd_document_place *place,
                            const nd_id_buffer *id, const nd_text_span *spans, size_t count,
                            nd_error *error) {
    const nd_source *source = nd_corpus_source(w->corpus, place->source);
    if (!w->file && !w->tree) return ND_OK;
    if (!nd_record_cuts_can(source)) return add_text(w, place, id, spans, count, error);
    ND_TRY(check_source(w, source, error));
    ND_TRY(write_header(w, error));
    nd_record_reader_release(w->reader);
    bool as_it_is = count == 0 && source->format != ND_FORMAT_JSON;
    return as_it_is ? copy_record(w, place, error)
                    : cut_record(w, source, place, spans, count, error);
}

nd_status nd_cut_writer_finish(nd_cut_writer *w, nd_error *error) {
    if (!w->file) return ND_OK;
    ND_TRY(write_header(w, error));
    ND_TRY(copy_pending(w, error));
    ND_TRY(nd_async_task_wait(w->writing, error));
    return nd_output_file_write(w->file, w->piece, w->piece_size, error);
}
