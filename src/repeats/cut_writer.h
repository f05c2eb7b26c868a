/* Writes the documents of a run again, without spans of their texts.
 *
 * Records of JSON Lines, JSON and CSV keep every other byte; those of JSON become a line each. The
 * texts of a directory go to files of the same names in another directory, in UTF-8. All other
 * documents, whose texts are no part of a record that could stay, become JSON Lines of id and
 * text. Records are read again by their offsets, so the corpus is open as ND_INPUT_AGAIN. */
#ifndef ND_REPEATS_CUT_WRITER_H
#define ND_REPEATS_CUT_WRITER_H

#include "base/async_task.h"
#include "corpus/record_cuts.h"
#include "io/output_file.h"
#include "io/output_tree.h"
#include "job/json_writer.h"
#include "job/run_context.h"

/* Where the record of a document is. */
typedef struct nd_document_place {
    uint64_t offset; /* as of nd_raw_record */
    uint64_t text_length;
    uint32_t length, source;
} nd_document_place;

/* The place of a document without its source, which its block has. */
nd_document_place nd_document_place_of(const nd_scan_item *item);

/* Bytes that follow each other in a source and are not written yet. */
typedef struct nd_pending_run {
    uint64_t begin, end;
    size_t source;
} nd_pending_run;

typedef struct nd_cut_writer {
    const nd_run *run;
    nd_corpus *corpus;
    nd_record_fields fields;
    nd_pages pages;
    nd_invalid invalid;
    nd_record_reader *reader;
    nd_record_cuts cuts;
    nd_output_file *file; /* NULL: the directory, or nothing is written */
    nd_output_tree *tree;
    nd_json_out line;
    char *text; /* of a document, without the spans */
    size_t text_capacity;
    char *repaired; /* a record without malformed parts */
    size_t repaired_capacity;
    bool has_header;     /* the header of CSV is written */
    uint64_t tree_bytes; /* of files in the directory */
    nd_pending_run pending;
    /* Of `memory`: what comes next in the file, and a full piece before it, which is written. */
    char *memory, *piece, *full;
    size_t piece_size;
    nd_async_task *writing;
} nd_cut_writer;

/* Opens the output `name`: a file, "-", or, with a slash at the end, a directory for texts; NULL:
 * nothing is written. *writer is valid for nd_cut_writer_free in any case. ND_ERR_ARGUMENT: the
 * input has records whose texts cannot be cut with these options, or the output does not fit to the
 * input. */
nd_status nd_cut_writer_open(const nd_run *run, nd_corpus *corpus, const nd_input_options *input,
                             const char *name, nd_cut_writer *writer, nd_error *error);

/* Reads the text of a document again, valid until the next call. */
nd_status nd_cut_writer_text(nd_cut_writer *writer, const nd_document_place *place,
                             const char **text, nd_error *error);

/* Whether the id of a document is written. */
bool nd_cut_writer_has_ids(const nd_cut_writer *writer, const nd_document_place *place);

/* Writes the next document without the spans, which ascend and do not overlap. Its id is only
 * read if it is written. */
nd_status nd_cut_writer_add(nd_cut_writer *writer, const nd_document_place *place,
                            const nd_id_buffer *id, const nd_text_span *spans, size_t count,
                            nd_error *error);
/* Writes what waits. Nothing may be added after that; the caller publishes `file` and `tree`. */
nd_status nd_cut_writer_finish(nd_cut_writer *writer, nd_error *error);
void nd_cut_writer_free(nd_cut_writer *writer);

#endif
