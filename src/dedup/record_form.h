/* The form in which a record is written: as it is, as a line of JSON, and with marks that tell what
 * became of it. */
#ifndef ND_DEDUP_RECORD_FORM_H
#define ND_DEDUP_RECORD_FORM_H

#include "corpus/corpus.h"
#include "job/json_writer.h"

typedef struct nd_record_form {
    nd_input_format from, to; /* as in output_format.h */
    bool marked;
} nd_record_form;

/* Whether records are written byte for byte. */
static inline bool nd_record_form_copies(const nd_record_form *form) {
    return !form->marked && (form->from == form->to || form->from == ND_FORMAT_JSON_LINES);
}
/* Whether records are texts, or documents of archives, which become an object with the id. */
static inline bool nd_record_form_has_texts(const nd_record_form *form) {
    return form->from == ND_FORMAT_TEXT ||
           (form->from == ND_FORMAT_WARC && form->to == ND_FORMAT_JSON_LINES);
}
/* Whether records are rows of Parquet, which DuckDB makes objects of. */
static inline bool nd_record_form_has_rows(const nd_record_form *form) {
    return form->from == ND_FORMAT_PARQUET && form->to == ND_FORMAT_JSON_LINES;
}
/* Whether each record is a member of a compressed output, as programs that read WARC by the offsets
 * of records want it. */
static inline bool nd_record_form_has_members(const nd_record_form *form) {
    return form->to == ND_FORMAT_WARC;
}

/* The bytes behind each record. */
typedef struct nd_record_ending {
    const char *bytes;
    size_t size;
} nd_record_ending;
nd_record_ending nd_record_form_ending(const nd_record_form *form, const nd_source *source);

/* What became of a record. */
typedef struct nd_record_mark {
    bool kept;
    const char *of; /* the id of the kept document; if not kept */
    size_t of_length;
    double similarity; /* if not kept */
} nd_record_mark;

/* Appends the three members or cells of a mark, as nd_record_form_put wants them. */
nd_status nd_record_form_put_mark(const nd_record_form *form, const nd_record_mark *mark,
                                  nd_json_out *out, nd_error *error);

/* A record to be written. */
typedef struct nd_raw_form {
    const nd_source *source;
    const char *bytes; /* the record; of a text: the text; of a row of Parquet: the object */
    size_t length;
    const char *id; /* of a text: the id, as a string of JSON with its quotes */
    size_t id_length;
    nd_span url, date; /* of a document of an archive; length 0: it has none */
    const char *mark;  /* made by nd_record_form_put_mark; not read if the form has no marks */
    size_t mark_length;
} nd_raw_form;

/* Memory for forms. Zero-initialised, except for the allocators; the caller releases the bytes. */
typedef struct nd_form_buffer {
    nd_json_out line; /* the record, with its ending */
    nd_json_out cell;
} nd_form_buffer;

/* Writes a record to buffer->line. */
nd_status nd_record_form_put(const nd_record_form *form, const nd_raw_form *record,
                             nd_form_buffer *buffer, nd_error *error);
/* Writes the header of the source to buffer->line, which is empty if the form has none. */
nd_status nd_record_form_put_header(const nd_record_form *form, const nd_source *source,
                                    nd_form_buffer *buffer, nd_error *error);
/* Checks that the columns of a file can be members of objects. ND_ERR_INPUT: two have one name. */
nd_status nd_record_form_check(const nd_record_form *form, const nd_source *source,
                               nd_form_buffer *buffer, nd_error *error);

#endif
