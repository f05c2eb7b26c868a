/* Records that come one by one, and are copied: the paths of a directory or a list, the records of
 * a callback, and the rows of Parquet. */
#include "corpus/block_sources.h"

#include "base/format.h"
#include "corpus/block_faults.h"
#include "corpus/corpus_inside.h"
#include "corpus/iso_date.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- texts in files */

static void next_of_list(const nd_corpus *corpus, const nd_source *source, const char **path,
                         uint64_t *size) {
    struct stat s;
    size_t next = (size_t)corpus->line;
    *path = next < source->file_count ? source->files[next] : NULL;
    /* The record reader reports a file that is gone. */
    *size = *path && stat(*path, &s) == 0 ? (uint64_t)s.st_size : 0;
}

/* Finds the next file of a directory or a list. *path NULL: there is none. */
static nd_status next_path(nd_corpus *corpus, const nd_source *source, const char **path,
                           uint64_t *size, nd_error *error) {
    if (source->files) {
        next_of_list(corpus, source, path, size);
        return ND_OK;
    }
    if (!corpus->walk)
        ND_TRY(nd_corpus_open_walk(corpus, source->name, source->pattern, &corpus->walk, error));
    return nd_directory_walk_next(corpus->walk, path, size, error);
}

nd_status nd_block_read_paths(nd_corpus *corpus, nd_block *block, nd_error *error) {
    const nd_source *source = &corpus->sources[block->source];
    uint64_t text = 0;
    while (block->count < block->most && text < ND_BLOCK_BYTES) {
        const char *path = NULL;
        uint64_t size = 0;
        nd_error failure;
        nd_status status = next_path(corpus, source, &path, &size, &failure);
        if (status != ND_OK && (!corpus->walk || nd_directory_walk_is_over(corpus->walk)))
            return nd_block_end_broken_source(corpus, block, status, &failure, error);
        if (status != ND_OK) return nd_block_break(corpus, block, status, &failure, "", error);
        if (!path) {
            corpus->at_end = true;
            break;
        }
        size_t length = strlen(path);
        nd_raw_record record = {.start = block->size,
                                .length = length,
                                .offset = corpus->spool.size,
                                .line = ++corpus->line,
                                .size = size};
        record.too_long = size > corpus->options.max_record;
        ND_TRY(nd_block_add_record(block, &corpus->allocator, record, error));
        ND_TRY(nd_block_add_bytes(block, &corpus->allocator, path, length + 1, error));
        if (!corpus->options.once) ND_TRY(nd_spool_append(&corpus->spool, path, length + 1, error));
        text += size;
    }
    return ND_OK;
}

/* ---- callbacks */

/* A program that was compiled with a newer header may write more members than this version has. */
typedef union record_room {
    nd_record record;
    unsigned char bytes[512];
} record_room;

/* Adds a record that is a text, with an id, a label and a priority beside it. */
static nd_status add_row(nd_corpus *corpus, nd_block *block, const nd_record *given,
                         const char *fault, nd_error *error) {
    bool copies = corpus->sources[block->source].place != ND_IN_MEMORY;
    nd_raw_record record = {.start = block->size,
                            .length = given->length,
                            .offset = copies ? corpus->spool.size : (uintptr_t)given->text,
                            .line = ++corpus->line,
                            .size = given->length,
                            .priority = given->value,
                            .is_protected = given->is_protected,
                            .id_start = SIZE_MAX,
                            .label_start = SIZE_MAX,
                            .fault = fault};
    record.too_long = given->length > corpus->options.max_record;
    if (record.too_long) record.length = 0;
    if (record.length > ND_LARGE_RECORD) nd_block_hold_gate(block, &corpus->gate);
    if (copies)
        ND_TRY(nd_block_add_bytes(block, &corpus->allocator, given->text, record.length, error));
    if (copies && !corpus->options.once)
        ND_TRY(nd_spool_append(&corpus->spool, given->text, record.length, error));
    if (given->id) {
        record.id_start = block->size;
        record.id_length = given->id_length;
        ND_TRY(nd_block_add_bytes(block, &corpus->allocator, given->id, given->id_length, error));
    }
    if (corpus->options.fields.label && given->label) {
        record.label_start = block->size;
        record.label_length = given->label_length;
        ND_TRY(nd_block_add_bytes(block, &corpus->allocator, given->label, given->label_length,
                                  error));
    }
    ND_TRY(nd_block_add_record(block, &corpus->allocator, record, error));
    block->input_bytes += given->length;
    return ND_OK;
}

/* Texts that are in memory are none of the block's bytes, but are work for the same time. */
static bool is_full(const nd_block *block) {
    return nd_block_is_full(block) || block->input_bytes >= ND_BLOCK_BYTES;
}

nd_status nd_block_read_callback(nd_corpus *corpus, nd_block *block, nd_error *error) {
    while (!is_full(block)) {
        record_room room = {.record = {.struct_size = sizeof(nd_record), .value = NAN}};
        int answer = corpus->options.records(corpus->options.records_context, &room.record);
        const nd_record given = room.record;
        if (answer < 0)
            return nd_fail(error, ND_ERR_CANCELLED, "cancelled by the source of the records");
        if (answer == 0) {
            corpus->at_end = true;
            break;
        }
        ND_TRY(add_row(corpus, block, &given, NULL, error));
    }
    return ND_OK;
}

/* ---- Parquet */

static nd_status open_parquet(nd_corpus *corpus, nd_source *source, nd_error *error) {
    nd_duckdb_session *session = NULL;
    const nd_record_fields *f = &corpus->options.fields;
    const nd_protected_values *p = f->protect;
    const nd_parquet_fields fields = {f->texts,
                                      f->text_count,
                                      f->id,
                                      f->priority,
                                      p ? p->fields : NULL,
                                      p ? p->values : NULL,
                                      p ? p->count : 0,
                                      f->label};
    atomic_store(&corpus->compressed, true);
    if (source->inode == 0) return nd_block_fail_unnamed(source, error);
    if (corpus->converts)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: strings of Parquet are in UTF-8; --encoding (encoding) is for texts, "
                       "CSV and pages",
                       source->name);
    ND_TRY(nd_corpus_duckdb(corpus, &session, error));
    return nd_parquet_in_open(session, source->name, &fields, &corpus->parquet, error);
}

/* Takes the values of a row as a record. Returns why it is bad; NULL: it is fine. */
static const char *record_of_row(const nd_parquet_row *row, nd_record *out) {
    *out = (nd_record){.text = row->text,
                       .length = row->length,
                       .id = row->id,
                       .id_length = row->id_length,
                       .value = row->priority,
                       .is_protected = row->is_protected,
                       .label = row->label,
                       .label_length = row->label_length};
    if (!row->text) return "its text is null";
    if (row->priority_length == 0 ||
        nd_number_read(row->priority_text, row->priority_length, &out->value) ||
        nd_iso_date_parse(row->priority_text, row->priority_length, &out->value))
        return NULL;
    return "a number or an ISO 8601 date was expected";
}

static nd_status read_rows(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    if (!corpus->parquet) ND_TRY(open_parquet(corpus, source, error));
    while (!nd_block_is_full(block)) {
        nd_parquet_row row;
        nd_record record;
        ND_TRY(nd_parquet_in_next(corpus->parquet, &row, &corpus->at_end, error));
        if (corpus->at_end) break;
        source->rows++;
        const char *fault = record_of_row(&row, &record);
        ND_TRY(add_row(corpus, block, &record, fault, error));
    }
    double part = (double)source->rows / ((double)nd_parquet_in_rows(corpus->parquet) + 1);
    atomic_store(&corpus->read_bytes,
                 corpus->before_source + (uint64_t)(part * (double)source->size));
    return ND_OK;
}

nd_status nd_block_read_parquet(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_error failure;
    nd_status status = read_rows(corpus, block, &failure);
    return status == ND_OK ? ND_OK
                           : nd_block_end_broken_source(corpus, block, status, &failure, error);
}
