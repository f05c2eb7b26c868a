/* Makes documents of records, for one thread: parses the records of a block, and reads single
 * records again by their offsets. */
#ifndef ND_CORPUS_RECORD_READER_H
#define ND_CORPUS_RECORD_READER_H

#include "corpus/block_reader.h"

typedef struct nd_document {
    const char *text; /* valid until the reader's next call */
    size_t length;
    const char *id; /* NULL: the record has none */
    size_t id_length;
    bool has_priority;
    double priority;
    bool is_protected;
    nd_span label;     /* length 0: it has none */
    nd_span uri, date; /* of WARC; length 0: it has none */
} nd_document;

typedef enum nd_record_state {
    ND_RECORD_FINE,
    ND_RECORD_BINARY, /* a file of a directory that is no text: it is left out */
    ND_RECORD_BAD,
    ND_RECORD_INVALID_TEXT
} nd_record_state;

/* Used by one thread at a time. The corpus must outlive it. */
typedef struct nd_record_reader nd_record_reader;
nd_status nd_record_reader_create(nd_corpus *corpus, nd_record_reader **out, nd_error *error);
void nd_record_reader_free(nd_record_reader *reader);
/* Ends the work on a large record, if the reader has one. REQUIRES: called before the thread waits
 * for another one. */
void nd_record_reader_release(nd_record_reader *reader);

/* Parses record `index` of a block. If the record is bad, *state says why, and *why gets a message
 * that begins with the record's position ("FILE:LINE: "). A status other than ND_OK is not about
 * the record: e.g. memory is missing. Invalid text is replaced if the corpus's options allow it. */
nd_status nd_record_reader_parse(nd_record_reader *reader, const nd_block *block, size_t index,
                                 nd_document *out, nd_record_state *state, nd_error *why,
                                 nd_error *error);

/* Copies `length` bytes of a source, from `offset` on, to `to`: one record, or several with
 * newlines between them. */
nd_status nd_record_reader_read(nd_record_reader *reader, size_t source, uint64_t offset,
                                size_t length, char *to, nd_error *error);

/* Reads the record at an offset: its bytes, with ND_JSON_PADDING readable bytes behind them; for a
 * directory, the path. Valid until the reader's next call. */
nd_status nd_record_reader_fetch(nd_record_reader *reader, size_t source, uint64_t offset,
                                 size_t length, const char **bytes, nd_error *error);

/* The same for records that are fetched in the order of input: those behind the record are read
 * with it, and the next calls find them. */
nd_status nd_record_reader_fetch_ahead(nd_record_reader *reader, size_t source, uint64_t offset,
                                       size_t length, const char **bytes, nd_error *error);

/* Reads URI and date of the WARC record at an offset; length 0: it has none. Valid until the
 * reader's next call. */
nd_status nd_record_reader_fetch_origin(nd_record_reader *reader, size_t source, uint64_t offset,
                                        size_t length, nd_span *uri, nd_span *date,
                                        nd_error *error);

/* Reads the text of the document at an offset. REQUIRES: the document was valid when it was read
 * first. ND_ERR_IO ("changed while it was read"): it is not valid any more. */
nd_status nd_record_reader_fetch_text(nd_record_reader *reader, size_t source, uint64_t offset,
                                      size_t length, const char **text, size_t *text_length,
                                      nd_error *error);

#endif
